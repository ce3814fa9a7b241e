"""Parquet to frames and back: dtypes, labels, index and attrs as they were."""

import base64
import json
import math
from collections.abc import Iterable
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from evalframe.errors import FrameError, RecordError, RoleError
from evalframe.io.columns import column, values
from evalframe.io.paths import OnePath, Paths, Source, replacing, sources

# Below this size a file is read by one thread: Arrow's threads can still be ending when a short
# script does, and then abort the interpreter at exit (status 134).
THREADS_FROM = 64 * 2**20

# Schema metadata: where pandas keeps attrs, and where readers without pandas find a result's.
ATTRS = b"PANDAS_ATTRS"
RESULT = b"evalframe"

# Field metadata: the dtype of a column that Parquet does not keep, as an Arrow stream without rows.
DTYPE = b"evalframe.dtype"

NULLABLE = {
    pa.int8(): pd.Int8Dtype(),
    pa.int16(): pd.Int16Dtype(),
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
    pa.uint8(): pd.UInt8Dtype(),
    pa.uint16(): pd.UInt16Dtype(),
    pa.uint32(): pd.UInt32Dtype(),
    pa.uint64(): pd.UInt64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
}


def read_parquet(paths: Paths, *, columns: str | Iterable[str] | None = None) -> pd.DataFrame:
    """Read Parquet files into one frame.

    Dtypes are those that pandas stored. In files of other writers, integers and booleans with
    missing values are Int64 and boolean (pandas alone would make them floats and objects, and round
    large ids).

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of arm to either
        Files, or patterns such as ``runs/*.parquet``. A mapping (``{"base": "a.parquet"}``) sets the
        arm of a whole file. Otherwise a file without a column ``arm`` is one arm, named by the
        file's stem (equal stems: the shortest distinct path); a result that `write_parquet` wrote
        is read as it is.
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
        If a file is not Parquet, is cut or damaged.
    RoleError
        If a file lacks a column that was asked for, names one twice, or has another index than the
        first.
    FileNotFoundError, IsADirectoryError
        If a path is no file.

    See Also
    --------
    write_parquet : the way back.
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
    with pa.OSFile(str(source.path)) as file:
        try:
            with pq.ParquetFile(file, pre_buffer=threads) as parquet:
                schema = parquet.schema_arrow
                names = _choose(source, schema, wanted)
                table = parquet.read(names, use_threads=threads).select(names)
            frame = _frame(table, threads)
            frame.attrs = _attrs(schema)
        except RoleError:
            raise
        except (pa.ArrowException, OSError, ValueError) as error:
            raise RecordError(
                f"{source.path}: not a whole Parquet file ({error}); write it again"
            ) from error
    # A result without arms (such as that of check) is no set of records, and gets none.
    arm = source.arm("arm" in schema.names or RESULT in (schema.metadata or {}))
    if arm is not None and (wanted is None or "arm" in wanted or source.label is not None):
        frame["arm"] = pd.Series(arm, index=frame.index, dtype=str)
    if wanted is None:
        return frame
    return frame[[*(name for name in wanted if name in frame), *frame.columns.difference(wanted)]]


def _choose(source: Source, schema: pa.Schema, wanted: list[str] | None) -> list[str]:
    """Return the stored columns to read, those of the index among them."""
    names: list[str] = schema.names
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise RoleError(f"{source.path}: columns named twice: {', '.join(map(repr, twice))}")
    if wanted is None:
        return names
    missing = [name for name in wanted if name not in names and name != "arm"]
    if missing:
        raise RoleError(
            f"{source.path}: {len(missing):,} columns asked for but not found: "
            f"{', '.join(map(repr, missing))}. The file has: {', '.join(map(repr, names))}"
        )
    return [name for name in names if name in wanted or name in _index_fields(schema)]


def _index_fields(schema: pa.Schema) -> list[str]:
    """Return the stored columns that pandas restores as the index."""
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    return [field for field in index if isinstance(field, str)]


def _attrs(schema: pa.Schema) -> dict[str, Any]:
    """Return the attrs that pandas, pyarrow or `write_parquet` stored."""
    metadata = schema.metadata or {}
    attrs = dict((schema.pandas_metadata or {}).get("attributes") or {})
    attrs |= json.loads(metadata.get(ATTRS, b"{}"))
    if RESULT in metadata:
        attrs["evalframe"] = json.loads(metadata[RESULT])
    return attrs


def _frame(table: pa.Table, threads: bool) -> pd.DataFrame:
    """Turn an Arrow table into a frame with the dtypes that it had, or exact ones."""
    pandas = table.schema.pandas_metadata or {}
    stored = {about.get("field_name"): about for about in pandas.get("columns", [])}
    index = _index_fields(table.schema)
    fields = [field for field in table.schema if field.name not in index]
    exact = {}
    for position, field in enumerate(fields):
        about = stored.get(field.name, {})
        array = _exact(table[field.name], about.get("numpy_type"))
        if array is not None:
            exact[position] = array
            # pandas then neither converts the column nor has to know its dtype by name.
            at = table.schema.get_field_index(field.name)
            table = table.set_column(at, field.name, pa.nulls(len(table)))
            about["numpy_type"] = "object"
    if pandas:
        metadata = {**table.schema.metadata, b"pandas": json.dumps(pandas)}
        table = table.replace_schema_metadata(metadata)
    frame = table.to_pandas(use_threads=threads, integer_object_nulls=True)
    for position, array in exact.items():
        frame.isetitem(position, array)
    for position, field in enumerate(fields):
        if DTYPE in (field.metadata or {}):
            series = _restore(frame.iloc[:, position], field.metadata[DTYPE])
            frame.isetitem(position, series.array)
    return frame


def _exact(cells: pa.ChunkedArray, stored: str | None) -> Any:
    """Return the array of a column that ``to_pandas`` would change, or None.

    Those are Arrow dtypes, of which pandas cannot parse every name, and integers and booleans with
    missing values, unless the column was one of objects or is stored as nullable.
    """
    if stored is not None and stored.endswith("[pyarrow]"):
        return pd.arrays.ArrowExtensionArray(cells)
    dtype = NULLABLE.get(cells.type)
    if dtype is None or not cells.null_count:
        return None
    if stored in {"object", *(nullable.name for nullable in NULLABLE.values())}:
        return None
    return dtype.__from_arrow__(cells)


def _restore(series: pd.Series, stored: bytes) -> pd.Series:
    """Give a column the dtype that it was written with."""
    options = pa.ipc.IpcReadOptions(use_threads=False)
    with pa.ipc.open_stream(base64.b64decode(stored), options=options) as stream:
        dtype = stream.read_all().to_pandas(use_threads=False).dtypes.iloc[0]
    # Another program may have changed the values and kept the note about them.
    if isinstance(dtype, pd.CategoricalDtype) and not series.dropna().isin(dtype.categories).all():
        return series
    return series.astype(dtype)


def _stack(frames: list[pd.DataFrame], found: list[Source]) -> pd.DataFrame:
    """Put frames below one another by the names of their columns."""
    levels = [list(frame.index.names) for frame in frames]
    for source, names in zip(found, levels, strict=True):
        if names != levels[0]:
            raise RoleError(
                f"{source.path}: its index is {names!r}, that of {found[0].path} is {levels[0]!r}; "
                "write both with frame.reset_index()"
            )
    if all(isinstance(frame.index, pd.RangeIndex) for frame in frames):
        index: pd.Index = pd.RangeIndex(sum(map(len, frames)))
    else:
        index = frames[0].index.append([frame.index for frame in frames[1:]])
    names = dict.fromkeys(name for frame in frames for name in frame.columns)
    stacked = {name: _join([frame.get(name) for frame in frames], frames) for name in names}
    return pd.DataFrame(stacked, columns=pd.Index(list(names))).set_axis(index)


def _join(parts: list[pd.Series | None], frames: list[pd.DataFrame]) -> pd.Series:
    """Join one column of several files, None where a file lacks it."""
    whole = [part for part in parts if part is not None]
    if len(whole) == len(parts) and len({part.dtype for part in parts}) == 1:
        return pd.concat(whole, ignore_index=True)
    # A file without a value of the column says nothing of its dtype.
    dtypes = {part.dtype for part in whole if part.notna().any()}
    times = any(dtype.kind in "mM" for dtype in dtypes)
    if times or (len(dtypes) == 1 and isinstance(min(dtypes), pd.api.extensions.ExtensionDtype)):
        pass
    cells: list[Any] = []
    for part, frame in zip(parts, frames, strict=True):
        cells += [None] * len(frame) if part is None else values(part)
    return column(cells)


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
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"write_parquet(frame, path) takes a DataFrame first, not {frame!r:.80}")
    twice = list(frame.columns[frame.columns.duplicated()])
    if twice:
        raise RoleError(f"columns named twice: {', '.join(map(repr, twice))}; rename one of each")
    _check_attrs(frame.attrs, "attrs")
    try:
        table = _table(frame)
        with replacing(path) as file:
            pq.write_table(table, file)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise FrameError(_culprit(frame, error)) from error
