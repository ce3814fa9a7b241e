"""Plain Python values to columns and back, without inferring or losing anything.

What a file says is what a column holds: text stays text ("001", "1e5", "2024-01-02"), an integer
stays exact, and values that no one dtype can hold stay as they are in an object column.
"""

from collections.abc import Mapping
from datetime import date, time
from typing import Any

import numpy as np
import pandas as pd


def column(values: list[Any]) -> pd.Series:
    """Build the column that holds `values` exactly.

    Parameters
    ----------
    values : list
        JSON values (or others, which are kept as objects). None and NaN are missing.

    Returns
    -------
    Series
        Of bool, int64, float64 or text (the default string dtype of pandas); with missing values
        boolean, Int64, float64 or text. Integers among floats become float64 if each is exact as
        a float. Everything else is object: mixtures, nested values, integers beyond 64 bits, and
        a column of None alone. NaN alone is float64.
    """
    kinds = set(map(type, values)) - {type(None)}
    if float in kinds and kinds != {float}:
        values = [None if type(value) is float and value != value else value for value in values]
        kinds = set(map(type, values)) - {type(None)}
    if kinds == {bool}:
        return _masked(values, np.bool_, pd.arrays.BooleanArray)
    if kinds == {float} or (kinds == {int, float} and _exact(values)):
        return pd.Series(np.array(values, dtype=np.float64))
    if kinds == {int}:
        try:
            return _masked(values, np.int64, pd.arrays.IntegerArray)
        except OverflowError:
            return pd.Series(values, dtype=object)
    return pd.Series(values) if kinds == {str} else pd.Series(values, dtype=object)


def table(columns: Mapping[str, list[Any]], dtypes: Mapping[str, type]) -> pd.DataFrame:
    """Build the frame of columns as `column` makes them; without rows, of the dtypes given."""
    return pd.DataFrame(
        {
            name: column(cells) if cells else pd.Series([], dtype=dtypes[name])
            for name, cells in columns.items()
        }
    )


def _masked(values: list[Any], dtype: type[np.generic], array: type) -> pd.Series:
    """Build a numpy column, or a nullable one where a value is missing."""
    if None not in values:
        return pd.Series(np.array(values, dtype=dtype))
    mask = np.array([value is None for value in values])
    # A nullable array of the integers themselves: through float64, ids above 2**53 would change.
    data = np.array([value or 0 for value in values], dtype=dtype)
    return pd.Series(array(data, mask))


def _exact(values: list[Any]) -> bool:
    """Return whether every integer among the values is exact as a float."""
    try:
        return all(float(value) == value for value in values if type(value) is int)
    except OverflowError:
        return False


def values(series: pd.Series) -> list[Any]:
    """Return the cells of a column as plain Python values, None where one is missing.

    NaN inside a float column stays NaN, so that `column` gives the float column back.
    """
    if isinstance(series.dtype, pd.CategoricalDtype):
        # By code: a categorical of integers with a missing cell goes through float64 otherwise.
        cells = [*series.cat.categories.tolist(), None]
        return [cells[code] for code in series.cat.codes.tolist()]
    cells = series.tolist()
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "biuf":
        return cells
    return [
        None if gone else cell for cell, gone in zip(cells, series.isna().tolist(), strict=True)
    ]


def join(parts: list[pd.Series | None], rows: list[int]) -> pd.Series:
    """Join one column of several frames, so that no value changes.

    Parameters
    ----------
    parts : list of Series or None
        The column of each frame; None where a frame lacks it.
    rows : list of int
        The rows of each frame.

    Returns
    -------
    Series
        Of the parts' dtype where they share one that can hold what is missing; otherwise as
        `column` makes it of all values. Parts without a value say nothing of the dtype.
    """
    whole = [part for part in parts if part is not None]
    if len(whole) == len(parts) and len({part.dtype for part in whole}) == 1:
        return pd.concat(whole, ignore_index=True)
    present = [part for part in whole if part.notna().any()] or whole
    dtypes = {part.dtype for part in present}
    keeps = len(dtypes) == 1 and all(
        isinstance(dtype, pd.api.extensions.ExtensionDtype) or dtype.kind == "f" for dtype in dtypes
    )
    if keeps or any(dtype.kind in "mM" for dtype in dtypes):
        missing = present[0].iloc[:0]
        full = [
            part if part is not None and part.notna().any() else missing.reindex(range(count))
            for part, count in zip(parts, rows, strict=True)
        ]
        return pd.concat([part for part in full if len(part)], ignore_index=True)
    cells: list[Any] = []
    for part, count in zip(parts, rows, strict=True):
        cells += [None] * count if part is None else values(part)
    return column(cells)


def json_cell(cell: object) -> object:
    """Return the JSON value of one cell; dates and times as ISO text.

    Parameters
    ----------
    cell : object
        As `values` gives it, or an element of a nested cell.

    Returns
    -------
    None, bool, int, float, str, list or dict

    Raises
    ------
    TypeError
        If the cell, or something inside it, has no JSON form.
    """
    if cell is None or cell is pd.NA or cell is pd.NaT:
        return None
    if isinstance(cell, np.bool_ | np.integer | np.floating):
        cell = cell.item()
    if isinstance(cell, str | bool | int | float):
        return cell
    if isinstance(cell, np.datetime64):
        return json_cell(pd.Timestamp(cell))
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, list | tuple | np.ndarray):
        return [json_cell(part) for part in cell]
    if isinstance(cell, dict):
        names = [name for name in cell if not isinstance(name, str)]
        if names:
            raise TypeError(f"a dict with the key {names[0]!r}, which is not text")
        return {name: json_cell(part) for name, part in cell.items()}
    raise TypeError(f"{type(cell).__name__} {cell!r:.60}")
