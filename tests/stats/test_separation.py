from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_array_equal

from evalframe.stats.games import TIED, count_games
from evalframe.stats.separation import separation
from tests.stats.test_games import played


def beats(counts):
    """Return who has won or tied a game against whom."""
    won, tied, lost = counts
    return won + lost.T + tied + tied.T > 0


def ford(counts):
    """Say whether each part of the arms has won or tied a game against the rest."""
    arms, graph = range(counts.shape[1]), beats(counts)
    parts = (set(part) for size in arms[1:] for part in combinations(arms, size))
    return all(any(graph[i, j] for i in part for j in arms if j not in part) for part in parts)


@given(played(most_arms=5, most_games=25))
def test_strengths_are_finite_under_fords_condition(games):
    counts = count_games(games)
    assert separation(counts, sided=False, tied=False).finite == ford(counts)


@given(played(most_arms=5, most_games=12))
def test_components_are_those_of_a_search(games):
    met = count_games(games).sum(axis=0)
    joined = (met + met.T + np.eye(games.n_arms)) > 0
    for _ in range(games.n_arms):
        joined = (joined.astype(int) @ joined.astype(int)) > 0
    component = separation(count_games(games), sided=False, tied=False).component
    assert_array_equal(component[:, None] == component[None, :], joined)


@given(played(most_arms=4, most_games=25))
def test_davidsons_model_needs_a_ring_with_more_wins_than_ties(games):
    """With the tie parameter growing by 1 a win needs a gap of 2, a tie allows one of 2.

    Such gaps exist unless a ring of games sums to less than nothing (Bellman and Ford).
    """
    counts = count_games(games)
    if not counts[TIED].any():
        return
    won, tied, lost = counts
    n = games.n_arms
    most = np.full((n, n), np.inf)
    most[(tied + tied.T) > 0] = 2.0
    # b_j - b_i is at most -2 where i beat j.
    most[(won + lost.T) > 0] = -2.0
    for k in range(n):
        most = np.minimum(most, most[:, k : k + 1] + most[k : k + 1, :])
    ring = bool((np.diag(most) < 0).any())
    found = separation(counts, sided=False, tied=True)
    assert found.finite == (ford(counts) and ring)


@pytest.mark.parametrize("home", [(1, 1), (1, 0), (0, 1)])
@pytest.mark.parametrize("away", [(1, 1), (2, 0), (0, 2)])
def test_two_arms_and_a_side_are_two_separate_shares(home, away):
    counts = np.zeros((3, 2, 2))
    counts[[0, 2], 0, 1], counts[[0, 2], 1, 0] = home, away
    found = separation(counts, sided=True, tied=False)
    assert found.finite == (min(home) > 0 and min(away) > 0)


def test_a_side_that_always_wins_is_found_by_direction():
    counts = np.zeros((3, 3, 3))
    counts[0] = 1 - np.eye(3)
    found = separation(counts, sided=True, tied=False)
    assert found.level.max() == 0
    assert not found.finite
    assert found.direction[3] > 0
    strength, side = found.direction[:3], found.direction[3]
    assert (strength[:, None] - strength[None, :] + side >= -1e-9).all()
    assert separation(counts, sided=False, tied=False).finite


def test_a_side_that_strengths_explain_is_not_known():
    counts = np.zeros((3, 2, 2))
    counts[:, 0, 1] = 3, 0, 2
    assert not separation(counts, sided=True, tied=False).sides_known
    assert not separation(counts, sided=True, tied=False).finite
    counts[0, 1, 0] = counts[2, 1, 0] = 1
    assert separation(counts, sided=True, tied=False).finite


def test_no_arm_and_no_game_are_no_fault_of_their_own():
    assert separation(np.zeros((3, 0, 0)), sided=False, tied=False).connected
    assert not separation(np.zeros((3, 2, 2)), sided=False, tied=False).connected
