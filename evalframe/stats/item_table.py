"""Item means of several arms side by side, with what of them is not shared."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from evalframe.stats.segments import Floats, Ints, stable_order

# Squares of numbers between 2**-200 and 2**200 stay in range.
_EXTREME = 200
# Item means are compared to so many bits: fewer than sums of the same seeds can differ in.
_COMPARED = 40


@dataclass(frozen=True, slots=True)
class ItemTable:
    """Item means of A arms on n items.

    Attributes
    ----------
    series : (A, n) float64
        NaN where an arm has no value of an item.
    cluster : (n,) int64 or None
        Codes from 0 without a gap; None where items are independent.
    uneven : (m,) int64
        Items that arms ran under different seeds, in ascending order.
    single : (S, A, m) float64
        The single runs of those items by seed, NaN where there is none.
    """

    series: Floats
    cluster: Ints | None
    uneven: Ints
    single: Floats

    @property
    def complete(self) -> bool:
        """Whether all arms have all items under the same seeds."""
        return len(self.uneven) == 0 and not bool(np.isnan(self.series).any())

    @property
    def simple(self) -> bool:
        """Whether all pairs can be compared in one matrix product."""
        return len(self.uneven) == 0 and (self.cluster is None or self.complete)

    @property
    def scale(self) -> float:
        """The largest absolute value; 0 where there is none."""
        ends = [
            max(
                float(np.fmax.reduce(one, axis=None, initial=0.0)),
                -float(np.fmin.reduce(one, axis=None, initial=0.0)),
            )
            for one in (self.series, self.single)
        ]
        return max(ends)

    @property
    def groups(self) -> tuple[Ints, Ints] | None:
        """Items sorted by cluster and where each cluster starts; None where there are none."""
        if self.cluster is None:
            return None
        size = np.bincount(self.cluster)
        return stable_order(self.cluster, len(size)), np.cumsum(size) - size

    def measured(self) -> tuple["ItemTable", int]:
        """Return the table in a unit in which squares stay in range, and the unit's exponent.

        It is a power of two, so that nothing is rounded, and 1 for all but extreme scores.
        """
        size = int(np.frexp(self.scale)[1])
        if abs(size) <= _EXTREME:
            return self, 0
        series, single = np.ldexp(self.series, -size), np.ldexp(self.single, -size)
        return replace(self, series=series, single=single), size

    def levels(self) -> Floats:
        """Return item means in whole steps, so that means equal up to rounding are equal."""
        size = int(np.frexp(self.scale)[1])
        level = np.ldexp(self.series, _COMPARED - size)
        return np.asarray(np.rint(level, out=level))

    def gaps(self, first: Ints, second: Ints) -> Floats:
        """Return (p, n) differences second - first over the runs that both arms have."""
        gaps = self.series[second] - self.series[first]
        if len(self.uneven):
            total, n_runs = np.zeros((2, len(first), len(self.uneven)))
            for values in self.single:
                one = values[second] - values[first]
                total += np.nan_to_num(one)
                n_runs += ~np.isnan(one)
            with np.errstate(invalid="ignore"):
                gaps[:, self.uneven] = total / n_runs
        return gaps

    def part(self, items: Ints) -> "ItemTable":
        """Return the table of some items, without their clusters."""
        place = np.flatnonzero(np.isin(self.uneven, items))
        found = {item: at for at, item in enumerate(items.tolist())} if len(place) else {}
        uneven = np.array([found[item] for item in self.uneven[place].tolist()], dtype=np.int64)
        return replace(
            self,
            series=self.series[:, items],
            cluster=None,
            uneven=uneven,
            single=self.single[:, :, place],
        )

    def of_arms(self, arms: Ints) -> "ItemTable":
        """Return the table of some arms, in this order."""
        return replace(self, series=self.series[arms], single=self.single[:, arms])

    def blocks(self, size: int) -> Iterator[tuple[Ints, Ints | None, int]]:
        """Split the items into blocks of about one size that hold whole clusters.

        Yields
        ------
        items : (k,) int64
            Sorted by cluster.
        starts : (g,) int64 or None
            Where each cluster starts in them; None where items are independent.
        largest : int
            Items of the largest cluster of all blocks.
        """
        n = self.series.shape[1]
        if self.groups is None:
            for start in range(0, n, size):
                yield np.arange(start, min(start + size, n)), None, 1
            return
        order, starts = self.groups
        ends = np.append(starts[1:], n)
        largest = int((ends - starts).max(initial=0))
        lots = ends // size
        for lot in np.unique(lots):
            mine = np.flatnonzero(lots == lot)
            items = order[starts[mine[0]] : ends[mine[-1]]]
            yield items, starts[mine] - starts[mine[0]], largest
