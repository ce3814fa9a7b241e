"""Lines that are items of a list, headings, quotations, rows of a table, or blank."""

from dataclasses import dataclass

import numpy as np

from evalframe.text.arrays import Bools, Bytes, Ints
from evalframe.text.characters import SPACE
from evalframe.text.clean import Stretch

_NEWLINE = ord("\n")
_LONGEST_HEADING = 6


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of all texts.

    Attributes
    ----------
    newline : (L,) int64
        Where lines end within their text.
    start : (L + T,) int64
        Where each line begins.
    item, heading, block : (L + T,) bool
        Whether the line begins an item of a list (``-``, ``*``, ``+``, ``1.`` or ``1)``), is a
        heading (one to six ``#`` and a space), or is either or a quotation, a row of a table or
        blank, so that a sentence cannot run on into it.
    """

    newline: Ints
    start: Ints
    item: Bools
    heading: Bools
    block: Bools


def find_lines(stretch: Stretch, flags: Bytes) -> Lines:
    """Return the lines of all texts."""
    data = stretch.bytes
    newline = np.flatnonzero(data == _NEWLINE)
    start = np.sort(np.concatenate([stretch.starts[:-1], newline + 1]))
    seen = _first_visible(data, flags, start)
    first = data[seen]
    bullet = _is(first, b"-*+") & _is(data[seen + 1], b" \t")
    item = bullet | _numbered(data, seen)
    heading = _heading(data, start)
    block = item | heading | _is(first, b">|\n\0")
    return Lines(newline, start, item, heading, block)


def _is(codes: Bytes, these: bytes) -> Bools:
    """Say which bytes are among a few."""
    table = np.zeros(256, dtype=np.bool_)
    table[list(these)] = True
    return table[codes]


def _first_visible(data: Bytes, flags: Bytes, start: Ints) -> Ints:
    """Return the first position of each line that is not white space: its end if it is blank."""
    white = ((flags & SPACE) != 0) & (data != _NEWLINE)
    indented = np.flatnonzero(white[start])
    seen = start.copy()
    if len(indented):
        ends = np.flatnonzero(white[:-1] & ~white[1:]) + 1
        seen[indented] = ends[np.searchsorted(ends, start[indented], side="right")]
    return seen


def _digits(data: Bytes) -> Bools:
    # Below "0" the difference wraps round to a large number.
    return (data - np.uint8(ord("0"))) < 10


def _numbered(data: Bytes, seen: Ints) -> Bools:
    """Say which lines begin with a number, a period or parenthesis, and a space."""
    found = np.zeros(len(seen), dtype=np.bool_)
    rest = np.flatnonzero(_digits(data[seen]))
    if not len(rest):
        return found
    at = seen[rest]
    digits = _digits(data)
    ends = np.flatnonzero(digits[:-1] & ~digits[1:]) + 1
    end = ends[np.searchsorted(ends, at, side="right")]
    found[rest] = _is(data[end], b".)") & _is(data[end + 1], b" \t")
    return found


def _heading(data: Bytes, start: Ints) -> Bools:
    found = np.zeros(len(start), dtype=np.bool_)
    rest = np.flatnonzero(data[start] == ord("#"))
    alive = rest
    for size in range(1, _LONGEST_HEADING + 1):
        after = data[start[alive] + size]
        found[alive[after == ord(" ")]] = True
        alive = alive[after == ord("#")]
    return found
