"""Groups pooled into one number: published values, laws, notes."""

import numpy as np
import pandas as pd
from arms_of_items import runs
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from evalframe import contrasts, pooled, score

few = settings(max_examples=20, deadline=None)
draws = st.integers(0, 2**31)


def suite(seed: int, clusters: int | None = None) -> pd.DataFrame:
    """Three tasks on the same 24 items, which are hard or easy in all of them."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=24) if clusters is None else np.repeat(rng.normal(size=8), 3)
    frame = pd.DataFrame({"item_id": np.tile(np.arange(24), 3), "task": np.repeat(list("abc"), 24)})
    frame["score"] = hard[frame["item_id"]] + rng.normal(size=72)
    return frame if clusters is None else frame.assign(cluster_id=frame["item_id"] // 3)


def test_u001_macro_and_micro_have_their_own_errors():
    frame = pd.DataFrame(
        {
            "task": ["A"] * 100 + ["B"] * 400,
            "item_id": range(500),
            "score": [1] * 80 + [0] * 20 + [1] * 200 + [0] * 200,
        }
    )
    found = pooled(frame, by="task").set_index("weighting")
    assert_allclose(
        found.loc["macro", ["estimate", "se"]].astype(float), [0.65, 0.0236787], atol=5e-8
    )
    assert_allclose(
        found.loc["micro", ["estimate", "se"]].astype(float), [0.56, 0.0215789], atol=5e-8
    )
    # The mean of the two standard errors is the error of neither (U039).
    assert not np.isclose(found["se"], 0.0326164, atol=1e-4).any()


@few
@given(draws)
def test_one_group_is_pooled_into_itself(seed):
    frame = runs(np.random.default_rng(seed)).assign(task="only")
    kinds = ["macro", "micro", "inverse-variance"]
    found = pooled(frame, "base", by="task", weighting=kinds)
    single = contrasts(frame, "base", n_draws=100).set_index("arm")
    for row in found.itertuples():
        assert_allclose([row.estimate, row.se], single.loc[row.arm, ["diff", "se"]].tolist())
        if row.weighting != "inverse-variance":
            assert_allclose(row.p_value, single.loc[row.arm, "p_value"], rtol=1e-9)
        assert row.q_statistic < 1e-20
        assert row.i_squared == 0


def test_a_group_that_an_arm_lacks_is_said_to_be_missing():
    frame = runs(np.random.default_rng(0), arms=("x", "y")).assign(task="a")
    frame = pd.concat([frame, frame[frame["arm"] == "x"].assign(task="b")])
    found = pooled(frame, by="task", weighting="macro").set_index("arm")
    assert found["n_groups"].tolist() == [2, 1]
    assert "no item in 1 of 2 groups" in found.loc["y", "note"]


def test_values_counted_as_0_are_noted_in_pools():
    frame = runs(np.random.default_rng(0)).assign(task="a")
    frame.loc[[0, 30, 31], "score"] = np.nan
    scores = pooled(frame, by="task", weighting="macro", missing="zero").set_index("arm")
    gaps = pooled(frame, "base", by="task", weighting="macro", missing="zero").set_index("arm")
    assert "2 missing counted as 0" in scores.loc["x", "note"]
    assert "3 missing counted as 0" in gaps.loc["x", "note"]
    assert "counted" not in "".join(pooled(frame, by="task", missing="drop")["note"])


@few
@given(draws, st.sampled_from([None, 8]))
def test_groups_of_the_same_items_pool_as_the_mean_over_groups_of_each_item(seed, clusters):
    frame = suite(seed, clusters)
    found = pooled(frame, by="task", weighting=["macro", "micro"], shared=True)
    single = score(frame.groupby("item_id", as_index=False).mean(numeric_only=True))
    for name in ("estimate", "se", "conf_low", "conf_high", "df"):
        assert_allclose(found[name], [single[name][0]] * 2, rtol=1e-9)


def test_labels_in_several_pooled_groups_are_noted_and_their_covariance_used_when_asked():
    frame = suite(0, 8)
    plain = pooled(frame, by="task", weighting="macro").iloc[0]
    assert "labels of cluster_id stand in several groups: taken as different" in plain["note"]
    assert "shared=True" in plain["note"]
    found = pooled(frame, by="task", weighting="macro", shared=True).iloc[0]
    assert "labels of cluster_id stand in several groups: the groups' covariance" in found["note"]
    assert found["n_clusters"] == 8
    apart = frame.assign(
        item_id=frame["task"] + frame["item_id"].astype(str),
        cluster_id=frame["task"] + frame["cluster_id"].astype(str),
    )
    other = pooled(apart, by="task", weighting="macro", shared=True).iloc[0]
    assert other["note"] == ""
    assert other["n_clusters"] == plain["n_clusters"] == 24
    assert other["se"] == plain["se"]
    assert found["se"] > 1.2 * other["se"]


def test_items_in_some_groups_only_agree_with_a_slow_sum_over_items():
    frame = suite(1).drop(index=[0, 5, 30, 50, 51]).reset_index(drop=True)
    found = pooled(frame, by="task", weighting="macro", shared=True).iloc[0]
    total = dict.fromkeys(range(24), 0.0)
    for _, one in frame.groupby("task"):
        n, mean = len(one), one["score"].mean()
        for item, value in zip(one["item_id"], one["score"], strict=True):
            total[item] += (value - mean) / n * np.sqrt(n / (n - 1)) / 3
    assert_allclose(found["se"], np.sqrt(sum(one**2 for one in total.values())), rtol=1e-10)
