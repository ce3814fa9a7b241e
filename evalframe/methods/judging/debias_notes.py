"""What a reader of a debiased mean must know, row by row."""

import numpy as np

from evalframe.methods.judging.labelled_items import LabelledItems
from evalframe.methods.remarks import counted
from evalframe.results import Said
from evalframe.stats.prediction import Predicted

# With fewer labels of a class than this nothing holds: an interval cannot know of a class that it
# has hardly seen.
RARE = 5
# From this many labels on the limits were seen to hold.
FEW = 15
# Of a judge on the labels' scale lambda goes past 1 by chance, but hardly past this.
BEYOND = 1.25


def notes(items: LabelledItems, found: Predicted, clustered: bool, interval: str) -> list[Said]:
    """Say in words what the numbers of each row cannot."""
    n, some = found.n_labelled, found.n > 0
    return [
        (~some, "no item with a judge's score"),
        (some & (n == 0), "no label: nothing is known of the judge"),
        *_unknown(found, clustered, interval),
        *_doubts(items, found, clustered),
        *_counts(items),
    ]


def _unknown(found: Predicted, clustered: bool, interval: str) -> list[Said]:
    """Say why an estimate, an error or limits are not there."""
    n = found.n_labelled
    bare = (found.n_bare > 0) & (n > 0)
    known = (n > 1) & ~bare
    unit = "cluster" if clustered else "item"
    bound = known & (found.n_lone == 0) & ~found.alike & np.isnan(found.df) & (interval == "t")
    return [
        (
            bare,
            lambda row: (
                f"{counted(found.n_bare[row], 'stratum', 'strata')} without a label: "
                "nothing is known there"
            ),
        ),
        (n == 1, "1 label: it tells neither lambda nor an error"),
        (
            known & (found.n_lone > 0),
            lambda row: (
                f"labels of 1 {unit} only"
                + (
                    f" in {counted(found.n_lone[row], 'stratum', 'strata')}"
                    if found.n_strata[row] > 1
                    else ""
                )
                + ": no standard error"
            ),
        ),
        (
            known & found.alike,
            "labels are all alike: they tell no error, and no interval is honest",
        ),
        (bound, lambda row: f"{counted(n[row], 'label')}: no degree of freedom is left for limits"),
    ]


def _doubts(items: LabelledItems, found: Predicted, clustered: bool) -> list[Said]:
    """Say why numbers that are there may mislead."""
    n, rest = found.n_labelled, found.n - found.n_labelled
    with np.errstate(invalid="ignore"):
        rare = (items.rarest < RARE) & (n > 0)
        few = (n > 0) & (items.n_fewest < FEW)
        outside = (found.lam < 0) | (found.lam > BEYOND)
        fits = np.abs(found.correlation) > 1 - 1e-12
        worse = found.se > found.gold_se
        thin = clustered & (found.df < FEW - 2)
    used = (rest > 0) & (n > 1)
    return [
        (
            few,
            lambda row: f"{counted(items.n_fewest[row], 'label')}, under {FEW}: limits are rough",
        ),
        (
            rare,
            lambda row: (
                f"{counted(int(items.rarest[row]), 'label')} of the rarer class, under {RARE}: "
                "there estimate, error and limits do not hold"
            ),
        ),
        (
            thin,
            lambda row: (
                f"{counted(round(found.df[row]), 'degree', 'degrees')} of freedom: "
                "labels lie in few clusters"
            ),
        ),
        (
            outside,
            lambda row: (
                f"lambda {found.lam[row]:.3g} is outside 0 to 1: the judge is on another scale "
                "than the labels, or against them"
            ),
        ),
        (fits & used, "the judge fits all labels: how often it fails was not seen"),
        (used & ~found.varies & ~np.isnan(found.gold), "the judge does not tell labels apart"),
        ((n > 0) & (rest == 0), "every item has a label: the judge adds nothing"),
        (worse, "the judge makes the error larger"),
    ]


def _counts(items: LabelledItems) -> list[Said]:
    """Say what was left out or averaged."""
    conflicts, partly = items.n_conflicts, items.n_partly
    half = items.n_half
    return [
        (
            conflicts > 0,
            lambda row: (
                f"{counted(conflicts[row], 'item has', 'items have')} differing labels: "
                "their mean is taken"
            ),
        ),
        (
            partly > 0,
            lambda row: (
                f"{counted(partly[row], 'item is', 'items are')} labelled in some of "
                "their runs alone"
            ),
        ),
        (
            half > 0,
            lambda row: (
                f"{counted(half[row], 'item is', 'items are')} labelled in one arm alone, "
                "which is not used; paired=False would"
            ),
        ),
        left_out(items),
    ]


def left_out(items: LabelledItems) -> Said:
    """Say how many items (of paired arms: keys) the judge or an arm does not have."""
    n = items.n_dropped
    return n > 0, lambda row: f"{n[row]:,} without a judge's score or a pair dropped"
