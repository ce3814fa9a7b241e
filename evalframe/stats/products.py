"""Sums and sums of products of series of numbers that do not depend on any order.

A matrix product adds up in an order that the machine chooses: its last digits differ with the order
of the items, with the place of a series and with how many series there are. Here numbers are cut
into two slices of whole numbers so short that every sum of products is a whole number below 2**53:
those are added without rounding, in whatever order.
"""

from dataclasses import dataclass

import numpy as np

from evalframe.stats.segments import Floats, Ints

_BITS = 53


@dataclass(frozen=True, slots=True)
class Products:
    """Sums of products of K series, as whole numbers.

    Attributes
    ----------
    high, mixed, low : (K, K) float64
        Sums of products of high slices, of a high slice (row) and a low one (column), of low ones.
    bits : int
        Length of a slice.
    exponent : int
        The series lie between -1 and 1 in units of ``2**exponent``.
    """

    high: Floats
    mixed: Floats
    low: Floats
    bits: int
    exponent: int

    def __add__(self, other: "Products") -> "Products":
        """Return the products of further items, cut in the same way, and these."""
        return Products(
            self.high + other.high,
            self.mixed + other.mixed,
            self.low + other.low,
            self.bits,
            self.exponent,
        )

    @property
    def matrix(self) -> Floats:
        """The (K, K) sums of products."""
        return self._put_together(self.high, self.mixed + self.mixed.T, self.low)

    @property
    def of_differences(self) -> Floats:
        """The (K, K) sums of squares of the differences of two series."""
        # Taken of whole numbers, where nothing cancels.
        high, low = _of_differences(self.high), _of_differences(self.low)
        own = np.diag(self.mixed)
        mixed = own[:, None] + own - self.mixed - self.mixed.T
        return self._put_together(high, 2 * mixed, low)

    def _put_together(self, high: Floats, mixed: Floats, low: Floats) -> Floats:
        step = 2 * (self.exponent - self.bits)
        return np.asarray(
            np.ldexp(high, step)
            + np.ldexp(mixed, step - self.bits)
            + np.ldexp(low, step - 2 * self.bits)
        )


def _of_differences(products: Floats) -> Floats:
    own = np.diag(products)
    return np.asarray(own[:, None] + own - 2 * products)


def products(series: Floats, *, n: int = 0, exponent: int | None = None) -> Products:
    """Add up the products of every two of K series of numbers.

    Parameters
    ----------
    series : (K, n) float64
        No NaN. Rounded to (53 - log2 n) bits of the largest of them, 42 bits where n is 2,000.
    n, exponent : int, optional
        Length and size (`size_of`) of the series of which `series` are a part, so that the products
        of all parts may be added.

    Returns
    -------
    Products
    """
    width, length = series.shape
    exponent = size_of(series) if exponent is None else exponent
    bits = (_BITS - max(n, length, 1).bit_length()) // 2
    slices = np.empty((2 * width, length))
    high, low = slices[:width], slices[width:]
    _scaled(series, np.array([bits - exponent]), low)
    np.rint(low, out=high)
    low -= high
    low *= 2.0**bits
    np.rint(low, out=low)
    found = slices @ slices.T
    return Products(
        found[:width, :width], found[:width, width:], found[width:, width:], bits, exponent
    )


def size_of(series: Floats) -> int:
    """Return the least exponent e so that all numbers lie between -2**e and 2**e."""
    largest = max(float(series.max()), -float(series.min())) if series.size else 0.0
    return int(np.frexp(largest)[1]) if largest > 0 else 0


def sums(series: Floats) -> Floats:
    """Return the (K,) sums of (K, n) series, each by itself. No NaN."""
    numbers, unit = _whole(series)
    return np.asarray(np.ldexp(numbers.sum(axis=1).astype(np.float64), unit))


def squares(series: Floats) -> Floats:
    """Return the (K,) sums of squares of (K, n) series, each by itself. No NaN."""
    size = _sizes(series)
    bits = (_BITS - max(series.shape[1], 1).bit_length()) // 2
    low = _scaled(series, bits - size)
    high = np.rint(low)
    low = np.rint((low - high) * 2.0**bits)
    found = np.ldexp((high**2).sum(axis=1), 2 * (size - bits))
    found += np.ldexp((high * low).sum(axis=1), 2 * (size - bits) - bits + 1)
    return np.asarray(found + np.ldexp((low**2).sum(axis=1), 2 * (size - 2 * bits)))


def group_sums(series: Floats, order: Ints, starts: Ints) -> Floats:
    """Return the (K, G) sums of (K, n) series over groups of their entries.

    Parameters
    ----------
    series : (K, n) float64
        No NaN.
    order : (n,) int64
        Entries sorted by group.
    starts : (G,) int64
        Where each group starts in that order; none is empty.
    """
    numbers, unit = _whole(series)
    totals = np.add.reduceat(numbers[:, order], starts, axis=1)
    return np.asarray(np.ldexp(totals.astype(np.float64), unit[:, None]))


def _sizes(series: Floats) -> Ints:
    """Return `size_of` each of K series."""
    ends = series.max(axis=1, initial=0.0), series.min(axis=1, initial=0.0)
    exponent = np.frexp(np.maximum(ends[0], -ends[1]))[1]
    return np.asarray(exponent, dtype=np.int64)


def _whole(series: Floats) -> tuple[Ints, Ints]:
    """Return (K, n) numbers as whole ones whose sums over n are exact, and each unit's exponent.

    They keep 62 - log2 n bits, which for fewer than 512 is all that a number has.
    """
    unit = _sizes(series) + max(series.shape[1], 1).bit_length() - 62
    return np.rint(_scaled(series, -unit)).astype(np.int64), unit


def _scaled(series: Floats, power: Ints, out: Floats | None = None) -> Floats:
    """Multiply (K, n) series by powers of two, which rounds nothing."""
    if len(power) and np.abs(power).max() < 1000:
        return np.multiply(series, np.ldexp(1.0, power)[:, None], out=out)
    return np.ldexp(series, power[:, None], out=out)
