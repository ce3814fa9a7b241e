"""Blocks of clean JSON Lines read by Arrow, where its answer is proved to be the stdlib's.

Arrow reads ten times faster than the standard library, and more: several objects a line, objects
over several lines, ``Inf``, integers rounded to floats, text turned into times. It is used only
for blocks of which all that can be ruled out:

- every line end stands between "}" and "{", and there are as many rows as lines: so no object goes
  on over a line end, and no line holds two;
- every column has a type that the standard library found in the lines before, so that Arrow infers
  nothing and refuses another type, a nested value or a new key;
- floats are finite, below 2**53 in size (an integer among them is exact) and not -0.0 (which the
  integer -0 would become);
- the block is UTF-8 without NUL, at which Arrow would stop.

Arrow itself refuses keys that stand twice, control characters and half surrogate pairs. A block for
which this does not hold is read by the standard library, which decides.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.json as pj

from evalframe.io.parts import TEXT, Part

Schema = dict[str, pa.DataType]

TYPES = {
    "none": pa.null(),
    "text": pa.string(),
    "int": pa.int64(),
    "bool": pa.bool_(),
    "float": pa.float64(),
}


def learned(schema: Schema, parts: Mapping[str, Part]) -> Schema | None:
    """Return the Arrow types of columns, after more parts read by the standard library.

    None where a column holds what has no plain type: nested values, or values of several types.
    """
    schema = dict(schema)
    for name, part in parts.items():
        known = schema.get(name, pa.null())
        found = TYPES.get(part.kind)
        if part.kind == "mixed" and set(map(type, part.cells)) <= {int, float, type(None)}:
            found = pa.float64()
        if found is None:
            return None
        if pa.types.is_null(found) or found == known:
            schema[name] = known
        elif pa.types.is_null(known) or {found, known} == {pa.int64(), pa.float64()}:
            schema[name] = pa.float64() if known == pa.float64() else found
        else:
            return None
    return schema


def read_block(block: bytes, schema: Schema) -> tuple[int, dict[str, Part]] | None:
    """Read whole lines by Arrow: their number and columns, or None where that proves nothing.

    Parameters
    ----------
    block : bytes
        Whole lines.
    schema : dict of str to DataType
        Of every column.
    """
    n_lines = _n_objects(block)
    if not n_lines or not schema or b"\0" in block or not _is_utf8(block):
        return None
    types = pa.schema(list(schema.items()))
    try:
        table = pj.read_json(
            pa.BufferReader(block),
            read_options=pj.ReadOptions(use_threads=False, block_size=len(block) + 1),
            parse_options=pj.ParseOptions(explicit_schema=types, unexpected_field_behavior="error"),
        )
    except (pa.ArrowException, ValueError):
        return None
    if table.num_rows != n_lines or table.schema != types:
        return None
    parts = {name: _part(table[name]) for name in schema}
    sound = {name: part for name, part in parts.items() if part is not None}
    return (n_lines, sound) if len(sound) == len(parts) else None


def _n_objects(block: bytes) -> int:
    """Return the number of lines if each begins with "{" and ends with "}", and 0 otherwise."""
    if not block.startswith(b"{"):
        return 0
    text = np.frombuffer(block, dtype=np.uint8)
    ends = np.flatnonzero(text == ord("\n"))
    inner = ends if len(ends) == 0 or ends[-1] < len(text) - 1 else ends[:-1]
    closing = np.append(ends, len(text)) if len(inner) == len(ends) else ends
    # A Windows line end is two characters.
    before = closing - 1 - (text[closing - 1] == ord("\r"))
    sound = (text[before] == ord("}")).all() and (text[inner + 1] == ord("{")).all()
    return len(closing) if sound else 0


def _is_utf8(block: bytes) -> bool:
    """Return whether all bytes are UTF-8, which Arrow does not look at."""
    try:
        return block.isascii() or bool(block.decode())
    except UnicodeDecodeError:
        return False


def _part(cells: pa.ChunkedArray) -> Part | None:
    """Return a column as a part, or None where its floats may not be the stdlib's values."""
    n_known = len(cells) - cells.null_count
    if n_known == 0:
        return Part("none", [])
    if cells.type == pa.string():
        text = cells.to_pandas()
        return Part("text", text if text.dtype == TEXT else text.astype(TEXT))
    if cells.type == pa.float64():
        numbers = cells.to_numpy()
        plain = (np.abs(numbers) < 2**53) & ~((numbers == 0) & np.signbit(numbers))
        return Part("number", pd.Series(numbers)) if plain.sum() == n_known else None
    kind, array, zero = _MASKED[cells.type]
    data = cells.fill_null(zero).to_numpy()
    if cells.null_count:
        return Part(kind, pd.Series(array(data, cells.is_null().to_numpy())))
    return Part(kind, pd.Series(data))


_MASKED: dict[pa.DataType, Any] = {
    pa.int64(): ("int", pd.arrays.IntegerArray, 0),
    pa.bool_(): ("bool", pd.arrays.BooleanArray, False),
}
