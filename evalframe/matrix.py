"""The item x arm reduction: the mean over an item's seeds, for every item and arm at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalframe.keys import dense
from evalframe.runs import Runs

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ItemMeans:
    """One column reduced to units x arms.

    Attributes
    ----------
    mean : (U, A) float64
        Mean over the seeds of a unit by an arm; NaN where the arm has none.
    n_values : (U, A) int64
        Rows with a value.
    n_missing : (U, A) int64
        Rows without a value, whether left out or counted as zero.
    total : (U, A) float64
        Sum over the seeds; 0 where there is no value.
    """

    mean: Floats
    n_values: Ints
    n_missing: Ints
    total: Floats


@dataclass(frozen=True, slots=True)
class Cells:
    """The known entries of a (U, K) matrix as a list, each with its segment.

    Attributes
    ----------
    value : (m,) float64
        No NaN.
    segment : (m,) int64
        Group times K plus column.
    cluster : (m,) int64 or None
        Cluster within the segment; None where items are independent.
    known : (U, K) bool
        Which entries they are.
    grid : (U, K) int64
        The segment of every entry.
    n_segments : int
        Groups times K.
    """

    value: Floats
    segment: Ints
    cluster: Ints | None
    known: NDArray[np.bool_]
    grid: Ints
    n_segments: int

    def count(self, counts: Ints | NDArray[np.bool_]) -> Ints:
        """Return the (n_segments,) sums of a (U, K) matrix of counts."""
        total = np.bincount(self.grid.ravel(), counts.ravel(), minlength=self.n_segments)
        return total.astype(np.int64)


def reduce(runs: Runs, column: str, *, zero: bool = False) -> ItemMeans:
    """Reduce a column to the mean over seeds of each unit by each arm.

    Parameters
    ----------
    runs : Runs
    column : str
        One of ``runs.values``.
    zero : bool
        Whether a missing value counts as 0. Otherwise it is left out.

    Returns
    -------
    ItemMeans

    Notes
    -----
    The values of a unit are added one by one in the order of their seeds, so the mean does not
    depend on the order of rows. A reduced frame has these means already. Time O(n), memory
    O(n + U A).
    """
    key, values = runs.key, runs.values[column]
    n_cells = runs.n_units * len(runs.arms)
    if runs.counts is not None:
        return _as_counted(runs, column, zero)
    missing = np.isnan(values)
    n_missing = np.zeros(n_cells, dtype=np.int64)
    if missing.any():
        n_missing = np.bincount(key[missing] % n_cells, minlength=n_cells)
        key, values = key[~missing], values[~missing]
    total, n_values = _sum_by_seed(key, values, n_cells, runs.n_seeds)
    with np.errstate(invalid="ignore"):
        mean = total / (n_values + n_missing if zero else n_values)
    shape = (runs.n_units, len(runs.arms))
    return ItemMeans(
        mean.reshape(shape),
        n_values.reshape(shape),
        n_missing.reshape(shape),
        total.reshape(shape),
    )


def _as_counted(runs: Runs, column: str, zero: bool) -> ItemMeans:
    """Return the means of a reduced frame, which has a row a unit and arm."""
    shape = (runs.n_units, len(runs.arms))
    counts = (runs.counts or {})[column]
    mean, total = np.full(shape, np.nan), np.zeros(shape)
    n_values, n_missing = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    values = runs.values[column]
    if zero:
        n_all = counts.n_values + counts.n_missing
        with np.errstate(invalid="ignore"):
            values = np.where(counts.n_missing > 0, counts.total / n_all, values)
    mean[runs.unit, runs.arm], total[runs.unit, runs.arm] = values, counts.total
    n_values[runs.unit, runs.arm] = counts.n_values
    n_missing[runs.unit, runs.arm] = counts.n_missing
    return ItemMeans(mean, n_values, n_missing, total)


def _sum_by_seed(key: Ints, values: Floats, n_cells: int, n_seeds: int) -> tuple[Floats, Ints]:
    """Return the sum of each cell's values, added in the order of their seeds, and their number."""
    # numpy adds the rows of a grid one by one, but a single column in blocks of eight.
    if n_cells > 1 and dense(n_cells * n_seeds, len(values)):
        grid = np.zeros((n_seeds, n_cells))
        grid.ravel()[key] = values
        there = np.zeros((n_seeds, n_cells), dtype=np.bool_)
        there.ravel()[key] = True
        return grid.sum(axis=0), there.sum(axis=0, dtype=np.int64)
    order = np.argsort(key)
    cell = key[order] % n_cells
    total = np.bincount(cell, weights=values[order], minlength=n_cells).astype(np.float64)
    return total, np.bincount(cell, minlength=n_cells)


def cells(runs: Runs, matrix: Floats) -> Cells:
    """Return the known entries of a (U, K) matrix of item values."""
    n_columns = matrix.shape[1]
    known = ~np.isnan(matrix)
    grid = runs.unit_group[:, None] * n_columns + np.arange(n_columns)
    cluster = None
    if runs.unit_cluster is not None:
        cluster = (runs.unit_cluster[:, None] * n_columns + np.arange(n_columns))[known]
    n_segments = len(runs.by) * n_columns
    return Cells(matrix[known], grid[known], cluster, known, grid, n_segments)
