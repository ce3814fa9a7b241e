"""Correlations of estimates over shared units, unit by unit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from evalframe.rng import generator
from evalframe.stats.rays import quantile, root_of, two_sided
from evalframe.stats.simultaneous import correlations, families


@given(st.integers(0, 2**31), st.integers(1, 6), st.integers(1, 8),
       st.sampled_from([-300, -40, 0, 40, 300]))  # fmt: skip
def test_correlations_are_those_of_what_units_add(seed, n_rows, n_units, unit):
    draw = np.random.default_rng(seed)
    block = draw.integers(0, 3, n_rows)
    table = draw.integers(-3, 4, (n_units, n_rows)) / 3.0
    table[:, draw.random(n_rows) < 0.2] = 0
    table[draw.random((n_units, n_rows)) < 0.3] = np.nan
    places = np.argwhere(~np.isnan(table))[draw.permutation(np.sum(~np.isnan(table)))]
    share = np.array([table[i, j] for i, j in places])
    # Blocks share no unit.
    code = places[:, 0] + n_units * block[places[:, 1]]
    found = correlations(code, places[:, 1], np.ldexp(share, unit), n_rows, block)
    expected = []
    for one in sorted(set(block)):
        rows = [j for j in range(n_rows) if block[j] == one and np.nansum(table[:, j] ** 2) > 0]
        if rows:
            columns = np.nan_to_num(table[:, rows])
            length = np.sqrt((columns**2).sum(axis=0))
            expected.append((rows, columns.T @ columns / length / length[:, None]))
    assert len(found) == len(expected)
    for (rows, matrix), (wanted, other) in zip(found, expected, strict=True):
        assert_array_equal(rows, wanted)
        assert_allclose(matrix, other, atol=2e-10)


def test_the_quantile_of_independent_rows_is_sidaks():
    blocks = [(np.array([i]), np.eye(1)) for i in range(5)]
    found = quantile(families(blocks, np.zeros(5), np.inf, generator(0), 4_096), 0.95)
    assert_allclose(found, stats.norm.ppf((1 + 0.95 ** (1 / 5)) / 2), rtol=0.005)


def test_the_quantile_of_one_row_repeated_is_its_own():
    blocks = [(np.arange(3), np.ones((3, 3)))]
    found = quantile(families(blocks, np.zeros(3), 10.0, generator(0), 4_096), 0.95)
    assert_allclose(found, stats.t.ppf(0.975, 10), rtol=0.01)


@pytest.mark.parametrize(
    ("k", "df", "expected"), [(2, np.inf, 2.21), (3, np.inf, 2.35), (2, 20, 2.38), (5, 60, 2.58)]
)
def test_rays_of_one_error_are_dunnetts_table_of_two_sided_comparisons(k, df, expected):
    # Dunnett (1964), Biometrics 20, 482-491, 5% points at a correlation of one half.
    matrix = np.full((k, k), 0.5) + 0.5 * np.eye(k)
    rays = two_sided(root_of(matrix), df, generator(0), 100_000, own=False)
    found = quantile([rays], 0.95)
    assert abs(found - expected) < 0.015
