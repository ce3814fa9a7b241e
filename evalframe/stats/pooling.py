"""One number for a suite of groups, with the standard error of that very number."""

from dataclasses import dataclass

import numpy as np
import scipy

from evalframe.stats.segments import Floats, Ints, arrange
from evalframe.stats.welch import added_df

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


@dataclass(frozen=True, slots=True)
class Overlap:
    """What each sampled unit adds to the estimates of the groups that it is in.

    Attributes
    ----------
    share : (m,) float64
        What the unit adds to the deviation of one estimate; its squares add up to s_b^2.
    unit, group, column : (m,) int64
        Whose it is, and of which estimate. A unit is an item or cluster, in one group or several.
    n_units : (A,) int64
        Different units of each column.
    """

    share: Floats
    unit: Ints
    group: Ints
    column: Ints
    n_units: Ints


def pool(
    estimate: Floats,
    se: Floats,
    n: Ints,
    df: Floats,
    weighting: str,
    overlap: Overlap | None = None,
) -> Pooled:
    r"""Pool estimates over groups.

    Parameters
    ----------
    estimate, se, df : (B, A) float64
        Of each group.
    n : (B, A) int64
        Items; groups of 0 items do not count.
    weighting : {"macro", "micro", "inverse-variance"}
        Groups weigh alike; by their items; by 1 / se^2.
    overlap : Overlap, optional
        How groups hang together. None: they are independent.

    Returns
    -------
    Pooled

    Notes
    -----
    With weights that add up to 1, the estimate is :math:`\sum w_b x_b` and its squared standard
    error :math:`\sum w_b^2 s_b^2`, with Satterthwaite's df. The mean of the standard errors is the
    error of neither. Where groups share units, it is :math:`\sum_u (\sum_b w_b e_{ub})^2`, with
    :math:`e_{ub}` the shares of unit u, and df are at most the number of units less 1.

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
        value = _sum(np.where(used, weight * estimate, 0.0))
    pooled_df = added_df(part, df)
    if overlap is not None:
        variance = np.maximum(variance + _covariance(weight, overlap), 0.0)
        pooled_df = np.minimum(pooled_df, overlap.n_units - 1.0)
    if weighting == "inverse-variance":
        pooled_df = np.full(len(variance), np.inf)
    value = np.where(used.any(axis=0), value, np.nan)
    spread = np.where(used.any(axis=0), variance, np.nan)
    return Pooled(value, np.sqrt(spread), pooled_df)


def _covariance(weight: Floats, overlap: Overlap) -> Floats:
    """Return what groups that share units add to the variance of each column."""
    n_columns = weight.shape[1]
    share = weight[overlap.group, overlap.column] * overlap.share
    unknown = np.isnan(share)
    cell = overlap.unit * n_columns + overlap.column
    units = arrange(np.where(unknown, 0.0, share), cell, int(cell.max(initial=-1)) + 1)
    ordered = np.where(unknown, 0.0, share)[units.order]
    # A unit of one group adds exactly nothing.
    crossed = units.sum(ordered) ** 2 - units.sum(ordered**2)
    column = np.arange(len(crossed)) % n_columns
    columns = arrange(crossed, column, n_columns)
    return columns.sum(crossed[columns.order])


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
