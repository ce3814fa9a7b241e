"""The leaderboard in data/ is what its script writes, and its judge errs as README.md says."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evalframe import agreement, bradley_terry, debias, judge_bias, rank

BOARD = Path(__file__).parents[1] / "data" / "board"
SCRIPT = BOARD.parent / "make_board.py"
TRUE_ORDER = ["cedar", "birch", "hazel", "rowan", "maple", "alder", "larch", "elm"]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("make_board", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def runs():
    return pd.read_parquet(BOARD / "runs.parquet")


@pytest.fixture(scope="module")
def games():
    return pd.read_parquet(BOARD / "games.parquet")


def test_the_script_writes_equal_files_and_no_others(tmp_path):
    subprocess.run([sys.executable, str(SCRIPT), str(tmp_path)], check=True)
    written = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(path.as_posix() for path in written) == [
        "board/games.parquet",
        "board/runs.parquet",
    ]
    for path in written:
        made, kept = pd.read_parquet(tmp_path / path), pd.read_parquet(BOARD.parent / path)
        pd.testing.assert_frame_equal(made, kept)


def test_the_files_are_small():
    assert sum(path.stat().st_size for path in BOARD.iterdir()) < 200_000


def test_all_arms_answered_the_same_keys(runs):
    assert not runs.duplicated(["item_id", "seed", "arm"]).any()
    assert runs.groupby(["item_id", "seed"])["arm"].nunique().eq(8).all()
    assert runs["item_id"].nunique() == 360
    assert runs["cluster_id"].nunique() == 60
    assert runs.loc[runs["seed"] == 1, "item_id"].nunique() == 90


def test_an_item_is_labelled_in_the_first_answer_of_all_arms_or_in_none(runs):
    labelled = runs[runs["human"].notna()]
    assert labelled["seed"].eq(0).all()
    assert labelled.groupby("item_id")["arm"].nunique().eq(8).all()
    assert labelled["item_id"].nunique() == 48
    assert runs["judge"].between(1, 10).all()
    assert labelled["human"].between(1, 10).all()


def test_each_pair_is_shown_in_both_orders_with_one_human_verdict(games):
    pair = [min(names) + max(names) for names in zip(games["arm_a"], games["arm_b"], strict=True)]
    shown = games.assign(pair=pair).groupby(["item_id", "pair"])
    assert shown.size().eq(2).all()
    assert shown["arm_a"].nunique().eq(2).all()
    assert shown["human"].nunique(dropna=False).eq(1).all()
    assert games.assign(pair=pair)["pair"].value_counts().eq(60).all()


def test_winners_are_an_arm_of_the_game_or_a_tie(games):
    for column in ("winner", "human"):
        told = games[games[column].notna()]
        ends = (told[column] == told["arm_a"]) | (told[column] == told["arm_b"])
        assert (ends | (told[column] == "tie")).all()


def test_games_show_the_answers_of_the_runs(runs, games):
    first = runs[runs["seed"] == 0].set_index(["item_id", "arm"])["n_output_tokens"]
    for side in "ab":
        keys = pd.MultiIndex.from_frame(games[["item_id", f"arm_{side}"]])
        assert (first.loc[keys].to_numpy() == games[f"tokens_{side}"].to_numpy()).all()


def test_the_true_order_is_that_of_the_parameters(script):
    assert sorted(script.ARMS, key=lambda arm: -script.ARMS[arm].quality) == TRUE_ORDER


def test_the_judge_puts_the_arm_with_long_answers_first_and_is_sure(runs):
    found = rank(runs, value="judge").set_index("arm")
    assert found.index[found["best"]].tolist() == ["maple"]
    assert found.loc["maple", "rank_high"] == 1
    tokens = runs.groupby("arm")["n_output_tokens"].median()
    assert tokens["maple"] > 2 * tokens.drop("maple").max()


def test_the_judge_overrates_that_arm_more_than_any_other(runs):
    found = agreement(runs, judge="judge", gold="human", statistic="bias", by="arm")
    found = found.set_index("arm")
    others = found.drop(index="maple")
    assert found.loc["maple", "conf_low"] > others["conf_high"].max()


def test_the_judge_likes_the_first_answer_and_the_longer_one(games):
    found = judge_bias(games, length_a="tokens_a", length_b="tokens_b", gold="human")
    low = found.set_index("statistic")["conf_low"]
    assert low["flips_to_first"] > 0.5
    assert low["longer_excess"] > 0
    assert low["length_slope"] > 0


def test_labels_repair_the_order_where_arms_are_apart(runs):
    found = debias(runs, judge="judge", gold="human").set_index("arm")["estimate"]
    assert found.sort_values(ascending=False).index[:5].tolist() == TRUE_ORDER[:5]


def test_labels_do_not_part_the_best(runs):
    gaps = debias(runs, judge="judge", gold="human", baseline="cedar", level=1 - 0.05 / 28)
    high = gaps.set_index("arm")["conf_high"]
    assert sorted(high.index[high > 0]) == ["birch", "hazel"]


def test_elo_has_the_taste_of_its_judge(games):
    judge = bradley_terry(games, side=True).set_index("arm")
    people = bradley_terry(games, winner="human").set_index("arm")
    assert judge["elo"].idxmax() == "maple"
    assert people.loc["maple", "elo_high"] < judge.loc["maple", "elo_low"]


def test_other_seeds_tell_the_same_story(script):
    covered = []
    for seed in range(20):
        tables, human = script.simulate(seed)
        found = debias(tables["runs"], judge="judge", gold="human").set_index("arm")
        assert found["estimate_judge"].idxmax() == "maple"
        assert found["estimate"].idxmax() in ("cedar", "birch", "hazel")
        # The labels that were hidden are at hand here: the mean over all items, first answers.
        hidden = human[:, :, 0].mean(axis=1)
        covered.append((found["conf_low"] <= hidden) & (hidden <= found["conf_high"]))
    # 160 intervals of 95%; the eight of a seed share their items, so that their misses cluster.
    assert np.mean(covered) > 0.9
