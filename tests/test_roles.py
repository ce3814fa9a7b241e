import re

import every_method
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import evalframe as ef
from evalframe.errors import RoleError
from evalframe.roles import COLUMN, METRIC, check_names, metric_name, need, rename

FRAME = pd.DataFrame({"question_id": [1], "model": ["a"], "scores": [1.0], "answer": ["x"]})


def test_roles_have_their_documented_columns():
    assert COLUMN == {
        "item": "item_id",
        "arm": "arm",
        "seed": "seed",
        "score": "score",
        "cluster": "cluster_id",
        "tokens": "n_output_tokens",
        "hit_cap": "hit_cap",
        "prompt_hash": "prompt_hash",
        "text": "output",
        "split": "split",
    }
    assert [METRIC[column] for column in COLUMN.values()] == list(COLUMN)
    assert len(METRIC) == len(COLUMN)


@pytest.mark.parametrize(
    ("column", "metric"),
    [("n_output_tokens", "tokens"), ("score", "score"), ("cost_usd", "cost_usd")],
)
def test_a_metric_is_named_by_its_role_where_it_plays_one(column, metric):
    assert metric_name(column) == metric


def test_named_columns_get_their_roles_names_and_others_stay():
    before = FRAME.copy(deep=True)
    named = rename(FRAME, {"item": "question_id", "arm": "model", "score": "scores", "seed": None})
    assert list(named.columns) == ["item_id", "arm", "score", "answer"]
    assert_frame_equal(FRAME, before)


def test_canonical_names_may_be_named():
    frame = FRAME.rename(columns={"scores": "score"})
    assert list(rename(frame, {"score": "score"}).columns) == list(frame.columns)


def test_two_columns_may_exchange_their_roles():
    frame = pd.DataFrame({"item_id": [1], "cluster_id": [2]})
    named = rename(frame, {"item": "cluster_id", "cluster": "item_id"})
    assert named.to_dict("list") == {"cluster_id": [1], "item_id": [2]}


def test_a_named_column_that_is_not_there_is_refused_with_all_others():
    with pytest.raises(RoleError, match="2 needed columns not found") as caught:
        rename(FRAME, {"item": "question", "score": "grade"})
    message = str(caught.value)
    assert "item: no column 'question'" in message
    assert "did you mean 'question_id'?" in message
    assert "score: no column 'grade'" in message
    assert "The frame has: question_id, model, scores, answer." in message
    assert message.endswith("Give each role the name of a column the frame has.")


def test_one_column_cannot_play_two_roles():
    with pytest.raises(RoleError, match=r"'model' is named as arm and as split") as caught:
        rename(FRAME, {"arm": "model", "split": "model"})
    assert "df.assign(split=df['model'])" in str(caught.value)


def test_a_column_that_would_hide_another_is_refused_naming_both():
    frame = FRAME.assign(score=0.5)
    with pytest.raises(
        RoleError, match=r"score='scores' would become the column 'score'"
    ) as caught:
        rename(frame, {"score": "scores"})
    assert "df.drop(columns='score')" in str(caught.value)


def test_wanted_columns_that_are_there_raise_nothing():
    need(FRAME, {"item": "question_id", "by='model'": "model"})
    need(FRAME, {})


def test_missing_columns_are_one_error_that_says_what_to_type():
    with pytest.raises(RoleError) as caught:
        need(FRAME, {"item": "item_id", "score": "score"})
    assert str(caught.value) == (
        "2 needed columns not found:\n"
        "  - item: no column 'item_id' (one question; the unit that was sampled)\n"
        "  - score: no column 'score' (the grade, higher is better; 0 or 1 for McNemar); "
        "did you mean 'scores'?\n"
        "The frame has: question_id, model, scores, answer.\n"
        'Name them once, for example: df.evals.tidy(item="YOUR_COLUMN", score="scores"). '
        'If each row is an item of its own: df.reset_index(names="item_id").'
    )


def test_a_missing_column_without_a_role_needs_no_tidy():
    with pytest.raises(RoleError, match="by='task': no column 'task'") as caught:
        need(FRAME, {"by='task'": "task"})
    assert "tidy" not in str(caught.value)
    assert str(caught.value).startswith("1 needed column not found:")


def test_a_frame_without_columns_says_so():
    with pytest.raises(RoleError, match="The frame has: no columns"):
        need(pd.DataFrame(), {"item": "item_id"})


def test_column_names_that_are_not_text_do_not_break_the_message():
    with pytest.raises(RoleError, match="The frame has: 0, 1"):
        need(pd.DataFrame([[1, 2]]), {"item": "item_id"})


@pytest.mark.parametrize("frame", [None, [1, 2], {"item_id": [1]}, pd.Series([1])])
def test_anything_but_a_frame_is_a_type_error(frame):
    with pytest.raises(TypeError, match="wanted a DataFrame of evaluation records, found"):
        check_names(frame)


def test_names_used_twice_are_refused():
    frame = pd.DataFrame([[1, 2, 3]], columns=["score", "item_id", "score"])
    with pytest.raises(RoleError, match=r"unique, found more than one of: 'score'.*duplicated\(\)"):
        check_names(frame)


def test_names_of_two_levels_are_refused():
    frame = pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")]))
    with pytest.raises(RoleError, match=r"plain, found 2 levels \(first column: \('a', 'b'\)\)"):
        check_names(frame)


METHODS = {
    "score": ef.score,
    "compare": lambda frame: ef.compare(frame, "base"),
    "mcnemar": lambda frame: ef.mcnemar(frame, "base"),
    "tidy": ef.tidy,
}


@pytest.mark.parametrize("method", METHODS)
def test_no_columns_at_all_is_a_clear_error(method):
    with pytest.raises(RoleError, match=r"(?s)item: no column 'item_id'.*no columns.*tidy\(item="):
        METHODS[method](pd.DataFrame())


@pytest.mark.parametrize("method", METHODS)
def test_a_missing_item_column_offers_the_row_number(method):
    df = every_method.runs()[["score", "task"]].iloc[:3]
    advice = 'df.reset_index(names="item_id")'
    with pytest.raises(RoleError, match=rf"(?s)no column 'item_id'.*{re.escape(advice)}"):
        METHODS[method](df)
    assert ef.score(eval(advice))["n_items"].tolist() == [3]


@pytest.mark.parametrize("method", ["score", "compare", "mcnemar"])
def test_every_missing_column_is_named_at_once_with_the_call_that_names_them(method):
    df = every_method.runs().rename(columns={"item_id": "question_item", "score": "scores"})
    lines = r"(?s)2 needed columns.*item: no column 'item_id'.*score: no column 'score'.*'scores'"
    said = r'.*tidy\(item="question_item", score="scores"\)'
    with pytest.raises(RoleError, match=lines + said):
        METHODS[method](df)


@pytest.mark.parametrize("argument", ["by", "value"])
def test_a_missing_by_or_value_column_is_named_with_what_there_is(argument):
    said = r"(?s)no column 'tasks'.*did you mean 'task'.*The frame has"
    with pytest.raises(RoleError, match=said):
        ef.score(every_method.runs(), **{argument: "tasks"})
