"""Rows sorted on disk into buckets of whole items, each small enough for the memory."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

Ints = NDArray[np.int64]

# Rows of a bucket, if items have rows alike, and how many buckets (and open files) there may be.
ROWS, MOST = 2**16, 256


class Buckets:
    """Tables of rows, written to a temporary folder by the bucket that their item falls into."""

    def __init__(self, n_rows: int) -> None:
        self.size = int(np.clip(-(-n_rows // ROWS), 1, MOST))
        # The system's own, which TMPDIR names.
        self._folder = tempfile.TemporaryDirectory(prefix="evalframe-")
        self._writers: list[pa.RecordBatchFileWriter | None] = [None] * self.size
        self._paths: list[list[Path]] = [[] for _ in range(self.size)]
        self._schema: pa.Schema | None = None

    def __enter__(self) -> Self:
        """Return the buckets, whose folder goes away at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Delete what was written."""
        self._close()
        self._folder.cleanup()

    def add(self, table: pa.Table, bucket: Ints) -> None:
        """Write each row of a table to its bucket.

        Parameters
        ----------
        table : pyarrow.Table
            One of another schema than the last begins new files.
        bucket : (n,) int64
            From 0 to ``size - 1``.
        """
        if table.schema != self._schema:
            self._close()
            self._schema = table.schema
        # A stable sort of 16-bit integers takes linear time.
        order = np.argsort(bucket.astype(np.uint16), kind="stable")
        ordered = table.take(pa.array(order)).combine_chunks()
        ends = np.cumsum(np.bincount(bucket, minlength=self.size))
        start = 0
        for place, end in enumerate(ends.tolist()):
            if end > start:
                self._writer(place).write_table(ordered.slice(start, end - start))
            start = end

    def tables(self) -> Iterator[pa.Table]:
        """Yield the rows of each bucket in which there are any."""
        self._close()
        for paths in filter(None, self._paths):
            parts = []
            for path in paths:
                with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as stream:
                    parts.append(stream.read_all())
                path.unlink()
            yield pa.concat_tables(parts, promote_options="permissive")

    def _writer(self, place: int) -> pa.RecordBatchFileWriter:
        """Return what writes to a bucket."""
        writer = self._writers[place]
        if writer is None:
            path = Path(self._folder.name) / f"{place}-{len(self._paths[place])}.arrows"
            self._paths[place].append(path)
            options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
            writer = pa.ipc.new_stream(str(path), self._schema, options=options)
            self._writers[place] = writer
        return writer

    def _close(self) -> None:
        for writer in self._writers:
            if writer is not None:
                writer.close()
        self._writers = [None] * self.size


def bucket_of(labels: pd.Index, size: int) -> Ints:
    """Return the bucket of each label, the same for the same label wherever it stands."""
    if isinstance(labels, pd.DatetimeIndex):
        labels = pd.Index(labels.as_unit("ns").asi8)
    plain = labels.to_numpy()
    values = plain if plain.dtype.kind in "iub" else np.asarray(labels, dtype=object)
    hashed = pd.util.hash_array(values, categorize=False)
    return (hashed % np.uint64(size)).astype(np.int64)
