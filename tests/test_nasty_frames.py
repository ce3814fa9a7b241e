"""Frames without rows, with odd columns, or that are no frames."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

from evalframe import EvalFrameError, RoleError, compare, mcnemar, results, score, tidy

METHODS = {
    "score": score,
    "compare": lambda frame: compare(frame, "base"),
    "mcnemar": lambda frame: mcnemar(frame, "base"),
    "tidy": tidy,
}
MEASURES = {
    "score": lambda frame, **options: score(frame, **options),
    "compare": lambda frame, **options: compare(frame, "base", **options),
    "mcnemar": lambda frame, **options: mcnemar(frame, "base", **options),
}


def runs():
    """Return 4 items by 2 arms by 2 seeds, with every column that a method reads."""
    frame = pd.DataFrame(
        [(f"q{i}", arm, seed) for arm in ("base", "edit") for i in range(4) for seed in (0, 1)],
        columns=["item_id", "arm", "seed"],
    )
    return frame.assign(
        score=[1.0, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0],
        cluster_id=frame["item_id"].map({"q0": "a", "q1": "a", "q2": "b", "q3": "c"}),
        n_output_tokens=[5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2],
        hit_cap=[False, True] * 8,
        prompt_hash=frame["item_id"].map("hash of {}".format),
        task=frame["item_id"].map({"q0": "x", "q1": "x", "q2": "y", "q3": "y"}),
        output="text",
        extra=[{"nested": [1]}] * 16,
    )


EMPTY = {
    "rows taken away": runs().iloc[:0],
    "object columns": pd.DataFrame({name: pd.Series([], dtype=object) for name in runs()}),
    "no dtype": pd.DataFrame(columns=["item_id", "arm", "score"]),
    "no arm": pd.DataFrame({"item_id": [1], "score": [1.0]}).iloc[:0],
    "categories": runs().astype(dict.fromkeys(["item_id", "arm", "seed"], "category")).iloc[:0],
    "nullable": runs().drop(columns="extra").convert_dtypes().iloc[:0],
    "arrow": runs().drop(columns="extra").convert_dtypes(dtype_backend="pyarrow").iloc[:0],
    "datetimes": runs().assign(item_id=pd.Timestamp("2024")).iloc[:0],
}


def kinds(frame, table):
    """Return the columns of a result with their kinds, without what `by` and labels add."""
    kinds = {column: frame[column].dtype for column in frame.columns}
    known = {**results.TABLES[table], **results.FLOOR}
    return [(column, kind) for column, kind in kinds.items() if known.get(column) != "label"]


@pytest.mark.parametrize("name", EMPTY)
@pytest.mark.parametrize("method", MEASURES)
def test_0_rows_give_0_rows_with_the_columns_and_dtypes_of_any_result(method, name):
    result = MEASURES[method](EMPTY[name])
    expected = MEASURES[method](runs())
    assert len(result) == 0
    assert list(result.columns) == list(expected.columns)
    assert kinds(result, method) == kinds(expected, method)
    assert isinstance(result.index, pd.RangeIndex)


@pytest.mark.parametrize("missing", ["raise", "drop", "zero"])
@pytest.mark.parametrize("by", ["task", ["task", "lang"]])
@pytest.mark.parametrize("method", MEASURES)
def test_0_rows_keep_the_by_columns(method, by, missing):
    frame = runs().assign(lang="en")
    result = MEASURES[method](frame.iloc[:0], by=by, missing=missing)
    expected = MEASURES[method](frame, by=by, missing=missing)
    assert len(result) == 0
    assert list(result.columns) == list(expected.columns)


@pytest.mark.parametrize("value", ["score", "tokens", ["score", "tokens", "hit_cap"], None])
@pytest.mark.parametrize("interval", ["normal", "t"])
def test_0_rows_compare_to_0_rows_whatever_the_arguments(value, interval):
    for floor in (None, "rerun"):
        result = compare(runs().iloc[:0], "base", value=value, interval=interval, floor=floor)
        assert len(result) == 0
        assert ("exceeds" in result) == (floor is not None)


@pytest.mark.parametrize("name", EMPTY)
def test_0_rows_are_tidy(name):
    result = tidy(EMPTY[name])
    assert len(result) == 0
    assert list(result.columns) == list(EMPTY[name].columns)
    assert result["score"].dtype == "float64"


@pytest.mark.parametrize("method", METHODS)
def test_no_columns_at_all_is_a_clear_error(method):
    with pytest.raises(RoleError, match=r"(?s)item: no column 'item_id'.*no columns.*tidy\(item="):
        METHODS[method](pd.DataFrame())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("column", ["score", "item_id", "extra"])
def test_two_columns_of_one_name_are_refused_by_name(method, column):
    frame = pd.concat([runs(), runs()[[column]]], axis=1)
    advice = re.escape("df.loc[:, ~df.columns.duplicated()]")
    with pytest.raises(RoleError, match=f"column names must be unique.*'{column}'.*{advice}"):
        METHODS[method](frame)
    assert len(METHODS[method](frame.loc[:, ~frame.columns.duplicated()])) > 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rows", [16, 0])
def test_columns_of_two_levels_are_refused_as_that(method, rows):
    frame = runs().iloc[:rows]
    frame.columns = pd.MultiIndex.from_product([["run"], frame.columns])
    with pytest.raises(RoleError, match=r"2 levels \(first column: \('run', 'item_id'\)\).*join"):
        METHODS[method](frame)


@pytest.mark.parametrize("function", [tidy, lambda x: compare(x, "b"), lambda x: mcnemar(x, "b")])
@pytest.mark.parametrize(
    "wrong", [[1, 0], np.ones(3), pd.Series([1]), {"score": [1]}, None, "runs.jsonl"]
)
def test_what_is_no_frame_is_refused_by_its_type(function, wrong):
    with pytest.raises((TypeError, EvalFrameError), match=f"DataFrame.*{type(wrong).__name__}"):
        function(wrong)


@pytest.mark.parametrize("function", [tidy, score, lambda x: compare(x, "b")])
def test_a_frame_of_another_library_is_refused_by_its_type(function):
    table = pa.table({"item_id": ["q"], "score": [1.0]})
    with pytest.raises((TypeError, EvalFrameError), match=r"DataFrame.*Table"):
        function(table)


@pytest.mark.parametrize("method", METHODS)
def test_a_missing_item_column_offers_the_row_number(method):
    df = runs().drop(columns=["item_id", "seed", "arm"]).iloc[:3]
    advice = 'df.reset_index(names="item_id")'
    with pytest.raises(RoleError, match=rf"(?s)no column 'item_id'.*{re.escape(advice)}"):
        METHODS[method](df)
    assert score(eval(advice))["n_items"].tolist() == [3]


@pytest.mark.parametrize("method", ["score", "compare", "mcnemar"])
def test_every_missing_column_is_named_at_once_with_the_call_that_names_them(method):
    df = runs().rename(columns={"item_id": "question_item", "score": "scores"})
    lines = r"(?s)2 needed columns.*item: no column 'item_id'.*score: no column 'score'.*'scores'"
    with pytest.raises(
        RoleError, match=rf"{lines}.*tidy\(item=\"question_item\", score=\"scores\"\)"
    ):
        METHODS[method](df)


@pytest.mark.parametrize("method", MEASURES)
@pytest.mark.parametrize("argument", ["by", "value"])
def test_a_missing_by_or_value_column_is_named_with_what_there_is(method, argument):
    with pytest.raises(
        RoleError, match=r"(?s)no column 'tasks'.*did you mean 'task'.*The frame has"
    ):
        MEASURES[method](runs(), **{argument: "tasks"})


@pytest.mark.parametrize("method", MEASURES)
@pytest.mark.parametrize("argument", ["by", "value"])
@pytest.mark.parametrize("wrong", [3, 1.5, True])
def test_a_by_or_value_that_is_no_name_is_refused_by_name(method, argument, wrong):
    with pytest.raises((TypeError, ValueError), match=rf"(?s)\b{argument}\b.*{wrong}"):
        MEASURES[method](runs(), **{argument: wrong})


@pytest.mark.parametrize("method", MEASURES)
@pytest.mark.parametrize("column", ["metric", "note"])
def test_by_cannot_be_a_column_of_the_result(method, column):
    with pytest.raises(RoleError, match=rf"by cannot name '{column}'.*df\.rename\(columns="):
        MEASURES[method](runs().assign(metric="m", note="n"), by=column)


@pytest.mark.parametrize("method", MEASURES)
def test_by_names_a_column_once(method):
    with pytest.raises(RoleError, match=r"by must name each column once.*'task', 'task'"):
        MEASURES[method](runs(), by=["task", "task"])


@pytest.mark.parametrize("method", MEASURES)
@pytest.mark.parametrize("by", [[], (), None])
def test_by_of_nothing_is_no_by(method, by):
    assert_frame_equal(MEASURES[method](runs(), by=by), MEASURES[method](runs()))


@pytest.mark.parametrize("method", METHODS)
def test_a_subclass_of_dataframe_is_a_frame(method):
    class Records(pd.DataFrame):
        @property
        def _constructor(self):
            return Records

    result = METHODS[method](Records(runs()))
    if method != "tidy":
        assert type(result) is pd.DataFrame
    assert_frame_equal(pd.DataFrame(result), METHODS[method](runs()))


@pytest.mark.parametrize("method", MEASURES)
def test_columns_that_no_role_needs_do_not_matter(method):
    odd = runs().assign(
        note=np.nan, index=0, level_0=1, unit="u", group=None, key=[[1]] * 16, segment=pd.NaT
    )
    odd[0], odd[None], odd[("a", "b")], odd[1.5] = 1, 2, 3, 4
    assert_frame_equal(MEASURES[method](odd), MEASURES[method](runs()), check_exact=True)


@pytest.mark.parametrize("method", MEASURES)
@pytest.mark.parametrize(
    "name", ["unit", "key", "group", "row", "index", "level_0", "evals", "a b", "é"]
)
def test_by_may_have_any_name(method, name):
    frame = runs().rename(columns={"task": name})
    expected = MEASURES[method](runs(), by="task").rename(columns={"task": name})
    assert_frame_equal(MEASURES[method](frame, by=name), expected)
