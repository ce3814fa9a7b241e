"""Estimates of segments as the rows of a result."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe import results
from evalframe.arms import Arms


def assemble(
    table: str,
    by: pd.DataFrame,
    labels: pd.Index,
    arms: Arms | None,
    parts: Sequence[Mapping[str, Any]],
    shown: NDArray[np.bool_],
    provenance: Mapping[str, Any],
) -> pd.DataFrame:
    """Return a result with a row a group, arm and measured column, in that order.

    Parameters
    ----------
    table : str
        One of ``results.TABLES``.
    by : DataFrame of B rows
        Labels of the groups.
    labels : Index
        Labels of all arms.
    arms : Arms or None
        The K arms that have rows are the others of a comparison. None: each arm has rows.
    parts : sequence of mappings
        For each measured column, the result's columns: (B K,) values, group by group, or a scalar.
    shown : (B K,) bool
        Which segments have rows at all.
    provenance : mapping
        How the result was made.
    """
    segments = np.repeat(np.flatnonzero(shown), len(parts))
    shown_labels = labels if arms is None else labels.take(arms.others)
    group, arm = np.divmod(segments, max(len(shown_labels), 1))
    keys = by.iloc[group].reset_index(drop=True)
    keys["arm"] = shown_labels.take(arm)
    if arms is not None:
        other = "reference" if "reference" in results.TABLES[table] else "baseline"
        keys[other] = labels.take(np.full(len(segments), arms.baseline))
    elif "baseline" in results.TABLES[table]:
        keys["baseline"] = no_labels(labels, len(segments))
    columns = {name: _interleave([part[name] for part in parts], shown) for name in parts[0]}
    return results.table(table, keys, columns, provenance)


def no_labels(labels: pd.Index, n_rows: int) -> pd.Series:
    """Return missing labels, of the dtype of others where it can hold them."""
    text = isinstance(labels.dtype, pd.StringDtype)
    return pd.Series([None] * n_rows, dtype=labels.dtype if text else object)


def _interleave(values: Sequence[Any], shown: NDArray[np.bool_]) -> NDArray[Any]:
    """Return the shown entries of several (S,) columns, an entry of each in turn."""
    return np.stack([np.broadcast_to(value, len(shown))[shown] for value in values], axis=1).ravel()
