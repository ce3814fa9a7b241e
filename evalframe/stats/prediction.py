"""Means of labels that few items have, sharpened by a judge's scores that all items have."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalframe.stats.double_samples import (
    DoubleSample,
    Strata,
    double_sample,
    judge_pull,
    labels_pull,
    moments,
    n_groups,
    squared,
    strata_pull,
)
from evalframe.stats.label_pairs import correlation, repeated
from evalframe.stats.means import segment_means
from evalframe.stats.segments import Floats, Ints

# Labels on which the judge is taken to say nothing, added to those that were seen: where it agrees
# with the few there are, it does not follow that it always does.
UNSEEN = 2.0


@dataclass(frozen=True, slots=True)
class Predicted:
    """Prediction-powered means of S segments, an entry a segment.

    Attributes
    ----------
    estimate, se : (S,) float64
        The mean of the labels that all items would have, and its error in large samples. NaN where
        it is not known.
    extra : (S,) float64
        What a squared error from few labels has more than the square of `se`.
    df : (S,) float64
        Degrees of freedom, of labelled items or clusters; NaN where there are none.
    lam : (S,) float64
        Weight of the judge.
    judge, gold, gold_se, bias : (S,) float64
        Mean of the judge over all items; of the labels alone, with its error; mean of the judge
        less that of the labels, over labelled items.
    correlation : (S,) float64
        Of judge and label over labelled items; NaN where either does not vary.
    n, n_labelled, n_clusters, n_strata, n_bare, n_lone : (S,) int64
        Items; labelled ones; clusters (items, where independent); strata; strata without a label;
        strata with labels in one cluster (of one item) only.
    alike, varies : (S,) bool
        Whether labels differ in no stratum; whether the judge differs in any.
    pull, label_pull : (m,) float64
        Share of each item in the errors: `se` squared is, but for strata with one unlabelled item,
        the sum over clusters of their squared sums; the other is that of `gold_se`.
    """

    estimate: Floats
    se: Floats
    extra: Floats
    df: Floats
    lam: Floats
    judge: Floats
    gold: Floats
    gold_se: Floats
    bias: Floats
    correlation: Floats
    n: Ints
    n_labelled: Ints
    n_clusters: Ints
    n_strata: Ints
    n_bare: Ints
    n_lone: Ints
    alike: NDArray[np.bool_]
    varies: NDArray[np.bool_]
    pull: Floats
    label_pull: Floats


@dataclass(frozen=True, slots=True)
class _Weights:
    """The judge's weight, the slope of least squares, z squared and r of each segment."""

    lam: Floats
    slope: Floats
    z_squared: Floats
    share: Floats
    varies: NDArray[np.bool_]
    estimated: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Errors:
    """Squared errors and degrees of freedom of each segment, and each item's share in them."""

    large: Floats
    extra: Floats
    of_labels: Floats
    df: Floats
    pull: Floats
    label_pull: Floats


def predicted(
    judge: Floats,
    gold: Floats,
    segment: Ints,
    n_segments: int,
    *,
    cluster: Ints | None = None,
    stratum: Ints | None = None,
    lam: float | None = None,
    clip: bool = False,
) -> Predicted:
    r"""Mean of the labels that all items would have, from a judge of all and labels of some.

    Parameters
    ----------
    judge : (m,) float64
        Scores of all items, on any scale. No NaN.
    gold : (m,) float64
        Labels, NaN where an item has none. Which items have one must be chance, within strata.
    segment : (m,) int64
        Codes 0 to S - 1.
    n_segments : int
        S. A segment may be empty.
    cluster : (m,) int64, optional
        A cluster lies in one segment; it may hold labelled items and others.
    stratum : (m,) int64, optional
        Items of one stratum have the same chance of a label; codes from 0, shared by segments.
    lam : float, optional
        Weight of the judge. Default: the one that makes the variance least.
    clip : bool, default False
        Whether an estimated weight is kept between 0 and 1.

    Returns
    -------
    Predicted

    Notes
    -----
    With n labelled items L and N others U, judge f and label y [1]_,

    .. math:: \lambda \bar f_U + \overline{(y - \lambda f)}_L, \quad
        \lambda = \frac{\mathrm{cov}_L(y, f)}{\mathrm{var}_L(f)} \frac{N}{n + N}, \quad
        \mathrm{se}^2 = \lambda^2 \frac{\mathrm{var}_U(f)}{N}
        + \frac{\mathrm{var}_L(y - \lambda f)}{n} ,

    which is the regression estimator of double sampling [2]_: a judge on another scale changes
    nothing. With strata of weights W_h, their shares of items, it is the sum of W_h times theirs,
    with one weight of the judge for all,

    .. math:: \lambda = \sum_h \frac{W_h^2 \, \mathrm{cov}_h}{n_h} \Big/
        \sum_h W_h^2 \, \mathrm{var}_h \Big(\frac{1}{n_h} + \frac{1}{N_h}\Big) ,

    and an error that knows that items fall into strata by chance. With clusters the error is that
    of sums over clusters, each part with factor G/(G - 1).

    That error takes the weight as known. From few labels the squared error has more, `extra`:

    .. math:: \frac{V_e (1 + z^2 r) + 2 \, t \, V_y}{df} ,

    with V_e the squared error of the mean of the least-squares residuals, z the standardised
    difference of the judge between U and L, and r = N/(n + N): with df = n - 2 that is what least
    squares costs. V_y is the squared error of the labels alone and t the share of labelled items
    whose (judge, label) another one repeats: where scores are few values, an error of the judge
    that no label shows yet is a likely one, and this is the price of two such labels. Where
    scores are never alike, t is 0.

    Time O(m log m), memory O(m).

    References
    ----------
    .. [1] Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient prediction-powered inference,
       arXiv:2311.01453.
    .. [2] Cochran (1977), Sampling techniques, 3rd ed., chapter 12.

    Examples
    --------
    >>> judge = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 1.0])
    >>> gold = np.array([1.0, 0.0, 1.0, 1.0, np.nan, np.nan])
    >>> found = predicted(judge, gold, np.zeros(6, dtype=np.int64), 1)
    >>> found.estimate.round(4), found.lam.round(4), found.se.round(4)
    (array([0.8333]), array([0.1667]), array([0.2257]))
    """
    sample = double_sample(judge, gold, segment, n_segments, cluster, stratum)
    strata = moments(sample)
    weights = _weights(sample, strata, lam, clip)
    alone = sample.total(strata.weight * strata.gold)
    estimate = alone + weights.lam * sample.total(strata.weight * strata.shift)
    errors = _errors(sample, strata, weights, estimate, alone)
    n_bare, n_lone, alike = _gaps(sample, strata)
    n_labelled = sample.total(strata.n).astype(np.int64)
    n = np.bincount(segment, minlength=n_segments)
    unknown = (n_labelled == 0) | (n_bare > 0)
    # One label tells no weight.
    silent = unknown | ((n_labelled == 1) & (n > 1) & (lam is None))
    flat = unknown | (n_lone > 0) | alike
    bias = sample.total(strata.weight * (strata.judge - strata.gold))
    return Predicted(
        estimate=np.where(silent, np.nan, estimate),
        se=np.where(flat | silent, np.nan, np.sqrt(errors.large)),
        extra=np.where(flat | silent, np.nan, errors.extra),
        df=np.where(flat | silent, np.nan, errors.df),
        lam=np.where(silent, np.nan, weights.lam),
        judge=segment_means(judge, segment, n_segments).mean,
        gold=np.where(unknown, np.nan, alone),
        gold_se=np.where(flat, np.nan, np.sqrt(errors.of_labels)),
        bias=np.where(unknown, np.nan, bias),
        correlation=correlation(judge, gold, segment, n_segments),
        n=n,
        n_labelled=n_labelled,
        n_clusters=n_groups(sample, np.ones(len(judge), dtype=bool), segment, n_segments),
        n_strata=np.bincount(sample.home, minlength=n_segments),
        n_bare=n_bare,
        n_lone=n_lone,
        alike=alike,
        varies=weights.varies,
        pull=errors.pull,
        label_pull=errors.label_pull,
    )


def _errors(
    sample: DoubleSample, strata: Strata, weights: _Weights, estimate: Floats, alone: Floats
) -> _Errors:
    """Return squared errors: in large samples, what few labels add, and of the labels alone."""
    none = np.zeros(sample.n_segments)
    pull = labels_pull(sample, strata, weights.lam) + judge_pull(sample, strata, weights.lam)
    pull += strata_pull(sample, strata, weights.lam, estimate)
    label_pull = labels_pull(sample, strata, none) + strata_pull(sample, strata, none, alone)
    residual = squared(labels_pull(sample, strata, weights.slope), sample)
    of_labels = squared(label_pull, sample)
    free = _free(sample, strata) - weights.estimated
    df = np.where(free > 0, free, np.nan)
    seen = np.where(sample.labelled, sample.gold, np.nan)
    repeats = repeated(sample.judge, seen, sample.segment, sample.n_segments)
    unseen = UNSEEN * repeats * (weights.lam != 0) * of_labels
    fitted = weights.estimated * residual * (1.0 + weights.z_squared * weights.share)
    return _Errors(
        large=squared(pull, sample) + _single_rest(sample, strata, weights.lam),
        extra=(fitted + unseen) / df,
        of_labels=of_labels,
        df=df,
        pull=pull,
        label_pull=label_pull,
    )


def _weights(sample: DoubleSample, strata: Strata, lam: float | None, clip: bool) -> _Weights:
    """Return the weight of the judge, and what its estimate from few labels costs."""
    square = np.where(strata.rest > 0, strata.weight**2, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        both = sample.total(np.where(square > 0, square * strata.covariance / strata.n, 0.0))
        own = np.where(square > 0, square * strata.variance, 0.0)
        own = np.where(strata.variance > 0, own, 0.0)
        here = sample.total(np.where(own > 0, own / strata.n, 0.0))
        whole = sample.total(np.where(own > 0, own * (1.0 / strata.n + 1.0 / strata.rest), 0.0))
        shift = sample.total(strata.weight * strata.shift)
        varies = whole > 0
        weight, slope = np.where(varies, both / whole, 0.0), np.where(varies, both / here, 0.0)
        z_squared = np.where(varies, shift**2 / whole, 0.0)
        share = np.where(varies, here / whole, 0.0)
    if lam is not None:
        weight = np.full(sample.n_segments, float(lam))
    elif clip:
        weight = np.clip(weight, 0.0, 1.0)
    return _Weights(weight, slope, z_squared, share, varies, varies & (lam is None))


def _single_rest(sample: DoubleSample, strata: Strata, weight: Floats) -> Floats:
    """Return the squared error of strata whose unlabelled items are one cluster.

    They show no spread of their own; that of the labelled ones stands in.
    """
    groups = n_groups(sample, ~sample.labelled, sample.stratum, len(sample.home))
    error = (strata.weight * weight[sample.home]) ** 2 * strata.variance
    return sample.total(np.where(groups == 1, error, 0.0))


def _free(sample: DoubleSample, strata: Strata) -> Floats:
    """Return the degrees of freedom of the labels: of items or clusters, less one a stratum."""
    inside = n_groups(sample, sample.labelled, sample.stratum, len(sample.home))
    across = n_groups(sample, sample.labelled, sample.segment, sample.n_segments)
    free: Floats = np.minimum(sample.total(inside) - sample.total(strata.n > 0), across - 1.0)
    return free


def _gaps(sample: DoubleSample, strata: Strata) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Return strata without a label, those with one cluster of them, where labels are alike."""
    groups = n_groups(sample, sample.labelled, sample.stratum, len(sample.home))
    filled = (strata.n + strata.rest) > 0
    chosen = sample.labelled
    of = segment_means(sample.gold[chosen], sample.stratum[chosen], len(sample.home))
    differs = sample.total(of.se > 0)
    lone = sample.total(groups == 1).astype(np.int64)
    bare = sample.total(filled & (groups == 0)).astype(np.int64)
    return bare, lone, (differs == 0) & (sample.total(strata.n) > 1)
