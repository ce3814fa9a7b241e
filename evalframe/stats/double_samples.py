"""Samples of which a part is labelled: their strata, and what each item does to an error."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalframe.stats.means import segment_means
from evalframe.stats.segments import Floats, Ints, totals


@dataclass(frozen=True, slots=True)
class DoubleSample:
    """Items with a judge's score, some of them with a label too.

    Attributes
    ----------
    judge, gold : (m,) float64
        `gold` is 0 where there is no label.
    labelled : (m,) bool
    segment : (m,) int64
        Codes 0 to S - 1.
    cluster : (m,) int64 or None
        Codes from 0; None where items are independent. A cluster lies in one segment.
    stratum : (m,) int64
        Codes 0 to H - 1; a stratum lies in one segment.
    home : (H,) int64
        The segment of each stratum.
    n_segments : int
    """

    judge: Floats
    gold: Floats
    labelled: NDArray[np.bool_]
    segment: Ints
    cluster: Ints | None
    stratum: Ints
    home: Ints
    n_segments: int

    def total(self, values: Floats | Ints | NDArray[np.bool_]) -> Floats:
        """Return the (S,) sums of (H,) values, which do not depend on the order of strata."""
        return totals(np.asarray(values, dtype=np.float64), self.home, self.n_segments)


@dataclass(frozen=True, slots=True)
class Strata:
    """Moments of H strata, an entry a stratum.

    Attributes
    ----------
    weight : (H,) float64
        Its share of the items of its segment.
    n, rest : (H,) float64
        Labelled items and others.
    gold, judge, judge_rest : (H,) float64
        Means of the labels, of the judge over labelled items, and over the others; 0 where there
        is none.
    variance, covariance : (H,) float64
        Of the judge, and of judge and label, over labelled items; 0 where the judge does not vary
        there.
    """

    weight: Floats
    n: Floats
    rest: Floats
    gold: Floats
    judge: Floats
    judge_rest: Floats
    variance: Floats
    covariance: Floats

    @property
    def shift(self) -> Floats:
        """How far the judge is apart in the others and the labelled items."""
        return np.where(self.rest > 0, self.judge_rest - self.judge, 0.0)


def double_sample(
    judge: Floats,
    gold: Floats,
    segment: Ints,
    n_segments: int,
    cluster: Ints | None,
    stratum: Ints | None,
) -> DoubleSample:
    """Give the strata of all segments numbers."""
    labelled = ~np.isnan(gold)
    home, code = np.arange(n_segments), segment
    if stratum is not None and len(stratum):
        width = int(stratum.max()) + 1
        seen, code = np.unique(segment * width + stratum, return_inverse=True)
        home = seen // width
    return DoubleSample(
        judge=judge,
        gold=np.where(labelled, gold, 0.0),
        labelled=labelled,
        segment=segment,
        cluster=cluster,
        stratum=code.astype(np.int64),
        home=home,
        n_segments=n_segments,
    )


def moments(sample: DoubleSample) -> Strata:
    """Return the moments of each stratum."""
    chosen, n_strata = sample.labelled, len(sample.home)
    of = sample.stratum[chosen]
    gold = segment_means(sample.gold[chosen], of, n_strata)
    judge = segment_means(sample.judge[chosen], of, n_strata)
    rest = segment_means(sample.judge[~chosen], sample.stratum[~chosen], n_strata)
    from_judge = sample.judge[chosen] - judge.mean[of]
    both = totals(from_judge * (sample.gold[chosen] - gold.mean[of]), of, n_strata)
    own = totals(from_judge**2, of, n_strata)
    # Equal values leave residuals of rounding where their mean is not exact; their error is 0.
    varies = judge.se > 0
    n_items = np.bincount(sample.segment, minlength=sample.n_segments)
    with np.errstate(invalid="ignore", divide="ignore"):
        return Strata(
            weight=(gold.n + rest.n) / n_items[sample.home],
            n=gold.n.astype(np.float64),
            rest=rest.n.astype(np.float64),
            gold=np.nan_to_num(gold.mean),
            judge=np.nan_to_num(judge.mean),
            judge_rest=np.nan_to_num(rest.mean),
            variance=np.where(varies, own / (gold.n - 1.0), 0.0),
            covariance=np.where(varies, both / (gold.n - 1.0), 0.0),
        )


def n_groups(sample: DoubleSample, chosen: NDArray[np.bool_], code: Ints, n_codes: int) -> Ints:
    """Return how many clusters (or items) some items of each stratum or segment are."""
    if sample.cluster is None:
        return np.bincount(code[chosen], minlength=n_codes)
    width = int(sample.cluster.max(initial=0)) + 1
    pairs = np.unique(code[chosen] * width + sample.cluster[chosen])
    return np.bincount(pairs // width, minlength=n_codes).astype(np.int64)


def labels_pull(sample: DoubleSample, strata: Strata, weight: Floats) -> Floats:
    """Return what labelled items do to the mean of their y - weight * judge, 0 for the others.

    `weight` is a segment's. The sum over clusters of their squared sums is the squared error; the
    factor of clusters, G/(G - 1), is in it.
    """
    groups = n_groups(sample, sample.labelled, sample.stratum, len(sample.home))
    at, own = sample.stratum, np.where(strata.rest > 0, weight[sample.home], 0.0)
    residual = sample.gold - strata.gold[at] - own[at] * (sample.judge - strata.judge[at])
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.where(groups > 1, strata.weight / strata.n * _factor(groups), 0.0)
    return np.where(sample.labelled, residual * scale[at], 0.0)


def judge_pull(sample: DoubleSample, strata: Strata, weight: Floats) -> Floats:
    """Return what items without a label do to the weighted mean of the judge over them."""
    groups = n_groups(sample, ~sample.labelled, sample.stratum, len(sample.home))
    at = sample.stratum
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.where(groups > 1, strata.weight / strata.rest * _factor(groups), 0.0)
    scale = scale * weight[sample.home]
    return np.where(sample.labelled, 0.0, (sample.judge - strata.judge_rest[at]) * scale[at])


def strata_pull(sample: DoubleSample, strata: Strata, weight: Floats, estimate: Floats) -> Floats:
    """Return what items do to an estimate by falling into their stratum; 0 with one stratum."""
    groups = n_groups(
        sample, np.ones(len(sample.judge), dtype=bool), sample.segment, sample.n_segments
    )
    n_items = np.bincount(sample.segment, minlength=sample.n_segments)
    apart = strata.gold + weight[sample.home] * strata.shift - estimate[sample.home]
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.where(groups > 1, _factor(groups) / n_items, 0.0)
    several = np.bincount(sample.home, minlength=sample.n_segments) > 1
    apart = np.where(several[sample.home], apart * scale[sample.home], 0.0)
    return apart[sample.stratum]


def squared(pull: Floats, sample: DoubleSample) -> Floats:
    """Return the (S,) sums over clusters of the squared sums of their items' pulls."""
    if sample.cluster is None:
        return totals(pull**2, sample.segment, sample.n_segments)
    return cluster_squares(pull, sample.cluster, sample.segment, sample.n_segments)


def cluster_squares(pull: Floats, cluster: Ints, segment: Ints, n_segments: int) -> Floats:
    """Return the (S,) sums over clusters of the squared sums of their values."""
    n_clusters = int(cluster.max(initial=-1)) + 1
    home = np.zeros(n_clusters, dtype=np.int64)
    home[cluster] = segment
    # Clusters that no value lies in would be zeros among the squares, and shift how they add up.
    used = np.bincount(cluster, minlength=n_clusters) > 0
    return totals(totals(pull, cluster, n_clusters)[used] ** 2, home[used], n_segments)


def _factor(groups: Ints) -> Floats:
    return np.sqrt(groups / (groups - 1.0))
