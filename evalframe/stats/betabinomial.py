"""The hierarchical beta-binomial: a mean over clusters of items that are right or wrong."""

from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import NDArray

from evalframe.stats.segments import Floats, Ints

# Points of the grid over the mean and over the ICC, both on the logit scale, and of the coarse one
# that finds where they matter. The posterior is smooth, and sums over an even grid of a smooth
# density that vanishes at both ends converge faster than any power of the step.
_MEANS, _ICCS = 129, 41
_COARSE = 13
# Where the density has fallen by this factor (on the log scale) the grid ends.
_DROP = 18.0
# The logit range that the search starts from.
_WIDEST_MEAN, _WIDEST_ICC = (-25.0, 25.0), (-16.0, 14.0)
_ZOOMS = 12
# Zooms that find the most likely mean given an ICC: each narrows its place sixfold.
_ROUNDS = 6
# Counts from this one on are few enough, or stand in for many: see `_tally`.
_SMOOTH = 12


def beta_binomial_limits(successes: Ints, size: Ints, level: float) -> tuple[float, float]:
    r"""Posterior interval of the mean success rate over clusters.

    Parameters
    ----------
    successes, size : (G,) int64
        Right items and items of each cluster.
    level : float
        Confidence level.

    Returns
    -------
    low, high : float
        Equal-tailed posterior limits, stretched to hold the share of all items. NaN without items.

    Notes
    -----
    A cluster's success rate is Beta with mean :math:`\mu` and ICC :math:`\rho`, that is with
    parameters :math:`\mu (1-\rho)/\rho` and :math:`(1-\mu)(1-\rho)/\rho`; both are uniform on
    (0, 1) a priori. The posterior is summed on a grid that is fitted to it. Its likelihood needs
    the clusters' distinct counts only, so that time grows with these and not with G. Over
    Gamma priors on the concentration :math:`1/\rho - 1` the uniform ICC has the advantage that
    independent items stay likely a priori: such a prior [1]_ covers 51% where it claims 95%
    (mean .95, clusters of 20 independent items).

    References
    ----------
    .. [1] Bowyer, Aitchison and Ivanova (2025), Position: don't use the CLT in LLM evals with
       fewer than a few hundred datapoints, arXiv:2503.01747.

    Examples
    --------
    >>> low, high = beta_binomial_limits(np.array([5, 4, 5, 2]), np.array([5, 5, 5, 5]), 0.95)
    >>> round(low, 2), round(high, 2)
    (0.42, 0.93)
    """
    n = int(size.sum())
    if n == 0:
        return np.nan, np.nan
    tallies = tuple(_tally(counts) for counts in (successes, size - successes, size))
    mean, icc = _support(tallies)
    means = np.linspace(*mean, _MEANS)
    density = _log_posterior(tallies, means[:, None], np.linspace(*icc, _ICCS))
    marginal = np.exp(density - density.max()).sum(axis=1)
    limits = scipy.special.expit(_quantiles(means, marginal, (1.0 - level) / 2.0))
    share = successes.sum() / n
    return float(min(limits[0], share)), float(max(limits[1], share))


Tally = tuple[Floats, Floats]


def _tally(counts: Ints) -> Tally:
    """Return the distinct counts above 0 and how often each occurs.

    log gamma(start + k) is so smooth in log k that its sum over many distinct k is the weighted
    sum over a few Chebyshev points, to rounding.
    """
    distinct, number = np.unique(counts[counts > 0], return_counts=True)
    values, times = distinct.astype(np.float64), number.astype(np.float64)
    many = values >= _SMOOTH
    if not many.any():
        return values, times
    low, high = np.log(values[many][[0, -1]])
    n_points = 12 + int(8 * (high - low))
    if n_points >= many.sum():
        return values, times
    angle = np.pi * (np.arange(n_points) + 0.5) / n_points
    middle, half = (high + low) / 2, (high - low) / 2
    # Weights of the interpolating polynomial: sums of Chebyshev polynomials, which are cosines.
    of_value = np.arccos(np.clip((np.log(values[many]) - middle) / half, -1.0, 1.0))
    moments = np.cos(np.outer(np.arange(n_points), of_value)) @ times[many]
    weights = 2 / n_points * np.cos(np.outer(angle, np.arange(n_points))) @ moments
    weights -= moments[0] / n_points
    points = np.exp(middle + half * np.cos(angle))
    return np.append(values[~many], points), np.append(times[~many], weights)


Range = tuple[float, float]


def _support(tallies: tuple[Tally, ...]) -> tuple[Range, Range]:
    """Find the ranges of logit mean and logit ICC outside which the posterior is negligible."""

    def over_means(icc: Floats) -> Floats:
        return _highest_over_means(tallies, icc)

    icc = _zoomed(over_means, _WIDEST_ICC)
    grid = np.linspace(*icc, _COARSE)

    def over_iccs(mean: Floats) -> Floats:
        return np.asarray(_log_posterior(tallies, mean[:, None], grid).max(axis=1))

    return _zoomed(over_iccs, _WIDEST_MEAN), icc


def _zoomed(height: Callable[[Floats], Floats], widest: Range) -> Range:
    """Narrow a range to where a log density is not negligible.

    The density has one peak. Where that lies between grid points the highest of these is lower,
    and the range found too wide, never too narrow.
    """
    found = widest
    for _ in range(_ZOOMS):
        grid = np.linspace(*found, _COARSE)
        values = height(grid)
        before, found = found, _around(grid, values > values.max() - _DROP)
        # What fills most of the grid needs no closer look.
        if found[1] - found[0] > 0.8 * (before[1] - before[0]):
            break
    return found


def _highest_over_means(tallies: tuple[Tally, ...], icc: Floats) -> Floats:
    """Return the log density at the most likely mean of each ICC."""
    low = np.full(len(icc), _WIDEST_MEAN[0])
    step = np.full(len(icc), (_WIDEST_MEAN[1] - _WIDEST_MEAN[0]) / (_COARSE - 1))
    places = np.arange(_COARSE)[:, None]
    for _ in range(_ROUNDS):
        values = _log_posterior(tallies, low + step * places, icc)
        best = values.argmax(axis=0)
        # The peak lies within a step of the highest point.
        low = low + step * (best - 1)
        step = 2 * step / (_COARSE - 1)
    return np.asarray(values.max(axis=0))


def _around(axis: Floats, there: NDArray[np.bool_]) -> Range:
    """Return the ends of the marked part of an axis, a step beyond it on both sides."""
    places = np.flatnonzero(there)
    return float(axis[max(places[0] - 1, 0)]), float(axis[min(places[-1] + 1, len(axis) - 1)])


def _log_posterior(tallies: tuple[Tally, ...], mean: Floats, icc: Floats) -> Floats:
    """Return the log density of logit mean and logit ICC, up to a constant; they broadcast."""
    # (1 - rho) / rho is exp(-logit rho).
    total = np.exp(-icc)
    right, wrong, size = tallies
    right_rate, wrong_rate = scipy.special.expit(mean), scipy.special.expit(-mean)
    density: Floats = _rising(right_rate * total, right) + _rising(wrong_rate * total, wrong)
    density -= _rising(total, size)
    # Uniform densities of mean and ICC on their logit scales.
    density += np.log(right_rate) + np.log(wrong_rate)
    density += scipy.special.log_expit(icc) + scipy.special.log_expit(-icc)
    return density


def _rising(start: Floats, tally: Tally) -> Floats:
    """Return the sum over counts k of log(start (start + 1) ... (start + k - 1))."""
    counts, times = tally
    total: Floats = -times.sum() * scipy.special.gammaln(start)
    for count, often in zip(counts.tolist(), times.tolist(), strict=True):
        total += often * scipy.special.gammaln(start + count)
    return total


def _quantiles(axis: Floats, density: Floats, tail: float) -> Floats:
    """Return the two equal-tailed quantiles of a density given on an even grid."""
    step = axis[1] - axis[0]
    # The log density is nearly a parabola, of which the differences are exact.
    slope = density * np.gradient(np.log(density), step, edge_order=2)
    # The trapezoid rule with its first correction: exact for cubics on each step.
    parts = step * (density[1:] + density[:-1]) / 2 - step**2 * np.diff(slope) / 12
    below = np.append(0.0, np.cumsum(parts))
    found = []
    for wanted in (tail * below[-1], (1.0 - tail) * below[-1]):
        place = int(np.clip(np.searchsorted(below, wanted) - 1, 0, len(parts) - 1))
        found.append(axis[place] + step * _inverse(below, density * step, place, wanted))
    return np.array(found)


def _inverse(below: Floats, rise: Floats, place: int, wanted: float) -> float:
    """Return where between two grid points the cumulative density reaches a value, 0 to 1."""
    left, right = 0.0, 1.0
    low, high = below[place], below[place + 1]
    for _ in range(50):
        t = (left + right) / 2
        # The cubic with the values and slopes of both ends.
        value = (
            low * (1 + 2 * t) * (1 - t) ** 2
            + high * t**2 * (3 - 2 * t)
            + rise[place] * t * (1 - t) ** 2
            - rise[place + 1] * t**2 * (1 - t)
        )
        left, right = (t, right) if value < wanted else (left, t)
    return (left + right) / 2
