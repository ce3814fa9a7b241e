"""One column of a file in parts, block by block, joined as if it had been read whole."""

from dataclasses import dataclass
from types import NoneType
from typing import Any, Literal

import numpy as np
import pandas as pd

from evalframe.io.cells import column, values

Kind = Literal["none", "text", "int", "bool", "float", "number", "mixed"]

TEXT = pd.Series([""]).dtype
# The dtype of each kind where a value is missing.
DTYPES: dict[Kind, Any] = {"text": TEXT, "int": "Int64", "bool": "boolean", "float": np.float64}
KINDS: dict[type, Kind] = {str: "text", int: "int", bool: "bool", float: "float"}


class AmbiguousError(Exception):
    """Numbers must keep whether they were written as integers, and a part does not know it."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows of a column.

    Attributes
    ----------
    kind : str
        "none" without a value; "number" for floats of which some may have been written as integers
        (each exact); "mixed" for values of several types, nested ones and integers of over 64 bits.
    cells : Series or list
        A Series of one type; the plain values where the kind is "mixed", and nothing for "none".
    """

    kind: Kind
    cells: pd.Series | list[Any]


MISSING = Part("none", [])


def part(cells: list[Any]) -> Part:
    """Return JSON values as a part of a column; None is missing."""
    types = set(map(type, cells)) - {NoneType}
    if not types:
        return MISSING
    kind = KINDS.get(types.pop(), "mixed") if len(types) == 1 else "mixed"
    series = None if kind == "mixed" else column(cells)
    if series is None or (kind == "int" and series.dtype == object):
        return Part("mixed", cells)
    return Part(kind, series)


def joined(parts: list[Part], rows: list[int]) -> pd.Series:
    """Return the column of all parts, as `cells.column` makes it of all values.

    Parameters
    ----------
    parts : list of Part
    rows : list of int
        The rows of each part.

    Raises
    ------
    AmbiguousError
        If the values must be kept as they were written, and a part of kind "number" does not know.
    """
    kinds = {one.kind for one in parts} - {"none"}
    kind: Kind | None = None
    if kinds and kinds <= {"float", "number"}:
        kind = "float"
    elif len(kinds) == 1:
        kind = kinds.pop()
    if kind in DTYPES:
        return _concat(parts, rows, kind)
    cells: list[Any] = []
    for one, count in zip(parts, rows, strict=True):
        known = one.cells if isinstance(one.cells, list) else values(one.cells)
        cells += [None] * count if one.kind == "none" else known
    series = column(cells)
    if series.dtype == object and any(one.kind == "number" for one in parts):
        raise AmbiguousError
    return series


def _concat(parts: list[Part], rows: list[int], kind: Kind) -> pd.Series:
    """Join parts of one kind, and parts without a value."""
    whole = [one.cells for one in parts if isinstance(one.cells, pd.Series)]
    if len(whole) < len(parts) or len({series.dtype for series in whole}) > 1:
        dtype = DTYPES[kind]
        whole = [
            one.cells.astype(dtype)
            if isinstance(one.cells, pd.Series)
            else pd.Series([None] * count, dtype=dtype)
            for one, count in zip(parts, rows, strict=True)
        ]
    return whole[0] if len(whole) == 1 else pd.concat(whole, ignore_index=True)
