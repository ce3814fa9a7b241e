"""One number for a suite of groups, with the standard error of that very number."""

from dataclasses import dataclass

import numpy as np
import scipy

from evalframe.stats.segments import Floats, Ints

WEIGHTINGS = ("macro", "micro", "inverse-variance")


@dataclass(frozen=True, slots=True)
class Pooled:
    """Pooled estimates, an entry a column of the matrices that were pooled.

    Attributes
    ----------
    estimate, se, df : (A,) float64
        `df` is infinite for inverse-variance weights, which are taken as known.
    """

    estimate: Floats
    se: Floats
    df: Floats


@dataclass(frozen=True, slots=True)
class Heterogeneity:
    """Whether groups differ by more than chance, an entry a column.

    Attributes
    ----------
    q, df, p_value, i_squared : (A,) float64
    """

    q: Floats
    df: Floats
    p_value: Floats
    i_squared: Floats


def pool(estimate: Floats, se: Floats, n: Ints, df: Floats, weighting: str) -> Pooled:
    r"""Pool estimates over groups.

    Parameters
    ----------
    estimate, se, df : (B, A) float64
        Of each group; independent between groups.
    n : (B, A) int64
        Items; groups of 0 items do not count.
    weighting : {"macro", "micro", "inverse-variance"}
        Groups weigh alike; by their items; by 1 / se^2.

    Returns
    -------
    Pooled

    Notes
    -----
    With weights that add up to 1, the estimate is :math:`\sum w_b x_b` and its squared standard
    error :math:`\sum w_b^2 s_b^2`, with Satterthwaite's df. The mean of the standard errors is the
    error of neither.

    Examples
    --------
    >>> x, s = np.array([[0.8], [0.5]]), np.array([[0.0402015], [0.0250313]])
    >>> n, df = np.array([[100], [400]]), np.array([[99.0], [399.0]])
    >>> pool(x, s, n, df, "macro").se.round(7)
    array([0.0236787])
    """
    used = n > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        if weighting == "macro":
            weight = used / used.sum(axis=0)
        elif weighting == "micro":
            weight = n / n.sum(axis=0)
        else:
            # A group without spread would take all the weight.
            precision = np.where(used, np.where(se > 0, 1.0 / se**2, np.nan), 0.0)
            weight = precision / _sum(precision)
        part = np.where(used, weight**2 * se**2, 0.0)
        variance = _sum(part)
        bound = _sum(np.where(used, part**2 / df, 0.0))
        value = _sum(np.where(used, weight * estimate, 0.0))
        pooled_df = np.where(bound > 0, variance**2 / bound, np.nan)
    if weighting == "inverse-variance":
        pooled_df = np.full(len(variance), np.inf)
    value = np.where(used.any(axis=0), value, np.nan)
    spread = np.where(used.any(axis=0), variance, np.nan)
    return Pooled(value, np.sqrt(spread), pooled_df)


def heterogeneity(estimate: Floats, se: Floats, n: Ints) -> Heterogeneity:
    """Cochran's Q and I^2 of groups.

    Parameters
    ----------
    estimate, se : (B, A) float64
    n : (B, A) int64

    Returns
    -------
    Heterogeneity
        NaN where a group has no standard error, or one of 0.

    References
    ----------
    .. [1] Higgins and Thompson (2002), Quantifying heterogeneity in a meta-analysis, Statistics in
       Medicine 21(11), 1539-1558, doi:10.1002/sim.1186.
    """
    used = n > 0
    pooled = pool(estimate, se, n, np.full(se.shape, np.inf), "inverse-variance")
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = np.where(used, ((estimate - pooled.estimate) / se) ** 2, 0.0)
        q = np.where(np.isnan(pooled.estimate), np.nan, _sum(apart))
        df = np.where(np.isnan(q), np.nan, used.sum(axis=0) - 1.0)
        chance = np.where(df > 0, scipy.special.chdtrc(np.maximum(df, 1), q), np.nan)
        share = np.where(q > 0, np.maximum((q - df) / q, 0.0), np.where(q == 0, 0.0, np.nan))
    return Heterogeneity(q, df, chance, share)


def _sum(values: Floats) -> Floats:
    """Return the sums over groups, which do not depend on their order."""
    total: Floats = np.sort(values, axis=0).sum(axis=0)
    return total
