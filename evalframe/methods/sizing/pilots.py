"""The variance that a plan rests on, as the runs of a pilot show it."""

from dataclasses import dataclass

import numpy as np

from evalframe.arms import Arms
from evalframe.errors import DesignError
from evalframe.methods.noise.single_runs import Bools, Measured, measure
from evalframe.methods.sizing.spread import Numbers, Spread
from evalframe.runs import Runs
from evalframe.stats.means import segment_means
from evalframe.stats.segments import Floats
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


def from_pilot(
    runs: Runs, column: str, arms: Arms, missing: str, given: Numbers
) -> tuple[Spread, Measured]:
    """Return the variance that a pilot shows at the planned runs and clusters.

    The pilot's own cluster-robust error holds its design effect. It is used as it is where clusters
    stay as they are; where the plan names others, the variance of independent items is multiplied
    by theirs. Neither is done on top of the other.
    """
    given.check()
    if given.paired:
        found = measure(runs, column, arms, missing)
        shown = _show(found)
        parts = [shown]
    else:
        found = measure(runs, column, None, missing)
        shown = _show(found)
        parts = [_arm(shown, len(runs.arms), [arms.baseline] * len(arms.others))]
        parts.append(_arm(shown, len(runs.arms), arms.others))
    change = sum((_change(part, given) for part in parts), np.zeros(len(parts[0].seeds)))
    independent = sum((part.independent for part in parts), np.zeros(len(change)))
    robust = sum((part.clustered for part in parts), np.zeros(len(change)))
    variance = independent + change
    last = parts[-1]
    known = runs.unit_cluster is not None
    icc = last.icc if given.icc is None else np.full(len(change), float(given.icc))
    size = last.size if given.cluster_size is None else np.full(len(change), given.cluster_size)
    squares = last.squares if given.cluster_size is None else size
    if given.icc is not None or given.cluster_size is not None:
        if given.cluster_size is None and not known:
            raise DesignError("icc needs cluster_size= where the frame has no clusters")
        robust = independent * (1 + (squares - 1) * icc)
        known = True
    with np.errstate(invalid="ignore", divide="ignore"):
        effect = (robust + change) / variance
    none = np.full(len(change), np.nan)
    flat = (variance <= 0) | (robust + change <= 0)
    spread = Spread(
        variance=np.where(flat, np.nan, variance),
        design_effect=effect if known else np.ones(len(change)),
        icc=icc if known else none,
        cluster_size=size if known else none,
        seeds=last.seeds if given.seeds is None else np.full(len(change), float(given.seeds)),
        n_items=last.n_items,
        notes=_notes(parts, flat, change, runs.unit_cluster is not None),
    )
    return spread, found


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
    )


def _arm(shown: _Shown, n_arms: int, arms: list[int]) -> _Shown:
    """Return the entries of some arms, group by group."""
    picked = {
        name: getattr(shown, name).reshape(-1, max(n_arms, 1))[:, arms].ravel()
        for name in _Shown.__dataclass_fields__
    }
    return _Shown(**picked)


def _change(part: _Shown, given: Numbers) -> Floats:
    """Return by how much the planned runs per item change the variance of an item's mean."""
    if given.seeds is None:
        return np.zeros(len(part.seeds))
    planned = np.where(part.seeds == given.seeds, part.item_mean, part.one_run / given.seeds)
    change: Floats = planned - part.item_mean
    change = np.where(part.seeds == given.seeds, 0.0, change)
    if len(change) and np.isnan(change).all() and not np.isnan(part.seeds).all():
        raise DesignError(
            f"seeds={given.seeds} needs a pilot with two seeds or more of some items, found one "
            "run of each; run some items again, or leave seeds out to plan for one run"
        )
    return change


def _notes(
    parts: list[_Shown], flat: Bools, change: Floats, clustered: bool
) -> list[tuple[Bools, str]]:
    least = np.min([part.n_units for part in parts], axis=0)
    unit = "clusters" if clustered else "items"
    return [
        (least == 0, "no item to plan from"),
        (least == 1, f"1 of the {unit} only: no variance to plan from"),
        (flat & (change == 0), "the pilot shows no spread: it cannot say what a plan needs"),
        (flat & (change != 0), "the pilot sees no variance left with that many runs"),
        ((least > 1) & (least < ROUGH), f"a pilot of under {ROUGH} {unit}: its variance is rough"),
    ]
