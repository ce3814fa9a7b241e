r"""From distances to likeness: tails, group tails, the score, and their limits.

A tail is the share of an author's distances to himself that exceed the distance of two samples.
Metrics are averaged inside their group and groups multiplied up, so that a group weighs the same
however many metrics it has, and no group makes good for another.
"""

import numpy as np
import scipy

from evalframe.stats.segments import Floats, Ints
from evalframe.stats.wasserstein import Bools

# Distances closer than this, as a share of the metric's range, differ by rounding alone.
ROUNDING = 1e-12
# The logit scale ends here on either side.
_EDGE = 1e-3


def exceeding(own: Floats, found: Floats, range_: float, ties: str) -> Floats:
    """Count the self-distances that exceed each distance found.

    Parameters
    ----------
    own : (B,) float64
        Self-distances, sorted. No NaN.
    found : array of float64
        Distances to place among them; NaN gives NaN.
    range_ : float
        Range of the metric over all texts. Distances closer than 1e-12 of it count as equal,
        because rounding would decide between them.
    ties : {"strict", "mid"}
        Whether an equal self-distance counts as none or as half.

    Returns
    -------
    array of float64
        Counts out of B, in the shape of `found`.

    Examples
    --------
    >>> own = np.array([0.1, 0.2, 0.2, 0.4])
    >>> exceeding(own, np.array([0.2]), 1.0, "strict").tolist()
    [1.0]
    >>> exceeding(own, np.array([0.2]), 1.0, "mid").tolist()
    [2.0]
    """
    equal = ROUNDING * range_
    above = len(own) - np.searchsorted(own, found + equal, side="right").astype(np.float64)
    if ties == "mid":
        level = len(own) - np.searchsorted(own, found - equal, side="left")
        above = (above + level) / 2
    return np.where(np.isnan(found), np.nan, above)


def scopes(tails: Floats, group: Ints, n_groups: int, floor: float) -> Floats:
    r"""Combine the tails of metrics into group tails and the score.

    Parameters
    ----------
    tails : (k, M) float64
        k sets of tails. NaN is left out of its group, a group without any out of the score.
    group : (M,) int64
        Group of each metric, codes from 0 to G - 1.
    n_groups : int
        G.
    floor : float
        What a group's tail counts for at least.

    Returns
    -------
    (k, 1 + G + M) float64
        The score, the group tails, and the tails again.

    Notes
    -----
    With :math:`t_g` the mean tail of group g, the score is
    :math:`(\prod_g \max(t_g, \text{floor}))^{1/G}`.

    Examples
    --------
    >>> scopes(np.array([[0.2, 0.4, 0.0]]), np.array([0, 0, 1]), 2, 1e-3).round(4).tolist()
    [[0.0173, 0.3, 0.0, 0.2, 0.4, 0.0]]
    """
    groups = np.stack([_mean(tails[:, group == g]) for g in range(n_groups)], axis=1)
    score = np.exp(_mean(np.log(np.maximum(groups, floor))))
    return np.concatenate([score[:, None], groups, tails], axis=1)


def _mean(values: Floats) -> Floats:
    """Return the mean of each row, NaN left out."""
    known = ~np.isnan(values)
    total = np.where(known, values, 0.0).sum(axis=1)
    count = known.sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def logit_slopes(all_scopes: Floats, group: Ints, n_groups: int, floor: float) -> Floats:
    """How fast each logit rises with the tail of each metric.

    Parameters
    ----------
    all_scopes : (1 + G + M,) float64
        One row of `scopes`.
    group, n_groups, floor
        As in `scopes`.

    Returns
    -------
    (1 + G + M, M) float64
        0 where the logit is at an end of its scale or does not hear the metric.
    """
    score, groups, tails = np.split(all_scopes, [1, 1 + n_groups])
    known = ~np.isnan(tails)
    member = (group == np.arange(n_groups)[:, None]) & known
    share = member / np.maximum(member.sum(axis=1, keepdims=True), 1)
    heard = groups > floor
    n_heard = max(int((~np.isnan(groups)).sum()), 1)
    of_log = np.where(heard, 1.0 / np.where(heard, groups, 1.0), 0.0) / n_heard
    slopes = np.concatenate([score * (of_log @ share)[None, :], share, np.diag(known * 1.0)])
    inside = (all_scopes > _EDGE) & (all_scopes < 1 - _EDGE)
    at = np.where(inside, all_scopes, 0.5)
    rise: Floats = np.where(inside, 1 / (at * (1 - at)), 0.0)[:, None] * slopes
    return rise


def percentile_limits(replicates: Floats, level: float) -> tuple[Floats, Floats]:
    """Quantiles (1 -+ level)/2 of jackknife replicates, interpolated linearly.

    Parameters
    ----------
    replicates : (n, K) float64
        K quantities with each of n pairs left out.
    level : float
        Share of the replicates between the limits.

    Returns
    -------
    low, high : (K,) float64
        NaN where a replicate is NaN, or there is none.
    """
    if len(replicates) == 0:
        nothing = np.full(replicates.shape[1], np.nan)
        return nothing, nothing
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


def jackknife_se(replicates: Floats) -> Floats:
    r"""Jackknife standard error of the logit of each quantity.

    Parameters
    ----------
    replicates : (n, K) float64
        K quantities between 0 and 1 with each of n pairs left out.

    Returns
    -------
    (K,) float64
        NaN where replicates are NaN or all equal: they show no spread.

    Notes
    -----
    With :math:`\theta` the logit of a replicate clipped to [0.001, 0.999],

    .. math:: \mathrm{se}^2 = \frac{n-1}{n} \sum_i (\theta_{-i} - \bar\theta)^2 .

    Replicates are sorted first, so that the sum does not depend on the order of pairs.
    """
    n = len(replicates)
    theta = np.sort(scipy.special.logit(np.clip(replicates, _EDGE, 1 - _EDGE)), axis=0)
    if n < 2:
        return np.full(replicates.shape[1], np.nan)
    squares = ((theta - theta.mean(axis=0)) ** 2).sum(axis=0)
    return np.where(theta[-1] > theta[0], np.sqrt((n - 1) / n * squares), np.nan)


def logit_limits(estimate: Floats, se: Floats, level: float) -> tuple[Floats, Floats]:
    """Limits estimate -+ z se on the logit scale, brought back to 0 to 1.

    Parameters
    ----------
    estimate : (K,) float64
        Clipped to [0.001, 0.999] before its logit is taken.
    se : (K,) float64
        Standard error of the logit.
    level : float
        Confidence level.

    Returns
    -------
    low, high : (K,) float64
        NaN where `se` is.
    """
    theta = scipy.special.logit(np.clip(estimate, _EDGE, 1 - _EDGE))
    reach = scipy.special.ndtri((1 + level) / 2) * se
    return scipy.special.expit(theta - reach), scipy.special.expit(theta + reach)


def monte_carlo_variance(
    contributions: list[Floats], held: list[Bools], *, block: int = 1 << 20
) -> tuple[Floats, Floats]:
    r"""Variance that finitely many random subsets add to a jackknife, and to its estimate.

    An estimate averages over B random subsets of n pairs, and its replicate i over those of them
    without pair i. Replicates then differ by chance as well.

    Parameters
    ----------
    contributions : list of (B, K) float64
        What each subset adds to K estimates, as a deviation from their mean. One entry for each
        way of drawing subsets.
    held : list of (B, n) bool
        The pairs in each subset, for each way.
    block : int
        Entries held at once.

    Returns
    -------
    jackknife, estimate : (K,) float64
        Expected surplus of :math:`(n-1)/n \sum_i (\theta_{-i} - \bar\theta)^2`, and variance of
        the average itself.

    Notes
    -----
    To first order replicate i deviates by the mean over subsets b of
    :math:`h_{bi} = \sum_p g_{pb} (e_{pbi} - 1)`, with e the inverse share of subsets without i
    for those without it, 0 for the others. A mean's variance is that of its terms over B.
    """
    n_draws, n = held[0].shape
    inverse = [1 / np.maximum((~inside).mean(axis=0), 1 / n_draws) for inside in held]
    squares = np.zeros(contributions[0].shape[1])
    mean = np.zeros((n, contributions[0].shape[1]))
    rows = max(1, block // (len(held) * max(n, 1)))
    for start in range(0, n_draws, rows):
        part = slice(start, start + rows)
        left = [~i[part] * scale - 1.0 for i, scale in zip(held, inverse, strict=True)]
        for p, of_p in enumerate(contributions):
            mean += left[p].T @ of_p[part] / n_draws
            for q, of_q in enumerate(contributions):
                weight = np.einsum("bi,bi->b", left[p], left[q])
                squares += weight @ (of_p[part] * of_q[part])
    surplus = (squares / n_draws - (mean**2).sum(axis=0)) / max(n_draws - 1, 1)
    total = np.sum(contributions, axis=0)
    return (n - 1) / n * surplus, (total**2).mean(axis=0) / max(n_draws - 1, 1)


def debiased_variance(jackknife: Floats, one: Floats, other: Floats) -> Floats:
    r"""Take its upward bias out of a jackknife variance of an average over subsets.

    A jackknife counts what depends on k pairs at once k times, which shows where subsets hold a
    good part of all pairs.

    Parameters
    ----------
    jackknife : (K,) float64
        Jackknife variance of K averages over random subsets.
    one, other : (B, K) float64
        What B subsets, and as many that are disjoint from them, add to the averages: deviations
        from the mean.

    Returns
    -------
    (K,) float64
        Between a quarter of `jackknife` and all of it.

    Notes
    -----
    Disjoint subsets are independent over repeated studies, so that minus their covariance given
    these pairs is the variance of the mean that both share. That is unbiased and noisy: the
    difference d is taken out as far as it stands above its chance variance v, by
    :math:`d \, \max(0, 1 - v / d^2)`.
    """
    product = -one * other
    noise = product.var(axis=0) / len(product)
    bias = np.maximum(jackknife - product.mean(axis=0), 0.0)
    share = np.maximum(1 - noise / np.where(bias > 0, bias, np.inf) ** 2, 0.0)
    variance: Floats = np.maximum(jackknife - bias * share, jackknife / 4)
    return variance
