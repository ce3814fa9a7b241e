"""Sums over consecutive segments, and positions of ragged ranges."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Bools: TypeAlias = NDArray[np.bool_]
Bytes: TypeAlias = NDArray[np.uint8]
Codes: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


def segment_sums(values: NDArray[np.integer] | Bools, offsets: Ints) -> Ints:
    """Return the sum of whole numbers over each segment.

    Parameters
    ----------
    values : (n,) whole numbers or booleans
        Sums are differences of running totals, which only whole numbers survive exactly.
    offsets : (T + 1,) int64
        Segment t is ``values[offsets[t]:offsets[t + 1]]``; it may be empty.

    Returns
    -------
    (T,) int64

    Examples
    --------
    >>> segment_sums(np.array([1, 2, 3]), np.array([0, 2, 2, 3]))
    array([3, 0, 3])
    """
    running = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, dtype=np.int64, out=running[1:])
    return np.diff(running[offsets])


def float_sums(values: Floats, segment: Ints, n_segments: int) -> Floats:
    """Return the sum of floats over each segment, added in the order given.

    So that a text's sum does not depend on the texts around it.

    Examples
    --------
    >>> float_sums(np.array([0.5, 1.0, 2.0]), np.array([0, 0, 2]), 3)
    array([1.5, 0. , 2. ])
    """
    return np.bincount(segment, weights=values, minlength=n_segments).astype(np.float64)


def segment_of(offsets: Ints) -> Ints:
    """Return the segment of each value.

    Examples
    --------
    >>> segment_of(np.array([0, 2, 2, 3]))
    array([0, 0, 2])
    """
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def ragged(starts: Ints, lengths: Ints) -> Ints:
    """Return the positions of several ranges, one range after the other.

    Examples
    --------
    >>> ragged(np.array([3, 10]), np.array([2, 3]))
    array([ 3,  4, 10, 11, 12])
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + lengths, lengths)


def in_a_row(positions: Ints, least: int) -> Ints:
    """Return the first position of each run of neighbouring positions that is long enough.

    Parameters
    ----------
    positions : (n,) int64
        Increasing.
    least : int
        How many positions in a row make a run.

    Examples
    --------
    >>> in_a_row(np.array([1, 2, 3, 7, 9, 10]), 2)
    array([1, 9])
    """
    first, length = runs(positions)
    return first[length >= least]


def runs(positions: Ints) -> tuple[Ints, Ints]:
    """Return the first position and the length of each run of neighbouring positions.

    Examples
    --------
    >>> runs(np.array([1, 2, 3, 7]))
    (array([1, 7]), array([3, 1]))
    """
    if not len(positions):
        return positions, positions
    begins = np.flatnonzero(np.diff(positions, prepend=positions[0] - 2) != 1)
    return positions[begins], np.diff(begins, append=len(positions))
