"""Quantiles of the largest of correlated t statistics, against published ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from scipy.optimize import brentq

from evalframe.rng import generator
from evalframe.stats.rays import (
    Bound,
    Rays,
    directions,
    gathered,
    quantile,
    root_of,
    root_of_differences,
    two_sided,
)


def of_independent(n_arms):
    """Return the root of all differences of equally well known, independent means."""
    first, second = np.triu_indices(n_arms, 1)
    return root_of_differences(2 * (1 - np.eye(n_arms)), first, second), first, second


@pytest.mark.parametrize("n_arms", [2, 3, 5, 10, 20])
@pytest.mark.parametrize("df", [10, 60, np.inf])
def test_all_pairs_of_one_error_are_tukeys_studentized_range(n_arms, df):
    # A large finite number stands for infinity, which scipy 1.13 does not take.
    expected = stats.studentized_range.ppf(0.95, n_arms, min(df, 1e5)) / np.sqrt(2)
    root, _, _ = of_independent(n_arms)
    rays = two_sided(root, df, generator(0), 20_000, own=False)
    assert_allclose(quantile([rays], 0.95), expected, rtol=0.005)


@pytest.mark.parametrize(("others", "expected"), [(2, 1.92), (4, 2.16), (9, 2.42)])
def test_the_others_against_one_arm_are_dunnetts_one_sided_table(others, expected):
    # Dunnett (1955), JASA 50, 1096-1121, one-sided 5% points at infinite degrees of freedom.
    root, first, _ = of_independent(others + 1)
    parts = directions(root[:, first == 0], np.inf, generator(0), 40_000)
    rays = gathered(np.concatenate([part.max(axis=1) for part in parts]), root, np.inf)
    assert abs(quantile([rays], 0.95) - expected) < 0.015


@pytest.mark.parametrize("df", [3, 8, 30, 120])
def test_each_of_several_statistics_alone_is_students(df):
    root, _, _ = of_independent(6)
    drawn = np.abs(np.concatenate(list(directions(root, df, generator(1), 20_000))))
    for column in (0, 7):
        rays = gathered(drawn[:, column], root, df)
        assert_allclose(quantile([rays], 0.95), stats.t.ppf(0.975, df), rtol=0.02)


@pytest.mark.parametrize(("n_arms", "df"), [(4, 5), (8, 9), (8, 3)])
def test_errors_of_their_own_are_those_of_samples(n_arms, df):
    draw = np.random.default_rng(0)
    first, second = np.triu_indices(n_arms, 1)
    largest = []
    for _ in range(20):
        sample = draw.normal(size=(500, n_arms, df + 1))
        gaps = sample[:, second] - sample[:, first]
        t = gaps.mean(axis=2) / (gaps.std(axis=2, ddof=1) / np.sqrt(df + 1))
        largest.append(np.abs(t).max(axis=1))
    root, _, _ = of_independent(n_arms)
    limit = quantile([two_sided(root, df, generator(0), 20_000)], 0.95)
    assert abs((np.concatenate(largest) < limit).mean() - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 10_000)


def test_one_pair_is_exactly_students():
    root, _, _ = of_independent(2)
    for df in (1, 4, 300):
        rays = two_sided(root, df, generator(0), 100)
        assert_allclose(quantile([rays], 0.9), stats.t.ppf(0.95, df), rtol=1e-8)


def test_independent_families_are_sidaks_and_unknown_ones_bonferronis():
    one = two_sided(np.ones((1, 1)), np.inf, generator(0), 100)
    expected = stats.norm.ppf((1 + 0.95 ** (1 / 5)) / 2)
    assert_allclose(quantile([one] * 5, 0.95), expected, rtol=1e-8)
    assert_allclose(quantile([Bound(7, 11)], 0.95), stats.t.ppf(1 - 0.025 / 7, 11), rtol=1e-8)
    assert np.isnan(quantile([], 0.95))


@given(st.integers(0, 2**31), st.integers(1, 6), st.integers(1, 6))
def test_a_root_gives_its_covariance_back(seed, rank, width):
    part = np.random.default_rng(seed).normal(size=(rank, width))
    root = root_of(part.T @ part)
    assert len(root) == min(rank, width)
    assert_allclose(root.T @ root, part.T @ part, atol=1e-10 * rank)


@given(st.integers(0, 2**31), st.integers(2, 6))
def test_differences_have_the_correlations_of_their_covariance(seed, n_arms):
    part = np.random.default_rng(seed).normal(size=(9, n_arms))
    covariance = part.T @ part
    own = np.diag(covariance)
    first, second = np.triu_indices(n_arms, 1)
    root = root_of_differences(own + own[:, None] - 2 * covariance, first, second)
    gaps = part[:, second] - part[:, first]
    length = np.sqrt((gaps**2).sum(axis=0))
    assert_allclose(root.T @ root, gaps.T @ gaps / length / length[:, None], atol=1e-9)
    assert len(root) == n_arms - 1


@given(
    st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 3)), min_size=1, max_size=12),
    st.integers(1, 5),
    st.sampled_from([3.0, 20.0, np.inf]),
    st.floats(0.1, 6),
)
def test_the_chance_of_a_limit_is_the_mean_over_directions(reach, rank, df, limit):
    rays = gathered(np.array(reach), np.ones((rank, 2)), df, own=False)
    law = stats.chi2(rank) if np.isinf(df) else stats.f(rank, df)
    scale = 1 if np.isinf(df) else rank
    each = [law.cdf((limit / r) ** 2 / scale) if r > 0 else 1.0 for r in reach]
    assert_allclose(rays.chance(limit), np.mean(each), rtol=1e-9)


@given(
    st.lists(
        st.tuples(st.lists(st.floats(0.2, 1), min_size=1, max_size=5), st.integers(1, 4)),
        min_size=1,
        max_size=3,
    ),
    st.one_of(st.none(), st.integers(1, 50)),
    st.sampled_from([0.5, 0.9, 0.95]),
)
def test_a_quantile_is_where_the_product_of_chances_reaches_the_level(families, more, level):
    known = [Rays(np.array(reach), rank, np.inf) for reach, rank in families]
    known += [] if more is None else [Bound(more, 7.0)]

    def chance(limit):
        product = 1.0
        for reach, rank in families:
            product *= np.mean([stats.chi2.cdf((limit / r) ** 2, rank) for r in reach])
        if more is not None:
            product *= max(0.0, 1 - 2 * more * stats.t.sf(limit, 7))
        return product

    expected = brentq(lambda limit: chance(limit) - level, 1e-6, 1e3, xtol=1e-12)
    assert_allclose(quantile(known, level), expected, rtol=1e-8)
