"""All arms of a group side by side: item means, and what of their runs is not shared."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evalframe.counts import Counts
from evalframe.errors import DesignError
from evalframe.matrix import ItemMeans, reduce
from evalframe.pairing import pair_keys, refuse_missing, refuse_unclear, refuse_unpaired
from evalframe.runs import Runs
from evalframe.stats.hashes import scattered
from evalframe.stats.item_table import ItemTable
from evalframe.stats.segments import Floats, Ints, stable_order

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class GroupTable:
    """The arms of one group.

    Attributes
    ----------
    group : int
    arms : (K,) int64
        Codes of the arms that have rows in the group.
    items : ItemTable
        Of these arms, over all items that any of them has.
    n_dropped : (K, K) or (K,) int64
        (item, seed) keys of either arm of a pair that not both have a value of; or of any arm.
    n_zeros : (K,) int64
        Missing values of each arm that were counted as 0.
    """

    group: int
    arms: Ints
    items: ItemTable
    n_dropped: Ints
    n_zeros: Ints


def refuse_single(runs: Runs, what: str) -> None:
    """Raise DesignError where there is one arm alone."""
    if len(runs.arms) == 1:
        raise DesignError(
            f"{what} needs two arms or more, found one: {runs.arms.tolist()[0]!r}; put all runs in "
            "one frame, for example: pd.concat([base, edit], ignore_index=True)"
        )


def check_keys(runs: Runs, column: str, missing: str) -> None:
    """Raise where values or keys are missing and `missing` does not allow it."""
    if missing == "raise":
        refuse_missing(runs, column, 'leave them out with missing="drop"')
    if missing != "drop" and len(runs.arms):
        refuse_unpaired(runs, 0, list(range(1, len(runs.arms))))
    if missing == "drop" and runs.counts is not None:
        _refuse_unclear(runs, runs.counts[column])


def _refuse_unclear(runs: Runs, counts: Counts) -> None:
    """Refuse means over runs that do not tell which runs arms share."""
    unit, seed, valued = runs.unit, runs.seed, counts.n_values > 0
    least = np.full(runs.n_units, runs.n_seeds)
    np.minimum.at(least, unit, seed)
    shared = np.bincount(unit[valued], minlength=runs.n_units)[unit] > 1
    rows = np.flatnonzero((seed != least[unit]) | (shared & valued & (counts.n_missing > 0)))
    if len(rows):
        refuse_unclear(runs, int(rows[0]), len(np.unique(unit[rows])), "arms")


def _runs_of_units(runs: Runs, column: str) -> Ints | None:
    """Return how many (item, seed) keys each unit has of means over runs; None of single runs."""
    if runs.counts is None:
        return None
    found = np.zeros(runs.n_units, dtype=np.int64)
    counts = runs.counts[column]
    np.maximum.at(found, runs.unit, counts.n_values + counts.n_missing)
    return found


def _zeros(means: ItemMeans, missing: str, arms: Ints, units: Ints) -> Ints:
    """Return how many missing values of each arm were counted as 0."""
    if missing != "zero":
        return np.zeros(len(arms), dtype=np.int64)
    return np.asarray(means.n_missing[units][:, arms].sum(axis=0))


def group_tables(runs: Runs, column: str, missing: str) -> Iterator[GroupTable]:
    """Lay out the arms of each group.

    Parameters
    ----------
    runs : Runs
    column : str
        One of ``runs.values``.
    missing : {"raise", "drop", "zero"}

    Yields
    ------
    GroupTable
        Of each group with rows, in order.
    """
    means = reduce(runs, column, zero=missing == "zero")
    n_arms, n_groups = len(runs.arms), len(runs.by)
    row_group = runs.unit_group[runs.unit]
    present = np.bincount(row_group * n_arms + runs.arm, minlength=n_groups * n_arms) > 0
    known = ~np.isnan(runs.values[column]) | (missing == "zero")
    key, n_keys = pair_keys(runs)
    seen = np.count_nonzero(np.bincount(key, minlength=n_keys))
    whole = known.all() and seen * n_arms == len(known)
    rows = (
        None
        if whole
        else _Rows(
            stable_order(row_group, n_groups),
            np.cumsum(np.bincount(row_group, minlength=n_groups)),
            known,
            np.where(known, np.nan_to_num(runs.values[column]), np.nan),
            _runs_of_units(runs, column),
        )
    )
    units = stable_order(runs.unit_group, n_groups)
    ends = np.cumsum(np.bincount(runs.unit_group, minlength=n_groups))
    for group, some in enumerate(np.split(units, ends[:-1])[:n_groups]):
        arms = np.flatnonzero(present.reshape(n_groups, n_arms)[group])
        if len(arms):
            table = _group_table(runs, means, rows, group, arms, some)
            yield replace(table, n_zeros=_zeros(means, missing, arms, some))


def shared_tables(runs: Runs, column: str, missing: str) -> Iterator[GroupTable]:
    """Lay out the arms of each group over the (item, seed) keys that all of them have.

    Yields
    ------
    GroupTable
        Complete; `n_dropped` is the number of keys that not all arms have a value of, for each.
    """
    n_arms, n_groups = len(runs.arms), len(runs.by)
    row_group = runs.unit_group[runs.unit]
    present = np.bincount(row_group * n_arms + runs.arm, minlength=n_groups * n_arms) > 0
    known = ~np.isnan(runs.values[column]) | (missing == "zero")
    key, n_keys = pair_keys(runs)
    n_known = np.bincount(key[known], minlength=n_keys)
    shared = n_known[key] == present.reshape(n_groups, n_arms).sum(axis=1)[row_group]
    _, first = np.unique(key[~shared], return_index=True)
    n_runs = _runs_of_units(runs, column)
    weights = None if n_runs is None else n_runs[runs.unit[~shared][first]]
    n_dropped = np.bincount(row_group[~shared][first], weights, minlength=n_groups)
    kept = runs if shared.all() else _rows_of(runs, column, shared)
    means = reduce(kept, column, zero=missing == "zero")
    units = stable_order(runs.unit_group, n_groups)
    ends = np.cumsum(np.bincount(runs.unit_group, minlength=n_groups))
    for group, some in enumerate(np.split(units, ends[:-1])[:n_groups]):
        arms = np.flatnonzero(present.reshape(n_groups, n_arms)[group])
        if len(arms):
            mine = some[~np.isnan(means.mean[some][:, arms]).any(axis=1)]
            table = _group_table(kept, means, None, group, arms, mine)
            yield replace(
                table,
                n_dropped=np.full(len(arms), int(n_dropped[group])),
                n_zeros=_zeros(means, missing, arms, some),
            )


def _rows_of(runs: Runs, column: str, rows: Bools) -> Runs:
    """Return some of the rows, of one column."""
    return replace(
        runs,
        unit=runs.unit[rows],
        arm=runs.arm[rows],
        seed=runs.seed[rows],
        key=runs.key[rows],
        values={column: runs.values[column][rows]},
        counts=None if runs.counts is None else {column: runs.counts[column].of(rows)},
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows in the order of their groups, where not all arms have all keys.

    Attributes
    ----------
    order : (n,) int64
    ends : (B,) int64
        Where each group ends in that order.
    known : (n,) bool
        Whether a row counts, in the order of the frame.
    values : (n,) float64
        In the order of the frame; NaN where a row does not count.
    n_runs : (U,) int64 or None
        Keys of each unit where a row is a mean over runs; None where it is one run.
    """

    order: Ints
    ends: Ints
    known: Bools
    values: Floats
    n_runs: Ints | None

    def of(self, group: int) -> Ints:
        """Return the rows of a group."""
        return self.order[self.ends[group - 1] if group else 0 : self.ends[group]]


def _group_table(
    runs: Runs, means: ItemMeans, rows: _Rows | None, group: int, arms: Ints, units: Ints
) -> GroupTable:
    """Lay out the arms of one group."""
    whole = len(units) == runs.n_units
    series = means.mean if whole else means.mean[units]
    series = np.ascontiguousarray((series if len(arms) == series.shape[1] else series[:, arms]).T)
    cluster = None
    if runs.unit_cluster is not None:
        cluster = np.unique(runs.unit_cluster[units], return_inverse=True)[1].astype(np.int64)
    uneven, single = np.zeros(0, dtype=np.int64), np.zeros((0, len(arms), 0))
    n_dropped = np.zeros((len(arms), len(arms)), dtype=np.int64)
    if rows is not None:
        mine = rows.of(group)
        arm, item = np.searchsorted(arms, runs.arm[mine]), np.searchsorted(units, runs.unit[mine])
        key = item * runs.n_seeds + runs.seed[mine]
        size = None if rows.n_runs is None else rows.n_runs[runs.unit[mine]]
        n_dropped = _dropped(key, arm, rows.known[mine], len(arms), size)
        uneven, single = _uneven(item, arm, runs.seed[mine], rows.values[mine], series.shape)
    none = np.zeros(len(arms), dtype=np.int64)
    return GroupTable(group, arms, ItemTable(series, cluster, uneven, single), n_dropped, none)


def _dropped(key: Ints, arm: Ints, known: Bools, n_arms: int, size: Ints | None) -> Ints:
    """Count the keys of either of two arms that not both have a value of, (K, K).

    Where a row is a mean over runs, `size` is how many keys it stands for.
    """
    seen, first, code = np.unique(key, return_index=True, return_inverse=True)
    # Sums of ones are exact up to 2**24 in single precision.
    kind = np.float32 if len(seen) < 1 << 24 else np.float64
    has, counts = np.zeros((n_arms, len(seen)), kind), np.zeros((n_arms, len(seen)), kind)
    has[arm, code] = 1
    counts[arm[known], code[known]] = 1
    if size is None:
        own = has.sum(axis=1, dtype=np.float64)
        either = own[:, None] + own - has @ has.T
        return np.asarray(np.rint(either - counts @ counts.T), dtype=np.int64)
    weight = size[first].astype(np.float64)
    own = has @ weight
    either = own[:, None] + own - (has * weight) @ has.T
    return np.asarray(np.rint(either - (counts * weight) @ counts.T), dtype=np.int64)


def _uneven(
    item: Ints, arm: Ints, seed: Ints, values: Floats, shape: tuple[int, ...]
) -> tuple[Ints, Floats]:
    """Return the items that arms ran under different seeds, and their single runs."""
    known = ~np.isnan(values)
    item, arm, seed, values = item[known], arm[known], seed[known], values[known]
    # A set of seeds as a number: sums of scattered 64-bit integers, which wrap around.
    codes = np.zeros(shape, dtype=np.uint64)
    np.add.at(codes, (arm, item), scattered(seed.astype(np.uint64) + np.uint64(1)))
    there = codes > 0
    least = np.where(there, codes, np.uint64(2**64 - 1)).min(axis=0, initial=np.uint64(2**64 - 1))
    uneven = np.flatnonzero(there.any(axis=0) & (codes.max(axis=0, initial=0) > least))
    place = np.searchsorted(uneven, item)
    mine = np.flatnonzero(np.isin(item, uneven))
    seeds, code = np.unique(seed[mine], return_inverse=True)
    single = np.full((len(seeds), shape[0], len(uneven)), np.nan)
    single[code, arm[mine], place[mine]] = values[mine]
    return uneven, single
