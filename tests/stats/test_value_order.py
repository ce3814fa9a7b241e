"""An order of arms that names and rows do not change."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from evalframe.stats.value_order import value_order

draws = st.integers(0, 2**31)


def laid_out(series):
    """Return the different arms in their order, and the items sorted by value."""
    order = value_order(series)
    table = series[order.arm]
    return order, table[:, np.lexsort(table[::-1])] if len(table) else table


@given(draws, st.integers(1, 6), st.integers(1, 8), st.sampled_from([2, 3, 50]))
def test_the_table_laid_out_by_value_is_the_same_under_other_names(seed, n_arms, n, levels):
    draw = np.random.default_rng(seed)
    series = draw.integers(0, levels, (n_arms, n)).astype(float)
    arms, items = draw.permutation(n_arms), draw.permutation(n)
    order, table = laid_out(series)
    other, again = laid_out(series[arms][:, items])
    assert_array_equal(table, again)
    assert_array_equal(order.alike[order.place][arms], other.alike[other.place])


@given(draws, st.integers(1, 5))
def test_equal_arms_have_one_place(seed, n_arms):
    series = np.random.default_rng(seed).normal(size=(n_arms, 4))
    order = value_order(np.concatenate([series, series[:1]]))
    assert order.place[-1] == order.place[0]
    assert len(order.arm) == n_arms


def test_arms_that_can_be_exchanged_are_alike():
    assert value_order(np.eye(3)).alike.tolist() == [0, 0, 0]
    series = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]])
    order = value_order(series)
    first, second, third = order.alike[order.place]
    assert first == second != third


def test_what_must_be_equal_is_averaged():
    order = value_order(np.eye(3))
    assert_array_equal(order.equal(np.array([1.0, 2.0, 6.0])), [3.0, 3.0, 3.0])


def test_sizes_of_clusters_tell_arms_apart():
    series = np.eye(2)
    assert len(set(value_order(series).alike.tolist())) == 1
    assert len(set(value_order(series, np.array([1.0, 2.0])).alike.tolist())) == 2
