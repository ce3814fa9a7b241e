"""Two arms item by item: what a picture of their agreement shows."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe.arms import arm_code, select_arms
from evalframe.errors import DesignError, FrameError
from evalframe.methods.arguments import MISSING, by_columns, check_choice, value_columns
from evalframe.pairing import PairedMeans, check_prompts, paired_means, refuse_disjoint
from evalframe.roles import metric_name
from evalframe.runs import Runs, select

Floats = NDArray[np.float64]

# Means of other sums in another order differ by no more than this share of their size.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class ItemPairs:
    """The items that two arms share, in the order of their groups and ids.

    Attributes
    ----------
    baseline_label, arm_label : label
    metric : str
        What was measured, as results name it.
    by_names : list of str
        Columns of `labels` whose groups are apart.
    labels : DataFrame of I rows
        The `by` columns, ``item_id``, and ``cluster_id`` where the frame has clusters.
    baseline, arm : (I,) float64
        Item means over the shared seeds. No NaN.
    n_dropped, n_zeros : int
        (item, seed) keys left out, and missing values counted as 0.
    """

    baseline_label: Hashable
    arm_label: Hashable
    metric: str
    by_names: list[str]
    labels: pd.DataFrame
    baseline: Floats
    arm: Floats
    n_dropped: int
    n_zeros: int

    @property
    def side(self) -> NDArray[np.int64]:
        """(I,) int64: 1 where the arm's mean is higher, -1 where the baseline's is, else 0."""
        size = np.maximum(np.abs(self.arm), np.abs(self.baseline))
        diff = self.arm - self.baseline
        return np.where(np.abs(diff) <= ROUNDING * size, 0, np.sign(diff)).astype(np.int64)

    @property
    def binary(self) -> bool:
        """Whether every mean is 0 or 1."""
        return bool(np.isin(self.baseline, (0, 1)).all() and np.isin(self.arm, (0, 1)).all())


def item_pairs(
    frame: pd.DataFrame,
    baseline: object,
    *,
    arm: object,
    value: str,
    by: str | Sequence[str] | None,
    missing: str,
) -> ItemPairs:
    """Pair the item means of two arms, whatever other arms the frame has.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs.
    baseline, arm : label
        The two arms; `arm` may be None where there is one other.
    value : str
    by : str or sequence of str, optional
    missing : {"raise", "drop", "zero"}
        As in `compare`.

    Raises
    ------
    DesignError
        If an arm is not there, there are several to choose from, or the two are not paired.
    RoleError, FrameError, ValueError
        As in `compare`; FrameError for a frame without rows.
    """
    check_choice("missing", missing, MISSING)
    columns = value_columns(value, frame)
    if len(columns) > 1:
        raise ValueError(f"value must name one column, found {columns!r}")
    groups = by_columns(by, "compare")
    runs = select(frame, columns, by=groups, prompts=True)
    if len(frame) == 0:
        raise FrameError("item pairs need a frame with rows, found 0 rows; look at what was read")
    two = [select_arms(runs.arms, baseline).baseline, _other(runs.arms, baseline, arm)]
    if len(runs.arms) > 2:
        # Read again without the others, whose missing scores and keys are of no matter here.
        runs = select(frame[np.isin(runs.arm, two)], columns, by=groups, prompts=True)
    arms = select_arms(runs.arms, baseline)
    check_prompts(runs)
    pairs = paired_means(runs, columns[0], arms.baseline, arms.others, missing)
    refuse_disjoint([pairs], runs.arms, arms)
    labels = runs.arms.tolist()
    names = labels[arms.baseline], labels[arms.others[0]]
    return _sorted(runs, pairs, names, metric_name(columns[0]))


def _other(labels: pd.Index, baseline: object, arm: object) -> int:
    """Return the code of the arm that is held against the baseline."""
    base = arm_code(labels, baseline, "baseline")
    others = [code for code in range(len(labels)) if code != base]
    if arm is None and len(others) > 1:
        known = labels.tolist()
        raise DesignError(
            f"item pairs are of two arms, found {len(others):,} beside {known[base]!r}: "
            f"{', '.join(repr(known[code]) for code in others[:20])}; choose one: "
            f"arm={known[others[0]]!r}"
        )
    code = others[0] if arm is None else arm_code(labels, arm, "arm")
    if code == base:
        raise DesignError(f"arm must name another arm than the baseline, found {arm!r} for both")
    return code


def _sorted(
    runs: Runs, pairs: PairedMeans, names: tuple[Hashable, Hashable], metric: str
) -> ItemPairs:
    """Return the shared items in the order of their groups and ids."""
    baseline, arm = pairs.baseline[:, 0], pairs.arm[:, 0]
    known = np.flatnonzero(~np.isnan(baseline) & ~np.isnan(arm))
    row = np.zeros(runs.n_units, dtype=np.int64)
    row[runs.unit] = np.arange(len(runs.unit))
    labels = runs.by.iloc[runs.unit_group[known]].reset_index(drop=True)
    for name in ("item_id", "cluster_id"):
        if name == "item_id" or runs.unit_cluster is not None:
            labels[name] = runs.frame[name].iloc[row[known]].reset_index(drop=True)
    order = labels.sort_values([*runs.by_names, "item_id"], kind="stable").index.to_numpy()
    return ItemPairs(
        baseline_label=names[0],
        arm_label=names[1],
        metric=metric,
        by_names=runs.by_names,
        labels=labels.iloc[order].reset_index(drop=True),
        baseline=baseline[known][order],
        arm=arm[known][order],
        n_dropped=int(pairs.n_dropped.sum()),
        n_zeros=int(pairs.n_zeros.sum()),
    )
