"""Simulated coverage: against exact sums, and draws against the variances asked for."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from evalframe import coverage, score
from evalframe.rng import generator
from evalframe.stats.simulate import Design, draw_items


def evaluation(n, right, **columns):
    return pd.DataFrame(
        {"item_id": range(n), "score": [1.0] * right + [0.0] * (n - right), **columns}
    )


def exact(n, p, interval):
    """Return the coverage of an interval, summed over all counts of right items."""
    held = 0.0
    for right in range(n + 1):
        row = score(evaluation(n, right), interval=interval).iloc[0]
        inside = row["conf_low"] - 1e-12 <= p <= row["conf_high"] + 1e-12
        held += stats.binom.pmf(right, n, p) * inside
    return held


@pytest.mark.parametrize("interval", ["t", "normal", "wilson", "mid-p", "jeffreys"])
@pytest.mark.parametrize(("n", "right"), [(15, 14), (20, 10)])
def test_coverage_of_independent_items_is_the_exact_sum(n, right, interval):
    row = coverage(evaluation(n, right), interval=interval, n_sim=3000).iloc[0]
    expected = exact(n, right / n, interval)
    assert abs(row["coverage"] - expected) < 4 * (expected * (1 - expected) / 3000) ** 0.5 + 1e-3
    assert_allclose(row["coverage"] + row["too_low"] + row["too_high"], 1.0, rtol=1e-12)
    assert row["coverage_error"] == pytest.approx(
        (row["coverage"] * (1 - row["coverage"]) / 3000) ** 0.5
    )


def test_an_interval_that_fails_is_told_from_one_that_holds():
    found = coverage(evaluation(30, 29), interval=["t", "auto"]).set_index("interval")
    assert found.loc["t", "coverage"] < 0.8 < 0.93 < found.loc["auto", "coverage"]
    assert "where it claims 95%" in found.loc["t", "note"]
    assert found.loc["auto", "note"] == ""


def test_ignoring_clusters_is_seen_to_fail():
    frame = evaluation(120, 60)
    frame["cluster_id"] = np.tile(np.arange(12), 10)
    whole = coverage(frame, interval="cr2", icc=0.3, n_sim=800).iloc[0]
    assert whole["icc"] == pytest.approx(0.3)
    assert whole["n_clusters"] == 12
    assert whole["coverage"] > 0.92


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("runs", [1, 3])
def test_draws_have_the_variances_of_the_design(whole, runs):
    p, cluster, item = 0.7, 0.03, 0.05
    seed = p * (1 - p) - cluster - item if whole else 0.06
    design = Design(
        cluster=np.repeat(np.arange(6), 4),
        runs=np.full(24, runs),
        mean=p,
        var_cluster=cluster,
        var_item=item,
        var_seed=seed,
        whole=whole,
        pool=None,
    )
    drawn = draw_items(design, 20_000, generator(0)).reshape(-1, 6, 4)
    assert_allclose(drawn.mean(), p, atol=0.005)
    assert_allclose(drawn.var(), cluster + item + seed / runs, rtol=0.03)
    within = np.mean(drawn[:, :, 0] * drawn[:, :, 1]) - p**2
    assert_allclose(within, cluster, rtol=0.06)
    assert_allclose(np.mean(drawn[:, 0] * drawn[:, 1]) - p**2, 0.0, atol=0.003)
    assert drawn.min() >= 0
    assert drawn.max() <= 1


def test_scores_without_a_scale_keep_their_skew():
    pool = np.random.default_rng(0).exponential(size=200)
    pool -= pool.mean()
    design = Design(
        np.arange(50), np.ones(50, int), 10.0, 0.0, float(np.mean(pool**2)), 0.0, False, pool
    )
    drawn = draw_items(design, 4000, generator(0))
    assert_allclose([drawn.mean(), drawn.var()], [10.0, np.mean(pool**2)], rtol=0.02)
    assert_allclose(stats.skew(drawn.ravel()), stats.skew(pool), rtol=0.05)


def test_given_means_are_taken():
    frame = evaluation(40, 20)
    row = coverage(frame, mean=0.9, interval="t", n_sim=500).iloc[0]
    assert row["mean"] == 0.9
    assert row["coverage"] < 0.97


def test_items_all_alike_are_drawn_beside_the_end():
    row = coverage(evaluation(25, 25), interval="wilson", n_sim=500).iloc[0]
    assert_allclose(row["mean"], 25.5 / 26)
    assert "a guess" in row["note"]


def test_an_interval_that_is_not_defined_holds_nothing():
    frame = pd.DataFrame({"item_id": range(8), "score": [0.5, 2.5, 1.0, 3.0, 2.0, 1.5, 0.3, 0.9]})
    row = coverage(frame, interval="mid-p", n_sim=50).iloc[0]
    assert np.isnan(row["coverage"])
    assert "not defined" in row["note"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"interval": "wald"}, "interval must be one of 't'"),
        ({"interval": []}, "interval must be one of 't'"),
        ({"n_sim": 1}, "n_sim must be an integer of at least 2"),
        ({"icc": 2}, "icc must be a number between 0 and 1"),
        ({"mean": 1.0}, "mean must be a number between 0 and 1"),
    ],
)
def test_arguments_that_cannot_be_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        coverage(evaluation(5, 3), **given)


def test_missing_scores_leave_a_trace():
    frame = evaluation(20, 12)
    frame.loc[[0, 1, 2], "score"] = np.nan
    assert "3 missing left out" in coverage(frame, interval="t", n_sim=20).loc[0, "note"]
    zeros = coverage(frame, interval="t", n_sim=20, missing="zero").loc[0, "note"]
    assert "3 missing counted as 0" in zeros
