"""Names and values given to `tidy` that are wrong, and what it does to dtypes."""

import re
from types import MappingProxyType

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

from evalframe import FrameError, RoleError, compare, score, tidy


def runs(**columns):
    frame = {"item_id": ["q1", "q2"] * 2, "arm": ["base"] * 2 + ["edit"] * 2, "score": [1, 0, 1, 1]}
    return pd.DataFrame(frame).assign(**columns)


NAMES = {
    "item": "item_id", "arm": "arm", "seed": "seed", "score": "score", "cluster": "cluster_id",
    "tokens": "n_output_tokens", "hit_cap": "hit_cap", "prompt_hash": "prompt_hash",
    "text": "output", "split": "split",
}  # fmt: skip


@pytest.mark.parametrize("role", NAMES)
def test_every_role_can_be_named(role):
    column = NAMES[role]
    # Four items, so that no key repeats whatever the column holds.
    values = [1, 2, 3, 4] if role == "item" else [True, False, False, True]
    frame = runs().assign(item_id=range(4)).assign(**{column: values})
    renamed = frame.rename(columns={column: "mine"})
    expected = tidy(frame)
    assert_frame_equal(tidy(renamed, **{role: "mine"}), expected, check_exact=True)
    assert list(renamed.columns) == [name if name != column else "mine" for name in frame]


def test_a_renamed_column_keeps_its_place_and_the_others_stay():
    frame = runs(extra=1).rename(columns={"arm": "model"})
    assert list(tidy(frame, arm="model").columns) == ["item_id", "arm", "score", "extra"]


@pytest.mark.parametrize("role", ["item", "score", "arm"])
def test_a_name_that_would_hide_a_column_is_refused_naming_both(role):
    frame = runs(other=[1, 2, 3, 4])
    column = NAMES[role]
    with pytest.raises(RoleError, match=rf"{role}='other'.*'{column}', which.*df\.drop\(columns="):
        tidy(frame, **{role: "other"})
    assert tidy(frame.drop(columns=column), **{role: "other"})[column].tolist() == [1, 2, 3, 4]


def test_two_names_can_change_places():
    swapped = runs().rename(columns={"item_id": "arm", "arm": "item_id"})
    assert_frame_equal(tidy(swapped, item="arm", arm="item_id"), tidy(runs()), check_exact=True)


def test_a_column_that_plays_its_own_role_may_be_named():
    assert_frame_equal(tidy(runs(), item="item_id", arm="arm"), tidy(runs()), check_exact=True)


def test_one_column_cannot_play_two_roles():
    frame = runs().rename(columns={"arm": "model"})
    with pytest.raises(RoleError, match=r"two roles: 'model'.*df\.assign\("):
        tidy(frame, arm="model", cluster="model")


@pytest.mark.parametrize("role", NAMES)
def test_a_named_column_that_is_not_there_is_refused_with_those_that_are(role):
    with pytest.raises(RoleError, match=rf"(?s){role}: no column 'nothing'.*item_id, arm, score"):
        tidy(runs(), **{role: "nothing"})


def test_every_named_column_that_is_not_there_is_in_one_error():
    with pytest.raises(
        RoleError, match=r"(?s)2 needed columns.*item: .*'questions'.*arm: .*'models'"
    ):
        tidy(runs().rename(columns={"item_id": "question"}), item="questions", arm="models")


def test_an_item_is_all_that_is_needed():
    frame = pd.DataFrame({"item_id": [2, 1]})
    assert_frame_equal(tidy(frame), frame)


def test_tidy_twice_is_tidy_once():
    frame = runs(
        score=pd.Series([1, None, 0, 1], dtype="Int64"),
        seed=pd.Series([0, 0, 0, 0], dtype="category"),
        hit_cap=pd.Series([1, 0, None, 1], dtype="object"),
        cluster_id=pd.Series(["a", "b"] * 2, dtype=pd.ArrowDtype(pa.string())),
    )
    once = tidy(frame)
    assert_frame_equal(tidy(once), once, check_exact=True)
    assert once.index.equals(frame.index)


@pytest.mark.parametrize(
    ("flags", "dtype"),
    [
        ([True, False, True, False], "bool"),
        ([1, 0, 1, 0], "bool"),
        (pd.Series([1.0, 0.0, 1.0, 0.0]), "bool"),
        (pd.Series([True, False, True, False], dtype="bool[pyarrow]"), "bool"),
        ([True, None, True, False], "boolean"),
        (pd.Series([1, None, 1, 0], dtype="Int64"), "boolean"),
        (pd.Series([1.0, np.nan, 1.0, 0.0]), "boolean"),
    ],
)
def test_hit_cap_becomes_true_or_false(flags, dtype):
    column = tidy(runs(hit_cap=flags))["hit_cap"]
    assert column.dtype == dtype
    assert column.iloc[[0, 2, 3]].tolist() == [True, True, False]


@pytest.mark.parametrize("wrong", [2, 0.5, -1])
@pytest.mark.parametrize("kind", ["float64", "Float64", "object", "double[pyarrow]"])
def test_hit_cap_of_other_numbers_is_refused(wrong, kind):
    flags = pd.Series([1, 0, wrong, 1]).astype(kind)
    with pytest.raises(FrameError, match=r"column 'hit_cap'.*1 row \(counted from 0: 2\).*> 0"):
        tidy(runs(hit_cap=flags))


def test_hit_cap_of_text_is_refused():
    with pytest.raises(FrameError, match=r"column 'hit_cap'.*'no', 'yes'.*df\.replace"):
        tidy(runs(hit_cap=["yes", "no"] * 2))


@pytest.mark.parametrize(
    "value_map",
    [{"C": 1, "I": 0}, MappingProxyType({"C": 1, "I": 0, "P": 0.5}), {"I": False, "C": True}],
)
@pytest.mark.parametrize(
    "kind",
    [object, "str", "string[python]", "string[pyarrow]", "category", pd.ArrowDtype(pa.string())],
)
def test_a_value_map_says_what_labels_are_worth(kind, value_map):
    frame = runs(score=pd.Series(["C", "I", None, "C"], dtype=kind))
    column = tidy(frame, value_map=value_map)["score"]
    assert column.dtype == "float64"
    assert column.tolist()[:2] == [1, 0]
    assert column.isna().tolist() == [False, False, True, False]


def test_a_value_map_goes_with_a_named_score():
    frame = runs(score=["A", "B", "C", "A"]).rename(columns={"score": "grade"})
    tidied = tidy(frame, score="grade", value_map={"A": 4, "B": 3, "C": 2})
    assert compare(tidied, "base")["diff"].tolist() == [-0.5]


@pytest.mark.parametrize("kind", [object, "category"])
def test_a_value_map_may_map_numbers_and_booleans(kind):
    grades = runs(score=pd.Series([1, 2, 3, 2]).astype(kind))
    assert tidy(grades, value_map={1: 0, 2: 0.5, 3: 1})["score"].tolist() == [0, 0.5, 1, 0.5]
    flags = runs(score=pd.Series([True, False, True, True]).astype(kind))
    assert tidy(flags, value_map={True: 0, False: 1})["score"].tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("kind", [object, "str", "category", "string[pyarrow]"])
def test_a_label_without_a_value_is_refused_and_named(kind):
    frame = runs(score=pd.Series(["C", "N", "P", "C"]).astype(kind))
    with pytest.raises(FrameError, match=r"value_map must hold every label.*'N', 'P'.*'C', 'I'"):
        tidy(frame, value_map={"C": 1, "I": 0})


def test_an_empty_value_map_maps_nothing():
    with pytest.raises(FrameError, match=r"value_map must hold every label.*'C'"):
        tidy(runs(score="C"), value_map={})


@pytest.mark.parametrize("worth", ["one", None, [1], float("inf"), 1j])
def test_a_label_must_be_worth_a_finite_number(worth):
    """None is no number either: a label that is worth nothing known is left out of the frame."""
    with pytest.raises((FrameError, TypeError, ValueError), match=r"value_map|'score'") as caught:
        score(tidy(runs(score="C"), value_map={"C": worth}), missing="raise")
    assert "could not convert" not in str(caught.value)


@pytest.mark.parametrize("score", [[["C"]] * 4, [{"grade": 1}] * 4])
def test_labels_that_no_map_can_hold_are_refused(score):
    with pytest.raises(FrameError, match="'score'"):
        tidy(runs().assign(score=score), value_map={"C": 1})


def test_a_value_map_without_a_score_column_is_refused():
    with pytest.raises(RoleError, match=r"(?s)no column 'score'.*tidy\(score="):
        tidy(runs().drop(columns="score"), value_map={"C": 1})


@pytest.mark.parametrize("column", ["score", "n_output_tokens"])
@pytest.mark.parametrize("kind", ["int8", "bool", "Int64", "float32", "object", "double[pyarrow]"])
def test_scores_and_tokens_become_float64(column, kind):
    tidied = tidy(runs(**{column: pd.Series([1, 0, 1, 1]).astype(kind)}))
    assert tidied[column].dtype == "float64"
    assert tidied[column].tolist() == [1, 0, 1, 1]


def test_columns_without_a_role_keep_their_dtype_and_their_values():
    extra = {
        "nested": [{"a": [1]}] * 4,
        "when": pd.Series(pd.date_range("2024", periods=4, tz="UTC")),
        "kind": pd.Categorical(["x", "y"] * 2, categories=["y", "x", "z"]),
        "count": pd.Series([1, None, 2, 3], dtype="Int8"),
        "arrow": pd.Series([1.5, None, 2, 3], dtype="double[pyarrow]"),
        "text": pd.Series(["a", None] * 2, dtype="string"),
    }
    frame = runs(**extra)
    assert_frame_equal(tidy(frame)[list(extra)], frame[list(extra)], check_exact=True)


def test_text_and_split_are_kept_as_they_are():
    frame = runs(output=["", None, "  ", "text"], split=["train", "eval"] * 2)
    columns = ["output", "split"]
    assert_frame_equal(tidy(frame)[columns], frame[columns])


def test_ids_that_only_spell_alike_stay_apart():
    frame = pd.DataFrame({"item_id": ["é", "e\u0301", "A", "a", " a", "a "], "score": 1.0})
    assert tidy(frame)["item_id"].nunique() == 6
    assert score(frame)["n_items"].tolist() == [6]


@pytest.mark.parametrize("option", [{"item": 3}, {"item": ["item_id"]}, {"score": ("score",)}])
def test_a_role_is_named_by_one_label(option):
    """A name that the frame has not is refused as such, whatever its type."""
    with pytest.raises(RoleError, match=re.escape(repr(next(iter(option.values()))))):
        tidy(runs(), **option)
