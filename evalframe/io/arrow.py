"""Frames to Arrow tables and back, with the dtypes and attrs as they were."""

import base64
import json
import math
from collections.abc import Callable, Hashable
from typing import Any

import pandas as pd
import pyarrow as pa

from evalframe.errors import FrameError

# Schema metadata: where pandas keeps attrs, and where readers without pandas find a result's.
ATTRS = b"PANDAS_ATTRS"
RESULT = "evalframe"

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

TEXT = (pa.string(), pa.large_string())

# The kinds of dtypes that may hold what a column of Parquet holds; "O" are objects and categories.
KINDS: tuple[tuple[Callable[[pa.DataType], bool], str], ...] = (
    (pa.types.is_boolean, "bO"),
    (pa.types.is_integer, "iuO"),
    (pa.types.is_floating, "fO"),
    (lambda kind: kind in TEXT, "OU"),
)


def to_frame(table: pa.Table, threads: bool) -> pd.DataFrame:
    """Turn an Arrow table into a frame with the dtypes that it was made from, or else exact ones.

    Parameters
    ----------
    table : pyarrow.Table
        With the metadata of pandas and of `to_table`, or without.
    threads : bool
        Whether Arrow may use threads.

    Returns
    -------
    DataFrame
        Integers and booleans with missing values are nullable, unless they were objects. The index
        and attrs that are stored are restored.

    Raises
    ------
    ValueError, and what Arrow and pandas raise
        If the metadata of pandas is not that of the table.
    """
    # Arrow reads text of any bytes, and fails where a cell is looked at: it must be UTF-8 at once.
    table.validate(full=True)
    pandas = table.schema.pandas_metadata or {}
    stored = {about.get("field_name"): about for about in pandas.get("columns", [])}
    index = index_fields(table.schema)
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
    frame: pd.DataFrame = table.to_pandas(use_threads=threads, integer_object_nulls=True)
    if list(map(str, frame.columns)) != [field.name for field in fields]:
        raise ValueError("metadata of pandas that gives the columns other names")
    for position, array in exact.items():
        frame.isetitem(position, array)
    frame.index = _exact_index(frame.index, table, index, stored)
    text = pd.Series([""]).dtype
    for position, field in enumerate(fields):
        series = frame.iloc[:, position]
        if DTYPE in (field.metadata or {}):
            frame.isetitem(position, _restore(series, field.metadata[DTYPE]).array)
        # Old versions of pyarrow do not know the text dtype of pandas 3.
        elif field.type in TEXT and series.dtype != text and series.dtype == object:
            frame.isetitem(position, series.astype(text).array)
    for position, field in enumerate(fields):
        _refuse_another_kind(field, frame.dtypes.iloc[position])
    frame.attrs = _attrs(table.schema)
    return frame


def _refuse_another_kind(field: pa.Field, dtype: Any) -> None:
    """Refuse numbers that the metadata of pandas made text, or text that it made numbers."""
    text = isinstance(dtype, pd.StringDtype)
    for is_kind, letters in KINDS:
        if is_kind(field.type) and (dtype.kind not in letters or (text and field.type not in TEXT)):
            raise ValueError(
                f"metadata of pandas that makes the {field.type} of column {field.name!r} {dtype}"
            )


def _exact(cells: pa.ChunkedArray, stored: str | None) -> Any:
    """Return the array of a column that ``to_pandas`` would change, or None.

    Those are Arrow dtypes, of which pandas cannot parse every name, and integers and booleans with
    missing values, unless the column was one of objects or is stored as nullable.
    """
    if stored is not None and stored.endswith("[pyarrow]"):
        return pd.arrays.ArrowExtensionArray(cells)
    if cells.type not in NULLABLE or not cells.null_count:
        return None
    if stored in {"object", *(nullable.name for nullable in NULLABLE.values())}:
        return None
    table = pa.Table.from_arrays([cells], ["cells"])
    return table.to_pandas(use_threads=False, types_mapper=NULLABLE.get)["cells"].array


def _exact_index(
    index: pd.Index, table: pa.Table, fields: list[str], stored: dict[str, Any]
) -> pd.Index:
    """Return the index of a frame with integers that ``to_pandas`` made floats as they are.

    It does so where a label is missing, whatever the dtype is stored as.
    """
    # A scan reads some columns alone, and the index may not be one of them.
    if len(fields) != index.nlevels or not set(fields) <= set(table.column_names):
        return index
    levels: dict[int, Any] = {}
    for level, name in enumerate(fields):
        cells = table[name]
        if pa.types.is_integer(cells.type) and cells.null_count:
            objects = stored.get(name, {}).get("numpy_type") == "object"
            levels[level] = (
                pd.array(cells.to_pylist(), dtype=object) if objects else _exact(cells, None)
            )
    if not levels:
        return index
    arrays = [levels.get(level, index.get_level_values(level)) for level in range(index.nlevels)]
    if index.nlevels > 1:
        return pd.MultiIndex.from_arrays(arrays, names=index.names)
    single: pd.Index = pd.Index(arrays[0], name=index.name)
    return single


def _restore(series: pd.Series, stored: bytes) -> pd.Series:
    """Give a column the dtype that it was written with."""
    options = pa.ipc.IpcReadOptions(use_threads=False)
    with pa.ipc.open_stream(base64.b64decode(stored), options=options) as stream:
        dtype = stream.read_all().to_pandas(use_threads=False).dtypes.iloc[0]
    # Another program may have changed the values and kept the note about them.
    if isinstance(dtype, pd.CategoricalDtype) and not series.dropna().isin(dtype.categories).all():
        return series
    return series.astype(dtype)


def index_fields(schema: pa.Schema) -> list[str]:
    """Return the stored columns that pandas restores as the index."""
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    return [field for field in index if isinstance(field, str)]


def _attrs(schema: pa.Schema) -> dict[Hashable | None, Any]:
    """Return the attrs that pandas, pyarrow or `write_parquet` stored."""
    metadata = schema.metadata or {}
    attrs: dict[Hashable | None, Any] = dict((schema.pandas_metadata or {}).get("attributes") or {})
    attrs |= json.loads(metadata.get(ATTRS, b"{}"))
    if RESULT.encode() in metadata:
        attrs[RESULT] = json.loads(metadata[RESULT.encode()])
    return attrs


def to_table(frame: pd.DataFrame) -> pa.Table:
    """Turn a frame into an Arrow table that `to_frame` turns back, after Parquet too.

    Parameters
    ----------
    frame : DataFrame
        Column names differ; attrs have passed `check_attrs`.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    pyarrow.ArrowException, TypeError, ValueError, OverflowError
        If a column has no Arrow type.
    """
    table = pa.Table.from_pandas(frame)
    fields = list(table.schema)
    for position in range(frame.shape[1]):
        series = frame.iloc[:, position]
        _refuse_mixture(series, fields[position].type)
        if _lost(series):
            note = {DTYPE: base64.b64encode(_stream(series))}
            fields[position] = fields[position].with_metadata(note)
    metadata = dict(table.schema.metadata)
    if frame.attrs:
        metadata[ATTRS] = json.dumps(frame.attrs).encode()
    if RESULT in frame.attrs:
        metadata[RESULT.encode()] = json.dumps(frame.attrs[RESULT]).encode()
    return pa.Table.from_arrays(table.columns, schema=pa.schema(fields, metadata=metadata))


def _lost(series: pd.Series) -> bool:
    """Return whether Parquet does not keep the dtype of a column."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        text = pd.api.types.infer_dtype(series.cat.categories, skipna=False) == "string"
        return not text or not len(series)
    return series.dtype.kind == "M" and getattr(series.dt, "unit", "ns") == "s"


def _stream(series: pd.Series) -> bytes:
    """Return the dtype of a column as the bytes of an Arrow stream without rows."""
    sink = pa.BufferOutputStream()
    empty = pa.RecordBatch.from_pandas(series.iloc[:0].to_frame("column"), preserve_index=False)
    with pa.ipc.new_stream(sink, empty.schema) as stream:
        # As a batch: a table without rows has none, and its categories would not be written.
        stream.write_batch(empty)
    return bytes(sink.getvalue())


def _refuse_mixture(series: pd.Series, arrow: pa.DataType) -> None:
    """Refuse text among bytes and times among dates, which Arrow would change without a word."""
    if series.dtype == object and (pa.types.is_binary(arrow) or pa.types.is_date(arrow)):
        kinds = set(map(type, series.dropna()))
        if len(kinds) > 1:
            raise TypeError("Arrow would change the values of one of these types")


def check_attrs(value: object, where: str) -> None:
    """Refuse attrs that do not come back from JSON as they are.

    Parameters
    ----------
    value : object
        The attrs, or something inside them.
    where : str
        How the message names it.

    Raises
    ------
    FrameError
        If it is not text, a finite number, a boolean, None, or a list or dict (with text keys) of
        these.
    """
    if value is None or isinstance(value, str | int):
        return
    if isinstance(value, float) and math.isfinite(value):
        return
    if isinstance(value, list):
        for position, part in enumerate(value):
            check_attrs(part, f"{where}[{position}]")
    elif isinstance(value, dict):
        for name, part in value.items():
            if not isinstance(name, str):
                raise FrameError.of(
                    f"{where} must have keys of text",
                    f"the key {name!r}",
                    "rename it before writing: frame.attrs",
                    column="",
                )
            check_attrs(part, f"{where}[{name!r}]")
    else:
        raise FrameError.of(
            f"{where} must be plain JSON (text, a finite number, a bool, None, a list or a dict)",
            f"{type(value).__name__} {value!r:.60}",
            "set or delete it before writing: frame.attrs",
            column="",
        )
