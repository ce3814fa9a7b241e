"""Shares of rows, their intervals, and whether the errors of a judge lean to one side."""

from dataclasses import dataclass

import numpy as np

from evalframe.stats import proportions
from evalframe.stats.mcnemar import exact_p
from evalframe.stats.means import student_quantile
from evalframe.stats.ratings import Bools, Errors, Ratings, linear_errors
from evalframe.stats.segments import Floats, Ints
from evalframe.stats.signflips import exact_flips

# Sums that are transformed at most, p that rounding leaves exact, and chances held at once.
_WIDEST, _LEAST, _HELD = 1000, 1e-9, 1 << 20


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of S segments, an entry a segment.

    Attributes
    ----------
    share : (S,) float64
        NaN where there is no row to take a share of.
    yes : (S,) float64
        The rows counted.
    errors : Errors
    """

    share: Floats
    yes: Floats
    errors: Errors


def share_of(ratings: Ratings, counted: Bools, of: Bools) -> Shares:
    """Return the share of the rows in cells `of` that are in cells `counted`, (T,) bool each."""
    yes, n = ratings.sum(counted & of), ratings.sum(of)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = yes / n
    influence = np.where(of, counted - share[ratings.segment], 0.0)
    return Shares(share, yes, linear_errors(influence, ratings, of))


def wilson_limits(shares: Shares, level: float) -> tuple[Floats, Floats]:
    r"""Wilson's interval of shares, with clusters on their effective number of rows.

    Returns
    -------
    low, high : (S,) float64
        NaN where there is no row, or one cluster.

    Notes
    -----
    The effective number is :math:`p (1 - p) / \mathrm{se}^2`; where nothing varies, it is the
    number of clusters. Where rows share clusters, a quantile of t stands for the normal one.
    """
    share, errors = shares.share, shares.errors
    clustered, se = errors.clustered, errors.se
    with np.errstate(invalid="ignore", divide="ignore"):
        effective = np.where(se == 0, errors.n_clusters, share * (1.0 - share) / se**2)
    n = np.where(clustered, effective, errors.n)
    normal = proportions.normal_quantile(level)
    quantile = np.where(clustered, student_quantile(level, errors.df), normal)
    return proportions.wilson(share, n, quantile)


def leaning_p(ratings: Ratings, above: Bools, below: Bools, shares: Shares) -> Floats:
    r"""Whether errors on the two sides are equally frequent: a two-sided p of each segment.

    Parameters
    ----------
    ratings : Ratings
    above, below : (T,) bool
        The cells of the errors on either side.
    shares : Shares
        Of the errors above among both.

    Returns
    -------
    (S,) float64
        McNemar's exact p where rows are independent; 1 without an error. With clusters the exact p
        of flipping the sign of each cluster's errors above less those below, which is McNemar's
        where each cluster has one error; normal, :math:`D / \sqrt{\sum_g D_g^2}`, where the
        patterns are too many to count. NaN where all errors are in one cluster of several.
    """
    high, low = ratings.sum(above), ratings.sum(below)
    p = exact_p(high, low)
    clustered = np.flatnonzero(shares.errors.clustered)
    if not len(clustered):
        return p
    sign = above[ratings.cell].astype(np.float64) - below[ratings.cell]
    lean = np.zeros(len(ratings.cluster_segment))
    lean += np.bincount(ratings.cluster, sign, len(lean))
    known = clustered[shares.errors.n_clusters[clustered] > 1]
    p[clustered] = np.nan
    p[known] = flips_by_segment(lean, ratings.cluster_segment, known)
    return p


def flips_by_segment(total: Floats, home: Ints, segments: Ints) -> Floats:
    r"""Exact sign-flip p of whole numbers, for many segments at once.

    Parameters
    ----------
    total : (G,) float64
        The difference of each cluster, a whole number.
    home : (G,) int64
        The segment of each cluster.
    segments : (K,) int64
        The segments to test, ascending.

    Returns
    -------
    (K,) float64
        As `exact_flips` of each.

    Notes
    -----
    The sum of :math:`\pm D_g` has the characteristic function :math:`\prod_g \cos(D_g t)`; a fast
    Fourier transform at M points turns it into the chances of whole sums below M/2. Its rounding is
    absolute, so that small p and wide sums are left to `exact_flips`.

    Examples
    --------
    >>> total = np.array([1.0, 1.0, 1.0, -1.0, 2.0, 1.0, 1.0])
    >>> flips_by_segment(total, np.array([0, 0, 0, 0, 1, 1, 1]), np.array([0, 1])).round(6)
    array([0.625, 0.25 ])
    """
    place = np.full(int(max(home.max(initial=0), segments.max(initial=0))) + 1, -1, dtype=np.int64)
    place[segments] = np.arange(len(segments))
    used = place[home] >= 0
    at, total = place[home[used]], total[used]
    wide = np.zeros(len(segments))
    np.add.at(wide, at, np.abs(total))
    observed = np.abs(np.bincount(at, total, minlength=len(segments)))
    p = np.zeros(len(segments))
    narrow = wide < _WIDEST
    # A segment's own number of points, so that its p does not depend on the others.
    points = np.ceil(np.log2(2.0 * np.minimum(wide, _WIDEST) + 2.0)).astype(np.int64)
    for power in np.unique(points[narrow]):
        chosen = np.flatnonzero(narrow & (points == power))
        inside = np.isin(at, chosen)
        codes = np.searchsorted(chosen, at[inside])
        p[chosen] = _by_transform(total[inside], codes, observed[chosen], 1 << int(power))
    order = np.argsort(at, kind="stable")
    for one in np.flatnonzero(p < _LEAST):
        start, stop = np.searchsorted(at[order], [one, one + 1])
        p[one] = exact_flips(total[order[start:stop]])
    return p


def _by_transform(total: Floats, at: Ints, observed: Floats, n_points: int) -> Floats:
    """Return p of segments whose sums are below half the number of points."""
    size, kind = np.unique(np.abs(total), return_inverse=True)
    copies = np.bincount(at * len(size) + kind.ravel(), minlength=len(observed) * len(size))
    copies = copies.reshape(len(observed), len(size))
    turn = np.cos(2.0 * np.pi / n_points * np.outer(np.arange(n_points // 2 + 1), size))
    sums = np.minimum(np.arange(n_points), n_points - np.arange(n_points))
    p, rows = np.empty(len(observed)), max(1, _HELD // n_points)
    for start in range(0, len(observed), rows):
        here = slice(start, start + rows)
        law = np.ones((len(observed[here]), len(turn)))
        for column in range(len(size)):
            law *= turn[:, column] ** copies[here, column, None]
        chance = np.fft.irfft(law, n_points, axis=1)
        p[here] = np.where(sums >= observed[here, None], chance, 0.0).sum(axis=1)
    return np.minimum(p, 1.0)
