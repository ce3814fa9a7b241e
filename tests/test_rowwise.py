"""`tidy` and `style`, which give back the rows of the frame, crossed with what can reach them.

A row is what it is alone: order, labels, other columns and other rows change nothing of it.
"""

import numpy as np
import pandas as pd
import pytest
from awkward import REFUSED, SAME
from every_method import runs
from pandas.testing import assert_frame_equal
from test_laws import OTHER_TYPES

import evalframe as ef
from evalframe import EvalFrameError

KEYS = ["item_id", "arm", "seed", "split", "cluster_id"]
METRICS = ["text_length", "function_words", "n_output_tokens", {"own.length": len}]
ROWWISE = {
    "tidy": lambda frame, **options: ef.tidy(frame, **options),
    "tidy, worth": lambda frame, **options: ef.tidy(
        frame, **{"value_map": {0: 0, 1: 1}, **options}
    ),
    "style": lambda frame, **options: ef.style(frame, **{"metrics": METRICS, **options}),
}
ONE_RUN = "a row needs no other row"
NOT_READ = "it reads labels and texts alone"
# What each takes, and why.
TAKEN = {
    "tidy": {
        "another prompt": ONE_RUN,
        "an arm that is not there": ONE_RUN,
        "items that an arm lacks": ONE_RUN,
        "runs that an arm lacks": ONE_RUN,
    },
    "style": {
        "no item column": "a text is all that it needs",
        "a key twice": ONE_RUN,
        "a key twice, of two filters": ONE_RUN,
        "an infinite score": NOT_READ,
        "scores as text": NOT_READ,
        "scores as digits in text": NOT_READ,
        "a cluster that changes inside an item": NOT_READ,
        "a cluster in some rows only": NOT_READ,
    },
}
TAKEN["style"] |= TAKEN["tidy"]
CROSSED = [(name, row) for name in ROWWISE for row in REFUSED]


def taken(name, row):
    return row in TAKEN[name.partition(",")[0]]


def plain(result, columns=None):
    """Return the rows without their index, and without a column that plays no role."""
    found = pd.DataFrame(result).set_flags(allows_duplicate_labels=True)
    found = found.set_axis(list(result.columns), axis=1).reset_index(drop=True)
    found = found.drop(columns="passed", errors="ignore")
    return found if columns is None else found[columns].set_axis(columns, axis=1)


def clean(name):
    return plain(ROWWISE[name](runs()))


@pytest.mark.parametrize("row", [row for row in SAME if row != "shuffled rows"])
@pytest.mark.parametrize("name", ROWWISE)
def test_clean_under_another_dress(name, row):
    frame = SAME[row](runs())
    result = ROWWISE[name](frame)
    found, expected = plain(result, list(clean(name))), clean(name)
    numbers = ["score", "n_output_tokens", "text_length.log_words", "own.length"]
    numbers = [column for column in numbers if column in found]
    assert_frame_equal(found[numbers], expected[numbers], check_exact=True)
    # What plays no role keeps its dtype.
    assert_frame_equal(found, expected, check_exact=True, check_dtype=False)
    if name != "style":
        assert result.index.equals(frame.index)


@pytest.mark.parametrize(("name", "row"), [one for one in CROSSED if not taken(*one)])
def test_refused_in_words(name, row):
    change, words = REFUSED[row]
    with pytest.raises(EvalFrameError, match=rf"{words}|value_map must hold every label of column"):
        ROWWISE[name](change(runs()))


@pytest.mark.parametrize(("name", "row"), [one for one in CROSSED if taken(*one)])
def test_what_is_no_fault_of_a_row_is_taken(name, row):
    frame = REFUSED[row][0](runs())
    assert len(ROWWISE[name](frame)) == len(frame)


@pytest.mark.parametrize("name", ROWWISE)
def test_rows_have_alone_and_in_another_order_what_they_have_together(name):
    order = np.random.default_rng(1).permutation(len(runs()))[:50]
    result = ROWWISE[name](runs().iloc[order].assign(extra="?"))
    expected = clean(name).iloc[order].reset_index(drop=True)
    assert_frame_equal(plain(result, list(expected)), expected, check_exact=True)


@pytest.mark.parametrize("kind", OTHER_TYPES)
@pytest.mark.parametrize("name", ROWWISE)
def test_ids_of_other_types_change_nothing_else(name, kind):
    ids = ["item_id", "seed", "cluster_id"]
    other = runs().assign(**{column: OTHER_TYPES[kind](runs()[column]) for column in ids})
    numbers = [column for column in clean(name) if column not in KEYS]
    assert_frame_equal(plain(ROWWISE[name](other), numbers), clean(name)[numbers], check_exact=True)


@pytest.mark.parametrize("name", ROWWISE)
@pytest.mark.parametrize("dress", ["one label for all rows", "read-only arrays"])
def test_the_input_is_not_changed_and_the_result_can_be(name, dress):
    frame = SAME[dress](runs())
    frame.attrs["mine"] = 1
    before = frame.copy(deep=True)
    result = ROWWISE[name](frame)
    result.iloc[:, :] = result.iloc[::-1].to_numpy()
    assert_frame_equal(frame, before, check_exact=True)
    assert frame.attrs == before.attrs


@pytest.mark.parametrize("rows", [0, 1, len(runs())])
@pytest.mark.parametrize("name", ROWWISE)
def test_columns_and_dtypes_do_not_depend_on_the_rows_and_parquet_keeps_them(name, rows, tmp_path):
    result = ROWWISE[name](runs().iloc[:rows])
    assert result.dtypes.equals(ROWWISE[name](runs()).dtypes)
    ef.write_parquet(result, tmp_path / "rows.parquet")
    back = ef.read_parquet(tmp_path / "rows.parquet")
    assert_frame_equal(back, result, check_exact=True)
    assert back.attrs == result.attrs


@pytest.mark.parametrize("name", ROWWISE)
def test_an_option_that_is_not_there_is_a_type_error(name):
    with pytest.raises(TypeError, match="unexpected keyword argument 'clusters'"):
        ROWWISE[name](runs(), clusters=True)


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA, pd.NaT], ids=repr)
def test_a_missing_number_is_nan_whatever_it_is_written_as(missing):
    columns = ["score", "n_output_tokens"]
    frame = runs().astype(dict.fromkeys(columns, object))
    frame.loc[[3, 8], columns] = missing
    for name in ROWWISE:
        result = ROWWISE[name](frame)
        for column in set(columns) & set(result):
            assert result.index[result[column].isna()].tolist() == [3, 8]
            assert result[column].dtype == np.float64
