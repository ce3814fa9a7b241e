import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from evalframe.stats.games import LOST, TIED, WON, Games, count_games, records


@st.composite
def played(draw, most_arms=5, most_games=40, clusters=False):
    """Draw games among some arms."""
    n_arms = draw(st.integers(2, most_arms))
    n = draw(st.integers(0, most_games))
    arm, end = st.integers(0, n_arms - 1), st.integers(0, 2)
    rows = [(draw(arm), draw(st.integers(1, n_arms - 1)), draw(end)) for _ in range(n)]
    first = np.array([row[0] for row in rows], dtype=np.int64)
    step = np.array([row[1] for row in rows], dtype=np.int64)
    outcome = np.array([row[2] for row in rows], dtype=np.int64)
    cluster = None
    if clusters:
        codes = [draw(st.integers(0, max(n // 2, 1))) for _ in range(n)]
        cluster = np.array(codes, dtype=np.int64)
    return Games(first, (first + step) % n_arms, outcome, cluster, n_arms)


@given(played())
def test_games_are_counted_one_by_one(games):
    counts = np.zeros((3, games.n_arms, games.n_arms))
    for first, second, outcome in zip(games.first, games.second, games.outcome, strict=True):
        counts[outcome, first, second] += 1
    assert_array_equal(count_games(games), counts)


@given(played())
def test_records_are_those_of_either_side(games):
    wins, ties, losses = records(count_games(games))
    for arm in range(games.n_arms):
        first, second = games.first == arm, games.second == arm
        won = (first & (games.outcome == WON)) | (second & (games.outcome == LOST))
        lost = (first & (games.outcome == LOST)) | (second & (games.outcome == WON))
        tied = (first | second) & (games.outcome == TIED)
        assert (wins[arm], ties[arm], losses[arm]) == (won.sum(), tied.sum(), lost.sum())


@given(played(), st.randoms(use_true_random=False))
def test_without_sides_the_lower_arm_stands_first_and_no_record_changes(games, random):
    place = list(range(games.n_arms))
    random.shuffle(place)
    renamed = games.renamed(np.array(place), games.n_arms, sided=False)
    assert (renamed.first < renamed.second).all()
    for ours, theirs in zip(
        records(count_games(renamed)), records(count_games(games)), strict=True
    ):
        assert_array_equal(ours[place], theirs)
