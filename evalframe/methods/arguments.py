"""Arguments that several methods take, checked in one way."""

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
import pandas as pd

from evalframe.errors import RoleError, short
from evalframe.numbers import LARGEST
from evalframe.results import FLOOR, MARGIN, TABLES
from evalframe.roles import COLUMN

# More draws than these take memory and no longer move a number.
MOST = 10_000_000
# What a missing score does.
MISSING = ("raise", "drop", "zero")


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Raise ValueError listing the choices where `value` is none of them."""
    # Of one type: pandas' NA and arrays do not say whether they are equal to a choice.
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(map(repr, choices))
        raise ValueError(f"{name} must be one of {listed}, not {short(value)}")


def check_once(name: str, listed: Sequence[object]) -> None:
    """Raise ValueError where a list of choices is empty or has one of them twice."""
    if not listed or len(set(listed)) < len(listed):
        found = "none" if not listed else repr(list(listed))
        raise ValueError(f"{name} must name at least one, and each once, found {found}")


def chosen(name: str, value: str | Sequence[str], choices: Sequence[str]) -> list[str]:
    """Return one choice or several as a list in the order given, which is that of the rows."""
    listed = several(value)
    for one in listed or [""]:
        check_choice(name, one, choices)
    check_once(name, listed)
    return [str(one) for one in listed]


def several(value: Any) -> list[Any]:
    """Return one choice, or a list of them, as a list."""
    listed = isinstance(value, list | tuple | range | np.ndarray | pd.Index)
    return list(value) if listed and np.ndim(value) == 1 else [value]


def is_number(value: object) -> TypeGuard[float]:
    """Tell whether a value is a number that float64 can hold; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def is_finite(value: object) -> TypeGuard[float]:
    """Tell whether a value is a number whose square float64 can hold."""
    return is_number(value) and abs(float(value)) <= LARGEST


def check_flag(name: str, value: bool) -> None:
    """Raise ValueError where a switch was given a column's name or another value."""
    if isinstance(value, bool):
        return
    tail = ""
    if name in COLUMN and isinstance(value, str):
        tail = f'; a column is named once, with df.evals.tidy({name}="{value}")'
    raise ValueError(f"{name} must be True or False, not {short(value)}{tail}")


def value_columns(value: str | Sequence[str], frame: object) -> list[str]:
    """Return `value` as a list of columns of a frame.

    A role's name stands for its column (tokens for n_output_tokens), but not where the frame has a
    column of that very name and none of the role's.
    """
    there = getattr(frame, "columns", ())
    columns = [
        name if name in there and COLUMN.get(name) not in there else COLUMN.get(name, name)
        for name in _names("value", value)
    ]
    if not columns:
        raise ValueError('value must name at least one column, for example value="score"')
    if len(set(columns)) < len(columns):
        raise RoleError(f"value must name each column once, found {columns!r}")
    return columns


def by_columns(by: str | Sequence[str] | None, table: str) -> list[str]:
    """Return `by` as a list of columns, and refuse one that the result uses for itself."""
    columns = [] if by is None else _names("by", by)
    if "arm" in columns and "arm" in TABLES[table]:
        raise RoleError("by cannot name 'arm': every result has a row an arm; leave it out of by")
    for column in columns:
        if column in {**TABLES[table], **FLOOR, **MARGIN}:
            raise RoleError(
                f"by cannot name {column!r}, which is a column of the result itself; give yours "
                f"another name: df.rename(columns={{{column!r}: {column + '_group'!r}}})"
            )
    if len(set(columns)) < len(columns):
        raise RoleError(f"by must name each column once, found {columns!r}")
    return columns


def _names(argument: str, names: str | Sequence[str]) -> list[str]:
    """Return one name or several as a list."""
    listed = several(names)
    wrong = [name for name in listed if not isinstance(name, str)]
    if wrong:
        raise RoleError(
            f"{argument} must be the name of a column or a list of names, found {wrong[0]!r}; "
            f'for example {argument}="score"'
        )
    return [str(name) for name in listed]


def check_count(name: str, value: int, least: int, most: int = MOST) -> None:
    """Raise ValueError where `value` is not an integer of at least `least` and at most `most`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, not {short(value)}")
    if value > most:
        raise ValueError(f"{name} must be {most:,} at most, not {short(value)}")


def check_within(
    name: str,
    value: float | None,
    low: float,
    high: float,
    *,
    open_low: bool = False,
    open_high: bool = False,
) -> None:
    """Raise ValueError where a number that was given does not lie in a range."""
    if value is None:
        return
    # As float64: numpy compares its short floats with others in their own, short range.
    inside = is_finite(value) and low <= float(value) <= high
    if not inside or (open_low and value == low) or (open_high and value == high):
        least = f"above {low:g}" if open_low else f"of at least {low:g}"
        most = "" if high == np.inf else f" and {'below' if open_high else 'at most'} {high:g}"
        raise ValueError(f"{name} must be a number {least}{most}, not {short(value)}")
