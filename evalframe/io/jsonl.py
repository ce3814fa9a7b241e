"""JSON Lines: one JSON object a line, read and written without guessing types."""

import gzip
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import pandas as pd

from evalframe.errors import FrameError, RoleError
from evalframe.io.blocks import blocks
from evalframe.io.cells import json_cell, values
from evalframe.io.parts import MISSING, AmbiguousError, Part, joined
from evalframe.io.paths import OnePath, Paths, Source, replacing, sources
from evalframe.io.records import OPTIONAL, RECORD, check_record, no_records
from evalframe.io.refusals import refuse_named_twice
from evalframe.progress import progress_bar
from evalframe.roles import has_arms


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

    Notes
    -----
    Values are those of the standard library's json. Long files are read block by block, by Arrow
    where its answer is proved to be the same. Memory: about twice that of the frame. Reading takes
    a progress bar after a second where the extra ``progress`` is installed.

    Examples
    --------
    >>> runs = read_jsonl(["data/example/base.jsonl", "data/example/edit.jsonl"], strict=True)
    >>> runs.groupby("arm")["score"].mean()
    arm
    base    0.625
    edit    0.750
    Name: score, dtype: float64
    """
    found = sources(paths)
    try:
        return _frame(found, strict, fast=True)
    except AmbiguousError:
        # Numbers stand beside text, say: whether 1 was written as 1 or as 1.0 then matters.
        return _frame(found, strict, fast=False)


def _frame(found: list[Source], strict: bool, *, fast: bool) -> pd.DataFrame:
    """Read files into one frame."""
    columns: dict[str, list[Part]] = {}
    rows: list[int] = []
    for source in found:
        start, names = len(rows), set[str]()
        for count, parts in _blocks(source.path, strict, fast):
            names |= parts.keys()
            _add(columns, rows, parts, count)
        arm = source.arm(has_arms(names))
        if arm is not None:
            _label(columns, rows, start, arm)
    if sum(rows) == 0:
        return no_records() if strict else pd.DataFrame({"arm": pd.Series([], dtype=str)})
    # Each column's parts are let go when it is joined, so that both never stand in memory whole.
    return pd.DataFrame({name: joined(columns.pop(name), rows) for name in list(columns)})


def _blocks(path: Path, strict: bool, fast: bool) -> Iterator[tuple[int, dict[str, Part]]]:
    """Read one file, with a progress bar if it takes over a second."""
    check = check_record if strict else None
    # A pipe can be read once only, and has no size.
    if not path.is_file():
        yield from blocks(path, check=check, fast=False)
        return
    with progress_bar(path.stat().st_size, "B", name=path.name) as step:
        yield from blocks(path, check=check, fast=fast, step=step)


def _add(
    columns: dict[str, list[Part]], rows: list[int], parts: dict[str, Part], count: int
) -> None:
    """Append a block of `count` rows; a column that it lacks is missing in it."""
    if count == 0:
        return
    for name in parts:
        columns.setdefault(name, [MISSING] * len(rows))
    for name, column in columns.items():
        column.append(parts.get(name, MISSING))
    rows.append(count)


def _label(columns: dict[str, list[Part]], rows: list[int], start: int, arm: str) -> None:
    """Give the rows of the blocks from `start` on an arm."""
    if len(rows) == start:
        return
    column = columns.setdefault("arm", [MISSING] * len(rows))
    column[start:] = [Part("text", pd.Series(arm, index=range(n), dtype=str)) for n in rows[start:]]


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

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_jsonl(pd.DataFrame({"item_id": ["007"], "score": [1]}), f"{folder}/base.jsonl")
    ...     read_jsonl(f"{folder}/base.jsonl")
      item_id  score   arm
    0     007      1  base
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
                raise _half(record, number) from error


def _names(frame: pd.DataFrame) -> list[str]:
    """Return the columns' names, which must be text and differ to be keys of an object."""
    names = list(frame.columns)
    other = [name for name in names if not isinstance(name, str)]
    if other:
        raise RoleError.of(
            "names of columns must be text to be keys",
            f"{len(other):,} columns whose name is not text, first {other[0]!r}",
            "rename them: frame.columns = [...]",
            column=str(other[0]),
            count=len(other),
        )
    refuse_named_twice(names)
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
            raise FrameError.of(
                f"column {name!r} must hold what JSON has a form for",
                f"{error} in row {row:,} (frame.iloc[{row}])",
                "make it text, a number or a list first, or leave the column out: "
                f"frame.drop(columns={name!r})",
                column=name,
                count=1,
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


def _half(record: dict[str, Any], row: int) -> FrameError:
    """Return the error of the column of a row in which half a surrogate pair stands."""
    for name, cell in record.items():
        text = json.dumps({name: cell}, ensure_ascii=False)
        if text != text.encode("utf-8", "replace").decode():
            break
    return FrameError.of(
        f"column {name!r} must hold text that has a UTF-8 form",
        f"half of a surrogate pair in row {row:,} (frame.iloc[{row}])",
        'put ? in its place: .str.encode("utf-8", "replace").str.decode("utf-8")',
        column=name,
        count=1,
    )
