"""Quantiles and trimmed means, of items or of the items of drawn clusters."""

from dataclasses import dataclass
from math import floor

import numpy as np

from evalframe.stats import draws
from evalframe.stats.counted import draw_counts, without_each
from evalframe.stats.segments import Floats, Ints


@dataclass(frozen=True, slots=True)
class Order:
    """A quantile or trimmed mean of an arm, or its difference from that of a baseline.

    Attributes
    ----------
    kind : {"quantile", "trimmed"}
    number : float
        The quantile (linear between order statistics), or the share cut off at each end.
    values : (J, m) float64
        The different items: the arm's value and the baseline's, sorted. With clusters all items.
    copies : (D,) int64
        How many units are alike.
    unit : (m,) int64 or None
        The cluster of each item; None where items are units.
    """

    kind: str
    number: float
    values: Floats
    copies: Ints
    unit: Ints | None

    @property
    def n_units(self) -> int:
        """How many units there are."""
        return int(self.copies.sum())

    @property
    def constant(self) -> bool:
        """Whether every resample has the same value."""
        return bool((self.values == self.values[:, :1]).all())

    @property
    def scale(self) -> float:
        """Size of the numbers that it is computed from."""
        return float(np.abs(self.values).max(initial=0.0))

    @property
    def estimate(self) -> float:
        """The statistic of the sample."""
        return float(self.of_counts(self.copies[None])[0])

    def of_counts(self, counts: Ints) -> Floats:
        """Return the statistic of resamples that hold each different unit so often, (R, D)."""
        items = counts if self.unit is None else counts[:, self.unit]
        found = [self._of_items(row, items) for row in self.values]
        return found[0] if len(found) == 1 else found[0] - found[1]

    def _of_items(self, values: Floats, counts: Ints) -> Floats:
        order = np.argsort(values, kind="stable")
        values, counts = values[order], counts[:, order]
        reached = np.cumsum(counts, axis=1)
        n = reached[:, -1]
        if self.kind == "quantile":
            rank = (n - 1) * self.number
            low = np.floor(rank)
            below = values[(reached <= low[:, None]).sum(axis=1)]
            next_up = np.minimum(low + 1, n - 1)
            above = values[(reached <= next_up[:, None]).sum(axis=1)]
            return np.asarray(below + (rank - low) * (above - below))
        cut = np.floor(n * self.number).astype(np.int64)[:, None]
        kept = np.minimum(reached, n[:, None] - cut) - np.maximum(reached - counts, cut)
        kept = np.maximum(kept, 0)
        mean = (kept * values).sum(axis=1) / kept.sum(axis=1)
        # Rounding must not move a mean of equal numbers beside them.
        return np.asarray(np.clip(mean, values[0], values[-1]))

    def jackknife(self) -> tuple[Floats, Ints]:
        """Return the statistic without each different unit, and how many units are alike."""
        if self.unit is not None:
            return without_each(self), self.copies
        found = [self._without(row) for row in self.values]
        return (found[0] if len(found) == 1 else found[0] - found[1]), self.copies

    def _without(self, values: Floats) -> Floats:
        """Return the statistic of an arm without each item, from the order of all."""
        order = np.argsort(values, kind="stable")
        full = np.repeat(values[order], self.copies[order])
        gone = np.empty(len(values), dtype=np.int64)
        gone[order] = np.cumsum(self.copies[order]) - self.copies[order]
        n = len(full) - 1
        if self.kind == "quantile":
            low = floor((n - 1) * self.number)
            high = min(low + 1, n - 1)
            below, above = full[low + (gone <= low)], full[high + (gone <= high)]
            return np.asarray(below + ((n - 1) * self.number - low) * (above - below))
        cut = floor(n * self.number)
        start, stop = cut + (gone < cut), n - cut + (gone < n - cut)
        sums = np.concatenate([[0.0], np.cumsum(full)])
        total = sums[stop] - sums[start]
        total[(gone >= cut) & (gone < n - cut)] -= values[(gone >= cut) & (gone < n - cut)]
        return np.asarray(total / (n - 2 * cut))

    def draw(self) -> tuple[draws.Draw, int]:
        """Return a function that draws resamples, and how many numbers one of them holds."""
        if self.unit is None and len(self.values) == 1 and self.kind == "quantile":
            return self._draw_ranks, 4
        return draw_counts(self, self.values.size)

    def _draw_ranks(self, generator: np.random.Generator, rows: int) -> Floats:
        """Draw the two order statistics that a quantile lies between, and nothing else.

        The k-th smallest of n uniform numbers is Beta(k, n + 1 - k), and the next one lies above it
        as the smallest of n - k others would.
        """
        n = self.n_units
        rank = (n - 1) * self.number
        low = floor(rank)
        first = generator.beta(low + 1, n - low, size=rows)
        rest = n - low - 1
        higher = generator.random(rows)
        second = 1 - (1 - first) * higher ** (1 / rest) if rest else first
        reached = np.cumsum(self.copies)
        places = [np.minimum((u * n).astype(np.int64), n - 1) for u in (first, second)]
        below, above = (self.values[0][np.searchsorted(reached, p, "right")] for p in places)
        return np.asarray(below + (rank - low) * (above - below))
