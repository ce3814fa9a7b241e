"""Position and length bias of a judge of two answers."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy.stats import binomtest, ttest_1samp

import evalframe as ef
from evalframe.errors import RoleError
from evalframe.results import DTYPE, TABLES

LENGTHS = {"length_a": "tokens_a", "length_b": "tokens_b"}


def judged(n=60, first=0.0, longer=0.0, seed=1, arms=("x", "y", "z")):
    """Return judgements of n items in both orders by a judge with these biases, in log odds."""
    draw = np.random.default_rng(seed)
    arms = np.array(arms)
    a = draw.integers(0, len(arms), n)
    b = (a + draw.integers(1, len(arms), n)) % len(arms)
    strength, tokens = draw.normal(size=(len(arms), n)), draw.integers(20, 400, (len(arms), n))
    rows = []
    for one, other in ((a, b), (b, a)):
        items = np.arange(n)
        gap = strength[one, items] - strength[other, items] + first
        ratio = np.log2(tokens[one, items] / tokens[other, items])
        won = draw.random(n) < 1 / (1 + np.exp(-gap - longer * ratio))
        better = np.where(strength[one, items] > strength[other, items], "a", "b")
        rows.append(
            pd.DataFrame(
                {
                    "item_id": items,
                    "arm_a": arms[one],
                    "arm_b": arms[other],
                    "winner": np.where(draw.random(n) < 0.1, "tie", np.where(won, "a", "b")),
                    "gold": better,
                    "tokens_a": tokens[one, items],
                    "tokens_b": tokens[other, items],
                }
            )
        )
    frame = pd.concat(rows, ignore_index=True)
    return frame.assign(task=np.where(frame["item_id"] % 2, "odd", "even"))


def bias(frame, **options):
    return ef.judge_bias(frame, **options).set_index("statistic")


def test_counts_of_pairs_in_both_orders():
    # By hand: the first wins both, the second wins both, consistent twice, tie and win, two ties.
    ends = [("a", "a"), ("b", "b"), ("a", "b"), ("b", "a"), ("tie", "a"), ("tie", "tie")]
    frame = pd.DataFrame(
        [
            {"item_id": i, "arm_a": one, "arm_b": other, "winner": end}
            for i, pair in enumerate(ends)
            for (one, other), end in zip((("x", "y"), ("y", "x")), pair, strict=True)
        ]
    )
    found = bias(frame)
    assert found.loc["consistency", "estimate"] == 3 / 6
    assert found.loc["first_both", "estimate"] == 1 / 6
    assert found.loc["second_both", "estimate"] == 1 / 6
    assert found.loc["flips_to_first", "estimate"] == 1 / 2
    assert found.loc["flips_to_first", "p_value"] == 1
    assert found.loc["first_wins", "estimate"] == 5 / 9
    assert found["n_games"].tolist() == [9, 6, 6, 6, 2]
    assert (found["n_ties"] == 3).all()
    assert found.loc["flips_to_first", "note"] == "fewer than 5: 2"


def test_independent_judgements_have_the_binomial_test():
    frame = judged(80, first=1).drop(columns="item_id")
    found = bias(frame).loc["first_wins"]
    decided = frame[frame["winner"] != "tie"]
    test = binomtest(int((decided["winner"] == "a").sum()), len(decided))
    assert_allclose(found["p_value"], test.pvalue, rtol=1e-10)
    limits = test.proportion_ci(method="exact")
    assert_allclose([found["conf_low"], found["conf_high"]], [limits.low, limits.high], rtol=1e-8)
    assert not found["clustered"]
    assert "no column 'item_id'" in bias(frame).loc["consistency", "note"]


def test_a_longer_answer_is_counted_by_hand():
    frame = judged(50, longer=0.5).drop(columns="item_id")
    found = bias(frame, gold="gold", **LENGTHS)
    differ = frame[frame["tokens_a"] != frame["tokens_b"]]
    side = np.where(differ["tokens_a"] > differ["tokens_b"], "a", "b")
    got = np.where(differ["winner"] == "tie", 0.5, differ["winner"] == side)
    gold = (differ["gold"] == side).to_numpy() * 1.0
    assert_allclose(found.loc["longer_wins", "estimate"], got[got != 0.5].mean())
    test = ttest_1samp(got - gold, 0)
    assert_allclose(found.loc["longer_excess", "estimate"], (got - gold).mean())
    assert_allclose(found.loc["longer_excess", "p_value"], test.pvalue, rtol=1e-10)
    limits = test.confidence_interval()
    ours = found.loc["longer_excess", ["conf_low", "conf_high"]].astype(float)
    assert_allclose(ours, [limits.low, limits.high], rtol=1e-10)


def test_biases_are_found_where_they_are_and_only_there():
    none = bias(judged(800), gold="gold", **LENGTHS)["p_value"]
    assert (none[["first_wins", "flips_to_first", "longer_excess", "length_slope"]] > 0.01).all()
    first = bias(judged(800, first=1), gold="gold", **LENGTHS)
    assert (first.loc[["first_wins", "flips_to_first"], "p_value"] < 1e-6).all()
    assert first.loc["length_slope", "p_value"] > 0.01
    longer = bias(judged(800, longer=0.5), gold="gold", **LENGTHS)
    assert (longer.loc[["longer_wins", "longer_excess", "length_slope"], "p_value"] < 1e-4).all()
    assert longer.loc["flips_to_first", "p_value"] > 0.01


def test_arms_that_always_stand_first_are_noted():
    frame = judged(60)
    assert bias(frame).loc["first_wins", "note"] == ""
    fixed = frame[frame["arm_a"] < frame["arm_b"]]
    found = bias(fixed)
    assert "do not stand first equally often" in found.loc["first_wins", "note"]
    assert found.loc["consistency", "note"] == "no pair judged in both orders"


def test_repeated_judgements_need_a_seed():
    frame = judged(30)
    twice = pd.concat([frame.assign(seed=0), frame.assign(seed=1)])
    numbered, not_numbered = bias(twice), bias(twice.drop(columns="seed"))
    assert numbered.loc["consistency", "n_games"] == 60
    assert not_numbered.loc["consistency", "n_games"] == 0
    assert "120 judgements repeat others" in not_numbered.loc["consistency", "note"]


@pytest.mark.parametrize("clusters", [False, True])
def test_neither_row_order_nor_names_matter(clusters):
    frame = judged(40, first=0.5)
    frame = frame.assign(cluster_id=frame["item_id"] % 7) if clusters else frame
    result = ef.judge_bias(frame, gold="gold", **LENGTHS)
    assert result["clustered"].iloc[0]
    other = frame.sample(frac=1, random_state=2).assign(item_id=lambda f: -f["item_id"])
    other = other.replace({"arm_a": {"x": "zz", "y": "k"}, "arm_b": {"x": "zz", "y": "k"}})
    assert_frame_equal(ef.judge_bias(other, gold="gold", **LENGTHS), result, check_exact=True)


def test_a_group_alone_columns_and_parquet(tmp_path):
    frame = judged(50)
    whole = ef.judge_bias(frame, gold="gold", by="task", **LENGTHS)
    assert list(whole.columns) == ["task", *TABLES["judge_bias"]]
    for column, kind in TABLES["judge_bias"].items():
        assert whole[column].dtype == pd.Series([], dtype=DTYPE[kind]).dtype
    for task, part in whole.groupby("task"):
        alone = ef.judge_bias(frame[frame["task"] == task], gold="gold", **LENGTHS)
        part = part.drop(columns="task").reset_index(drop=True)
        assert_frame_equal(part, alone, check_exact=True)
    whole.to_parquet(tmp_path / "result.parquet")
    back = pd.read_parquet(tmp_path / "result.parquet")
    assert_frame_equal(back, whole, check_exact=True)
    assert back.attrs == whole.attrs
    empty = ef.judge_bias(frame.head(0), gold="gold", by="task", **LENGTHS)
    assert len(empty) == 0
    assert list(empty.columns) == list(whole.columns)


def test_no_number_is_missing_without_a_note():
    frame = judged(30)
    for part in (frame.head(1), frame.head(3), frame.assign(winner="a"), frame.assign(winner=None)):
        result = ef.judge_bias(part, gold="gold", **LENGTHS)
        missing = result[["estimate", "se", "conf_low"]].isna().any(axis=1)
        assert (result.loc[missing, "note"] != "").all()


def test_one_length_alone_is_refused():
    with pytest.raises(RoleError, match="length_a and length_b must be named together"):
        ef.judge_bias(judged(5), length_a="tokens_a")
    with pytest.raises(RoleError, match="no column 'tokens'"):
        ef.judge_bias(judged(5), length_a="tokens", length_b="tokens_b")


@pytest.mark.slow
def test_intervals_of_the_first_hold_their_level_with_items_judged_twice():
    frames = [judged(40, first=0.8, seed=seed).assign(task=seed) for seed in range(1000)]
    found = ef.judge_bias(pd.concat(frames, ignore_index=True), by="task")
    # The truth, from many.
    truth = bias(judged(200_000, first=0.8, seed=9))["estimate"]
    for name in ("first_wins", "consistency", "flips_to_first"):
        one = found[found["statistic"] == name]
        cover = ((one["conf_low"] <= truth[name]) & (truth[name] <= one["conf_high"])).mean()
        assert cover > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 1000), name
