"""The items of every row of a result, as a resampling method draws them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evalframe.arms import Arms
from evalframe.errors import DesignError
from evalframe.matrix import Cells, cells, reduce
from evalframe.pairing import PairedMeans, paired_means, refuse_disjoint, refuse_missing
from evalframe.runs import Runs
from evalframe.stats.hierarchy import Nested, nest
from evalframe.stats.segments import Floats, Ints

UNITS = ("auto", "item", "cluster", "hierarchical")


@dataclass(frozen=True, slots=True)
class Sample:
    """The items of one segment (group x arm).

    Attributes
    ----------
    arms : list of (c, n) float64
        Item means of the arm, and of the baseline if there is one; two rows for a ratio.
    cluster : (n,) int64 or None
        Codes from 0 without a gap; None where items are units.
    place : (n,) int64
        The units of the frame that they are.
    """

    arms: list[Floats]
    cluster: Ints | None
    place: Ints


@dataclass(frozen=True, slots=True)
class Samples:
    """The items of every segment, and what was left out.

    Attributes
    ----------
    rows : list of Sample
    present : (S,) bool
        Which segments have rows of the frame.
    n_dropped, n_zeros : (S,) int64
        (item, seed) keys left out, and missing values counted as 0.
    """

    rows: list[Sample]
    present: NDArray[np.bool_]
    n_dropped: Ints
    n_zeros: Ints


def unit_name(unit: str, runs: Runs) -> str:
    """Return the unit that is drawn, where the argument may leave it open.

    Raises
    ------
    DesignError
        If clusters are asked for and the frame has none.
    """
    clustered = runs.unit_cluster is not None
    if unit == "cluster" and not clustered:
        raise DesignError(
            "unit='cluster' needs the column 'cluster_id', found none; name it once, for example: "
            'df.evals.tidy(cluster="YOUR_COLUMN")'
        )
    if unit == "auto":
        return "cluster" if clustered else "item"
    return unit


def read_samples(
    runs: Runs, columns: Sequence[Sequence[str]], arms: Arms | None, missing: str
) -> list[Samples]:
    """Return the items of every row, for each measured column (and the one it is divided by).

    Raises
    ------
    FrameError, DesignError
        If a value is missing, or arms are not paired, and `missing` does not allow it.
    """
    known = [jointly_known(runs, some, missing) for some in columns]
    if arms is None:
        return [_single(own, some, missing) for own, some in zip(known, columns, strict=True)]
    pairs = [
        [paired_means(own, column, arms.baseline, arms.others, missing) for column in some]
        for own, some in zip(known, columns, strict=True)
    ]
    refuse_disjoint([one[0] for one in pairs], runs.arms, arms)
    return [paired_samples(runs, one) for one in pairs]


def jointly_known(runs: Runs, columns: Sequence[str], missing: str) -> Runs:
    """With "drop", let a row that misses one of the columns miss all of them."""
    if missing != "drop" or len(columns) == 1:
        return runs
    gone = np.any([np.isnan(runs.values[column]) for column in columns], axis=0)
    values = {column: np.where(gone, np.nan, runs.values[column]) for column in columns}
    return replace(runs, values=values)


def paired_samples(runs: Runs, pairs: Sequence[PairedMeans]) -> Samples:
    """Return the items that each arm shares with the baseline, from one pair a column."""
    arm = [pair.arm for pair in pairs]
    base = [pair.baseline for pair in pairs]
    known = cells(runs, np.sum(arm, axis=0) - np.sum(base, axis=0))
    return Samples(
        _split([arm, base], known, runs),
        known.count(pairs[0].present) > 0,
        known.count(pairs[0].n_dropped),
        known.count(np.sum([pair.n_zeros for pair in pairs], axis=0)),
    )


def _single(runs: Runs, columns: Sequence[str], missing: str) -> Samples:
    """Return the items of each arm."""
    if missing == "raise":
        for column in columns:
            refuse_missing(runs, column, 'leave them out with missing="drop"')
    means = [reduce(runs, column, zero=missing == "zero") for column in columns]
    known = cells(runs, np.sum([one.mean for one in means], axis=0))
    n_missing = known.count(np.sum([one.n_missing for one in means], axis=0))
    none = np.zeros_like(n_missing)
    return Samples(
        _split([[one.mean for one in means]], known, runs),
        known.count((means[0].n_values + means[0].n_missing) > 0) > 0,
        known.count(means[0].n_missing) if missing == "drop" else none,
        n_missing if missing == "zero" else none,
    )


def _split(arms: list[list[Floats]], known: Cells, runs: Runs) -> list[Sample]:
    """Return the known entries of (U, K) matrices, segment by segment."""
    order = np.argsort(known.segment, kind="stable")
    ends = np.cumsum(np.bincount(known.segment, minlength=known.n_segments))[:-1]
    found = [[matrix[known.known][order] for matrix in columns] for columns in arms]
    place = np.broadcast_to(np.arange(runs.n_units)[:, None], known.known.shape)[known.known]
    rows = []
    # Of no segment numpy makes one part without rows.
    for part in np.split(np.arange(len(order)), ends)[: known.n_segments]:
        where = slice(part[0], part[-1] + 1) if len(part) else slice(0, 0)
        cluster = None
        if known.cluster is not None:
            cluster = np.unique(known.cluster[order[where]], return_inverse=True)[1]
        columns = [np.stack([matrix[where] for matrix in arm]) for arm in found]
        rows.append(Sample(columns, cluster, place[order[where]]))
    return rows


def nested_samples(
    runs: Runs, columns: Sequence[str], arms: Arms | None, missing: str
) -> list[Nested]:
    """Return the seeds of each segment's items, in the order of `Samples.rows`.

    The keys are those that the item means were taken over: of both arms, and known in all columns.
    """
    runs = jointly_known(runs, columns, missing)
    values = np.stack([runs.values[column] for column in columns])
    values = np.nan_to_num(values) if missing == "zero" else values
    usable = ~np.isnan(values).any(axis=0)
    key = runs.unit * runs.n_seeds + runs.seed
    of_arm = [np.flatnonzero(usable & (runs.arm == code)) for code in range(len(runs.arms))]
    found = []
    for group in range(len(runs.by)):
        inside = runs.unit_group[runs.unit] == group
        for code in range(len(runs.arms)) if arms is None else arms.others:
            rows = of_arm[code][inside[of_arm[code]]]
            sides = [rows[np.argsort(key[rows])]]
            if arms is not None:
                other = of_arm[arms.baseline]
                _, first, second = np.intersect1d(
                    key[rows], key[other], assume_unique=True, return_indices=True
                )
                sides = [rows[first], other[second]]
            found.append(_nested(runs, np.concatenate([values[:, side] for side in sides]), sides))
    return found


def _nested(runs: Runs, values: Floats, sides: list[Ints]) -> Nested:
    units, item = np.unique(runs.unit[sides[0]], return_inverse=True)
    cluster = None
    if runs.unit_cluster is not None:
        cluster = np.unique(runs.unit_cluster[units], return_inverse=True)[1]
    return nest(values, item, cluster)
