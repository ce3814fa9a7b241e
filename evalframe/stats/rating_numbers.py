"""How far two numbers a row are apart, and how they go together."""

import numpy as np

from evalframe.stats.ratings import Ratings
from evalframe.stats.segments import ROUNDING, Floats, Ints

# By definition: 95% of differences of a normal law lie within.
_LIMITS = 1.96
# Correlations this close to 1 differ from it by rounding alone.
_ROUNDING = 1e-14


def mean_difference(ratings: Ratings) -> tuple[Floats, Floats]:
    """Return the mean of judge minus gold of each segment, and its influence function."""
    judge, gold = ratings.scores
    return _mean(ratings, judge - gold, np.maximum(np.abs(judge), np.abs(gold)))


def _mean(ratings: Ratings, values: Floats, scale: Floats) -> tuple[Floats, Floats]:
    """Return means and deviations; a spread within rounding of the ratings' size is none."""
    low, high, size = np.full((3, ratings.n_segments), np.nan)
    for end, pick, of in ((low, np.fmin, values), (high, np.fmax, values), (size, np.fmax, scale)):
        pick.at(end, ratings.segment, of)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.clip(ratings.sum(values) / ratings.n, low, high)
    tiny = ROUNDING * size
    constant = high - low <= tiny
    mean[constant & (np.abs(mean) <= tiny)] = 0.0
    return mean, np.where(constant[ratings.segment], 0.0, values - mean[ratings.segment])


def limits_of_agreement(ratings: Ratings, side: float) -> tuple[Floats, Floats]:
    r"""Lower (side -1) or upper (side 1) limit of agreement, and its influence function.

    Returns
    -------
    limit : (S,) float64
        NaN where there is one row.
    influence : (T,) float64

    Notes
    -----
    :math:`\bar d \pm 1.96 s` with d = judge - gold and s their standard deviation [1]_: where 95%
    of the differences lie, if they are normal.

    References
    ----------
    .. [1] Bland and Altman (1986), Statistical methods for assessing agreement between two methods
       of clinical measurement, The Lancet 327, 307-310.
    """
    mean, spread = mean_difference(ratings)
    n = ratings.n
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = ratings.sum(spread**2) / np.where(n > 1, n - 1.0, np.nan)
        deviation = np.sqrt(variance)
        at = ratings.segment
        curved = (spread**2 - (variance * (n - 1.0) / n)[at]) / np.where(
            deviation > 0, 2.0 * deviation, 1.0
        )[at]
    return mean + side * _LIMITS * deviation, spread + side * _LIMITS * curved


def pearson(ratings: Ratings) -> tuple[Floats, Floats]:
    r"""Product-moment correlation of each segment, and its influence function.

    Returns
    -------
    r : (S,) float64
        NaN where one rater's ratings are all alike.
    influence : (T,) float64
        :math:`z_x z_y - r (z_x^2 + z_y^2) / 2`, z being standardised ratings.
    """
    return _correlation(ratings, *ratings.scores)


def _correlation(ratings: Ratings, first: Floats, second: Floats) -> tuple[Floats, Floats]:
    n, at = ratings.n, ratings.segment
    z = []
    with np.errstate(invalid="ignore", divide="ignore"):
        for values in (first, second):
            _, spread = _mean(ratings, values, np.abs(values))
            variance = ratings.sum(spread**2) / n
            z.append(spread / np.sqrt(np.where(variance > 0, variance, np.nan))[at])
        # Equal ratings have a correlation of exactly 1.
        r = 1.0 - ratings.sum((z[0] - z[1]) ** 2) / (2.0 * n)
        opposite = ratings.sum((z[0] + z[1]) ** 2) / (2.0 * n) - 1.0
        r = np.where(r < 0, opposite, r)
        certain = np.abs(r) > 1.0 - _ROUNDING
    r = np.where(certain, np.sign(r), r)
    influence = z[0] * z[1] - r[at] * (z[0] ** 2 + z[1] ** 2) / 2.0
    return r, np.where(certain[at], 0.0, influence)


def spearman(ratings: Ratings) -> tuple[Floats, Floats]:
    r"""Rank correlation of each segment, equal ratings sharing their mean rank, and its influence.

    Returns
    -------
    rho : (S,) float64
        NaN where one rater's ratings are all alike.
    influence : (T,) float64
        It counts that each row moves the ranks of the others.

    Notes
    -----
    With F(x) the share of ratings below x plus half of those at x, and G likewise, rho is the
    correlation of F(X) and G(Y). With h(x, X) being 1, 1/2 or 0 where X is above, at or below x,
    the influence of a row (x, y) on :math:`E[F(X) G(Y)]` is

    .. math:: F(x) G(y) + E[h(x, X) G(Y)] + E[F(X) h(y, Y)] - 3 E[F(X) G(Y)] .
    """
    levels, at, n = ratings.levels, ratings.segment, ratings.n
    sides = (ratings.judge, ratings.gold)
    # Counts and their sums are whole or half numbers, so that sums over segments are exact.
    rank = [levels.midrank(ratings.at(side))[side] for side in sides]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = [one / n[at] for one in rank]
        rho, _ = _correlation(ratings, *share)
        above = {
            (i, j): _above(ratings, sides[i], rank[j]) / n[at] ** 2 for i in (0, 1) for j in (0, 1)
        }
        variance = [ratings.sum((one - 0.5) ** 2) / n for one in share]
        centred = (share[0] - 0.5) * (share[1] - 0.5)
        joint = centred + above[0, 1] + above[1, 0] + share[0] / 2.0 + share[1] / 2.0
        influence = joint / np.sqrt(variance[0] * variance[1])[at]
        for i in (0, 1):
            own = (share[i] - 0.5) ** 2 + 2.0 * above[i, i] + share[i]
            influence -= rho[at] * own / (2.0 * variance[i][at])
        # What is left out above is the same for every row.
        influence -= (ratings.sum(influence) / n)[at]
    influence = np.where(np.abs(rho)[at] == 1, 0.0, influence)
    return rho, np.where(np.isnan(rho)[at], np.nan, influence)


def _above(ratings: Ratings, side: Ints, rank: Floats) -> Floats:
    """Add up the ranks of the rows above each rating, and half of those at it."""
    at_level = np.bincount(side, ratings.count * rank, len(ratings.levels.value))
    total = ratings.levels.sum(at_level)[ratings.levels.segment]
    upto = np.cumsum(at_level)
    before = np.append(upto - at_level, 0.0)[ratings.levels.start[ratings.levels.segment]]
    above: Floats = total - (upto - before) + at_level / 2.0
    return above[side]
