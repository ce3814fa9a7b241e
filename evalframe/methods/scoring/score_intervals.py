"""The intervals of `score`, and which of them suits which row."""

from functools import partial

import numpy as np

from evalframe.methods.intervals import Limits, Method, Names, in_clusters, linear_limits
from evalframe.methods.scoring.score_sample import ScoreSample
from evalframe.stats import proportions
from evalframe.stats.betabinomial import beta_binomial_limits
from evalframe.stats.means import student_quantile
from evalframe.stats.segments import Floats, Ints


def _wilson(sample: ScoreSample, rows: Ints) -> Limits:
    """Wilson on items; with clusters or partial scores on their effective number, with t."""
    means, share, se = sample.means, sample.share[rows], sample.share_se[rows]
    dependent = in_clusters(sample.means)[rows]
    exact = ~dependent & (sample.n_ends == means.n)[rows]
    units = np.where(dependent, means.n_clusters[rows], means.n[rows]).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        estimated = np.where(se == 0, units, share * (1.0 - share) / se**2)
    n = np.where(exact, units, estimated)
    plain = exact | (~dependent & (se == 0))
    df = np.where(plain, np.nan, sample.df[rows])
    normal = proportions.normal_quantile(sample.level)
    quantile = np.where(plain, normal, student_quantile(sample.level, df))
    return _on_scale(sample, proportions.wilson(share, n, quantile), rows, df)


def _logit(sample: ScoreSample, rows: Ints) -> Limits:
    df = sample.df[rows]
    quantile = student_quantile(sample.level, df)
    limits = proportions.logit_limits(sample.share[rows], sample.share_se[rows], quantile)
    return _on_scale(sample, limits, rows, df)


def _binomial(sample: ScoreSample, rows: Ints, kind: str) -> Limits:
    limits = {
        "mid-p": proportions.mid_p,
        "clopper-pearson": proportions.clopper_pearson,
        "jeffreys": proportions.jeffreys,
    }[kind]
    found = limits(sample.n_right[rows], sample.means.n[rows], sample.level)
    return _on_scale(sample, found, rows, np.full(len(rows), np.nan))


def _beta_binomial(sample: ScoreSample, rows: Ints) -> Limits:
    order = np.argsort(sample.segment, kind="stable")
    starts = np.searchsorted(sample.segment[order], [rows, rows + 1])
    limits = np.empty((2, len(rows)))
    found: dict[bytes, tuple[float, float]] = {}
    for place, (start, stop) in enumerate(starts.T):
        items = order[start:stop]
        right = (sample.value[items] == (sample.scale or (0.0, 1.0))[1]).astype(np.int64)
        size = np.ones_like(right)
        if sample.cluster is not None:
            _, code, size = np.unique(
                sample.cluster[items], return_inverse=True, return_counts=True
            )
            right = np.bincount(code, weights=right).astype(np.int64)
        # Small groups often have the same counts, in some order.
        counts = np.sort(np.stack([size, right], axis=1).astype(np.int64).view("i8,i8"), axis=0)
        if counts.tobytes() not in found:
            found[counts.tobytes()] = beta_binomial_limits(right, size, sample.level)
        limits[:, place] = found[counts.tobytes()]
    return _on_scale(sample, (limits[0], limits[1]), rows, np.full(len(rows), np.nan))


def _on_scale(sample: ScoreSample, limits: tuple[Floats, Floats], rows: Ints, df: Floats) -> Limits:
    """Bring limits from the scale from 0 to 1 to that of the scores."""
    low, high = sample.scale or (0.0, 1.0)
    ends = tuple(low + (high - low) * limit for limit in limits)
    return ends[0], ends[1], sample.cr2[rows], df


METHODS: dict[str, Method[ScoreSample]] = {
    "t": Method(partial(linear_limits, kind="t")),
    "normal": Method(partial(linear_limits, kind="normal")),
    "wilson": Method(_wilson, ("inside",)),
    "mid-p": Method(partial(_binomial, kind="mid-p"), ("ends", "independent")),
    "clopper-pearson": Method(partial(_binomial, kind="clopper-pearson"), ("ends", "independent")),
    "jeffreys": Method(partial(_binomial, kind="jeffreys"), ("ends", "independent")),
    "logit": Method(_logit, ("inside", "spread")),
    "cr2": Method(partial(linear_limits, kind="cr2")),
    "beta-binomial": Method(_beta_binomial, ("ends",)),
}
INTERVALS = (*METHODS, "auto")


def choose(sample: ScoreSample) -> Names:
    """Name the interval that holds its level in the regime of each row."""
    names = np.where(in_clusters(sample.means), "cr2", "t").astype(object)
    # Where nothing varies there is no standard error to go by, only the number of units.
    degenerate = sample.inside & (sample.cr2 == 0)
    names[sample.inside] = "logit"
    names[degenerate] = "wilson"
    binary = sample.meets("ends") & sample.single
    names[binary] = np.where(in_clusters(sample.means), "beta-binomial", "mid-p")[binary]
    return names
