"""The statistics that `bootstrap` offers, as its argument names them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from evalframe.roles import COLUMN, metric_name
from evalframe.stats.statistic import MEAN, Kind

Statistic = str | tuple[str, float] | tuple[str, str] | Callable[..., Any]

_CHOICES = (
    '"mean", "median", ("quantile", q), ("trimmed", share), ("above", threshold), '
    '("ratio", column) or a function of item means'
)


def read_statistic(statistic: Statistic) -> tuple[Kind, str | None]:
    """Return a statistic and the column that it divides by, if it is a ratio.

    Raises
    ------
    ValueError
        If it is none of the choices, or its number is out of range.
    """
    if callable(statistic):
        name = getattr(statistic, "__name__", type(statistic).__name__)
        return Kind("custom", name, function=statistic), None
    if statistic == "mean":
        return MEAN, None
    if statistic == "median":
        return Kind("quantile", "median", 0.5), None
    if isinstance(statistic, tuple | list) and len(statistic) == 2:
        name, given = statistic
        if name == "ratio" and isinstance(given, str):
            column = COLUMN.get(given, given)
            return Kind("ratio", f"ratio({metric_name(column)})"), column
        if name in ("quantile", "trimmed", "above"):
            return Kind(name, f"{name}({_number(name, given):g})", _number(name, given)), None
    raise ValueError(f"statistic must be {_CHOICES}, not {statistic!r}")


def _number(name: str, given: object) -> float:
    """Return the number of a statistic, and refuse one that it cannot have."""
    number = isinstance(given, int | float | np.integer | np.floating)
    if not number or isinstance(given, bool) or not np.isfinite(float(str(given))):
        raise ValueError(f'("{name}", ...) needs a number, not {given!r}')
    value = float(str(given))
    if name == "quantile" and not 0 <= value <= 1:
        raise ValueError(f'("quantile", q) needs q from 0 to 1, not {given!r}')
    if name == "trimmed" and not 0 <= value < 0.5:
        raise ValueError(f'("trimmed", share) needs a share of each end below 0.5, not {given!r}')
    return value
