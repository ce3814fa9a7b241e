"""Where an interval of `score` is known to cover less than it claims, in words."""

from collections.abc import Callable

import numpy as np

from evalframe.methods.intervals import Bools, Intervals, askable, in_clusters
from evalframe.methods.scoring.score_sample import ScoreSample
from evalframe.results import Said
from evalframe.stats.means import skewness
from evalframe.stats.segments import Floats

# Below these degrees of freedom even the interval with Satterthwaite's is uncertain: on a scale
# with ends, and without.
FEW_DF, FEW_DF_UNBOUNDED = 4.0, 8.0
_FEW_CLUSTERS = 5
# Right and wrong items, in effect, that a symmetric interval needs.
_FEW_OF_A_KIND = 10.0
# A mean closer than this to an end of the scale is near it.
_EDGE = 0.25
# Below this many items or clusters the normal quantile is clearly below that of t.
_FEW_UNITS = 30
# Clusters are unequal where they have less than this share of the degrees of freedom of equal ones.
UNEQUAL = 0.75
# Cochran's rule: n above 25 times the squared skewness.
_COCHRAN = 25.0


def doubts(sample: ScoreSample, used: Intervals, *, auto: bool) -> list[Said]:
    """Return what is to be said of the interval of each row, and of which rows.

    `auto` says that it was chosen by the row's regime, and not asked for by name.
    """
    means = sample.means
    known = askable(sample) & ~np.isnan(used.low)
    symmetric = np.isin(used.name, ("t", "normal", "cr2")) & known
    usual = np.isin(used.name, ("t", "normal")) & known
    rarer = _of_rarer_kind(sample)
    edge = symmetric & sample.inside & (rarer < _FEW_OF_A_KIND) & (_distance(sample) < _EDGE)
    unequal = usual & in_clusters(means) & (sample.df < UNEQUAL * (means.n_clusters - 1))
    few = usual & (used.name == "normal") & (means.n_clusters < _FEW_UNITS)
    small = np.isin(used.name, ("wilson", "jeffreys")) & known & sample.meets("ends")
    small &= ~in_clusters(means) & (means.n <= _FEW_UNITS) & (_distance(sample) < _EDGE)
    small &= not auto
    unit = "clusters" if sample.clustered else "items"
    return [
        *_off_scale(sample, known & auto),
        (np.array([bool(said) for said in used.undefined], dtype=bool), used.undefined),
        (edge, _edge_text(sample, used, unit)),
        (unequal, unequal_text(sample.df)),
        (
            few & ~edge & ~unequal,
            f'normal is too short with fewer than {_FEW_UNITS} {unit}; use interval="t"',
        ),
        (
            small,
            lambda row: (
                f"{used.name[row]} can be too short near the ends with few items; "
                'interval="mid-p" holds'
            ),
        ),
        *_few_df(sample, used, known),
        *_skewed(sample, symmetric & ~sample.inside),
    ]


def _off_scale(sample: ScoreSample, rows: Bools) -> list[Said]:
    """Say where scores do not lie on the scale of their column, and so were taken to have none."""
    if sample.scale is None:
        return []
    low, high = sample.scale
    text = (
        f"scores beyond {low:g} to {high:g} are taken to have no ends; bounds=(low, high) says "
        "which they have"
    )
    return [(rows & ~sample.inside, text)]


def unequal_text(df: Floats) -> Callable[[int], str]:
    """Say how many degrees of freedom the unequal clusters of a row have in effect."""
    return lambda row: (
        f"clusters are unequal: {df[row]:.1f} degrees of freedom in effect; "
        'interval="auto" or "cr2" reckons with that'
    )


def _edge_text(sample: ScoreSample, used: Intervals, unit: str) -> Callable[[int], str]:
    low, high = sample.scale or (0.0, 1.0)
    return lambda row: (
        f"{used.name[row]} is too short near {low:g} and {high:g} with few {unit}; "
        'interval="auto" holds there'
    )


def _distance(sample: ScoreSample) -> Floats:
    """Return how far the mean is from the nearer end of the scale from 0 to 1."""
    return np.minimum(sample.share, 1.0 - sample.share)


def _of_rarer_kind(sample: ScoreSample) -> Floats:
    """Return the effective number of items times the smaller of the share and its complement."""
    share = sample.share
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        variance = sample.share_se**2
        items = np.where(variance > 0, share * (1.0 - share) / variance, 0.0)
    return np.asarray(items * _distance(sample))


def _few_df(sample: ScoreSample, used: Intervals, known: Bools) -> list[Said]:
    """Say where there are so few clusters in effect that nothing is certain to hold."""
    robust = np.isin(used.name, ("cr2", "logit", "wilson", "beta-binomial")) & known
    clusters = robust & in_clusters(sample.means)
    clusters &= (sample.df < FEW_DF) | (sample.means.n_clusters < _FEW_CLUSTERS)
    usual = np.isin(used.name, ("t", "normal")) & known & in_clusters(sample.means)
    clusters |= usual & (sample.means.n_clusters < _FEW_CLUSTERS)
    linear = np.isin(used.name, ("t", "cr2")) & known & ~sample.inside & ~clusters
    linear &= sample.df < FEW_DF_UNBOUNDED
    return [
        (
            clusters,
            lambda row: (
                f"{sample.df[row]:.1f} degrees of freedom from "
                f"{sample.means.n_clusters[row]:,} clusters: even this interval is "
                "uncertain; more clusters would help, more items in them would not"
            ),
        ),
        (
            linear,
            lambda row: (
                f"{sample.df[row]:.1f} degrees of freedom (<{FEW_DF_UNBOUNDED:g}): "
                "the interval can be short"
            ),
        ),
    ]


def _skewed(sample: ScoreSample, rows: Bools) -> list[Said]:
    """Say where values are so skewed that their mean is not yet normal."""
    if not rows.any():
        return []
    found, n = skewness(sample.value, sample.segment, len(rows)), sample.means.n
    return [
        (
            rows & (n < _COCHRAN * found**2),
            lambda row: (
                f"skewness {found[row]:.1f} with {n[row]:,} items: the interval can miss on the "
                "long side"
            ),
        )
    ]
