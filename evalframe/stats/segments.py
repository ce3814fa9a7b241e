"""Sums over segments of an array that do not depend on the order of its values.

Floating-point addition is not associative, so a sum over rows changes in its last digits when the
rows are shuffled. Here each segment is added up from its smallest value to its largest: its sum is
a function of its values alone, whatever stands beside them and however they came in.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Two numbers this close, relative to the values they came from, differ by rounding alone.
ROUNDING = 4 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Segments:
    """The values of an array sorted by segment, and by value inside each.

    Attributes
    ----------
    order : (n,) int64
        Positions of the values in the array, in sorted order.
    size : (S,) int64
        How many values each segment has; 0 is allowed.
    """

    order: Ints
    size: Ints

    def sum(self, ordered: Floats) -> Floats:
        """Return the (S,) sums of an array given in this order; 0 for an empty segment."""
        total = np.zeros(len(self.size))
        filled = self.size > 0
        if filled.any():
            total[filled] = np.add.reduceat(ordered, self.starts[filled])
        return total

    @property
    def starts(self) -> Ints:
        """Where each segment starts in the sorted order."""
        return np.cumsum(self.size) - self.size

    @property
    def label(self) -> Ints:
        """The segment of each value, in the sorted order."""
        return np.repeat(np.arange(len(self.size)), self.size)


def arrange(values: Floats, segment: Ints, n_segments: int) -> Segments:
    """Sort values by segment and then by size.

    Parameters
    ----------
    values : (n,) float64
        No NaN.
    segment : (n,) int64
        Codes from 0 to n_segments - 1.
    n_segments : int
        S.

    Returns
    -------
    Segments
    """
    by_value = np.argsort(values)
    order = by_value[stable_order(segment[by_value], n_segments)]
    return Segments(order, np.bincount(segment, minlength=n_segments))


def totals(values: Floats, segment: Ints, n_segments: int) -> Floats:
    """Return the (S,) sums of segments, which do not depend on the order of values."""
    ordered = arrange(values, segment, n_segments)
    return ordered.sum(values[ordered.order])


def stable_order(codes: Ints, n_codes: int) -> Ints:
    """Return the order that sorts codes from 0 to n_codes - 1 and leaves equal ones as they are."""
    # A stable sort of 16-bit integers is a radix sort: linear time.
    narrow = codes.astype(np.uint16) if n_codes <= 1 << 16 else codes
    return np.argsort(narrow, kind="stable")
