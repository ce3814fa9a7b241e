"""What each distinct word is: everything said of words is said once for each that is different."""

import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalframe.text.arrays import Bools, Bytes, Codes, Floats, Ints
from evalframe.text.characters import CONTINUED, LETTER, LOWER, UPPER, classify
from evalframe.text.syllables import count_syllables

# The forms after which a period may yet end a sentence, if one of these follows.
STARTERS = ("the", "he", "she", "it", "we", "they", "i", "this", "but", "and")
_OWN_LISTS = {"starters": STARTERS, "I": ("i",)}
_NOMINAL = ("tion", "ment", "ness", "ity", "ance", "ence")
_PRONOUNS = ("first_singular", "first_plural", "second", "third", "it", "demonstrative")


@cache
def word_lists() -> dict[str, frozenset[str]]:
    """Return the closed-class lists of English words by name."""
    read = json.loads((Path(__file__).parent / "words.json").read_text(encoding="utf-8"))
    lists = {name: frozenset(words) for name, words in (read | _OWN_LISTS).items()}
    lists["pronouns"] = frozenset[str]().union(*(lists[name] for name in _PRONOUNS))
    # "ph.d" is two words with a period between them; this makes them known.
    lists["abbreviation_parts"] = frozenset(
        part for word in lists["abbreviations_may_end"] if "." in word for part in word.split(".")
    )
    return lists


@dataclass(frozen=True)
class Listed:
    """All words of all lists, and which lists each is on.

    Attributes
    ----------
    words : tuple of str of length L
        Sorted; position 0 is left to words on no list.
    on : dict of str to (L + 1,) float64
        1.0 where the word is on the list of that name.
    table : (L + 1, lists) float64
        The same, a column a list.
    """

    words: tuple[str, ...]
    on: dict[str, Floats]
    table: Floats


@cache
def listed() -> Listed:
    """Return the words of all lists."""
    lists = word_lists()
    words = tuple(sorted(frozenset[str]().union(*lists.values())))
    on = {
        name: np.array([0.0, *(float(word in members) for word in words)])
        for name, members in lists.items()
    }
    return Listed(words, on, np.stack(list(on.values()), axis=1))


class Lexicon:
    """The distinct words of a chunk of texts.

    Parameters
    ----------
    written : pyarrow.Array
        Distinct words as they are written.

    Attributes
    ----------
    words : pyarrow.Array of V large_string
        Distinct words in lower case, with ' for ’.
    of_written : (W,) int32
        Which of them each written word is.
    """

    def __init__(self, written: pa.Array) -> None:
        self.written = written
        lower = "\n".join(written.to_pylist()).lower().replace("’", "'")
        # No word holds a line end, so that all can be changed as one text.
        parts = lower.split("\n") if len(written) else []
        encoded = pa.array(parts, type=pa.large_string()).dictionary_encode()
        self.words: pa.Array = encoded.dictionary
        self.of_written: Codes = encoded.indices.to_numpy(zero_copy_only=False)

    # Of words in lower case.

    @cached_property
    def characters(self) -> Ints:
        """Code points of each word."""
        return np.asarray(pc.utf8_length(self.words), dtype=np.int64)

    @cached_property
    def length(self) -> Ints:
        """Code points of each word less apostrophes and hyphens."""
        joints = pc.add(
            pc.count_substring(self.words, "'"),
            pc.count_substring(self.words, "-"),
        )
        return self.characters - np.asarray(joints, dtype=np.int64)

    @cached_property
    def hyphens(self) -> Ints:
        """Hyphens of each word."""
        return np.asarray(pc.count_substring(self.words, "-"), dtype=np.int64)

    @cached_property
    def syllables(self) -> Ints:
        """Syllables of each word, read as English."""
        return count_syllables(self.words)

    @cached_property
    def entry(self) -> Ints:
        """Position of each word among the listed words, 0 where it is on no list."""
        values = pa.array(listed().words, type=pa.large_string())
        return np.asarray(pc.index_in(self.words, value_set=values).fill_null(-1), np.int64) + 1

    def on(self, name: str) -> Bools:
        """Say which words are on a list."""
        return listed().on[name][self.entry] > 0

    @cached_property
    def contraction(self) -> Bools:
        """Whether each word is a contraction."""
        found = self.on("s_contractions")
        for ending in sorted(word_lists()["contraction_endings"]):
            found |= _ends_with(self.words, ending)
        return found

    @cached_property
    def nominalisation(self) -> Bools:
        """Whether each word ends as nouns made of verbs and adjectives do, after 4 letters."""
        found = np.zeros(len(self.words), dtype=np.bool_)
        for ending in _NOMINAL:
            size = 4 + len(ending)
            found |= _ends_with(self.words, ending) & (self.characters >= size)
            found |= _ends_with(self.words, ending + "s") & (self.characters >= size + 1)
        return found

    # Of words as they are written.

    @cached_property
    def _written_flags(self) -> tuple[Bytes, Ints]:
        offsets = np.frombuffer(self.written.buffers()[1], np.int64)[: len(self.written) + 1]
        # Some zeros at the end, as `classify` reads a little beyond each character.
        data = self.written.buffers()[2].to_pybytes()[: int(offsets[-1])] + bytes(4)
        flags = classify(data, np.frombuffer(data, np.uint8)).flags
        return flags[: int(offsets[-1])], offsets

    def _count(self, flag: int) -> Ints:
        """Return how many characters of each written word have a flag; 0 is any."""
        if not len(self.written):
            return np.zeros(0, dtype=np.int64)
        flags, offsets = self._written_flags
        found = (flags & (flag | CONTINUED)) == flag
        return np.add.reduceat(found, offsets[:-1], dtype=np.int64)

    @cached_property
    def upper(self) -> Ints:
        """Upper-case letters of each written word."""
        return self._count(UPPER)

    @cached_property
    def cased(self) -> Ints:
        """Letters of each written word that are upper or lower case."""
        return self.upper + self._count(LOWER)

    @cached_property
    def capitalised(self) -> Bools:
        """Whether the first character of each written word is upper case."""
        if not len(self.written):
            return np.zeros(0, dtype=np.bool_)
        flags, offsets = self._written_flags
        first: Bools = (flags[offsets[:-1]] & UPPER) != 0
        return first

    @cached_property
    def allcaps(self) -> Bools:
        """Whether each written word has 2 characters or more and no letter but upper-case ones."""
        capitals: Bools = (self.upper == self._count(LETTER)) & (self._count(0) >= 2)
        return capitals


def _ends_with(words: pa.Array, ending: str) -> Bools:
    return np.asarray(pc.ends_with(words, ending), dtype=np.bool_)
