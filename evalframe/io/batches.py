"""Files of records read batch by batch, a few columns of each: none stands in memory whole."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from evalframe.errors import RecordError, RoleError
from evalframe.io.arrow import to_frame
from evalframe.io.blocks import blocks
from evalframe.io.formats import format_of
from evalframe.io.parquet import DAMAGED, damaged
from evalframe.io.parts import joined
from evalframe.io.paths import Source
from evalframe.io.refusals import refusal, refuse_named_twice
from evalframe.progress import progress_bar

# Rows of Parquet that are read at once, and bytes of a column chunk.
ROWS, BUFFER = 2**16, 2**18
# Bytes of a JSON line at the least: an upper limit of how many a file holds.
LINE = 64
# Rows that a pipe is taken to have.
PIPE = 2**24


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of a file.

    Attributes
    ----------
    source : Source
    first : int
        The number of its first row in the file, from 0.
    frame : DataFrame
        The columns that were asked for and are there.
    columns : list of str
        All columns that the file has (in JSON Lines: that the batch has).
    """

    source: Source
    first: int
    frame: pd.DataFrame
    columns: list[str]


def batches(source: Source, wanted: list[str]) -> Iterator[Batch]:
    """Yield the rows of a file in batches, with a progress bar if it takes over a second.

    Parameters
    ----------
    source : Source
        Parquet or JSON Lines, told by the content.
    wanted : list of str
        The columns to read. Those that the file lacks are left out.

    Yields
    ------
    Batch
        Of Parquet first one without rows, so that the columns are known of an empty file too.

    Raises
    ------
    RecordError
        If the file is of another format, or cannot be read.
    RoleError
        If two of its columns have one name.
    """
    kind = format_of(source.path)
    if kind == "parquet":
        yield from _of_parquet(source, wanted)
    elif kind == "jsonl":
        yield from _of_lines(source, wanted)
    else:
        raise refusal(
            source.path,
            "must be Parquet or JSON Lines to be read in batches",
            "a log of Inspect AI" if kind == "inspect" else "output of lm-evaluation-harness",
            "turn it into a table first: evalframe convert PATH --out runs.parquet",
        )


def most_rows(source: Source) -> int:
    """Return an upper limit of a file's rows; of a pipe, which has no size, a large number."""
    if not source.path.is_file():
        return PIPE
    if format_of(source.path) != "parquet":
        packed = 10 if source.path.name.lower().endswith(".gz") else 1
        return packed * source.path.stat().st_size // LINE + 1
    try:
        with pa.OSFile(os.fsencode(source.path)) as file:
            rows: int = pq.read_metadata(file).num_rows
    except DAMAGED as error:
        raise damaged(source.path, error) from error
    return rows


def _of_parquet(source: Source, wanted: list[str]) -> Iterator[Batch]:
    try:
        with (
            pa.OSFile(os.fsencode(source.path)) as file,
            pq.ParquetFile(
                file, buffer_size=BUFFER, pre_buffer=False, page_checksum_verification=True
            ) as parquet,
        ):
            schema = parquet.schema_arrow
            refuse_named_twice(schema.names, source.path)
            names = [name for name in schema.names if name in wanted]
            first = 0
            yield Batch(source, 0, _frame(schema.empty_table().select(names)), schema.names)
            with progress_bar(parquet.metadata.num_rows, "row", name=source.path.name) as step:
                for batch in parquet.iter_batches(ROWS, columns=names, use_threads=False):
                    table = pa.Table.from_batches([batch]).select(names)
                    table = table.cast(pa.schema([schema.field(name) for name in names]))
                    frame = _frame(table.replace_schema_metadata(schema.metadata))
                    yield Batch(source, first, frame, schema.names)
                    first += len(table)
                    if step is not None:
                        step(len(table))
    except (RoleError, RecordError):
        raise
    except DAMAGED as error:
        raise damaged(source.path, error) from error


def _frame(table: pa.Table) -> pd.DataFrame:
    """Return a table as a frame; a stored index is a column like any other."""
    frame = to_frame(table, threads=False)
    stored = [name for name in frame.index.names if name in table.column_names]
    frame = frame.reset_index(stored) if stored else frame
    return frame.reset_index(drop=True)


def _of_lines(source: Source, wanted: list[str]) -> Iterator[Batch]:
    regular = source.path.is_file()
    size = source.path.stat().st_size if regular else 0
    first = 0
    with progress_bar(size, "B", name=source.path.name) as step:
        for count, parts in blocks(source.path, check=None, fast=regular, step=step):
            # A block of blank lines alone has no columns to look for.
            if not count:
                continue
            columns = {name: joined([parts[name]], [count]) for name in wanted if name in parts}
            yield Batch(
                source, first, pd.DataFrame(columns, index=range(count)), list(parts.keys())
            )
            first += count
