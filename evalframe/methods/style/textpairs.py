"""Completions of one arm beside the references of the same items, as arrays of metrics."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalframe.errors import SHOWN, DesignError
from evalframe.methods.style.author import Bools, Ints, Sides

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Texts:
    """What is known of each row's text.

    Attributes
    ----------
    values : (n, M) float64
        Metrics of each row.
    known : (n,) bool
        Rows with a text; all of them where no metric reads one.
    rank : (n,) int64
        Place of each text among all different ones, sorted; 0 where no metric reads one.
    """

    values: Floats
    known: Bools
    rank: Ints


@dataclass(frozen=True, slots=True)
class Pairs:
    """Completions of an arm and references, paired by item.

    Attributes
    ----------
    group, arm : int
        Codes.
    item : (U,) int64
        Item of each pair.
    x : (R, U, M) float64
        Metrics of the completions of R runs; NaN where the run has no pair.
    y : (U, M) float64
        Metrics of the references.
    n_most, n_paired : int
        Pairs of the run that has most, and of all runs.
    n_dropped : int
        Completions and references of a run that were left out.
    n_skipped : int
        Rows of the arm marked as training.
    """

    group: int
    arm: int
    item: Ints
    x: Floats
    y: Floats
    n_most: int
    n_paired: int
    n_dropped: int
    n_skipped: int


def training_rows(sides: Sides, texts: Texts, rows: Ints) -> Ints:
    """Return which of some rows calibrate, in an order that no label and no row order decides."""
    train = rows[sides.train[rows] & texts.known[rows]]
    return train[np.lexsort((*texts.values[train].T[::-1], texts.rank[train]))]


def all_pairs(sides: Sides, texts: Texts, missing: str) -> list[Pairs]:
    """Pair each arm's completions with the references, group by group.

    Parameters
    ----------
    sides : Sides
    texts : Texts
    missing : {"raise", "drop"}
        Whether a completion without a reference, or the other way round, is refused.

    Raises
    ------
    DesignError
        If an item has two references, or `missing` is "raise" and items are unpaired.
    """
    _refuse_two_references(sides)
    faults: list[str] = []
    found = [
        _pair(sides, texts, rows, group, arm, faults)
        for group, rows in by_group(sides)
        for arm in np.unique(sides.arm[rows[~sides.author[rows]]]).tolist()
    ]
    if faults and missing == "raise":
        raise DesignError(
            f"each completion needs a reference of {sides.reference!r} for its item, and each "
            "reference a completion, found:\n" + "\n".join(faults[: 2 * SHOWN]) + "\n"
            'Compare the paired ones alone with missing="drop", which reports n_dropped.'
        )
    return found


def by_group(sides: Sides) -> Iterator[tuple[int, Ints]]:
    """Yield each group with its rows."""
    order = np.argsort(sides.group, kind="stable")
    ends = np.cumsum(np.bincount(sides.group, minlength=len(sides.by)))[:-1]
    yield from enumerate(np.split(order, ends)[: len(sides.by)])


def _refuse_two_references(sides: Sides) -> None:
    references = np.flatnonzero(sides.author & ~sides.train)
    count = np.bincount(sides.unit[references], minlength=1)
    twice = references[count[sides.unit[references]] > 1]
    if len(twice):
        first = sides.items.take(sides.item[twice[:1]]).tolist()[0]
        raise DesignError(
            f"an item needs one reference, found several for {int((count > 1).sum()):,} item(s); "
            f"first: item_id={first!r}; choose one of each, for example: "
            "reference.drop_duplicates('item_id')"
        )


def _pair(sides: Sides, texts: Texts, rows: Ints, group: int, arm: int, faults: list[str]) -> Pairs:
    """Pair one arm in one group, and add to `faults` what has no partner."""
    references = rows[sides.author[rows] & ~sides.train[rows]]
    mine = rows[sides.arm[rows] == arm]
    runs = mine[~sides.skipped[mine]]
    units, place = np.unique(sides.unit[np.append(references, runs)], return_inverse=True)
    seeds, seed = np.unique(sides.seed[runs], return_inverse=True)
    reference = np.full(len(units), -1)
    reference[place[: len(references)]] = references
    # An arm of training rows alone still has one run, which then lacks every item.
    completion = np.full((max(len(seeds), 1), len(units)), -1)
    completion[seed, place[len(references) :]] = runs
    there = (completion >= 0) & (reference >= 0)
    faults += _faults(sides, arm, completion, reference)
    paired = there & texts.known[completion] & texts.known[reference]
    kept = np.flatnonzero(paired.any(axis=0))
    reference, completion = reference[kept], completion[:, kept]
    x = np.where(paired[:, kept, None], texts.values[completion], np.nan)
    y = texts.values[reference]
    ranks = np.where(paired[:, kept], texts.rank[completion], -1)
    order = np.lexsort((*_columns(x), *ranks[::-1], *y.T[::-1], texts.rank[reference]))
    return Pairs(
        group=group,
        arm=arm,
        item=sides.item[reference[order]],
        x=x[:, order],
        y=y[order],
        n_most=int(paired.sum(axis=1).max()),
        n_paired=int(paired.sum()),
        n_dropped=paired.size - int(paired.sum()),
        n_skipped=len(mine) - len(runs),
    )


def _columns(x: Floats) -> Sequence[Floats]:
    """Return a completion's metrics as sort keys, the last first."""
    return [run[:, metric] for run in x[::-1] for metric in range(x.shape[2])[::-1]]


def _faults(sides: Sides, arm: int, completion: Ints, reference: Ints) -> list[str]:
    """Say which references an arm did not answer, and which completions have no reference."""
    label = sides.arms[arm]
    lacking = np.flatnonzero(((completion < 0) & (reference >= 0)).any(axis=0))
    lines = []
    if len(lacking):
        lines.append(f"  - arm {label!r} lacks {_items(sides, reference[lacking])}")
    alone = completion[(completion >= 0) & (reference < 0)]
    if len(alone):
        train = sides.unit[sides.train & sides.author]
        where = " (training texts)" if np.isin(sides.unit[alone], train).all() else ""
        lines.append(
            f"  - {sides.reference!r} has no reference for {_items(sides, alone)} of arm "
            f"{label!r}{where}"
        )
    return lines


def _items(sides: Sides, rows: Ints) -> str:
    codes = np.unique(sides.item[rows])
    shown = ", ".join(repr(label) for label in sides.items.take(codes[:SHOWN]).tolist())
    return f"{len(codes):,} item(s): {shown}{', ...' if len(codes) > SHOWN else ''}"
