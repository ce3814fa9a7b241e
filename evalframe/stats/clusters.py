"""Errors of a mean over few or unequal clusters: CR2, CR3 and their degrees of freedom."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalframe.stats.segments import Floats, Ints, Segments


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """What every cluster-robust error is made of, an entry a cluster.

    Attributes
    ----------
    residual : (C,) float64
        Sum over the cluster of the deviations from its segment's mean.
    size : (C,) int64
        Items of the cluster; at least 1.
    segment : (C,) int64
        The segment that it lies in.
    """

    residual: Floats
    size: Ints
    segment: Ints


@dataclass(frozen=True, slots=True)
class RobustErrors:
    """Errors of S means that hold with few or unequal clusters, an entry a segment.

    Attributes
    ----------
    cr2, cr3 : (S,) float64
        Standard errors; NaN where fewer than two clusters show no spread.
    df : (S,) float64
        Degrees of freedom of `cr2`, after Satterthwaite; NaN with fewer than two clusters.
    """

    cr2: Floats
    cr3: Floats
    df: Floats


def robust_errors(sums: ClusterSums, n_segments: int) -> RobustErrors:
    r"""CR2 and CR3 standard errors of means, and the Satterthwaite degrees of freedom of CR2.

    The usual cluster-robust error (CR1) is too small where clusters are few or unequal: a large
    cluster draws the mean to itself and shrinks its own residual. CR2 undoes that exactly when
    items are independent and alike, CR3 (a jackknife over clusters) more than undoes it. The
    degrees of freedom say how many clusters there are in effect.

    Parameters
    ----------
    sums : ClusterSums
    n_segments : int
        S. A segment may be empty.

    Returns
    -------
    RobustErrors

    Notes
    -----
    With :math:`m_g` items and residual sum :math:`r_g` of cluster g, n items and
    :math:`w_g = m_g / n` [1]_ [2]_,

    .. math:: V_{\mathrm{CR2}} = \frac{1}{n^2} \sum_g \frac{r_g^2}{1 - w_g}, \qquad
        V_{\mathrm{CR3}} = \frac{1}{n^2} \sum_g \frac{r_g^2}{(1 - w_g)^2},

    .. math:: \mathrm{df} = \Big[ \sum_g w_g^2 + \sum_{g \ne h}
        \frac{w_g^2 w_h^2}{(1 - w_g)(1 - w_h)} \Big]^{-1} .

    The double sum is a square of a sum less a sum of squares: time O(C log C) for the sort that
    makes sums independent of order, whatever the number of clusters. Clusters of one size have
    CR2 = CR1 and G - 1 degrees of freedom, exactly.

    References
    ----------
    .. [1] Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with
       multi-stage samples, Survey Methodology 28(2), 169-181.
    .. [2] Pustejovsky and Tipton (2018), Small-sample methods for cluster-robust variance
       estimation, J. Business and Economic Statistics 36(4), 672-683.

    Examples
    --------
    >>> sums = ClusterSums(np.array([3.0, -1.0, -2.0]), np.array([6, 2, 4]), np.zeros(3, int))
    >>> errors = robust_errors(sums, 1)
    >>> errors.cr2.round(4), errors.cr3.round(4), errors.df.round(3)
    (array([0.4183]), array([0.5679]), array([1.667]))
    """
    # Equal residuals of unequal clusters are told apart, so that sums do not depend on order.
    order = np.lexsort((sums.size, sums.residual, sums.segment))
    groups = Segments(order, np.bincount(sums.segment, minlength=n_segments))
    square, size = sums.residual[order] ** 2, sums.size[order].astype(np.float64)
    n = groups.sum(size)
    share = size / n[groups.label]
    with np.errstate(invalid="ignore", divide="ignore"):
        several = np.where(groups.size > 1, 1.0, np.nan)
        cr2 = groups.sum(square / (1.0 - share)) / n / n
        cr3 = groups.sum(square / (1.0 - share) ** 2) / n / n
        pull = share**2 / (1.0 - share)
        df = 1.0 / (groups.sum(share**2) + groups.sum(pull) ** 2 - groups.sum(pull**2))
        alike = _alike(sums, n_segments)
        cr2 = np.where(alike, squared_error(groups.sum(square), groups.size, n), cr2)
        df = np.where(alike, groups.size - 1.0, df)
    return RobustErrors(np.sqrt(cr2) * several, np.sqrt(cr3) * several, df * several)


def squared_error(squares: Floats, n_clusters: Ints, n: Ints | Floats) -> Floats:
    """Return G/(G - 1) / n^2 times the sum of squares, NaN where G < 2."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(n_clusters > 1, squares * (n_clusters / (n_clusters - 1)) / n / n, np.nan)


def _alike(sums: ClusterSums, n_segments: int) -> NDArray[np.bool_]:
    """Return which segments have clusters of one size."""
    largest = np.zeros(n_segments, dtype=np.int64)
    np.maximum.at(largest, sums.segment, sums.size)
    smaller = np.bincount(sums.segment[sums.size < largest[sums.segment]], minlength=n_segments)
    return np.asarray(smaller == 0)
