"""Confidence intervals of the difference of two shares on the same items."""

import numpy as np
from numpy.typing import ArrayLike

from evalframe.stats.proportions import wilson
from evalframe.stats.segments import Floats

# Halvings of an interval of length 1 until it is shorter than the rounding of its ends.
_HALVINGS = 56


def tango(
    arm_only: ArrayLike, baseline_only: ArrayLike, n: ArrayLike, quantile: ArrayLike
) -> tuple[Floats, Floats]:
    r"""Score interval of Tango for a difference of paired shares.

    Parameters
    ----------
    arm_only, baseline_only : array_like
        Items that one arm alone gets right: the difference is arm_only - baseline_only over n.
    n : array_like
        Items. Counts may be fractions: with clusters all three are divided by the design effect.
    quantile : array_like
        Two-sided quantile: of the normal, or of t with clusters. All broadcast.

    Returns
    -------
    low, high : float64 arrays
        -1 <= low <= difference <= high <= 1. NaN where an argument is, or where `n` is 0.

    Notes
    -----
    With b and c the counts, the differences d for which

    .. math:: \frac{|b - c - n d|}{\sqrt{n (2 q + d (1 - d))}} \le z ,

    where q is the share of the second kind that is most likely given d [1]_: the larger root of
    :math:`2 n q^2 + B q + C`, :math:`B = (2n - b + c) d - b - c`, :math:`C = -c d (1 - d)`. It is
    a real interval without any discordant item too. Solved by halving, 56 steps.

    References
    ----------
    .. [1] Tango (1998), Equivalence test and confidence interval for the difference in proportions
       for the paired-sample design, Statistics in Medicine 17, 891-908.

    Examples
    --------
    >>> low, high = tango(1, 7, 21, 1.959963984540054)
    >>> round(float(low), 3), round(float(high), 3)
    (-0.517, -0.026)
    """
    b, c, n, z = _arrays(arm_only, baseline_only, n, quantile)
    # The mirrored table has the mirrored interval, digit for digit.
    return -_tango_high(c, b, n, z), _tango_high(b, c, n, z)


def _tango_high(b: Floats, c: Floats, n: Floats, z: Floats) -> Floats:
    """Return the largest difference that the score test does not refuse."""
    diff = (b - c) / n
    left, right = diff.copy(), np.ones_like(diff)
    for _ in range(_HALVINGS):
        middle = (left + right) / 2.0
        inside = n * middle - (b - c) <= z * np.sqrt(_score_variance(b, c, n, middle))
        left, right = np.where(inside, middle, left), np.where(inside, right, middle)
    # At d = 1 the variance is 0: an item of the other kind refuses it, no other item does.
    high = np.where(diff == 1.0, 1.0, np.maximum((left + right) / 2.0, diff))
    return np.where(np.isnan(z), np.nan, high)


def _score_variance(b: Floats, c: Floats, n: Floats, d: Floats) -> Floats:
    """Return the variance of b - c - n d at the shares most likely given d."""
    linear = (2.0 * n - b + c) * d - b - c
    constant = -c * d * (1.0 - d)
    root = np.sqrt(np.maximum(linear**2 - 8.0 * n * constant, 0.0))
    # The larger root, without the difference of two nearly equal numbers.
    with np.errstate(invalid="ignore", divide="ignore"):
        small = np.where(constant == 0, 0.0, -2.0 * constant / (linear + root))
    q = np.where(linear > 0, small, (root - linear) / (4.0 * n))
    return np.asarray(np.maximum(n * (2.0 * q + d * (1.0 - d)), 0.0))


def newcombe(
    both: ArrayLike,
    arm_only: ArrayLike,
    baseline_only: ArrayLike,
    neither: ArrayLike,
    quantile: ArrayLike,
) -> tuple[Floats, Floats]:
    r"""Interval of Newcombe: the Wilson intervals of both shares, squared and added.

    Parameters
    ----------
    both, arm_only, baseline_only, neither : array_like
        The four counts of a table of pairs; they broadcast.
    quantile : array_like
        Two-sided normal quantile.

    Returns
    -------
    low, high : float64 arrays
        -1 <= low <= difference <= high <= 1. NaN where there is no item.

    Notes
    -----
    Method 10 of [1]_. With :math:`p_1, p_2` the shares, :math:`l, u` their Wilson limits and
    :math:`\phi` the correlation of the two outcomes, its numerator moved towards 0 by n/2 where it
    is positive, the lower limit is

    .. math:: \hat d - \sqrt{(p_1-l_1)^2 - 2 \phi (p_1-l_1)(u_2-p_2) + (u_2-p_2)^2} .

    References
    ----------
    .. [1] Newcombe (1998), Improved confidence intervals for the difference between binomial
       proportions based on paired data, Statistics in Medicine 17, 2635-2650.

    Examples
    --------
    >>> low, high = newcombe(1, 1, 7, 12, 1.959963984540054)
    >>> round(float(low), 3), round(float(high), 3)
    (-0.507, -0.026)
    """
    a, b, c, d, z = _arrays(both, arm_only, baseline_only, neither, quantile)
    n = a + b + c + d
    n = np.where(n > 0, n, np.nan)
    first, second = (a + b) / n, (a + c) / n
    (low1, high1), (low2, high2) = wilson(first, n, z), wilson(second, n, z)
    spread = np.sqrt((a + b) * (c + d) * (a + c) * (b + d))
    cross = a * d - b * c
    cross = np.where(cross > 0, np.maximum(cross - n / 2.0, 0.0), cross)
    phi = np.where(spread > 0, cross / np.where(spread > 0, spread, 1.0), 0.0)

    def reach(one: Floats, other: Floats) -> Floats:
        return np.sqrt(np.maximum(one**2 - 2.0 * phi * one * other + other**2, 0.0))

    diff = (b - c) / n
    low = diff - reach(first - low1, high2 - second)
    high = diff + reach(high1 - first, second - low2)
    return np.maximum(low, -1.0), np.minimum(high, 1.0)


def bonett_price(
    arm_only: ArrayLike, baseline_only: ArrayLike, n: ArrayLike, quantile: ArrayLike
) -> tuple[Floats, Floats]:
    r"""Interval of Bonett and Price: Wald's with one item of each discordant kind added.

    Parameters
    ----------
    arm_only, baseline_only, n : array_like
        As in `tango`.
    quantile : array_like
        Two-sided normal quantile. All broadcast.

    Returns
    -------
    low, high : float64 arrays
        Between -1 and 1, around a difference that is drawn towards 0. NaN where `n` is 0.

    Notes
    -----
    With :math:`\tilde p = (b + 1)/(n + 2)` and :math:`\tilde q = (c + 1)/(n + 2)` [1]_,

    .. math:: \tilde p - \tilde q \pm z
        \sqrt{\frac{\tilde p + \tilde q - (\tilde p - \tilde q)^2}{n + 2}} .

    References
    ----------
    .. [1] Bonett and Price (2012), Adjusted Wald confidence interval for a difference of binomial
       proportions based on paired data, J. Educational and Behavioral Statistics 37(4), 479-488.

    Examples
    --------
    >>> low, high = bonett_price(1, 7, 21, 1.959963984540054)
    >>> round(float(low), 3), round(float(high), 3)
    (-0.508, -0.013)
    """
    b, c, n, z = _arrays(arm_only, baseline_only, n, quantile)
    p, q = (b + 1.0) / (n + 2.0), (c + 1.0) / (n + 2.0)
    margin = z * np.sqrt(np.maximum(p + q - (p - q) ** 2, 0.0) / (n + 2.0))
    return np.maximum(p - q - margin, -1.0), np.minimum(p - q + margin, 1.0)


def _arrays(*given: ArrayLike) -> tuple[Floats, ...]:
    """Return arguments as arrays of one shape, the third of them NaN where it is 0."""
    arrays = np.broadcast_arrays(*(np.asarray(one, dtype=np.float64) for one in given))
    if len(arrays) == 4:
        b, c, n, z = arrays
        return b, c, np.where(n > 0, n, np.nan), z
    return tuple(arrays)
