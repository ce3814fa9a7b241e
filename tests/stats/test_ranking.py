"""Ranks: against counting every resample, and what limits say of each arm."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from evalframe.rng import generator
from evalframe.stats.arm_pairs import ArmPairs, arm_pairs
from evalframe.stats.item_table import ItemTable
from evalframe.stats.ranking import (
    Ranks,
    critical_values,
    may_be_best,
    normal_draws,
    ranks,
    ranks_of_draws,
    resampled_means,
    told_apart,
)
from evalframe.stats.value_order import ValueOrder, value_order

NONE = np.zeros(0, dtype=np.int64)


def table(series, cluster=None):
    return ItemTable(np.asarray(series, float), cluster, NONE, np.zeros((0, len(series), 0)))


def counted(items, n_boot, seed=0):
    """Return the ranks of all arms among resamples, by arm."""
    order = value_order(items.series)
    drawn = resampled_means(items.of_arms(order.arm), generator(seed), n_boot, None)
    found = ranks_of_draws(drawn, np.bincount(order.place), order, items.scale)
    return found.share[order.place], found.top[order.place], drawn[:, order.place]


def every_resample(units, size):
    """Return the shares of ranks and of the lead over all resamples of units, counted."""
    n_arms, n = units.shape
    share, top = np.zeros((n_arms, n_arms)), np.zeros(n_arms)
    for drawn in product(range(n), repeat=n):
        mean = units[:, drawn].sum(axis=1) / size[list(drawn)].sum()
        rank = (mean[None] > mean[:, None] + 1e-12).sum(axis=1)
        share[np.arange(n_arms), rank] += 1
        top += (rank == 0) / (rank == 0).sum()
    return share / n**n, top / n**n


SMALL = {
    "right and wrong": [[1, 1, 0, 1], [1, 0, 1, 1], [0, 1, 0, 0]],
    "means over seeds": [[0.2, 0.4, 1.0, 0.6], [0.4, 0.4, 0.8, 0.6], [0.6, 0.0, 1.0, 0.6]],
    "two arms alike": [[1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 1]],
    "no ties": [[0.11, 0.52, 0.93, 0.2], [0.47, 0.12, 0.61, 0.3], [0.23, 0.99, 0.4, 0.01]],
}


@pytest.mark.parametrize("name", SMALL)
def test_shares_are_those_of_all_resamples(name):
    series = np.array(SMALL[name], dtype=float)
    share, top = every_resample(series, np.ones(4))
    found, lead, _ = counted(table(series), 40_000)
    assert_allclose(found, share, atol=4 * 0.5 / 200)
    assert_allclose(lead, top, atol=4 * 0.5 / 200)
    assert_allclose(lead.sum(), 1, rtol=1e-12)


def test_clusters_are_drawn_whole():
    series = np.array([[1, 1, 0, 1, 0, 0, 1], [0, 1, 1, 0, 1, 0, 1], [0, 0, 1, 0, 0, 1, 1.0]])
    cluster = np.array([0, 0, 0, 1, 1, 2, 3])
    units = np.stack([np.bincount(cluster, row) for row in series])
    share, top = every_resample(units, np.bincount(cluster))
    order = value_order(units, np.bincount(cluster).astype(float))
    items = table(series, cluster).of_arms(order.arm)
    drawn = resampled_means(items, generator(0), 40_000, None)
    found = ranks_of_draws(drawn, np.bincount(order.place), order, 1.0)
    assert_allclose(found.share[order.place], share, atol=4 * 0.5 / 200)
    assert_allclose(found.top[order.place], top, atol=4 * 0.5 / 200)


@given(st.integers(0, 2**31), st.integers(1, 5), st.integers(2, 6))
def test_neither_names_nor_rows_change_a_share(seed, n_arms, n):
    draw = np.random.default_rng(seed)
    series = draw.integers(0, 2, (n_arms, n)).astype(float)
    arms, items = draw.permutation(n_arms), draw.permutation(n)
    share, top, _ = counted(table(series), 300)
    other, lead, _ = counted(table(series[arms][:, items]), 300)
    assert_array_equal(share[arms], other)
    assert_array_equal(top[arms], lead)


def test_resamples_have_the_spread_of_the_mean():
    series = np.random.default_rng(0).normal(size=(3, 400))
    drawn = counted(table(series), 20_000)[2]
    assert_allclose(drawn.mean(axis=0), series.mean(axis=1), atol=4 * 0.05 / 141)
    assert_allclose(drawn.std(axis=0), series.std(axis=1) / 20, rtol=0.03)
    assert_allclose(np.corrcoef(drawn.T), np.corrcoef(series), atol=0.03)


def test_normal_draws_have_the_spread_of_differences():
    items = table(np.random.default_rng(0).normal(size=(3, 50)))
    pairs = arm_pairs(items)
    drawn = normal_draws(np.array([0.0, 1.0, 2.0]), pairs, generator(0), 20_000)
    gaps = drawn[:, pairs.second] - drawn[:, pairs.first]
    assert_allclose(gaps.std(axis=0), pairs.se, rtol=0.03)
    assert_allclose(gaps.mean(axis=0), [1, 2, 1], atol=4 * pairs.se.max() / 141)


def test_equal_values_share_the_better_rank():
    assert ranks(np.array([0.5, 0.9, 0.5, 0.1]), 1.0).tolist() == [2, 1, 2, 4]
    assert ranks(np.array([0.1 + 0.2, 0.3]), 1.0).tolist() == [1, 1]


def test_limits_count_those_surely_better_and_worse():
    # Three arms far apart, of which the middle one stands for two.
    noise = np.random.default_rng(0).normal(size=(3, 100)) * 0.01
    pairs = arm_pairs(table(noise + np.array([[0.0], [1.0], [2.0]])))
    low, high = told_apart(pairs, 3.0, np.array([1, 2, 1]))
    assert low.tolist() == [4, 2, 1]
    assert high.tolist() == [4, 3, 1]
    low, high = told_apart(pairs, 1e9, np.array([1, 2, 1]))
    assert (low.tolist(), high.tolist()) == ([1, 1, 1], [4, 4, 4])


def test_two_arms_have_students_quantiles():
    pairs = arm_pairs(table(np.random.default_rng(0).normal(size=(2, 12))))
    found = critical_values(pairs, 2, 0.95, generator(0), 100)
    assert_allclose(found.all_pairs, stats.t.ppf(0.975, 11), rtol=1e-8)
    assert_allclose(found.others, stats.t.ppf(0.95, 11), rtol=1e-8)


def test_an_arm_is_left_out_where_another_is_better_by_more_than_chance():
    noise = np.random.default_rng(0).normal(size=(3, 100)) * 0.1
    pairs = arm_pairs(table(noise + np.array([[0.0], [1.0], [1.01]])))
    others = critical_values(pairs, 3, 0.95, generator(0), 1_000).others
    assert may_be_best(pairs, others).tolist() == [False, True, True]


def test_arms_without_spread_are_never_told_apart():
    pairs = arm_pairs(table([[0.0, 0.0], [1.0, 1.0]]))
    found = critical_values(pairs, 2, 0.95, generator(0), 100)
    assert np.isnan([found.all_pairs, *found.others]).all()
    assert may_be_best(pairs, found.others).all()
    low, high = told_apart(pairs, found.all_pairs, np.ones(2, dtype=np.int64))
    assert (low.tolist(), high.tolist()) == ([1, 1], [2, 2])


# Means of arms, with ties.
DRAWS = st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=20)
# How many arms each of four different ones stands for.
COPIES = st.lists(st.integers(1, 3), min_size=4, max_size=4)


@given(DRAWS, COPIES, st.sampled_from([0.5, 0.8, 0.95]))
def test_ranks_of_draws_are_counted_one_by_one(drawn, copies, level):
    n_arms = sum(copies)
    share, top = np.zeros((4, n_arms)), np.zeros(4)
    every = np.zeros((4, len(drawn)))
    for b, row in enumerate(drawn):
        leaders = sum(n for x, n in zip(row, copies, strict=True) if x == max(row))
        for arm, x in enumerate(row):
            better = sum(n for y, n in zip(row, copies, strict=True) if y > x)
            every[arm, b] = 1 + better
            share[arm, better] += 1 / len(drawn)
            top[arm] += (x == max(row)) / leaders / len(drawn)
    order = ValueOrder(np.arange(4), np.repeat(np.arange(4), copies), np.arange(4))
    # Differences within rounding of the scores are ties.
    means = np.array(drawn) / 3 + np.random.default_rng(0).uniform(-1e-15, 1e-15, (len(drawn), 4))
    found = ranks_of_draws(means, np.array(copies), order, 1.0)
    assert_allclose(found.share, share, atol=1e-12)
    assert_allclose(found.top, top, atol=1e-12)
    assert_allclose(found.top @ copies, 1)
    low, high = found.limits(level)
    for arm in range(4):
        ranked = np.sort(every[arm])
        for limit, tail in ((low[arm], (1 - level) / 2), (high[arm], (1 + level) / 2)):
            # The first rank that a share of the tail does not go beyond.
            first = next(r for r in ranked if np.mean(ranked <= r) >= tail - 1e-9)
            assert limit == first
    single = ranks(means, 1.0)
    for row, one in zip(drawn, single, strict=True):
        assert_array_equal(one, [1 + sum(y > x for y in row) for x in row])


def test_limits_of_a_rank_that_never_varies():
    low, high = Ranks(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0.0, 1.0])).limits(0.95)
    assert low.tolist() == high.tolist() == [2, 1]


@given(st.integers(0, 2**31), COPIES, st.floats(0.5, 3))
def test_arms_are_told_apart_pair_by_pair(seed, copies, limit):
    draw = np.random.default_rng(seed)
    first, second = np.triu_indices(4, 1)
    diff = draw.integers(-3, 4, 6) / 2.0
    se = draw.choice([0.0, np.nan, 0.3, 0.5, 1.0], 6)
    n = np.full(6, 9)
    pairs = ArmPairs(first, second, diff, se, n, n, n, n)
    others = draw.uniform(0.5, 3, 4)
    low, high = told_apart(pairs, limit, np.array(copies))
    best = may_be_best(pairs, others)
    for arm in range(4):
        better = worse = 0
        beaten = False
        for other in range(4):
            if other == arm:
                continue
            at = np.flatnonzero((first == min(arm, other)) & (second == max(arm, other)))[0]
            ahead = diff[at] if arm < other else -diff[at]
            if se[at] > 0:
                better += copies[other] * (ahead > limit * se[at])
                worse += copies[other] * (-ahead > limit * se[at])
                beaten = beaten or ahead > others[arm] * se[at]
        assert (low[arm], high[arm]) == (1 + better, sum(copies) - worse)
        assert best[arm] == (not beaten)
