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
from evalframe.stats.statistic import MEAN, Kind, build

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


@given(st.lists(st.integers(-3, 3).map(lambda k: k / 3), min_size=2, max_size=5),
       st.lists(st.integers(0, 3), min_size=5, max_size=5), st.sampled_from([0.5, 0.9, 0.95]),
       st.sampled_from([1e-90, 1.0, 1e90]), st.booleans())  # fmt: skip
def test_exact_intervals_are_counted_over_all_resamples(values, cluster, level, unit, clustered):
    code = np.unique(cluster[: len(values)], return_inverse=True)[1]
    code = code if clustered else np.arange(len(values))
    n_units = code.max() + 1
    statistic = build(MEAN, [np.array([values]) * unit], code if clustered else None)
    found = bootstrap_interval(statistic, "exact", 10, level, np.random.default_rng(0))
    every = []
    for drawn in product(range(n_units), repeat=n_units):
        items = [x for unit_ in drawn for x, c in zip(values, code, strict=True) if c == unit_]
        every.append(sum(items) / len(items))
    estimate = sum(values) / len(values)
    assert_allclose(found.estimate / unit, estimate, atol=1e-12)
    if n_units < 2:
        assert np.isnan([found.se, found.low, found.high]).all()
        return
    mean = sum(every) / len(every)
    spread = (sum((x - mean) ** 2 for x in every) / len(every)) ** 0.5
    assert_allclose([found.bias / unit, found.se / unit], [mean - estimate, spread], atol=1e-12)
    ranked = sorted(every)
    # The smallest value that so many of all resamples are at or below.
    ends = [ranked[int(np.ceil(round(len(ranked) * p, 6))) - 1] for p in
            ((1 - level) / 2, (1 + level) / 2)]  # fmt: skip
    assert_allclose([found.low / unit, found.high / unit], ends, atol=1e-9)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
@given(values_of, st.integers(0, 99), st.sampled_from([1e-90, 1.0, 1e90]))
def test_intervals_are_those_of_a_plain_loop_over_the_same_draws(method, values, seed, unit):
    statistic = build(MEAN, [np.asarray(values)[None] * unit], None)
    found = bootstrap_interval(statistic, method, 60, 0.9, np.random.default_rng(seed))
    if len(values) < 2 or statistic.constant:
        assert_array_equal(
            [found.low, found.high], [found.estimate] * 2 if len(values) > 1 else np.nan
        )
        return
    draw, size = statistic.draw()
    drawn = np.sort(draws.in_blocks(draw, 60, size, np.random.default_rng(seed))[:, 0]) / unit
    estimate, n = np.mean(values), len(values)
    assert_allclose(found.bias / unit, drawn.mean() - estimate, atol=1e-12)
    assert_allclose(found.se / unit, drawn.std(ddof=1), rtol=1e-9, atol=1e-13)
    tails = np.array([0.05, 0.95])
    if found.method == "bca":
        without = np.array([np.delete(values, i).mean() for i in range(n)])
        apart = without.mean() - without
        skew = np.sum(apart**3) / (6 * np.sum(apart**2) ** 1.5) if np.ptp(apart) > 1e-12 else 0
        close = np.abs(drawn - estimate) < 1e-12
        below = np.mean((drawn < estimate) & ~close) + np.mean(close) / 2
        z = scipy.stats.norm.ppf(below) + scipy.stats.norm.ppf(tails)
        tails = scipy.stats.norm.cdf(scipy.stats.norm.ppf(below) + z / (1 - skew * z))
    low, high = np.quantile(drawn, tails)
    if found.method == "basic":
        low, high = 2 * estimate - high, 2 * estimate - low
    assert_allclose([found.low / unit, found.high / unit], [low, high], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        (MEAN, "bca"),
        (MEAN, "studentized"),
        (Kind("ratio", "ratio"), "bca"),
        (Kind("ratio", "ratio"), "studentized"),
        (Kind("quantile", "median", 0.5), "bca"),
        (Kind("quantile", "upper", 0.8), "bca"),
        (Kind("trimmed", "trimmed", 0.2), "bca"),
        (Kind("custom", "mean", function=np.mean), "bca"),
    ],
    ids=lambda part: getattr(part, "text", part),
)
@given(
    st.lists(
        st.tuples(st.integers(-40, 40), st.integers(-40, 40), st.integers(1, 3)),
        min_size=3,
        max_size=7,
    ),
    st.booleans(),
)
def test_resamples_that_rounding_sets_apart_from_the_estimate_are_equal_to_it(
    kind, method, items, two
):
    # Sums of whole numbers are exact; those of tenths are not, and mean the same.
    first, second, size = np.array(items, dtype=float).T
    found = []
    for unit in (1.0, 0.1):
        arms = [np.stack([first * unit, size]), np.stack([second * unit + unit, size])]
        arms = [arm if kind.name == "ratio" else arm[:1] for arm in arms[: 1 + two]]
        statistic = build(kind, arms, None)
        one = bootstrap_interval(statistic, method, 400, 0.9, np.random.default_rng(1))
        found.append([one.low / unit, one.high / unit, one.method == method])
    # Limits between two resamples move with the last digit of a share; ties move them far.
    assert_allclose(found[1], found[0], rtol=1e-7, atol=1e-7)
