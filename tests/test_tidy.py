from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from evalframe import compare, score, tidy
from evalframe.errors import FrameError, RoleError

RAW = pd.DataFrame(
    {
        "question": ["007", "8", "007", "8"],
        "model": ["b", "b", "a", "a"],
        "grade": ["C", "I", None, "C"],
        "passage": [1, 2, 1, 2],
        "length": [10, 20, 30, 40],
        "note": list("wxyz"),
    }
)
NAMES = {"item": "question", "arm": "model", "score": "grade", "cluster": "passage"}
WORTH = {"C": 1, "I": 0}


def test_columns_get_canonical_names_and_the_rest_stays():
    frame = tidy(RAW, **NAMES, tokens="length", value_map=WORTH)
    assert list(frame.columns) == [
        *("item_id", "arm", "score", "cluster_id", "n_output_tokens", "note")
    ]
    assert frame["item_id"].tolist() == RAW["question"].tolist()
    assert frame["note"].tolist() == list("wxyz")
    assert frame["score"].tolist()[:2] == [1, 0]
    assert np.isnan(frame["score"][2])


def test_every_method_reads_a_tidy_frame():
    frame = tidy(RAW.dropna(), item="question", arm="model", score="grade", value_map=WORTH)
    assert score(frame)["estimate"].tolist() == [1, 0.5]
    assert compare(frame, "b", missing="drop")["n_items"].item() == 1


def test_a_tidy_frame_stays_as_it_is():
    frame = tidy(RAW, **NAMES, value_map=WORTH)
    assert_frame_equal(tidy(frame), frame)


def test_the_input_is_not_changed_and_the_index_is_kept():
    frame = RAW.set_axis([3, 3, 1, 0])
    before = frame.copy(deep=True)
    result = tidy(frame, **NAMES, value_map=WORTH)
    assert_frame_equal(frame, before)
    assert result.index.tolist() == [3, 3, 1, 0]
    assert result.loc[1, "item_id"] == "007"
    assert result.loc[1, "arm"] == "a"


def test_changing_the_result_leaves_the_input_alone():
    frame = pd.DataFrame({"item_id": [1, 2], "score": [0.5, 1.0]})
    result = tidy(frame)
    result.loc[0, "score"] = 9
    assert frame["score"].tolist() == [0.5, 1]


@pytest.mark.parametrize(
    ("grades", "numbers"),
    [
        ([True, False], [1, 0]),
        ([Decimal("0.5"), Decimal(1)], [0.5, 1]),
        (pd.array([1, None], dtype="Int64"), [1, np.nan]),
        (pd.array([True, None], dtype="boolean"), [1, np.nan]),
        (pd.array([0.5, None], dtype="double[pyarrow]"), [0.5, np.nan]),
    ],
    ids=["bool", "Decimal", "Int64", "boolean", "arrow"],
)
def test_grades_and_lengths_become_float64(grades, numbers):
    frame = pd.DataFrame({"item_id": [1, 2], "score": grades, "n_output_tokens": grades})
    result = tidy(frame)
    for column in ("score", "n_output_tokens"):
        assert result[column].dtype == np.float64
        np.testing.assert_array_equal(result[column], numbers)


@pytest.mark.parametrize(
    ("flags", "dtype"),
    [
        ([True, False], "bool"),
        ([1, 0], "bool"),
        ([1.0, None], "boolean"),
        ([True, None], "boolean"),
    ],
)
def test_flags_become_bool_or_boolean_where_some_are_missing(flags, dtype):
    result = tidy(pd.DataFrame({"item_id": [1, 2], "hit_cap": pd.Series(flags, dtype=object)}))
    assert result["hit_cap"].dtype == dtype
    assert result["hit_cap"].isna().tolist() == [flag is None for flag in flags]
    assert bool(result["hit_cap"][0])


def test_a_flag_that_is_neither_true_nor_false_is_refused():
    frame = pd.DataFrame({"item_id": [1, 2, 3], "hit_cap": [0, 2, 1]})
    with pytest.raises(FrameError, match=r"'hit_cap' must hold true or false.*1 row .*: 1\)"):
        tidy(frame)


@pytest.mark.parametrize(
    ("ids", "dtype"),
    [
        (pd.Series(["a", "b"], dtype=object), pd.Series(["a"], dtype=str).dtype),
        (pd.Series(["a", "b"], dtype="string[pyarrow]"), pd.Series(["a"], dtype=str).dtype),
        (pd.Series([1, 2], dtype="Int64"), np.dtype("int64")),
        (pd.Series([1.0, 2.0]), np.dtype("int64")),
        (pd.Series([1, 2], dtype="int8"), np.dtype("int64")),
        (pd.Series([True, False]), np.dtype("bool")),
    ],
    ids=["object", "string", "Int64", "float", "int8", "bool"],
)
def test_ids_become_str_int64_or_bool(ids, dtype):
    result = tidy(pd.DataFrame({"item_id": ids, "arm": ids, "seed": ids, "cluster_id": ids}))
    for column in ("item_id", "arm", "seed", "cluster_id"):
        assert result[column].dtype == dtype
        assert result[column].tolist() == ids.tolist()


def test_a_category_keeps_its_order_and_loses_what_is_not_used():
    arms = pd.Categorical(["z", "a"], categories=["q", "z", "a"])
    result = tidy(pd.DataFrame({"item_id": [1, 1], "arm": arms}))
    assert result["arm"].tolist() == ["z", "a"]
    assert result["arm"].cat.categories.tolist() == ["z", "a"]


def test_a_column_without_any_label_is_as_good_as_absent_only_for_clusters():
    frame = pd.DataFrame({"item_id": [1, 2], "score": [1, 0], "cluster_id": [None, None]})
    assert not score(tidy(frame))["clustered"].item()
    with pytest.raises(FrameError, match="'seed' must have a label in every row"):
        tidy(frame.assign(seed=None))


def test_a_label_without_a_worth_is_refused_with_all_others():
    with pytest.raises(FrameError, match="value_map must hold every label of column 'score'") as e:
        tidy(RAW.assign(grade=["C", "P", "N", "I"]), **NAMES, value_map=WORTH)
    assert "'N', 'P'" in str(e.value)
    assert "'C', 'I'" in str(e.value)


def test_a_worth_needs_a_score_column():
    with pytest.raises(RoleError, match="no column 'score'"):
        tidy(pd.DataFrame({"item_id": [1]}), value_map=WORTH)


def test_text_grades_are_never_guessed():
    with pytest.raises(FrameError, match=r"value_map=\{'C': 1, 'I': 0\}"):
        tidy(RAW, **NAMES)
    with pytest.raises(FrameError, match="'score' must hold numbers"):
        tidy(RAW.assign(grade="0.5"), **NAMES)


def test_booleans_may_be_mapped_too():
    frame = pd.DataFrame({"item_id": [1, 2], "score": [True, False]})
    assert tidy(frame, value_map={True: 0, False: 1})["score"].tolist() == [0, 1]


def test_only_an_item_is_required():
    assert list(tidy(pd.DataFrame({"item_id": [1]})).columns) == ["item_id"]
    with pytest.raises(RoleError, match="no column 'item_id'") as caught:
        tidy(pd.DataFrame({"qid": [1]}))
    assert 'df.reset_index(names="item_id")' in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"question": ["a", "a", "a", "b"], "model": "m"}, "must be unique, found 3 rows"),
        ({"question": [1, "1", 2, 3]}, "'item_id' must hold labels of one type"),
        ({"question": [1, None, 2, 3]}, "'item_id' must have a label in every row"),
        ({"passage": [1, 2, 3, 2]}, "'cluster_id' must be the same in all rows of an item"),
        ({"passage": [1, 2, 1, None]}, "'cluster_id' must have a label in every row"),
        ({"grade": [1, 0, np.inf, 1]}, "'score' must hold finite numbers"),
    ],
)
def test_faults_of_the_values_are_refused(change, message):
    frame = RAW.assign(grade=[1, 0, 1, 1]).assign(**change)
    with pytest.raises(FrameError, match=message):
        tidy(frame, **NAMES)


def test_a_column_named_evals_is_still_a_column():
    frame = pd.DataFrame({"item_id": [1], "evals": [5]})
    assert tidy(frame)["evals"].tolist() == [5]


@pytest.mark.parametrize("argument", ["question", "clusters"])
def test_an_unknown_role_is_a_type_error(argument):
    with pytest.raises(TypeError, match=argument):
        tidy(RAW, **{argument: "question"})


def test_no_rows_are_tidy():
    result = tidy(RAW.head(0), **NAMES, value_map=WORTH)
    assert list(result.columns) == ["item_id", "arm", "score", "cluster_id", "length", "note"]
    assert len(result) == 0
    assert result["score"].dtype == np.float64


def test_items_numbered_anew_in_each_task_are_tidy_within_it():
    raw = pd.DataFrame({"q": [1, 2, 1, 2], "task": list("aabb"), "right": [1, 0, 1, 1]})
    with pytest.raises(FrameError, match="by='task'"):
        raw.evals.tidy(item="q", score="right")
    found = raw.evals.tidy(item="q", score="right", by="task")
    assert found.evals.score(by="task")["estimate"].tolist() == [0.5, 1.0]
    assert raw.evals.tidy(item="q", score="right", by=["task"]).equals(found)
    for wrong in (3, "nowhere", {}):
        with pytest.raises(RoleError, match="by="):
            raw.evals.tidy(item="q", score="right", by=wrong)


def test_a_number_beside_labels_is_worth_itself():
    frame = pd.DataFrame({"item_id": [1, 2, 3], "score": [1, "C", 0.5]})
    assert tidy(frame, value_map={"C": 0.25})["score"].tolist() == [1.0, 0.25, 0.5]


def test_a_map_of_numbers_must_have_every_number():
    frame = pd.DataFrame({"item_id": [1, 2, 3], "score": [1, 2, 3]})
    with pytest.raises(FrameError, match="found 1 without a value: 3; it has 1, 2"):
        tidy(frame, value_map={1: 0.0, 2: 0.5})
