"""Reduced frames, in which a row is an item's mean over its runs: over how many of them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe.errors import FrameError
from evalframe.numbers import to_numbers
from evalframe.roles import COLUMN, MISSING_RUNS, RUNS, missing_column, sum_column

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Counts:
    """The runs behind one column of a reduced frame.

    Attributes
    ----------
    n_values, n_missing : (n,) int64
        Runs with and without a value.
    total : (n,) float64
        Sum over the runs.
    """

    n_values: Ints
    n_missing: Ints
    total: Floats

    def of(self, rows: NDArray[np.bool_]) -> "Counts":
        """Return the counts of some rows."""
        return Counts(self.n_values[rows], self.n_missing[rows], self.total[rows])


def refuse_reduced(frame: pd.DataFrame, allowed: bool) -> bool:
    """Say whether rows are means over runs, and refuse it where single runs are needed.

    Parameters
    ----------
    frame : DataFrame
        Reduced where it has the column ``n_responses``.
    allowed : bool
        Whether means over runs will do.

    Raises
    ------
    FrameError
        If they will not do, or rows claim by a column ``seed`` to be runs too.
    """
    if RUNS not in frame:
        return False
    if allowed and "seed" not in frame:
        return True
    wanted = "each row must be one run" if not allowed else "rows must be runs, or means over runs"
    found = f"the column {RUNS!r}, by which a row is the mean over an item's runs"
    raise FrameError.of(
        wanted + ("" if allowed else ": this needs the single runs"),
        found + (", and 'seed', by which it is one run" if allowed else ""),
        "read the runs themselves (read_parquet or read_jsonl instead of scan); if each row is one "
        f"run: df.drop(columns={RUNS!r})",
        column=RUNS,
        count=len(frame),
    )


def read_counts(frame: pd.DataFrame, column: str, values: Floats) -> Counts:
    """Return how many runs each value of a column is the mean over.

    Parameters
    ----------
    frame : DataFrame
        With ``n_responses`` and, where runs lack a score, ``n_missing``; where they lack another
        value, ``n_missing_tokens`` and the like.
    column : str
    values : (n,) float64
        NaN where no run has a value.

    Returns
    -------
    Counts
        Where there is none in a column ``score_sum``, a sum is mean times number, up to rounding.

    Raises
    ------
    FrameError
        If a count is no whole number, or says another thing than the value.
    """
    n_missing = _whole(frame, missing_column(column))
    n_values = _whole(frame, RUNS) if column == COLUMN["score"] else count_runs(frame) - n_missing
    wrong = np.flatnonzero((n_values < 0) | ((n_values > 0) == np.isnan(values)))
    if len(wrong):
        raise FrameError.of_rows(
            f"column {RUNS!r} must count the runs that {column!r} is the mean over",
            f"{n_values[wrong[0]]:,} of them beside {values[wrong[0]]:g}",
            wrong,
            f"correct the counts, or drop them if each row is one run: df.drop(columns={RUNS!r})",
            column=RUNS,
        )
    name = sum_column(column)
    known = np.where(np.isnan(values), 0.0, values)
    total = known * n_values.astype(np.float64)
    if name in frame:
        given = to_numbers(frame[name], name)
        total = np.where(np.isnan(given), total, given)
    return Counts(n_values, n_missing, total)


def read_all_counts(frame: pd.DataFrame, numbers: Mapping[str, Floats]) -> dict[str, Counts]:
    """Return the counts of several columns, given with their values."""
    return {column: read_counts(frame, column, values) for column, values in numbers.items()}


def count_runs(frame: pd.DataFrame) -> Ints:
    """Return how many runs each row of a reduced frame stands for, with a score or without."""
    return _whole(frame, RUNS) + _whole(frame, MISSING_RUNS)


def _whole(frame: pd.DataFrame, name: str) -> Ints:
    """Return a column of counts; none where the frame has no such column."""
    if name not in frame:
        return np.zeros(len(frame), dtype=np.int64)
    numbers = to_numbers(frame[name], name)
    wrong = np.flatnonzero(~((numbers >= 0) & (numbers == np.floor(numbers))))
    if len(wrong):
        raise FrameError.of_rows(
            f"column {name!r} must hold whole numbers from 0 on, as it counts runs",
            f"{numbers[wrong[0]]:g}",
            wrong,
            f"give it another name if it is something else: df.rename(columns={{{name!r}: ...}})",
            column=name,
        )
    return numbers.astype(np.int64)
