"""McNemar's test of two arms on the same items, each right or wrong.

Items that both arms get right, or both get wrong, say nothing about which arm is better. The test
reads only the discordant pairs: items that one of the two arms alone gets right.
"""

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

METHODS = ("exact", "mid-p", "chi2", "chi2-corrected")


def p_value(
    baseline_only: ArrayLike, arm_only: ArrayLike, method: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Statistic and two-sided p-value of McNemar's test, by the method named.

    Parameters
    ----------
    baseline_only, arm_only : array_like
        Counts of items that only the baseline, or only the arm, gets right; NaN where a count
        cannot be known. They broadcast.
    method : {"exact", "mid-p", "chi2", "chi2-corrected"}
        ``"exact"`` never rejects more often than its level. ``"mid-p"`` is less conservative.
        ``"chi2"`` and ``"chi2-corrected"`` are the large-sample tests.

    Returns
    -------
    statistic, p : float64 arrays
        The smaller count for ``"exact"`` and ``"mid-p"``, else chi squared on one degree of
        freedom; and the p-value. NaN where a count is NaN. Without discordant pairs p is 1.

    Raises
    ------
    ValueError
        If `method` is none of the four.

    Examples
    --------
    >>> statistic, p = p_value(15, 4, "exact")
    >>> float(statistic), round(float(p), 6)
    (4.0, 0.019211)
    """
    if method in ("exact", "mid-p"):
        low, _ = _low_and_total(baseline_only, arm_only)
        p = exact_p if method == "exact" else mid_p
        return low, p(baseline_only, arm_only)
    if method in ("chi2", "chi2-corrected"):
        statistic = chi2_statistic(baseline_only, arm_only, corrected=method == "chi2-corrected")
        return statistic, chi2_p(statistic)
    choices = ", ".join(repr(choice) for choice in METHODS)
    raise ValueError(f"method must be one of {choices}, not {method!r}")


def exact_p(baseline_only: ArrayLike, arm_only: ArrayLike) -> NDArray[np.float64]:
    r"""Exact conditional p-value, two-sided.

    Parameters
    ----------
    baseline_only, arm_only : array_like
        Discordant counts; NaN allowed. They broadcast.

    Returns
    -------
    p : float64 array
        In [0, 1]; 1 without discordant pairs.

    Notes
    -----
    With b and c the counts and :math:`X \sim \mathrm{Binomial}(b + c, 1/2)`,

    .. math:: p = \min\{1, \; 2 P(X \le \min(b, c))\} .

    The cumulative probability is a regularised incomplete beta function, so the cost does not grow
    with the counts, and small p-values keep their leading digits down to the smallest double.

    Examples
    --------
    >>> exact_p([5, 1, 1], [5, 0, 11]).round(6)
    array([1.      , 1.      , 0.006348])
    """
    low, total = _low_and_total(baseline_only, arm_only)
    return np.asarray(np.minimum(1.0, 2.0 * _at_most(low, total)))


def mid_p(baseline_only: ArrayLike, arm_only: ArrayLike) -> NDArray[np.float64]:
    r"""Mid-p value, two-sided: outcomes as likely as the one observed count half.

    Parameters
    ----------
    baseline_only, arm_only : array_like
        Discordant counts; NaN allowed. They broadcast.

    Returns
    -------
    p : float64 array
        In [0, 1], and never above `exact_p`; 1 without discordant pairs.

    Notes
    -----
    With b and c the counts and :math:`X \sim \mathrm{Binomial}(b + c, 1/2)`, the exact p-value less
    the point probability of the observed outcome [1]_,

    .. math:: p = 2 P(X \le \min(b, c)) - P(X = b) .

    Where b = c that is 1, as nothing speaks against equal arms. The paper counts half the outcome
    once more there and takes :math:`1 - P(X = b) / 2`; no test at a usual level differs by it.

    References
    ----------
    .. [1] Fagerland, Lydersen and Laake (2013), The McNemar test for binary matched-pairs data:
       mid-p and asymptotic are better than exact conditional, BMC Medical Research Methodology 13,
       91, doi:10.1186/1471-2288-13-91.

    Examples
    --------
    >>> mid_p([1, 7], [7, 7]).round(6)
    array([0.039062, 1.      ])
    """
    low, total = _low_and_total(baseline_only, arm_only)
    # P(X <= k) + P(X < k) is 2 P(X <= k) - P(X = k), without a difference that loses digits.
    return _at_most(low, total) + _at_most(low - 1.0, total)


def chi2_statistic(
    baseline_only: ArrayLike, arm_only: ArrayLike, *, corrected: bool = False
) -> NDArray[np.float64]:
    r"""Chi-squared statistic of McNemar's test, on one degree of freedom.

    Parameters
    ----------
    baseline_only, arm_only : array_like
        Discordant counts; NaN allowed. They broadcast.
    corrected : bool, default False
        Whether to apply the continuity correction.

    Returns
    -------
    statistic : float64 array
        0 or more; 0 without discordant pairs.

    Notes
    -----
    :math:`(b - c)^2 / (b + c)`, and :math:`\max(|b - c| - 1, 0)^2 / (b + c)` with the correction.
    The correction stops at 0: equal counts are no evidence.

    Examples
    --------
    >>> chi2_statistic([15, 5], [4, 5], corrected=True).round(4)
    array([5.2632, 0.    ])
    """
    low, total = _low_and_total(baseline_only, arm_only)
    distance = total - 2.0 * low
    if corrected:
        distance = np.maximum(distance - 1.0, 0.0)
    return np.asarray(distance**2 / np.where(total == 0, 1.0, total))


def chi2_p(statistic: ArrayLike) -> NDArray[np.float64]:
    """Upper tail of chi squared on one degree of freedom.

    Parameters
    ----------
    statistic : array_like
        0 or more; NaN allowed.

    Returns
    -------
    p : float64 array
        In [0, 1]. NaN where the statistic is NaN.

    Examples
    --------
    >>> chi2_p([0.0, 1.96**2]).round(3)
    array([1.  , 0.05])
    """
    return np.asarray(scipy.special.erfc(np.sqrt(np.asarray(statistic, dtype=np.float64) / 2.0)))


def _low_and_total(
    baseline_only: ArrayLike, arm_only: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the smaller count and the number of discordant pairs."""
    baseline = np.asarray(baseline_only, dtype=np.float64)
    arm = np.asarray(arm_only, dtype=np.float64)
    return np.asarray(np.minimum(baseline, arm)), np.asarray(baseline + arm)


def _at_most(count: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(X <= count) for X ~ Binomial(total, 1/2), where -1 <= count <= total."""
    # The incomplete beta function has no value where a parameter is 0; those cases are certain.
    inner = scipy.special.betainc(np.maximum(total - count, 1.0), np.maximum(count + 1.0, 1.0), 0.5)
    return np.where(count < 0, 0.0, np.where(count >= total, 1.0, inner))
