"""Two ratings a row, counted by pair of ratings, and the errors of what is computed from them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalframe.stats.clusters import ClusterSums, robust_errors
from evalframe.stats.levels import Levels, levels_of
from evalframe.stats.segments import ROUNDING, Floats, Ints

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Ratings:
    """Rows with a rating by a judge and a gold one, in S segments.

    Rows are sorted by cell, so that sums over the rows of a cluster are made in one order.

    Attributes
    ----------
    levels : Levels
        The different ratings of each segment, by either.
    judge, gold : (T,) int64
        The levels of each cell: a pair of ratings that occurs in a segment.
    count : (T,) int64
        Rows of the cell.
    segment : (T,) int64
    cell : (n,) int64
        The cell of each row, ascending.
    cluster, item : (n,) int64
        The cluster (the sampling unit) and the item of each row.
    cluster_segment, item_segment : int64 arrays
        The segment of each cluster and of each item.
    """

    levels: Levels
    judge: Ints
    gold: Ints
    count: Ints
    segment: Ints
    cell: Ints
    cluster: Ints
    item: Ints
    cluster_segment: Ints
    item_segment: Ints

    @property
    def n_segments(self) -> int:
        """Return S."""
        return self.levels.n_segments

    @property
    def scores(self) -> tuple[Floats, Floats]:
        """The judge's and the gold rating of each cell."""
        return self.levels.value[self.judge], self.levels.value[self.gold]

    @property
    def n(self) -> Floats:
        """Return the (S,) numbers of rows."""
        return self.sum(np.ones(len(self.count), dtype=bool))

    def sum(self, numbers: Floats | Ints | Bools) -> Floats:
        """Add up a number a row, given by cell, over each segment."""
        return np.bincount(self.segment, self.count * numbers, self.n_segments).astype(np.float64)

    def at(self, level: Ints) -> Ints:
        """Return the (K,) rows at each level, of `judge` or of `gold`."""
        counted = np.bincount(level, self.count, len(self.levels.value))
        return counted.astype(np.int64)

    def n_items(self, of: Bools) -> Ints:
        """Count the items that have a row in the cells named."""
        there = np.bincount(self.item[of[self.cell]], minlength=len(self.item_segment)) > 0
        return np.bincount(self.item_segment[there], minlength=self.n_segments)


def collect(judge: Floats, gold: Floats, item: Ints, cluster: Ints, home: Ints, n: int) -> Ratings:
    """Count rows by pair of ratings.

    Parameters
    ----------
    judge, gold : (n,) float64
        The ratings of each row; labels are numbered. No NaN.
    item, cluster : (n,) int64
        Codes from 0; a cluster lies in one segment.
    home : (n,) int64
        The segment of each row.
    n : int
        S, the number of segments.
    """
    levels, level = levels_of(np.concatenate([judge, gold]), np.tile(home, 2), n)
    width = max(len(levels.value), 1)
    pair = level[: len(judge)] * width + level[len(judge) :]
    used, cell, count = np.unique(pair, return_inverse=True, return_counts=True)
    order = np.argsort(cell.ravel(), kind="stable")
    first, second = np.divmod(used, width)
    return Ratings(
        *(levels, first, second, count, levels.segment[first], cell.ravel()[order]),
        *(cluster[order], item[order], _home(cluster, home), _home(item, home)),
    )


def _home(code: Ints, segment: Ints) -> Ints:
    """Return the segment of each code."""
    found = np.zeros(int(code.max()) + 1 if len(code) else 0, dtype=np.int64)
    found[code] = segment
    return found


@dataclass(frozen=True, slots=True)
class Errors:
    """Standard errors of S estimates, an entry a segment.

    Attributes
    ----------
    se : (S,) float64
        With the divisor n where rows are independent, CR2 where they are not; NaN where fewer than
        two clusters (or rows) show no spread.
    df : (S,) float64
        Satterthwaite's degrees of freedom; of independent rows n - 1.
    n, n_clusters : (S,) int64
        Rows, and clusters among them.
    clustered : (S,) bool
        Whether some cluster has several rows.
    """

    se: Floats
    df: Floats
    n: Ints
    n_clusters: Ints
    clustered: Bools

    @property
    def sample_se(self) -> Floats:
        """The error with the divisor n - 1 where rows are independent, as a mean has it."""
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = np.sqrt(self.n / (self.n - 1.0))
        return np.where(self.clustered, self.se, self.se * factor)


def linear_errors(influence: Floats, ratings: Ratings, of: Bools | None = None) -> Errors:
    r"""Errors of estimates that are, to first order, means of a number a row.

    Parameters
    ----------
    influence : (T,) float64
        What a row of each cell adds to the estimate, to first order and times n: the influence
        function at the row. Its mean over the rows of a segment is 0.
    ratings : Ratings
    of : (T,) bool, optional
        The cells that the estimate is made of. None: all.

    Returns
    -------
    Errors

    Notes
    -----
    With :math:`\psi_i` the influence of row i, independent rows have
    :math:`\mathrm{se}^2 = n^{-2} \sum_i \psi_i^2`, the delta method [1]_. With clusters the sums of
    :math:`\psi_i` over each take the place of the residuals of a mean, as in `robust_errors`.

    References
    ----------
    .. [1] van der Vaart (1998), Asymptotic Statistics, chapters 3 and 20.
    """
    of = np.ones(len(ratings.count), dtype=bool) if of is None else of
    rows = of[ratings.cell]
    cluster, n = ratings.cluster[rows], ratings.sum(of).astype(np.int64)
    n_codes = len(ratings.cluster_segment)
    size = np.bincount(cluster, minlength=n_codes)
    used = size > 0
    home = ratings.cluster_segment[used]
    n_clusters = np.bincount(home, minlength=ratings.n_segments)
    clustered = n_clusters < n
    with np.errstate(invalid="ignore", divide="ignore"):
        plain = np.sqrt(ratings.sum(np.where(of, influence, 0.0) ** 2)) / np.where(n > 1, n, np.nan)
    df = np.where(n > 1, n - 1.0, np.nan)
    if clustered.any():
        total = np.zeros(n_codes)
        total += np.bincount(cluster, influence[ratings.cell[rows]], minlength=n_codes)
        largest = np.zeros(ratings.n_segments)
        np.maximum.at(largest, ratings.segment[of], np.abs(influence[of]))
        total, size = total[used], size[used]
        # Sums within rounding of 0 are 0: clusters that all agree show no spread.
        total[np.abs(total) <= ROUNDING * size * largest[home]] = 0.0
        robust = robust_errors(ClusterSums(total, size, home), ratings.n_segments)
        plain, df = np.where(clustered, robust.cr2, plain), np.where(clustered, robust.df, df)
    return Errors(plain, df, n, n_clusters, clustered)
