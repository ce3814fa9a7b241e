"""Sign flips against all patterns one by one, and against McNemar's test."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from evalframe.stats.mcnemar import exact_p
from evalframe.stats.signflips import ALTERNATIVES, sign_flips

tenths = st.lists(st.integers(-9, 9).map(lambda k: k / 10), min_size=1, max_size=9)


def flips(total, alternative="two-sided", n_perm=10_000, seed=0):
    rng = np.random.default_rng(seed)
    return sign_flips(np.array(total, dtype=float), alternative, n_perm, rng)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(tenths)
def test_p_is_the_share_of_patterns_as_extreme(alternative, total):
    sums = np.array([np.dot(signs, total) for signs in product((-1, 1), repeat=len(total))])
    extreme = {
        "two-sided": np.abs(sums) >= abs(sum(total)) - 1e-9,
        "greater": sums >= sum(total) - 1e-9,
        "less": sums <= sum(total) + 1e-9,
    }[alternative]
    found = flips(total, alternative)
    assert found.exact
    assert_allclose(found.p_value, extreme.mean(), rtol=1e-9)


@pytest.mark.parametrize(("b", "c"), [(0, 0), (3, 9), (40, 61), (500, 380)])
def test_differences_of_one_are_mcnemars_test(b, c):
    found = flips([-1] * b + [1] * c + [0] * 30)
    assert found.exact
    assert_allclose(found.p_value, exact_p(np.array([b]), np.array([c]))[0], rtol=1e-9)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_random_patterns_are_near_the_exact_p(alternative):
    # Sums on a grid are counted; the same values moved off it are not.
    grid = np.random.default_rng(1).integers(-30, 40, 60).astype(float)
    known = flips(grid, alternative)
    moved = flips(grid + np.random.default_rng(2).normal(0, 1e-4, 60), alternative)
    assert (known.exact, moved.exact) == (True, False)
    error = np.sqrt(known.p_value * (1 - known.p_value) / 10_000)
    assert abs(known.p_value - moved.p_value) < 5 * error + 2e-3


@given(tenths, st.randoms())
def test_order_and_sign_of_all_change_nothing(total, random):
    shuffled = random.sample(total, len(total))
    assert flips(total) == flips(shuffled)
    assert_allclose(flips(total).p_value, flips([-x for x in total]).p_value, rtol=1e-12)


def test_a_random_p_is_never_zero():
    total = 1 + np.random.default_rng(3).random(80)
    found = flips(total, n_perm=99)
    assert (found.exact, found.p_value) == (False, 0.01)


def test_no_difference_at_all_has_p_one_and_no_unit_has_none():
    assert flips([0.0, 0.0]).p_value == 1
    assert np.isnan(flips([]).p_value)
