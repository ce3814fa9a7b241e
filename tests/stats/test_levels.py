import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import rankdata

from evalframe.stats.levels import DISTANCES, between, levels_of

ROWS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 1.0, 3.0, 10.0]), st.integers(0, 2)), max_size=30
)


@given(ROWS, st.sampled_from(DISTANCES))
def test_distances_are_summed_within_the_segment(rows, distance):
    values = np.array([value for value, _ in rows], dtype=float)
    segment = np.array([place for _, place in rows], dtype=int)
    levels, level = levels_of(values, segment, 3)
    assert_array_equal(levels.value[level], values)
    assert_array_equal(levels.segment[level], segment)
    count = np.bincount(level, minlength=len(levels.value))
    found = levels.mean_distance(count, distance)
    # Row by row, slowly.
    for place, value in enumerate(levels.value):
        beside = values[segment == levels.segment[place]]
        far = [between(np.array([value]), np.array([one]), distance)[0] for one in beside]
        assert_allclose(found[place], sum(far), atol=1e-10)


@given(ROWS)
def test_midranks_are_mean_ranks_less_a_half(rows):
    values = np.array([value for value, _ in rows], dtype=float)
    segment = np.array([place for _, place in rows], dtype=int)
    levels, level = levels_of(values, segment, 3)
    ranks = levels.midrank(np.bincount(level, minlength=len(levels.value)))
    for one in range(3):
        here = segment == one
        assert_allclose(ranks[level[here]], rankdata(values[here]) - 0.5)


def test_many_levels_go_through_in_blocks(monkeypatch):
    values = np.random.default_rng(0).random(50)
    segment = np.arange(50) % 3
    levels, _ = levels_of(values, segment, 3)
    count = np.arange(50) + 1
    whole = levels.mean_distance(count, "ratio")
    monkeypatch.setattr("evalframe.stats.levels._HELD", 20)
    assert_array_equal(levels.mean_distance(count, "ratio"), whole)


def test_an_unknown_distance_is_refused():
    with pytest.raises(ValueError, match="distance must be one of 'nominal', 'absolute'"):
        between(np.zeros(1), np.zeros(1), "cosine")
