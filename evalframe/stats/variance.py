"""Where the variance of a mean over items comes from: clusters, items, and repeated runs."""

from dataclasses import dataclass

import numpy as np

from evalframe.stats.means import segment_means
from evalframe.stats.segments import Floats, Ints, totals


@dataclass(frozen=True, slots=True)
class Layout:
    """One-way analysis of variance of items by cluster, an entry a segment.

    Attributes
    ----------
    between, within : (S,) float64
        Mean squares between and within clusters; NaN without a degree of freedom.
    n, n_clusters : (S,) int64
        Items and clusters.
    size : (S,) float64
        The m0 of the expected mean square: the cluster size where all are alike.
    size_squares : (S,) float64
        Sum of squared cluster sizes over items: the mean size of the cluster an item is in.
    """

    between: Floats
    within: Floats
    n: Ints
    n_clusters: Ints
    size: Floats
    size_squares: Floats


@dataclass(frozen=True, slots=True)
class Noise:
    """How much of the variance of item means comes from repeated runs, an entry a segment.

    Attributes
    ----------
    one_run : (S,) float64
        Variance of one run of an item around the item's own mean, averaged over items; NaN where
        no item has two runs.
    item_mean : (S,) float64
        Variance that the runs leave in an item's mean, averaged over items.
    of_item : (m,) float64
        The same of each item.
    n_repeated : (S,) int64
        Items with two runs or more.
    """

    one_run: Floats
    item_mean: Floats
    of_item: Floats
    n_repeated: Ints


@dataclass(frozen=True, slots=True)
class Components:
    """Variance components, an entry a segment; negative estimates are kept.

    Attributes
    ----------
    cluster, item : (S,) float64
        Of clusters, and of items within them. NaN where they cannot be told apart or estimated.
    total : (S,) float64
        Variance of item means without the share of the runs.
    """

    cluster: Floats
    item: Floats
    total: Floats


def layout(value: Floats, segment: Ints, cluster: Ints, n_segments: int) -> Layout:
    r"""Split the squares of item values into those between and within clusters.

    Parameters
    ----------
    value : (m,) float64
        Item values. No NaN.
    segment, cluster : (m,) int64
        Codes; a cluster lies in one segment.
    n_segments : int

    Returns
    -------
    Layout

    Notes
    -----
    Cluster g of size m_g with mean x_g in a segment of n items, G clusters and mean x:

    .. math:: MSB = \sum_g m_g (x_g - x)^2 / (G - 1), \quad
              MSW = \sum_i (x_i - x_{g(i)})^2 / (n - G), \quad
              m_0 = (n - \sum_g m_g^2 / n) / (G - 1).

    Time O(m log m).
    """
    n_codes = int(cluster.max()) + 1 if len(cluster) else 0
    of_cluster = segment_means(value, cluster, n_codes)
    whole = segment_means(value, segment, n_segments)
    home = np.zeros(n_codes, dtype=np.int64)
    home[cluster] = segment
    used = np.flatnonzero(of_cluster.n)
    size = of_cluster.n[used].astype(np.float64)
    apart = size * (of_cluster.mean[used] - whole.mean[home[used]]) ** 2
    inside = (value - of_cluster.mean[cluster]) ** 2
    n_clusters = np.bincount(home[used], minlength=n_segments)
    squares = np.bincount(home[used], weights=size**2, minlength=n_segments)
    with np.errstate(invalid="ignore", divide="ignore"):
        free, rest = n_clusters - 1.0, (whole.n - n_clusters).astype(np.float64)
        return Layout(
            between=np.where(free > 0, totals(apart, home[used], n_segments) / free, np.nan),
            within=np.where(rest > 0, totals(inside, segment, n_segments) / rest, np.nan),
            n=whole.n,
            n_clusters=n_clusters,
            size=np.where(free > 0, (whole.n - squares / whole.n) / free, np.nan),
            size_squares=squares / whole.n,
        )


def intraclass(parts: Layout) -> Floats:
    r"""Intraclass correlation of items in a cluster, by analysis of variance.

    Parameters
    ----------
    parts : Layout

    Returns
    -------
    (S,) float64
        (MSB - MSW) / (MSB + (m0 - 1) MSW); below 0 where clusters differ less than chance would
        have it. NaN with one cluster, with one item in each, or where no item differs.

    References
    ----------
    .. [1] Donner (1986), A review of inference procedures for the intraclass correlation
       coefficient in the one-way random effects model, Int. Statistical Review 54(1), 67-82.

    Examples
    --------
    >>> value = np.array([1.0, 1.0, 0.0, 0.0])
    >>> one = np.zeros(4, dtype=np.int64)
    >>> intraclass(layout(value, one, np.array([0, 0, 1, 1]), 1))
    array([1.])
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = parts.between + (parts.size - 1) * parts.within
        return np.where(spread > 0, (parts.between - parts.within) / spread, np.nan)


def noise(value: Floats, item: Ints, segment: Ints, n_segments: int) -> Noise:
    """Estimate how far runs of one item differ.

    Parameters
    ----------
    value : (n,) float64
        One run each. No NaN.
    item : (n,) int64
        Item of each run, codes 0 to m - 1, each used.
    segment : (m,) int64
        Segment of each item.
    n_segments : int

    Returns
    -------
    Noise

    Notes
    -----
    An item with k runs of variance v leaves v / k in its mean. An item with one run shows no
    variance of its own and is given the mean of the others' [1]_; to count it as 0 would call the
    noise of its run a difference between items.

    References
    ----------
    .. [1] Searle, Casella and McCulloch (1992), Variance Components, chapter 3.
    """
    means = segment_means(value, item, len(segment))
    squared = totals((value - means.mean[item]) ** 2, item, len(segment))
    repeated = means.n > 1
    own = np.where(repeated, squared / np.maximum(means.n - 1, 1), 0.0)
    n_repeated = np.bincount(segment[repeated], minlength=n_segments)
    n_items = np.bincount(segment, minlength=n_segments)
    with np.errstate(invalid="ignore", divide="ignore"):
        one_run = totals(own[repeated], segment[repeated], n_segments) / n_repeated
        of_item = np.where(repeated, own, one_run[segment]) / np.maximum(means.n, 1)
        item_mean = totals(of_item, segment, n_segments) / n_items
    return Noise(one_run, item_mean, of_item, n_repeated)


def components(
    value: Floats,
    segment: Ints,
    cluster: Ints | None,
    n_segments: int,
    runs: Noise,
) -> Components:
    r"""Split the variance of item means into that of clusters, of items and of runs.

    Parameters
    ----------
    value : (m,) float64
        Item means. No NaN.
    segment : (m,) int64
    cluster : (m,) int64 or None
        None: items are independent, and the cluster component is 0.
    n_segments : int
    runs : Noise
        Of the same m items.

    Returns
    -------
    Components

    Notes
    -----
    Moments, unbiased whatever the numbers of runs and the sizes of clusters: with
    :math:`\tau_i` the variance that the runs leave in item i,

    .. math::

       E\,MSW = \sigma_i^2 + \sum_i \tau_i (1 - 1/m_{g(i)}) / (n - G), \quad
       E\,MSB = \sigma_i^2 + m_0 \sigma_c^2 + \sum_i \tau_i (1/m_{g(i)} - 1/n) / (G - 1).
    """
    alone = segment_means(value, segment, n_segments)
    total = alone.se**2 * alone.n - runs.item_mean
    if cluster is None:
        return Components(np.zeros(n_segments), total, total)
    parts = layout(value, segment, cluster, n_segments)
    tau = np.nan_to_num(runs.of_item)
    size = np.bincount(cluster)[cluster]
    with np.errstate(invalid="ignore", divide="ignore"):
        inner = totals(tau * (1 - 1 / size), segment, n_segments) / (parts.n - parts.n_clusters)
        share = 1 / size - 1 / parts.n[segment]
        outer = totals(tau * share, segment, n_segments) / (parts.n_clusters - 1)
        item = parts.within - inner
        between = (parts.between - outer - item) / parts.size
    known = ~np.isnan(runs.item_mean)
    return Components(np.where(known, between, np.nan), np.where(known, item, np.nan), total)
