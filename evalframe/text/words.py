"""Where the words are.

A word is ``W+(?:['’-]W+)*`` with W a letter, mark, number or underscore, and holds a letter; in
Han, Kana, Thai, Lao, Myanmar and Khmer, which write no spaces, each letter is a word.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from evalframe.text.arrays import Bools, Bytes, Codes, Ints, ragged
from evalframe.text.characters import (
    CONTINUED,
    EACH,
    LETTER,
    WORD,
    Characters,
    Kind,
    Marks,
)
from evalframe.text.clean import Stretch


@dataclass(frozen=True, slots=True)
class Words:
    """The words of all texts, as they are written.

    Attributes
    ----------
    start, end : (N,) int64
        The bytes of each word.
    offsets : (T + 1,) int64
        The words of text t are ``offsets[t]`` to ``offsets[t + 1]``.
    run_start : (R,) int64
        Where each run of word characters begins, words or not (numbers).
    code : (N,) int32
        Each word's position in `written`.
    written : pyarrow.Array
        The distinct words, in the order in which they first occur.
    """

    start: Ints
    end: Ints
    offsets: Ints
    run_start: Ints
    code: Codes
    written: pa.Array


def find_words(stretch: Stretch, characters: Characters, marks: Marks) -> Words:
    """Return the words of all texts."""
    flags = characters.flags
    inside = (flags & WORD) != 0
    joined = _joined(flags, marks)
    for step in (0, 1, 2):
        part = joined[marks.end[joined] - marks.at[joined] > step]
        inside[marks.at[part] + step] = True
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    start, end = edges[::2], edges[1::2]
    run_start = start
    kept = _with_letter(flags, start, end)
    if not kept.all():
        dropped = ~kept
        inside[ragged(start[dropped], (end - start)[dropped])] = False
        start, end = start[kept], end[kept]
    alone, alone_end = _one_each(flags)
    if len(alone):
        inside[ragged(alone, alone_end - alone)] = True
        start, end = np.concatenate([start, alone]), np.concatenate([end, alone_end])
        order = np.argsort(start)
        start, end = start[order], end[order]
        run_start = np.sort(np.concatenate([run_start, alone]))
    code, written = _encode(stretch, inside, end - start)
    return Words(start, end, np.searchsorted(start, stretch.starts), run_start, code, written)


def _joined(flags: Bytes, marks: Marks) -> Ints:
    """Return which marks join two parts of one word: an apostrophe or hyphen between them."""
    may = np.flatnonzero((marks.kind == Kind.APOSTROPHE) | (marks.kind == Kind.HYPHEN))
    both = flags[marks.at[may] - 1] & flags[marks.end[may]] & WORD
    joining: Ints = may[both != 0]
    return joining


def _with_letter(flags: Bytes, start: Ints, end: Ints) -> Bools:
    """Say which runs of word characters hold a letter."""
    kept: Bools = (flags[start] & LETTER) != 0
    # Few runs begin with anything else, so only these are read through.
    rest = np.flatnonzero(~kept)
    if len(rest):
        length = end[rest] - start[rest]
        letters = (flags[ragged(start[rest], length)] & LETTER) != 0
        kept[rest] = np.logical_or.reduceat(letters, np.cumsum(length) - length)
    return kept


def _one_each(flags: Bytes) -> tuple[Ints, Ints]:
    """Return the bytes of the letters that are words by themselves, with the signs after them."""
    each = (flags & EACH) != 0
    if not each.any():
        none = np.zeros(0, dtype=np.int64)
        return none, none
    starts = np.flatnonzero((flags & (EACH | LETTER | CONTINUED)) == EACH | LETTER)
    # A word ends where the next begins or where the run of such characters ends.
    run_ends = np.flatnonzero(each[:-1] & ~each[1:]) + 1
    ends = run_ends[np.searchsorted(run_ends, starts, side="right")]
    ends[:-1] = np.minimum(ends[:-1], starts[1:])
    return starts, ends


def _encode(stretch: Stretch, inside: Bools, lengths: Ints) -> tuple[Codes, pa.Array]:
    """Return each word's code, and the distinct words."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    letters = stretch.bytes[inside]
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(letters)]
    encoded = pa.Array.from_buffers(pa.large_string(), len(lengths), buffers).dictionary_encode()
    code: Codes = encoded.indices.to_numpy(zero_copy_only=False)
    return code, encoded.dictionary
