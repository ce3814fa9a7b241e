"""Agreement of any number of raters, some ratings missing: Krippendorff's alpha."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evalframe.stats.clusters import ClusterSums, robust_errors
from evalframe.stats.levels import Levels, between, levels_of
from evalframe.stats.ratings import Bools
from evalframe.stats.segments import Floats, Ints, totals

# Scale of the ratings, and how far two of them are apart on it. Ordinal ratings are as far apart as
# their ranks.
SCALES = {"nominal": "nominal", "ordinal": "squared", "interval": "squared", "ratio": "ratio"}


@dataclass(frozen=True, slots=True)
class Alphas:
    """Krippendorff's alpha of S segments, an entry a segment.

    Attributes
    ----------
    alpha : (S,) float64
        NaN where no row has two ratings, or all of them are alike.
    se, df : (S,) float64
        Linearised standard error (CR2) and Satterthwaite's degrees of freedom; NaN with fewer than
        two clusters.
    n_ratings : (S,) int64
        Ratings of rows with two or more.
    n_clusters : (S,) int64
        Clusters (or rows, where these are independent) with such a row.
    clustered : (S,) bool
        Whether some cluster has several such rows.
    n_levels : (S,) int64
        Different ratings.
    """

    alpha: Floats
    se: Floats
    df: Floats
    n_ratings: Ints
    n_clusters: Ints
    clustered: Bools
    n_levels: Ints


@dataclass(frozen=True, slots=True)
class _Grid:
    """Rows with two ratings or more: the level of each, -1 where it is missing."""

    levels: Levels
    level: Ints
    segment: Ints
    n_rated: Ints

    def pairs(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Go through the pairs of raters: rows that both rated, and their two levels."""
        for one, other in combinations(range(self.level.shape[1]), 2):
            rows = np.flatnonzero((self.level[:, one] >= 0) & (self.level[:, other] >= 0))
            yield rows, self.level[rows, one], self.level[rows, other]

    def of_ratings(self, number: Floats) -> Floats:
        """Add up a number a level over the ratings of each row."""
        total = np.zeros(len(self.level))
        for rater in self.level.T:
            total += np.where(rater >= 0, number[rater], 0.0)
        return total


def krippendorff_alpha(
    ratings: Floats, segment: Ints, cluster: Ints, n_segments: int, scale: str
) -> Alphas:
    r"""Krippendorff's alpha of each segment, with a standard error over clusters.

    Parameters
    ----------
    ratings : (n, R) float64
        A row's rating by each rater, NaN where missing; labels are numbered. For "ratio" none is
        negative.
    segment, cluster : (n,) int64
        The segment and the cluster (sampling unit) of each row; a cluster lies in one segment.
    n_segments : int
    scale : {"nominal", "ordinal", "interval", "ratio"}

    Returns
    -------
    Alphas

    Notes
    -----
    With :math:`m_u \ge 2` ratings of row u, :math:`n = \sum_u m_u`, :math:`n_c` of them at level c
    and d the squared distance on the scale [1]_,

    .. math:: \alpha = 1 - (n - 1) \frac{A}{B}, \qquad
        A = \sum_u \sum_{i \ne j \in u} \frac{d_{ij}}{m_u - 1}, \qquad
        B = \sum_{c,k} n_c n_k d_{ck} .

    On an ordinal scale d is the squared distance of mean ranks. The error is an infinitesimal
    jackknife: the derivative of alpha to the weight of each row, through its disagreement, its
    margins and (ordinal) the ranks that it moves, summed over clusters. Raters are fixed.

    References
    ----------
    .. [1] Krippendorff (2011), Computing Krippendorff's alpha-reliability, University of
       Pennsylvania, repository.upenn.edu/asc_papers/43.

    Examples
    --------
    >>> ratings = np.array([[1.0, 1, np.nan], [2, 2, 3], [3, 3, 3], [np.nan, 1, 1]])
    >>> rows = np.arange(4)
    >>> krippendorff_alpha(ratings, np.zeros(4, dtype=int), rows, 1, "nominal").alpha.round(4)
    array([0.7188])
    """
    if scale not in SCALES:
        raise ValueError(f"scale must be one of {', '.join(map(repr, SCALES))}, not {scale!r}")
    rated = (~np.isnan(ratings)).sum(axis=1)
    rows = np.flatnonzero(rated > 1)
    grid = _grid(ratings[rows], segment[rows], rated[rows], n_segments)
    count = np.bincount(grid.level[grid.level >= 0], minlength=len(grid.levels.value))
    if scale == "ordinal":
        ranks = grid.levels.midrank(count)
        levels = Levels(ranks, grid.levels.segment, n_segments)
        grid = _Grid(levels, grid.level, grid.segment, grid.n_rated)
    distance, at = SCALES[scale], grid.segment
    apart = grid.levels.mean_distance(count, distance)
    within, signed = _disagreement(grid, distance, scale == "ordinal")
    n = grid.levels.sum(count)
    total = totals(within, at, n_segments)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = grid.levels.sum(count * apart)
        expected = np.where(expected > 0, expected, np.nan)
        ratio = total / expected
        # What the weight of a row changes of A and of B, to first order.
        more, margin = within, 2.0 * grid.of_ratings(apart)
        if scale == "ordinal":
            more = more + _moved(grid, signed)
            centre = n[grid.levels.segment] * (ranks - (n / 2.0)[grid.levels.segment])
            margin = margin + _moved(grid, count * centre)
        change = -(grid.n_rated * ratio[at] + ((n - 1.0) / expected)[at] * more)
        change += ((n - 1.0) * ratio / expected)[at] * margin
    se, df, n_clusters, clustered = _errors(change, at, cluster[rows], n_segments)
    alpha = 1.0 - (n - 1.0) * ratio
    se = np.where(np.isnan(alpha), np.nan, se)
    sizes = n.astype(np.int64), n_clusters, clustered, grid.levels.size
    return Alphas(alpha, se, df, *sizes)


def _grid(ratings: Floats, segment: Ints, rated: Ints, n_segments: int) -> _Grid:
    """Find the levels of ratings that have another beside them."""
    there = ~np.isnan(ratings)
    home = np.broadcast_to(segment[:, None], ratings.shape)[there]
    levels, found = levels_of(ratings[there], home, n_segments)
    level = np.full(ratings.shape, -1, dtype=np.int64)
    level[there] = found
    return _Grid(levels, level, segment, rated)


def _disagreement(grid: _Grid, distance: str, signed: bool) -> tuple[Floats, Floats]:
    """Return A by row, and by level the signed differences of ranks that A is made of."""
    within, lean = np.zeros(len(grid.level)), np.zeros(len(grid.levels.value))
    value = grid.levels.value
    for rows, one, other in grid.pairs():
        weight = 1.0 / (grid.n_rated[rows] - 1.0)
        within[rows] += 2.0 * weight * between(value[one], value[other], distance)
        if signed:
            gap = weight * (value[one] - value[other])
            lean += _level_sum(gap, one, len(lean)) - _level_sum(gap, other, len(lean))
    return within, lean


def _level_sum(numbers: Floats, level: Ints, n_levels: int) -> Floats:
    """Add up numbers by level, in an order that is theirs alone."""
    order = np.argsort(numbers, kind="stable")
    return np.bincount(level[order], numbers[order], minlength=n_levels).astype(np.float64)


def _moved(grid: _Grid, pull: Floats) -> Floats:
    """Return by row four times the sum over its ratings of the pull on the ranks they move.

    A rating moves the rank of its own level by a half and those of higher levels by one.
    """
    levels, above = grid.levels, np.zeros(len(pull))
    # A sum over all segments at once would round one by what stands before it.
    for start, size in zip(levels.start.tolist(), levels.size.tolist(), strict=True):
        higher = np.cumsum(pull[start : start + size][::-1])[::-1][1:]
        above[start : start + len(higher)] = higher
    return 4.0 * grid.of_ratings(pull / 2.0 + above)


def _errors(
    change: Floats, segment: Ints, cluster: Ints, n_segments: int
) -> tuple[Floats, Floats, Ints, Bools]:
    """Return errors and their df, numbers of clusters, and whether some cluster has several."""
    n = np.bincount(segment, minlength=n_segments)
    # To first order the changes add up to 0; what is left is of the order of 1 / n.
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = totals(np.nan_to_num(change), segment, n_segments) / n
    residual = np.nan_to_num(change - mean[segment]) * n[segment]
    _, code = np.unique(cluster, return_inverse=True)
    code = code.ravel()
    size = np.bincount(code)
    home = np.zeros(len(size), dtype=np.int64)
    home[code] = segment
    sums = ClusterSums(totals(residual, code, len(size)), size, home)
    errors = robust_errors(sums, n_segments)
    n_clusters = np.bincount(home, minlength=n_segments)
    return errors.cr2, errors.df, n_clusters, n_clusters < n
