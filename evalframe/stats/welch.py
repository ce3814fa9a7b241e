"""The difference of two means over different items, independent or in clusters."""

from dataclasses import dataclass

import numpy as np
import scipy

from evalframe.stats.means import segment_means
from evalframe.stats.segments import Floats, Ints, arrange


@dataclass(frozen=True, slots=True)
class Gap:
    """Differences of means, an entry a comparison.

    Attributes
    ----------
    first, second : (S,) float64
        Means of the baseline and of the arm.
    diff, se, df : (S,) float64
        NaN where a side has no item; `se` and `df` where one has a single item or cluster.
    n_first, n_second : (S,) int64
        Items.
    n_clusters : (S,) int64
        Clusters (items, where they are independent) of both sides, shared ones counted once.
    n_shared : (S,) int64
        Clusters of both.
    n_fewer : (S,) int64
        Clusters (items, where they are independent) of the side that has fewer.
    """

    first: Floats
    second: Floats
    diff: Floats
    se: Floats
    df: Floats
    n_first: Ints
    n_second: Ints
    n_clusters: Ints
    n_shared: Ints
    n_fewer: Ints


def gap(
    value: Floats, side: Ints, segment: Ints, n_segments: int, cluster: Ints | None = None
) -> Gap:
    r"""Difference of the means of two sides, the second minus the first.

    Parameters
    ----------
    value : (n,) float64
        Item means. No NaN.
    side : (n,) int64
        0 for the baseline, 1 for the arm.
    segment : (n,) int64
        Comparison of each value, codes 0 to S - 1.
    n_segments : int
    cluster : (n,) int64, optional
        Cluster of each value, within its segment; both sides may have items of one cluster.

    Returns
    -------
    Gap

    Notes
    -----
    Without shared clusters the variances of the two means add, and df are Welch's [1]_. A cluster
    that both sides share makes their means depend on each other: then

    .. math:: \mathrm{se}^2 = \frac{G}{G-1} \sum_g (r_{g2} / n_2 - r_{g1} / n_1)^2

    over all G clusters, with :math:`r_{gs}` the sum of side s's residuals in cluster g, and G - 1
    df. Where every item is a cluster of its own and both sides answered it, this is the paired
    standard error.

    References
    ----------
    .. [1] Welch (1947), The generalization of Student's problem when several different population
       variances are involved, Biometrika 34(1-2), 28-35.

    Examples
    --------
    >>> value, side = np.array([1.0, 0.0, 1.0, 1.0, 1.0, 0.0]), np.array([0, 0, 0, 1, 1, 1])
    >>> gap(value, side, np.zeros(6, dtype=np.int64), 1).se.round(4)
    array([0.4714])
    """
    both = 2 * segment + side
    own = None if cluster is None else 2 * cluster + side
    means = segment_means(value, both, 2 * n_segments, own)
    mean, se = means.mean.reshape(-1, 2), means.se.reshape(-1, 2)
    n, groups = means.n.reshape(-1, 2), means.n_clusters.reshape(-1, 2)
    squares: Floats = np.square(se.T)
    spread = squares.sum(axis=0)
    df = added_df(squares, groups.T.astype(np.float64) - 1)
    n_clusters, n_shared = groups.sum(axis=1), np.zeros(n_segments, dtype=np.int64)
    if cluster is not None and len(value):
        joint, n_joint = _joint(value - means.mean[both], side, segment, cluster, n, n_segments)
        n_shared = n_clusters - n_joint
        spread = np.where(n_shared > 0, joint, spread)
        df = np.where(n_shared > 0, n_joint - 1.0, df)
        n_clusters = n_joint
    known = ~np.isnan(spread)
    return Gap(
        first=mean[:, 0],
        second=mean[:, 1],
        diff=mean[:, 1] - mean[:, 0],
        se=np.sqrt(spread),
        df=np.where(known & (spread > 0), df, np.nan),
        n_first=n[:, 0],
        n_second=n[:, 1],
        n_clusters=n_clusters,
        n_shared=n_shared,
        n_fewer=groups.min(axis=1),
    )


def _joint(
    residual: Floats, side: Ints, segment: Ints, cluster: Ints, n: Ints, n_segments: int
) -> tuple[Floats, Ints]:
    """Return the squared error over clusters of both sides, and how many there are."""
    n_codes = int(cluster.max()) + 1
    home = np.zeros(n_codes, dtype=np.int64)
    home[cluster] = segment
    signed = np.where(side == 1, residual, -residual) / n[segment, side]
    groups = arrange(signed, cluster, n_codes)
    sums, used = groups.sum(signed[groups.order]), groups.size > 0
    inside = arrange(sums[used], home[used], n_segments)
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.where(inside.size > 1, inside.size / (inside.size - 1.0), np.nan)
    empty = (n == 0).any(axis=1)
    squares = inside.sum(sums[used][inside.order] ** 2) * factor
    return np.where(empty, np.nan, squares), inside.size


def added_df(squares: Floats, df: Floats) -> Floats:
    r"""Degrees of freedom of a sum of independent squared errors.

    Parameters
    ----------
    squares, df : (K, S) float64
        Squared errors, and the degrees of freedom of each.

    Returns
    -------
    (S,) float64
        NaN where the sum is 0 or unknown.

    Notes
    -----
    Satterthwaite's [1]_ :math:`1 / \sum_k (v_k / v)^2 / f_k`, with v the sum of all squared errors.
    Shares of it are squared, as the squares of squared errors can leave the range of float64.

    References
    ----------
    .. [1] Satterthwaite (1946), An approximate distribution of estimates of variance components,
       Biometrics Bulletin 2(6), 110-114, doi:10.2307/3002019.

    Examples
    --------
    >>> added_df(np.array([[1.0], [1.0]]), np.array([[10.0], [10.0]]))
    array([20.])
    """
    total = np.sort(squares, axis=0).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = np.sort((squares / total) ** 2 / df, axis=0).sum(axis=0)
        found: Floats = np.where(parts > 0, 1.0 / parts, np.nan)
    return found


def two_sided_p(statistic: Floats, df: Floats) -> Floats:
    """Chance of a t statistic this far from 0; of a normal one where `df` is infinite.

    Examples
    --------
    >>> two_sided_p(np.array([1.96, 0.0]), np.array([np.inf, 5.0])).round(4)
    array([0.05, 1.  ])
    """
    return 2.0 * lower_p(-np.abs(statistic), df)


def lower_p(statistic: Floats, df: Floats) -> Floats:
    """Chance of a t statistic this small or smaller; of a normal one where `df` is infinite."""
    finite = np.isfinite(df)
    student = scipy.special.stdtr(np.where(finite, df, 1.0), statistic)
    chance: Floats = np.where(finite, student, scipy.special.ndtr(statistic))
    return np.where(np.isnan(df), np.nan, chance)
