import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalframe.errors import FrameError, rows_text
from evalframe.labels import complete, to_codes

TEXT = {
    "object": pd.Series(["b", "a", "b"], dtype=object),
    "str": pd.Series(["b", "a", "b"], dtype=str),
    "string[python]": pd.Series(["b", "a", "b"], dtype="string[python]"),
    "string[pyarrow]": pd.Series(["b", "a", "b"], dtype="string[pyarrow]"),
    "arrow string": pd.Series(["b", "a", "b"], dtype=pd.ArrowDtype(pa.string())),
    "arrow large_string": pd.Series(["b", "a", "b"], dtype=pd.ArrowDtype(pa.large_string())),
    "arrow dictionary": pd.Series(
        ["b", "a", "b"], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
    ),
}
INTEGERS = {
    **{name: pd.Series([9, 7, 9], dtype=name) for name in ("int64", "int8", "uint16", "Int64")},
    "whole floats": pd.Series([9.0, 7.0, 9.0]),
    "object": pd.Series([9, 7, 9], dtype=object),
    "arrow": pd.Series([9, 7, 9], dtype="int64[pyarrow]"),
}


@pytest.mark.parametrize("name", TEXT)
@pytest.mark.parametrize("sort", [True, False])
def test_text_of_every_storage_has_the_same_labels(name, sort):
    found = to_codes(TEXT[name], "item_id", sort=sort)
    assert found.labels.tolist() == (["a", "b"] if sort else ["b", "a"])
    assert found.labels.dtype == pd.Index(["a"], dtype=str).dtype
    assert found.codes.dtype == np.int64
    assert found.labels.take(found.codes).tolist() == ["b", "a", "b"]


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_of_every_storage_have_the_same_labels(name):
    found = to_codes(INTEGERS[name], "item_id", sort=True)
    assert found.labels.dtype == np.int64
    assert found.labels.tolist() == [7, 9]
    assert found.codes.tolist() == [1, 0, 1]


# pandas 2 takes text to end at its first NUL.
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4), max_size=12
    )
)
def test_labels_are_never_changed(labels):
    found = to_codes(pd.Series(labels, dtype=object), "item_id", sort=True)
    assert found.labels.take(found.codes).tolist() == labels
    assert found.labels.tolist() == sorted(set(labels))


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=12))
def test_large_integers_are_exact(labels):
    found = to_codes(pd.Series(labels, dtype=np.int64), "item_id", sort=True)
    assert found.labels.take(found.codes).tolist() == labels
    assert found.labels.tolist() == sorted(set(labels))


def test_text_of_digits_stays_text():
    found = to_codes(pd.Series(["007", "7", "1e5", "nan"]), "item_id", sort=True)
    assert found.labels.tolist() == ["007", "1e5", "7", "nan"]


def test_booleans_and_datetimes_are_labels():
    flags = to_codes(pd.Series([True, False]), "arm", sort=True)
    assert flags.labels.tolist() == [False, True]
    assert flags.labels.dtype == np.bool_
    days = pd.Series(pd.to_datetime(["2024-01-02", "2024-01-01"]))
    found = to_codes(days, "arm", sort=True)
    assert found.labels.take(found.codes).tolist() == days.tolist()
    assert found.labels.dtype.kind == "M"


def test_categories_keep_their_order_and_lose_those_not_used():
    column = pd.Series(["b", "a", "b"], dtype=pd.CategoricalDtype(["c", "b", "z", "a"]))
    for sort in (True, False):
        found = to_codes(column, "arm", sort=sort)
        assert found.labels.tolist() == ["b", "a"]
        assert list(found.labels.categories) == ["b", "a"]
        assert found.codes.tolist() == [0, 1, 0]


def test_a_missing_label_has_code_minus_1_and_is_no_label():
    for column in (
        pd.Series(["b", None, "a"], dtype=object),
        pd.Series([2, None, 1], dtype="Int64"),
        pd.Series([2.0, None, 1.0]),
        pd.Series(["b", None, "a"], dtype=pd.CategoricalDtype(["a", "b"])),
    ):
        found = to_codes(column, "item_id", sort=True)
        assert found.codes.tolist() == [1, -1, 0]
        assert len(found.labels) == 2


def test_missing_labels_are_refused_where_every_row_needs_one():
    found = to_codes(pd.Series(["b", None, "a", None]), "item_id", sort=True)
    with pytest.raises(FrameError, match=r"'item_id' .* 2 rows \(counted from 0: 1, 3\)") as caught:
        complete(found, "item_id")
    assert "df.dropna(subset=['item_id'])" in str(caught.value)


def test_complete_labels_are_returned_as_they_are():
    for labels in (["b", "a"], []):
        found = to_codes(pd.Series(labels, dtype=object), "item_id", sort=True)
        assert complete(found, "item_id") is found


@pytest.mark.parametrize("fractions", [True, False])
def test_fractions_are_labels_only_where_they_may_be(fractions):
    column = pd.Series([0.7, 0.0, 0.7])
    if fractions:
        found = to_codes(column, "temperature", sort=True, fractions=True)
        assert found.labels.tolist() == [0, 0.7]
        assert found.labels.dtype == np.float64
    else:
        with pytest.raises(FrameError, match="'item_id' must hold labels of one type"):
            to_codes(column, "item_id", sort=True)


@pytest.mark.parametrize(
    "labels",
    [
        [7, "7"],
        [1, "1.0"],
        [True, 1],
        [True, "True"],
        [1.5, 2],
        [(1, 2), (1, 3)],
        [[1], [2]],
        [b"a", b"b"],
        [float("inf"), 1.0],
        [2.0**53, 2.0**53 + 2],
        [frozenset([1])],
        [1j],
    ],
    ids=str,
)
def test_labels_of_other_types_or_of_more_than_one_are_refused(labels):
    column = pd.Series(labels, dtype=object).set_axis([5] * len(labels))
    with pytest.raises(FrameError, match="'item_id' must hold labels of one type") as caught:
        to_codes(column, "item_id", sort=False)
    assert "df.assign(item_id=df['item_id'].map(str))" in str(caught.value)


def test_both_types_of_a_mixed_column_are_shown_with_their_rows():
    with pytest.raises(FrameError, match=r"int \(7 in row 0\) and str \('7' in row 2\)"):
        to_codes(pd.Series([7, 8, "7"], dtype=object), "item_id", sort=False)


@pytest.mark.parametrize(
    "column",
    [pd.Series([2**63], dtype="uint64"), pd.Series([2**70, 1], dtype=object)],
    ids=["uint64", "object"],
)
def test_an_integer_beyond_64_bits_is_refused(column):
    with pytest.raises(FrameError, match=r"'item_id' .* 64 bits.*map\(str\)"):
        to_codes(column, "item_id", sort=True)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([3], "1 row (counted from 0: 3)"),
        ([0, 1_234], "2 rows (counted from 0: 0, 1,234)"),
        (range(2_000), "2,000 rows (counted from 0: 0, 1, 2, 3, 4, ...)"),
    ],
)
def test_rows_are_counted_and_the_first_shown(rows, text):
    assert rows_text(np.array(rows)) == text


def test_the_column_is_not_changed():
    column = pd.Series(["b", "a"], dtype=object)
    to_codes(column, "item_id", sort=True)
    assert column.tolist() == ["b", "a"]
