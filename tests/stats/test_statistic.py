"""Statistics of counted units against the same statistic of the plain samples."""

from itertools import chain, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import trim_mean

from evalframe.stats import exact
from evalframe.stats.statistic import Kind, build, plain


def spread(values):
    return values.max() - values.min()


def geometric(values, axis=-1):
    return np.exp(np.log(values + 20).mean(axis=axis))


KINDS = {
    "mean": Kind("mean", "mean"),
    "above": Kind("above", "above(0.5)", 0.5),
    "ratio": Kind("ratio", "ratio(tokens)"),
    "median": Kind("quantile", "median", 0.5),
    "lowest": Kind("quantile", "quantile(0)", 0.0),
    "highest": Kind("quantile", "quantile(1)", 1.0),
    "quantile": Kind("quantile", "quantile(0.3)", 0.3),
    "trimmed": Kind("trimmed", "trimmed(0.2)", 0.2),
    "loop": Kind("custom", "spread", function=spread),
    "vector": Kind("custom", "geometric", function=geometric),
}
PLAIN = {
    "mean": lambda x: x[0].mean(),
    "above": lambda x: (x[0] > 0.5).mean(),
    "ratio": lambda x: x[0].sum() / x[1].sum(),
    "median": lambda x: np.median(x[0]),
    "lowest": lambda x: x[0].min(),
    "highest": lambda x: x[0].max(),
    "quantile": lambda x: np.quantile(x[0], 0.3),
    "trimmed": lambda x: trim_mean(x[0], 0.2),
    "loop": lambda x: np.ptp(x[0]),
    "vector": lambda x: geometric(x[0]),
}
law = settings(max_examples=30)
small = st.integers(-8, 8).map(lambda k: k / 4)


@st.composite
def designs(draw, most=4):
    """Return items of one or two arms, and their clusters or None."""
    n = draw(st.integers(2, most))
    arms = []
    for _ in range(draw(st.integers(1, 2))):
        top = draw(st.lists(small, min_size=n, max_size=n))
        bottom = draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=n, max_size=n))
        arms.append(np.array([top, bottom]))
    cluster = None
    if draw(st.booleans()):
        cluster = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
        cluster = np.unique(cluster, return_inverse=True)[1]
    return arms, cluster


def rows_of(name, arms):
    return arms if name == "ratio" else [arm[:1] for arm in arms]


def by_hand(name, arms, items):
    found = [PLAIN[name](arm[:, items]) for arm in arms]
    return found[0] - (found[1] if len(found) > 1 else 0)


def joined(units):
    return list(chain.from_iterable(units))


def members(cluster, n):
    if cluster is None:
        return [[item] for item in range(n)]
    return [np.flatnonzero(cluster == one).tolist() for one in range(cluster.max() + 1)]


@pytest.mark.parametrize("name", KINDS)
@given(designs())
@law
def test_the_exact_law_is_that_of_all_samples(name, design):
    arms, cluster = design
    units = members(cluster, arms[0].shape[1])
    statistic = build(KINDS[name], rows_of(name, arms), cluster)
    assert statistic.n_units == len(units)
    assert_allclose(statistic.estimate, by_hand(name, arms, joined(units)), atol=1e-12)
    values, probability = exact.law(statistic)
    expected = [
        by_hand(name, arms, joined(units[one] for one in drawn))
        for drawn in product(range(len(units)), repeat=len(units))
    ]
    order = np.argsort(values)
    grid = np.sort(expected) + 1e-9
    reached = np.concatenate([[0], np.cumsum(probability[order])])
    law = reached[np.searchsorted(values[order], grid, side="right")]
    assert_allclose(law, np.searchsorted(np.sort(expected), grid) / len(expected), atol=1e-9)


@pytest.mark.parametrize("name", KINDS)
@given(designs(most=9))
@law
def test_the_jackknife_leaves_each_unit_out(name, design):
    arms, cluster = design
    units = members(cluster, arms[0].shape[1])
    if len(units) < 2:
        return
    values, copies = build(KINDS[name], rows_of(name, arms), cluster).jackknife()
    expected = [
        by_hand(name, arms, joined(unit for unit in units if unit is not one)) for one in units
    ]
    assert_allclose(np.sort(np.repeat(values, copies)), np.sort(expected), atol=1e-12)


@pytest.mark.parametrize("name", KINDS)
@given(designs(most=9), st.lists(st.integers(1, 3), min_size=9, max_size=9))
@law
def test_samples_that_stand_one_behind_the_other_have_their_own_statistics(name, design, lengths):
    arms, _ = design
    n = arms[0].shape[1]
    lengths = np.array(lengths)[: max(1, n // 3)]
    lengths[-1] += n - lengths.sum()
    ends = np.cumsum(lengths)
    expected = [
        by_hand(name, arms, np.arange(end - length, end))
        for end, length in zip(ends, lengths, strict=True)
    ]
    assert_allclose(plain(KINDS[name], rows_of(name, arms), lengths), expected, atol=1e-12)


@pytest.mark.parametrize("name", KINDS)
@given(designs(most=9), st.randoms())
@law
def test_a_statistic_does_not_depend_on_the_order_of_items_or_names_of_clusters(
    name, design, random
):
    arms, cluster = design
    n = arms[0].shape[1]
    order = random.sample(range(n), n)
    shuffled = [arm[:, order] for arm in rows_of(name, arms)]
    if cluster is not None:
        n_clusters = int(cluster.max()) + 1
        names = np.array(random.sample(range(n_clusters), n_clusters))
        first, second = cluster, names[cluster][order]
    else:
        first = second = None
    counts = np.random.default_rng(0)
    one, other = (
        build(KINDS[name], rows_of(name, arms), first),
        build(KINDS[name], shuffled, second),
    )
    drawn = counts.multinomial(one.n_units, one.copies / one.n_units, size=20)
    assert_array_equal(one.copies, other.copies)
    assert_array_equal(one.of_counts(drawn), other.of_counts(drawn))


def test_a_function_that_reduces_all_axes_is_called_sample_by_sample():
    seen = []

    def mean_of_all(values):
        seen.append(values.shape)
        return values.mean()

    statistic = build(Kind("custom", "f", function=mean_of_all), [np.array([[1.0, 2, 4]])], None)
    assert not statistic.vectorised
    assert_allclose(statistic.of_counts(np.array([[1, 1, 1], [3, 0, 0]])), [7 / 3, 1])
    assert seen[-1] == (3,)


@pytest.mark.parametrize("function", [np.mean, np.median, geometric, lambda x: x.mean(-1)])
def test_a_function_of_the_last_axis_is_called_once_for_many_samples(function):
    values = np.array([[1.0, 2, 4, 8]])
    statistic = build(Kind("custom", "f", function=function), [values], None)
    assert statistic.vectorised
    expected = [function(np.repeat(values[0], count)) for count in ([1] * 4, [2, 0, 0, 2])]
    assert_allclose(statistic.of_counts(np.array([[1] * 4, [2, 0, 0, 2]])), expected)


def test_a_difference_of_rounding_is_none():
    arms = [np.array([[0.3, 0.7, 1.1]]), np.array([[0.2, 0.6, 1.0]])]
    statistic = build(KINDS["mean"], arms, None)
    assert statistic.constant
    assert_allclose(statistic.estimate, 0.1, rtol=1e-12)


def test_a_small_spread_around_a_large_mean_is_not_lost():
    values = 1e9 + np.array([0.0, 1, 2, 3, 4, 5]) / 1024
    statistic = build(KINDS["mean"], [values[None]], None)
    found, probability = exact.law(statistic)
    mean = probability @ found
    se = np.sqrt(probability @ (found - mean) ** 2)
    assert_allclose(se, np.arange(6).std() / 1024 / np.sqrt(6), rtol=1e-3)
