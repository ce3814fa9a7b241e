import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal

from evalframe.errors import FrameError, RoleError
from evalframe.runs import row_keys, select

FRAME = pd.DataFrame(
    {
        "item_id": ["q2", "q1", "q2", "q1", "q3"],
        "arm": ["b", "b", "a", "a", "a"],
        "seed": [10, 2, 2, 10, 2],
        "score": [1, 0, None, 1, 0.5],
        "task": ["t2", "t1", "t2", "t1", "t1"],
        "cluster_id": ["y", "x", "y", "x", "x"],
    }
)


def alike(labels):
    """Say for each pair of rows whether their labels are equal."""
    labels = np.asarray(labels)
    return labels[:, None] == labels


def labels_of(runs):
    """Return the arm and the group of each row, as the codes say."""
    groups = runs.by.iloc[runs.unit_group[runs.unit]]
    return runs.arms.take(runs.arm).tolist(), groups.to_numpy().tolist()


def test_codes_give_back_the_labels_of_each_row():
    runs = select(FRAME, ["score"], by=["task"])
    arms, groups = labels_of(runs)
    assert arms == FRAME["arm"].tolist()
    assert groups == [[task] for task in FRAME["task"]]
    assert runs.by["task"].tolist() == ["t1", "t2"]
    assert runs.arms.tolist() == ["a", "b"]


def test_one_unit_is_one_item_and_one_code():
    runs = select(FRAME, ["score"])
    assert runs.n_units == 3
    assert_array_equal(alike(runs.unit), alike(FRAME["item_id"]))


def test_seeds_are_numbered_in_sorted_order():
    runs = select(FRAME, ["score"])
    assert runs.seed.tolist() == [1, 0, 0, 1, 0]
    assert runs.n_seeds == 2
    text = select(FRAME.assign(seed=FRAME["seed"].map(str)), ["score"])
    assert text.seed.tolist() == [0, 1, 1, 0, 1]


def test_a_row_key_is_unique_and_counts_seed_unit_and_arm():
    runs = select(FRAME, ["score"])
    assert len(np.unique(runs.key)) == len(FRAME)
    assert_array_equal(runs.key, (runs.seed * 3 + runs.unit) * 2 + runs.arm)
    assert_array_equal(row_keys(runs.unit, runs.arm, runs.seed, 3, 2), runs.key)


def test_row_keys_leave_their_input_alone():
    unit, arm, seed = (np.array([0, 1]) for _ in range(3))
    row_keys(unit, arm, seed, 2, 2)
    assert unit.tolist() == arm.tolist() == seed.tolist() == [0, 1]


def test_values_are_numbers_with_nan_where_missing():
    runs = select(FRAME, ["score"])
    assert_array_equal(runs.values["score"], [1, 0, np.nan, 1, 0.5])
    assert runs.prompt is None


def test_without_arm_and_seed_there_is_one_of_each():
    runs = select(pd.DataFrame({"item_id": [3, 4], "score": [1, 0]}), ["score"])
    assert runs.arms.tolist() == ["all"]
    assert runs.n_seeds == 1
    assert runs.arm.tolist() == runs.seed.tolist() == [0, 0]
    assert len(runs.by) == 1
    assert runs.by.shape[1] == 0


def test_the_same_item_of_two_groups_is_two_units():
    frame = FRAME.assign(task=["t1", "t1", "t2", "t2", "t2"])
    runs = select(frame, ["score"], by=["task"])
    assert runs.n_units == 5
    assert labels_of(runs)[1] == [[task] for task in frame["task"]]
    same = pd.DataFrame({"item_id": [1, 1], "task": ["a", "b"], "score": [0, 1]})
    assert select(same, ["score"], by=["task"]).n_units == 2


def test_two_by_columns_have_the_pairs_that_occur_in_sorted_order():
    frame = FRAME.assign(lang=[2, 1, 2, 1, 3])
    runs = select(frame, ["score"], by=["lang", "task"])
    assert runs.by.to_numpy().tolist() == [[1, "t1"], [2, "t2"], [3, "t1"]]
    assert labels_of(runs)[1] == frame[["lang", "task"]].to_numpy().tolist()


def test_three_by_columns_give_back_the_labels_of_each_row():
    rng = np.random.default_rng(0)
    n = 300
    frame = pd.DataFrame(
        {
            "item_id": range(n),
            "score": 1,
            "a": rng.integers(0, 9, n),
            "b": rng.choice(list("xyz"), n),
            "c": rng.integers(0, 9, n) / 10,
        }
    )
    runs = select(frame, ["score"], by=["a", "b", "c"])
    keys = frame[["a", "b", "c"]].to_numpy().tolist()
    assert labels_of(runs)[1] == keys
    assert runs.by.to_numpy().tolist() == sorted({tuple(key): key for key in keys}.values())


@pytest.mark.parametrize("column", ["item_id", "cluster_id", "seed", "prompt_hash"])
def test_by_may_name_a_role_and_its_groups_come_sorted(column):
    frame = FRAME.assign(prompt_hash=FRAME["item_id"])
    runs = select(frame, ["score"], by=[column], prompts=True)
    assert runs.by[column].tolist() == sorted(set(frame[column]))
    assert labels_of(runs)[1] == [[label] for label in frame[column]]


def test_clusters_are_of_units_and_apart_in_each_group():
    runs = select(FRAME, ["score"])
    assert_array_equal(alike(runs.unit_cluster[runs.unit]), alike(FRAME["cluster_id"]))
    frame = FRAME.assign(cluster_id="x")
    grouped = select(frame, ["score"], by=["task"])
    assert_array_equal(alike(grouped.unit_cluster[grouped.unit]), alike(FRAME["task"]))
    assert grouped.unit_cluster.max() == 1


@pytest.mark.parametrize("dtype", [object, float, "Int64"])
def test_clusters_are_none_where_not_asked_for_absent_or_all_missing(dtype):
    assert select(FRAME, ["score"], cluster=False).unit_cluster is None
    assert select(FRAME.drop(columns="cluster_id"), ["score"]).unit_cluster is None
    nothing = pd.Series([None] * 5, dtype=dtype)
    assert select(FRAME.assign(cluster_id=nothing), ["score"]).unit_cluster is None


def test_a_cluster_on_some_rows_only_is_refused():
    frame = FRAME.assign(cluster_id=["y", "x", "y", None, "x"])
    with pytest.raises(FrameError, match=r"'cluster_id' must have a label .* 1 row .*: 3\)"):
        select(frame, ["score"])
    assert select(frame, ["score"], cluster=False).n_units == 3


def test_an_item_of_two_clusters_is_refused_with_its_rows():
    frame = FRAME.assign(cluster_id=["y", "x", "z", "x", "x"])
    with pytest.raises(FrameError, match=r"'cluster_id' must be the same in all rows") as caught:
        select(frame, ["score"])
    message = str(caught.value)
    assert "1 item(s); first: item_id='q2' in 2 rows (counted from 0: 0, 2)" in message
    assert "give an item one cluster across arms and seeds" in message


@pytest.mark.parametrize("by", [["arm"], ["seed"], ["arm", "seed"], ["task", "arm"]])
def test_an_item_of_two_clusters_is_refused_in_groups_of_arms_and_seeds_too(by):
    frame = pd.DataFrame({"item_id": [2, 1, 1], "arm": ["x", "x", "y"], "seed": [0, 0, 1]})
    frame = frame.assign(score=1, task="t", cluster_id=["a", "a", "b"])
    with pytest.raises(FrameError, match=r"more than one in 1 item.*item_id=1 in 2 rows .*: 1, 2"):
        select(frame, ["score"], by=by)
    assert select(frame.assign(cluster_id="c"), ["score"], by=by).unit_cluster is not None


def test_an_item_may_be_in_another_cluster_in_another_group():
    frame = pd.DataFrame({"item_id": [1, 1], "task": ["a", "b"], "score": 1, "cluster_id": [5, 6]})
    assert select(frame, ["score"], by=["task"]).unit_cluster.tolist() == [0, 1]
    with pytest.raises(FrameError, match="must be unique"):
        select(frame, ["score"])


def test_prompts_are_codes_where_asked_for():
    frame = FRAME.assign(prompt_hash=["u", "v", "u", None, "w"])
    runs = select(frame, ["score"], prompts=True)
    assert runs.prompt[0] == runs.prompt[2]
    assert runs.prompt[3] == -1
    assert len(set(runs.prompt.tolist())) == 4
    assert select(frame, ["score"]).prompt is None


@pytest.mark.parametrize("column", ["item_id", "arm", "seed", "task"])
def test_a_missing_label_is_refused_with_its_rows(column):
    labels = FRAME[column].astype(object)
    labels[3] = None
    with pytest.raises(FrameError, match=rf"'{column}' must have a label .* 1 row .*: 3\)"):
        select(FRAME.assign(**{column: labels}), ["score"], by=["task"])


def test_all_missing_columns_are_named_at_once():
    with pytest.raises(RoleError, match="3 needed columns not found") as caught:
        select(pd.DataFrame({"x": [1]}), ["score"], by=["task"])
    for line in ("item: no column 'item_id'", "score: no column 'score'", "by='task': no column"):
        assert line in str(caught.value)


def test_a_repeated_key_is_refused_but_not_in_two_groups():
    frame = FRAME.assign(item_id="q", seed=0, arm="a", task=list("vwxyz"))
    with pytest.raises(FrameError, match=r"\(item_id, arm, seed\) must be unique, found 5 rows"):
        select(frame.drop(columns="cluster_id"), ["score"])
    assert select(frame.drop(columns="cluster_id"), ["score"], by=["task"]).n_units == 5


def test_sparse_seeds_are_as_good_as_dense_ones():
    n = 3_000
    frame = pd.DataFrame(
        {"item_id": np.arange(n), "seed": np.arange(n) * 10**15, "score": np.arange(n) % 2}
    )
    runs = select(frame, ["score"])
    assert runs.n_seeds == n
    assert len(np.unique(runs.key)) == n
    with pytest.raises(FrameError, match="must be unique, found 2 rows"):
        select(pd.concat([frame, frame.tail(1)], ignore_index=True), ["score"])


def test_no_rows_are_no_units():
    runs = select(FRAME.head(0), ["score"], by=["task"])
    assert runs.n_units == 0
    assert len(runs.arms) == len(runs.by) == 0
    assert list(runs.by.columns) == ["task"]


def test_the_frame_is_not_changed():
    frame = FRAME.set_axis([1, 1, 2, 2, 3])
    before = frame.copy(deep=True)
    select(frame, ["score"], by=["task"])
    assert_frame_equal(frame, before)


@pytest.mark.parametrize("wrong", [2, -1])
def test_a_cap_that_is_no_flag_is_refused(wrong):
    frame = pd.DataFrame({"item_id": [1, 2, 3], "score": 1.0, "hit_cap": [0, 1, wrong]})
    with pytest.raises(FrameError, match=rf"'hit_cap' must hold.*found {wrong} in 1 row.*> 0"):
        select(frame, ["hit_cap"])
