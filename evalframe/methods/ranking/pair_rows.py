"""Differences of every two arms in all groups and columns, as rows of one result."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalframe.methods.ranking.item_tables import GroupTable
from evalframe.rng import generator
from evalframe.stats.arm_pairs import ArmPairs, arm_pairs, pairs_root
from evalframe.stats.item_table import ItemTable
from evalframe.stats.products import sums
from evalframe.stats.rays import Bound, Rays, drawn_each, two_sided
from evalframe.stats.segments import Floats, Ints
from evalframe.stats.value_order import ValueOrder, value_order


@dataclass(frozen=True, slots=True)
class PairRows:
    """Differences of pairs, an entry a row of the result: by group, pair and column.

    Attributes
    ----------
    group, column, arm, baseline : (n,) int64
    diff, se, df : (n,) float64
    wins, losses, n_items, n_dropped, n_zeros, n_units : (n,) int64
    n_clusters : (n,) float64
        NaN where items are independent.
    bounded : (n,) bool
        Whether the correlations of the row with others are not known.
    families : list of Rays or Bound
        Of each group and column.
    """

    group: Ints
    column: Ints
    arm: Ints
    baseline: Ints
    diff: Floats
    se: Floats
    df: Floats
    wins: Ints
    losses: Ints
    n_items: Ints
    n_dropped: Ints
    n_zeros: Ints
    n_units: Ints
    n_clusters: Floats
    bounded: NDArray[np.bool_]
    families: list[Rays | Bound]


def pair_rows(columns: Sequence[Sequence[GroupTable]], draws: tuple[int, int] | None) -> PairRows:
    """Compare every two arms of each group and column.

    Parameters
    ----------
    columns : sequence of sequence of GroupTable
        The groups of each column.
    draws : (seed, n_draws) or None
        None leaves the families empty.
    """
    n_families = max(1, sum(len(tables) for tables in columns))
    parts, families = [], []
    for column, tables in enumerate(columns):
        for table in tables:
            items, unit = table.items.measured()
            pairs = arm_pairs(items)
            family: Rays | Bound | None = None
            if draws is not None and pairs.tested.any():
                seed, n_draws = draws
                each = drawn_each(n_draws, n_families)
                family = pairs_family(items, pairs, seed, each)
                families.append(family)
            parts.append(_part(table, pairs, unit, column, isinstance(family, Bound)))
    names: list[str] = [field.name for field in fields(PairRows) if field.name != "families"]
    joined: dict[str, Any] = {name: _joined([part[name] for part in parts]) for name in names}
    order = np.lexsort((joined["column"], joined["arm"], joined["baseline"], joined["group"]))
    return PairRows(**{name: values[order] for name, values in joined.items()}, families=families)


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _part(
    table: GroupTable, pairs: ArmPairs, unit: int, column: int, bounded: bool
) -> dict[str, Any]:
    """Return the rows of one group and column, whose pairs are in units of ``2**unit``."""
    n = len(pairs.diff)
    clustered = table.items.cluster is not None
    return {
        "group": np.full(n, table.group),
        "column": np.full(n, column),
        "arm": table.arms[pairs.second],
        "baseline": table.arms[pairs.first],
        "diff": np.ldexp(pairs.diff, unit),
        "se": np.ldexp(pairs.se, unit),
        "df": pairs.df,
        "wins": pairs.wins,
        "losses": pairs.losses,
        "n_items": pairs.n,
        "n_dropped": table.n_dropped[pairs.first, pairs.second],
        "n_zeros": table.n_zeros[pairs.first] + table.n_zeros[pairs.second],
        "n_units": pairs.n_clusters,
        "n_clusters": pairs.n_clusters.astype(np.float64) if clustered else np.full(n, np.nan),
        "bounded": np.full(n, bounded) & pairs.tested,
    }


def order_of(items: ItemTable, pairs: ArmPairs) -> ValueOrder:
    """Return an order of the arms that their differences determine, whatever their names."""
    n_arms = len(items.series)
    error, n, gap = np.zeros((3, n_arms, n_arms))
    for square, values in ((error, pairs.se), (n, pairs.n), (gap, np.abs(pairs.diff))):
        square[pairs.first, pairs.second] = square[pairs.second, pairs.first] = values
    means = sums(items.series)[:, None] if items.complete else items.series
    return value_order(np.concatenate([error, n, gap, means], axis=1))


def pairs_family(items: ItemTable, pairs: ArmPairs, seed: int, n_draws: int) -> Rays | Bound:
    """Return how far out the largest t of all pairs of a group lies by chance."""
    df = float(np.nanmin(pairs.df))
    order = order_of(items, pairs)
    # Arms with the same differences stand beside each other, in any order.
    arms = np.argsort(order.place, kind="stable")
    sorted_items = items.of_arms(arms)
    sorted_pairs = pairs.of_arms(arms)
    chosen = np.flatnonzero(sorted_pairs.tested)
    root = pairs_root(sorted_items, sorted_pairs, chosen)
    if root is None:
        return Bound(len(chosen), df)
    return two_sided(root, df, generator(seed), n_draws)
