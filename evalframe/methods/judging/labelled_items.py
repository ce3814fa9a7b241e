"""A judge's scores and the labels of some items, as item values side by side."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe import roles
from evalframe.arms import Arms
from evalframe.errors import FrameError, RoleError
from evalframe.keys import key_columns, key_text
from evalframe.labels import complete, to_codes
from evalframe.matrix import Cells, cells, reduce
from evalframe.pairing import paired_means, refuse_disjoint
from evalframe.runs import Runs
from evalframe.stats.label_pairs import rarest
from evalframe.stats.segments import Floats, Ints

Bools = NDArray[np.bool_]

# What a missing score of the judge does.
MISSING = ("raise", "drop")


@dataclass(frozen=True, slots=True)
class LabelledItems:
    """Items with a judge's score, a segment for each group and arm (or difference of arms).

    Attributes
    ----------
    judge : Cells
        Item means of the judge, or their differences.
    gold : (m,) float64
        The label of each of them, NaN where it has none.
    unit : (m,) int64
    stratum : (m,) int64 or None
    rarest : (S,) float64
        Labels of the rarer class where there are two, in the arm that has fewest.
    n_fewest : (S,) int64
        Labelled items of the arm that has fewest.
    n_dropped, n_conflicts, n_partly, n_half : (S,) int64
        Scores (or keys of two arms) left out; items whose runs have differing labels; items of
        which some runs have a label; items of which one arm alone has one.
    shown : (S,) bool
        Segments that have rows at all.
    """

    judge: Cells
    gold: Floats
    unit: Ints
    stratum: Ints | None
    rarest: Floats
    n_fewest: Ints
    n_dropped: Ints
    n_conflicts: Ints
    n_partly: Ints
    n_half: Ints
    shown: Bools


@dataclass(frozen=True, slots=True)
class _Labels:
    """The label of each unit by each arm, NaN where it has none, and how its runs agree."""

    value: Floats
    conflict: Bools
    partly: Bools


def check_columns(frame: pd.DataFrame, judge: str, gold: str) -> list[str]:
    """Return the columns of judge and labels, and refuse one column for both."""
    roles.check_names(frame)
    named = {"judge": judge, "gold": gold}
    columns = {
        role: roles.COLUMN.get(column, column) if isinstance(column, str) else column
        for role, column in named.items()
    }
    roles.need(frame, columns)
    names = list(columns.values())
    if names[0] == names[1]:
        raise RoleError(
            f"judge and gold must be two columns, found {judge!r} twice: scores of all items, and "
            "labels of some, missing elsewhere"
        )
    return names


def refuse_unjudged(runs: Runs, judge: str) -> None:
    """Raise where a row has no score of the judge."""
    rows = np.flatnonzero(np.isnan(runs.values[judge]))
    if len(rows):
        first = key_text(runs.frame, int(rows[0]), key_columns(runs.frame, runs.by_names))
        raise FrameError.of_rows(
            f"column {judge!r} must have a score in every row",
            "none",
            rows,
            'let the judge score them, or leave them out with missing="drop"',
            column=judge,
            first=first,
        )


def labelled_arms(
    runs: Runs, columns: list[str], strata: str | None, missing: str
) -> LabelledItems:
    """Return the items of each arm."""
    judge, gold = columns
    if missing == "raise":
        refuse_unjudged(runs, judge)
    means, labels = reduce(runs, judge), _labels(runs, gold)
    known = cells(runs, means.mean)
    found = labels.value[known.known]
    stratum = None if strata is None else _strata(runs, strata)[known.known]
    seen = ~np.isnan(found)
    return LabelledItems(
        judge=known,
        gold=found,
        unit=np.nonzero(known.known)[0],
        stratum=stratum,
        rarest=rarest(found[seen], known.segment[seen], known.n_segments),
        n_fewest=np.bincount(known.segment[seen], minlength=known.n_segments),
        n_dropped=known.count(means.n_missing),
        n_conflicts=known.count(labels.conflict & known.known),
        n_partly=known.count(labels.partly & known.known),
        n_half=np.zeros(known.n_segments, dtype=np.int64),
        shown=known.count(means.n_values + means.n_missing) > 0,
    )


def labelled_pairs(
    runs: Runs, columns: list[str], arms: Arms, strata: str | None, missing: str
) -> LabelledItems:
    """Return the differences of each other arm from the baseline, item by item."""
    judge, gold = columns
    if missing == "raise":
        refuse_unjudged(runs, judge)
    pairs = paired_means(runs, judge, arms.baseline, arms.others, missing)
    refuse_disjoint([pairs], runs.arms, arms)
    labels, base = _labels(runs, gold), [arms.baseline] * len(arms.others)
    known = cells(runs, pairs.arm - pairs.baseline)
    sides = [labels.value[:, side] for side in (base, arms.others)]
    both = known.known & ~np.isnan(sides[0]) & ~np.isnan(sides[1])
    one = known.known & (np.isnan(sides[0]) != np.isnan(sides[1]))
    rare = [rarest(side[both], known.grid[both], known.n_segments) for side in sides]
    stratum = None
    if strata is not None:
        of = _strata(runs, strata)
        # Both arms' labels are drawn: an item's chance of both is that of its two strata.
        crossed = of[:, base] * (int(of.max(initial=0)) + 1) + of[:, arms.others]
        stratum = crossed[known.known]
    conflict = labels.conflict[:, base] | labels.conflict[:, arms.others]
    partly = labels.partly[:, base] | labels.partly[:, arms.others]
    return LabelledItems(
        judge=known,
        gold=np.where(both, sides[1] - sides[0], np.nan)[known.known],
        unit=np.nonzero(known.known)[0],
        stratum=stratum,
        rarest=np.fmin(*rare),
        n_fewest=known.count(both),
        n_dropped=known.count(pairs.n_dropped),
        n_conflicts=known.count(conflict & both),
        n_partly=known.count(partly & both),
        n_half=known.count(one),
        shown=known.count(pairs.present) > 0,
    )


def _labels(runs: Runs, gold: str) -> _Labels:
    """Return one label an item and arm: the mean of those of its runs."""
    means = reduce(runs, gold)
    values, known = runs.values[gold], ~np.isnan(runs.values[gold])
    cell = runs.unit[known] * len(runs.arms) + runs.arm[known]
    low, high = np.full(means.mean.size, np.inf), np.full(means.mean.size, -np.inf)
    np.minimum.at(low, cell, values[known])
    np.maximum.at(high, cell, values[known])
    shape = means.mean.shape
    return _Labels(
        # The mean of equal labels is that label, which a sum of them may miss by rounding.
        value=np.where((low == high).reshape(shape), low.reshape(shape), means.mean),
        conflict=(low < high).reshape(shape),
        partly=(means.n_values > 0) & (means.n_missing > 0),
    )


def _strata(runs: Runs, strata: str) -> Ints:
    """Return the stratum of each unit by each arm, 0 where the arm has no row of it."""
    roles.need(runs.frame, {"strata": strata})
    codes = complete(to_codes(runs.frame[strata], strata, sort=False, fractions=True), strata).codes
    of = np.zeros((runs.n_units, len(runs.arms)), dtype=np.int64)
    of[runs.unit, runs.arm] = codes
    rows = np.flatnonzero(of[runs.unit, runs.arm] != codes)
    if len(rows):
        first = key_text(runs.frame, int(rows[0]), ["item_id"])
        raise FrameError.of_rows(
            f"column {strata!r} must be the same in all runs of an item by an arm",
            "another one",
            rows,
            "give an item one stratum: how likely it was to get a label",
            column=strata,
            first=first,
        )
    return of
