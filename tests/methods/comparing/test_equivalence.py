"""Verdicts against a margin: laws and edges."""

import numpy as np
import pandas as pd
import pytest
from arms_of_items import runs
from numpy.testing import assert_allclose
from scipy import stats

from evalframe import compare


@pytest.mark.parametrize(
    ("gap", "margin", "verdict", "true"),
    [
        (2.0, 0.1, "better", {"better", "not_worse"}),
        (-2.0, 0.1, "worse", {"worse", "not_better"}),
        (0.0, 2.0, "equivalent", {"equivalent", "not_worse", "not_better"}),
        (0.4, 0.5, "not worse", {"not_worse"}),
        (-0.4, 0.5, "not better", {"not_better"}),
        (0.0, 0.01, "inconclusive", set()),
        (2.0, 9.0, "better", {"better", "equivalent", "not_worse", "not_better"}),
    ],
)
def test_verdicts(gap, margin, verdict, true):
    spread = np.tile([-2.0, -1.0, 0.0, 1.0, 2.0], 10)
    n = len(spread)
    frame = pd.DataFrame(
        {
            "item_id": np.tile(np.arange(n), 2),
            "arm": ["base"] * n + ["edit"] * n,
            "score": np.concatenate([np.zeros(n), spread + gap]),
        }
    )
    row = compare(frame, "base", interval="t", margin=margin).iloc[0]
    flags = ["better", "worse", "equivalent", "not_worse", "not_better"]
    assert row["verdict"] == verdict
    assert {name for name in flags if row[name]} == true
    for ours, side, bound in (
        ("p_not_worse", "greater", -margin),
        ("p_not_better", "less", margin),
    ):
        test = stats.ttest_1samp(spread + gap, bound, alternative=side)
        assert_allclose(row[ours], test.pvalue, rtol=1e-9)
        assert (row[ours] < 0.025) == row[ours[2:]]


def test_a_margin_belongs_to_the_score_unless_columns_are_named():
    frame = runs(np.random.default_rng(0)).assign(n_output_tokens=range(90))
    found = compare(frame, "base", margin=0.5, n_boot=20).set_index(["arm", "metric"])
    assert found["margin"].unstack()["score"].tolist() == [0.5, 0.5]
    assert found["margin"].unstack()["tokens"].isna().all()
    assert (found["verdict"].unstack()["tokens"] == "").all()
    both = compare(frame, "base", margin={"score": 0.5, "tokens": 9.0}, n_boot=20)
    assert both["margin"].tolist() == [0.5, 9.0] * 2
    with pytest.raises(ValueError, match="margin names columns that are not compared: 'cost'"):
        compare(frame, "base", margin={"cost": 1.0})
    with pytest.raises(ValueError, match="margin must be a number above 0"):
        compare(frame, "base", margin=0)


def test_a_sure_difference_within_the_margin_is_said_to_be_equivalent_too():
    frame = pd.DataFrame({"item_id": list(range(400)) * 2, "arm": ["base"] * 400 + ["x"] * 400})
    frame["score"] = np.where((frame["arm"] == "x") & (frame["item_id"] < 8), 1.0, 0.0)
    row = compare(frame, "base", margin=0.1, value="score").iloc[0]
    assert row["verdict"] == "better"
    assert row["equivalent"]
    assert "smaller than the margin of 0.1: equivalent too" in row["note"]
