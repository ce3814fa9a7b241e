"""Statistics that are a ratio of sums over units, or the difference of two: means and ratios."""

from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from evalframe.stats import draws
from evalframe.stats.counted import MULTINOMIAL
from evalframe.stats.segments import ROUNDING, Floats, Ints

# Values whose spread is a smaller share of their size than this are resampled from their centre.
_NARROW = 1e-3


@dataclass(frozen=True, slots=True)
class Linear:
    """Sum(a) / sum(b) over units, or the difference of two such ratios.

    Attributes
    ----------
    units : (k, D) float64
        The different units, sorted: rows a and b, and for a difference those of the other arm.
    copies : (D,) int64
        How many units are alike.
    shift : float
        What was taken off; the statistic is `shift` plus that of `units`.
    estimate : float
        The statistic of the sample; NaN where it is not defined.
    """

    units: Floats
    copies: Ints
    shift: float
    estimate: float

    @property
    def n_units(self) -> int:
        """How many units there are."""
        return int(self.copies.sum())

    @property
    def constant(self) -> bool:
        """Whether every resample has the same value."""
        return bool((self.units[0::2] == 0).all() and (self.units[1::2] > 0).all())

    @property
    def scale(self) -> float:
        """Size of the numbers that it is computed from."""
        top = np.abs(self.units[0::2]).max(axis=1, initial=0.0)
        bottom = np.abs(self.units[1::2] @ self.copies)
        with np.errstate(invalid="ignore", divide="ignore"):
            return float(abs(self.shift) + (top * self.n_units / bottom).sum())

    def of_totals(self, totals: Floats) -> Floats:
        """Return the statistic of (..., k) sums, NaN where it is not defined."""
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = totals[..., 0::2] / totals[..., 1::2]
            value = self.shift + ratio[..., 0] - (ratio[..., 1] if ratio.shape[-1] > 1 else 0)
        value[~np.isfinite(value)] = np.nan
        return np.asarray(value)

    def of_counts(self, counts: Ints) -> Floats:
        """Return the statistic of resamples that hold each different unit so often, (R, D)."""
        return self.of_totals(np.stack([(counts * row).sum(axis=1) for row in self.units], axis=1))

    def jackknife(self) -> tuple[Floats, Ints]:
        """Return the statistic without each different unit, and how many units are alike."""
        total = (self.units * self.copies).sum(axis=1)
        return self.of_totals((total[:, None] - self.units).T), self.copies

    def residuals(self) -> Floats:
        """Return a - r b of each arm, with r its ratio in the sample, (k / 2, D)."""
        top, bottom = self.units[0::2], self.units[1::2]
        with np.errstate(invalid="ignore", divide="ignore"):
            centre = (top * self.copies).sum(axis=1) / (bottom * self.copies).sum(axis=1)
            return np.asarray(top - centre[:, None] * bottom)

    def influence(self) -> Floats:
        """Return how far each different unit moves the statistic, to first order, (D,)."""
        bottom = (self.units[1::2] * self.copies).sum(axis=1)
        moved = self.residuals() / bottom[:, None]
        return np.asarray(moved[0] - moved[1] if len(moved) > 1 else moved[0])

    def draw(self) -> tuple[draws.Draw, int]:
        """Return a function that draws resamples, and how many numbers one of them holds."""
        total, size = self._sampler(self.units)
        return lambda generator, rows: self.of_totals(total(generator, rows)), size

    def draw_with_errors(self) -> tuple[draws.Draw, int]:
        """Return the same with the standard error of each resample beside its statistic."""
        rest = np.empty_like(self.units)
        rest[0::2], rest[1::2] = self.residuals(), self.units[1::2]
        pairs = list(combinations_with_replacement(range(len(rest)), 2))
        total, size = self._sampler(np.stack([*rest, *[rest[i] * rest[j] for i, j in pairs]]))

        def with_errors(generator: np.random.Generator, rows: int) -> Floats:
            drawn = total(generator, rows)
            return self._with_errors(drawn[:, : len(rest)], drawn[:, len(rest) :], pairs)

        return with_errors, size

    def _with_errors(self, total: Floats, products: Floats, pairs: list[tuple[int, int]]) -> Floats:
        """Return the statistic and its standard error from sums and sums of products."""
        n, sign = self.n_units, np.array([1.0, -1.0])[: total.shape[1] // 2]
        with np.errstate(invalid="ignore", divide="ignore"):
            moved = total[:, 0::2] / total[:, 1::2]
            weight = np.empty_like(total)
            weight[:, 0::2] = sign / total[:, 1::2]
            weight[:, 1::2] = -weight[:, 0::2] * moved
            square = np.zeros(len(total))
            for (i, j), product in zip(pairs, products.T, strict=True):
                square += (1 if i == j else 2) * weight[:, i] * weight[:, j] * product
            # Rounding leaves a square of about eps where one unit was drawn n times.
            small = square <= 1e-13 * (weight**2 * products[:, _squares(pairs)]).sum(axis=1)
            error = np.where(small, 0, np.sqrt(np.maximum(square, 0) * n / (n - 1)))
            return np.stack([self.estimate + (moved * sign).sum(axis=1), error], axis=1)

    def _sampler(self, columns: Floats) -> tuple[draws.Draw, int]:
        """Return a function that draws sums of columns of the units."""
        n, n_different = self.n_units, self.units.shape[1]
        # A column of equal numbers (the size of an item) has one sum, drawn or not.
        fixed = (columns == columns[:, :1]).all(axis=1)
        few = n_different * MULTINOMIAL <= n
        moving = columns[~fixed] if few else np.repeat(columns[~fixed], self.copies, axis=1)

        def total(generator: np.random.Generator, rows: int) -> Floats:
            out = np.empty((rows, len(columns)))
            out[:, fixed] = n * columns[fixed, 0]
            if few:
                drawn = generator.multinomial(n, self.copies / n, size=rows)
                found = [(drawn * column).sum(axis=1) for column in moving]
            else:
                found = draws.sums(generator, rows, list(moving)) if len(moving) else []
            for place, one in zip(np.flatnonzero(~fixed), found, strict=True):
                out[:, place] = one
            return out

        return total, n_different if few else n


def _squares(pairs: list[tuple[int, int]]) -> list[int]:
    return [place for place, (i, j) in enumerate(pairs) if i == j]


def linear(terms: Floats, unit: Ints | None, scale: float = 0.0) -> Linear:
    """Build the statistic from items.

    Parameters
    ----------
    terms : (k, n) float64
        Rows a and b of each arm. No NaN.
    unit : (n,) int64 or None
        The unit of each item, codes from 0 without a gap; None: items are units.
    scale : float
        Size of the numbers that a was computed from: a spread within its rounding counts as none.
    """
    # Negative zeros would let the order of rows show in the sign of a zero.
    units = terms + 0.0
    if unit is not None:
        # Summed from the smallest values up, so that a sum does not depend on the order of items.
        order = np.lexsort(units)
        units = np.stack([np.bincount(unit[order], weights=row[order]) for row in units])
    n = units.shape[1]
    if n == 0:
        return Linear(units, np.zeros(0, dtype=np.int64), 0.0, np.nan)
    units = units[:, _by_value(units)]
    shifts = [_shift(top, low, scale) for top, low in zip(units[0::2], units[1::2], strict=True)]
    shift = shifts[0] - (shifts[1] if len(shifts) > 1 else 0.0)
    new = np.concatenate([[True], (np.diff(units) != 0).any(axis=0)])
    first = np.flatnonzero(new)
    copies = np.diff(np.append(first, n))
    units = units[:, first]
    made = Linear(units, copies, shift, np.nan)
    estimate = float(made.of_totals((units * copies).sum(axis=1)[None])[0])
    if len(units) == 2 and (units[1] > 0).all():
        ends = units[0] / units[1]
        estimate = float(np.clip(estimate, shift + ends.min(), shift + ends.max()))
    return Linear(units, copies, shift, estimate)


def _by_value(units: Floats) -> Ints:
    """Return the order of units by their values; units that are alike may stand in any order."""
    moving = units[(units != units[:, :1]).any(axis=1)]
    return np.argsort(moving[0]) if len(moving) == 1 else np.lexsort([*moving[::-1], units[0]])


def _shift(top: Floats, bottom: Floats, scale: float) -> float:
    """Take a multiple of `bottom` off `top`, in place, where its ratios hardly differ."""
    if not (bottom > 0).all():
        return 0.0
    each = top / bottom
    low, high = float(each.min()), float(each.max())
    size = max(abs(low), abs(high), scale)
    if high - low > _NARROW * size:
        return 0.0
    centre = min(max(float(top.sum() / bottom.sum()), low), high)
    if high - low <= ROUNDING * size:
        top[:] = 0.0
        return 0.0 if abs(centre) <= ROUNDING * size else centre
    top -= centre * bottom
    return centre
