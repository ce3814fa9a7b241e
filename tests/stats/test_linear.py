"""Ratios of sums: their influence and the errors of their resamples, unit by unit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from evalframe.stats import draws
from evalframe.stats.counted import MULTINOMIAL
from evalframe.stats.linear import linear

SMALL = 1e-30
# Numerator, denominator and cluster of an item, for one arm and for two.
ITEM = st.tuples(st.integers(-4, 4).map(lambda k: k / 3), st.sampled_from([0.5, 1.0, 3.0]))
ITEMS = st.lists(st.tuples(ITEM, ITEM, st.integers(0, 4)), min_size=2, max_size=12)


def made(items, two, clustered, unit=1.0):
    """Return the terms of items, their clusters or None, and the sums of units."""
    first, second, cluster = zip(*items, strict=True)
    rows = np.array([*zip(*first, strict=True), *(zip(*second, strict=True) if two else ())])
    rows[0::2] *= unit
    code = np.unique(cluster, return_inverse=True)[1] if clustered else np.arange(len(items))
    units = np.stack([np.bincount(code, row) for row in rows])
    return rows, code if clustered else None, units


def ratio(units, weight):
    """Return the statistic of units that count as often as their weight says."""
    total = [sum(w * x for w, x in zip(weight, row, strict=True)) for row in units]
    value = total[0] / total[1]
    return value - total[2] / total[3] if len(total) > 2 else value


def influence_of(units, weight):
    """Return the derivatives of the statistic to the weights of units, without a difference."""
    n = units.shape[1]
    steps = [[w + 1j * SMALL * (k == i) for k, w in enumerate(weight)] for i in range(n)]
    return np.array([np.imag(ratio(units, one)) / SMALL for one in steps])


@given(ITEMS, st.booleans(), st.booleans(), st.sampled_from([1e-90, 1.0, 1e90]))
def test_influences_are_derivatives_to_the_weights_of_units(items, two, clustered, unit):
    rows, code, units = made(items, two, clustered, unit)
    found = linear(rows, code)
    assert_allclose(found.estimate / unit, ratio(units, [1] * units.shape[1]) / unit, atol=1e-12)
    expected = influence_of(units, [1] * units.shape[1]) / unit
    ours = np.sort(np.repeat(found.influence() / unit, found.copies))
    assert_allclose(ours, np.sort(expected), atol=1e-12)


@given(ITEMS, st.booleans(), st.booleans(), st.integers(1, 12), st.integers(0, 99))
def test_errors_of_resamples_are_those_of_their_units(items, two, clustered, copies, seed):
    # Copies of few units are drawn by their counts, other units one by one.
    rows, code, _ = made(items * copies, two, clustered)
    statistic = linear(rows, code)
    n = statistic.n_units
    if n < 2 or statistic.constant:
        return
    draw, _ = statistic.draw_with_errors()
    found = draw(np.random.default_rng(seed), 5)
    twin = np.random.default_rng(seed)
    if statistic.units.shape[1] * MULTINOMIAL <= n:
        counts = twin.multinomial(n, statistic.copies / n, size=5)
    else:
        each = np.repeat(np.arange(statistic.units.shape[1]), statistic.copies)
        drawn = draws.counts(twin, 5, n)
        counts = np.stack([np.bincount(each, row) for row in drawn]).astype(int)
    # The order of units is the product's own; that they are the same is tested above.
    own = statistic.units.copy()
    own[0] += statistic.shift * own[1]
    for (value, error), count in zip(found, counts, strict=True):
        assert_allclose(value, ratio(own, count), atol=1e-11)
        pull = influence_of(own, count)
        expected = (sum(c * p**2 for c, p in zip(count, pull, strict=True)) * n / (n - 1)) ** 0.5
        assert_allclose(error, expected, rtol=1e-5, atol=1e-6)
