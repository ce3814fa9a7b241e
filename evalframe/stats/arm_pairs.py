"""Paired differences of every two of A arms over the items that both answered, all at once."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalframe.stats.item_table import ItemTable
from evalframe.stats.products import Products, group_sums, products, size_of, sums
from evalframe.stats.rays import root_of, root_of_differences
from evalframe.stats.segments import ROUNDING, Floats, Ints
from evalframe.stats.series_means import series_means

# Differences that spread less than this share of the scores are looked at one pair at a time.
_NARROW = 1e-3
# Numbers held at once, about 8 MB.
_BLOCK = 1 << 20
# Pairs whose correlations fit into memory where arms answered different items.
MOST_PAIRS = 1_000


@dataclass(frozen=True, slots=True)
class ArmPairs:
    """Differences second - first of P pairs of arms, an entry a pair.

    Attributes
    ----------
    first, second : (P,) int64
        The arms.
    diff, se : (P,) float64
        NaN without a shared item; se also with one item or cluster. It is 0 where nothing varies.
    n, n_clusters : (P,) int64
        Shared items, and their clusters (items again where they are independent).
    wins, losses : (P,) int64
        Shared items on which the second arm is above the first, and below.
    """

    first: Ints
    second: Ints
    diff: Floats
    se: Floats
    n: Ints
    n_clusters: Ints
    wins: Ints
    losses: Ints

    @property
    def tested(self) -> NDArray[np.bool_]:
        """Which pairs have a t statistic."""
        return np.asarray(self.se > 0)

    @property
    def df(self) -> Floats:
        """Degrees of freedom, NaN where there is no t statistic."""
        return np.where(self.tested, self.n_clusters - 1.0, np.nan)

    def of_arms(self, arms: Ints) -> "ArmPairs":
        """Return the pairs of all arms in another order, each arm's old place given."""
        n_arms = len(arms)
        place = np.zeros((n_arms, n_arms), dtype=np.int64)
        place[self.first, self.second] = place[self.second, self.first] = np.arange(len(self.first))
        first, second = np.triu_indices(n_arms, 1)
        old = place[arms[first], arms[second]]
        turned = arms[first] > arms[second]
        return ArmPairs(
            first,
            second,
            np.where(turned, -self.diff[old], self.diff[old]),
            self.se[old],
            self.n[old],
            self.n_clusters[old],
            np.where(turned, self.losses[old], self.wins[old]),
            np.where(turned, self.wins[old], self.losses[old]),
        )


def arm_pairs(table: ItemTable) -> ArmPairs:
    r"""Compare every two arms.

    Parameters
    ----------
    table : ItemTable

    Returns
    -------
    ArmPairs
        Pairs (0, 1), (0, 2), ..., (1, 2), ...

    Notes
    -----
    With :math:`C` the products of the arms' deviations from their means, summed over clusters first
    where there are any, the squared error of a difference is
    :math:`(C_{aa} + C_{bb} - 2 C_{ab}) \, G / (G - 1) / n^2`: that of `segment_means` for all pairs
    from one matrix product. Where arms answered different items, masks take part in the products;
    with clusters besides, or items run under different seeds, pairs are taken a few at a time.
    """
    n_arms = len(table.series)
    first, second = np.triu_indices(n_arms, 1)
    if len(first) == 0 or table.series.shape[1] == 0 or not table.simple:
        found = _by_pair(table, first, second)
    else:
        found = (_complete if table.complete else _masked)(table, first, second)
        diff, se, n, n_clusters, spread = found
        close = np.flatnonzero(spread <= _NARROW * table.scale)
        for part, exact in zip(found, _by_pair(table, first[close], second[close]), strict=False):
            part[close] = exact
        found = diff, se, n, n_clusters, spread
    return ArmPairs(first, second, *found[:4], *_wins(table, first, second))


Found = tuple[Floats, Floats, Ints, Ints, Floats]


def _complete(table: ItemTable, first: Ints, second: Ints) -> Found:
    """Return the difference, error, items, clusters and spread where all arms have all items."""
    series, n = table.series, table.series.shape[1]
    mean = sums(series) / n
    rest = series - mean[:, None]
    if table.groups is not None:
        rest = group_sums(rest, *table.groups)
    n_units = rest.shape[1]
    square = np.maximum(_in_blocks(rest).of_differences[first, second], 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        se = np.sqrt(square * n_units / (n_units - 1)) / n if n_units > 1 else square * np.nan
    counts = np.full((2, len(first)), [[n], [n_units]])
    return mean[second] - mean[first], se, counts[0], counts[1], np.sqrt(square / n)


def _in_blocks(series: Floats) -> Products:
    """Return the products of long series without a copy of them."""
    n, size = series.shape[1], size_of(series)
    step = max(1, _BLOCK // max(len(series), 1))
    total = products(series[:, :step], n=n, exponent=size)
    for start in range(step, n, step):
        total += products(series[:, start : start + step], n=n, exponent=size)
    return total


def _masked(table: ItemTable, first: Ints, second: Ints) -> Found:
    """Do the same over the items that both arms of a pair have; items are independent."""
    known = ~np.isnan(table.series)
    there = known.astype(np.float64)
    plain = np.where(known, table.series, 0.0)
    # Of the size of the masks, as both are cut into slices together.
    size = size_of(plain)
    plain = np.ldexp(plain, -size)
    with np.errstate(invalid="ignore"):
        centre = np.nan_to_num(sums(plain) / there.sum(axis=1))
    plain = np.where(known, plain - centre[:, None], 0.0)
    n_arms = len(plain)
    mixed = _in_blocks(np.concatenate([plain, there])).matrix
    product, total, shared = mixed[:n_arms, :n_arms], mixed[:n_arms, n_arms:], mixed[n_arms:]
    square = _in_blocks(np.concatenate([plain**2, there])).matrix[:n_arms, n_arms:]
    n = np.rint(shared[:, n_arms:][first, second])
    gap = total[second, first] - total[first, second]
    both = square[second, first] + square[first, second] - 2 * product[first, second]
    with np.errstate(invalid="ignore", divide="ignore"):
        diff = gap / n + (centre[second] - centre[first])
        around = np.maximum(both - gap**2 / n, 0.0)
        se = np.sqrt(np.where(n > 1, around / (n - 1) / n, np.nan))
        spread = np.sqrt(around / n)
    diff, se, spread = (np.ldexp(part, size) for part in (diff, se, spread))
    counts = n.astype(np.int64)
    return diff, se, counts, counts.copy(), spread


def _by_pair(table: ItemTable, first: Ints, second: Ints) -> Found:
    """Do the same from the differences themselves, a few pairs at a time."""
    found = [_of_gaps(table, gaps, pair) for gaps, pair in _gaps(table, first, second)]
    if not found:
        none = np.zeros(0)
        return none, none, none.astype(np.int64), none.astype(np.int64), none
    diff, se, n, n_clusters = (np.concatenate(part) for part in zip(*found, strict=True))
    return diff, se, n, n_clusters, np.full(len(diff), np.inf)


def _gaps(table: ItemTable, first: Ints, second: Ints) -> Iterator[tuple[Floats, list[Ints]]]:
    """Yield differences second - first of some pairs, (p, n), and which pairs they are."""
    step = max(1, _BLOCK // max(table.series.shape[1], 1))
    for start in range(0, len(first), step):
        pair = [first[start : start + step], second[start : start + step]]
        yield table.gaps(*pair), pair


def _of_gaps(table: ItemTable, gaps: Floats, pair: list[Ints]) -> tuple[Floats, Floats, Ints, Ints]:
    """Return the mean, error, items and clusters of each row of differences."""
    known = ~np.isnan(gaps)
    scale = np.maximum(*(_largest(table.series[arm], known) for arm in pair))
    return series_means(gaps, scale, table.groups)


def _largest(values: Floats, known: NDArray[np.bool_]) -> Floats:
    return np.asarray(np.where(known, np.abs(values), 0.0).max(axis=1, initial=0.0))


def _wins(table: ItemTable, first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Count the items on which the second arm is above the first, and below."""
    if len(table.uneven):
        found = []
        for gaps, _ in _gaps(table, first, second):
            least = ROUNDING * table.scale
            found.append(np.stack([(gaps > least).sum(axis=1), (gaps < -least).sum(axis=1)]))
        wins, losses = np.concatenate(found, axis=1)
        return wins, losses
    n_arms = len(table.series)
    level = table.levels()
    above = np.zeros((n_arms, n_arms), dtype=np.int64)
    for arm in range(n_arms):
        bits = np.packbits(level > level[arm], axis=1)
        above[:, arm] = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
    return above[second, first], above[first, second]


def pairs_root(table: ItemTable, pairs: ArmPairs, chosen: Ints) -> Floats | None:
    """Return (r, p) numbers whose inner products are the correlations of some pairs' differences.

    Parameters
    ----------
    table : ItemTable
        Of arms in an order that follows from their values, so that names change no draw.
    pairs : ArmPairs
        Of the same table.
    chosen : (p,) int64
        Pairs with an error above 0.

    Returns
    -------
    (r, p) float64 or None
        None where arms answered different items and pairs are too many.
    """
    first, second = pairs.first[chosen], pairs.second[chosen]
    if table.complete:
        n_arms = len(table.series)
        variance = np.zeros((n_arms, n_arms))
        variance[pairs.first, pairs.second] = variance[pairs.second, pairs.first] = pairs.se**2
        return root_of_differences(variance, first, second)
    if len(chosen) > MOST_PAIRS:
        return None
    product = _shared_products(table, pairs, chosen)
    length = np.sqrt(np.diag(product))
    root = root_of(product / length / length[:, None])
    return np.asarray(root / np.sqrt((root**2).sum(axis=0)))


def _shared_products(table: ItemTable, pairs: ArmPairs, chosen: Ints) -> Floats:
    """Return the products of what each item or cluster adds to the differences, (p, p)."""
    n = pairs.n[chosen][:, None]
    total: Products | None = None
    for items, starts, size in table.blocks(max(1, _BLOCK // len(chosen))):
        gaps = table.part(items).gaps(pairs.first[chosen], pairs.second[chosen])
        share = np.where(np.isnan(gaps), 0.0, (gaps - pairs.diff[chosen][:, None]) / n)
        if starts is not None:
            share = group_sums(share, np.arange(len(items)), starts)
        exponent = int(np.frexp(4 * table.scale * size)[1])
        part = products(share, n=table.series.shape[1], exponent=exponent)
        total = part if total is None else total + part
    return np.zeros((len(chosen), len(chosen))) if total is None else total.matrix
