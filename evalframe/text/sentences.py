"""Where sentences begin and end.

A sentence ends after a run of ``. ! ? …`` with up to three closing quotes or brackets, before white
space or the end of the text, unless what follows begins in lower case or the period belongs to an
abbreviation. ``。！？`` always end one. A blank line, an item of a list, a heading, a quotation
and a row of a table begin a new one. What holds no word is no sentence.
"""

from dataclasses import dataclass

import numpy as np

from evalframe.text.arrays import Bools, Ints
from evalframe.text.characters import LOWER, SPACE, UPPER, Characters, Kind, Marks
from evalframe.text.clean import Stretch
from evalframe.text.lexicon import Lexicon, listed, word_lists
from evalframe.text.lines import Lines
from evalframe.text.words import Words

_ENDS = (Kind.PERIOD, Kind.EXCLAMATION, Kind.QUESTION, Kind.ELLIPSIS)
_FULL_ENDS = (Kind.FULL_STOP, Kind.FULL_QUESTION, Kind.FULL_EXCLAMATION)
_CLOSERS = 3


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences of all texts.

    Attributes
    ----------
    first : (S,) int64
        The first word of each sentence; it goes on to the next sentence's first.
    size : (S,) int64
        Its words.
    offsets : (T + 1,) int64
        The sentences of text t are ``offsets[t]`` to ``offsets[t + 1]``.
    question : (S,) bool
        Whether the last mark after its last word that can end a sentence is a question mark.
    """

    first: Ints
    size: Ints
    offsets: Ints
    question: Bools


@dataclass(frozen=True, slots=True)
class _Runs:
    """Runs of marks that can end a sentence: positions among the marks, and bytes."""

    first: Ints
    last: Ints
    start: Ints
    end: Ints
    always: Bools


def find_sentences(
    stretch: Stretch,
    characters: Characters,
    marks: Marks,
    words: Words,
    lexicon: Lexicon,
    lines: Lines,
) -> Sentences:
    """Return the sentences of all texts."""
    ending = np.isin(marks.kind, (*_ENDS, *_FULL_ENDS))
    runs = _runs(marks, ending)
    ends = runs.always | _followed(stretch, characters, marks, words, runs)
    single = np.flatnonzero(
        ends & (runs.first == runs.last) & (marks.kind[runs.first] == Kind.PERIOD)
    )
    ends[single] = ~_abbreviated(stretch, characters, words, lexicon, runs, single)
    cuts = np.sort(np.concatenate([runs.end[ends], lines.start[lines.block], stretch.starts]))
    begins = np.zeros(len(words.start) + 1, dtype=np.bool_)
    begins[np.searchsorted(words.start, cuts)] = True
    first = np.flatnonzero(begins[:-1])
    last = np.append(first, len(words.start))[1:] - 1
    return Sentences(
        first,
        last + 1 - first,
        np.searchsorted(first, words.offsets),
        _questions(marks, ending, words.start[last], words.end[last], cuts),
    )


def _runs(marks: Marks, ending: Bools) -> _Runs:
    at = np.flatnonzero(ending)
    apart = np.ones(len(at) + 1, dtype=np.bool_)
    apart[1:-1] = marks.at[at[1:]] != marks.end[at[:-1]]
    first, last = at[apart[:-1]], at[apart[1:]]
    full = np.isin(marks.kind[at], _FULL_ENDS)
    always = (
        np.logical_or.reduceat(full, np.flatnonzero(apart[:-1]))
        if len(at)
        else np.zeros(0, dtype=np.bool_)
    )
    return _Runs(first, last, marks.at[first], marks.end[last], always)


def _followed(
    stretch: Stretch, characters: Characters, marks: Marks, words: Words, runs: _Runs
) -> Bools:
    """Say after which runs comes white space, or the end, and then nothing in lower case."""
    flags, end, nearest = characters.flags, runs.end.copy(), runs.last.copy()
    open_ = np.arange(len(end))
    for _ in range(_CLOSERS):
        open_ = open_[nearest[open_] + 1 < len(marks.at)]
        mark = nearest[open_] + 1
        open_ = open_[marks.closes[mark] & (marks.at[mark] == end[open_])]
        nearest[open_] += 1
        end[open_] = marks.end[nearest[open_]]
    apart = ((flags[end] & SPACE) != 0) | (stretch.bytes[end] == 0)
    beyond = len(stretch.bytes) - 1
    seen = np.minimum(
        np.append(marks.at, beyond)[nearest + 1],
        np.append(words.run_start, beyond)[np.searchsorted(words.run_start, end)],
    )
    limit = stretch.starts[np.searchsorted(stretch.starts, end, side="right")]
    ends: Bools = apart & ((seen >= limit) | ((flags[seen] & LOWER) == 0))
    return ends


def _abbreviated(
    stretch: Stretch,
    characters: Characters,
    words: Words,
    lexicon: Lexicon,
    runs: _Runs,
    single: Ints,
) -> Bools:
    """Say which single periods belong to the word before them and end no sentence."""
    found = np.zeros(len(single), dtype=np.bool_)
    if not len(words.start):
        return found
    before = np.searchsorted(words.end, runs.start[single])
    touching = words.end[np.minimum(before, len(words.end) - 1)] == runs.start[single]
    some = np.flatnonzero(touching)
    word = before[some]
    of = lexicon.of_written[words.code]
    previous = np.maximum(word - 1, 0)
    dotted = (words.end[previous] == words.start[word] - 1) & (
        stretch.bytes[words.start[word] - 1] == ord(".")
    )
    one = lexicon.characters[of[word]] == 1
    capital = (characters.flags[words.start[word]] & UPPER) != 0
    initial = one & capital & ~lexicon.on("I")[of[word]]
    initials = dotted & one & (lexicon.characters[of[previous]] == 1)
    pairs = dotted & _dotted_pair(lexicon.entry[of[previous]], lexicon.entry[of[word]])
    other = initial | initials | pairs | lexicon.on("abbreviations_may_end")[of[word]]
    following = np.searchsorted(words.start, runs.end[single[some]])
    ends = _starts_anew(characters, words, lexicon.on("starters")[of], following, word)
    found[some] = lexicon.on("abbreviations_never_ending")[of[word]] | (other & ~ends)
    return found


def _dotted_pair(previous: Ints, word: Ints) -> Bools:
    """Say which pairs of entries are an abbreviation with a period within (Ph.D.)."""
    position = {name: place + 1 for place, name in enumerate(listed().words)}
    found = np.zeros(len(word), dtype=np.bool_)
    for abbreviation in sorted(word_lists()["abbreviations_may_end"]):
        parts = abbreviation.split(".")
        if len(parts) == 2:
            first, second = (position[part] for part in parts)
            found |= (previous == first) & (word == second)
    return found


def _starts_anew(
    characters: Characters,
    words: Words,
    starter: Bools,
    following: Ints,
    word: Ints,
) -> Bools:
    """Say where the next word of the text begins a sentence even after an abbreviation."""
    # A text that ends here leaves nothing to begin: the sentence has ended.
    text_end = words.offsets[np.searchsorted(words.offsets, word, side="right")]
    inside = following < text_end
    at = np.where(inside, following, 0)
    capital = (characters.flags[words.start[at]] & UPPER) != 0
    anew: Bools = ~inside | (starter[at] & capital)
    return anew


def _questions(marks: Marks, ending: Bools, last_start: Ints, last_end: Ints, cuts: Ints) -> Bools:
    """Say which sentences end in a question mark."""
    at, kind = marks.at[ending], marks.kind[ending]
    if not len(at):
        return np.zeros(len(last_end), dtype=np.bool_)
    limit = cuts[np.searchsorted(cuts, last_start, side="right")]
    nearest = np.searchsorted(at, limit) - 1
    asks = np.isin(kind[nearest], (Kind.QUESTION, Kind.FULL_QUESTION))
    return (nearest >= 0) & (at[nearest] >= last_end) & asks
