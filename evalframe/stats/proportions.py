"""Confidence intervals of one share: a count of successes, or a mean on the scale from 0 to 1."""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from evalframe.stats.segments import Floats

# Newton's steps double the digits, and each stays inside a bracket that halving alone shrinks.
_STEPS = 60
# A step this small, relative to the limit, is followed by one below rounding.
_CLOSE = 1e-11


def normal_quantile(level: float) -> float:
    """Return the two-sided normal quantile of a confidence level, exact at 0.95 too."""
    # From the tail, which is exact where (1 + level) / 2 is rounded.
    return -float(scipy.special.ndtri((1.0 - level) / 2.0))


def wilson(share: ArrayLike, n: ArrayLike, quantile: ArrayLike) -> tuple[Floats, Floats]:
    r"""Score interval of Wilson, for an effective number of items too.

    Parameters
    ----------
    share : array_like
        Mean score, 0 to 1.
    n : array_like
        Items. With clusters or partial scores the effective number :math:`p(1-p)/V`, V the squared
        standard error.
    quantile : array_like
        Two-sided quantile: of the normal, or of t where `n` was estimated. All broadcast.

    Returns
    -------
    low, high : float64 arrays
        0 <= low <= share <= high <= 1. NaN where an argument is, or where `n` is 0.

    Notes
    -----
    The shares p that the score test does not refuse [1]_,

    .. math:: \frac{\hat p + z^2/2n \pm z \sqrt{\hat p (1 - \hat p)/n + z^2/4n^2}}{1 + z^2/n} .

    References
    ----------
    .. [1] Wilson (1927), Probable inference, the law of succession, and statistical inference,
       J. American Statistical Association 22, 209-212.

    Examples
    --------
    >>> low, high = wilson(1.0, 25, 1.959963984540054)
    >>> round(float(low), 7), float(high)
    (0.8668077, 1.0)
    """
    p, n, z = (np.asarray(x, dtype=np.float64) for x in (share, n, quantile))
    p, n, z = np.broadcast_arrays(p, np.where(n > 0, n, np.nan), z)
    return _wilson_low(p, n, z), 1.0 - _wilson_low(1.0 - p, n, z)


def _wilson_low(p: Floats, n: Floats, z: Floats) -> Floats:
    # The smaller root as product over larger root: no difference of two nearly equal numbers.
    centre, square = 2.0 * n * p + z**2, 4.0 * n * p * (1.0 - p)
    low = 2.0 * n * p**2 / (centre + z * np.sqrt(z**2 + square))
    return np.asarray(np.minimum(low, p))


def clopper_pearson(count: ArrayLike, n: ArrayLike, level: float) -> tuple[Floats, Floats]:
    r"""Exact interval of Clopper and Pearson, which never covers less than its level.

    Parameters
    ----------
    count, n : array_like
        Successes and items; they broadcast.
    level : float
        Confidence level.

    Returns
    -------
    low, high : float64 arrays
        0 <= low <= count / n <= high <= 1. NaN where `n` is 0.

    Notes
    -----
    Quantiles (1 - level) / 2 of Beta(x, n - x + 1) and, mirrored, of Beta(n - x, x + 1) [1]_.

    References
    ----------
    .. [1] Clopper and Pearson (1934), The use of confidence or fiducial limits, Biometrika 26,
       404-413.

    Examples
    --------
    >>> low, high = clopper_pearson(25, 25, 0.95)
    >>> round(float(low), 7), float(high)
    (0.8628148, 1.0)
    """
    x, n = _counts(count, n)
    tail = (1.0 - level) / 2.0
    return _exact_low(x, n, tail), 1.0 - _exact_low(n - x, n, tail)


def mid_p(count: ArrayLike, n: ArrayLike, level: float) -> tuple[Floats, Floats]:
    r"""Clopper and Pearson's interval with mid-p tails: the observed count weighs half.

    Parameters
    ----------
    count, n : array_like
        Successes and items; they broadcast.
    level : float
        Confidence level.

    Returns
    -------
    low, high : float64 arrays
        Inside the Clopper-Pearson interval. NaN where `n` is 0.

    Notes
    -----
    The lower limit solves :math:`P(X > x) + \frac12 P(X = x) = (1 - \text{level}) / 2` for the
    binomial X [1]_; its cover is near the level on average where that of the exact interval is
    above. Solved once for each distinct pair of counts.

    References
    ----------
    .. [1] Berry and Armitage (1995), Mid-P confidence intervals: a brief review, The Statistician
       44, 417-423.

    Examples
    --------
    >>> low, high = mid_p([24, 25], 25, 0.95)
    >>> low.round(4), high.round(4)
    (array([0.8181, 0.8871]), array([0.998, 1.   ]))
    """
    x, n = _counts(count, n)
    pairs = np.stack([x.ravel(), n.ravel()])
    distinct, where = np.unique(pairs, axis=1, return_inverse=True, equal_nan=True)
    where = where.reshape(x.shape)
    x, n = np.asarray(distinct[0]), np.asarray(distinct[1])
    tail = (1.0 - level) / 2.0
    low, mirrored = _mid_p_low(x, n, tail), _mid_p_low(n - x, n, tail)
    return low[where], (1.0 - mirrored)[where]


def jeffreys(count: ArrayLike, n: ArrayLike, level: float) -> tuple[Floats, Floats]:
    """Equal-tailed posterior interval under Jeffreys' prior, Beta(1/2, 1/2).

    Parameters
    ----------
    count, n : array_like
        Successes and items; they broadcast.
    level : float
        Confidence level.

    Returns
    -------
    low, high : float64 arrays
        0 <= low <= count / n <= high <= 1: the lower limit without success is 0, the upper one
        without failure 1. NaN where `n` is 0.

    Notes
    -----
    Quantiles (1 - level) / 2 and (1 + level) / 2 of Beta(x + 1/2, n - x + 1/2), the ends of the
    scale where all are alike [1]_.

    References
    ----------
    .. [1] Brown, Cai and DasGupta (2001), Interval estimation for a binomial proportion,
       Statistical Science 16(2), 101-133, section 4.1.2.

    Examples
    --------
    >>> low, high = jeffreys(29, 30, 0.95)
    >>> round(float(low), 7), round(float(high), 7)
    (0.8545822, 0.9963795)
    """
    x, n = _counts(count, n)
    tail = (1.0 - level) / 2.0

    def lower(x: Floats) -> Floats:
        low = scipy.special.betaincinv(x + 0.5, n - x + 0.5, tail)
        return np.asarray(np.where(x == 0, 0.0, np.minimum(low, x / n)))

    return lower(x), 1.0 - lower(n - x)


def logit_limits(share: ArrayLike, se: ArrayLike, quantile: ArrayLike) -> tuple[Floats, Floats]:
    r"""Interval of a mean between 0 and 1 that is symmetric on the logit scale.

    Parameters
    ----------
    share : array_like
        Mean score.
    se : array_like
        Its standard error.
    quantile : array_like
        Two-sided quantile, as a rule of t. All broadcast.

    Returns
    -------
    low, high : float64 arrays
        Between 0 and 1. NaN where the share is 0 or 1, which has no logit.

    Notes
    -----
    :math:`\mathrm{expit}(l \mp t s)` with :math:`l = \mathrm{logit}(p)` and, by the delta method,
    :math:`s = \mathrm{se} / (p (1 - p))`.

    Examples
    --------
    >>> low, high = logit_limits(0.9, 0.03, 2.0)
    >>> round(float(low), 3), round(float(high), 3)
    (0.822, 0.946)
    """
    p = np.asarray(share, dtype=np.float64)
    p = np.where((p > 0) & (p < 1), p, np.nan)
    margin = np.asarray(quantile) * np.asarray(se) / (p * (1.0 - p))
    centre = scipy.special.logit(p)
    return scipy.special.expit(centre - margin), scipy.special.expit(centre + margin)


def _counts(count: ArrayLike, n: ArrayLike) -> tuple[Floats, Floats]:
    """Return counts as arrays of one shape, NaN where there is no item."""
    x, n = np.broadcast_arrays(np.asarray(count, np.float64), np.asarray(n, np.float64))
    empty = ~(n > 0)
    return np.where(empty, np.nan, x), np.where(empty, np.nan, n)


def _exact_low(x: Floats, n: Floats, tail: float) -> Floats:
    """Solve P(X >= x) = tail for the share; 0 without success."""
    # A count above n, which brackets the mid-p limit, has the limit 1.
    inner = np.where((x > 0) & (x <= n), x, np.nan)
    low = scipy.special.betaincinv(inner, n - inner + 1.0, tail)
    low = np.where(x == 0, 0.0, np.where(x > n, 1.0, low))
    return np.where(np.isnan(x), np.nan, low)


def _mid_p_low(x: Floats, n: Floats, tail: float) -> Floats:
    """Solve (P(X >= x) + P(X > x)) / 2 = tail for the share; 0 without success."""
    # P(X >= x) = I_p(x, n - x + 1) alone brackets the solution from below, P(X > x) from above.
    low, high = _exact_low(x, n, tail), _exact_low(x + 1.0, n, tail)
    solve = (x > 0) & (x < n)
    # Without failure P(X > x) is 0, and half of p^n is to equal the tail.
    found = np.where(x == 0, 0.0, (2.0 * tail) ** (1.0 / n))
    found = np.where(np.isnan(x), np.nan, found)
    if not solve.any():
        return found
    a, b, left, right = x[solve], (n - x)[solve], low[solve], high[solve]
    norm = scipy.special.betaln(a, b + 1.0), scipy.special.betaln(a + 1.0, b)
    p = (left + right) / 2.0
    for _ in range(_STEPS):
        tails = scipy.special.betainc(a, b + 1.0, p), scipy.special.betainc(a + 1.0, b, p)
        excess = (tails[0] + tails[1]) / 2.0 - tail
        left, right = np.where(excess < 0, p, left), np.where(excess < 0, right, p)
        log_p, log_q = np.log(p), np.log1p(-p)
        slope = np.exp((a - 1.0) * log_p + b * log_q - norm[0])
        slope += np.exp(a * log_p + (b - 1.0) * log_q - norm[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            step = p - 2.0 * excess / slope
        following = np.where((step > left) & (step < right), step, (left + right) / 2.0)
        close = (np.abs(following - p) <= _CLOSE * np.minimum(p, 1.0 - p)).all()
        p = following
        if close:
            break
    found[solve] = np.minimum(p, (x / n)[solve])
    return found
