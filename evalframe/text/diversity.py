"""Measures of vocabulary that read a text in order: MATTR and MTLD."""

import numpy as np

from evalframe.text.arrays import Bools, Floats, Ints, segment_sums
from evalframe.text.occurrences import Occurrences

# A factor ends where types / words falls to 18/25 = .72; in whole numbers, so that no rounding
# decides.
_TYPES, _WORDS = 18, 25
# Words looked at together for the end of a factor: few factors of real text are longer.
_LOOK = 96


def mattr(found: Occurrences, offsets: Ints, window: int) -> Floats:
    """Return the mean share of types over every window of so many words.

    Parameters
    ----------
    found : Occurrences
    offsets : (T + 1,) int64
        The words of each text.
    window : int
        A text with fewer words is one window.

    Notes
    -----
    Word j of N is the first of its type in ``min(j, N - w) - max(p + 1, j - w + 1, 0) + 1``
    windows, where the type last came at p: those that begin at or before j, after p, and reach j.
    """
    size = np.diff(offsets)
    w = np.minimum(window, size)
    begin = np.repeat(offsets[:-1], size)
    j = np.arange(len(begin)) - begin
    latest = np.minimum(j, np.repeat(size - w, size))
    earliest = np.maximum(found.previous + 1 - begin, np.maximum(j + 1 - np.repeat(w, size), 0))
    windows = np.maximum(latest - earliest + 1, 0)
    return np.asarray(segment_sums(windows, offsets) / (w * (size - w + 1)), dtype=np.float64)


def mtld(found: Occurrences, offsets: Ints) -> Floats:
    """Return the mean of the words of a factor, read forwards and backwards."""
    n = len(found.previous)
    # Backwards is the mirrored text, in which a word last came where it comes next.
    mirrored = n - 1 - found.following[::-1]
    size = np.diff(offsets)
    last = np.concatenate([found.previous, mirrored + n])
    start = np.concatenate([offsets[:-1], (2 * n - offsets[1:])])
    both = np.concatenate([size, size])
    factors = _factors(last, start, start + both)
    with np.errstate(divide="ignore"):
        words = np.where(factors > 0, both / factors, both)
    forwards, backwards = np.split(words, 2)
    return np.asarray((forwards + backwards) / 2, dtype=np.float64)


def _factors(last: Ints, start: Ints, end: Ints) -> Floats:
    """Return the factors of each text, the share of an unfinished one included.

    Parameters
    ----------
    last : (n,) int64
        Where each word last came.
    start, end : (T,) int64
        The words of each text.

    Notes
    -----
    All texts look for the end of their next factor at once, `_LOOK` words at a time: a word is a
    new type of the factor when it last came before the factor's first word.
    """
    factors = np.zeros(len(start), dtype=np.float64)
    # Of each text that is not read to its end: where its factor began, and what came since.
    active = np.flatnonzero(end > start)
    begin, at = start[active], start[active]
    types = np.zeros(len(active), dtype=np.int64)
    step = np.arange(_LOOK)
    while len(active):
        limit = end[active]
        words = np.minimum(at[:, None] + step, (limit - 1)[:, None])
        seen = types[:, None] + np.cumsum(last[words] < begin[:, None], axis=1)
        size = (at - begin)[:, None] + step + 1
        done = (_WORDS * seen <= _TYPES * size) & (at[:, None] + step < limit[:, None])
        ends = done.any(axis=1)
        where = done.argmax(axis=1)
        beyond = np.where(ends, at + where + 1, np.minimum(at + _LOOK, limit))
        factors[active] += ends
        over = beyond == limit
        types = np.where(ends, 0, seen[np.arange(len(active)), np.minimum(_LOOK, limit - at) - 1])
        _add_unfinished(factors, active, over & ~ends, types, limit - begin)
        begin = np.where(ends, beyond, begin)
        active, begin, at, types = (part[~over] for part in (active, begin, beyond, types))
    return factors


def _add_unfinished(
    factors: Floats, active: Ints, unfinished: Bools, types: Ints, size: Ints
) -> None:
    """Add the share of a factor that the words after the last full one make."""
    share = types[unfinished] / size[unfinished]
    factors[active[unfinished]] += (1 - share) / (1 - _TYPES / _WORDS)
