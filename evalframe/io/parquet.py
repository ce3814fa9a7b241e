"""Parquet to frames and back: dtypes, labels, index and attrs as they were."""

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from evalframe.errors import FrameError, RecordError, RoleError
from evalframe.io.arrow import RESULT, check_attrs, index_fields, to_frame, to_table
from evalframe.io.cells import join
from evalframe.io.paths import OnePath, Paths, Source, replacing, sources
from evalframe.io.refusals import refusal, refuse_named_twice
from evalframe.roles import has_arms

# Below this size a file is read by one thread: Arrow's threads can still be ending when a short
# script does, and then abort the interpreter at exit (status 134).
THREADS_FROM = 64 * 2**20

# What Arrow and pandas raise for damaged data and metadata, and for values without an Arrow type.
# Both take the metadata of pandas as sound: a number in place of a name has no such attribute, and
# numpy reads the name of a dtype as Python, so that a damaged one is a syntax error.
DAMAGED = (
    *(pa.ArrowException, OSError, ValueError, LookupError, TypeError, SyntaxError),
    *(AttributeError, ArithmeticError, RuntimeError),
)
UNFIT = (pa.ArrowException, TypeError, ValueError, OverflowError)


def read_parquet(paths: Paths, *, columns: str | Iterable[str] | None = None) -> pd.DataFrame:
    """Read Parquet files into one frame.

    Dtypes are those that pandas stored. In files of other writers, integers and booleans with
    missing values are Int64 and boolean (pandas alone would make them floats and objects, and round
    large ids).

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of arm to either
        Files, or patterns such as ``runs/*.parquet``. A mapping (``{"base": "a.parquet"}``) sets
        the arm of a whole file. Otherwise a file without a column ``arm`` is one arm, named by the
        file's stem (equal stems: the shortest distinct path); a result of evalframe is read as it
        is.
    columns : str or iterable of str, optional
        The columns to read, in this order; every file must have them. ``"arm"`` can always be
        asked for, and is added last where `paths` is a mapping. By default all columns of all
        files, those of the first file first; a column that a file lacks is missing in its rows.

    Returns
    -------
    DataFrame
        Rows in the order of the files, with a stored index as pandas restores it. The attrs of a
        single file are restored; several files have none in common.

    Raises
    ------
    RecordError
        If a file is not Parquet, or is cut or damaged.
    RoleError
        If a file lacks a column that was asked for, names one twice, or has another index than the
        first.
    FileNotFoundError, IsADirectoryError
        If a path is no file.

    See Also
    --------
    write_parquet : the way back.

    Examples
    --------
    >>> read_parquet("data/reading.parquet", columns=["item_id", "arm", "score"]).head(2)
       item_id   arm  score
    0  p01-q01  base      0
    1  p01-q01  base      0
    """
    wanted = [columns] if isinstance(columns, str) else columns
    wanted = None if wanted is None else list(dict.fromkeys(wanted))
    found = sources(paths)
    frames = [_read(source, wanted) for source in found]
    if len(frames) == 1:
        return frames[0]
    return _stack(frames, found)


def _read(source: Source, wanted: list[str] | None) -> pd.DataFrame:
    """Read one file and name its arm."""
    threads = source.path.stat().st_size >= THREADS_FROM
    with pa.OSFile(os.fsencode(source.path)) as file:
        try:
            with pq.ParquetFile(
                file, pre_buffer=threads, page_checksum_verification=True
            ) as parquet:
                schema = parquet.schema_arrow
                names = _choose(source, schema, wanted)
                table = parquet.read(names, use_threads=threads).select(names)
            frame = to_frame(table, threads)
        except RoleError:
            raise
        except DAMAGED as error:
            raise damaged(source.path, error) from error
    # A result without arms (such as that of check) is no set of records, and gets none.
    arm = source.arm(has_arms(schema.names) or RESULT in frame.attrs)
    if arm is not None and (wanted is None or "arm" in wanted or source.label is not None):
        frame["arm"] = pd.Series(arm, index=frame.index, dtype=str)
    if wanted is None:
        return frame
    # The index may be one of the columns asked for, and a given label one that was not.
    return frame[[name for name in dict.fromkeys([*wanted, *frame]) if name in frame]]


def damaged(path: Path, error: Exception) -> RecordError:
    """Return the error of a file that Arrow or pandas cannot read."""
    start = b""
    if path.is_file():
        with path.open("rb") as file:
            start = file.read(20)
    if start and not start.startswith(b"PAR1"):
        remedy = "read JSON Lines with read_jsonl, a CSV with pandas.read_csv(PATH)"
        return refusal(path, "must be Parquet", f"a file that begins {start!r}", remedy)
    found = str(error).strip() or type(error).__name__
    return refusal(path, "must be whole Parquet", found, "it may be cut or damaged: write it again")


def _choose(source: Source, schema: pa.Schema, wanted: list[str] | None) -> list[str]:
    """Return the stored columns to read, those of the index among them."""
    names: list[str] = schema.names
    refuse_named_twice(names, source.path)
    if wanted is None:
        return names
    missing = [name for name in wanted if name not in names and name != "arm"]
    if missing:
        raise RoleError.of(
            f"{source.path}: every column asked for must be there",
            f"{len(missing):,} that are not: {', '.join(map(repr, missing))}",
            f"the file has: {', '.join(map(repr, names))}",
            column=missing[0],
            count=len(missing),
        )
    return [name for name in names if name in wanted or name in index_fields(schema)]


def _stack(frames: list[pd.DataFrame], found: list[Source]) -> pd.DataFrame:
    """Put frames below one another by the names of their columns."""
    levels = [list(frame.index.names) for frame in frames]
    for source, names in zip(found, levels, strict=True):
        if names != levels[0]:
            raise RoleError.of(
                f"{source.path}: the index must be named as in {found[0].path}, {levels[0]!r}",
                repr(names),
                "write both with frame.reset_index()",
                column=str(names[0]),
            )
    if all(isinstance(frame.index, pd.RangeIndex) for frame in frames):
        index: pd.Index = pd.RangeIndex(sum(map(len, frames)))
    else:
        index = frames[0].index.append([frame.index for frame in frames[1:]])
    rows = [len(frame) for frame in frames]
    stacked = {
        name: join([frame.get(name) for frame in frames], rows)
        for name in dict.fromkeys(name for frame in frames for name in frame.columns)
    }
    return pd.DataFrame(stacked, index=pd.RangeIndex(sum(rows))).set_axis(index)


def write_parquet(frame: pd.DataFrame, path: OnePath) -> None:
    """Write a frame so that `read_parquet` gives it back: dtypes, index and attrs too.

    Any reader of Parquet can read the file, ``pd.read_parquet`` with its attrs. Those of a result
    also stand in the file's metadata under ``evalframe``, as JSON.

    Parameters
    ----------
    frame : DataFrame
        Its attrs must be plain JSON: text, finite numbers, booleans, None, lists and dicts with
        text keys. A RangeIndex is kept without taking space, any other index is stored.
    path : str or PathLike
        Where the file will be. An old file there is replaced only when all is written.

    Raises
    ------
    FrameError
        If a column holds what Parquet cannot (values of several types, say), or attrs are not
        plain JSON.
    RoleError
        If two columns have one name.

    Notes
    -----
    Cells that are dicts come back with the keys of all of them, lists as numpy arrays: Parquet
    stores one type a column.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> runs = pd.DataFrame({"item_id": ["q1", "q2"], "arm": "base", "score": [1.0, 0.0]})
    >>> result = runs.evals.score()
    >>> with TemporaryDirectory() as folder:
    ...     write_parquet(result, f"{folder}/score.parquet")
    ...     back = read_parquet(f"{folder}/score.parquet")
    >>> back.equals(result), back.attrs == result.attrs
    (True, True)
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"write_parquet(frame, path) takes a DataFrame first, not {frame!r:.80}")
    refuse_named_twice(list(frame.columns))
    check_attrs(frame.attrs, "attrs")
    with replacing(path) as file:
        try:
            pq.write_table(to_table(frame), file, write_page_checksum=True)
        except UNFIT as error:
            raise _culprit(frame, error) from error


def _culprit(frame: pd.DataFrame, error: Exception) -> FrameError:
    """Return the error of the column that cannot be written, with what it holds."""
    for position, name in enumerate(frame.columns):
        series = frame.iloc[:, position]
        try:
            pq.write_table(to_table(series.to_frame()), pa.BufferOutputStream())
        except UNFIT as fault:
            kinds = Counter(type(cell).__name__ for cell in series.dropna())
            found = ", ".join(f"{kind} ({count:,})" for kind, count in kinds.most_common())
            return FrameError.of(
                f"column {name!r} must be of one type to be written to Parquet",
                f"{found}: {fault}",
                f"give it one type, such as frame[{name!r}].astype(str), or leave it out: "
                f"frame.drop(columns={name!r})",
                column=str(name),
            )
    return FrameError.of(
        "columns and index must be of types that Parquet has",
        str(error),
        "try frame.reset_index(drop=True)",
        column="",
    )
