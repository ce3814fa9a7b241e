"""The metrics of many texts, in chunks of bounded memory."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalframe.text.arrays import Floats, Ints
from evalframe.text.catalogue import METRICS
from evalframe.text.tokens import Tokens

# Bytes of text that are read together: what is computed on the way takes some 60 times as much.
CHUNK = 1 << 20
# Tables of a text's words on lists and of its pairs of symbols take some kB, however short it is.
MOST_TEXTS = 2_048


def extract(
    texts: Sequence[str | None] | pa.Array | pa.ChunkedArray,
    metrics: Sequence[str],
    *,
    progress: Callable[[int], object] | None = None,
    threads: int | None = None,
) -> Floats:
    """Return metrics of texts.

    Parameters
    ----------
    texts : sequence of str or None, or Arrow array of text
        n texts.
    metrics : sequence of str
        Names in `catalogue.METRICS`, M of them.
    progress : callable, optional
        Called with the number of texts that are done, each time some are.
    threads : int, optional
        How many chunks are computed at once; by default one for each processor. Numbers do not
        depend on it.

    Returns
    -------
    (n, M) float64
        NaN where a text is missing or a metric is not defined for it.

    Examples
    --------
    >>> extract(["One two three.", None], ["sentence_rhythm.mean", "vocabulary.ttr"])
    array([[ 3.,  1.],
           [nan, nan]])
    """
    array = as_large_string(texts)
    values = np.full((len(array), len(metrics)), np.nan)
    pieces = _pieces(array)
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    for begin, part in _computed(array, pieces, metrics, max(1, min(threads, len(pieces)))):
        values[begin : begin + len(part)] = part
        if progress is not None:
            progress(len(part))
    return values


def as_large_string(texts: Sequence[str | None] | pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return texts as one Arrow array whose kernels take any size."""
    if not isinstance(texts, pa.Array | pa.ChunkedArray):
        return pa.array(texts, type=pa.large_string())
    # String kernels refuse dictionaries and views.
    array = texts if texts.type == pa.large_string() else texts.cast(pa.large_string())
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _pieces(array: pa.Array) -> list[tuple[int, int]]:
    """Return the first and last (exclusive) text of each chunk."""
    if not len(array):
        return []
    buffer = np.frombuffer(array.buffers()[1], dtype=np.int64)
    offsets: Ints = buffer[array.offset : array.offset + len(array) + 1]
    pieces, begin = [], 0
    while begin < len(array):
        end = int(np.searchsorted(offsets, offsets[begin] + CHUNK, side="right")) - 1
        end = min(max(end, begin + 1), begin + MOST_TEXTS, len(array))
        pieces.append((begin, end))
        begin = end
    return pieces


def _computed(
    array: pa.Array, pieces: list[tuple[int, int]], metrics: Sequence[str], threads: int
) -> Iterator[tuple[int, Floats]]:
    """Yield each chunk's first text and metrics, in order."""
    if threads == 1:
        for begin, end in pieces:
            yield begin, _measure(array.slice(begin, end - begin), metrics)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[tuple[int, Future[Floats]]] = deque()
        for begin, end in pieces:
            waiting.append((begin, pool.submit(_measure, array[begin:end], metrics)))
            # No more chunks are begun than can be worked on, so that memory stays bounded.
            if len(waiting) > threads:
                first, done = waiting.popleft()
                yield first, done.result()
        while waiting:
            first, done = waiting.popleft()
            yield first, done.result()


def _measure(texts: pa.Array, metrics: Sequence[str]) -> Floats:
    """Return the metrics of one chunk."""
    missing = np.asarray(pc.is_null(texts), dtype=np.bool_)
    tokens = Tokens(pc.fill_null(texts, pa.scalar("", pa.large_string())))
    wordless = tokens.n_words == 0
    values = np.empty((len(texts), len(metrics)))
    # Texts without a word divide by 0, and get their value below.
    with np.errstate(divide="ignore", invalid="ignore"):
        for column, name in enumerate(metrics):
            metric = METRICS[name]
            values[:, column] = metric.compute(tokens)
            values[wordless, column] = np.nan if metric.wordless is None else metric.wordless
    values[missing] = np.nan
    return values
