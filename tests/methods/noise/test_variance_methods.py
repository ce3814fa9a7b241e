"""Intraclass correlation and variance components: laws, and truth in simulation."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from evalframe import icc, score, variance


def nested(draw, n_clusters, size, seeds, parts):
    """Return runs with the given variances of clusters, items and runs; sizes and seeds vary."""
    sizes = draw.integers(1, size + 1, n_clusters)
    cluster = np.repeat(np.arange(n_clusters), sizes)
    item = np.arange(len(cluster))
    k = draw.integers(1, seeds + 1, len(item))
    rows = np.repeat(item, k)
    of_cluster, of_item, of_run = (part**0.5 for part in parts)
    value = (
        draw.normal(size=n_clusters)[cluster] * of_cluster + draw.normal(size=len(item)) * of_item
    )
    return pd.DataFrame(
        {
            "item_id": rows,
            "seed": np.concatenate([np.arange(one) for one in k]),
            "cluster_id": cluster[rows],
            "score": value[rows] + draw.normal(size=len(rows)) * of_run,
        }
    )


@pytest.mark.slow
def test_components_are_unbiased_with_unequal_clusters_and_runs():
    draw, parts = np.random.default_rng(2), (0.5, 1.0, 2.0)
    columns = ["var_cluster_raw", "var_item_raw", "var_seed"]
    found = np.array(
        [
            variance(nested(draw, 30, 6, 3, parts), seeds=[1])[columns].iloc[0].to_numpy(float)
            for _ in range(300)
        ]
    )
    error = found.std(axis=0) / len(found) ** 0.5
    assert (np.abs(found.mean(axis=0) - parts) < 4 * error).all()


def test_the_forecast_of_the_observed_runs_is_the_error_of_score():
    frame = nested(np.random.default_rng(0), 12, 5, 1, (0.5, 1.0, 2.0))
    frame = pd.concat([frame, frame.assign(seed=1, score=frame["score"] + 0.3)])
    frame.loc[frame["item_id"] % 2 == 0, "score"] *= 1.5
    found = variance(frame, seeds=[1, 2, np.inf]).set_index("design", append=True)
    observed = score(frame).loc[0, "se"]
    assert_allclose(found["se"].iloc[[0, 2]], observed, rtol=1e-12)
    assert found["se"].iloc[1] >= observed >= found["se"].iloc[3]


def test_shares_add_up_to_one():
    frame = nested(np.random.default_rng(0), 12, 5, 3, (0.5, 1.0, 2.0))
    found = variance(frame)
    shares = found[["share_cluster", "share_item", "share_seed"]].sum(axis=1)
    assert_allclose(shares, 1.0, rtol=1e-12)
    assert found["share_seed"].iloc[1:].is_monotonic_decreasing
    assert found["share_seed"].iloc[-1] == 0


def test_clusters_of_one_item_leave_the_rest_as_it_is_without_clusters():
    frame = nested(np.random.default_rng(0), 12, 5, 3, (0.5, 1.0, 2.0))
    alone = variance(frame.assign(cluster_id=frame["item_id"]))
    plain = variance(frame, cluster=False)
    assert_allclose(alone["se"], plain["se"], rtol=1e-12)
    assert_allclose(alone["var_item"], plain["var_item"], rtol=1e-12)
    assert "cannot be told apart" in alone["note"].iloc[0]


def test_the_correlation_of_differences_is_not_that_of_scores():
    frame = nested(np.random.default_rng(0), 40, 6, 1, (1.0, 0.1, 0.0))
    other = frame.assign(score=frame["score"] + np.random.default_rng(1).normal(size=len(frame)))
    both = pd.concat([frame.assign(arm="base"), other.assign(arm="edit")])
    alone = icc(both).set_index("arm")["icc"]
    paired = icc(both, "base")
    assert alone["base"] > 0.8
    assert paired["icc"].iloc[0] < 0.2
    assert paired[["arm", "baseline"]].iloc[0].tolist() == ["edit", "base"]
    gap = frame.assign(score=other["score"] - frame["score"])
    assert_allclose(paired["icc_raw"], icc(gap)["icc_raw"], rtol=1e-10)


def test_design_effect_is_the_one_of_score_for_equal_clusters():
    frame = nested(np.random.default_rng(0), 200, 1, 1, (1.0, 1.0, 0.0))
    frame = pd.concat([frame.assign(item_id=frame["item_id"] + 1000 * j) for j in range(4)])
    frame["score"] += np.random.default_rng(1).normal(size=len(frame))
    found, plain = icc(frame).iloc[0], score(frame).iloc[0]
    assert found["cluster_size"] == 4
    assert_allclose(found["design_effect"], plain["design_effect"], rtol=0.01)


@pytest.mark.parametrize("seeds", [[0], [0.5, 2], [np.nan], [1e300], [10**400], [True]])
def test_numbers_of_runs_below_one_are_refused(seeds):
    frame = nested(np.random.default_rng(0), 5, 3, 3, (1.0, 1.0, 1.0))
    with pytest.raises(ValueError, match="seeds must be numbers from 1 to 10,000,000, or infinite"):
        variance(frame, seeds=seeds)


def test_values_counted_as_0_are_noted():
    frame = nested(np.random.default_rng(0), 12, 5, 3, (0.5, 1.0, 2.0)).assign(arm="base")
    frame = pd.concat([frame, frame.assign(arm="edit", score=frame["score"] + 0.1)])
    frame = frame.reset_index(drop=True)
    frame.loc[[0, 2, len(frame) - 1], "score"] = np.nan
    for found in (variance(frame, seeds=[1], missing="zero"), icc(frame, missing="zero")):
        by_arm = found.set_index("arm")["note"]
        assert by_arm.loc[["base"]].str.contains("2 missing counted as 0").all()
        assert by_arm.loc[["edit"]].str.contains("1 missing counted as 0").all()
    assert "3 missing counted as 0" in icc(frame, "base", missing="zero").loc[0, "note"]
