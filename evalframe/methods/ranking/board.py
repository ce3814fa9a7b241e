"""One leaderboard: the ranks of all arms of a group."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from evalframe.methods.ranking.pair_rows import order_of
from evalframe.rng import generator
from evalframe.stats.arm_pairs import ArmPairs, arm_pairs
from evalframe.stats.draws import Tick
from evalframe.stats.item_table import ItemTable
from evalframe.stats.means import student_quantile
from evalframe.stats.products import group_sums
from evalframe.stats.ranking import (
    Ranks,
    critical_values,
    may_be_best,
    normal_draws,
    ranks,
    ranks_of_draws,
    resampled_means,
    told_apart,
)
from evalframe.stats.segments import Floats
from evalframe.stats.series_means import series_means
from evalframe.stats.value_order import ValueOrder, value_order

METHODS = ("simultaneous", "bootstrap", "normal")


@dataclass(frozen=True, slots=True)
class Plan:
    """How to rank.

    Attributes
    ----------
    method : str
        One of `METHODS`.
    level : float
    higher_better : bool
    n_boot : int
    seed : int
        From which each leaderboard restarts.
    """

    method: str
    level: float
    higher_better: bool
    n_boot: int
    seed: int


@dataclass(frozen=True, slots=True)
class Board:
    """Ranks of K arms, an entry an arm; the columns of the result by their names.

    Attributes
    ----------
    rank, rank_low, rank_high, share_top, share_first : (K,) float64
        NaN where not known.
    best : (K,) bool
    estimate, se, conf_low, conf_high, df : (K,) float64
    n_constant : (K,) float64
        Arms that differ from it by the same on every unit.
    n_units : int
        Items or clusters.
    """

    rank: Floats
    rank_low: Floats
    rank_high: Floats
    share_top: Floats
    share_first: Floats
    best: NDArray[np.bool_]
    estimate: Floats
    se: Floats
    conf_low: Floats
    conf_high: Floats
    df: Floats
    n_constant: Floats
    n_units: int

    @staticmethod
    def names() -> list[str]:
        """Return the names of what has an entry an arm."""
        return [field.name for field in fields(Board) if field.name != "n_units"]


@dataclass(frozen=True, slots=True)
class _Placed:
    """Different arms in an order that follows from their values.

    Attributes
    ----------
    items : ItemTable
        Of higher-is-better values.
    pairs : ArmPairs
    order : ValueOrder
    """

    items: ItemTable
    pairs: ArmPairs
    order: ValueOrder


def board(items: ItemTable, plan: Plan, tick: Tick | None) -> Board:
    """Rank the arms of a complete table."""
    items, unit = items.measured()
    n_arms, n = items.series.shape
    scale = items.scale
    mean, se, _, n_units = series_means(items.series, np.full(n_arms, scale), items.groups)
    known = n > 0 and n_arms > 1
    if plan.higher_better:
        better = items
    else:
        better = ItemTable(-items.series, items.cluster, items.uneven, items.single)
    n_clusters = int(n_units[0]) if n else 0
    rank = ranks(mean if plan.higher_better else -mean, scale) if n else np.full(n_arms, np.nan)
    df = np.full(n_arms, n_clusters - 1.0 if n_clusters > 1 else np.nan)
    half = np.where(se == 0, 0.0, student_quantile(plan.level, df) * se)
    low = high = top = first = np.full(n_arms, np.nan)
    limits, best, constant = (mean - half, mean + half), np.ones(n_arms, bool), np.zeros(n_arms)
    if n_arms == 1:
        low = high = top = first = np.ones(1)
    elif known and n_clusters > 1:
        placed = _placed(better, plan)
        place = placed.order.place
        low, high, best, constant, share, se_limits = _ranked(placed, plan, scale, tick)
        low, high, best, constant = low[place], high[place], best[place], constant[place]
        top, first = share.top[place], share.share[place, 0]
        if se_limits is not None:
            se, *sides = (row[place] for row in se_limits)
            limits = (sides[0], sides[1]) if plan.higher_better else (-sides[1], -sides[0])
            df = np.full(n_arms, np.nan)
    mean, se, below, above = (np.ldexp(one, unit) for one in (mean, se, *limits))
    return Board(
        np.asarray(rank, dtype=np.float64), low, high, top, first, best,
        mean, se, below, above, df, constant, n_clusters,
    )  # fmt: skip


def _placed(items: ItemTable, plan: Plan) -> _Placed:
    """Put arms into an order that follows from their values, and leave one of those alike."""
    if plan.method == "bootstrap":
        sums, size = items.series, None
        if items.groups is not None:
            sums = group_sums(sums, *items.groups)
            size = np.diff(np.append(items.groups[1], items.series.shape[1])).astype(np.float64)
            size = None if (size == size[0]).all() else size
        order = value_order(sums, size)
    else:
        order = order_of(items, arm_pairs(items))
    chosen = items.of_arms(order.arm)
    return _Placed(chosen, arm_pairs(chosen), order)


def _ranked(
    placed: _Placed, plan: Plan, scale: float, tick: Tick | None
) -> tuple[Floats, Floats, NDArray[np.bool_], Floats, Ranks, Floats | None]:
    """Return limits, the possible best, constant differences, and what the draws say, by place."""
    pairs, order = placed.pairs, placed.order
    width, copies = len(order.arm), np.bincount(order.place)
    critical = critical_values(pairs, width, plan.level, generator(plan.seed), plan.n_boot)
    drawn = _drawn(placed, plan, tick)
    share = ranks_of_draws(drawn, copies, order, scale)
    if plan.method == "simultaneous":
        low, high = told_apart(pairs, critical.all_pairs, copies)
    else:
        low, high = share.limits(plan.level)
    best = may_be_best(pairs, order.equal(critical.others))
    constant = np.zeros(width)
    flat = (pairs.se == 0) & (pairs.diff != 0)
    for arm, other in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
        constant += np.bincount(arm[flat], weights=copies[other[flat]], minlength=width)
    limits = _percentiles(drawn, order, plan.level) if plan.method == "bootstrap" else None
    ends = low.astype(np.float64), high.astype(np.float64)
    return *ends, best, constant, share, limits


def _drawn(placed: _Placed, plan: Plan, tick: Tick | None) -> Floats:
    """Return (B, D) means of the arms, resampled or from their normal law."""
    if plan.method == "bootstrap":
        return resampled_means(placed.items, generator(plan.seed), plan.n_boot, tick)
    series = placed.items.series
    mean = series_means(series, np.full(len(series), placed.items.scale), None)[0]
    return normal_draws(mean, placed.pairs, generator(plan.seed), plan.n_boot)


def _percentiles(drawn: Floats, order: ValueOrder, level: float) -> Floats:
    """Return the spread and the percentile limits of each arm's resamples, (3, D)."""
    found = np.empty((3, drawn.shape[1]))
    for code in np.unique(order.alike):
        mine = np.flatnonzero(order.alike == code)
        # Arms that cannot be told apart share their resamples.
        sample = np.sort(drawn[:, mine], axis=None)
        spread = sample.std(ddof=1) if sample[0] < sample[-1] else 0.0
        low, high = np.quantile(sample, [(1 - level) / 2, (1 + level) / 2])
        found[:, mine] = np.array([spread, low, high])[:, None]
    return found
