from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from evalframe.stats.arm_order import ArmOrder, arm_order
from evalframe.stats.games import TIED, WON, Games, count_games
from tests.stats.test_games import played


def ordered(games, sided):
    """Return the table of games in the order that they give, and that order."""
    order = arm_order(count_games(games), games, sided=sided)
    return count_games(games.renamed(order.place, games.n_arms, sided=sided)), order


@pytest.mark.parametrize("sided", [False, True])
@given(games=played(clusters=True), random=st.randoms(use_true_random=False))
def test_names_of_arms_and_clusters_do_not_change_the_ordered_table(sided, games, random):
    place = list(range(games.n_arms))
    random.shuffle(place)
    other = games.renamed(np.array(place), games.n_arms, sided=True)
    other = replace(other, cluster=other.cluster.max(initial=0) - other.cluster)
    assert_array_equal(ordered(other, sided)[0], ordered(games, sided)[0])


@given(played())
def test_swapped_sides_do_not_change_the_ordered_table(games):
    other = replace(games, first=games.second, second=games.first, outcome=2 - games.outcome)
    assert_array_equal(ordered(other, False)[0], ordered(games, False)[0])


@given(played(most_arms=4))
def test_arms_that_can_be_exchanged_share_a_colour(games):
    counts = count_games(games)
    order = arm_order(counts, games, sided=True)
    colour = order.colour[order.place]
    for exchange in permutations(range(games.n_arms)):
        if (counts == counts[:, exchange][:, :, exchange]).all():
            assert_array_equal(colour, colour[list(exchange)])


def test_a_ring_of_arms_has_one_colour_and_an_order():
    n = 6
    ring = Games(np.arange(n), (np.arange(n) + 1) % n, np.full(n, WON), None, n)
    table, order = ordered(ring, False)
    assert len(set(order.colour)) == 1
    for start in range(1, n):
        turned = ring.renamed((np.arange(n) + start) % n, n, sided=True)
        assert_array_equal(ordered(turned, False)[0], table)


def test_clusters_tell_arms_apart_that_counts_leave_alike():
    # Arms 0 and 1 have equal records; those of 1 share a prompt.
    first, second = np.array([0, 0, 1, 1]), np.array([2, 3, 2, 3])
    games = Games(first, second, np.full(4, TIED), np.array([0, 1, 2, 2]), 4)
    order = arm_order(count_games(games), games, sided=False)
    swapped = games.renamed(np.array([1, 0, 2, 3]), 4, sided=True)
    other = arm_order(count_games(swapped), swapped, sided=False)
    assert order.place[0] == other.place[1]


def test_values_of_arms_alike_become_equal_where_rounding_alone_sets_them_apart():
    order = ArmOrder(np.arange(4), np.array([0, 0, 0, 1]))
    values = np.array([1.0, 1.0 + 1e-13, 1.5, 1.0 + 2e-13])
    settled = order.settled(values, 1.0)
    assert settled[0] == settled[1]
    assert settled[2] == 1.5
    assert settled[3] == values[3]
