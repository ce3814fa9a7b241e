from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.stats.segments import arrange, stable_order

values_of = arrays(
    np.float64, st.integers(0, 40), elements=st.floats(-1e9, 1e9) | st.sampled_from([0.1, 1 / 3])
)
codes = st.lists(st.integers(0, 5), min_size=40, max_size=40).map(np.array)


def sums(values, segment, n_segments):
    found = arrange(values, segment, n_segments)
    return found.sum(values[found.order])


@given(values_of, codes)
def test_values_are_sorted_inside_each_segment(values, segment):
    segment = segment[: len(values)]
    found = arrange(values, segment, 7)
    assert_array_equal(np.sort(found.order), np.arange(len(values)))
    assert_array_equal(segment[found.order], found.label)
    assert_array_equal(found.label, np.sort(segment))
    for s, start, size in zip(range(7), found.starts, found.size, strict=True):
        inside = values[found.order][start : start + size]
        assert_array_equal(inside, np.sort(values[segment == s]))


@given(values_of, codes)
def test_sums_are_those_of_whole_number_arithmetic(values, segment):
    segment = segment[: len(values)]
    expected = np.zeros(7, dtype=object)
    for value, s in zip(values.tolist(), segment.tolist(), strict=True):
        expected[s] += Fraction(value)
    error = 1e-15 * len(values) * np.abs(values).sum()
    assert_allclose(sums(values, segment, 7), expected.astype(float), rtol=1e-14, atol=error)


@given(values_of, codes, st.randoms())
def test_sums_do_not_change_a_bit_when_values_are_shuffled(values, segment, random):
    segment = segment[: len(values)]
    order = random.sample(range(len(values)), len(values))
    shuffled = sums(values[order], segment[order], 6)
    assert_array_equal(shuffled, sums(values, segment, 6))


@given(values_of, codes, st.permutations(range(6)))
def test_a_sum_depends_on_its_own_values_alone(values, segment, renamed):
    segment = segment[: len(values)]
    together = sums(values, segment, 6)
    assert_array_equal(sums(values, np.array(renamed)[segment], 6)[renamed], together)
    for s in range(6):
        inside = values[segment == s]
        alone = sums(inside, np.zeros(len(inside), dtype=np.int64), 1)
        assert_array_equal(alone, together[[s]])


def test_an_empty_segment_sums_to_0_wherever_it_stands():
    values, segment = np.array([1.0, 2.0, 4.0]), np.array([3, 1, 3])
    assert_array_equal(sums(values, segment, 6), [0, 2, 0, 5, 0, 0])


@pytest.mark.parametrize("n_segments", [0, 4])
def test_no_values_sum_to_0(n_segments):
    nothing = np.zeros(0)
    found = arrange(nothing, nothing.astype(np.int64), n_segments)
    assert_array_equal(found.sum(nothing), np.zeros(n_segments))
    assert_array_equal(found.starts, np.zeros(n_segments))


@pytest.mark.parametrize("n_codes", [65_535, 65_536, 65_537, 200_000])
def test_the_order_is_stable_on_either_side_of_16_bits(n_codes):
    rng = np.random.default_rng(0)
    few = rng.integers(0, 50, 5_000)
    far = n_codes - 1 - rng.integers(0, 50, 5_000)
    both = np.concatenate([few, far, [0, n_codes - 1]])
    assert_array_equal(stable_order(both, n_codes), np.argsort(both, kind="stable"))


def test_the_input_is_not_changed():
    values, segment = np.array([3.0, 1.0]), np.array([1, 0])
    for array in (values, segment):
        array.flags.writeable = False
    sums(values, segment, 2)
    assert_array_equal(values, [3, 1])
