"""The rows of a tidy frame as codes and numbers: where every statistic starts."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe import roles
from evalframe.counts import Counts, read_all_counts, refuse_reduced
from evalframe.errors import FrameError, rows_text
from evalframe.keys import check_unique, key_text
from evalframe.labels import Codes, complete, to_codes
from evalframe.numbers import in_reach, to_numbers


@dataclass(frozen=True, slots=True)
class Runs:
    """The rows of a tidy frame as codes and numbers.

    A unit is an item of one `by` group: the same item id in two groups is two units.

    Attributes
    ----------
    by : DataFrame of B rows
        The labels of each group, sorted; one row and no column without `by`.
    arms : Index of length A
        Labels of the arms, sorted or in category order.
    unit, arm, seed : (n,) int64
        Codes of each row. Seeds are numbered in sorted order.
    key : (n,) int64
        The (seed, unit, arm) of each row as one number: ``(seed * U + unit) * A + arm``.
    n_seeds : int
        How many different seeds there are.
    unit_group : (U,) int64
        The group of each unit.
    unit_cluster : (U,) int64 or None
        The cluster of each unit, numbered over all groups; None where items are independent.
    values : dict of str to (n,) float64
        The columns asked for, NaN where missing.
    prompt : (n,) int64 or None
        Codes of the prompt hashes, -1 where missing; None where there is no such column.
    frame : DataFrame
        The user's frame, for messages alone.
    counts : dict of str to Counts, or None
        Of a reduced frame, in which a row is a mean over runs: how many, for each column. None
        where each row is one run.
    """

    by: pd.DataFrame
    arms: pd.Index
    unit: NDArray[np.int64]
    arm: NDArray[np.int64]
    seed: NDArray[np.int64]
    key: NDArray[np.int64]
    n_seeds: int
    unit_group: NDArray[np.int64]
    unit_cluster: NDArray[np.int64] | None
    values: dict[str, NDArray[np.float64]]
    prompt: NDArray[np.int64] | None
    frame: pd.DataFrame
    counts: dict[str, Counts] | None = None

    @property
    def by_names(self) -> list[str]:
        """Names of the `by` columns."""
        return [str(name) for name in self.by.columns]

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.unit_group)

    def lacks(self, column: str) -> NDArray[np.bool_]:
        """Return the rows without a value; of means over runs, those with a run without one."""
        if self.counts is None:
            return np.isnan(self.values[column])
        return self.counts[column].n_missing > 0


def select(
    frame: pd.DataFrame,
    values: Sequence[str],
    *,
    by: Sequence[str] = (),
    cluster: bool = True,
    prompts: bool = False,
    reduced: bool = False,
) -> Runs:
    """Read a tidy frame as codes and numbers, and refuse what no statistic could use.

    Parameters
    ----------
    frame : DataFrame
        With the canonical columns. Not changed.
    values : sequence of str
        Columns of numbers to read.
    by : sequence of str
        Columns whose groups are taken apart.
    cluster : bool
        Whether to read ``cluster_id`` where the frame has it.
    prompts : bool
        Whether to read ``prompt_hash`` where the frame has it.
    reduced : bool
        Whether rows may be means over an item's runs, as ``n_responses`` says. A statistic that
        needs the single runs leaves it False.

    Returns
    -------
    Runs

    Raises
    ------
    RoleError
        If a column is missing.
    FrameError
        If the values of a column are not what its role needs, a key repeats, or rows are means
        over runs where single ones are needed.
    """
    roles.check_names(frame)
    is_reduced = refuse_reduced(frame, reduced)
    wanted = {"item": "item_id"} | {roles.metric_name(column): column for column in values}
    roles.need(frame, wanted | {f"by={column!r}": column for column in by})
    clusters = "cluster_id" in frame and cluster
    hashes = "prompt_hash" in frame and prompts
    read = ["item_id", *(["cluster_id"] if clusters else []), *(["prompt_hash"] if hashes else [])]
    run = roles.SEEDS if is_reduced else "seed"
    ordered = [name for name in ("arm", run, *by) if name in frame]
    labels = _read_labels(frame, dict.fromkeys(read, False) | dict.fromkeys(ordered, True))
    group, groups = _groups([complete(labels[name], name) for name in by], by)
    item = complete(labels["item_id"], "item_id")
    unit, unit_group = _units(group, item.codes, len(item.labels), len(groups))
    whole = _whole_items(labels, by, item, unit)
    arm = _one_or(frame, labels, "arm", "all")
    seed = _one_or(frame, labels, run, 0)
    key = row_keys(unit, arm.codes, seed.codes, len(unit_group), len(arm.labels))
    n_cells, n_seeds = len(unit_group) * len(arm.labels), len(seed.labels)
    once = key % max(n_cells, 1) if is_reduced else key
    check_unique(frame, by, once, n_cells if is_reduced else n_cells * n_seeds)
    numbers = {column: _read_numbers(frame, column) for column in values}
    return Runs(
        by=groups,
        arms=arm.labels,
        unit=unit,
        arm=arm.codes,
        seed=seed.codes,
        key=key,
        n_seeds=n_seeds,
        unit_group=unit_group,
        unit_cluster=(
            _clusters(frame, labels["cluster_id"], whole, unit, unit_group) if clusters else None
        ),
        values=numbers,
        prompt=labels["prompt_hash"].codes if hashes else None,
        frame=frame,
        counts=read_all_counts(frame, numbers) if is_reduced else None,
    )


def _read_numbers(frame: pd.DataFrame, column: str) -> NDArray[np.float64]:
    """Read a column of numbers, and refuse flags that are none: lengths, say."""
    values = in_reach(to_numbers(frame[column], column), column)
    if column != roles.COLUMN["hit_cap"]:
        return values
    rows = np.flatnonzero((values < 0) | (values > 1))
    if len(rows):
        raise FrameError.of_rows(
            f"column {column!r} must hold true or false, or a share of runs",
            f"{values[rows[0]]:g}",
            rows,
            f"for example: df.assign({column}=df[{column!r}] > 0)",
            column=column,
        )
    return values


def _read_labels(frame: pd.DataFrame, columns: Mapping[str, bool]) -> dict[str, Codes]:
    """Read columns of labels as codes; the flag says whether their labels are sorted."""

    def read(name: str) -> Codes:
        fractions = name not in roles.METRIC
        return to_codes(frame[name], name, sort=columns[name], fractions=fractions)

    # Numbering text is most of the work on a long frame, and lets go of the interpreter's lock.
    with ThreadPoolExecutor(max_workers=2) as pool:
        return dict(zip(columns, pool.map(read, columns), strict=True))


def row_keys(
    unit: NDArray[np.int64],
    arm: NDArray[np.int64],
    seed: NDArray[np.int64],
    n_units: int,
    n_arms: int,
) -> NDArray[np.int64]:
    """Return the (seed, unit, arm) of each row as one number."""
    key = seed * n_units
    key += unit
    key *= n_arms
    key += arm
    return key


def _one_or(frame: pd.DataFrame, labels: dict[str, Codes], name: str, one: str | int) -> Codes:
    """Return a column's labels, or one label for all rows where the frame has no such column."""
    if name in labels:
        return complete(labels[name], name)
    return Codes(np.zeros(len(frame), dtype=np.int64), pd.Index([one])[: len(frame)])


def _groups(
    columns: Sequence[Codes], names: Sequence[str]
) -> tuple[NDArray[np.int64] | None, pd.DataFrame]:
    """Return the group of each row and the labels of each group, in sorted order."""
    if not columns:
        return None, pd.DataFrame(index=range(1))
    group, seen = columns[0].codes, np.arange(len(columns[0].labels))
    for column in columns[1:]:
        group, seen_now = _compact(group * len(column.labels) + column.codes)
        seen = seen[seen_now // max(len(column.labels), 1)] * len(column.labels)
        seen += seen_now % max(len(column.labels), 1)
    places = np.unravel_index(seen, [max(len(column.labels), 1) for column in columns])
    return group, pd.DataFrame(
        {
            name: column.labels.take(place)
            for name, column, place in zip(names, columns, places, strict=True)
        }
    )


def _compact(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Renumber the codes that occur as 0, 1, ... in sorted order; also return those codes."""
    found, seen = pd.factorize(codes, sort=True)
    return found.astype(np.int64, copy=False), np.asarray(seen, dtype=np.int64)


def _units(
    group: NDArray[np.int64] | None, item: NDArray[np.int64], n_items: int, n_groups: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the unit of each row and the group of each unit."""
    if group is None:
        return item, np.zeros(n_items, dtype=np.int64)
    unit_group = np.zeros(n_items, dtype=np.int64)
    unit_group[item] = group
    # Items of a suite belong to one task each as a rule; only otherwise are units renumbered.
    if (unit_group[item] == group).all():
        return item, unit_group
    unit, seen = _compact(item * n_groups + group)
    return unit, seen % n_groups


def _whole_items(
    labels: Mapping[str, Codes], by: Sequence[str], item: Codes, unit: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the unit of each row, but one for all of an item's arms and seeds in any case."""
    others = [name for name in by if name not in ("arm", "seed")]
    if len(others) == len(by):
        return unit
    group, groups = _groups([labels[name] for name in others], others)
    return _units(group, item.codes, len(item.labels), len(groups))[0]


def _clusters(
    frame: pd.DataFrame,
    cluster: Codes,
    whole: NDArray[np.int64],
    unit: NDArray[np.int64],
    unit_group: NDArray[np.int64],
) -> NDArray[np.int64] | None:
    """Return the cluster of each unit, numbered over all groups; whole items have one."""
    if len(frame) and len(cluster.labels) == 0:
        return None
    complete(cluster, "cluster_id")
    of_whole = np.zeros(int(whole.max(initial=-1)) + 1, dtype=np.int64)
    of_whole[whole] = cluster.codes
    varies = np.flatnonzero(of_whole[whole] != cluster.codes)
    if len(varies):
        rows = np.flatnonzero(whole == whole[varies[0]])
        n_items, first = len(np.unique(whole[varies])), key_text(frame, rows[0], ["item_id"])
        raise FrameError.of(
            "column 'cluster_id' must be the same in all rows of an item",
            f"more than one in {n_items:,} item(s); first: {first} in {rows_text(rows)}",
            "give an item one cluster across arms and seeds",
            column="cluster_id",
            count=n_items,
            first=first,
        )
    of_unit = np.zeros(len(unit_group), dtype=np.int64)
    of_unit[unit] = cluster.codes
    if len(unit_group) == 0 or unit_group.max() == 0:
        return of_unit
    return _compact(unit_group * len(cluster.labels) + of_unit)[0]
