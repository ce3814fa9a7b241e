"""A JSON Lines file as blocks of whole lines, each read by Arrow or by the standard library."""

import gzip
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from evalframe.io.fast import Schema, learned, read_block
from evalframe.io.lines import LONGEST, opened, parse, read_lines, records
from evalframe.io.parts import Part, part

# Bytes that are read at once, and of these how many the standard library reads to learn the types.
BLOCK, SAMPLE = 16 * 2**20, 2**20
# Rows are turned into columns in chunks, as every row's dict holds its own copy of the keys.
CHUNK = 4096
# Blocks that Arrow works on at once, and how many it may fail at in one file.
WORKERS, PATIENCE = 2, 3

Block = tuple[int, dict[str, Part]]
Check = Callable[[dict[str, Any]], None]
Step = Callable[[int], object]


def blocks(
    path: Path, *, check: Check | None, fast: bool, step: Step | None = None
) -> Iterator[Block]:
    """Yield a file block by block: the number of rows and their columns.

    Parameters
    ----------
    path : Path
        UTF-8, gzip where the name ends in ``.gz``.
    check : function of an object, optional
        As in `records`. Arrow makes no objects, so the standard library then reads every block.
    fast : bool
        Whether Arrow may read what it reads as the standard library does.
    step : function, optional
        Called with the number of bytes that were read since the last call, as the file has them.

    Yields
    ------
    (int, dict of str to Part)
        Columns by first appearance in the block.

    Raises
    ------
    RecordError
        At the first line that is not one object. The message names file and line.
    """
    reader = _Reader(path, check, fast and check is None)
    waiting: deque[tuple[bytes, Future[Block | None] | None]] = deque()
    with ThreadPoolExecutor(WORKERS) as pool:
        for block in _whole_lines(path, step):
            waiting.append((block, reader.start(block, pool)))
            if len(waiting) > WORKERS:
                yield reader.finish(*waiting.popleft())
        while waiting:
            yield reader.finish(*waiting.popleft())


class _Reader:
    """Reads the blocks of one file in their order, and keeps what is known of it."""

    def __init__(self, path: Path, check: Check | None, fast: bool) -> None:
        self.path, self.check = path, check
        self.patience = PATIENCE if fast else 0
        self.schema: Schema | None = {} if fast else None
        self.n_lines = 0
        self.first = True

    def start(self, block: bytes, pool: ThreadPoolExecutor) -> "Future[Block | None] | None":
        """Let Arrow begin with a block, if the types of its columns can be known."""
        if self.first and self.patience and len(block) > SAMPLE:
            sample = block[: block.rfind(b"\n", 0, SAMPLE) + 1]
            self._learn(self._parse(sample)[1])
        self.first = False
        if not self.schema or not self.patience:
            return None
        return pool.submit(read_block, block, self.schema)

    def finish(self, block: bytes, started: "Future[Block | None] | None") -> Block:
        """Return a block as Arrow read it, or else as the standard library does."""
        found = None if started is None else started.result()
        if found is None:
            self.patience -= started is not None
            found = self._parse(block)
            self._learn(found[1])
        self.n_lines += block.count(b"\n")
        return found

    def _parse(self, block: bytes) -> Block:
        lines = parse(self.path, read_lines(BytesIO(block)), above=self.n_lines, check=self.check)
        return in_columns(lines)

    def _learn(self, parts: dict[str, Part]) -> None:
        if self.schema is not None:
            self.schema = learned(self.schema, parts)


def in_columns(lines: Iterator[dict[str, Any]]) -> Block:
    """Return objects as columns, None where an object lacks a key."""
    columns: dict[str, list[Any]] = {}
    rows = 0
    while chunk := list(islice(lines, CHUNK)):
        for name in dict.fromkeys(name for record in chunk for name in record):
            columns.setdefault(name, [None] * rows)
        for name, cells in columns.items():
            cells += [record.get(name) for record in chunk]
        rows += len(chunk)
    return rows, {name: part(columns.pop(name)) for name in list(columns)}


def _whole_lines(path: Path, step: Step | None) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks of whole lines."""
    with opened(path) as file:
        raw = file.fileobj if isinstance(file, gzip.GzipFile) else file
        seen = 0
        while block := _read(path, file):
            if step is not None:
                step(raw.tell() - seen)
                seen = raw.tell()
            yield block


def _read(path: Path, file: BinaryIO) -> bytes:
    """Return the next block, up to the end of a line."""
    try:
        block = file.read(BLOCK)
        return block if block.endswith(b"\n") else block + file.readline(LONGEST + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        # From the start, line by line: the error names the last whole line.
        for _ in records(path):
            continue
        raise
