"""JSON Lines: one JSON object a line, read and written without guessing types."""

import gzip
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, repeat
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import pandas as pd

from evalframe.errors import FrameError, RoleError
from evalframe.io.cells import column, json_cell, values
from evalframe.io.lines import records
from evalframe.io.paths import OnePath, Paths, replacing, sources
from evalframe.io.records import OPTIONAL, RECORD, check_record, no_records

# Rows are turned into columns in chunks, as every row's dict holds its own copy of the keys.
CHUNK = 4096


def read_jsonl(paths: Paths, *, strict: bool = False) -> pd.DataFrame:
    """Read files of one JSON object a line into one frame.

    Nothing is inferred from text: ids such as "001", "18_19" and "2024-01-02" stay text, integers
    stay exact beside missing values, and a column of several types keeps its values as they are.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of arm to either
        Files, or patterns such as ``runs/*.jsonl``; UTF-8, gzip where the name ends in ``.gz``. A
        mapping (``{"base": "a.jsonl"}``) sets the arm of a whole file. Otherwise a file in which no
        line has the key ``arm`` is one arm, named by the file's stem (equal stems: the shortest
        distinct path).
    strict : bool, default False
        Whether every line must be a record of the specification: exactly the keys item_id, seed,
        arm, prompt_hash, output, score, n_output_tokens, hit_cap and perhaps cluster_id, of the
        right types, the score finite.

    Returns
    -------
    DataFrame
        One row a line, in the order of files and lines; columns by first appearance. A key that a
        line lacks, null and NaN are missing. Columns are bool (boolean with missing values), int64
        (Int64), float64, text, or else object. Infinity is kept. Without lines: no rows, and the
        columns of the record (strict) or the arm alone.

    Raises
    ------
    RecordError
        If a line is not one JSON object, has a key twice or is not UTF-8; and, with `strict`, not a
        record. The message names file and line; nothing half-read is returned.
    FileNotFoundError, IsADirectoryError
        If a path is no file.

    See Also
    --------
    write_jsonl : the way back.
    """
    columns: dict[str, list[Any]] = {}
    rows = 0
    for source in sources(paths):
        count, found = _read(source.path, strict)
        arm = source.arm("arm" in found)
        if count and arm is not None:
            found["arm"] = [arm] * count
        _extend(columns, rows, found, count)
        rows += count
    if rows == 0:
        return no_records() if strict else pd.DataFrame({"arm": pd.Series([], dtype=str)})
    # Each list is let go when its column is made, so that both never stand in memory whole.
    return pd.DataFrame({name: column(columns.pop(name)) for name in list(columns)})


def _extend(
    columns: dict[str, list[Any]], rows: int, found: dict[str, list[Any]], count: int
) -> None:
    """Append `count` rows of columns, None where either side lacks a column."""
    for name in found:
        columns.setdefault(name, [None] * rows)
    for name, cells in columns.items():
        cells.extend(found[name] if name in found else repeat(None, count))


def _read(path: Path, strict: bool) -> tuple[int, dict[str, list[Any]]]:
    """Read one file: its number of rows and its columns."""
    columns: dict[str, list[Any]] = {}
    rows = 0
    lines = records(path, check_record if strict else None)
    while chunk := list(islice(lines, CHUNK)):
        names: dict[str, Any] = {}
        for record in chunk:
            names.update(record)
        found = {name: [record.get(name) for record in chunk] for name in names}
        _extend(columns, rows, found, len(chunk))
        rows += len(chunk)
    return rows, columns


def write_jsonl(frame: pd.DataFrame, path: OnePath) -> None:
    """Write a frame as one JSON object a row, in UTF-8.

    `read_jsonl` gives back the columns with their values; missing values are null. The index is not
    written: ``frame.reset_index()`` makes it a column.

    Parameters
    ----------
    frame : DataFrame
        Cells are text, numbers, booleans, dates and times (written as ISO text), categories of
        these, and lists and dicts of these. Infinity, and NaN inside a list or dict, are written as
        the tokens ``Infinity`` and ``NaN``, as Python's json does; other readers may refuse them.
    path : str or PathLike
        Where the file will be; compressed where the name ends in ``.gz``. An old file there is
        replaced only when all is written.

    Raises
    ------
    RoleError
        If a column's name is not text, or stands twice.
    FrameError
        If a cell has no JSON form, or text holds half a surrogate pair.

    Notes
    -----
    In a frame of exactly the record's columns, a missing cluster_id is left out of its line instead
    of being null, so that the file can be read with ``strict=True``.
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"write_jsonl(frame, path) takes a DataFrame first, not {frame!r:.80}")
    names = _names(frame)
    cells = [_cells(frame.iloc[:, position], name) for position, name in enumerate(names)]
    rows = zip(*cells, strict=True) if cells else repeat((), len(frame))
    optional = OPTIONAL if set(names) == {*RECORD, *OPTIONAL} else {}
    encode = json.JSONEncoder(ensure_ascii=False).encode
    with replacing(path) as file, _compressed(file, path) as out:
        for number, row in enumerate(rows):
            record = dict(zip(names, row, strict=True))
            for name in optional:
                if record[name] is None:
                    del record[name]
            try:
                out.write(encode(record).encode() + b"\n")
            except UnicodeEncodeError as error:
                raise FrameError(_half(record, number)) from error


def _names(frame: pd.DataFrame) -> list[str]:
    """Return the columns' names, which must be text and differ to be keys of an object."""
    names = list(frame.columns)
    other = [name for name in names if not isinstance(name, str)]
    if other:
        raise RoleError(
            f"{len(other):,} columns whose name is not text, first {other[0]!r}; "
            "rename them: frame.columns = [...]"
        )
    twice = list(frame.columns[frame.columns.duplicated()])
    if twice:
        raise RoleError(f"columns named twice: {', '.join(map(repr, twice))}; rename one of each")
    return names


def _cells(series: pd.Series, name: str) -> list[Any]:
    """Return the JSON values of a column."""
    cells = values(series)
    kinds = set(map(type, cells))
    if float in kinds:
        cells = [None if type(cell) is float and cell != cell else cell for cell in cells]
    if kinds <= {str, bool, int, float, type(None)}:
        return cells
    for row, cell in enumerate(cells):
        try:
            cells[row] = json_cell(cell)
        except (TypeError, RecursionError) as error:
            raise FrameError(
                f"column {name!r}, row {row:,} (frame.iloc[{row}]): no JSON form for {error}; make "
                f"it text, a number or a list first, or leave the column out: "
                f"frame.drop(columns={name!r})"
            ) from error
    return cells


@contextmanager
def _compressed(file: BinaryIO, path: OnePath) -> Iterator[IO[bytes]]:
    """Compress what is written to `file` where its name asks for it."""
    if not os.fspath(path).lower().endswith(".gz"):
        yield file
        return
    # Without a name and a time, so that the same frame gives the same bytes.
    with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as out:
        yield cast(IO[bytes], out)


def _half(record: dict[str, Any], row: int) -> str:
    """Say in which column of a row half a surrogate pair stands."""
    for name, cell in record.items():
        text = json.dumps({name: cell}, ensure_ascii=False)
        if text != text.encode("utf-8", "replace").decode():
            break
    return (
        f"column {name!r}, row {row:,} (frame.iloc[{row}]): half of a surrogate pair, which has no "
        'UTF-8 form; put ? in its place: .str.encode("utf-8", "replace").str.decode("utf-8")'
    )
