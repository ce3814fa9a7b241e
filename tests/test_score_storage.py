"""Scores of every storage, missing ones, infinite ones, and text."""

import datetime as dt
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

from evalframe import FrameError, compare, score, tidy

NAN = float("nan")
RIGHT = [1, 0, 0, 1, 1, 0, 1, 1]
# Other methods read numbers as score does: test_misuse.py.
METHODS = {"score": score, "tidy": tidy}
INT_KINDS = [
    "int8", "uint8", "int64", "uint64", "Int8", "UInt64", "Int64", "int8[pyarrow]",
    "uint64[pyarrow]", "int64[pyarrow]",
]  # fmt: skip
FLOAT_KINDS = [
    "float16", "float32", "float64", "longdouble", "Float32", "Float64", "float[pyarrow]",
    "double[pyarrow]",
]  # fmt: skip
BOOL_KINDS = ["bool", "boolean", "bool[pyarrow]"]


def runs(scores):
    """Return 4 items by 2 arms with 8 scores."""
    return pd.DataFrame(
        {"item_id": ["q1", "q2", "q3", "q4"] * 2, "arm": ["base"] * 4 + ["edit"] * 4}
    ).assign(score=scores)


def arrow(values, kind=None):
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.array(values, kind)))


def objects(values):
    return pd.Series(values, dtype=object)


STORED = {
    **{kind: pd.Series(RIGHT, dtype=kind) for kind in INT_KINDS + FLOAT_KINDS},
    **{kind: pd.Series([bool(x) for x in RIGHT], dtype=kind) for kind in BOOL_KINDS},
    "object of int": objects(RIGHT),
    "object of float": objects([float(x) for x in RIGHT]),
    "object of bool": objects([bool(x) for x in RIGHT]),
    "object of numpy scalars": objects([
        kind(x) for kind, x in zip(
            [np.float32, np.int8, np.bool_, np.float64, int, bool, float, np.uint64], RIGHT,
            strict=True,
        )
    ]),
    "object of Decimal": objects([Decimal(x) for x in RIGHT]),
    "object of Fraction": objects([Fraction(x) for x in RIGHT]),
    "object of Decimal and int": objects([Decimal(1), 0, Decimal(0), 1, 1, 0, 1, 1]),
    "arrow decimal": arrow([Decimal(x) for x in RIGHT], pa.decimal128(5, 2)),
    "arrow half": arrow(np.array(RIGHT, dtype=np.float16)),
    "arrow dictionary": pd.Series(
        pd.arrays.ArrowExtensionArray(pa.array(RIGHT).dictionary_encode())
    ),
    "category of int": pd.Series(RIGHT).astype("category"),
    "category of bool": pd.Series([bool(x) for x in RIGHT]).astype("category"),
    "category backwards": pd.Series(pd.Categorical(RIGHT, categories=[2, 1, 0], ordered=True)),
    "sparse": pd.Series(pd.arrays.SparseArray([float(x) for x in RIGHT])),
}  # fmt: skip


@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize("method", METHODS)
def test_scores_of_any_storage_give_the_same_numbers(name, method):
    expected = METHODS[method](runs([float(x) for x in RIGHT]))
    assert_frame_equal(METHODS[method](runs(STORED[name])), expected, check_exact=True)


GAPS = {
    **{f"object with {gap!r}": objects([1, gap, 0]) for gap in (None, NAN, pd.NA, pd.NaT)},
    "object of bool with None": objects([True, None, False]),
    "object of Decimal NaN": objects([Decimal(1), Decimal("NaN"), Decimal(0)]),
    **{kind: pd.Series([1, None, 0], dtype=kind) for kind in INT_KINDS[4:] + FLOAT_KINDS},
    **{kind: pd.Series([True, None, False], dtype=kind) for kind in BOOL_KINDS[1:]},
    "NaN in double[pyarrow]": arrow([1.0, NAN, 0.0]),
    "NaN in Float64": pd.Series(pd.arrays.FloatingArray(
        np.array([1.0, NAN, 0.0]), np.array([False, False, False])
    )),
    "arrow decimal": arrow([Decimal(1), None, Decimal(0)]),
    "arrow dictionary": pd.Series(
        pd.arrays.ArrowExtensionArray(pa.array([1, None, 0]).dictionary_encode())
    ),
    "category of int": pd.Series(pd.Categorical([1, None, 0], categories=[0, 1])),
    "category of bool": objects([True, None, False]).astype("category"),
    "category of Int64": pd.Series([1, None, 0], dtype="Int64").astype("category"),
    "category of float": pd.Series([1.0, NAN, 0.0]).astype("category"),
    "sparse": pd.Series(pd.arrays.SparseArray([1.0, NAN, 0.0])),
}  # fmt: skip


@pytest.mark.parametrize("name", GAPS)
def test_a_missing_score_of_any_storage_is_left_out_and_counted(name):
    result = score(pd.DataFrame({"item_id": [1, 2, 3], "score": GAPS[name]}))
    shown = result[["estimate", "n_items", "n_responses", "n_missing", "n_items_missing"]]
    assert shown.values.tolist() == [[0.5, 2, 2, 1, 1]]


@pytest.mark.parametrize("name", GAPS)
def test_tidy_makes_a_missing_score_of_any_storage_nan(name):
    column = tidy(pd.DataFrame({"item_id": [1, 2, 3], "score": GAPS[name]}))["score"]
    assert column.dtype == "float64"
    assert column.isna().tolist() == [False, True, False]


@pytest.mark.parametrize(
    "column",
    [
        arrow([1.0, None, NAN, 0.0]),
        pd.Series(
            pd.arrays.FloatingArray(np.array([1, NAN, 0, 0]), np.array([0, 0, 1, 0], dtype=bool))
        ),
        objects([1, NAN, pd.NA, 0]),
    ],
    ids=["double[pyarrow]", "Float64", "object"],
)
def test_nan_and_na_in_one_column_are_both_missing(column):
    frame = pd.DataFrame({"item_id": [1, 2, 3, 4], "score": column})
    assert score(frame)[["estimate", "n_missing"]].values.tolist() == [[0.5, 2]]
    assert tidy(frame)["score"].isna().tolist() == [False, True, True, False]


NO_SCORE = {
    "NaN": pd.Series([NAN] * 8),
    "None": objects([None] * 8),
    "Int64": pd.Series([None] * 8, dtype="Int64"),
    "boolean": pd.Series([None] * 8, dtype="boolean"),
    "string": pd.Series([None] * 8, dtype="string"),
    "str": pd.Series([None] * 8, dtype="str"),
    "NaT": pd.Series([pd.NaT] * 8),
    "category": pd.Series(pd.Categorical([None] * 8)),
    "double[pyarrow]": pd.Series([None] * 8, dtype="double[pyarrow]"),
    "arrow null": arrow([None] * 8, pa.null()),
}


@pytest.mark.parametrize("name", NO_SCORE)
def test_a_column_without_any_score_gives_nan_and_says_so(name):
    result = score(runs(NO_SCORE[name]))
    assert result[["estimate", "se", "conf_low", "conf_high"]].isna().all(axis=None)
    assert result[["n_items", "n_missing", "n_items_missing"]].values.tolist() == [[0, 4, 4]] * 2
    assert result["note"].str.contains("no item has a score").all()


@pytest.mark.parametrize("name", NO_SCORE)
def test_a_column_without_any_score_is_refused_where_arms_are_compared(name):
    with pytest.raises(FrameError, match=r"column 'score'.*none in 8 rows.*missing=\"drop\""):
        compare(runs(NO_SCORE[name]), "base")


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
@pytest.mark.parametrize(
    "kind", ["float64", "float32", "Float64", "double[pyarrow]", object, "category", "decimal"]
)
@pytest.mark.parametrize("method", METHODS)
def test_infinite_scores_are_refused_with_their_rows(infinite, kind, method):
    scores = [1.0, 0.0, infinite, 1.0, 0.0, infinite, 1.0, 1.0]
    column = objects([Decimal(x) for x in scores]) if kind == "decimal" else pd.Series(scores)
    frame = runs(column if kind == "decimal" else column.astype(kind))
    frame.index = [5] * 8
    found = re.escape("infinite one in 2 rows (counted from 0: 2, 5)")
    with pytest.raises(FrameError, match=rf"column 'score'.*{found}.*df\.replace\(\{{'score'"):
        METHODS[method](frame)


TEXT = {
    "object": object,
    "str": "str",
    "string[python]": "string[python]",
    "string[pyarrow]": "string[pyarrow]",
    "arrow string": pd.ArrowDtype(pa.string()),
    "large_string": pd.ArrowDtype(pa.large_string()),
    "dictionary": pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())),
    "category": "category",
}


def text(labels, name):
    """Return 8 labels as a column of text."""
    labels = (labels * 8)[:8]
    if name == "dictionary":
        return pd.Series(pd.arrays.ArrowExtensionArray(pa.array(labels).dictionary_encode()))
    return pd.Series(labels, dtype=TEXT[name])


@pytest.mark.parametrize("name", TEXT)
@pytest.mark.parametrize("method", METHODS)
def test_letter_grades_are_refused_and_the_advice_works(name, method):
    df = runs(text(["C", "I"], name))
    advice = "df.evals.tidy(value_map={'C': 1, 'I': 0})"
    with pytest.raises(FrameError, match=f"column 'score'.*'C', 'I'.*{re.escape(advice)}"):
        METHODS[method](df)
    expected = METHODS[method](runs([1.0, 0.0] * 4))
    assert_frame_equal(METHODS[method](eval(advice)), expected, check_exact=True)


@pytest.mark.parametrize("name", TEXT)
@pytest.mark.parametrize("method", METHODS)
def test_numbers_written_as_text_are_refused_and_the_advice_works(name, method):
    df = runs(text(["0.5", "1"], name))
    advice = "df.assign(score=df['score'].astype(float))"
    with pytest.raises(FrameError, match=f"column 'score'.*'0.5', '1'.*{re.escape(advice)}"):
        METHODS[method](df)
    assert score(eval(advice))["estimate"].tolist() == [0.75, 0.75]


@pytest.mark.parametrize("method", METHODS)
def test_some_numbers_written_as_text_are_not_given_other_worths(method):
    df = runs(objects(["1", 1.0, "0", 0.0] * 2))
    advice = "df.assign(score=df['score'].astype(float))"
    with pytest.raises(FrameError, match=f"column 'score'.*'0', '1'.*{re.escape(advice)}"):
        METHODS[method](df)
    assert score(eval(advice))["estimate"].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("labels", [["pass", "fail"], ["yes", 1.0], ["C", None, "N"], ["", "A"]])
@pytest.mark.parametrize("method", METHODS)
def test_text_is_never_guessed(labels, method):
    texts = sorted(label for label in labels if isinstance(label, str))
    shown = re.escape(", ".join(map(repr, texts)))
    with pytest.raises(FrameError, match=rf"'score'.*found text.*{shown}.*tidy\(value_map="):
        METHODS[method](runs(text(labels, "object")))


def test_text_in_another_column_of_numbers_names_that_column():
    frame = runs(RIGHT).assign(grade=["A", "B"] * 4)
    with pytest.raises(FrameError, match=r"column 'grade'.*'A', 'B'.*df\.replace\(\{'grade'"):
        score(frame, value="grade")


WRONG = {
    "complex": pd.Series([1j] * 8),
    "object of complex": objects([1j] * 8),
    "datetimes": pd.Series([pd.Timestamp("2024")] * 8),
    "datetimes with zone": pd.Series([pd.Timestamp("2024", tz="UTC")] * 8),
    "arrow datetimes": arrow([dt.datetime(2024, 1, 1)] * 8),
    "timedeltas": pd.Series([pd.Timedelta(1)] * 8),
    "object of timedeltas": objects([dt.timedelta(1)] * 8),
    "periods": pd.Series(pd.period_range("2024", periods=8, freq="D")),
    "intervals": pd.Series(pd.interval_range(0, 8)),
    "lists": objects([[1]] * 8),
    "arrow lists": arrow([[1]] * 8),
    "dicts": objects([{"value": 1}] * 8),
    "arrow structs": arrow([{"value": 1}] * 8),
    "bytes": objects([b"1"] * 8),
    "arrow binary": arrow([b"1"] * 8),
    "arrays": objects([np.array([1.0])] * 8),
    "numbers and a dict": objects([1, {"value": 1}] * 4),
    "numbers and a list": objects([1.0, [1.0]] * 4),
    "numbers and a datetime": objects([1.0, pd.Timestamp("2024")] * 4),
    "a category of datetimes": pd.Series([pd.Timestamp("2024")] * 8).astype("category"),
    "a category of intervals": pd.Series(pd.cut(range(8), 2)),
    "an integer beyond floats": objects([10**400] * 8),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("method", METHODS)
def test_scores_that_are_no_numbers_are_refused(name, method):
    with pytest.raises(FrameError, match="column 'score' must hold"):
        METHODS[method](runs(WRONG[name]))


@pytest.mark.parametrize("name", ["numbers and a dict", "numbers and a list"])
def test_the_value_that_is_no_number_is_the_one_shown(name):
    value = re.escape(repr(WRONG[name][1]))
    with pytest.raises(FrameError, match=f"column 'score'.*{value}"):
        score(runs(WRONG[name]))
