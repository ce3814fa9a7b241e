"""The key (item, arm, seed) of each row: that it is unique, and how a message shows it."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe import roles
from evalframe.columns import rows_text
from evalframe.errors import FrameError


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
    raise FrameError(
        f"({', '.join(names)}) must be unique, found {len(rows):,} rows that share theirs with "
        f"another; first: {key_text(frame, rows[0], names)} ({rows_text(same)}); "
        + _unique_remedy(frame, key, names)
    )


def _unique_remedy(frame: pd.DataFrame, key: NDArray[np.int64], names: Sequence[str]) -> str:
    """Name a column that would make the key unique, or say how to number repeated runs."""
    for column in frame.columns:
        if column in names or column in roles.METRIC:
            continue
        labels = pd.factorize(frame[column].map(repr))[0]
        if not (pd.DataFrame({"key": key, "label": labels}).duplicated()).any():
            first = _plain(frame[column].iloc[0])
            return (
                f"the column {column!r} would make it unique: choose one value, "
                f"df[df[{column!r}] == {first!r}], or take them apart with by={column!r}"
            )
    if "seed" not in frame:
        keys = [name for name in names if name != "seed"]
        return f"if they are repeated runs: df.assign(seed=df.groupby({keys!r}).cumcount())"
    return "drop the copies, for example: df.drop_duplicates()"


def _repeated(key: NDArray[np.int64], size: int) -> bool:
    """Say whether a key from 0 to size - 1 occurs twice."""
    if dense(size, len(key)):
        seen = np.zeros(size, dtype=np.bool_)
        seen[key] = True
        return bool(np.count_nonzero(seen) < len(key))
    ordered = np.sort(key)
    return bool((ordered[1:] == ordered[:-1]).any())
