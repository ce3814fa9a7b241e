"""What every statistic that can be resampled offers, and what follows from that alone."""

from typing import Protocol

import numpy as np

from evalframe.stats import draws
from evalframe.stats.segments import Floats, Ints

# A multinomial count takes as long as this many index draws.
MULTINOMIAL = 24
# Numbers held while units are left out in turn.
_HELD = 1 << 18


class Counted(Protocol):
    """A statistic of n units, items or clusters, of which some are alike."""

    @property
    def n_units(self) -> int:
        """How many units there are."""

    @property
    def copies(self) -> Ints:
        """How many units each different one stands for, (D,)."""

    @property
    def estimate(self) -> float:
        """The statistic of the sample; NaN where it is not defined."""

    @property
    def constant(self) -> bool:
        """Whether every resample is known to have the same value."""

    @property
    def scale(self) -> float:
        """Size of the numbers that it is computed from."""

    def of_counts(self, counts: Ints) -> Floats:
        """Return the statistic of resamples that hold each different unit so often, (R, D)."""

    def jackknife(self) -> tuple[Floats, Ints]:
        """Return the statistic without each different unit, and how many units are alike."""

    def draw(self) -> tuple[draws.Draw, int]:
        """Return a function that draws resamples, and how many numbers one of them holds."""


def draw_counts(statistic: Counted, held: int) -> tuple[draws.Draw, int]:
    """Return a function that draws resamples of any statistic through counts of its units."""
    n, copies = statistic.n_units, statistic.copies
    if len(copies) * MULTINOMIAL <= n:
        share = copies / n

        def few(generator: np.random.Generator, rows: int) -> Floats:
            return statistic.of_counts(generator.multinomial(n, share, size=rows))

        return few, held
    starts = np.cumsum(copies) - copies

    def many(generator: np.random.Generator, rows: int) -> Floats:
        drawn = draws.counts(generator, rows, n)
        alike = len(copies) < n
        return statistic.of_counts(np.add.reduceat(drawn, starts, axis=1) if alike else drawn)

    return many, max(held, n)


def without_each(statistic: Counted) -> Floats:
    """Return a statistic without each different unit in turn, a few at a time."""
    copies = statistic.copies
    n = len(copies)
    rows = max(1, _HELD // max(n, 1))
    found = np.empty(n)
    for start in range(0, n, rows):
        stop = min(start + rows, n)
        counts = np.repeat(copies[None], stop - start, axis=0)
        counts[np.arange(stop - start), np.arange(start, stop)] -= 1
        found[start:stop] = statistic.of_counts(counts)
    return found
