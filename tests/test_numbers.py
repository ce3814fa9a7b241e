from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from evalframe.errors import FrameError
from evalframe.numbers import in_reach, to_numbers

GRADES = [1, 0, 1]
NUMBERS = {
    "int64": pd.Series(GRADES),
    "int8": pd.Series(GRADES, dtype="int8"),
    "uint64": pd.Series(GRADES, dtype="uint64"),
    "float32": pd.Series(GRADES, dtype="float32"),
    "bool": pd.Series(GRADES).astype(bool),
    "boolean": pd.Series(GRADES, dtype="boolean"),
    "Int64": pd.Series(GRADES, dtype="Int64"),
    "Float64": pd.Series(GRADES, dtype="Float64"),
    "double[pyarrow]": pd.Series(GRADES, dtype="double[pyarrow]"),
    "bool[pyarrow]": pd.Series(GRADES, dtype="bool[pyarrow]"),
    "decimal[pyarrow]": pd.Series(
        [Decimal(x) for x in GRADES], dtype=pd.ArrowDtype(pa.decimal128(5, 2))
    ),
    "object of numbers": pd.Series([1, 0.0, True], dtype=object),
    "object of numpy numbers": pd.Series([np.int8(1), np.float32(0), np.True_], dtype=object),
    "object of Decimal": pd.Series([Decimal(x) for x in GRADES], dtype=object),
    "category of numbers": pd.Series(GRADES, dtype="category"),
}
WITH_MISSING = {
    "float64": pd.Series([1, np.nan, 0]),
    "Int64": pd.Series([1, None, 0], dtype="Int64"),
    "boolean": pd.Series([True, None, False], dtype="boolean"),
    "Float64": pd.Series([1, None, 0], dtype="Float64"),
    "double[pyarrow]": pd.Series([1, None, 0], dtype="double[pyarrow]"),
    "bool[pyarrow]": pd.Series([True, None, False], dtype="bool[pyarrow]"),
    "object with None": pd.Series([1, None, 0], dtype=object),
    "object with NA": pd.Series([1, pd.NA, 0], dtype=object),
    "object with NaN": pd.Series([True, np.nan, False], dtype=object),
    "category": pd.Series([1, None, 0], dtype="category"),
    "Decimal": pd.Series([Decimal(1), None, Decimal(0)], dtype=object),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_every_storage_are_the_same_numbers(name):
    found = to_numbers(NUMBERS[name], "score")
    assert found.dtype == np.float64
    assert_array_equal(found, GRADES)


@pytest.mark.parametrize("name", WITH_MISSING)
def test_a_missing_value_of_every_kind_is_nan(name):
    assert_array_equal(to_numbers(WITH_MISSING[name], "score"), [1, np.nan, 0])


def test_nan_and_na_in_one_arrow_column_are_both_missing():
    column = pd.Series(pd.array(pa.array([1.0, float("nan"), None]), dtype="double[pyarrow]"))
    assert_array_equal(to_numbers(column, "score"), [1, np.nan, np.nan])


def test_no_rows_are_no_numbers():
    for dtype in (object, float, "Int64", "category"):
        assert to_numbers(pd.Series([], dtype=dtype), "score").shape == (0,)


@pytest.mark.parametrize("infinite", [float("inf"), float("-inf")])
def test_an_infinite_number_is_refused_with_its_rows(infinite):
    with pytest.raises(FrameError, match=r"'score' .* 2 rows \(counted from 0: 1, 3\)"):
        to_numbers(pd.Series([0, infinite, 1, infinite]).set_axis([9, 9, 9, 9]), "score")


@pytest.mark.parametrize("dtype", [object, str, "category", "string[pyarrow]"])
def test_text_grades_are_refused_with_their_labels_and_a_map(dtype):
    column = pd.Series(["C", "I", "C"], dtype=dtype)
    with pytest.raises(FrameError, match="'score' must hold numbers or booleans") as caught:
        to_numbers(column, "score")
    assert "3 of 3 rows, 2 different" in str(caught.value)
    assert "df.evals.tidy(value_map={'C': 1, 'I': 0})" in str(caught.value)


def test_text_in_another_column_has_another_remedy():
    with pytest.raises(FrameError, match="'cost' must hold numbers") as caught:
        to_numbers(pd.Series(["low", 1], dtype=object), "cost")
    assert "tidy" not in str(caught.value)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.to_datetime(["2024-01-01"])),
        pd.Series([1j]),
        pd.Series([[1]], dtype=object),
        pd.Series(pd.to_timedelta(["1s"])),
    ],
    ids=["datetime", "complex", "list", "timedelta"],
)
def test_what_is_neither_number_nor_text_is_refused(column):
    with pytest.raises(FrameError, match="'score' must hold numbers or booleans, found"):
        to_numbers(column, "score")


def test_the_column_is_not_changed():
    numbers = pd.Series([2, True], dtype=object)
    to_numbers(numbers, "score")
    assert numbers.tolist() == [2, True]


@pytest.mark.parametrize(
    ("labels", "worth"),
    [
        (["pass", "fail"], "{'fail': 0, 'pass': 1}"),
        (["True", "False"], "{'False': 0, 'True': 1}"),
        (["yes", "no"], "{'no': 0, 'yes': 1}"),
        (["good", "bad"], "{'bad': ..., 'good': ...}"),
        (["0.5", "n/a"], "{'0.5': ..., 'n/a': ...}"),
    ],
)
def test_no_label_is_given_a_worth_that_it_may_not_have(labels, worth):
    with pytest.raises(FrameError) as caught:
        to_numbers(pd.Series(labels), "score")
    assert f"df.evals.tidy(value_map={worth})" in str(caught.value)


@pytest.mark.parametrize("numbers", [[0.0, 1e100, -1e-300], [np.nan, 0.0], [], [-1e-100, 1e-300]])
def test_numbers_whose_squares_can_be_held_are_in_reach(numbers):
    column = np.array(numbers, dtype=np.float64)
    assert in_reach(column, "score") is column


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([1.0, -2e100, np.nan, 5e200], r"at most 1e.100 in size, found -2e.100 in 2 rows .*: 1, 3"),
        ([0.0, np.nan, -3e-101], r"at least 1e-100 in size, found -3e-101 in 1 row .*: 2\)"),
    ],
)
def test_numbers_out_of_reach_are_refused_with_their_rows_and_a_unit(numbers, words):
    with pytest.raises(FrameError, match=words) as caught:
        in_reach(np.array(numbers), "cost")
    assert f"df.assign(cost=df['cost'] / {np.nanmax(np.abs(numbers)):g})" in str(caught.value)
