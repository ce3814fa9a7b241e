"""`rank`: another package's values, its laws and its edges."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from scipy import stats

import evalframe as ef
from evalframe import DesignError, pairs, rank, score
from evalframe.methods.ranking.board import METHODS
from evalframe.reduced import reduced

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "ranks.json").read_text())
CASES = {case["case"].split("/")[1]: case for case in REFERENCE["cases"]}
ROLES = {"score": "score", "item": "item_id", "model": "arm", "cluster": "cluster_id"}
draws = st.integers(0, 2**31)


def runs_of(case):
    frame = pd.DataFrame(REFERENCE["data"][case["data"]])
    return frame.rename(columns={column: ROLES[role] for role, column in case["columns"].items()})


def runs(seed=0, n_arms=4, n=24, n_seeds=1, clusters=None):
    draw = np.random.default_rng(seed)
    index = pd.MultiIndex.from_product(
        [range(n), [f"arm {a}" for a in range(n_arms)], range(n_seeds)],
        names=["item_id", "arm", "seed"],
    )
    frame = index.to_frame(index=False)
    frame["score"] = (draw.random(len(frame)) < 0.6).astype(float)
    if clusters:
        frame["cluster_id"] = frame["item_id"] % clusters
    return frame.sample(frac=1, random_state=seed % 1000)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case["error"] is None])
def test_bootstrap_ranks_are_those_of_another_package(name):
    case = CASES[name]
    expected, args = case["expected"], case["args"]
    result = rank(
        runs_of(case),
        method="bootstrap",
        level=expected["level"],
        higher_better=args.get("higher_better", True),
        cluster="cluster" in case["columns"],
        n_boot=args["R"],
    ).set_index("arm")
    assert (result["n_items"] == expected["n_items"]).all()
    result = result.loc[expected["models"]["model"]]
    names = {name: name for name in ("estimate", "se", "conf_low", "conf_high")}
    names |= {name: name for name in ("rank", "rank_low", "rank_high")} | {"share_first": "p_best"}
    for ours, theirs in names.items():
        gap = np.abs(result[ours].to_numpy(float) - np.array(expected["models"][theirs]))
        assert (gap <= np.array(expected["tolerance_abs"][theirs])).all(), ours
    assert_allclose(result["share_top"].sum(), 1, rtol=1e-12)
    assert (result["share_top"] <= result["share_first"]).all()


def test_what_it_refuses_is_refused():
    with pytest.raises(DesignError, match="two arms or more, found one"):
        rank(runs_of(CASES["err_one_model"]))
    with pytest.raises(DesignError, match="items that all arms answered, found none shared"):
        rank(runs_of(CASES["err_disjoint"]))


@given(draws, st.sampled_from(METHODS), st.sampled_from([None, 6]), st.integers(2, 10))
def test_neither_names_nor_rows_change_a_number(seed, method, clusters, n):
    frame = runs(seed, n=n, clusters=clusters)
    labels = sorted(frame["arm"].unique())
    new = dict(zip(labels, np.random.default_rng(seed).permutation(labels), strict=True))
    other = frame.assign(arm=frame["arm"].map(new)).sample(frac=1, random_state=1)
    found = rank(frame, method=method, n_boot=200)
    again = rank(other, method=method, n_boot=200).set_index("arm")
    again = again.loc[[new[arm] for arm in found["arm"]]].reset_index(drop=True)
    assert_frame_equal(again, found.drop(columns="arm"), check_exact=True)


@given(draws, st.sampled_from(METHODS), st.sampled_from([None, 6]))
def test_arms_alike_share_a_rank_and_all_limits(seed, method, clusters):
    frame = runs(seed, clusters=clusters)
    twin = frame[frame["arm"] == "arm 1"].assign(arm="twin")
    found = rank(pd.concat([twin, frame]), method=method, n_boot=200).set_index("arm")
    assert_frame_equal(found.loc[["arm 1"]].reset_index(drop=True),
                       found.loc[["twin"]].reset_index(drop=True), check_exact=True)  # fmt: skip
    assert_allclose(found["share_top"].sum(), 1, rtol=1e-12)


@given(draws, st.sampled_from([None, 8]), st.booleans())
def test_limits_are_read_off_the_simultaneous_limits_of_pairs(seed, clusters, higher):
    frame = runs(seed, n=200, clusters=clusters)
    frame["score"] += 0.1 * frame["arm"].str[-1].astype(int)
    found = rank(frame, higher_better=higher, n_boot=4_096).set_index("arm")
    gaps = pairs(frame)
    above = gaps[gaps["sim_low"] > 0]
    below = gaps[gaps["sim_high"] < 0]
    better = pd.concat([above["baseline"], below["arm"]]).value_counts()
    worse = pd.concat([above["arm"], below["baseline"]]).value_counts()
    if not higher:
        better, worse = worse, better
    for arm, row in found.iterrows():
        assert row["rank_low"] == 1 + better.get(arm, 0)
        assert row["rank_high"] == 4 - worse.get(arm, 0)
        assert row["rank_low"] <= row["rank"] <= row["rank_high"]
    assert found.loc[found["rank"] == 1, "best"].all()


@given(draws, st.sampled_from(METHODS))
def test_the_lowest_first_is_the_highest_of_the_negative(seed, method):
    frame = runs(seed, n=40)
    up = rank(frame, method=method, n_boot=200)
    down = rank(frame.assign(score=-frame["score"]), method=method, n_boot=200, higher_better=False)
    same = ["rank", "rank_low", "rank_high", "share_top", "share_first", "best", "se", "n_items"]
    assert_frame_equal(up[same], down[same], check_exact=True)
    assert_array_equal(down["conf_low"], -up["conf_high"])
    assert_array_equal(down["estimate"], -up["estimate"])


@given(draws, st.sampled_from([None, 6]))
def test_scores_are_those_of_score(seed, clusters):
    frame = runs(seed, n_seeds=2, clusters=clusters)
    found, scores = rank(frame, n_boot=200), score(frame)
    for name in ("estimate", "se", "conf_low", "conf_high", "df"):
        assert_allclose(found[name], scores[name], rtol=1e-10, atol=1e-13)
    assert found["n_clusters"].equals(scores["n_clusters"])


def test_arms_are_ranked_over_what_all_of_them_have():
    frame = runs(1, n_seeds=2)
    lacking = frame[(frame["arm"] != "arm 1") | (frame["item_id"] > 2) | (frame["seed"] > 0)]
    lacking = lacking[(lacking["arm"] != "arm 2") | (lacking["item_id"] != 5)]
    found = rank(lacking, n_boot=200)
    # Three runs that one arm lacks, and both runs of an item that another lacks.
    assert (found["n_dropped"] == 5).all()
    assert (found["n_items"] == 23).all()
    shared = frame[((frame["item_id"] > 2) | (frame["seed"] > 0)) & (frame["item_id"] != 5)]
    columns = [column for column in found if column not in ("n_dropped", "note")]
    assert_frame_equal(found[columns], rank(shared, n_boot=200)[columns], check_exact=True)
    assert found["note"].str.contains("dropped 5 keys that not all arms have").all()
    with pytest.raises(DesignError, match='missing="drop"'):
        rank(lacking, missing="raise")


@pytest.mark.parametrize("power", [-330, -210, 210, 330])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("options", [{}, {"clusters": 6}])
def test_scores_of_any_size_have_the_same_ranks(power, method, options):
    frame = runs(2, **options)
    frame["score"] = np.random.default_rng(0).random(len(frame)) * 0.4 + 0.59
    for higher in (True, False):
        more = {"method": method, "n_boot": 200, "higher_better": higher}
        expected = rank(frame, **more)
        found = rank(frame.assign(score=np.ldexp(frame["score"], power)), **more)
        for name in ("estimate", "se", "conf_low", "conf_high"):
            expected[name] = np.ldexp(expected[name], power)
        assert_frame_equal(found, expected, check_exact=True)


def test_one_key_that_not_all_arms_have_is_no_plural():
    found = rank(runs(1, n=60).iloc[1:], n_boot=200)
    assert (found["note"] == "dropped 1 key that not all arms have").all()


def test_values_counted_as_zero_are_in_the_note_of_their_arm():
    frame = runs(1, n=60)
    rows = (frame["arm"] == "arm 1") & (frame["item_id"] < 3)
    found = rank(frame.assign(score=frame["score"].mask(rows)), n_boot=200, missing="zero")
    assert found["note"].tolist() == ["", "3 missing counted as 0", "", ""]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("clusters", [None, 6])
def test_means_over_runs_have_the_ranks_of_the_runs(clusters, method):
    frame = runs(3, clusters=clusters, n_seeds=3)
    found = rank(reduced(frame, ["score"], []), method=method, n_boot=200)
    assert_frame_equal(found, rank(frame, method=method, n_boot=200), check_exact=True)
    frame = frame[(frame["arm"] != "arm 1") | (frame["item_id"] > 2)]
    frame = frame.assign(
        score=frame["score"].mask((frame["arm"] == "arm 2") & (frame["item_id"] == 7))
    )
    found = rank(reduced(frame, ["score"], []), method=method, n_boot=200)
    assert_frame_equal(found, rank(frame, method=method, n_boot=200), check_exact=True)
    assert (found["n_dropped"] == 12).all()


def test_means_over_runs_of_which_some_are_missing_are_refused_or_zero():
    frame = runs(3, n_seeds=3)
    blank = frame.assign(score=frame["score"].mask(frame.index.isin([4, 20])))
    means = reduced(blank, ["score"], [])
    with pytest.raises(DesignError, match=r"which runs arms share.*2 item.*instead of scan"):
        rank(means, n_boot=200)
    zero = rank(blank, missing="zero", n_boot=200)
    assert_frame_equal(rank(means, missing="zero", n_boot=200), zero, check_exact=True)


def test_groups_have_a_leaderboard_each():
    frame = runs(3, n=40)
    frame["task"] = np.where(frame["item_id"] % 2, "odd", "even")
    for method in METHODS:
        whole = rank(frame, by="task", method=method, n_boot=200)
        for task, part in whole.groupby("task"):
            alone = rank(frame[frame["task"] == task], method=method, n_boot=200)
            part = part.drop(columns="task").reset_index(drop=True)
            assert_frame_equal(part, alone, check_exact=True)


def test_the_only_arm_of_a_group_is_first():
    frame = runs(3)
    frame["task"] = np.where(frame["item_id"] < 12, "a", "b")
    frame = frame[(frame["task"] == "a") | (frame["arm"] == "arm 2")]
    row = rank(frame, by="task", n_boot=200).iloc[-1]
    assert row[["rank", "rank_low", "rank_high", "share_top"]].tolist() == [1, 1, 1, 1]
    assert "the only arm" in row["note"]


@pytest.mark.parametrize("method", METHODS)
def test_a_constant_difference_is_not_tested_and_says_so(method):
    frame = runs(3, n_arms=2)
    base = frame[frame["arm"] == "arm 0"]
    frame = pd.concat([base, base.assign(arm="better", score=base["score"] + 0.1)])
    found = rank(frame, method=method, n_boot=200)
    assert found["rank"].tolist() == [2, 1]
    assert found["best"].all()
    assert found["note"].str.contains("differ from it by the same on every item").all()
    if method == "simultaneous":
        assert found["rank_high"].tolist() == [2, 2]


def test_the_share_of_the_lead_is_that_of_a_normal_difference():
    frame = runs(5, n_arms=2, n=300)
    gap = pairs(frame).iloc[0]
    expected = stats.norm.cdf(gap["diff"] / gap["se"])
    for method in METHODS:
        found = rank(frame, method=method, n_boot=20_000)
        assert_allclose(found["share_top"], [1 - expected, expected], atol=0.02)


def test_arguments_are_checked():
    for wrong, said in (
        ({"method": "elo"}, "method must be one of 'simultaneous', 'bootstrap', 'normal'"),
        ({"n_boot": 2_000_000}, "n_boot must be 1,000,000 at most"),
        ({"higher_better": "yes"}, "higher_better must be True or False"),
    ):
        with pytest.raises(ValueError, match=said):
            rank(runs(), **wrong)


def test_it_is_a_method_and_survives_parquet(tmp_path):
    found = runs(4, clusters=6).evals.rank(method="bootstrap", n_boot=200)
    ef.write_parquet(found, tmp_path / "rank.parquet")
    back = ef.read_parquet(tmp_path / "rank.parquet")
    assert_frame_equal(back, found, check_exact=True)
    assert back.attrs == found.attrs
