"""A statistic that the user wrote."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalframe.stats import draws
from evalframe.stats.counted import draw_counts, without_each
from evalframe.stats.segments import Floats, Ints

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Custom:
    """The user's statistic of an arm's items, or its difference from that of a baseline.

    Attributes
    ----------
    function : callable
        Of (n,) values to a number; where `vectorised`, of (R, n) values to (R,).
    vectorised : bool
    values : (J, m) float64
        The different items: the arm's value and the baseline's, sorted. With clusters all items.
    copies : (D,) int64
        How many units are alike.
    unit : (m,) int64 or None
        The cluster of each item; None where items are units.
    """

    function: Function
    vectorised: bool
    values: Floats
    copies: Ints
    unit: Ints | None

    @property
    def n_units(self) -> int:
        """How many units there are."""
        return int(self.copies.sum())

    @property
    def constant(self) -> bool:
        """Whether every resample is known to have the same value: never."""
        return False

    @property
    def scale(self) -> float:
        """Size of the numbers that it is computed from: the values and each arm's statistic."""
        items = self.copies[None] if self.unit is None else self.copies[None, self.unit]
        found = [abs(float(self._of_items(row, items)[0])) for row in self.values]
        return max(*found, float(np.abs(self.values).max(initial=0.0)))

    @property
    def estimate(self) -> float:
        """The statistic of the sample; NaN where it is not defined."""
        return float(self.of_counts(self.copies[None])[0])

    def of_counts(self, counts: Ints) -> Floats:
        """Return the statistic of resamples that hold each different unit so often, (R, D)."""
        items = counts if self.unit is None else counts[:, self.unit]
        found = [self._of_items(row, items) for row in self.values]
        value = found[0] if len(found) == 1 else found[0] - found[1]
        value[~np.isfinite(value)] = np.nan
        return value

    def _of_items(self, values: Floats, counts: Ints) -> Floats:
        length = counts.sum(axis=1)
        with np.errstate(all="ignore"):
            if self.vectorised and (length == length[0]).all():
                drawn = np.repeat(np.tile(values, len(counts)), counts.ravel())
                found = self.function(drawn.reshape(len(counts), -1))
                return np.array(found, dtype=np.float64)
            rows = [self.function(row) for row in _samples(values, counts, self.vectorised)]
        return _numbers(rows)

    def jackknife(self) -> tuple[Floats, Ints]:
        """Return the statistic without each different unit, and how many units are alike."""
        return without_each(self), self.copies

    def draw(self) -> tuple[draws.Draw, int]:
        """Return a function that draws resamples, and how many numbers one of them holds."""
        return draw_counts(self, self.n_units if self.unit is None else self.values.size)


def _samples(values: Floats, counts: Ints, vectorised: bool) -> list[Floats]:
    samples = [np.repeat(values, row) for row in counts]
    return [sample[None] for sample in samples] if vectorised else samples


def _numbers(found: list[Any]) -> Floats:
    """Return what a statistic gave for each of some samples, or refuse what is no number."""
    try:
        return np.array(found, dtype=np.float64).reshape(len(found))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"statistic must return one number for a sample, found {found[0]!r:.60}"
        ) from error


def along_last_axis(function: Function, values: Floats) -> tuple[Function, bool]:
    """Find out whether a statistic can take many samples at once.

    Parameters
    ----------
    function : callable
        Of (n,) values to a number.
    values : (n,) float64
        The sample that it is tried on.

    Returns
    -------
    function : callable
        Of (R, n) values to (R,), with ``axis=-1`` passed on where it has that argument.
    vectorised : bool
        Whether it can: two samples at once gave the numbers that each gave alone. Otherwise
        `function` comes back as it was.
    """
    trial = np.stack([values, values[np.arange(len(values)) // 2]])

    def last_axis(block: Floats) -> Any:
        return function(block, axis=-1)

    for one in (last_axis, function) if _has_axis(function) else (function,):
        with np.errstate(all="ignore"):
            alone = _numbers([function(row) for row in trial])
            try:
                both = np.asarray(one(trial), dtype=np.float64)
            # What a function that takes one sample does with two is its own affair.
            except Exception:
                continue
        if both.shape == (2,) and np.allclose(both, alone, rtol=1e-12, atol=0, equal_nan=True):
            return one, True
    return function, False


def _has_axis(function: Function) -> bool:
    try:
        return "axis" in inspect.signature(function).parameters
    except ValueError:
        return False
