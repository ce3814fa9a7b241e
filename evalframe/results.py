"""Columns, order, dtypes and provenance of every result.

A result is a plain DataFrame with a RangeIndex, one row an estimate. Its keys come first (the `by`
columns, then arm and what else names the row), then estimates, sizes, how it was made, and a note.
NaN is what cannot be known or does not apply, never 0.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import metadata
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe.tables import DTYPE, FLOOR, MARGIN, TABLES

__all__ = [
    "DTYPE",
    "FLOOR",
    "MARGIN",
    "TABLES",
    "Said",
    "also",
    "check_result",
    "notes",
    "plain",
    "table",
    "version",
]

# A text said of the rows of a mask: the same of all, one a row, or made from the row's number.
Text = str | Sequence[str] | Callable[[int], str]
Said = tuple[NDArray[np.bool_], Text]


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
    for added, extra in (("margin", MARGIN), ("floor_diff", FLOOR)):
        if added in columns and name == "compare":
            kinds = {**kinds, **extra}
            kinds["note"] = kinds.pop("note")
    by = [column for column in keys.columns if column not in kinds]
    frame = keys[by].reset_index(drop=True)
    for column, kind in kinds.items():
        if kind == "label":
            frame[column] = keys[column].reset_index(drop=True)
        elif kind == "count":
            frame[column] = _counts(columns[column], frame.index)
        else:
            frame[column] = pd.Series(columns[column], index=frame.index, dtype=DTYPE[kind])
    frame.attrs["evalframe"] = {"table": name, "version": version(), **plain(provenance)}
    return frame


def _counts(values: Any, index: pd.Index) -> pd.Series:
    """Return counts, NaN where there is none, as nullable integers."""
    numbers = np.broadcast_to(np.asarray(values, dtype=np.float64), len(index))
    missing = np.isnan(numbers)
    whole = np.where(missing, 0, numbers).astype(np.int64)
    return pd.Series(pd.arrays.IntegerArray(whole, missing), index=index)


def notes(n_rows: int, said: Sequence[Said]) -> list[str]:
    """Join what is said of each row.

    Parameters
    ----------
    n_rows : int
    said : sequence of (mask, text)
        The rows that a text is said of; one text, one a row, or a function of the row's number,
        which is called for these rows alone.

    Returns
    -------
    list of str
        Texts joined by "; ", empty where nothing is said.
    """
    joined = [""] * n_rows
    for mask, text in said:
        for row in np.flatnonzero(mask):
            one = _said_of(text, int(row))
            joined[row] = f"{joined[row]}; {one}" if joined[row] and one else joined[row] or one
    return joined


def _said_of(text: Text, row: int) -> str:
    if isinstance(text, str):
        return text
    return text(row) if callable(text) else text[row]


def also(said: Sequence[str], more: Text, rows: NDArray[np.bool_] | None = None) -> list[str]:
    """Add a text to the notes of some rows, by default of all."""
    everywhere = np.ones(len(said), dtype=bool)
    return notes(len(said), [(everywhere, said), (everywhere if rows is None else rows, more)])


def check_result(result: object, call: str) -> None:
    """Raise TypeError where a result is wanted and something else was given."""
    if not isinstance(result, pd.DataFrame):
        raise TypeError(
            f"wanted a result of evalframe (a DataFrame), found {type(result).__name__}; for "
            f"example: {call}"
        )


def plain(value: Any) -> Any:
    """Return a label, or a list or mapping of labels, as plain JSON values, for provenance."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
