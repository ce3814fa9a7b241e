"""Arms that are not paired, and missing values by each rule."""

import re

import numpy as np
import pandas as pd
import pytest
from every_method import CALLS
from every_method import runs as evaluation
from pandas.testing import assert_frame_equal

from evalframe import DesignError, FrameError, compare, mcnemar, score

PAIRED = [compare, mcnemar]


def runs(base, edit, **columns):
    """Return two arms on the same items; None is a missing score."""
    items = [f"q{i}" for i in range(len(base))]
    scores = pd.Series([*base, *edit], dtype="float64")
    arms = ["base"] * len(base) + ["edit"] * len(edit)
    return pd.DataFrame({"item_id": items * 2, "arm": arms, "score": scores}).assign(**columns)


def seeded(rows):
    return pd.DataFrame(rows, columns=["item_id", "arm", "seed", "score"])


FRAME = runs([1, 0, 0, 1, 0], [1, 1, 0, 0, 1])
THREE = pd.concat([FRAME, FRAME.iloc[5:].assign(arm="third")], ignore_index=True)


def without(frame, *rows):
    return frame.drop(index=list(rows))


@pytest.mark.parametrize("function", PAIRED)
@pytest.mark.parametrize("missing", ["raise", "zero"])
def test_items_of_one_arm_alone_are_refused_with_the_first_of_each_side(function, missing):
    lines = (
        r"(?s)baseline 'base'.*arm 'edit' lacks 2 key\(s\): item_id='q0'; item_id='q1'.*"
        r"arm 'base' lacks 1 key\(s\): item_id='q4'.*missing=\"drop\""
    )
    with pytest.raises(DesignError, match=lines):
        function(without(FRAME, 5, 6, 4), "base", missing=missing)


@pytest.mark.parametrize("function", PAIRED)
def test_drop_keeps_the_shared_items_and_counts_the_keys_left_out(function):
    result = function(without(FRAME, 5, 6, 4), "base", missing="drop")
    shared = function(FRAME[FRAME["item_id"].isin(["q2", "q3"])], "base")
    assert result[["n_items", "n_dropped"]].values.tolist() == [[2, 3]]
    same = shared.columns.drop(["n_dropped", "note"])
    assert_frame_equal(result[same], shared[same], check_exact=True)


@pytest.mark.parametrize("function", PAIRED)
def test_first_missing_keys_come_in_row_order_and_five_are_shown(function):
    frame = runs([1] * 9, [1] * 9).iloc[::-1]
    frame = frame[(frame["arm"] == "base") | (frame["item_id"] < "q2")]
    shown = "; ".join(f"item_id='q{i}'" for i in (8, 7, 6, 5, 4))
    with pytest.raises(DesignError, match=rf"lacks 7 key\(s\): {shown}; \.\.\."):
        function(frame, "base")


@pytest.mark.parametrize("function", PAIRED)
def test_seeds_of_one_arm_alone_are_refused_and_named(function):
    frame = seeded(
        [("q", "base", 0, 1), ("q", "base", 1, 1), ("q", "edit", 0, 0), ("q", "edit", 2, 0)]
    )
    edit = re.escape("arm 'edit' lacks 1 key(s): item_id='q', seed=1")
    base = re.escape("arm 'base' lacks 1 key(s): item_id='q', seed=2")
    with pytest.raises(DesignError, match=f"(?s){edit}.*{base}"):
        function(frame, "base")
    result = function(frame, "base", missing="drop")
    assert result[["n_items", "n_dropped"]].values.tolist() == [[1, 2]]


def test_only_the_shared_seeds_of_an_item_are_averaged():
    frame = seeded([("q", "base", 0, 1), ("q", "base", 1, 0), ("r", "base", 0, 1),
                    ("q", "edit", 0, 0), ("r", "edit", 0, 1)])  # fmt: skip
    result = compare(frame, "base", missing="drop")
    assert result[["baseline_mean", "arm_mean", "diff"]].values.tolist() == [[1, 0.5, -0.5]]


@pytest.mark.parametrize("function", PAIRED)
def test_items_may_have_unequal_numbers_of_seeds_if_the_arms_agree(function):
    frame = seeded([(item, arm, seed, 1) for item, seeds in (("q", 3), ("r", 1)) for seed in
                    range(seeds) for arm in ("base", "edit")])  # fmt: skip
    assert function(frame, "base")[["n_items", "n_dropped"]].values.tolist() == [[2, 0]]


@pytest.mark.parametrize("function", PAIRED)
def test_a_third_arm_that_lacks_items_is_the_one_named(function):
    with pytest.raises(DesignError, match="arm 'third' lacks 1 key") as caught:
        function(without(THREE, 14), "base")
    assert "edit" not in str(caught.value)


@pytest.mark.parametrize("function", PAIRED)
@pytest.mark.parametrize("gap", ["row", "score"])
def test_a_third_arm_that_lacks_items_leaves_the_pair_of_others_alone(function, gap):
    frame = without(THREE, 14) if gap == "row" else THREE.assign(
        score=THREE["score"].mask(THREE.index == 14)
    )  # fmt: skip
    result = function(frame, "base", missing="drop")
    assert result[["arm", "n_items", "n_dropped"]].values.tolist() == [
        ["edit", 5, 0],
        ["third", 4, 1],
    ]
    alone = function(FRAME, "base")
    same = alone.columns.drop("note")
    assert_frame_equal(result.iloc[:1][same], alone[same], check_exact=True)


@pytest.mark.parametrize("function", PAIRED)
def test_a_key_dropped_for_two_reasons_counts_once(function):
    """q0 has no score in either arm; q1 is in one arm only and has no score there."""
    frame = without(runs([None, None, 1, 0], [None, 1, 1, 1]), 5)
    result = function(frame, "base", missing="drop")
    assert result[["n_items", "n_dropped"]].values.tolist() == [[2, 2]]


@pytest.mark.parametrize("function", PAIRED)
@pytest.mark.parametrize("frame", [without(FRAME, 2, 3, 4, 5, 6), runs([1, 0], [None, None])])
def test_no_shared_item_at_all_is_refused_as_that(function, frame):
    with pytest.raises(DesignError, match=r"items that both arms answered, found none.*item_id"):
        function(frame, "base", missing="drop")


@pytest.mark.parametrize("function", PAIRED)
def test_no_shared_item_in_one_of_two_arms_is_a_row_with_a_note(function):
    frame = pd.concat([FRAME, FRAME.iloc[:2].assign(arm="third", item_id=["x", "y"])])
    result = function(frame, "base", missing="drop")
    assert result[["arm", "n_items", "n_dropped"]].values.tolist() == [
        ["edit", 5, 0],
        ["third", 0, 7],
    ]
    assert "no shared item" in result["note"][1]
    assert np.isnan(result[{compare: "diff", mcnemar: "p_value"}[function]][1])


# Texts are held against an author's, and voice has a row for those that cannot be.
OF_PAIRS = [name for name, call in CALLS.items() if call.pairs and "voice" not in name]


@pytest.mark.parametrize("name", OF_PAIRS)
def test_no_method_of_pairs_answers_where_no_item_is_shared(name):
    frame = evaluation()
    apart = frame.assign(item_id=frame["item_id"].astype(str) + frame["arm"])
    with pytest.raises(DesignError, match=r"need.*found none"):
        CALLS[name].run(apart, missing="drop")


BY_TASK = ["icc, paired", "sample_size", "mde", "debias, paired", "label_plan, paired"]
BY_TASK += ["compare", "mcnemar", "permutation", "bootstrap, paired", "contrasts", "pairs"]


@pytest.mark.parametrize("name", BY_TASK)
def test_no_shared_item_in_one_of_two_groups_is_noted_there(name):
    frame = evaluation(24)
    ids = frame["item_id"].astype(str)
    frame["item_id"] = ids.where(frame["task"] == "even", ids + frame["arm"])
    found = CALLS[name].run(frame, by="task", missing="drop").set_index("task")
    apart = found.loc["odd"]
    assert (apart.get("n_items", apart.get("n_units")).fillna(0) == 0).all()
    assert apart["note"].str.contains("no (?:shared )?item|no item|under 3 labels").all()


def two_tasks():
    math = FRAME.assign(task="math")
    return pd.concat([math, FRAME.assign(task="code")], ignore_index=True)


@pytest.mark.parametrize("function", PAIRED)
def test_a_group_that_the_baseline_lacks_is_counted_not_lost(function):
    frame = two_tasks()
    frame = frame[(frame["task"] == "math") | (frame["arm"] != "base")]
    with pytest.raises(DesignError, match="arm 'base' lacks 5 key"):
        function(frame, "base", by="task")
    result = function(frame, "base", by="task", missing="drop")
    assert result[["task", "n_items", "n_dropped"]].values.tolist() == [
        ["code", 0, 5],
        ["math", 5, 0],
    ]


@pytest.mark.parametrize("function", PAIRED)
def test_an_arm_has_no_row_in_a_group_that_it_was_not_run_on(function):
    """As the group alone, where that arm is not there at all."""
    frame = two_tasks()
    frame = frame[(frame["task"] == "math") | (frame["arm"] != "edit")]
    with pytest.raises(DesignError, match="arm 'edit' lacks 5 key"):
        function(frame, "base", by="task")
    result = function(frame, "base", by="task", missing="drop")
    assert result[["task", "n_items", "n_dropped"]].values.tolist() == [["math", 5, 0]]


@pytest.mark.parametrize("function", PAIRED)
def test_an_unpaired_item_is_named_with_its_group(function):
    with pytest.raises(DesignError, match=r"lacks 1 key\(s\): task='code', item_id='q2'"):
        function(without(two_tasks(), 12), "base", by="task")


@pytest.mark.parametrize("function", [score, *PAIRED])
def test_a_missing_score_is_named_with_its_group(function):
    frame = two_tasks()
    frame.loc[12, "score"] = np.nan
    arguments = () if function is score else ("base",)
    with pytest.raises(FrameError, match=r"'score'.*1 row \(counted from 0: 12\).*task='code'"):
        function(frame, *arguments, by="task", missing="raise")


GAPPED = runs([1, None, 0, 1], [1, 1, None, 0])


@pytest.mark.parametrize("function", PAIRED)
@pytest.mark.parametrize("kind", ["float64", "Float64", "double[pyarrow]", object, "boolean"])
def test_a_missing_score_is_refused_by_default_with_its_key(function, kind):
    frame = GAPPED.astype({"score": kind}).assign(seed=7)
    first = re.escape("in 2 rows (counted from 0: 1, 6); first: item_id='q1', arm='base', seed=7")
    with pytest.raises(FrameError, match=f'column \'score\'.*{first}.*missing="drop".*"zero"'):
        function(frame, "base")


@pytest.mark.parametrize("kind", ["float64", "Int64", object])
def test_missing_drop_and_zero_are_what_their_names_say(kind):
    frame = GAPPED.astype({"score": kind})
    dropped = compare(frame, "base", missing="drop")
    columns = ["baseline_mean", "arm_mean", "diff", "n_items", "n_dropped"]
    assert dropped[columns].values.tolist() == [[1, 0.5, -0.5, 2, 2]]
    zeros = compare(frame, "base", missing="zero")
    assert zeros[columns].values.tolist() == [[0.5, 0.5, 0, 4, 0]]
    assert "2 missing counted as 0" in zeros["note"][0]
    expected = compare(GAPPED.fillna({"score": 0}), "base")
    same = expected.columns.drop("note")
    assert_frame_equal(zeros[same], expected[same], check_exact=True)


def test_mcnemar_counts_what_is_dropped_and_what_is_zero():
    cells = ["both_right", "baseline_only", "arm_only", "both_wrong", "n_items", "n_dropped"]
    assert mcnemar(GAPPED, "base", missing="drop")[cells].values.tolist() == [[1, 1, 0, 0, 2, 2]]
    zeros = mcnemar(GAPPED, "base", missing="zero")
    assert zeros[cells].values.tolist() == [[1, 1, 1, 1, 4, 0]]
    assert "2 missing counted as 0" in zeros["note"][0]


def test_score_drops_counts_zeroes_or_refuses_a_missing_score():
    columns = ["estimate", "n_items", "n_responses", "n_missing", "n_items_missing"]
    assert score(GAPPED)[columns].values.tolist() == [[2 / 3, 3, 3, 1, 1]] * 2
    zeros = score(GAPPED, missing="zero")
    assert zeros["estimate"].tolist() == [0.5, 0.5]
    assert zeros[["n_items", "n_missing"]].values.tolist() == [[4, 1]] * 2
    assert zeros["note"].str.contains("1 missing counted as 0").all()
    with pytest.raises(FrameError, match=r"column 'score'.*item_id='q1', arm='base'.*\"drop\""):
        score(GAPPED, missing="raise")


def test_a_missing_seed_is_left_out_of_its_item_and_the_item_stays():
    frame = seeded([("q", "base", 0, 1), ("q", "base", 1, np.nan), ("r", "base", 0, 0)])
    columns = ["estimate", "n_items", "n_responses", "n_missing", "n_items_missing"]
    assert score(frame)[columns].values.tolist() == [[0.5, 2, 2, 1, 0]]
    assert score(frame, missing="zero")["estimate"].tolist() == [0.25]


def test_each_column_drops_its_own_missing_values():
    frame = FRAME.assign(n_output_tokens=[None, *range(9)], hit_cap=[False] * 9 + [None])
    result = compare(frame, "base", missing="drop")
    assert result[["metric", "n_items", "n_dropped"]].values.tolist() == [
        ["score", 5, 0],
        ["tokens", 4, 1],
        ["hit_cap", 4, 1],
    ]
    with pytest.raises(FrameError, match=r"column 'n_output_tokens'.*none in 1 row"):
        compare(frame, "base")
    assert compare(frame, "base", value="score")["n_items"].tolist() == [5]
