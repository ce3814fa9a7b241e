import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import betaln, gammaln
from scipy.stats import beta, norm

from evalframe.stats.betabinomial import _rising, _tally, beta_binomial_limits


def by_brute_force(right, size, level):
    """Return the limits from a plain even grid over the mean and the ICC."""
    means, icc = (np.arange(1_500) + 0.5) / 1_500, (np.arange(500) + 0.5) / 500
    total = (1 - icc) / icc
    a, b = means[:, None] * total, (1 - means)[:, None] * total
    density = sum(betaln(a + x, b + m - x) - betaln(a, b) for x, m in zip(right, size, strict=True))
    below = np.cumsum(np.exp(density - density.max()).sum(axis=1))
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.interp(tails, below / below[-1], means + 0.5 / 1_500)
    share = sum(right) / sum(size)
    return min(low, share), max(high, share)


@pytest.mark.parametrize(
    ("right", "size"),
    [
        ([5, 4, 5, 2], [5, 5, 5, 5]),
        ([0, 1, 3], [4, 2, 3]),
        ([200, 60, 3, 1], [231, 75, 10, 1]),
        ([18, 19, 20, 17, 20, 12], [20] * 6),
        ([1, 1, 0], [1, 1, 1]),
    ],
)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_a_plain_even_grid(right, size, level):
    found = beta_binomial_limits(np.array(right), np.array(size), level)
    assert_allclose(found, by_brute_force(right, size, level), atol=3e-4)


@pytest.mark.parametrize(("right", "n"), [(7, 10), (1, 3), (99, 100), (900, 1_000)])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_one_item_a_cluster_has_the_posterior_of_a_uniform_prior(right, n, level):
    # The ICC does not show in single items, and drops out.
    found = beta_binomial_limits(np.repeat([1, 0], [right, n - right]), np.ones(n, int), level)
    tails = [(1 - level) / 2, (1 + level) / 2]
    assert_allclose(found, beta.ppf(tails, right + 1, n - right + 1), rtol=1e-5)


@pytest.mark.parametrize("n", [1, 10, 10_000])
def test_without_a_failure_the_upper_limit_is_1(n):
    low, high = beta_binomial_limits(np.ones(n, int), np.ones(n, int), 0.95)
    assert high == 1
    assert_allclose(low, 0.025 ** (1 / (n + 1)), rtol=1e-5)


def test_wrong_counted_as_right_mirrors_the_interval():
    right, size = np.array([3, 0, 7, 5]), np.array([4, 2, 9, 5])
    low, high = beta_binomial_limits(right, size, 0.95)
    assert_allclose(beta_binomial_limits(size - right, size, 0.95), [1 - high, 1 - low], rtol=1e-9)


def test_the_order_of_clusters_does_not_change_a_bit():
    right, size = np.array([3, 0, 7, 5]), np.array([4, 2, 9, 5])
    found = {
        beta_binomial_limits(right[list(order)], size[list(order)], 0.95)
        for order in itertools.permutations(range(4))
    }
    assert len(found) == 1


def test_many_distinct_counts_are_summed_without_loss():
    rng = np.random.default_rng(0)
    size = rng.integers(1, 400, 300)
    right = rng.binomial(size, rng.beta(8, 2, 300))
    values, times = _tally(right)
    assert len(values) < len(np.unique(right)) / 2
    for start in np.array([[1e-6], [0.3], [50.0]]):
        expected = (gammaln(start + right) - gammaln(start))[right > 0].sum()
        assert_allclose(_rising(start, (values, times)), expected, rtol=1e-12)


def test_very_many_clusters_have_the_interval_of_the_normal():
    rng = np.random.default_rng(0)
    size = np.full(100_000, 10)
    right = rng.binomial(size, rng.beta(4, 1, len(size)))
    margin = norm.ppf(0.975) * np.std(right / 10) / np.sqrt(len(size))
    share = right.mean() / 10
    found = beta_binomial_limits(right, size, 0.95)
    assert_allclose(found, [share - margin, share + margin], atol=0.05 * margin)


def test_clusters_that_agree_say_little_more_than_one_item_each():
    right = np.array([10] * 8 + [0] * 2)
    alike = beta_binomial_limits(right, np.full(10, 10), 0.95)
    single = beta_binomial_limits(right // 10, np.ones(10, int), 0.95)
    assert_allclose(np.diff(alike), np.diff(single), rtol=0.15)


def test_independent_items_in_many_clusters_have_nearly_the_binomial_interval():
    right = np.tile([7, 8, 9], 400)
    found = beta_binomial_limits(right, np.full(1_200, 10), 0.95)
    # These counts vary less than independent items would: the ICC is as good as 0.
    binomial = beta.ppf([0.025, 0.975], 9_601, 2_401)
    assert_allclose(np.diff(found), np.diff(binomial), rtol=0.05)


def test_the_interval_holds_the_share_of_all_items():
    # One large cluster of its own, and many small ones: the mean over clusters is another.
    right, size = np.array([10, *[3] * 30]), np.array([400, *[3] * 30])
    low, high = beta_binomial_limits(right, size, 0.95)
    assert low <= right.sum() / size.sum() <= high


def test_no_items_have_no_limits():
    nothing = np.zeros(0, dtype=np.int64)
    assert np.isnan(beta_binomial_limits(nothing, nothing, 0.95)).all()


@settings(max_examples=6)
@given(
    st.lists(st.tuples(st.integers(1, 9), st.floats(0, 1)), min_size=2, max_size=6),
    st.sampled_from([0.8, 0.95]),
)
def test_any_clusters_against_a_plain_even_grid(clusters, level):
    size = [m for m, _ in clusters]
    right = [round(m * part) for m, part in clusters]
    found = beta_binomial_limits(np.array(right), np.array(size), level)
    # The grid's own cells are 7e-4 wide, and the density ends at both ends of the scale.
    assert_allclose(found, by_brute_force(right, size, level), atol=2e-3)
