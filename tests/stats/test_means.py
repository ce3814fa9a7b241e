import json
from fractions import Fraction
from math import isqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import t

from evalframe.stats.means import segment_means, skewness, student_quantile

CASES = json.loads((Path(__file__).parents[1] / "reference" / "cluster_se.json").read_text())[
    "cases"
]
# Decimals, most of which no float is equal to, and often some of them alike.
decimals = st.integers(-8_000, 8_000).map(lambda number: number / 1_000)
values_of = arrays(np.float64, st.integers(2, 30), elements=decimals)
codes = st.lists(st.integers(0, 4), min_size=30, max_size=30).map(np.array)


def one_segment(values, cluster=None, scale=None):
    """Return mean, se and design effect of all values together."""
    values = np.array(values, dtype=np.float64)
    where = np.zeros(len(values), dtype=np.int64)
    cluster = None if cluster is None else np.array(cluster)
    found = segment_means(values, where, 1, cluster, scale)
    return found.mean[0], found.se[0], found.design_effect[0]


def exact(values, cluster):
    """Return the mean and the squared standard error in whole-number arithmetic."""
    numbers = [Fraction(value) for value in values]
    n, mean = len(numbers), sum(numbers) / len(numbers)
    sums = {}
    for number, label in zip(numbers, cluster, strict=True):
        sums[label] = sums.get(label, 0) + number - mean
    clusters = len(sums)
    squares = sum(total**2 for total in sums.values())
    return mean, squares * Fraction(clusters, (clusters - 1) * n * n)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_statsmodels(case):
    values, cluster = np.array(case["values"]), np.array(case["cluster"])
    where = np.zeros(len(values), dtype=np.int64)
    found = segment_means(values, where, 1, cluster)
    for name in ("mean", "se", "n_clusters", "design_effect"):
        assert_allclose(getattr(found, name), case[name], rtol=1e-10, err_msg=name)
    assert_allclose(segment_means(values, where, 1).se, case["se_independent"], rtol=1e-10)


def test_many_segments_at_once_are_those_of_statsmodels():
    values = np.concatenate([case["values"] for case in CASES])
    sizes = [len(case["values"]) for case in CASES]
    segment = np.repeat(np.arange(len(CASES)), sizes)
    cluster = np.concatenate([np.array(case["cluster"]) for case in CASES])
    _, cluster = np.unique(segment * 1000 + cluster, return_inverse=True)
    mixed = np.random.default_rng(0).permutation(len(values))
    found = segment_means(values[mixed], segment[mixed], len(CASES), cluster[mixed])
    assert_allclose(found.se, [case["se"] for case in CASES], rtol=1e-10)
    assert_array_equal(found.n, sizes)
    assert_array_equal(found.n_clusters, [case["n_clusters"] for case in CASES])


@pytest.mark.parametrize("shift", [0.0, 1e8, 2.0**52, 1e18])
def test_a_small_spread_around_a_large_mean_is_not_lost(shift):
    values = shift + np.array([0.0, 1, 1, 0, 1, 0, 0, 0]) * max(1.0, 2 * np.spacing(shift))
    cluster = [0, 0, 0, 1, 1, 2, 2, 3]
    mean, squared = exact(values, cluster)
    found, se, _ = one_segment(values, cluster, scale=np.zeros(1))
    assert_allclose(found, float(mean), rtol=1e-15)
    # Deviations from the rounded mean are themselves rounded to its last digit.
    spread = max(np.ptp(values), 1.0)
    error = 4 * np.spacing(shift) / spread
    assert_allclose(se, float(squared) ** 0.5, rtol=1e-12 + error)


def test_huge_values_have_the_error_of_whole_number_arithmetic():
    values = [1e18, 3e18, 2e18, 5e18]
    _, squared = exact(values, range(4))
    assert_allclose(one_segment(values)[1], isqrt(int(squared)), rtol=1e-12)


@given(values_of)
def test_one_item_a_cluster_is_exactly_the_plain_standard_error(values):
    mean, se, effect = one_segment(values, np.arange(len(values)))
    plain_mean, plain_se, _ = one_segment(values)
    assert (mean, se) == (plain_mean, plain_se)
    assert effect == 1 or (np.isnan(effect) and se == 0)


@given(values_of)
def test_the_plain_standard_error_is_numpys(values):
    mean, se, _ = one_segment(values)
    assert_allclose(mean, values.mean(), rtol=1e-12, atol=1e-14)
    assert_allclose(se, values.std(ddof=1) / np.sqrt(len(values)), rtol=1e-9, atol=1e-14)


@given(values_of, codes, st.randoms())
def test_order_and_cluster_numbers_do_not_change_a_bit(values, cluster, random):
    cluster = cluster[: len(values)]
    first = one_segment(values, cluster)
    order = random.sample(range(len(values)), len(values))
    renamed = np.array(random.sample(range(9), 5))[cluster]
    assert_array_equal(first, one_segment(values[order], renamed[order]))


@given(values_of, codes, codes)
def test_a_segment_does_not_depend_on_those_beside_it(values, segment, cluster):
    segment, cluster = segment[: len(values)], cluster[: len(values)]
    found = segment_means(values, segment, 6, segment * 5 + cluster)
    for s in range(6):
        inside = segment == s
        if inside.any():
            alone = one_segment(values[inside], cluster[inside])
            assert_array_equal(alone, (found.mean[s], found.se[s], found.design_effect[s]))


@given(values_of, codes, st.sampled_from([0.25, 8.0, -2.0]))
def test_values_in_another_unit_have_an_error_in_that_unit(values, cluster, unit):
    cluster = cluster[: len(values)]
    _, se, effect = one_segment(values, cluster)
    _, scaled, same = one_segment(values * unit, cluster)
    assert_allclose(scaled, se * abs(unit), rtol=1e-12)
    assert_allclose(same, effect, rtol=1e-9)


@given(values_of)
def test_the_mean_lies_between_the_smallest_and_the_largest_value(values):
    mean, _, _ = one_segment(values)
    assert values.min() <= mean <= values.max()


@pytest.mark.parametrize("value", [0.1, 1 / 3, 0.7, 1e8 + 0.1, -0.3])
@pytest.mark.parametrize("n", [2, 3, 7, 10, 99])
def test_equal_values_have_themselves_as_mean_and_no_spread(value, n):
    mean, se, effect = one_segment([value] * n, np.arange(n) // 2)
    assert mean == value
    assert se == 0 or n == 2
    assert np.isnan(effect)


def test_differences_that_differ_by_rounding_alone_have_no_spread():
    base = np.array([0.1, 0.2, 0.3, 0.6, 0.7])
    diff = (base + 0.1) - base
    assert len(np.unique(diff)) > 1
    assert one_segment(diff, scale=np.array([0.8]))[1] == 0


def test_a_real_spread_beside_rounding_is_kept():
    _, se, _ = one_segment([0.1, 0.1 + 1e-12, 0.1], scale=np.array([1.0]))
    assert se > 0


def test_clusters_that_cancel_have_no_spread_whatever_their_items():
    # Each cluster sums to 3 times the mean; in floating point not to exactly 0.
    values = [0.1, 0.2, 0.6, 0.3, 0.3, 0.3, 0.6, 0.1, 0.2]
    _, se, effect = one_segment(values, np.arange(9) // 3)
    assert se == 0
    assert effect == 0


def test_one_item_has_a_mean_and_no_standard_error():
    mean, se, effect = one_segment([0.5])
    assert mean == 0.5
    assert np.isnan([se, effect]).all()


def test_one_cluster_has_no_standard_error():
    mean, se, effect = one_segment([1.0, 0, 1], [0, 0, 0])
    assert_allclose(mean, 2 / 3)
    assert np.isnan([se, effect]).all()


def test_an_empty_segment_is_unknown_and_leaves_the_others_alone():
    values, segment = np.array([1.0, 3.0]), np.array([1, 1])
    for cluster in (None, np.array([0, 1])):
        found = segment_means(values, segment, 3, cluster)
        assert_array_equal(found.mean, [np.nan, 2, np.nan])
        assert_array_equal(found.se, [np.nan, 1, np.nan])
        assert_array_equal(found.n, [0, 2, 0])
        assert_array_equal(found.n_clusters, [0, 2, 0])


@pytest.mark.parametrize("n_segments", [0, 3])
def test_no_values_give_no_means(n_segments):
    nothing, codes_of_nothing = np.zeros(0), np.zeros(0, dtype=np.int64)
    for cluster in (None, codes_of_nothing):
        found = segment_means(nothing, codes_of_nothing, n_segments, cluster)
        assert np.isnan(found.mean).tolist() == [True] * n_segments
        assert np.isnan(found.se).tolist() == [True] * n_segments


def test_more_segments_and_clusters_than_16_bits_hold():
    n = 70_000
    values = np.tile([0.0, 1.0, 3.0], n)
    segment = np.repeat(np.arange(n), 3)
    found = segment_means(values, segment, n, np.arange(3 * n))
    assert_array_equal(found.n_clusters, np.full(n, 3))
    assert_allclose(found.mean, np.full(n, 4 / 3))
    assert_allclose(found.se, np.full(n, np.std([0, 1, 3], ddof=1) / 3**0.5))


def test_the_input_is_not_changed():
    values, segment = np.array([3.0, 1.0, 2.0]), np.array([0, 1, 0])
    for array in (values, segment):
        array.flags.writeable = False
    segment_means(values, segment, 2, segment)
    assert_array_equal(values, [3, 1, 2])


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99, 0.999])
def test_the_t_quantile_is_scipys(level):
    df = np.array([1.0, 2, 3, 29, 1000])
    assert_allclose(student_quantile(level, df), t.ppf((1 + level) / 2, df), rtol=1e-9)


def test_the_t_quantiles_of_the_books():
    assert_allclose(
        student_quantile(0.95, np.array([1.0, 4, 30])), [12.706, 2.776, 2.042], atol=5e-4
    )


def test_no_degrees_of_freedom_have_no_quantile():
    assert np.isnan(student_quantile(0.95, np.array([np.nan, 0.0, -1.0]))).all()


# Value, segment and cluster of an item.
ITEMS = st.lists(st.tuples(decimals, st.integers(0, 2), st.integers(0, 3)), max_size=20)


@given(ITEMS, st.sampled_from([-300, -40, 0, 40, 300]), st.booleans())
def test_means_and_errors_are_those_of_whole_number_arithmetic(items, unit, clustered):
    value = np.array([x for x, _, _ in items], dtype=float)
    segment = np.array([s for _, s, _ in items], dtype=np.int64)
    # Codes with gaps, in no order.
    cluster = np.array([20 - 5 * s - c for _, s, c in items], dtype=np.int64)
    found = segment_means(np.ldexp(value, unit), segment, 3, cluster if clustered else None)
    for s in range(3):
        mine = [(x, c) for x, where, c in items if where == s]
        labels = [c for _, c in mine] if clustered else list(range(len(mine)))
        assert found.n[s] == len(mine)
        assert found.n_clusters[s] == len(set(labels))
        if len(set(labels)) < 2:
            assert np.isnan(found.se[s])
            continue
        numbers = [x for x, _ in mine]
        mean, squared = exact(numbers, labels)
        _, plain = exact(numbers, range(len(numbers)))
        assert_allclose(np.ldexp(found.mean[s], -unit), float(mean), rtol=1e-12, atol=1e-15)
        se, alone = (np.ldexp(x[s], -unit) for x in (found.se, found.independent))
        assert_allclose([se, alone], [float(squared) ** 0.5, float(plain) ** 0.5], atol=1e-13)
        effect = float(squared / plain) if plain and clustered else np.nan
        assert_allclose(found.design_effect[s], effect, rtol=1e-9, atol=1e-12)


def test_equal_values_have_no_skewness():
    value = np.array([1.959] * 3)
    assert value.sum() / 3 != 1.959
    assert np.isnan(skewness(value, np.zeros(3, dtype=np.int64), 1)).all()


@given(ITEMS, st.sampled_from([-300, 0, 300]))
def test_skewness_is_the_third_moment_of_whole_number_arithmetic(items, unit):
    value, segment = np.array([x for x, _, _ in items], float), [s for _, s, _ in items]
    found = skewness(np.ldexp(value, unit), np.array(segment, dtype=np.int64), 3)
    for s in range(3):
        numbers = [Fraction(x) for x, where, _ in items if where == s]
        if len(set(numbers)) < 2:
            assert np.isnan(found[s])
            continue
        mean = sum(numbers) / len(numbers)
        second, third = (sum((x - mean) ** k for x in numbers) / len(numbers) for k in (2, 3))
        assert_allclose(found[s], float(third) / float(second) ** 1.5, rtol=1e-9, atol=1e-9)
