from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal

from evalframe import bradley_terry
from evalframe.errors import DesignError, FrameError


def runs(n_items=20, arms=("x", "y", "z"), seeds=(0, 1), clusters=None):
    """Return scores of arms on the same items and seeds, many of them equal."""
    draw = np.random.default_rng(1)
    index = pd.MultiIndex.from_product([range(n_items), arms, seeds])
    frame = index.to_frame(index=False, name=["item_id", "arm", "seed"])
    frame["score"] = draw.integers(0, 3, len(frame)) / 2
    if clusters:
        frame["cluster_id"] = frame["item_id"] % clusters
    return frame


def as_games(frame):
    """Return a game of each two scores of an item and seed, one by one."""
    rows = []
    for (item, _), part in frame.groupby(["item_id", "seed"]):
        for (_, one), (_, other) in combinations(part.iterrows(), 2):
            gap = one["score"] - other["score"]
            winner = None if np.isnan(gap) else "a" if gap > 0 else "b" if gap < 0 else "tie"
            rows.append([one["arm"], other["arm"], winner, item, one.get("cluster_id")])
    return pd.DataFrame(rows, columns=["arm_a", "arm_b", "winner", "item_id", "cluster_id"])


@pytest.mark.parametrize("clusters", [None, 6])
@pytest.mark.parametrize("ties", ["half", "davidson", "drop"])
def test_scores_are_games_that_the_higher_one_won(ties, clusters):
    frame = runs(clusters=clusters)
    found = bradley_terry(frame, "x", ties=ties)
    assert_frame_equal(found, bradley_terry(as_games(frame), "x", ties=ties), check_exact=True)
    assert set(found["unit"]) == {"cluster" if clusters else "item"}


def test_missing_scores_are_games_without_a_winner():
    frame = runs()
    frame.loc[[0, 17, 40], "score"] = np.nan
    found = bradley_terry(frame)
    assert_frame_equal(found, bradley_terry(as_games(frame)), check_exact=True)
    assert found["n_missing"].sum() > 0
    with pytest.raises(FrameError, match=r"'score' must have a value.*item_id=0, arm='x'"):
        bradley_terry(frame, missing="raise")
    zero = bradley_terry(frame.fillna({"score": 0.0}))
    found = bradley_terry(frame, missing="zero")
    assert_frame_equal(found.drop(columns="note"), zero.drop(columns="note"), check_exact=True)
    assert found["note"].tolist() == [
        "1 missing counted as 0",
        "",
        "2 missing counted as 0",
    ]


def test_an_item_that_one_arm_has_is_no_game_and_is_counted():
    frame = runs(n_items=10)
    more = runs(n_items=12, arms=("x",)).query("item_id >= 10")
    found = bradley_terry(pd.concat([frame, more]))
    assert_frame_equal(
        found.drop(columns="note"), bradley_terry(frame).drop(columns="note"), check_exact=True
    )
    assert found["note"].tolist() == ["4 scores of items no other arm has", "", ""]
    found = bradley_terry(pd.concat([frame, more.iloc[:1]]))
    assert found["note"].tolist() == ["1 score of an item no other arm has", "", ""]
    with pytest.raises(DesignError, match="item_id=10"):
        bradley_terry(pd.concat([frame, more]), missing="raise")


def test_any_column_of_numbers_can_be_played_for():
    frame = runs().assign(latency_s=lambda f: -f["score"])
    found, other = bradley_terry(frame), bradley_terry(frame, value="latency_s")
    assert_array_equal(found["wins"], other["losses"])
    with pytest.raises(ValueError, match="value is for tidy runs and winner for rows"):
        bradley_terry(frame, value="score", winner="score")


def test_a_frame_of_games_and_runs_is_read_as_told():
    frame = runs(n_items=30, seeds=(0,)).assign(arm_a="x", arm_b="y", winner=["a", "b", "b"] * 30)
    assert bradley_terry(frame)["arm"].tolist() == ["x", "y"]
    assert bradley_terry(frame, value="score")["arm"].tolist() == ["x", "y", "z"]


def test_scores_have_no_sides():
    with pytest.raises(ValueError, match="side=True needs rows that are games"):
        bradley_terry(runs(), side=True)


def test_one_arm_and_disjoint_arms_have_no_games():
    with pytest.raises(DesignError, match=r"40 score\(s\) of an item that no other arm has"):
        bradley_terry(runs(arms=("x",)))
    apart = runs(arms=("x", "y"))
    apart = apart[(apart["arm"] == "x") == (apart["item_id"] < 10)]
    with pytest.raises(DesignError, match=r"found none: 0 game"):
        bradley_terry(apart)
