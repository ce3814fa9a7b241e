"""What a plan of labels rests on: said in numbers, or as a pilot shows it."""

from dataclasses import dataclass

import numpy as np

from evalframe.errors import short
from evalframe.methods.arguments import check_within
from evalframe.methods.judging.labelled_items import LabelledItems
from evalframe.results import Said
from evalframe.stats.label_needs import LEAST, Scene
from evalframe.stats.label_pairs import correlation, repeated
from evalframe.stats.means import segment_means
from evalframe.stats.segments import Floats, Ints
from evalframe.stats.variance import intraclass, layout

# Whole numbers up to this are exact.
MOST = 2**53
# Below this many labels a pilot's correlation is a rough guess.
ROUGH = 30


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a user may say of labels and judge; None is what is not said."""

    n_items: int | None
    correlation: float | None
    sd_gold: float | None
    sd_judge: float | None
    icc: float | None
    cluster_size: float | None
    clip: bool

    def check(self) -> None:
        """Raise ValueError where a number cannot be."""
        whole = isinstance(self.n_items, int | np.integer) and not isinstance(self.n_items, bool)
        if self.n_items is not None and (not whole or not 3 <= self.n_items <= MOST):
            raise ValueError(
                f"n_items must be an integer of at least 3 and at most 2**53, not "
                f"{short(self.n_items)}"
            )
        check_within("correlation", self.correlation, -1.0, 1.0)
        check_within("sd_gold", self.sd_gold, 0.0, np.inf, open_low=True)
        check_within("sd_judge", self.sd_judge, 0.0, np.inf, open_low=True)
        check_within("icc", self.icc, 0.0, 1.0)
        check_within("cluster_size", self.cluster_size, 1.0, np.inf)


def scene_of_numbers(given: Numbers) -> tuple[Scene, list[Said]]:
    """Return what numbers alone say."""
    if given.n_items is None or given.correlation is None:
        raise ValueError(
            "a plan of labels needs n_items=, the items that the judge scores, and correlation=, "
            "that of judge and label; or a pilot: df.evals.label_plan(judge=..., gold=...)"
        )
    if (given.icc is None) != (given.cluster_size is None):
        raise ValueError(
            "icc and cluster_size go together: clusters cost as much as items are alike times how "
            f"many share one; found icc={given.icc!r}, cluster_size={given.cluster_size!r}"
        )
    # The largest that 0/1 labels can have.
    sd = 0.5 if given.sd_gold is None else float(given.sd_gold)
    icc, size = given.icc or 0.0, given.cluster_size or 1.0
    scene = Scene(
        n_items=np.array([float(given.n_items)]),
        sd_gold=np.array([sd]),
        sd_judge=np.array([float(given.sd_judge or sd)]),
        correlation=np.array([float(given.correlation)]),
        icc_rest=np.array([float(icc)]),
        icc_judge=np.array([float(icc)]),
        cluster_size=np.array([float(size)]),
        clip=given.clip,
    )
    unsaid = np.array([given.sd_gold is None])
    return scene, [(unsaid, "sd_gold 0.5 taken, the largest of 0/1 labels")]


def scene_of_pilot(items: LabelledItems, given: Numbers) -> tuple[Scene, list[Said]]:
    """Return what the labelled items of a pilot show."""
    known, seen = items.judge, ~np.isnan(items.gold)
    gold, of = items.gold[seen], known.segment[seen]
    judge = segment_means(known.value, known.segment, known.n_segments)
    labels = segment_means(gold, of, known.n_segments)
    alike = correlation(known.value, items.gold, known.segment, known.n_segments)
    here = segment_means(known.value[seen], of, known.n_segments)
    none = np.zeros(known.n_segments)
    icc_rest, icc_judge, size = none, none, np.ones(known.n_segments)
    alone = np.zeros(known.n_segments, dtype=bool)
    if known.cluster is not None:
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = np.nan_to_num(alike * labels.se / here.se)
        rest = gold - slope[of] * known.value[seen]
        icc_rest, _ = _clusters(rest, of, known.cluster[seen], known.n_segments)
        icc_judge, size = _clusters(known.value, known.segment, known.cluster, known.n_segments)
        alone = (size == judge.n) & (judge.n > 1)
    n_items = judge.n if given.n_items is None else np.full(len(judge.n), given.n_items)
    scene = Scene(
        n_items=n_items.astype(np.float64),
        sd_gold=labels.se * np.sqrt(labels.n),
        sd_judge=judge.se * np.sqrt(judge.n),
        correlation=np.where(alone, np.nan, alike),
        icc_rest=icc_rest,
        icc_judge=icc_judge,
        cluster_size=size,
        clip=given.clip,
        repeats=repeated(known.value, items.gold, known.segment, known.n_segments),
    )
    few = (labels.n < ROUGH) & ~np.isnan(alike) & ~alone
    return scene, [
        (labels.n < LEAST, f"under {LEAST} labels: a pilot needs some to plan for more"),
        ((labels.n >= LEAST) & np.isnan(alike), "labels or judge are all alike: no correlation"),
        (alone, "1 cluster: it does not show how clusters differ; cluster=False ignores them"),
        (few, lambda row: f"a pilot of {labels.n[row]:,} labels: its correlation is rough"),
    ]


def _clusters(
    values: Floats, segment: Ints, cluster: Ints, n_segments: int
) -> tuple[Floats, Floats]:
    """Return the intraclass correlation, 0 where it is not known or below, and the mean size."""
    parts = layout(values, segment, cluster, n_segments)
    with np.errstate(invalid="ignore", divide="ignore"):
        size = np.where(parts.n > 0, parts.n / parts.n_clusters, 1.0)
    return np.clip(np.nan_to_num(intraclass(parts)), 0.0, 1.0), size
