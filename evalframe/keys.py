"""The key (item, arm, seed) of each row: that it is unique, and how a message shows it."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe import roles
from evalframe.errors import FrameError, rows_text
from evalframe.results import FLOOR, TABLES


def key_columns(frame: pd.DataFrame, by: Sequence[str] = ()) -> list[str]:
    """Return the columns that make the key of a row."""
    return [*by, *(c for c in ("item_id", "arm", "seed") if c in frame and c not in by)]


def key_text(frame: pd.DataFrame, row: int, names: Sequence[str]) -> str:
    """Return the key of a row as a message shows it: "item_id='q1', arm='base', seed=0"."""
    return ", ".join(f"{name}={_plain(frame[name].iloc[row])!r}" for name in names)


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else value


def dense(size: int, n: int) -> bool:
    """Say whether an array over all possible keys is worth it beside `n` rows."""
    return size <= 4 * n + 1_000_000


def check_unique(
    frame: pd.DataFrame,
    by: Sequence[str],
    key: NDArray[np.int64],
    size: int,
) -> None:
    """Refuse two rows with one key, given as codes from 0 to size - 1."""
    if not _repeated(key, size):
        return
    twice = pd.Series(key).duplicated(keep=False).to_numpy()
    rows = np.flatnonzero(twice)
    names = key_columns(frame, by)
    same = np.flatnonzero(key == key[rows[0]])
    first = key_text(frame, rows[0], names)
    raise FrameError.of(
        f"({', '.join(names)}) must be unique",
        f"{len(rows):,} rows that share theirs with another; first: {first}, in {rows_text(same)}",
        _unique_remedy(frame, key, names),
        column="item_id",
        count=len(rows),
        first=first,
    )


def _unique_remedy(frame: pd.DataFrame, key: NDArray[np.int64], names: Sequence[str]) -> str:
    """Name a column that would make the key unique, or say what else to type."""
    for column in frame.columns:
        if column not in names and column not in roles.METRIC and _sets_apart(frame[column], key):
            first = _plain(frame[column].iloc[0])
            remedy = (
                f"the column {column!r} would make it unique: choose one value, "
                f"df[df[{column!r}] == {first!r}]"
            )
            taken = any(column in table for table in (*TABLES.values(), FLOOR))
            return remedy if taken else f"{remedy}, or take them apart with by={column!r}"
    keys = [name for name in names if name != "seed"]
    number = f"if they are repeated runs: df.assign(seed=df.groupby({keys!r}).cumcount())"
    if "seed" not in names:
        return number
    rows = pd.Series(key).duplicated(keep=False).to_numpy()
    if len(frame[rows].map(repr).drop_duplicates()) == len(np.unique(key[rows])):
        return "drop the copies, for example: df.drop_duplicates()"
    return f"keep the right one of each, or {number}"


def _sets_apart(column: pd.Series, key: NDArray[np.int64]) -> bool:
    """Say whether a column of plain labels makes every key unique."""
    if column.isna().any() or not column.map(pd.api.types.is_scalar).all():
        return False
    labels = pd.factorize(column.map(repr))[0]
    return not pd.DataFrame({"key": key, "label": labels}).duplicated().any()


def _repeated(key: NDArray[np.int64], size: int) -> bool:
    """Say whether a key from 0 to size - 1 occurs twice."""
    if dense(size, len(key)):
        seen = np.zeros(size, dtype=np.bool_)
        seen[key] = True
        return bool(np.count_nonzero(seen) < len(key))
    ordered = np.sort(key)
    return bool((ordered[1:] == ordered[:-1]).any())
