"""Columns, order, dtypes and provenance of every result.

A result is a plain DataFrame with a RangeIndex, one row an estimate. Its keys come first (the `by`
columns, then arm and what else names the row), then estimates, sizes, how it was made, and a note.
NaN is what cannot be known or does not apply, never 0.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import metadata
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Kind = Literal["label", "float", "int", "count", "str", "bool"]

# "label" keeps the dtype of the user's own labels; "count" is a size that may not exist.
TABLES: dict[str, dict[str, Kind]] = {
    "score": {
        "arm": "label",
        "metric": "str",
        "estimate": "float",
        "se": "float",
        "conf_low": "float",
        "conf_high": "float",
        "n_items": "int",
        "n_responses": "int",
        "n_missing": "int",
        "n_items_missing": "int",
        "n_clusters": "count",
        "design_effect": "float",
        "df": "float",
        "level": "float",
        "interval": "str",
        "clustered": "bool",
        "note": "str",
    },
    "compare": {
        "arm": "label",
        "baseline": "label",
        "metric": "str",
        "baseline_mean": "float",
        "arm_mean": "float",
        "diff": "float",
        "diff_rel": "float",
        "se": "float",
        "conf_low": "float",
        "conf_high": "float",
        "mde": "float",
        "mcnemar_p": "float",
        "baseline_only": "count",
        "arm_only": "count",
        "n_items": "int",
        "n_dropped": "int",
        "n_clusters": "count",
        "df": "float",
        "level": "float",
        "interval": "str",
        "clustered": "bool",
        "significant": "bool",
        "small_n": "bool",
        "note": "str",
    },
    "mcnemar": {
        "arm": "label",
        "baseline": "label",
        "metric": "str",
        "both_right": "int",
        "baseline_only": "int",
        "arm_only": "int",
        "both_wrong": "int",
        "odds_ratio": "float",
        "statistic": "float",
        "p_value": "float",
        "p_adjusted": "float",
        "n_items": "int",
        "n_dropped": "int",
        "method": "str",
        "note": "str",
    },
    "voice": {
        "arm": "label",
        "reference": "label",
        "scope": "str",
        "group": "str",
        "metric": "str",
        "distance": "float",
        "tail": "float",
        "conf_low": "float",
        "conf_high": "float",
        "self_tail": "float",
        "self_low": "float",
        "self_high": "float",
        "n_items": "int",
        "n_dropped": "int",
        "n_train": "int",
        "n_calibration": "int",
        "size": "count",
        "level": "float",
        "interval": "str",
        "note": "str",
    },
    # What voice(..., replicates=True) returns: a row a row of voice and item left out.
    "voice_replicates": {
        "arm": "label",
        "reference": "label",
        "scope": "str",
        "group": "str",
        "metric": "str",
        "item_id": "label",
        "tail": "float",
    },
    "metrics": {
        "group": "str",
        "metric": "str",
        "default": "bool",
        "language": "str",
        "formula": "str",
        "source": "str",
        "range": "str",
        "short_texts": "str",
    },
    "overview": {
        "arm": "label",
        "n_items": "int",
        "n_responses": "int",
        "seeds_min": "int",
        "seeds_max": "int",
        "n_clusters": "count",
        "n_missing": "int",
        "n_items_absent": "int",
        "mean": "float",
    },
    "check": {
        "severity": "str",
        "column": "str",
        "fault": "str",
        "count": "int",
        "first": "str",
        "remedy": "str",
    },
    "exceeds_floor": {
        "arm": "label",
        "baseline": "label",
        "metric": "str",
        "diff": "float",
        "floor_diff": "float",
        "floor_se": "float",
        "threshold": "float",
        "exceeds": "bool",
    },
}

# What compare(..., floor=) adds, before the note.
FLOOR: dict[str, Kind] = {
    "floor_diff": "float",
    "floor_se": "float",
    "threshold": "float",
    "exceeds": "bool",
}

DTYPE: dict[Kind, Any] = {
    "float": np.float64,
    "int": np.int64,
    "count": "Int64",
    "str": str,
    "bool": np.bool_,
}


@cache
def version() -> str:
    """Return the installed version of evalframe, which every result records."""
    return metadata.version("evalframe")


def table(
    name: str,
    keys: pd.DataFrame,
    columns: Mapping[str, Any],
    provenance: Mapping[str, Any],
) -> pd.DataFrame:
    """Build a result frame.

    Parameters
    ----------
    name : str
        One of `TABLES`.
    keys : DataFrame
        The `by` columns and the label columns, one row a result row.
    columns : mapping of str to (n,) array or scalar
        Every other column of the table, in any order.
    provenance : mapping
        How it was made; plain JSON values only. It becomes ``attrs["evalframe"]``.

    Returns
    -------
    DataFrame
        Columns in the table's order with the table's dtypes, for 0 rows too.
    """
    kinds = TABLES[name]
    if "floor_diff" in columns and name == "compare":
        kinds = {**kinds, **FLOOR, "note": "str"}
        kinds["note"] = kinds.pop("note")
    by = [column for column in keys.columns if column not in kinds]
    frame = keys[by].reset_index(drop=True)
    for column, kind in kinds.items():
        if kind == "label":
            frame[column] = keys[column].reset_index(drop=True)
        else:
            frame[column] = pd.Series(columns[column], index=frame.index, dtype=DTYPE[kind])
    frame.attrs["evalframe"] = {"table": name, "version": version(), **plain(provenance)}
    return frame


def notes(n_rows: int, said: Sequence[tuple[NDArray[np.bool_], str | Sequence[str]]]) -> list[str]:
    """Join what is said of each row.

    Parameters
    ----------
    n_rows : int
    said : sequence of (mask, text)
        The rows that a text is said of; one text, or one a row.

    Returns
    -------
    list of str
        Texts joined by "; ", empty where nothing is said.
    """
    joined = [""] * n_rows
    for mask, text in said:
        for row in np.flatnonzero(mask):
            one = text if isinstance(text, str) else text[int(row)]
            joined[row] = f"{joined[row]}; {one}" if joined[row] and one else joined[row] or one
    return joined


def also(
    said: Sequence[str], more: str | Sequence[str], rows: NDArray[np.bool_] | None = None
) -> list[str]:
    """Add a text to the notes of some rows, by default of all."""
    everywhere = np.ones(len(said), dtype=bool)
    return notes(len(said), [(everywhere, said), (everywhere if rows is None else rows, more)])


def plain(value: Any) -> Any:
    """Return a label, or a list or mapping of labels, as plain JSON values, for provenance."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
