"""Sums that do not depend on any order: equal to exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.stats.products import group_sums, products, size_of, squares, sums

draws = st.integers(0, 2**31)


def exact(series):
    """Return the sums of products as fractions."""
    rows = [[Fraction(float(x)) for x in row] for row in series]
    return np.array(
        [[float(sum(x * y for x, y in zip(a, b, strict=True))) for b in rows] for a in rows]
    )


@given(draws, st.integers(1, 5), st.integers(1, 40))
def test_products_are_those_of_exact_arithmetic(seed, width, n):
    series = np.random.default_rng(seed).normal(size=(width, n))
    scale = np.abs(series).max() ** 2
    assert_allclose(products(series).matrix, exact(series), rtol=0, atol=1e-13 * n * scale)
    gaps = series[:, None] - series
    expected = (gaps**2).sum(axis=2)
    assert_allclose(products(series).of_differences, expected, rtol=0, atol=1e-12 * n * scale)
    assert_allclose(squares(series), np.diag(exact(series)), rtol=1e-12)
    assert_allclose(sums(series), series.sum(axis=1), atol=1e-14 * n)


@given(draws, st.integers(1, 6), st.integers(1, 60))
def test_neither_the_order_of_items_nor_that_of_series_changes_a_bit(seed, width, n):
    draw = np.random.default_rng(seed)
    series = draw.normal(size=(width, n)) * 10.0 ** draw.integers(-3, 3)
    rows, items = draw.permutation(width), draw.permutation(n)
    other = series[rows][:, items]
    for name in ("matrix", "of_differences"):
        one, two = getattr(products(series), name), getattr(products(other), name)
        assert_array_equal(one[np.ix_(rows, rows)], two)
    assert_array_equal(sums(series)[rows], sums(other))
    assert_array_equal(squares(series)[rows], squares(other))
    assert_array_equal(sums(-series), -sums(series))


@given(draws, st.integers(1, 30))
def test_parts_add_up_to_the_whole(seed, cut):
    series = np.random.default_rng(seed).normal(size=(3, 40))
    size = size_of(series)
    parts = [products(part, n=40, exponent=size) for part in (series[:, :cut], series[:, cut:])]
    assert_array_equal((parts[0] + parts[1]).matrix, products(series).matrix)


@given(draws)
def test_sums_over_groups_do_not_depend_on_the_order_within(seed):
    draw = np.random.default_rng(seed)
    series, group = draw.normal(size=(2, 30)), np.sort(draw.integers(0, 5, 30))
    starts = np.flatnonzero(np.append(True, np.diff(group) > 0))
    found = group_sums(series, np.arange(30), starts)
    expected = np.stack([np.bincount(group, row)[np.unique(group)] for row in series])
    assert_allclose(found, expected, atol=1e-13)
    mixed = np.lexsort((draw.random(30), group))
    assert_array_equal(group_sums(series, mixed, starts), found)


@pytest.mark.parametrize("size", [1e-300, 1e-30, 1e30, 1e150])
def test_extreme_numbers_are_added_as_others(size):
    series = np.array([[1.0, 2.0, 4.0], [1.0, -1.0, 0.5]]) * size
    assert_allclose(sums(series), [7 * size, 0.5 * size], rtol=1e-14)
    if 1e-150 < size < 1e150:
        expected = np.array([[21.0, 1.0], [1.0, 2.25]]) * size**2
        assert_allclose(products(series).matrix, expected, rtol=1e-12)


def test_nothing_adds_up_to_nothing():
    empty = np.zeros((2, 0))
    assert_array_equal(sums(empty), [0, 0])
    assert_array_equal(products(empty).matrix, np.zeros((2, 2)))
