from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.stats import draws
from evalframe.stats.linear import linear
from evalframe.stats.resample import bootstrap_interval

values_of = arrays(
    np.float64, st.integers(0, 30), elements=st.integers(-800, 800).map(lambda k: k / 100)
)
codes = st.lists(st.integers(0, 4), min_size=30, max_size=30).map(np.array)


def limits(total, size=None, n_boot=500, level=0.95, seed=0):
    """Return percentile limits of a mean over units of so many items."""
    total = np.array(total, dtype=np.float64)
    size = np.ones(len(total)) if size is None else np.array(size, dtype=np.float64)
    statistic = linear(np.stack([total, size]), None)
    generator = np.random.default_rng(seed)
    found = bootstrap_interval(statistic, "percentile", n_boot, level, generator)
    return found.low, found.high


def test_the_limits_agree_with_scipys():
    values = np.random.default_rng(3).gamma(2, 1, 30)
    other = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=200_000, method="percentile", random_state=0, batch=20_000
    ).confidence_interval
    # Each end has a Monte Carlo error of 0.006 standard errors; this is 5.9 of the two.
    near = 0.05 * values.std() / np.sqrt(30)
    assert_allclose(limits(values, n_boot=200_000), (other.low, other.high), atol=near)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_the_limits_are_quantiles_over_a_plain_loop_of_the_same_draws(level):
    rng = np.random.default_rng(4)
    total, size = rng.random(9), rng.integers(1, 6, 9)
    units = sorted(zip(total.tolist(), size.tolist(), strict=True))
    means = []
    for count in draws.counts(np.random.default_rng(8).spawn(1)[0], 300, 9):
        drawn = np.repeat(units, count, axis=0)
        means.append(drawn[:, 0].sum() / drawn[:, 1].sum())
    expected = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    assert_allclose(limits(total, size, 300, level, seed=8), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("level", "expected"), [(0.95, (0, 1)), (0.6, (0, 1)), (0.4, (0.5, 0.5)), (0.1, (0.5, 0.5))]
)
def test_two_units_have_their_values_and_their_mean_as_limits(level, expected):
    # The mean of two draws from {0, 1} is 0, 1/2 and 1 with chances 1/4, 1/2 and 1/4.
    assert limits([0, 1], n_boot=4_000, level=level) == expected


def test_limits_are_quantiles_of_the_exact_distribution_of_three_clusters():
    total, size = np.array([1.0, 6.0, 2.0]), np.array([1.0, 3.0, 4.0])
    means = [total[[*d]].sum() / size[[*d]].sum() for d in product(range(3), repeat=3)]
    for level in (0.5, 0.8, 0.9):
        expected = np.quantile(np.repeat(means, 1_000), [(1 - level) / 2, (1 + level) / 2])
        assert_allclose(limits(total, size, n_boot=20_000, level=level), expected, rtol=1e-12)


def test_clusters_of_equal_size_are_drawn_as_their_means():
    total = np.array([0.0, 4.0, 8.0, 2.0, 5.0])
    assert limits(total, [4] * 5) == limits(total / 4)


def test_a_cluster_of_many_items_weighs_as_many():
    low, high = limits([100, 0], [100, 1], n_boot=1_000)
    assert (low, high) == (0, 1)
    # Half of all draws have one of each: 100 of 101 items.
    assert limits([100, 0], [100, 1], n_boot=4_000, level=0.2) == (100 / 101, 100 / 101)


@given(values_of, codes, st.randoms())
def test_the_order_of_units_changes_no_number(total, size, random):
    size = size[: len(total)] + 1
    order = random.sample(range(len(total)), len(total))
    assert_array_equal(limits(total[order], size[order], 20), limits(total, size, 20))


@given(values_of)
def test_limits_lie_between_the_smallest_and_the_largest_value(total):
    low, high = limits(total, n_boot=30)
    if len(total) < 2:
        assert np.isnan([low, high]).all()
    else:
        assert total.min() - 1e-12 <= low <= high <= total.max() + 1e-12


def test_the_same_generator_gives_the_same_limits_and_another_does_not():
    total = np.random.default_rng(2).random(30)
    assert limits(total, seed=5) == limits(total, seed=5)
    assert limits(total, seed=5) != limits(total, seed=6)


def test_a_higher_level_has_wider_limits():
    total = np.random.default_rng(2).random(30)
    found = [limits(total, level=level) for level in (0.5, 0.9, 0.99)]
    assert found[2][0] < found[1][0] < found[0][0] < found[0][1] < found[1][1] < found[2][1]


@pytest.mark.parametrize("total", [[], [3.0]])
def test_fewer_than_two_units_show_no_spread(total):
    assert np.isnan(limits(total)).all()


@pytest.mark.parametrize("value", [0.1, -50.0, 1 / 3, 1e8 + 0.1])
def test_equal_values_have_limits_of_no_width(value):
    low, high = limits([value] * 12)
    assert_allclose([low, high], value, rtol=1e-15)


def units_of(values, cluster=None):
    """Return the sums and sizes of the units of a mean, sorted."""
    found = linear(np.stack([values, np.ones(len(values))]), cluster)
    return np.repeat(found.units, found.copies, axis=1)


wide_of = values_of.filter(lambda values: len(values) > 1 and np.ptp(values) > 0.1)


@given(wide_of)
def test_items_are_units_without_clusters(values):
    total, size = units_of(values)
    assert_array_equal(total, np.sort(values))
    assert_array_equal(size, np.ones(len(values)))


@given(values_of, codes)
def test_clusters_are_units_with_the_sums_of_their_items(values, cluster):
    cluster = np.unique(cluster[: len(values)], return_inverse=True)[1]
    found = linear(np.stack([values, np.ones(len(values))]), cluster)
    total = np.repeat(found.units[0] + found.shift * found.units[1], found.copies)
    items = [values[cluster == label] for label in range(len(np.unique(cluster)))]
    assert_allclose(np.sort(total), np.sort([x.sum() for x in items]), atol=1e-11)
    assert_array_equal(
        np.sort(np.repeat(found.units[1], found.copies)), np.sort([len(x) for x in items])
    )


@given(values_of, codes, st.randoms())
def test_totals_do_not_change_a_bit_when_items_are_shuffled(values, cluster, random):
    cluster = np.unique(cluster[: len(values)], return_inverse=True)[1]
    order = np.array(random.sample(range(len(values)), len(values)), dtype=np.int64)
    first, second = (
        linear(np.stack([values[rows], np.ones(len(rows))]), cluster[rows])
        for rows in (np.arange(len(values)), order)
    )
    assert_array_equal(first.units, second.units)
    assert_array_equal(first.copies, second.copies)
    assert [first.estimate, first.shift] == [second.estimate, second.shift] or len(values) == 0


def test_the_input_is_not_changed():
    terms, codes_of = np.array([[3.0, 1.0, 2.0], [1.0, 1.0, 1.0]]), np.array([1, 0, 1])
    for array in (terms, codes_of):
        array.flags.writeable = False
    linear(terms, codes_of)
    linear(terms, None)
    assert_array_equal(terms, [[3, 1, 2], [1, 1, 1]])
