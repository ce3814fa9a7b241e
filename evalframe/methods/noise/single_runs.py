"""Runs taken one by one: each arm's own, or their paired differences from a baseline."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evalframe.arms import Arms
from evalframe.matrix import Cells, cells, reduce
from evalframe.pairing import paired_means, refuse_missing
from evalframe.runs import Runs, row_keys
from evalframe.stats.segments import Floats, Ints
from evalframe.stats.variance import Noise, noise

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Measured:
    """Item means of one column, with what their repeated runs show.

    Attributes
    ----------
    known : Cells
        Item means (or mean differences), a segment for each group and arm.
    noise : Noise
        Of the same items.
    n_responses : (S,) int64
        Runs with a value.
    n_dropped : (S,) int64
        Keys, or missing values, that were left out.
    n_zeros : (S,) int64
        Missing values that were counted as 0.
    shown : (S,) bool
        Segments that have rows at all.
    """

    known: Cells
    noise: Noise
    n_responses: Ints
    n_dropped: Ints
    n_zeros: Ints
    shown: Bools


def measure(runs: Runs, column: str, arms: Arms | None, missing: str) -> Measured:
    """Reduce a column to item means and keep what the single runs show.

    Parameters
    ----------
    runs : Runs
    column : str
        One of ``runs.values``.
    arms : Arms or None
        With arms, the runs' differences from the baseline's run of the same (item, seed) are
        measured, an arm other than the baseline each. None: the values of every arm.
    missing : {"raise", "drop", "zero"}
    """
    if arms is None:
        if missing == "raise":
            refuse_missing(runs, column, 'leave them out with missing="drop"')
        rows = runs
        if missing == "zero":
            filled = np.nan_to_num(runs.values[column])
            rows = replace(runs, values={**runs.values, column: filled})
        present = reduce(runs, column)
        none = np.zeros_like(present.n_missing)
        n_dropped = present.n_missing if missing == "drop" else none
        n_zeros = present.n_missing if missing == "zero" else none
        there = present.n_values + present.n_missing > 0
    else:
        pairs = paired_means(runs, column, arms.baseline, arms.others, missing)
        rows = differences(runs, column, arms, zero=missing == "zero")
        n_dropped, n_zeros, there = pairs.n_dropped, pairs.n_zeros, pairs.present
    means = reduce(rows, column)
    known = cells(runs, means.mean)
    return Measured(
        known=known,
        noise=_noise(rows, column, known),
        n_responses=known.count(means.n_values),
        n_dropped=known.count(n_dropped),
        n_zeros=known.count(n_zeros),
        shown=known.count(there) > 0,
    )


def differences(runs: Runs, column: str, arms: Arms, *, zero: bool = False) -> Runs:
    """Return the differences of the other arms' runs from the baseline's, an arm each.

    Keys without a value in both arms are left out.
    """
    values = np.nan_to_num(runs.values[column]) if zero else runs.values[column]
    key = runs.unit * runs.n_seeds + runs.seed
    base = np.flatnonzero((runs.arm == arms.baseline) & ~np.isnan(values))
    base = base[np.argsort(key[base])]
    rows, places, gaps = [], [], []
    for place, other in enumerate(arms.others):
        mine = np.flatnonzero((runs.arm == other) & ~np.isnan(values))
        at = np.searchsorted(key[base], key[mine])
        found = np.append(key[base], -1)[at] == key[mine]
        rows.append(mine[found])
        places.append(np.full(int(found.sum()), place))
        gaps.append(values[mine[found]] - values[base[at[found]]])
    row, arm = np.concatenate([*rows, _NONE]), np.concatenate([*places, _NONE])
    unit, seed = runs.unit[row], runs.seed[row]
    return replace(
        runs,
        arms=runs.arms.take(arms.others),
        unit=unit,
        arm=arm,
        seed=seed,
        key=row_keys(unit, arm, seed, runs.n_units, len(arms.others)),
        values={column: np.concatenate([*gaps, np.zeros(0)])},
    )


_NONE = np.zeros(0, dtype=np.int64)


def _noise(rows: Runs, column: str, known: Cells) -> Noise:
    """Return what the runs of each known item show, in the order of the known cells."""
    value: Floats = rows.values[column]
    there = ~np.isnan(value)
    n_arms = max(len(rows.arms), 1)
    number = np.full(known.known.size, -1)
    number[np.flatnonzero(known.known.ravel())] = np.arange(len(known.value))
    item = number[rows.unit[there] * n_arms + rows.arm[there]]
    return noise(value[there], item, known.segment, known.n_segments)
