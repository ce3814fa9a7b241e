"""An order of arms that depends on their item values alone, so that names change no number.

Draws at random are laid out along items and arms: to give the same numbers under other names and
in another order of rows, items and arms must be put in an order that follows from the values. Each
item gets a number from its values, each arm from the items it did well on, each item from the arms
that did well on it, and so on (colour refinement, the Weisfeiler-Leman algorithm).
"""

from dataclasses import dataclass

import numpy as np

from evalframe.stats.hashes import Hashes, scattered
from evalframe.stats.segments import Floats, Ints


@dataclass(frozen=True, slots=True)
class ValueOrder:
    """Arms in an order that follows from their values; arms with the same values have one place.

    Attributes
    ----------
    arm : (D,) int64
        An arm of each place.
    place : (A,) int64
        The place of each arm.
    alike : (D,) int64
        A code of each place. Arms of one code cannot be told apart by values: they can be
        exchanged, together with some items, without changing the table. What is said of them must
        be equal.
    """

    arm: Ints
    place: Ints
    alike: Ints

    def equal(self, values: Floats) -> Floats:
        """Return (D,) values, each the mean over the places that it must be equal for."""
        copies = np.bincount(self.alike)
        # Added up place by place, which does not depend on names either.
        mean = np.bincount(self.alike, weights=values) / copies
        return np.where(copies[self.alike] == 1, values, mean[self.alike])


def value_order(series: Floats, items: Floats | None = None) -> ValueOrder:
    """Find an order of arms.

    Parameters
    ----------
    series : (A, n) float64
        Values of arms on items (or clusters); NaN is a value like others.
    items : (n,) float64, optional
        What else is known of the items, such as the size of a cluster.

    Returns
    -------
    ValueOrder

    Notes
    -----
    Where arms are alike one is set apart and the others follow; as they can be exchanged, it does
    not matter which. Time O(n A) a round; two or three rounds where all arms differ.
    """
    bits = scattered(_bits(series))
    # The same values on the same items, whatever the order of items.
    where = scattered(np.arange(series.shape[1], dtype=np.uint64) + np.uint64(1))
    content = scattered(bits ^ where).sum(axis=1, dtype=np.uint64)
    _, arm, twin, copies = np.unique(
        content, return_index=True, return_inverse=True, return_counts=True
    )
    bits = bits[arm]
    known = where ^ where if items is None else scattered(_bits(items))
    colour = _refined(scattered(copies.astype(np.uint64)), bits, known)
    alike = np.unique(colour, return_inverse=True)[1]
    while True:
        seen, first, alone = np.unique(colour, return_index=True, return_counts=True)
        if len(seen) == len(colour):
            break
        one = first[np.flatnonzero(alone > 1)[0]]
        colour[one : one + 1] = scattered(colour[one : one + 1] + np.uint64(1))
        colour = _refined(colour, bits, known)
    order = np.argsort(colour)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return ValueOrder(arm[order], place[twin], alike[order])


def _refined(colour: Hashes, bits: Hashes, known: Hashes) -> Hashes:
    """Return arms renumbered by their values, until that tells no more of them apart."""
    n_seen = -1
    while n_seen < len(np.unique(colour)):
        n_seen = len(np.unique(colour))
        # Sums of 64-bit integers wrap around, and are the same in any order.
        item = scattered(bits ^ colour[:, None]).sum(axis=0, dtype=np.uint64)
        item = scattered(item ^ known)
        colour = scattered(
            colour * np.uint64(5) + scattered(bits ^ item).sum(axis=1, dtype=np.uint64)
        )
    return colour


def _bits(values: Floats) -> Hashes:
    """Return the bits of numbers, of 0 without its sign and of one NaN."""
    plain = np.where(np.isnan(values), np.nan, values) + 0.0
    return np.asarray(plain.view(np.uint64))
