"""The different ratings that occur in each segment, and how far they are from each other."""

from dataclasses import dataclass

import numpy as np

from evalframe.stats.segments import Floats, Ints

DISTANCES = ("nominal", "absolute", "squared", "ratio")
# Distances held at once.
_HELD = 1 << 20


@dataclass(frozen=True, slots=True)
class Levels:
    """The different ratings of S segments: sorted by segment, and by value inside each.

    Attributes
    ----------
    value : (K,) float64
        The rating; labels are numbered.
    segment : (K,) int64
        The segment that it occurs in.
    n_segments : int
        S. A segment may have none.
    """

    value: Floats
    segment: Ints
    n_segments: int

    @property
    def size(self) -> Ints:
        """How many different ratings each segment has."""
        return np.bincount(self.segment, minlength=self.n_segments)

    @property
    def start(self) -> Ints:
        """Where the ratings of each segment start."""
        return np.cumsum(self.size) - self.size

    def sum(self, weight: Floats | Ints) -> Floats:
        """Add up a number a level over each segment."""
        return np.bincount(self.segment, weight, minlength=self.n_segments).astype(np.float64)

    def midrank(self, count: Ints) -> Floats:
        """Return the (K,) ratings below each level plus half of those at it, as counts."""
        below = np.cumsum(count) - count
        first = np.append(below, 0)[self.start[self.segment]]
        return np.asarray(below - first + count / 2.0)

    def mean_distance(self, count: Floats | Ints, distance: str) -> Floats:
        r"""Sum over the levels of a segment of the distance from each, times a count.

        Parameters
        ----------
        count : (K,) array
            Ratings at each level.
        distance : {"nominal", "absolute", "squared", "ratio"}

        Returns
        -------
        (K,) float64
            :math:`\sum_k n_k d(x_c, x_k)` for each level c, k in its segment.

        Notes
        -----
        Time O(K); for "ratio" the square of a segment's levels.
        """
        count = np.asarray(count, dtype=np.float64)
        if distance == "nominal":
            return np.asarray(self.sum(count)[self.segment] - count)
        x = self.value - self._middle()[self.segment]
        if distance == "absolute":
            return self._absolute(count, x)
        if distance == "squared":
            total, first, second = (self.sum(count * x**power)[self.segment] for power in range(3))
            return np.asarray(total * x**2 - 2.0 * x * first + second)
        return self._by_pairs(count, distance)

    def _middle(self) -> Floats:
        """Return the middle of each segment's ratings, so that squares lose no digits."""
        middle, there = np.zeros(self.n_segments), self.size > 0
        first = self.start[there]
        last = first + self.size[there] - 1
        middle[there] = self.value[first] / 2.0 + self.value[last] / 2.0
        return middle

    def _absolute(self, count: Floats, x: Floats) -> Floats:
        found = np.zeros(len(x))
        # Sums over all segments at once would round one by what stands before it.
        for start, size in zip(self.start.tolist(), self.size.tolist(), strict=True):
            here = slice(start, start + size)
            n, total = np.cumsum(count[here]), np.cumsum(count[here] * x[here])
            found[here] = x[here] * (2.0 * n - n[-1:]) - 2.0 * total + total[-1:]
        return found

    def _by_pairs(self, count: Floats, distance: str) -> Floats:
        """Go through all pairs of levels of a segment, some rows of them at a time."""
        width = self.size[self.segment]
        upto, found = np.cumsum(width), np.zeros(len(width))
        begin = 0
        while begin < len(width):
            done = upto[begin] - width[begin]
            end = max(begin + 1, int(np.searchsorted(upto, done + _HELD, side="right")))
            size = width[begin:end]
            offset = np.cumsum(size) - size
            row = np.repeat(np.arange(begin, end), size)
            column = np.arange(size.sum()) - np.repeat(offset, size)
            column += self.start[self.segment[row]]
            far = between(self.value[row], self.value[column], distance)
            found[begin:end] = np.bincount(row - begin, count[column] * far, minlength=end - begin)
            begin = end
        return found


def between(one: Floats, other: Floats, distance: str) -> Floats:
    r"""Distance of two ratings.

    Parameters
    ----------
    one, other : array of float64
        Ratings; for "ratio" none is negative.
    distance : {"nominal", "absolute", "squared", "ratio"}
        1 where they differ, :math:`|x - y|`, :math:`(x - y)^2`, or
        :math:`((x - y) / (x + y))^2`, which is 0 at 0 and 0.

    Examples
    --------
    >>> between(np.array([1.0, 0.0]), np.array([3.0, 0.0]), "ratio")
    array([0.25, 0.  ])
    """
    if distance == "nominal":
        return np.asarray(one != other, dtype=np.float64)
    if distance == "absolute":
        return np.asarray(np.abs(one - other), dtype=np.float64)
    if distance == "squared":
        return np.asarray((one - other) ** 2)
    if distance == "ratio":
        total = one + other
        return np.asarray(((one - other) / np.where(total == 0, 1.0, total)) ** 2)
    raise ValueError(f"distance must be one of {', '.join(map(repr, DISTANCES))}, not {distance!r}")


def levels_of(values: Floats, segment: Ints, n_segments: int) -> tuple[Levels, Ints]:
    """Find the different ratings of each segment, and the level of each rating.

    Parameters
    ----------
    values : (n,) float64
        No NaN.
    segment : (n,) int64
        Codes from 0 to n_segments - 1.
    n_segments : int

    Returns
    -------
    Levels, (n,) int64
    """
    different, place = np.unique(values, return_inverse=True)
    code = segment * max(len(different), 1) + place.ravel()
    used, level = np.unique(code, return_inverse=True)
    home, place = np.divmod(used, max(len(different), 1))
    return Levels(different[place], home.astype(np.int64), n_segments), level.ravel()
