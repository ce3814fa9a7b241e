"""Differences of arms that were debiased each by itself."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evalframe.arms import Arms
from evalframe.methods.judging.labelled_items import LabelledItems
from evalframe.runs import Runs
from evalframe.stats.double_samples import cluster_squares
from evalframe.stats.prediction import Predicted
from evalframe.stats.segments import Floats, Ints
from evalframe.stats.welch import added_df


@dataclass(frozen=True, slots=True)
class _Sides:
    """Which of the entries of groups and arms are of a comparison's two sides."""

    arms: Arms
    n_arms: int

    def pair(self, values: Floats | Ints | NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Return the baseline's entries, once for each other arm, and the others'."""
        table = np.asarray(values, dtype=np.float64).reshape(-1, self.n_arms)
        base = [self.arms.baseline] * len(self.arms.others)
        return table[:, base].ravel(), table[:, self.arms.others].ravel()

    def apart(self, values: Floats) -> Floats:
        """Return the others' entries less the baseline's."""
        base, arm = self.pair(values)
        return arm - base

    def sum(self, values: Ints) -> Ints:
        """Return the sums of both."""
        base, arm = self.pair(values)
        return (base + arm).astype(np.int64)


def gaps(
    runs: Runs, items: LabelledItems, found: Predicted, arms: Arms
) -> tuple[LabelledItems, Predicted]:
    """Return each other arm's mean less the baseline's, with what both arms' items share.

    Errors are those of sums over clusters (or items) of both arms, so that items, or clusters,
    which both answered make the difference better known. Degrees of freedom are Welch's, of the
    two arms' own errors.
    """
    of = _Sides(arms, max(len(runs.arms), 1))
    se, gold_se = (_joint(runs, items, pull, arms) for pull in (found.pull, found.label_pull))
    none = np.full(len(se), np.nan)
    joint = Predicted(
        estimate=of.apart(found.estimate),
        se=np.where(np.isnan(of.apart(found.se)), np.nan, se),
        extra=np.add(*of.pair(found.extra)),
        df=added_df(np.stack(of.pair(found.se**2 + found.extra)), np.stack(of.pair(found.df))),
        lam=none,
        judge=of.apart(found.judge),
        gold=of.apart(found.gold),
        gold_se=np.where(np.isnan(of.apart(found.gold_se)), np.nan, gold_se),
        bias=of.apart(found.bias),
        correlation=none,
        n=of.sum(found.n),
        n_labelled=of.sum(found.n_labelled),
        n_clusters=_clusters(runs, items, arms),
        n_strata=of.sum(found.n_strata),
        n_bare=of.sum(found.n_bare),
        n_lone=of.sum(found.n_lone),
        alike=np.logical_or(*of.pair(found.alike)),
        varies=np.logical_or(*of.pair(found.varies)),
        pull=found.pull,
        label_pull=found.label_pull,
    )
    drawn = replace(
        items,
        rarest=np.fmin(*of.pair(items.rarest)),
        n_fewest=np.minimum(*of.pair(items.n_fewest)).astype(np.int64),
        n_dropped=of.sum(items.n_dropped),
        n_conflicts=of.sum(items.n_conflicts),
        n_partly=of.sum(items.n_partly),
        shown=of.pair(items.shown)[1] > 0,
        n_half=of.sum(items.n_half),
    )
    return drawn, joint


def _places(runs: Runs, items: LabelledItems) -> tuple[Ints, Ints, Ints]:
    """Return the arm, the group and the cluster (or item) of each item of an arm."""
    group, arm = np.divmod(items.judge.segment, max(len(runs.arms), 1))
    code = items.unit if runs.unit_cluster is None else runs.unit_cluster[items.unit]
    return arm, group, code


def _joint(runs: Runs, items: LabelledItems, pull: Floats, arms: Arms) -> Floats:
    """Return the error of each difference, over the clusters (or items) of both arms."""
    arm, group, code = _places(runs, items)
    errors = np.zeros((len(runs.by), len(arms.others)))
    for place, other in enumerate(arms.others):
        chosen = (arm == other) | (arm == arms.baseline)
        signed = np.where(arm == other, pull, -pull)[chosen]
        errors[:, place] = cluster_squares(signed, code[chosen], group[chosen], len(runs.by))
    joint: Floats = np.sqrt(errors).ravel()
    return joint


def _clusters(runs: Runs, items: LabelledItems, arms: Arms) -> Ints:
    """Count the clusters (or items) of each two arms, those of both once."""
    arm, group, code = _places(runs, items)
    n_codes = int(code.max(initial=-1)) + 1
    counts = np.zeros((len(runs.by), len(arms.others)), dtype=np.int64)
    for place, other in enumerate(arms.others):
        chosen = (arm == other) | (arm == arms.baseline)
        seen = np.unique(group[chosen] * n_codes + code[chosen])
        counts[:, place] = np.bincount(seen // max(n_codes, 1), minlength=len(runs.by))
    return counts.ravel()
