"""One column of labels as integer codes, whatever its dtype.

Labels are never inferred: "007" stays text, 7 stays an integer, and a column with both is refused.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pandas.api import types

from evalframe.errors import FrameError

# The dtype that pandas gives to text: str, or object before pandas 3.
_TEXT = pd.Index(["text"]).dtype

_KINDS = ("string", "integer", "boolean", "datetime64", "empty")


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


def to_codes(column: pd.Series, name: str, *, sort: bool, fractions: bool = False) -> Codes:
    """Return a column of labels as codes.

    Parameters
    ----------
    column : Series
        Text, integers, booleans, datetimes or a category of them, of any storage. Floats count as
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
    column = decoded(column)
    try:
        if isinstance(column.dtype, pd.CategoricalDtype):
            return _category_codes(column, fractions)
        codes, uniques = pd.factorize(column)
        # Text equals nothing but the same text, so its kind shows in the different labels alone;
        # 1, 1.0 and True are equal, so that for numbers every row is looked at.
        kind = types.infer_dtype(uniques, skipna=True)
        kind = kind if kind == "string" else _label_kind(column, fractions)
        labels = _plain_index(pd.Index(uniques, dtype=uniques.dtype), kind)
    except (TypeError, ValueError, OverflowError, NotImplementedError) as error:
        # pandas and Arrow refuse lists, mixed time zones and the like with errors of their own.
        raise _not_labels(column, name) from error
    codes = codes.astype(np.int64, copy=False)
    if sort and not labels.is_monotonic_increasing:
        order = labels.argsort()
        rank = np.empty(len(order) + 1, dtype=np.int64)
        rank[order] = np.arange(len(order))
        # The last place catches code -1, so that missing stays missing.
        rank[-1] = -1
        codes, labels = rank[codes], labels.take(order)
    return Codes(codes, labels)


def complete(codes: Codes, name: str) -> Codes:
    """Return the codes as they are, or refuse them where a label is missing."""
    if len(codes.codes) and codes.codes.min() < 0:
        missing = np.flatnonzero(codes.codes < 0)
        raise FrameError.of_rows(
            f"column {name!r} must have a label in every row",
            "none",
            missing,
            f"fill them in, or leave the rows out: df.dropna(subset=[{name!r}])",
            column=name,
        )
    return codes


def decoded(column: pd.Series) -> pd.Series:
    """Return a column without what Arrow and nullable dtypes add to it.

    An Arrow dictionary becomes its values, Arrow's null type objects, and a nullable float numpy's,
    as it can hold NaN beside NA, which are both missing.
    """
    if isinstance(column.dtype, pd.ArrowDtype):
        stored = column.dtype.pyarrow_dtype
        if pa.types.is_dictionary(stored):
            return decoded(column.astype(pd.ArrowDtype(stored.value_type)))
        if pa.types.is_null(stored):
            return pd.Series([None] * len(column), dtype=object)
    if types.is_float_dtype(column.dtype) and not isinstance(column.dtype, np.dtype):
        return pd.Series(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return column


def _category_codes(column: pd.Series, fractions: bool) -> Codes:
    codes = column.cat.codes.to_numpy().astype(np.int64)
    categories = column.cat.categories
    used = np.bincount(codes[codes >= 0], minlength=len(categories)) > 0
    if not used.all():
        rank = np.append(np.cumsum(used) - 1, -1)
        codes, categories = rank[codes], categories[used]
    # A category that no row has says nothing about the type of the others.
    seen = pd.Series(categories.tolist(), dtype=object).infer_objects()
    kind = _label_kind(seen, fractions)
    labels = _plain_index(pd.Index(seen), kind)
    if kind == "string":
        labels = pd.CategoricalIndex(labels, categories=labels, ordered=column.cat.ordered)
    return Codes(codes, labels)


def _label_kind(column: pd.Series, fractions: bool) -> str:
    """Return what labels are: "string", "integer", "boolean", "datetime64" or "floating".

    Raises
    ------
    TypeError
        If they are of another type, or of more than one.
    """
    kind = types.infer_dtype(column, skipna=True)
    if kind in ("floating", "mixed-integer-float"):
        values = column.dropna().to_numpy(dtype=np.float64)
        if _whole(values).all():
            return "integer"
        kind = "floating" if fractions and np.isfinite(values).all() else "fractions"
    if kind == "datetime":
        return "datetime64"
    if kind not in (*_KINDS, "floating"):
        raise TypeError(kind)
    return kind


def _whole(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    # Above 2**53 neighbouring integers share one float: two ids may have become one.
    return np.asarray((values == np.floor(values)) & (np.abs(values) < 2**53))


def _plain_index(labels: pd.Index, kind: str) -> pd.Index:
    """Return labels as str, int64, bool, float64 or datetime64, as results show them."""
    if kind == "integer":
        if len(labels) and not -(2**63) <= labels.min() <= labels.max() < 2**63:
            raise OverflowError("an integer of more than 64 bits")
        return pd.Index(np.asarray(labels, dtype=np.int64))
    if kind == "boolean":
        return pd.Index(np.asarray(labels, dtype=np.bool_))
    if kind == "floating":
        return pd.Index(np.asarray(labels, dtype=np.float64))
    if kind == "datetime64":
        times: Any = pd.DatetimeIndex(labels)
        labels = times if times.unit in ("us", "ns") else times.as_unit("us")
    elif kind in ("string", "empty"):
        if labels.dtype == object and set(map(type, labels)) - {str}:
            # numpy.str_ and text enumerations count as the text they hold.
            labels = pd.Index([str.__str__(label) for label in labels], dtype=object)
        labels = labels.astype(_TEXT)
    return labels


def _not_labels(column: pd.Series, name: str) -> FrameError:
    """Name a row of each of two types, or the first label where there is only one."""
    column = column.astype(object)
    first: dict[str, tuple[int, Any]] = {}
    for row in np.flatnonzero(column.notna()):
        value = column.iloc[row]
        if isinstance(value, float) and _whole(np.array([value])).all():
            kind = "whole float"
        else:
            kind = type(value).__name__
        first.setdefault(kind, (int(row), value))
        if len(first) == 2:
            break
    # Whole floats pass as integers, so the label at fault is the one beside them.
    if set(first) == {"whole float", "float"}:
        del first["whole float"]
    shown = [
        f"{kind.split()[-1]} ({value!r} in row {row:,})" for kind, (row, value) in first.items()
    ]
    return FrameError.of(
        f"column {name!r} must hold labels of one type (text, integers of 64 bits, booleans or "
        "datetimes)",
        " and ".join(shown),
        f"make them text, for example: df.assign({name}=df[{name!r}].map(str))",
        column=name,
        count=int(column.notna().sum()),
        first=f"row {min(row for row, _ in first.values()):,}" if first else "",
    )
