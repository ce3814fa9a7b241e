"""The differences of one column, with what each sampled unit adds to them."""

from dataclasses import dataclass

import numpy as np

from evalframe.arms import Arms
from evalframe.matrix import ItemMeans, cells, reduce
from evalframe.methods.comparing.unpaired import pair_gaps, pair_sums
from evalframe.methods.noise.single_runs import Bools
from evalframe.pairing import paired_means, refuse_missing
from evalframe.runs import Runs
from evalframe.stats.means import segment_means
from evalframe.stats.segments import Floats, Ints


@dataclass(frozen=True, slots=True)
class Member:
    """Differences of one column, an entry a segment (group x arm).

    Attributes
    ----------
    diff, se, df : (S,) float64
    n_items, n_dropped, n_zeros, n_clusters : (S,) int64
    shown : (S,) bool
    unit, segment : (n,) int64
        The item or cluster, and the difference, of each contribution.
    share : (n,) float64
        What the unit adds to the deviation of the difference.
    """

    diff: Floats
    se: Floats
    df: Floats
    n_items: Ints
    n_dropped: Ints
    n_zeros: Ints
    n_clusters: Ints
    shown: Bools
    unit: Ints
    segment: Ints
    share: Floats


def paired_member(runs: Runs, column: str, arms: Arms, missing: str) -> Member:
    """Return the paired differences of a column from the baseline."""
    pairs = paired_means(runs, column, arms.baseline, arms.others, missing)
    known = cells(runs, pairs.arm - pairs.baseline)
    scale = np.zeros(known.n_segments)
    base, arm = np.abs(pairs.baseline[known.known]), np.abs(pairs.arm[known.known])
    np.maximum.at(scale, known.segment, np.maximum(base, arm))
    found = segment_means(known.value, known.segment, known.n_segments, known.cluster, scale)
    unit = np.nonzero(known.known)[0]
    share = (known.value - found.mean[known.segment]) / found.n[known.segment]
    spread = (found.n_clusters > 1) & (found.se > 0)
    return Member(
        diff=found.mean,
        se=found.se,
        df=np.where(spread, found.n_clusters - 1.0, np.nan),
        n_items=found.n,
        n_dropped=known.count(pairs.n_dropped),
        n_zeros=known.count(pairs.n_zeros),
        n_clusters=found.n_clusters,
        shown=known.count(pairs.present) > 0,
        unit=unit if runs.unit_cluster is None else runs.unit_cluster[unit],
        segment=known.segment,
        share=share,
    )


def unpaired_member(runs: Runs, column: str, arms: Arms, missing: str) -> Member:
    """Return the differences of the arms' own means from the baseline's."""
    if missing == "raise":
        refuse_missing(runs, column, 'leave them out with missing="drop"')
    means = reduce(runs, column, zero=missing == "zero")
    found, _ = pair_gaps(runs, means, arms.baseline, arms.others)
    lost = pair_sums(runs, means.n_missing, arms.baseline, arms.others)
    rows = pair_sums(runs, means.n_values + means.n_missing, arms.baseline, arms.others)
    unit, segment, share = _shares(runs, means, arms)
    return Member(
        diff=found.diff,
        se=found.se,
        df=np.where(found.se > 0, found.df, np.nan),
        n_items=found.n_first + found.n_second,
        n_dropped=lost if missing == "drop" else np.zeros_like(lost),
        n_zeros=lost if missing == "zero" else np.zeros_like(lost),
        n_clusters=found.n_clusters,
        shown=rows > 0,
        unit=unit,
        segment=segment,
        share=share,
    )


def _shares(runs: Runs, means: ItemMeans, arms: Arms) -> tuple[Ints, Ints, Floats]:
    """Return what each item of either arm adds to each difference."""
    known = cells(runs, means.mean)
    whole = segment_means(known.value, known.segment, known.n_segments)
    with np.errstate(invalid="ignore", divide="ignore"):
        own = (means.mean - whole.mean[known.grid]) / whole.n[known.grid]
    n_arms, n_others = len(runs.arms), len(arms.others)
    parts = []
    for place, other in enumerate(arms.others):
        for arm, sign in ((arms.baseline, -1.0), (other, 1.0)):
            unit = np.flatnonzero(known.known[:, arm])
            # Without clusters the arms' items are independent, whatever their ids.
            code = unit * n_arms + arm if runs.unit_cluster is None else runs.unit_cluster[unit]
            parts.append((code, runs.unit_group[unit] * n_others + place, sign * own[unit, arm]))
    if not parts:
        none = np.zeros(0, dtype=np.int64)
        return none, none, np.zeros(0)
    unit, segment, share = (np.concatenate(one) for one in zip(*parts, strict=True))
    return unit, segment, share
