"""overview: what is there, arm by arm."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import evalframe
from evalframe import FrameError, RoleError, overview, score
from evalframe.results import DTYPE, TABLES

READING = Path(__file__).parents[2] / "data" / "reading.parquet"


def runs():
    """Return 3 items of base, 2 of edit; item 1 of base has two seeds, item 2 no score."""
    return pd.DataFrame(
        {
            "item_id": [1, 1, 2, 3, 1, 4],
            "arm": ["base"] * 4 + ["edit"] * 2,
            "seed": [0, 1, 0, 0, 0, 0],
            "score": [1.0, 0.0, np.nan, 1.0, 1.0, 0.0],
            "cluster_id": ["a", "a", "a", "b", "a", "c"],
            "task": ["x", "x", "y", "y", "x", "x"],
        }
    )


def test_counts_of_each_arm():
    rows = overview(runs()).set_index("arm").T.to_dict()
    assert rows["base"] == {
        "n_items": 3,
        "n_responses": 3,
        "seeds_min": 1,
        "seeds_max": 2,
        "n_clusters": 2,
        "n_missing": 1,
        "n_items_absent": 1,
        "mean": 0.75,
    }
    assert rows["edit"]["n_items_absent"] == 2
    assert rows["edit"]["n_clusters"] == 2


def test_an_arm_that_lacks_a_whole_group_has_a_row():
    rows = overview(runs(), by="task").set_index(["task", "arm"])
    absent = rows.loc[("y", "edit")]
    assert (absent["n_items"], absent["n_items_absent"], absent["seeds_max"]) == (0, 2, 0)
    assert pd.isna(absent["mean"])
    assert rows.loc[("x", "base"), "n_items"] == 1


def test_without_scores_rows_are_counted_and_the_mean_is_unknown():
    rows = overview(runs().drop(columns=["score", "cluster_id"])).set_index("arm")
    assert rows["n_responses"].tolist() == [4, 2]
    assert rows["n_missing"].tolist() == [0, 0]
    assert rows["mean"].isna().all()
    assert rows["n_clusters"].isna().all()


def test_without_arms_there_is_one():
    rows = overview(runs().head(4)[["item_id", "seed"]])
    assert rows["arm"].tolist() == ["all"]
    assert rows["n_items_absent"].tolist() == [0]


@pytest.mark.parametrize("by", [None, "task"])
def test_the_mean_and_the_counts_are_those_of_score(by):
    table = pd.read_parquet(READING) if by is None else runs()
    shown, scored = overview(table, by=by), score(table, by=by)
    shown = shown[shown["n_items"] > 0].reset_index(drop=True)
    assert_frame_equal(
        shown[["mean", "n_responses", "n_missing"]],
        scored[["estimate", "n_responses", "n_missing"]].rename(columns={"estimate": "mean"}),
    )


@pytest.mark.parametrize("rows", [6, 0])
def test_columns_and_dtypes_are_those_of_the_table(rows):
    result = overview(runs().head(rows), by="task")
    assert list(result.columns) == ["task", *TABLES["overview"]]
    for column, kind in TABLES["overview"].items():
        assert kind == "label" or result[column].dtype == DTYPE[kind]


def test_parquet_gives_it_back_and_the_input_is_unchanged(tmp_path):
    frame = runs()
    before = frame.copy(deep=True)
    result = overview(frame, by="task")
    assert_frame_equal(frame, before)
    evalframe.write_parquet(result, tmp_path / "x.parquet")
    back = evalframe.read_parquet(tmp_path / "x.parquet")
    assert_frame_equal(back, result)
    assert back.attrs == result.attrs


@given(st.permutations(range(6)))
def test_the_order_of_rows_changes_nothing(order):
    assert_frame_equal(overview(runs().iloc[order]), overview(runs()), check_exact=True)


def test_faults_are_refused_by_name():
    with pytest.raises(RoleError, match=r"item_id.*\n.*\n.*tidy\(item="):
        overview(runs().drop(columns="item_id"))
    with pytest.raises(FrameError, match="'score' must hold numbers"):
        overview(runs().assign(score="C"))
    with pytest.raises(RoleError, match="by cannot name 'mean'"):
        overview(runs().assign(mean=1), by="mean")
    with pytest.raises(TypeError, match="wanted a DataFrame"):
        overview([1, 2])
