import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

from evalframe.stats.floor import critical, exceeds

numbers = st.floats(-10, 10) | st.just(float("nan"))


def test_level_95_has_the_literal_of_the_specification():
    assert critical(0.95) == 1.96


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99, 0.999])
def test_other_levels_have_the_normal_quantile(level):
    assert_allclose(critical(level), norm.isf((1 - level) / 2), rtol=1e-12)


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, float("nan")])
def test_a_level_that_is_no_share_is_refused(level):
    with pytest.raises(ValueError, match=r"type level=0\.95"):
        critical(level)


def test_the_documents_example():
    # Four of eight reruns are one token longer: diff 0.5, standard deviation sqrt(8 / 7) / 2.
    se = np.sqrt(8 / 7) / 2 / np.sqrt(8)
    threshold, above = exceeds(
        diff=[0.125, -50.0],
        conf_low=[-0.12, -50.0],
        conf_high=[0.37, -50.0],
        floor_diff=[0.0, 0.5],
        floor_se=[0.0, se],
        z=1.96,
    )
    assert_allclose(threshold, [0.0, 0.87], atol=0.005)
    assert_array_equal(above, [False, True])


def test_an_interval_that_touches_0_does_not_exceed():
    _, above = exceeds([1.0, -1.0], [0.0, -2.0], [2.0, 0.0], 0.0, 0.0, 1.96)
    assert not above.any()


def test_a_difference_equal_to_the_threshold_does_not_exceed():
    threshold, above = exceeds(1.0, 0.5, 1.5, -0.5, 0.25, 2.0)
    assert threshold == 1.0
    assert not above


@given(numbers, numbers, numbers, numbers, numbers)
def test_anything_unknown_does_not_exceed(diff, low, high, floor_diff, floor_se):
    _, above = exceeds(diff, low, high, floor_diff, floor_se, 1.96)
    assert not (above and np.isnan([diff, low, high, floor_diff, floor_se]).any())


@given(numbers, numbers, numbers, numbers, numbers)
def test_exchanging_the_arms_changes_nothing(diff, low, high, floor_diff, floor_se):
    there = exceeds(diff, low, high, floor_diff, floor_se, 1.96)
    back = exceeds(-diff, -high, -low, -floor_diff, floor_se, 1.96)
    assert_array_equal(there, back)


def test_no_rows_give_no_rows():
    threshold, above = exceeds([], [], [], [], [], 1.96)
    assert threshold.shape == above.shape == (0,)
    assert above.dtype == np.bool_


@given(numbers, numbers, numbers, numbers, numbers, st.floats(0.5, 4))
def test_a_difference_exceeds_the_floor_by_its_definition(diff, low, high, floor_diff, floor_se, z):
    threshold, above = exceeds(diff, low, high, floor_diff, floor_se, z)
    bound = abs(floor_diff) + z * floor_se
    assert_allclose(threshold, bound)
    known = not any(map(np.isnan, (diff, low, high, floor_diff, floor_se)))
    assert above == (known and not low <= 0 <= high and (low > 0 or high < 0) and abs(diff) > bound)
