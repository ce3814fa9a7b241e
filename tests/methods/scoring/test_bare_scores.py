"""Scores without a frame: lists, arrays and Series, and what is none of them."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

from evalframe import FrameError, score

NAN = float("nan")
BARE = {
    "list": [1, 0, 1, 1],
    "list of bool": [True, False, True, True],
    "list of numpy scalars": [np.int8(1), np.float32(0), np.bool_(True), 1],
    "list of Decimal": [Decimal(1), Decimal(0), Decimal(1), Decimal(1)],
    "tuple": (1, 0, 1, 1),
    "array": np.array([1.0, 0.0, 1.0, 1.0]),
    "int8 array": np.array([1, 0, 1, 1], dtype=np.int8),
    "bool array": np.array([True, False, True, True]),
    "object array": np.array([1, 0, 1, 1], dtype=object),
    "every second of an array": np.array([1, 9, 0, 9, 1, 9, 1, 9.0])[::2],
    "big-endian array": np.array([1, 0, 1, 1], dtype=">f8"),
    "read-only array": np.frombuffer(np.array([1.0, 0.0, 1.0, 1.0]).tobytes()),
    "Series": pd.Series([1, 0, 1, 1]),
    "Series with one label": pd.Series([1, 0, 1, 1], index=["a"] * 4, name="evals"),
    "Series with two levels": pd.Series([1, 0, 1, 1], pd.MultiIndex.from_product([[0, 1], [0, 1]])),
    "Series of category": pd.Series([1, 0, 1, 1]).astype("category"),
    "Index": pd.Index([1, 0, 1, 1]),
    "extension array": pd.array([1, 0, 1, 1], dtype="Int64"),
    "arrow array": pa.array([1, 0, 1, 1]),
}


@pytest.mark.parametrize("name", BARE)
def test_bare_scores_are_one_arm_with_an_item_each(name):
    frame = pd.DataFrame({"item_id": range(4), "score": [1.0, 0.0, 1.0, 1.0]})
    assert_frame_equal(score(BARE[name]), score(frame), check_exact=True)


@pytest.mark.parametrize(
    "scores",
    [
        [1, None, 1],
        [1, NAN, 1],
        [True, pd.NA, True],
        np.array([1, NAN, 1]),
        pd.Series([1, None, 1], dtype="Int64"),
        pd.array([True, None, True], dtype="boolean"),
        pa.array([1, None, 1]),
        np.ma.array([1.0, 0.0, 1.0], mask=[False, True, False]),
    ],
    ids=lambda scores: type(scores).__name__,
)
def test_a_bare_score_that_is_missing_is_counted(scores):
    result = score(scores)
    assert result[["estimate", "n_items", "n_missing"]].values.tolist() == [[1, 2, 1]]


@pytest.mark.parametrize(
    "scores",
    [
        "0.5", b"01", 1.0, None, np.array(1.0), np.ones((2, 2)), [[1, 0], [0, 1]], [[1], [0, 1]],
        {"a": 1}, {1, 0}, (x for x in [1, 0]), np.ones((1, 4)), [pd.Series([1, 0])],
    ],
    ids=lambda scores: repr(scores)[:20],
)  # fmt: skip
def test_what_is_no_flat_sequence_of_scores_is_refused(scores):
    with pytest.raises(FrameError, match="wanted a DataFrame or a flat sequence of scores, found"):
        score(scores)


def test_an_array_of_records_is_refused():
    records = np.array([(1.0, 2.0)], dtype=[("a", float), ("b", float)])
    with pytest.raises(FrameError, match=r"wanted a DataFrame or a flat|must hold numbers"):
        score(records)


@pytest.mark.parametrize("scores", [["C", "I"], np.array(["0.5", "1"]), pd.Series(["C", "I"])])
def test_bare_text_is_refused(scores):
    with pytest.raises(FrameError, match="must hold numbers or booleans, found text in 2 of 2"):
        score(scores)


def test_a_bare_list_with_one_text_names_that_text_alone():
    with pytest.raises(FrameError, match="found text in 1 of 3 rows, 1 different: 'C';"):
        score([1, "C", 0])


@pytest.mark.parametrize("scores", [[], (), np.array([]), pd.Series([], dtype=float), pa.array([])])
def test_no_bare_score_is_no_zero(scores):
    result = score(scores)
    assert (result["n_items"] == 0).all()
    assert result["estimate"].isna().all()
