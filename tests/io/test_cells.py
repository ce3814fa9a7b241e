import json
import math

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_series_equal

from evalframe.io.cells import column, join, json_cell, values

TEXT = pd.Series(["text"]).dtype


@pytest.mark.parametrize(
    ("lines", "dtype", "expected"),
    [
        ("true false", "bool", [True, False]),
        ("true null", "boolean", [True, None]),
        ("1 -0", "int64", [1, 0]),
        ("1344800117571260417 null", "Int64", [1344800117571260417, None]),
        ("1344800117571260417 NaN", "Int64", [1344800117571260417, None]),
        ("9223372036854775807 -9223372036854775808", "int64", [2**63 - 1, -(2**63)]),
        ("9223372036854775808 1", "object", [2**63, 1]),
        ("9223372036854775808 null", "object", [2**63, None]),
        ("1 0.5", "float64", [1.0, 0.5]),
        ("9007199254740992 0.5", "float64", [2.0**53, 0.5]),
        ("9007199254740993 0.5", "object", [2**53 + 1, 0.5]),
        (f"1{'0' * 400} 0.5", "object", [10**400, 0.5]),
        ("0.1 Infinity -Infinity", "float64", [0.1, math.inf, -math.inf]),
        ("1700000000", "int64", [1700000000]),
        ("null null", "object", [None, None]),
        ("1 true", "object", [1, True]),
        ("true 1.0", "object", [True, 1.0]),
        ('1 "a"', "object", [1, "a"]),
        ('"a" NaN', TEXT, ["a", None]),
        ("[1] [2]", "object", [[1], [2]]),
        ('{"b":1} null', "object", [{"b": 1}, None]),
        ('{"b":[1,null]} [] "x"', "object", [{"b": [1, None]}, [], "x"]),
    ],
)
def test_a_column_holds_what_json_says(lines, dtype, expected):
    series = column([json.loads(value) for value in lines.split(" ")])
    assert series.dtype == dtype
    assert list(map(type, values(series))) == list(map(type, expected))
    assert values(series) == expected


@pytest.mark.parametrize("cells", [[math.nan], [math.nan, None]])
def test_nan_alone_is_a_float_column(cells):
    assert_series_equal(column(cells), pd.Series([math.nan] * len(cells)))


def test_nan_in_a_float_column_stays_nan():
    assert np.isnan(values(pd.Series([math.nan]))[0])


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        (pd.Series([2**60 + 1, None], dtype="Int64"), [2**60 + 1, None]),
        (pd.Series([2**60 + 1, None], dtype="int64[pyarrow]"), [2**60 + 1, None]),
        (pd.Series([7, 8], dtype="int8"), [7, 8]),
        (pd.Series([True, None], dtype="boolean"), [True, None]),
        (pd.Series([0.5, None], dtype="Float64"), [0.5, None]),
        (pd.Series([0.5, None], dtype="double[pyarrow]"), [0.5, None]),
        (pd.Series([0.5, 1.5], dtype="float32"), [0.5, 1.5]),
        (pd.Series(["a", pd.NA], dtype="string"), ["a", None]),
        (pd.Series(["a", None], dtype="string[pyarrow]"), ["a", None]),
        (pd.Series(pd.Categorical(["b", None], ["b", "a"])), ["b", None]),
        (pd.Series(pd.Categorical([2**60 + 1, None])), [2**60 + 1, None]),
        (pd.Series(pd.to_datetime(["2024-01-02 03:04:05", None])), ["2024-01-02T03:04:05", None]),
        (pd.Series([pd.Timestamp("2024-01-02", tz="UTC")]), ["2024-01-02T00:00:00+00:00"]),
        (pd.Series([pd.Timestamp("2024-01-02").date(), None]), ["2024-01-02", None]),
        (
            pd.Series([np.int64(2**60), np.float64(0.5), np.bool_(True)], dtype=object),
            [2**60, 0.5, True],
        ),
        (pd.Series([np.datetime64("2024-01-02", "ns")], dtype=object), ["2024-01-02T00:00:00"]),
        (
            pd.Series([1, "1", True, None, pd.NaT, pd.NA, np.nan], dtype=object),
            [1, "1", True] + [None] * 4,
        ),
        (pd.Series([np.array([1, 2]), (3,), []], dtype=object), [[1, 2], [3], []]),
        (pd.Series([{"x": [np.int8(1), None, {"y": pd.NA}]}]), [{"x": [1, None, {"y": None}]}]),
    ],
    ids=lambda value: str(value.dtype) if isinstance(value, pd.Series) else None,
)
def test_every_dtype_has_its_plain_json(series, expected):
    plain = [json_cell(cell) for cell in values(series)]
    assert list(map(type, plain)) == list(map(type, expected))
    assert plain == expected


@pytest.mark.parametrize(
    "cell",
    [
        1j,
        {1},
        b"x",
        object(),
        pd.Timedelta(1),
        {1: 2},
        [{"x": {1}}],
        np.longdouble(1),
        pd.Period("2024"),
    ],
    ids=lambda cell: type(cell).__name__,
)
def test_other_cells_have_no_json(cell):
    with pytest.raises(
        TypeError, match=type(cell).__name__ if not isinstance(cell, list | dict) else "set|key 1"
    ):
        json_cell(cell)


def parts(*columns):
    """Return what join takes: None for an int, the rows of a frame without the column."""
    missing = [None if isinstance(part, int) else part for part in columns]
    return missing, [part if isinstance(part, int) else len(part) for part in columns]


NO_TEXT = pd.Series([None, None], dtype=object)
TIME = pd.Series(pd.to_datetime(["2024-01-02"]))
CATEGORY = pd.Series(pd.Categorical(["b"], ["b", "a"]))


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (
            (pd.Series([1, 2], dtype="int8"), pd.Series([3], dtype="int8")),
            pd.Series([1, 2, 3], dtype="int8"),
        ),
        ((pd.Series([2**60 + 1]), 1), pd.Series([2**60 + 1, None], dtype="Int64")),
        ((1, pd.Series([2**60 + 1])), pd.Series([None, 2**60 + 1], dtype="Int64")),
        ((pd.Series([2**60 + 1]), pd.Series([0.5])), pd.Series([2**60 + 1, 0.5], dtype=object)),
        ((pd.Series([1]), pd.Series([0.5])), pd.Series([1.0, 0.5])),
        ((pd.Series([1]), pd.Series(["1"])), pd.Series([1, "1"], dtype=object)),
        ((pd.Series([1]), pd.Series([True])), pd.Series([1, True], dtype=object)),
        ((pd.Series([True]), 1), pd.Series([True, None], dtype="boolean")),
        ((pd.Series([0.5], dtype="float32"), 1), pd.Series([0.5, None], dtype="float32")),
        ((NO_TEXT, pd.Series(["a"])), pd.Series([None, None, "a"], dtype=TEXT)),
        ((pd.Series([], dtype=object), pd.Series([1])), pd.Series([1])),
        ((CATEGORY, 1), pd.Series(pd.Categorical(["b", None], ["b", "a"]))),
        ((CATEGORY, CATEGORY), pd.Series(pd.Categorical(["b", "b"], ["b", "a"]))),
        ((CATEGORY, pd.Series(["c"])), pd.Series(["b", "c"])),
        ((TIME, 1), pd.Series([TIME[0], pd.NaT], dtype=TIME.dtype)),
        ((NO_TEXT, TIME), pd.Series([pd.NaT, pd.NaT, TIME[0]], dtype=TIME.dtype)),
        ((TIME, pd.Series(["x"]), 1), pd.Series([TIME[0], "x", pd.NaT], dtype=object)),
        ((NO_TEXT, 1), pd.Series([None] * 3, dtype=object)),
        ((pd.Series([[1], [2]]), 1), pd.Series([[1], [2], None], dtype=object)),
    ],
)
def test_joined_columns_lose_no_value(columns, expected):
    assert_series_equal(join(*parts(*columns)), expected)
