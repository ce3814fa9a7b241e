"""One column of grades, counts or flags as float64, whatever its dtype."""

from decimal import Decimal
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from evalframe.errors import SHOWN, FrameError, rows_text, short
from evalframe.labels import decoded

_WORTH = dict.fromkeys(("c", "correct", "right", "true", "t", "yes", "y", "pass", "passed"), "1")
_WORTH |= dict.fromkeys(("i", "incorrect", "wrong", "false", "f", "no", "n", "fail", "failed"), "0")

_KINDS = ("integer", "floating", "mixed-integer-float", "boolean", "decimal", "empty")

# Squares of numbers between these, and sums of squares, stay in the range of float64.
SMALLEST, LARGEST = 1e-100, 1e100


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
    column = decoded(column)
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    if types.is_bool_dtype(column.dtype) or (
        types.is_numeric_dtype(column.dtype) and not types.is_complex_dtype(column.dtype)
    ):
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    elif column.isna().all():
        numbers = np.full(len(column), np.nan)
    elif types.is_object_dtype(column.dtype) or "decimal" in str(column.dtype):
        numbers = _object_numbers(column.to_numpy(dtype=object), name)
    else:
        raise _not_numbers(column, column.notna().to_numpy(), name)
    infinite = np.flatnonzero(np.isinf(numbers))
    if len(infinite):
        raise FrameError.of_rows(
            f"column {name!r} must hold finite numbers",
            "an infinite one",
            infinite,
            f"correct it, or make it missing: df.replace({{{name!r}: "
            "{float('inf'): None, float('-inf'): None}})",
            column=name,
        )
    return numbers


def in_reach(numbers: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    """Return a column of numbers as they are, or refuse those that no statistic can square.

    Parameters
    ----------
    numbers : (n,) float64
        Finite; NaN where missing.
    name : str
        The column's name, for the error.

    Raises
    ------
    FrameError
        If a number is above 1e100 in size, or none of those that are not 0 reaches 1e-100.
    """
    # Of long columns no copy is made: this is read in front of every statistic.
    high, low = np.fmax.reduce(numbers, initial=0.0), np.fmin.reduce(numbers, initial=0.0)
    most = float(max(high, -low))
    if not 0 < most < SMALLEST and most <= LARGEST:
        return numbers
    size = np.abs(numbers)
    rows = np.flatnonzero(size > LARGEST if most > LARGEST else size > 0)
    least = "at most 1e+100" if most > LARGEST else "at least 1e-100"
    raise FrameError.of_rows(
        f"column {name!r} must hold numbers of {least} in size",
        f"{numbers[rows[0]]:g}",
        rows,
        f"correct it, or give the column another unit: df.assign({name}=df[{name!r}] / {most:g})",
        column=name,
    )


def _object_numbers(values: NDArray[np.object_], name: str) -> NDArray[np.float64]:
    missing = np.asarray(pd.isna(values))
    if types.infer_dtype(values, skipna=True) not in _KINDS:
        number = np.array([isinstance(v, Real | Decimal | np.bool_) for v in values], dtype=bool)
        if not (number | missing).all():
            raise _not_numbers(pd.Series(values, dtype=object), ~(number | missing), name)
    numbers = np.full(len(values), np.nan)
    try:
        numbers[~missing] = values[~missing].astype(np.float64)
    except OverflowError as error:
        large = [not gone and abs(v) > 1e308 for v, gone in zip(values, missing, strict=True)]
        raise _not_numbers(pd.Series(values, dtype=object), np.array(large), name) from error
    return numbers


def _not_numbers(column: pd.Series, wrong: NDArray[np.bool_], name: str) -> FrameError:
    rows = np.flatnonzero(wrong)
    values = column[wrong].tolist()
    if all(isinstance(value, str) for value in values):
        labels = sorted(set(values))
        shown = ", ".join(map(repr, labels[:SHOWN])) + (", ..." if len(labels) > SHOWN else "")
        found = f"text in {len(rows):,} of {len(column):,} rows, {len(labels):,} different: {shown}"
        remedy = _text_remedy(labels, name)
    else:
        kind = type(values[0]).__name__ if column.dtype == object else str(column.dtype)
        found = f"{kind} in {rows_text(rows)}, first value: {short(values[0])}"
        remedy = f"convert it first: df.assign({name}=...)"
    return FrameError.of(
        f"column {name!r} must hold numbers or booleans",
        found,
        remedy,
        column=name,
        count=len(rows),
        first=f"row {rows[0]:,}",
    )


def _text_remedy(labels: list[str], name: str) -> str:
    """Say how text becomes numbers."""
    if pd.to_numeric(pd.Series(labels), errors="coerce").notna().all():
        return f"if they are numbers: df.assign({name}=df[{name!r}].astype(float))"
    # Only words that mean one thing are given a worth; which other label is right, nobody knows.
    worth = [_WORTH.get(label.strip().lower(), "...") for label in labels[:SHOWN]]
    pairs = [f"{label!r}: {one}" for label, one in zip(labels, worth, strict=False)]
    guess = f"{{{', '.join(pairs)}{', ...' if len(labels) > SHOWN else ''}}}"
    if name == "score":
        return f"say what each is worth: df.evals.tidy(value_map={guess})"
    return f"say what each is worth: df.replace({{{name!r}: {guess}}})"
