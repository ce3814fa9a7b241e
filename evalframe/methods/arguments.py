"""Arguments that several methods take, checked in one way."""

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
import pandas as pd

from evalframe.errors import RoleError
from evalframe.results import FLOOR, MARGIN, TABLES
from evalframe.roles import COLUMN

# What a missing score does.
MISSING = ("raise", "drop", "zero")


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Raise ValueError listing the choices where `value` is none of them."""
    if value not in choices:
        listed = ", ".join(map(repr, choices))
        raise ValueError(f"{name} must be one of {listed}, not {value!r}")


def several(value: Any) -> list[Any]:
    """Return one choice, or a list of them, as a list."""
    listed = isinstance(value, list | tuple | range | np.ndarray | pd.Index)
    return list(value) if listed and np.ndim(value) == 1 else [value]


def is_number(value: object) -> TypeGuard[float]:
    """Tell whether a value is a number, which True and False are not."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def check_flag(name: str, value: bool, role: str) -> None:
    """Raise ValueError where a switch was given a column's name or another value."""
    if not isinstance(value, bool):
        raise ValueError(
            f"{name} must be True or False, not {value!r}; a column is named once, with "
            f'df.evals.tidy({role}="YOUR_COLUMN")'
        )


def value_columns(value: str | Sequence[str]) -> list[str]:
    """Return `value` as a list of columns; a role's name stands for its column."""
    columns = [COLUMN.get(column, column) for column in _names("value", value)]
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


def check_count(name: str, value: int, least: int) -> None:
    """Raise ValueError where `value` is not an integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, not {value!r}")


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
    inside = is_number(value) and low <= value <= high and np.isfinite(value)
    if not inside or (open_low and value == low) or (open_high and value == high):
        least = f"above {low:g}" if open_low else f"of at least {low:g}"
        most = "" if high == np.inf else f" and {'below' if open_high else 'at most'} {high:g}"
        raise ValueError(f"{name} must be a number {least}{most}, not {value!r}")
