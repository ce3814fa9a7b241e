"""check: every fault as a row, none raised, and what it calls an error is what methods refuse."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import evalframe
from evalframe import EvalFrameError, check, compare, score
from evalframe.methods.faults import OFTEN
from evalframe.results import DTYPE, TABLES


def runs(n=100, arms=("base", "edit")):
    """Return n items by two arms that have nothing to say about."""
    frame = pd.DataFrame([(i, arm) for arm in arms for i in range(n)], columns=["item_id", "arm"])
    return frame.assign(
        seed=0,
        score=(np.arange(len(frame)) * 7 % 3 == 0).astype(float),
        cluster_id=frame["item_id"],
        n_output_tokens=np.arange(len(frame)),
        hit_cap=False,
        prompt_hash=frame["item_id"].map("hash {}".format),
    )


def put(frame, column, row, value):
    """Return the frame with one cell changed."""
    cells = frame[column].astype(object).tolist()
    cells[row] = value
    return frame.assign(**{column: pd.Series(cells, dtype=object)})


def found(frame):
    return list(check(frame)[["severity", "column"]].itertuples(index=False, name=None))


def test_a_sound_frame_has_no_rows_and_the_columns_of_the_table():
    result = check(runs())
    assert len(result) == 0
    assert list(result.columns) == list(TABLES["check"])
    assert [result[column].dtype for column in result] == [
        pd.Series([], dtype=DTYPE[kind]).dtype for kind in TABLES["check"].values()
    ]


FAULTS = {
    "no item": (runs().drop(columns="item_id"), "error", "item_id", "no column 'item_id'"),
    "no score": (runs().drop(columns="score"), "error", "score", "no column 'score'"),
    "text score": (runs().assign(score="C"), "error", "score", "text in 200 of 200 rows"),
    "infinite score": (put(runs(), "score", 3, np.inf), "error", "score", "an infinite one in 1"),
    "text tokens": (runs().assign(n_output_tokens="x"), "error", "n_output_tokens", "text"),
    "no id": (put(runs(), "item_id", 3, None), "error", "item_id", "none in 1 row"),
    "mixed ids": (put(runs(), "item_id", 3, "3"), "error", "item_id", "int .* and str"),
    "list ids": (put(runs(), "item_id", 3, [3]), "error", "item_id", "list"),
    "no arm": (put(runs(), "arm", 3, None), "error", "arm", "none in 1 row"),
    "no seed": (put(runs(), "seed", 3, None), "error", "seed", "none in 1 row"),
    "some clusters": (put(runs(), "cluster_id", 3, None), "error", "cluster_id", "none in 1 row"),
    "cluster varies": (put(runs(), "cluster_id", 3, 99), "error", "cluster_id", "more than one"),
    "list prompts": (put(runs(), "prompt_hash", 3, [1]), "error", "prompt_hash", "list"),
    "other prompt": (put(runs(), "prompt_hash", 3, "x"), "error", "prompt_hash", "another prompt"),
    "key twice": (pd.concat([runs(), runs().head(1)]), "error", "item_id", "2 rows that share"),
    "two columns": (
        pd.concat([runs(), runs()["score"]], axis=1),
        "error",
        "score",
        "more than one",
    ),
    "levels": (pd.concat({"x": runs()}, axis=1), "error", "", "2 levels"),
    "disjoint": (
        runs().assign(item_id=range(200), cluster_id=range(200)),
        "error",
        "item_id",
        "none shared with the baseline 'base' by 'edit'",
    ),
    "missing score": (put(runs(), "score", 3, None), "warning", "score", "none in 1 row"),
    "missing tokens": (put(runs(), "n_output_tokens", 3, None), "warning", "n_output_tokens", "no"),
    "unpaired": (runs().head(199), "warning", "item_id", "arm 'edit' lacks 1 key"),
    "few items": (runs(99).drop(columns="cluster_id"), "warning", "item_id", "only 99 items"),
    "few clusters": (
        runs().assign(cluster_id=[*range(50)] * 4),
        "warning",
        "cluster_id",
        "only 50",
    ),
    "one cluster": (runs().assign(cluster_id=1), "warning", "cluster_id", "1 cluster: no standard"),
    "one item": (runs(1).drop(columns="cluster_id"), "warning", "item_id", "1 item: no standard"),
    "no spread": (runs().assign(score=1), "warning", "score", "no spread"),
    "no score in an arm": (
        runs().assign(score=[1, 0] * 50 + [None] * 100),
        "warning",
        "score",
        "no item has a score",
    ),
    "caps": (runs().assign(hit_cap=[True, *[False] * 9] * 20), "warning", "hit_cap", r"10\.0%"),
    "caps not flags": (runs().assign(hit_cap=512), "error", "hit_cap", "512 in 200 rows"),
    "no rows": (runs().head(0), "warning", "", "no rows"),
}


@pytest.mark.parametrize(("frame", "severity", "column", "fault"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_a_row_with_what_to_type(frame, severity, column, fault):
    result = check(frame)
    rows = result[(result["severity"] == severity) & (result["column"] == column)]
    assert rows["fault"].str.contains(fault).any(), result.to_dict("records")
    assert (result["remedy"] != "").all()
    assert (result["severity"] == "error").any() == (severity == "error")


def test_all_faults_are_found_and_errors_come_first():
    frame = put(put(runs(), "item_id", 3, "3"), "score", 5, "C").assign(hit_cap=512)
    assert found(frame.drop(columns="n_output_tokens")) == [
        ("error", "item_id"),
        ("error", "score"),
        ("error", "hit_cap"),
    ]


def test_clusters_of_very_unequal_size_are_a_warning():
    uneven = [0] * 400 + list(range(1, 101))
    frame = runs(500).assign(cluster_id=uneven * 2)
    (fault,) = check(frame)["fault"]
    assert fault.startswith("101 clusters of very unequal size: the largest has 400 of 500 items")
    even = runs(500).assign(cluster_id=[i % 101 for i in range(500)] * 2)
    assert found(even) == []


def test_a_cap_that_is_hit_seldom_is_none():
    seldom = [True] * int(100 * OFTEN) + [False] * (100 - int(100 * OFTEN))
    assert found(runs().assign(hit_cap=seldom * 2)) == []


def suite():
    """Return two tasks whose item ids both start at 0, and whose clusters do."""
    first = runs()
    second = first.assign(cluster_id=first["item_id"] + 1000, score=1 - first["score"])
    both = pd.concat([first.assign(task="a"), second.assign(task="b")], ignore_index=True)
    return both.assign(prompt_hash=both["task"] + both["prompt_hash"])


def test_ids_that_start_anew_in_each_task_are_sound_by_task():
    assert ("error", "item_id") in found(suite())
    assert len(check(suite(), by="task")) == 0
    assert len(check(suite().assign(year=1), by=["task", "year"])) == 0
    assert len(evalframe.compare(suite(), "base", by="task", n_boot=2)) == 6


BY_TASK = {
    "no column": (suite().drop(columns="task"), "error", "task", "no column 'task'"),
    "no label": (put(suite(), "task", 3, None), "error", "task", "none in 1 row"),
    "list labels": (put(suite(), "task", 3, ["a"]), "error", "task", "list"),
    "cluster varies": (put(suite(), "cluster_id", 3, 9), "error", "cluster_id", "more than one in"),
    "key twice": (pd.concat([suite(), suite().head(1)]), "error", "item_id", "2 rows that share"),
    "other prompt": (put(suite(), "prompt_hash", 3, "x"), "error", "prompt_hash", "another prompt"),
    "unpaired": (suite().iloc[:-1], "warning", "item_id", "arm 'edit' lacks 1 key.*task='b'"),
    "few items": (suite().iloc[:201].drop(columns="cluster_id"), "warning", "item_id", "1 item"),
}


@pytest.mark.parametrize(("frame", "severity", "column", "fault"), BY_TASK.values(), ids=BY_TASK)
def test_a_fault_inside_a_group_is_a_row(frame, severity, column, fault):
    result = check(frame, by="task")
    rows = result[(result["severity"] == severity) & (result["column"] == column)]
    assert rows["fault"].str.contains(fault).any(), result.to_dict("records")
    assert (result["severity"] == "error").any() == (severity == "error")


def test_the_first_weak_arm_is_named_with_its_group():
    frame = suite().assign(score=lambda f: f["score"].where(f["task"] == "a", 1.0))
    (row,) = check(frame, by="task").to_dict("records")
    assert (row["count"], row["first"]) == (2, "task='b', arm 'base'")


def test_another_column_than_the_score_is_looked_at_by_value():
    frame = runs().rename(columns={"score": "grade"})
    assert found(frame) == [("error", "score")]
    assert len(check(frame, value="grade")) == 0
    assert len(check(frame, value=["grade", "tokens"])) == 0
    for wrong, fault in (("C", "text in 200 of 200 rows"), (1, "no spread"), (None, "none in 200")):
        result = check(frame.assign(grade=wrong), value="grade")
        assert result.loc[result["column"] == "grade", "fault"].str.contains(fault).any()
    with pytest.raises(evalframe.RoleError, match="value must name each column once"):
        check(frame, value=["grade", "grade"])
    absent = check(frame, value="cost_usd").iloc[0]
    assert (absent["severity"], absent["column"]) == ("error", "cost_usd")


def test_the_count_and_the_first_are_those_of_the_error():
    frame = put(put(runs(), "score", 3, None), "score", 8, None)
    row = check(frame).iloc[0]
    assert (row["count"], row["first"]) == (2, "item_id=3, arm='base', seed=0")
    assert "missing=" in row["remedy"]


def test_the_input_is_unchanged_and_parquet_gives_the_result_back(tmp_path):
    frame = runs().assign(score="C")
    before = frame.copy(deep=True)
    result = check(frame)
    assert_frame_equal(frame, before)
    evalframe.write_parquet(result, tmp_path / "x.parquet")
    back = evalframe.read_parquet(tmp_path / "x.parquet")
    assert_frame_equal(back, result)
    assert back.attrs == result.attrs


def test_what_is_no_frame_is_a_type_error():
    with pytest.raises(TypeError, match="wanted a DataFrame"):
        check([1, 0])


labels = st.one_of(
    st.sampled_from(["a", "b", "1"]),
    st.integers(0, 3),
    st.sampled_from([None, float("nan"), 0.5, 1.0, True, [1], {"x": 1}, (1, 2), 2**70, b"x"]),
)
ids = st.one_of(st.sampled_from(["a", "b", "c", "d"]), st.integers(0, 3))
scores = st.one_of(
    st.sampled_from([0, 1, 0.5, None, True, float("nan"), Decimal("0.5")]),
    st.sampled_from(["C", "0.5", float("inf"), [1], 1j, 10**400, pd.NA, pd.Timestamp(0)]),
)
clean = st.sampled_from([0, 1, 0.5, None])


def is_huge(cell):
    """Say whether a cell is an integer beyond floats, which pandas 2.3 cannot infer a dtype of."""
    return isinstance(cell, int) and abs(cell) > 10**300


@st.composite
def frames(draw, key, value):
    n = draw(st.integers(0, 7))
    columns = {"item_id": key, "arm": key, "seed": key, "cluster_id": key, "prompt_hash": key}
    columns |= {"score": value, "n_output_tokens": value, "hit_cap": value, "extra": key}
    frame = pd.DataFrame(index=range(n))
    for name, elements in columns.items():
        if draw(st.integers(0, 3)) or name in ("item_id", "score"):
            cells = draw(st.lists(elements, min_size=n, max_size=n))
            series = pd.Series(cells, dtype=object, index=range(n))
            inferred = draw(st.booleans()) and not any(is_huge(one) for one in series)
        frame[name] = series.infer_objects() if inferred else series
    return frame


@st.composite
def pairs(draw):
    """Draw frames that methods often accept: plain ids, unique keys."""
    keys = draw(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("xyz")), unique=True))
    frame = pd.DataFrame(keys, columns=["item_id", "arm"])
    for name, elements in (
        ("score", clean),
        ("hit_cap", clean),
        ("prompt_hash", st.sampled_from("pq")),
    ):
        if name == "score" or draw(st.integers(0, 2)) == 0:
            cells = draw(st.lists(elements, min_size=len(keys), max_size=len(keys)))
            frame[name] = pd.Series(cells, dtype=object)
    if draw(st.booleans()):
        frame["cluster_id"] = frame["item_id"] % 2
    return frame


def refused(frame, **options):
    """Return whether score, or compare with the first arm, refuses a frame."""
    try:
        arms = score(frame)["arm"].tolist()
        compare(frame, arms[0] if arms else None, n_boot=2, **options)
    except EvalFrameError as error:
        # One arm alone is no fault of the frame: it can be scored.
        return "needs an arm beside" not in str(error)
    return False


@settings(max_examples=60)
@given(frames(labels, scores) | frames(ids, clean) | pairs())
def test_errors_are_what_score_or_compare_refuse(frame):
    result = check(frame)
    errors = (result["severity"] == "error").any()
    assert errors == refused(frame, missing="drop"), result.to_dict("records")
    if not errors and "arm" in frame and frame["arm"].nunique() > 1:
        unmet = result["remedy"].str.contains("missing=").any()
        assert unmet == refused(frame), result.to_dict("records")


names = st.sampled_from(["item_id", "arm", "score", "seed", 0, None, ("a", "b"), "cluster_id"])


@given(
    st.lists(names, max_size=5),
    st.integers(0, 3),
    st.sampled_from([1, "x", None, [1], np.nan, pd.Timestamp("2024", tz="UTC"), pd.Interval(0, 1)]),
    st.booleans(),
)
def test_no_frame_makes_it_raise(columns, n, cell, levels):
    frame = pd.DataFrame([[cell] * len(columns)] * n, columns=pd.Index(columns, dtype=object))
    if levels:
        frame.columns = pd.MultiIndex.from_arrays([list(map(str, columns)), ["x"] * len(columns)])
    assert set(check(frame)["severity"]) <= {"error", "warning"}
