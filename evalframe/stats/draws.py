"""Draws with replacement of n units in blocks, each block from a generator of its own.

The blocks have a fixed number of resamples, so that neither the memory at hand nor the number of
threads changes a number.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from evalframe.stats.segments import Floats, Ints

Draw = Callable[[np.random.Generator, int], Floats]
Tick = Callable[[int], object]

# Draws held at once by a thread, about 5 MB: enough that numpy, not Python, takes the time.
_HELD = 1 << 18
# Resamples of a block, in multiples of those held at once: making a generator takes 50 us.
_REPEATS = 16
# Blocks whose generators exist at once.
_ROUND = 64
# The largest range that 16 random bits cover.
_WIDE = 1 << 16


def in_blocks(
    draw: Draw,
    n_boot: int,
    size: int,
    generator: np.random.Generator,
    *,
    width: int = 1,
    threads: int = 2,
    tick: Tick | None = None,
) -> Floats:
    """Collect `n_boot` resamples from a function that makes a few at once.

    Parameters
    ----------
    draw : callable
        ``draw(generator, rows)`` returns (rows, width) numbers, or (rows,) where width is 1.
    n_boot : int
        B.
    size : int
        Numbers that one resample holds in memory.
    generator : numpy.random.Generator
        The parent of the blocks' generators.
    width : int
        Numbers kept of each resample.
    threads : int
        Threads at work; with 1 no thread is started. It changes no number.
    tick : callable, optional
        Told the number of resamples after each step.

    Returns
    -------
    (B, width) float64
    """
    out = np.empty((n_boot, width))
    rows = max(1, _HELD // max(size, 1))
    block = rows * _REPEATS

    def work(first: int, own: np.random.Generator) -> None:
        for start in range(first, min(first + block, n_boot), rows):
            stop = min(start + rows, n_boot)
            out[start:stop] = draw(own, stop - start).reshape(stop - start, width)
            if tick is not None:
                tick(stop - start)

    if threads == 1 or n_boot <= block:
        for firsts in _rounds(n_boot, block):
            for first, own in zip(firsts, generator.spawn(len(firsts)), strict=True):
                work(first, own)
        return out
    with ThreadPoolExecutor(threads) as pool:
        for firsts in _rounds(n_boot, block):
            list(pool.map(work, firsts, generator.spawn(len(firsts))))
    return out


def _rounds(n_boot: int, block: int) -> Iterator[range]:
    """Return the first resamples of the blocks, a few blocks at a time."""
    for start in range(0, n_boot, block * _ROUND):
        yield range(start, min(start + block * _ROUND, n_boot), block)


def sums(generator: np.random.Generator, rows: int, columns: Sequence[Floats]) -> list[Floats]:
    """Return, for each column of n values, the (rows,) sums of n draws with replacement."""
    totals = [np.zeros(rows) for _ in columns]
    for start, stop, drawn, index in _pieces(generator, rows, len(columns[0])):
        some = np.flatnonzero(drawn)
        starts = (np.cumsum(drawn) - drawn)[some]
        for total, column in zip(totals, columns, strict=True):
            values = np.take(column[start:stop], index, mode="clip")
            if len(some):
                total[some] += np.add.reduceat(values, starts)
    return totals


def counts(generator: np.random.Generator, rows: int, n: int) -> Ints:
    """Return how often each of n units is among n draws with replacement, (rows, n)."""
    found = np.empty((rows, n), dtype=np.int64)
    for start, stop, drawn, index in _pieces(generator, rows, n):
        width = stop - start
        place = np.repeat(np.arange(rows) * width, drawn) + index
        found[:, start:stop] = np.bincount(place, minlength=rows * width).reshape(rows, width)
    return found


def _pieces(
    generator: np.random.Generator, rows: int, n: int
) -> Iterator[tuple[int, int, Ints, Ints]]:
    """Draw n of n units in each row, a range of units at a time.

    Yields
    ------
    start, stop : int
        A range of units.
    drawn : (rows,) int64
        How many of each row's draws fall into it: together they are multinomial.
    index : (sum of drawn,) int64
        Those draws, row by row, from 0 at start: uniform, given their number.
    """
    ends = _ranges(n)
    width = np.diff(ends)
    drawn = generator.multinomial(n, width / n, size=rows)
    for piece, size in enumerate(width.tolist()):
        total = int(drawn[:, piece].sum())
        if size & (size - 1):
            index = generator.integers(0, size, total)
        else:
            # Four indices from each 64 random bits: a range of 2**k needs k of 16, exactly.
            bits = generator.integers(0, 2**64 - 1, -(-total // 4), np.uint64, endpoint=True)
            index = (bits.view(np.uint16)[:total] & np.uint16(size - 1)).astype(np.int64)
        yield int(ends[piece]), int(ends[piece + 1]), drawn[:, piece], index


def _ranges(n: int) -> Ints:
    """Return the ends of ranges of 2**k units, and of a short rest, that cover n units."""
    ends = [0]
    while n - ends[-1] > n // 8:
        ends.append(ends[-1] + min(_WIDE, 1 << ((n - ends[-1]).bit_length() - 1)))
    return np.array(ends if ends[-1] == n else [*ends, n])
