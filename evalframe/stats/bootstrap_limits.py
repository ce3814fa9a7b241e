"""Confidence limits from resamples: percentile, basic, BCa and studentized."""

import numpy as np
import scipy

from evalframe.stats.segments import Floats, Ints

Limits = tuple[float, float]
UNKNOWN: Limits = (np.nan, np.nan)


def percentile(replicates: Floats, level: float) -> Limits:
    """Return quantiles (1 - level) / 2 and (1 + level) / 2 of the resamples.

    Parameters
    ----------
    replicates : (B,) float64
        The statistic of each resample. No NaN. Reordered in place.
    level : float
        Confidence level.

    References
    ----------
    .. [1] Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 13.3.
    """
    return _quantiles(replicates, (1 - level) / 2, (1 + level) / 2)


def basic(replicates: Floats, estimate: float, level: float) -> Limits:
    """Return the percentile limits mirrored at the estimate.

    References
    ----------
    .. [1] Davison and Hinkley (1997), Bootstrap Methods and their Application, section 5.2.1.
    """
    low, high = percentile(replicates, level)
    return 2 * estimate - high, 2 * estimate - low


def bca(
    replicates: Floats,
    estimate: float,
    without: Floats,
    copies: Ints,
    level: float,
    *,
    near: float = 0.0,
) -> Limits:
    r"""Return bias-corrected and accelerated limits; NaN where they are not defined.

    Parameters
    ----------
    replicates : (B,) float64
        No NaN. Reordered in place.
    estimate : float
    without : (D,) float64
        The statistic without each different unit.
    copies : (D,) int64
        How many units are alike.
    level : float
    near : float
        Values of the statistic this close to each other differ by rounding alone: they are equal.

    Notes
    -----
    :math:`\hat z_0` counts resamples equal to the estimate as half below it, and the acceleration
    is :math:`\sum d_i^3 / (6 (\sum d_i^2)^{3/2})` with :math:`d_i` the mean of the jackknife
    values minus the i-th [1]_.

    References
    ----------
    .. [1] Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 14.3.
    """
    below = (np.mean(replicates < estimate - near) + np.mean(replicates <= estimate + near)) / 2
    bias = float(scipy.special.ndtri(below))
    moved = (without * copies).sum() / copies.sum() - without
    moved[np.abs(moved) <= near] = 0.0
    size = np.abs(moved).max()
    moved = moved / size if size > 0 else moved
    squares = (copies * moved**2).sum()
    acceleration = float((copies * moved**3).sum() / (6 * squares**1.5)) if squares > 0 else 0.0
    z = bias + scipy.special.ndtri(np.array([1 - level, 1 + level]) / 2)
    if not np.isfinite([*z, acceleration]).all() or (acceleration * z >= 1).any():
        return UNKNOWN
    low, high = scipy.special.ndtr(bias + z / (1 - acceleration * z))
    return _quantiles(replicates, float(low), float(high))


def studentized(
    replicates: Floats,
    errors: Floats,
    estimate: float,
    error: float,
    level: float,
    *,
    near: float = 0.0,
) -> Limits:
    """Return the limits of the bootstrap-t; NaN where too many resamples have no spread.

    Parameters
    ----------
    replicates, errors : (B,) float64
        The statistic of each resample and its standard error. No NaN.
    estimate, error : float
        Those of the sample.
    level : float
    near : float
        As in `bca`.

    References
    ----------
    .. [1] Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 12.5.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = replicates - estimate
        apart[np.abs(apart) <= near] = 0.0
        t = apart / errors
    # A resample of one unit n times has no spread: its t is infinite, or 0/0, which says nothing.
    t = t[~np.isnan(t)]
    if len(t) == 0:
        return UNKNOWN
    t.sort()
    places = np.array([(1 - level) / 2, (1 + level) / 2]) * (len(t) - 1)
    if not np.isfinite(t[[int(np.floor(places[0])), int(np.ceil(places[1]))]]).all():
        return UNKNOWN
    finite = np.clip(t, *_finite_ends(t))
    low, high = np.quantile(finite, [(1 - level) / 2, (1 + level) / 2])
    return float(estimate - high * error), float(estimate - low * error)


def _finite_ends(t: Floats) -> Limits:
    finite = t[np.isfinite(t)]
    return float(finite[0]), float(finite[-1])


def _quantiles(replicates: Floats, low: float, high: float) -> Limits:
    found = np.quantile(replicates, [low, high], overwrite_input=True)
    return float(found[0]), float(found[1])
