"""The mean over items and its standard error, independent or cluster-robust."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from evalframe.stats.clusters import ClusterSums, squared_error
from evalframe.stats.segments import ROUNDING, Floats, Ints, arrange


@dataclass(frozen=True, slots=True)
class Means:
    """Means of S segments, an entry a segment.

    Attributes
    ----------
    mean : (S,) float64
        NaN where a segment has no item.
    se : (S,) float64
        NaN where fewer than two clusters (or items) show no spread.
    n, n_clusters : (S,) int64
        Items, and clusters (items again where they are independent).
    design_effect : (S,) float64
        Squared ratio of `se` to the independent standard error; NaN where that is 0 or unknown.
    lowest, highest : (S,) float64
        Smallest and largest value; NaN where a segment has no item.
    independent : (S,) float64
        Standard error if items were independent: `se` where they are.
    clusters : ClusterSums or None
        What other cluster-robust errors are made of; None where items are independent.
    """

    mean: Floats
    se: Floats
    n: Ints
    n_clusters: Ints
    design_effect: Floats
    lowest: Floats
    highest: Floats
    independent: Floats
    clusters: ClusterSums | None


def segment_means(
    values: Floats,
    segment: Ints,
    n_segments: int,
    cluster: Ints | None = None,
    scale: Floats | None = None,
) -> Means:
    r"""Mean and cluster-robust standard error of each segment.

    Items of one cluster (questions on one passage, say) may depend on each other; clusters are
    taken as independent. With one item a cluster this is exactly the usual :math:`s / \sqrt{n}`.

    Parameters
    ----------
    values : (n,) float64
        Item means. No NaN.
    segment : (n,) int64
        The arm (and `by` group) of each value: codes 0 to S - 1.
    n_segments : int
        S. A segment may be empty.
    cluster : (n,) int64, optional
        Cluster of each value, codes from 0; a cluster lies in one segment. None: items are
        independent.
    scale : (S,) float64, optional
        Size of the numbers that each segment's values were computed from. Spread within rounding
        of it counts as none, so that a difference of exactly 0.1 on every item has a standard
        error of 0. Default: the segment's largest absolute value.

    Returns
    -------
    Means

    Notes
    -----
    With :math:`r_g` the sum over cluster g of :math:`x_i - \bar x`,

    .. math:: \mathrm{se}^2 = \frac{G}{G-1} \, \frac{1}{n^2} \sum_g r_g^2 .

    The factor G/(G - 1) is the small-sample one of [1]_; [2]_ brings the estimator to evaluations.
    Deviations are taken from the mean before they are squared, so that a small spread around a
    large mean is not lost. Time O(n log n), memory O(n).

    References
    ----------
    .. [1] Cameron and Miller (2015), A practitioner's guide to cluster-robust inference,
       J. Human Resources 50(2), 317-372, doi:10.3368/jhr.50.2.317.
    .. [2] Miller (2024), Adding error bars to evals, arXiv:2411.00640.

    Examples
    --------
    >>> scores = np.array([1.0, 1.0, 0.0, 0.0])
    >>> one = np.zeros(4, dtype=np.int64)
    >>> segment_means(scores, one, 1).se.round(4)
    array([0.2887])
    >>> segment_means(scores, one, 1, cluster=np.array([0, 0, 1, 1])).se.round(4)
    array([0.5])
    """
    items = arrange(values, segment, n_segments)
    ordered = values[items.order]
    lowest, highest = _ends(ordered, items.starts, items.size)
    with np.errstate(invalid="ignore", divide="ignore"):
        # The clip keeps equal values from having a mean that rounding moved beside them.
        mean = np.clip(items.sum(ordered) / items.size, lowest, highest)
    spread = ordered - mean[items.label]
    if scale is None:
        scale = np.maximum(np.abs(lowest), np.abs(highest))
    constant = (highest - lowest) <= ROUNDING * scale
    spread[constant[items.label]] = 0.0
    mean[constant & (np.abs(mean) <= ROUNDING * scale)] = 0.0
    unit = _unit(np.maximum(highest - mean, mean - lowest))
    spread /= unit[items.label]
    independent = squared_error(items.sum(spread**2), items.size, items.size)
    plain = np.sqrt(independent) * unit
    squared, n_clusters, sums = independent, items.size, None
    ratio = np.full(n_segments, np.nan)
    if cluster is not None:
        residual = np.empty_like(values)
        residual[items.order] = spread
        sums = _cluster_sums(residual, segment, cluster, scale / unit)
        groups = arrange(sums.residual, sums.segment, n_segments)
        n_clusters = groups.size
        squares = groups.sum(sums.residual[groups.order] ** 2)
        squared = squared_error(squares, n_clusters, items.size)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(independent > 0, squared / independent, np.nan)
        sums.residual[:] *= unit[sums.segment]
    return Means(
        *(mean, np.sqrt(squared) * unit, items.size, n_clusters, ratio),
        *(lowest, highest, plain, sums),
    )


def _unit(spread: Floats) -> Floats:
    """Return the power of two to measure deviations in, so that their squares stay in range.

    It is 1 for all but extreme scores, and dividing by a power of two rounds nothing.
    """
    _, exponent = np.frexp(spread)
    extreme = np.abs(exponent) > 200
    return np.ldexp(1.0, np.where(extreme & (spread > 0), exponent, 0))


def _ends(ordered: Floats, starts: Ints, size: Ints) -> tuple[Floats, Floats]:
    """Return the smallest and the largest value of each segment, NaN where it is empty."""
    padded = np.append(ordered, np.nan)
    empty = size == 0
    return (
        padded[np.where(empty, len(ordered), starts)],
        padded[np.where(empty, len(ordered), starts + size - 1)],
    )


def _cluster_sums(residual: Floats, segment: Ints, cluster: Ints, scale: Floats) -> ClusterSums:
    """Add up the residuals of each cluster; sums within rounding of 0 are 0."""
    n_codes = int(cluster.max()) + 1 if len(cluster) else 0
    home = np.zeros(n_codes, dtype=np.int64)
    home[cluster] = segment
    groups = arrange(residual, cluster, n_codes)
    sums = groups.sum(residual[groups.order])
    sums[np.abs(sums) <= ROUNDING * groups.size * scale[home]] = 0.0
    used = groups.size > 0
    return ClusterSums(sums[used], groups.size[used], home[used])


def skewness(values: Floats, segment: Ints, n_segments: int) -> Floats:
    """Return the sample skewness of each segment, NaN where its values do not differ."""
    items = arrange(values, segment, n_segments)
    ordered = values[items.order]
    with np.errstate(invalid="ignore", divide="ignore"):
        lowest, highest = _ends(ordered, items.starts, items.size)
        # The clip keeps equal values from having a mean that rounding moved beside them.
        mean = np.clip(items.sum(ordered) / items.size, lowest, highest)
        spread = ordered - mean[items.label]
        spread /= _unit(np.maximum(highest - mean, mean - lowest))[items.label]
        second, third = (items.sum(spread**power) / items.size for power in (2, 3))
        return np.where(second > 0, third / second**1.5, np.nan)


def student_quantile(level: float, df: NDArray[np.float64]) -> Floats:
    """Return the two-sided t quantile of a confidence level, NaN where there are no df."""
    positive = np.where(df > 0, df, np.nan)
    quantile: Floats = scipy.special.stdtrit(positive, (1 + level) / 2)
    return quantile
