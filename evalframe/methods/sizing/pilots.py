"""The variance that a plan rests on, as the runs of a pilot show it."""

from dataclasses import dataclass

import numpy as np

from evalframe.arms import Arms
from evalframe.errors import DesignError
from evalframe.methods.noise.single_runs import Bools, Measured, measure
from evalframe.methods.remarks import counted_as_zero, left_out
from evalframe.methods.sizing.spread import Numbers, Spread
from evalframe.results import Said
from evalframe.runs import Runs
from evalframe.stats.means import segment_means
from evalframe.stats.segments import Floats, Ints
from evalframe.stats.variance import intraclass, layout

# Below this many items (or clusters) a pilot's variance is a rough guess.
ROUGH = 30


@dataclass(frozen=True, slots=True)
class _Shown:
    """What one arm (or difference) shows, an entry a segment.

    Attributes
    ----------
    independent, clustered : (S,) float64
        Variance of the mean times the number of items.
    one_run, item_mean : (S,) float64
        The part of one run, and what is left of it in an item's mean.
    seeds, icc, size, squares, n_items, n_units : (S,) float64
        Runs per item; of clusters: correlation, mean size, mean size of an item's own; items, and
        clusters (or items).
    n_dropped, n_zeros : (S,) int64
        Missing values (of pairs: keys) left out, and values counted as 0.
    """

    independent: Floats
    clustered: Floats
    one_run: Floats
    item_mean: Floats
    seeds: Floats
    icc: Floats
    size: Floats
    squares: Floats
    n_items: Floats
    n_units: Floats
    n_dropped: Ints
    n_zeros: Ints


def from_pilot(
    runs: Runs, column: str, arms: Arms, missing: str, given: Numbers
) -> tuple[Spread, Measured]:
    """Return the variance that a pilot shows at the planned runs and clusters.

    The pilot's own cluster-robust error holds its design effect. It is used as it is where clusters
    stay as they are; where the plan names others, the variance of independent items is multiplied
    by theirs. Neither is done on top of the other.
    """
    given.check()
    found = measure(runs, column, arms if given.paired else None, missing)
    parts = [_show(found)]
    if not given.paired:
        sides = [arms.baseline] * len(arms.others), arms.others
        parts = [_arm(parts[0], len(runs.arms), side) for side in sides]
    last, n_rows = parts[-1], len(parts[-1].seeds)
    known, icc, size, factor = _clusters(last, given, clustered=runs.unit_cluster is not None)
    robust = [part.clustered if factor is None else part.independent * factor for part in parts]
    held = [_held(part, given, part.independent) for part in parts]
    held_robust = [_held(part, given, one) for part, one in zip(parts, robust, strict=True)]
    _check_repeated(parts, held, given)
    variance, whole = np.sum(held, axis=0), np.sum(held_robust, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        effect = whole / variance
    none = np.full(n_rows, np.nan)
    flat = (variance <= 0) | (whole <= 0)
    spread = Spread(
        variance=np.where(flat, np.nan, variance),
        design_effect=np.where(flat, np.nan, effect) if known else np.ones(n_rows),
        icc=icc if known else none,
        cluster_size=size if known else none,
        seeds=last.seeds if given.seeds is None else np.full(n_rows, float(given.seeds)),
        n_items=last.n_items,
        notes=[
            *_notes(parts, flat, np.isnan(variance), runs.unit_cluster is not None),
            *_run_notes(parts, robust, given),
            left_out(np.sum([part.n_dropped for part in parts], axis=0)),
            counted_as_zero(np.sum([part.n_zeros for part in parts], axis=0)),
        ],
    )
    return spread, found


def _clusters(
    last: _Shown, given: Numbers, *, clustered: bool
) -> tuple[bool, Floats, Floats, Floats | None]:
    """Return whether there are clusters, their icc and size, and the factor of planned ones."""
    icc = last.icc if given.icc is None else np.full(len(last.icc), float(given.icc))
    if given.icc is None and given.cluster_size is None:
        return clustered, icc, last.size, None
    if given.cluster_size is None and not clustered:
        raise DesignError("icc needs cluster_size= where the frame has no clusters")
    if given.cluster_size is None:
        return True, icc, last.size, 1 + (last.squares - 1) * icc
    size = np.full(len(icc), float(given.cluster_size))
    return True, icc, size, 1 + (size - 1) * icc


def _show(found: Measured) -> _Shown:
    known = found.known
    alone = segment_means(known.value, known.segment, known.n_segments)
    robust = segment_means(known.value, known.segment, known.n_segments, known.cluster)
    none = np.full(known.n_segments, np.nan)
    icc, size, squares = none, none, none
    if known.cluster is not None:
        parts = layout(known.value, known.segment, known.cluster, known.n_segments)
        icc, squares = np.clip(intraclass(parts), 0.0, 1.0), parts.size_squares
        with np.errstate(invalid="ignore", divide="ignore"):
            size = parts.n / parts.n_clusters
    with np.errstate(invalid="ignore", divide="ignore"):
        seeds = found.n_responses / alone.n
    return _Shown(
        independent=alone.se**2 * alone.n,
        clustered=robust.se**2 * alone.n,
        one_run=found.noise.one_run,
        item_mean=found.noise.item_mean,
        seeds=seeds,
        icc=icc,
        size=size,
        squares=squares,
        n_items=alone.n.astype(np.float64),
        n_units=robust.n_clusters.astype(np.float64),
        n_dropped=found.n_dropped,
        n_zeros=found.n_zeros,
    )


def _arm(shown: _Shown, n_arms: int, arms: list[int]) -> _Shown:
    """Return the entries of some arms, group by group."""
    picked = {
        name: getattr(shown, name).reshape(-1, max(n_arms, 1))[:, arms].ravel()
        for name in _Shown.__dataclass_fields__
    }
    return _Shown(**picked)


def _held(part: _Shown, given: Numbers, variance: Floats) -> Floats:
    """Return a variance of the pilot at the planned runs per item.

    What is not of the runs is held at 0, as `variance` holds it: a sample may show less than its
    runs alone are expected to leave.
    """
    if given.seeds is None:
        return variance
    same = part.seeds == given.seeds
    left = np.where(same, part.item_mean, part.one_run / given.seeds)
    held = np.maximum(variance - part.item_mean, 0.0) + left
    # A pilot of single runs tells no part of theirs, and the plan for one run asks for none.
    return np.where(same & np.isnan(part.item_mean), variance, held)


def _check_repeated(parts: list[_Shown], held: list[Floats], given: Numbers) -> None:
    """Raise where no row shows how far runs of an item differ."""
    for part, one in zip(parts, held, strict=True):
        if len(one) and np.isnan(one).all() and not np.isnan(part.independent).all():
            raise DesignError(
                f"seeds={given.seeds} needs a pilot with two seeds or more of some items, found "
                "one run of each; run some items again, or leave seeds out to plan for one run"
            )


def _run_notes(parts: list[_Shown], robust: list[Floats], given: Numbers) -> list[Said]:
    """Say where the runs of the pilot hide what does not come from them."""
    if given.seeds is None:
        return []
    pairs = list(zip(parts, robust, strict=True))
    none = np.any([(part.item_mean > 0) & (one <= part.item_mean) for part, one in pairs], axis=0)
    most = np.any([one < 2 * part.item_mean for part, one in pairs], axis=0)
    return [
        (
            none,
            "the pilot sees no variance between items beyond that of its runs: planned for the "
            "runs alone, take some more items",
        ),
        (most & ~none, "runs make up most of the pilot's variance: the rest of it is rough"),
    ]


def _notes(parts: list[_Shown], flat: Bools, unknown: Bools, clustered: bool) -> list[Said]:
    least = np.min([part.n_units for part in parts], axis=0)
    unit = "clusters" if clustered else "items"
    return [
        (least == 0, "no item to plan from"),
        (least == 1, f"1 of the {unit} only: no variance to plan from"),
        (flat, "the pilot shows no spread: it cannot say what a plan needs"),
        (unknown & (least > 1), "one run of each item: no variance between runs to plan from"),
        ((least > 1) & (least < ROUGH), f"a pilot of under {ROUGH} {unit}: its variance is rough"),
    ]
