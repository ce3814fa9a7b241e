"""Where each word of a text comes again, from one sort of (text, word, position)."""

from dataclasses import dataclass

import numpy as np

from evalframe.text.arrays import Bools, Codes, Floats, Ints, float_sums, segment_of


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The words of all texts, sorted by text and word. A type is a distinct word of a text.

    Attributes
    ----------
    order : (N,) int64
        The words, sorted by text, then by word, then by position.
    begins : (N,) bool
        Whether a sorted word is the first of its type.
    type_text : (V,) int64
        The text of each type.
    frequency : (V,) int64
        How often it occurs.
    previous, following : (N,) int64
        For each word in the order of the text: where the same word last came in this text and
        where it comes next; -1 and N where it does not.
    """

    order: Ints
    begins: Bools
    type_text: Ints
    frequency: Ints
    previous: Ints
    following: Ints


def find_occurrences(code: Codes, n_codes: int, offsets: Ints) -> Occurrences:
    """Return where each word comes again.

    Parameters
    ----------
    code : (N,) int32
        Which word each is.
    n_codes : int
        How many there are.
    offsets : (T + 1,) int64
        The words of text t are ``offsets[t]`` to ``offsets[t + 1]``.
    """
    n = len(code)
    text = segment_of(offsets)
    # Text, word and position in one number of at most 63 bits: a chunk that holds many texts is
    # small, and a large text is alone. One sort of numbers is far faster than an argsort.
    bits = max(n, 1).bit_length()
    key = ((text * max(n_codes, 1) + code) << bits) | np.arange(n)
    key.sort()
    order = key & ((1 << bits) - 1)
    word = key >> bits
    begins = np.ones(n, dtype=np.bool_)
    begins[1:] = word[1:] != word[:-1]
    again = np.flatnonzero(~begins)
    previous = np.full(n, -1, dtype=np.int64)
    following = np.full(n, n, dtype=np.int64)
    previous[order[again]] = order[again - 1]
    following[order[again - 1]] = order[again]
    first = np.flatnonzero(begins)
    return Occurrences(
        order, begins, text[order[first]], np.diff(first, append=n), previous, following
    )


@dataclass(frozen=True, slots=True)
class Spectrum:
    """How many types of each text occur how often.

    Attributes
    ----------
    text, frequency, types : (E,) int64
        In a text, so many types occur with this frequency; by text and increasing frequency, so
        that sums over types do not depend on how words are numbered.
    n_texts : int
    """

    text: Ints
    frequency: Ints
    types: Ints
    n_texts: int

    def total(self, of_one: Floats) -> Floats:
        """Return each text's sum over types, given the value of a type of each entry."""
        return float_sums(self.types * of_one, self.text, self.n_texts)

    def types_with(self, frequency: int) -> Floats:
        """Return how many types of each text occur so often."""
        return self.total((self.frequency == frequency).astype(np.float64))


def find_spectrum(found: Occurrences, n_texts: int) -> Spectrum:
    """Return how many types occur how often."""
    size = int(found.frequency.max(initial=0)) + 1
    key, types = np.unique(found.type_text * size + found.frequency, return_counts=True)
    text, frequency = np.divmod(key, size)
    return Spectrum(text, frequency, types, n_texts)
