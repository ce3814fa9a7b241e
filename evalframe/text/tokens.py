"""A chunk of texts taken apart: what every metric is computed from, each part when first needed."""

from functools import cached_property

import numpy as np
import pyarrow as pa

from evalframe.text.arrays import (
    Bools,
    Bytes,
    Codes,
    Floats,
    Ints,
    in_a_row,
    segment_of,
    segment_sums,
)
from evalframe.text.characters import (
    SKIPPED,
    Characters,
    Kind,
    Marks,
    classify,
    find_marks,
    symbols,
)
from evalframe.text.clean import clean
from evalframe.text.lexicon import Lexicon, listed
from evalframe.text.lines import Lines, find_lines
from evalframe.text.occurrences import Occurrences, Spectrum, find_occurrences, find_spectrum
from evalframe.text.sentences import Sentences, find_sentences
from evalframe.text.words import Words, find_words

N_SYMBOLS = 29


class Tokens:
    """A chunk of T texts.

    Words, sentences, marks and characters are those of the prose, without fenced code and
    addresses; lines and paragraphs those of the whole texts.

    Parameters
    ----------
    texts : pyarrow.Array of T large_string
        Without nulls.
    """

    def __init__(self, texts: pa.Array) -> None:
        self.n_texts = len(texts)
        self.whole, self.prose = clean(texts)

    @cached_property
    def characters(self) -> Characters:
        """What the bytes of the prose are."""
        return classify(self.prose.data, self.prose.bytes)

    @cached_property
    def marks(self) -> Marks:
        """The marks of the prose."""
        return find_marks(self.prose, self.characters)

    @cached_property
    def words(self) -> Words:
        """The words."""
        return find_words(self.prose, self.characters, self.marks)

    @cached_property
    def lexicon(self) -> Lexicon:
        """The distinct words."""
        return Lexicon(self.words.written)

    @cached_property
    def code(self) -> Codes:
        """Which of the lexicon's words each word is."""
        return self.lexicon.of_written[self.words.code]

    @cached_property
    def lines(self) -> Lines:
        """The lines of the whole texts."""
        if self.whole is self.prose:
            return find_lines(self.whole, self.characters.flags)
        return find_lines(self.whole, classify(self.whole.data, self.whole.bytes).flags)

    @cached_property
    def sentences(self) -> Sentences:
        """The sentences."""
        lines = self.lines
        if self.whole is not self.prose:
            lines = find_lines(self.prose, self.characters.flags)
        parts = (self.prose, self.characters, self.marks, self.words, self.lexicon, lines)
        return find_sentences(*parts)

    @cached_property
    def occurrences(self) -> Occurrences:
        """Where words come again."""
        return find_occurrences(self.code, len(self.lexicon.words), self.words.offsets)

    @cached_property
    def spectrum(self) -> Spectrum:
        """How many types occur how often."""
        return find_spectrum(self.occurrences, self.n_texts)

    # Sizes of each text.

    @cached_property
    def n_words(self) -> Floats:
        """Words of each text."""
        return np.diff(self.words.offsets).astype(np.float64)

    @cached_property
    def n_sentences(self) -> Floats:
        """Sentences of each text."""
        return np.diff(self.sentences.offsets).astype(np.float64)

    @cached_property
    def n_paragraphs(self) -> Floats:
        """One more than the runs of two line ends or more."""
        breaks = in_a_row(self.lines.newline, 2)
        return 1.0 + np.diff(np.searchsorted(breaks, self.whole.starts))

    # Sums over the words, sentences, marks and characters of each text.

    def of_words(self, attribute: Ints | Bools) -> Ints:
        """Return each text's sum of an attribute of the lexicon's words."""
        return segment_sums(attribute[self.code], self.words.offsets)

    def of_written(self, attribute: Ints | Bools) -> Ints:
        """Return each text's sum of an attribute of words as they are written."""
        return segment_sums(attribute[self.words.code], self.words.offsets)

    def of_sentences(self, attribute: Ints | Bools) -> Ints:
        """Return each text's sum of an attribute of sentences."""
        return segment_sums(attribute, self.sentences.offsets)

    @cached_property
    def _entries(self) -> Floats:
        """How often each listed word occurs in each text: (T, L + 1)."""
        size = len(listed().words) + 1
        key = segment_of(self.words.offsets) * size + self.lexicon.entry[self.code]
        counts = np.bincount(key, minlength=self.n_texts * size)
        return counts.reshape(self.n_texts, size).astype(np.float64)

    @cached_property
    def _on_lists(self) -> dict[str, Floats]:
        """How many words of each text are on each list."""
        on = listed().on
        counts = self._entries @ listed().table
        return dict(zip(on, counts.T, strict=True))

    def on_list(self, name: str) -> Floats:
        """Return how many words of each text are on a list."""
        return self._on_lists[name]

    @cached_property
    def _kinds(self) -> Ints:
        """How many marks of each kind each text has: (T, K)."""
        size = len(Kind)
        key = segment_of(self.marks.offsets) * size + self.marks.kind
        return np.bincount(key, minlength=self.n_texts * size).reshape(self.n_texts, size)

    def of_kinds(self, *kinds: Kind) -> Ints:
        """Return how many marks of some kinds each text has."""
        return np.asarray(self._kinds[:, list(kinds)].sum(axis=1))

    @cached_property
    def _symbols(self) -> Bytes:
        """The symbol of the character that each byte of the prose begins."""
        return symbols(self.prose, self.characters)

    @cached_property
    def symbol_counts(self) -> Ints:
        """How often each symbol occurs in each text: (T, 29)."""
        # Bytes that begin no character are counted too, beyond the alphabet: that is cheaper than
        # to take them out.
        size = SKIPPED + 1
        key = np.repeat(np.arange(self.n_texts) * size, np.diff(self.prose.starts))
        key += self._symbols[self.prose.starts[0] : self.prose.starts[-1]]
        counts = np.bincount(key, minlength=self.n_texts * size)
        return counts.reshape(self.n_texts, size)[:, :N_SYMBOLS]

    def symbol_pairs(self) -> tuple[Ints, Ints, Ints]:
        """Return the text and the symbols of each two neighbouring characters."""
        found = self._symbols[self.prose.starts[0] : self.prose.starts[-1]]
        kept = found != SKIPPED
        text = segment_of(self.prose.starts)[kept]
        symbol = found[kept].astype(np.int64)
        inside = text[1:] == text[:-1]
        return text[1:][inside], symbol[:-1][inside], symbol[1:][inside]

    @cached_property
    def n_characters(self) -> Floats:
        """Characters of each text, white space included."""
        return np.asarray(self.symbol_counts.sum(axis=1), dtype=np.float64)
