"""Columns of ratings, by several raters on one scale, as numbers or numbered labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from evalframe import roles
from evalframe.errors import SHOWN, FrameError
from evalframe.labels import decoded, to_codes
from evalframe.numbers import in_reach, to_numbers
from evalframe.stats.segments import Floats

_NUMBERS = ("integer", "floating", "mixed-integer-float", "boolean", "decimal")


@dataclass(frozen=True, slots=True)
class RatingColumns:
    """What R raters said of n rows.

    Attributes
    ----------
    values : (n, R) float64
        Ratings, NaN where missing; labels are numbered in their order.
    labels : Index or None
        The label of each number; None where ratings are numbers.
    ordered : bool
        Whether ratings go from low to high: numbers, ordered categories, labels listed in
        `categories`.
    categories : (Q,) float64 or None
        All ratings there are to give, from low to high, where the user or an ordered dtype says so.
    """

    values: Floats
    labels: pd.Index | None
    ordered: bool
    categories: Floats | None

    def name(self, value: float) -> str:
        """Return a rating as a message shows it."""
        return f"{value:g}" if self.labels is None else repr(self.labels[int(value)])


def read_ratings(
    frame: pd.DataFrame, columns: dict[str, str], categories: Sequence[object] | None
) -> RatingColumns:
    """Read the ratings of several raters.

    Parameters
    ----------
    frame : DataFrame
    columns : dict of argument to column
    categories : sequence of labels or numbers, optional
        All ratings of the scale, from low to high.

    Raises
    ------
    RoleError
        If a column is missing.
    FrameError
        If one rater gives numbers and another labels, or a rating is not in `categories`.
    """
    roles.need(frame, columns)
    names = list(columns.values())
    kinds = {name: _kind(frame[name]) for name in names}
    if categories is not None:
        _check_categories(categories)
        kinds["categories"] = _kind(pd.Series(list(categories)))
    numbers = [name for name, kind in kinds.items() if kind == "numbers"]
    labels = [name for name, kind in kinds.items() if kind == "labels"]
    if numbers and labels:
        if labels[0] != "categories":
            to_codes(frame[labels[0]], labels[0], sort=False)
        listed = [] if categories is None else list(categories)
        shown = [
            f"{one!r} has {_shown(listed if one == 'categories' else frame[one])}"
            for one in (numbers[0], labels[0])
        ]
        raise FrameError.of(
            "ratings must be all numbers or all labels",
            " and ".join(shown),
            f"say what each label is worth: df.assign({labels[0]}=df[{labels[0]!r}].map({{...}}))",
            column=labels[0],
        )
    return (_labelled if labels else _numbered)(frame, names, categories)


def _check_categories(categories: Sequence[object]) -> None:
    if not types.is_list_like(categories) or len(categories) == 0:
        raise ValueError(
            f"categories must list the ratings from low to high, found {categories!r}; for "
            "example categories=[1, 2, 3, 4, 5]"
        )
    listed = pd.Series(list(categories))
    if listed.isna().any() or listed.duplicated().any():
        raise ValueError(f"categories must list each rating once, found {list(categories)!r}")


def _kind(column: pd.Series) -> str:
    """Return "numbers" or "labels"; "" where all are missing."""
    column = decoded(column)
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = pd.Series(column.cat.categories)
    if column.isna().all():
        return ""
    if types.is_numeric_dtype(column.dtype):
        return "numbers"
    if isinstance(column.dtype, pd.StringDtype):
        return "labels"
    if types.infer_dtype(column, skipna=True) in _NUMBERS:
        return "numbers"
    # Booleans among numbers, and the like.
    plain = all(isinstance(one, Real | Decimal | np.bool_) for one in column.dropna())
    return "numbers" if plain else "labels"


def _numbered(
    frame: pd.DataFrame, names: list[str], categories: Sequence[object] | None
) -> RatingColumns:
    values = np.column_stack([in_reach(to_numbers(frame[name], name), name) for name in names])
    listed: Floats | None = None
    if categories is not None:
        listed = np.sort(to_numbers(pd.Series(list(categories)), "categories"))
        for place, name in enumerate(names):
            one = values[:, place]
            _refuse_others(frame[name], ~np.isnan(one) & ~np.isin(one, listed), name, categories)
    return RatingColumns(values, None, True, listed)


def _labelled(
    frame: pd.DataFrame, names: list[str], categories: Sequence[object] | None
) -> RatingColumns:
    codes = [to_codes(frame[name], name, sort=True) for name in names]
    order, ordered = _order(frame, names), categories is not None
    if categories is not None:
        order = pd.Index(list(categories))
    elif order is not None:
        ordered = True
    else:
        order = pd.Index(sorted({label for one in codes for label in one.labels}))
    values = np.full((len(frame), len(names)), np.nan)
    for place, (name, one) in enumerate(zip(names, codes, strict=True)):
        number = np.append(order.get_indexer(pd.Index(one.labels.tolist())), -1)[one.codes]
        _refuse_others(frame[name], (number < 0) & (one.codes >= 0), name, categories)
        values[number >= 0, place] = number[number >= 0]
    return RatingColumns(
        values, order, ordered, np.arange(len(order), dtype=np.float64) if ordered else None
    )


def _order(frame: pd.DataFrame, names: list[str]) -> pd.Index | None:
    """Return the categories of columns that all have the same ordered ones."""
    found = None
    for name in names:
        dtype = frame[name].dtype
        if not isinstance(dtype, pd.CategoricalDtype) or not dtype.ordered:
            return None
        if found is not None and list(found) != list(dtype.categories):
            return None
        found = dtype.categories
    return None if found is None else pd.Index(found.tolist())


def _refuse_others(
    column: pd.Series, wrong: Any, name: str, categories: Sequence[object] | None
) -> None:
    """Refuse ratings that are not among the categories."""
    rows = np.flatnonzero(wrong)
    if len(rows):
        listed = ", ".join(map(repr, [] if categories is None else list(categories)))
        raise FrameError.of(
            f"column {name!r} must hold the ratings listed in categories ({listed})",
            f"{_shown(column.iloc[rows])} in {len(rows):,} rows",
            "list these too, or make them missing",
            column=name,
            count=len(rows),
            first=f"row {rows[0]:,}",
        )


def _shown(column: Any) -> str:
    """Return the first different ratings of a column as text."""
    values = pd.unique(pd.Series(column).dropna().astype(object))
    listed = [getattr(value, "item", lambda value=value: value)() for value in values]
    listed = sorted(listed, key=lambda value: (type(value).__name__, value))
    more = ", ..." if len(listed) > SHOWN else ""
    return ", ".join(map(repr, listed[:SHOWN])) + more


def scales_apart(ratings: RatingColumns) -> bool:
    """Say whether the ratings of two raters cannot be of one scale.

    Labels of which none is shared, whole numbers whose ranges do not meet, and numbers beyond 0 and
    1 beside a rater who uses exactly these. `categories` says that a scale is one.
    """
    if ratings.categories is not None:
        return False
    sides = [np.unique(one[~np.isnan(one)]) for one in ratings.values.T]
    if not all(len(side) for side in sides):
        return False
    return _apart(sides[0], sides[1], ratings.labels is not None)


def scales_refusal(ratings: RatingColumns, frame: pd.DataFrame, names: list[str]) -> FrameError:
    """Say that two raters are on different scales."""
    one, other = (f"{name!r} has {_shown(frame[name])}" for name in names)
    first = names[0]
    if ratings.labels is None:
        remedy = (
            'with numbers, statistic=["pearson", "spearman"] needs no common scale; or bring them '
            f"to one, for example: df.assign({first}=df[{first!r}] >= CUT)"
        )
    else:
        remedy = f"rename labels that mean the same: df.replace({{{first!r}: {{...}}}})"
    return FrameError.of(
        "agreement needs two raters on one scale",
        f"{one} and {other}",
        f"{remedy}; if they are on one, list its ratings: categories=[...]",
        column=first,
    )


def _apart(one: Floats, other: Floats, labels: bool) -> bool:
    """Say whether two sets of ratings, sorted, cannot be of one scale."""
    if labels:
        return not np.isin(one, other).any()
    for binary, wide in ((one, other), (other, one)):
        if len(binary) == 2 and (binary == (0, 1)).all() and (wide[0] < 0 or wide[-1] > 1):
            return True
    whole = all((side == np.floor(side)).all() for side in (one, other))
    away = one[-1] < other[0] or other[-1] < one[0]
    return bool(whole and away and len(one) + len(other) > 2)
