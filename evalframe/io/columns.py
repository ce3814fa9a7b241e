"""Plain Python values to columns and back, without inferring or losing anything.

What a file says is what a column holds: text stays text ("001", "1e5", "2024-01-02"), an integer
stays exact, and values that no one dtype can hold stay as they are in an object column.
"""

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
        | all values, apart from missing ones | dtype |
        |---|---|
        | bool | bool, with missing ones boolean |
        | int within 64 bits | int64, with missing ones Int64 |
        | float | float64 |
        | int and float | float64 if every int is exact as a float, else object |
        | str | the default string column of pandas |
        | anything else, or a mixture | object |
        | none at all | object, float64 if NaN was among them |
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


def _masked(values: list[Any], dtype: type[np.generic], array: type) -> pd.Series:
    """Build a numpy column, or a nullable one where a value is missing."""
    mask = np.array([value is None for value in values])
    # A nullable array of the integers themselves: through float64, ids above 2**53 would change.
    data = np.array([value or 0 for value in values], dtype=dtype)
    return pd.Series(array(data, mask) if mask.any() else data)


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
    if isinstance(cell, str | bool | int | float):
        return cell
    if isinstance(cell, np.datetime64):
        return json_cell(pd.Timestamp(cell))
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, np.bool_ | np.integer | np.floating) and not isinstance(
        cell, np.longdouble
    ):
        return cell.item()
    if isinstance(cell, list | tuple | np.ndarray):
        return [json_cell(part) for part in cell]
    if isinstance(cell, dict):
        names = [name for name in cell if not isinstance(name, str)]
        if names:
            raise TypeError(f"a dict with the key {names[0]!r}, which is not text")
        return {name: json_cell(part) for name, part in cell.items()}
    raise TypeError(f"{type(cell).__name__} {cell!r:.60}")
