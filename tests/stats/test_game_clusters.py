from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.stats.game_clusters import clusters_of_arms, robust_covariance
from evalframe.stats.games import TIED, Games, count_games
from evalframe.stats.separation import separation
from evalframe.stats.strengths import Model, fit_strengths
from tests.stats.test_games import played


def slow_covariance(games, cluster, fit, model):
    """Return the sandwich game by game."""
    n, sums = games.n_arms, {}
    for first, second, end, one in zip(
        games.first, games.second, games.outcome, cluster, strict=True
    ):
        moved = np.zeros(model.size)
        score = fit.score[end, first, second]
        moved[first], moved[second] = score, -score
        if model.sided:
            moved[n] = score
        if model.tied:
            moved[-1] = fit.tie[end, first, second]
        sums[one] = sums.get(one, 0) + moved
    middle = sum(np.outer(one, one) for one in sums.values())
    size = len(sums)
    return size / (size - 1) * fit.inverse @ middle @ fit.inverse


@pytest.mark.parametrize("sided", [False, True])
@pytest.mark.parametrize("tied", [False, True])
@given(games=played(clusters=True))
def test_the_sandwich_is_that_of_single_games(sided, tied, games):
    counts = count_games(games)
    assume(not tied or counts[TIED].any())
    assume(separation(counts, sided=sided, tied=tied).finite)
    assume(len(np.unique(games.cluster)) > 1)
    model = Model(games.n_arms, sided, tied)
    fit = fit_strengths(counts, model)
    found = robust_covariance(games, counts, fit, model)
    theirs = slow_covariance(games, games.cluster, fit, model)
    assert_allclose(found, theirs, atol=1e-10 * np.abs(fit.inverse).max())
    alone = robust_covariance(replace(games, cluster=None), counts, fit, model)
    each = slow_covariance(games, range(len(games.first)), fit, model)
    assert_allclose(alone, each, atol=1e-10 * np.abs(fit.inverse).max())


@given(played(clusters=True), st.randoms(use_true_random=False))
def test_neither_order_of_games_nor_names_of_clusters_change_a_digit(games, random):
    counts = count_games(games)
    assume(separation(counts, sided=False, tied=False).finite)
    model = Model(games.n_arms, False, False)
    fit = fit_strengths(counts, model)
    rows, names = list(range(len(games.first))), list(range(int(games.cluster.max()) + 1))
    random.shuffle(rows)
    random.shuffle(names)
    other = games.take(np.array(rows))
    other = replace(other, cluster=np.array(names)[other.cluster] + 3)
    one, two = (robust_covariance(g, counts, fit, model) for g in (games, other))
    assert_array_equal(one, two)


@given(played(clusters=True))
def test_clusters_of_an_arm_are_those_it_plays_in(games):
    found = clusters_of_arms(games, games.cluster)
    for arm in range(games.n_arms):
        mine = (games.first == arm) | (games.second == arm)
        assert found[arm] == len(set(games.cluster[mine]))


def test_one_cluster_has_no_covariance():
    counts = np.zeros((3, 2, 2))
    counts[[0, 2], 0, 1] = 2, 1
    model = Model(2, False, False)
    fit = fit_strengths(counts, model)
    first, second = np.zeros(3, dtype=int), np.ones(3, dtype=int)
    games = Games(first, second, np.array([0, 0, 2]), np.zeros(3, dtype=int), 2)
    assert np.isnan(robust_covariance(games, counts, fit, model)).all()
