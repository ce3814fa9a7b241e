"""Simultaneous limits hold for all pairs at once, and limits of ranks for all arms."""

import numpy as np
import pandas as pd
import pytest

from evalframe import pairs, rank
from evalframe.methods.ranking.pair_rows import pairs_family
from evalframe.stats.arm_pairs import arm_pairs
from evalframe.stats.item_table import ItemTable
from evalframe.stats.rays import quantile

SIMULATIONS = 300
# Four binomial standard errors around the bounds that are asked for.
ERROR = 4 * np.sqrt(0.95 * 0.05 / SIMULATIONS)


def runs(draw, truth, n, clusters=None):
    """Return scores of correlated arms on items that differ, in clusters that differ as well."""
    arms = len(truth)
    score = truth + draw.normal(size=(n, 1)) + draw.normal(size=(n, arms))
    frame = pd.DataFrame({"item_id": np.repeat(np.arange(n), arms), "arm": list(range(arms)) * n})
    if clusters:
        frame["cluster_id"] = frame["item_id"] % clusters
        score += 0.7 * draw.normal(size=(clusters, arms))[np.arange(n) % clusters]
    return frame.assign(score=score.ravel())


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [None, 20, 50])
@pytest.mark.parametrize("n_arms", [5, 20])
def test_simultaneous_limits_hold_for_all_pairs_at_once(n_arms, clusters):
    # From the table on: reading frames would take most of the time.
    draw, held, none = np.random.default_rng(n_arms), 0, np.zeros(0, dtype=np.int64)
    for _ in range(SIMULATIONS):
        frame = runs(draw, np.zeros(n_arms), 200, clusters)
        series = np.ascontiguousarray(frame["score"].to_numpy().reshape(200, n_arms).T)
        cluster = None if clusters is None else np.arange(200) % clusters
        items = ItemTable(series, cluster, none, np.zeros((0, n_arms, 0)))
        found = arm_pairs(items)
        limit = quantile([pairs_family(items, found, 0, 1_024)], 0.95)
        held += (np.abs(found.diff) <= limit * found.se).all()
    # Between 0.93 and 0.97, but for the error of the simulation.
    assert abs(held / SIMULATIONS - 0.95) <= max(0.02, ERROR)


def test_the_limits_of_a_result_are_those_of_the_simulation():
    frame = runs(np.random.default_rng(0), np.zeros(5), 200, 20)
    items = ItemTable(
        np.ascontiguousarray(frame["score"].to_numpy().reshape(200, 5).T),
        np.arange(200) % 20,
        np.zeros(0, dtype=np.int64),
        np.zeros((0, 5, 0)),
    )
    limit = quantile([pairs_family(items, arm_pairs(items), 0, 1_024)], 0.95)
    assert (pairs(frame, n_draws=1_024)["sim_quantile"] == limit).all()


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [None, 30])
def test_limits_of_ranks_hold_for_all_arms_and_the_best_is_kept(clusters):
    draw = np.random.default_rng(1)
    # Arms that are nearly equal are the hard ones: no two here are equal.
    truth = np.array([0.0, 0.02, 0.04, 0.06, 0.4, 0.42, 0.8])
    order = np.arange(7, 0, -1)
    held = kept = 0
    for _ in range(SIMULATIONS):
        found = rank(runs(draw, truth, 150, clusters), n_boot=1_000)
        held += ((found["rank_low"] <= order) & (order <= found["rank_high"])).all()
        kept += found["best"].iloc[-1]
    assert held / SIMULATIONS >= 0.95 - ERROR
    assert kept / SIMULATIONS >= 0.95 - ERROR


@pytest.mark.slow
def test_the_best_of_equal_arms_are_kept_as_often_as_said():
    draw, kept = np.random.default_rng(2), np.zeros(6)
    for _ in range(SIMULATIONS):
        kept += rank(runs(draw, np.zeros(6), 100), n_boot=1_000)["best"].to_numpy()
    assert (np.abs(kept / SIMULATIONS - 0.95) <= ERROR).all()
