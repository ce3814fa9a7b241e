"""One column of a user's frame as numbers or as codes, whatever its dtype.

Labels are never inferred: "007" stays text, 7 stays an integer, and a column with both is refused.
"""

from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pandas.api import types

from evalframe.errors import FrameError

SHOWN = 5

_NUMBER_KINDS = ("integer", "floating", "mixed-integer-float", "boolean", "decimal", "empty")
_LABEL_KINDS = ("string", "integer", "boolean", "datetime64", "datetime", "empty")


@dataclass(frozen=True, slots=True)
class Codes:
    """A column of labels as integer codes.

    Attributes
    ----------
    codes : (n,) int64
        Position of each row's label in `labels`; -1 where it is missing.
    labels : Index of length L
        The labels that occur, each once: sorted, or in category order.
    """

    codes: NDArray[np.int64]
    labels: pd.Index


def rows_text(rows: NDArray[np.int64]) -> str:
    """Say how many rows there are and which come first, counted from 0."""
    first = ", ".join(f"{row:,}" for row in rows[:SHOWN])
    more = ", ..." if len(rows) > SHOWN else ""
    return f"{len(rows):,} row{'s' if len(rows) != 1 else ''} (counted from 0: {first}{more})"


def to_numbers(column: pd.Series, name: str) -> NDArray[np.float64]:
    """Return a column of grades, counts or flags as float64, NaN where it is missing.

    Parameters
    ----------
    column : Series
        Numbers or booleans of any dtype: numpy, nullable, Arrow, category or object.
    name : str
        The column's name, for the error.

    Returns
    -------
    (n,) float64
        Read-only where it shares the frame's memory.

    Raises
    ------
    FrameError
        If a value is text, infinite, or neither a number nor a boolean.
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    if types.is_bool_dtype(column.dtype) or (
        types.is_numeric_dtype(column.dtype) and not types.is_complex_dtype(column.dtype)
    ):
        numbers: NDArray[np.float64] = column.to_numpy(dtype=np.float64, na_value=np.nan)
    elif types.is_object_dtype(column.dtype) or _arrow_decimal(column):
        numbers = _object_numbers(column.to_numpy(dtype=object), name)
    else:
        raise _not_numbers(column, name)
    infinite = np.flatnonzero(np.isinf(numbers))
    if len(infinite):
        raise FrameError(
            f"column {name!r} must hold finite numbers, found an infinite one in "
            f"{rows_text(infinite)}; correct it, or make it missing: "
            f"df.replace({{{name!r}: {{float('inf'): None, float('-inf'): None}}}})"
        )
    return numbers


def _arrow_decimal(column: pd.Series) -> bool:
    return isinstance(column.dtype, pd.ArrowDtype) and "decimal" in str(column.dtype)


def _object_numbers(values: NDArray[np.object_], name: str) -> NDArray[np.float64]:
    missing = pd.isna(values)
    kind = types.infer_dtype(values, skipna=True)
    if kind not in _NUMBER_KINDS:
        wrong = np.array([not isinstance(v, Real | Decimal | np.bool_) for v in values], dtype=bool)
        if (wrong & ~missing).any():
            raise _not_numbers(pd.Series(values, dtype=object), name)
    numbers = np.full(len(values), np.nan)
    numbers[~missing] = values[~missing].astype(np.float64)
    return numbers


def _not_numbers(column: pd.Series, name: str) -> FrameError:
    seen = column.dropna()
    texts = seen[[isinstance(value, str) for value in seen]]
    if len(texts) == 0:
        return FrameError(
            f"column {name!r} must hold numbers or booleans, found {column.dtype} "
            f"(first value: {seen.iloc[0]!r}); convert it first"
        )
    labels = sorted(set(texts))
    shown = ", ".join(map(repr, labels[:SHOWN])) + (", ..." if len(labels) > SHOWN else "")
    numeric = pd.to_numeric(texts, errors="coerce").notna().all()
    if numeric and len(texts) == len(seen):
        remedy = f"if they are numbers: df.assign({name}=df[{name!r}].astype(float))"
    else:
        pairs = ", ".join(
            f"{label!r}: {1 - i if i < 2 else '...'}" for i, label in enumerate(labels[:3])
        )
        guess = "{'C': 1, 'I': 0}" if set(labels) <= {"C", "I"} else f"{{{pairs}}}"
        remedy = f"say what each is worth: df.evals.tidy(value_map={guess})"
        if name != "score":
            remedy = f"say what each is worth: df.replace({{{name!r}: {guess}}})"
    return FrameError(
        f"column {name!r} must hold numbers or booleans, found text in {len(texts):,} of "
        f"{len(column):,} rows, {len(labels):,} different: {shown}; {remedy}"
    )


def to_codes(column: pd.Series, name: str, *, sort: bool, fractions: bool = False) -> Codes:
    """Return a column of labels as codes.

    Parameters
    ----------
    column : Series
        Text, integers, booleans, datetimes or a category of text, of any storage. Floats count as
        integers where all are whole.
    name : str
        The column's name, for the error.
    sort : bool
        Whether labels come sorted (categories always keep their order). Sorting costs
        time where there are many.
    fractions : bool
        Whether floats with fractions are labels too (a temperature in `by`).

    Returns
    -------
    Codes
        A missing label has code -1.

    Raises
    ------
    FrameError
        If labels are of another type, or of more than one.
    """
    dtype = column.dtype
    if isinstance(dtype, pd.ArrowDtype) and pa.types.is_dictionary(dtype.pyarrow_dtype):
        column = column.astype(pd.ArrowDtype(dtype.pyarrow_dtype.value_type))
    if isinstance(column.dtype, pd.CategoricalDtype):
        return _category_codes(column, name)
    try:
        codes, uniques = pd.factorize(column)
    except TypeError as error:
        raise _not_labels(column, name, "values that cannot be compared") from error
    codes = codes.astype(np.int64, copy=False)
    # Text equals nothing but the same text, so its kind shows in the different labels alone;
    # 1, 1.0 and True are equal, so that for numbers every row is looked at.
    kind = types.infer_dtype(uniques, skipna=True)
    if kind != "string":
        kind = _label_kind(column, name, fractions)
    labels = _plain_index(pd.Index(uniques), kind, name)
    if sort and not labels.is_monotonic_increasing:
        order = labels.argsort()
        rank = np.empty(len(order) + 1, dtype=np.int64)
        rank[order] = np.arange(len(order))
        # The last place catches code -1, so that missing stays missing.
        rank[-1] = -1
        codes, labels = rank[codes], labels.take(order)
    return Codes(codes, labels)


def _category_codes(column: pd.Series, name: str) -> Codes:
    codes = column.cat.codes.to_numpy().astype(np.int64)
    categories = column.cat.categories
    kind = _label_kind(categories.to_series(), name, fractions=False)
    used = np.bincount(codes[codes >= 0], minlength=len(categories)) > 0
    if not used.all():
        rank = np.append(np.cumsum(used) - 1, -1)
        codes, categories = rank[codes], categories[used]
    labels = _plain_index(categories, kind, name)
    if kind == "string":
        labels = pd.CategoricalIndex(labels, categories=labels, ordered=column.cat.ordered)
    return Codes(codes, labels)


def _label_kind(column: pd.Series, name: str, fractions: bool) -> str:
    """Return "string", "integer", "boolean", "datetime64" or "floating", or raise."""
    kind = types.infer_dtype(column, skipna=True)
    if kind in ("floating", "mixed-integer-float"):
        values = column.dropna().to_numpy(dtype=np.float64)
        # Above 2**53 neighbouring integers share one float: two ids may have become one.
        if bool((values == np.floor(values)).all()) and bool((np.abs(values) < 2**53).all()):
            kind = "integer"
        elif fractions and np.isfinite(values).all():
            return "floating"
    if kind == "datetime":
        return "datetime64"
    if kind not in _LABEL_KINDS:
        raise _not_labels(column, name, kind)
    return kind


def _not_labels(column: pd.Series, name: str, kind: str) -> FrameError:
    rows = column.reset_index(drop=True).dropna()
    first: dict[str, tuple[int, Any]] = {}
    for row, value in rows.items():
        first.setdefault(type(value).__name__, (int(str(row)), value))
        if len(first) == 2:
            break
    found = " and ".join(
        f"{what} ({value!r} in row {row:,})" for what, (row, value) in first.items()
    )
    return FrameError(
        f"column {name!r} must hold labels of one type (text, integers, booleans or datetimes), "
        f"found {kind}: {found}; make them text, for example: "
        f"df.assign({name}=df[{name!r}].map(str))"
    )


def _plain_index(labels: pd.Index, kind: str, name: str) -> pd.Index:
    """Return labels as str, int64, bool, float64 or datetime64, as results show them."""
    if kind == "integer":
        if len(labels) and not -(2**63) <= labels.min() <= labels.max() < 2**63:
            raise FrameError(
                f"column {name!r} holds an integer that does not fit in 64 bits; make it text: "
                f"df.assign({name}=df[{name!r}].map(str))"
            )
        return pd.Index(np.asarray(labels, dtype=np.int64))
    if kind == "boolean":
        return pd.Index(np.asarray(labels, dtype=np.bool_))
    if kind == "floating":
        return pd.Index(np.asarray(labels, dtype=np.float64))
    if kind == "datetime64":
        times = pd.DatetimeIndex(labels)
        return times if times.unit in ("us", "ns") else pd.DatetimeIndex(times.as_unit("us"))
    return pd.Index(labels, dtype=str)


def complete(codes: Codes, name: str) -> Codes:
    """Return the codes as they are, or refuse them where a label is missing."""
    if len(codes.codes) and codes.codes.min() < 0:
        missing = np.flatnonzero(codes.codes < 0)
        raise FrameError(
            f"column {name!r} must have a label in every row, found none in {rows_text(missing)}; "
            f"fill them in, or leave the rows out: df.dropna(subset=[{name!r}])"
        )
    return codes
