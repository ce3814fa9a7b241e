"""Limits from resamples against their textbook formulas, one resample at a time."""

from math import floor, isfinite, isnan
from statistics import NormalDist

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from evalframe.stats.bootstrap_limits import basic, bca, percentile, studentized

NORMAL = NormalDist()
UNITS = st.sampled_from([1e-90, 1e-9, 1.0, 1e90])
levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])
# Resamples with many ties.
resamples = st.lists(st.integers(-6, 6).map(lambda k: k / 3), min_size=2, max_size=40)


def quantile(values, share):
    """Return a linear quantile."""
    ranked = sorted(values)
    place = share * (len(ranked) - 1)
    low = floor(place)
    high = min(low + 1, len(ranked) - 1)
    return ranked[low] + (place - low) * (ranked[high] - ranked[low])


@given(resamples, levels, UNITS, st.integers(-6, 6))
def test_percentile_and_basic(values, level, unit, estimate):
    tails = (1 - level) / 2, (1 + level) / 2
    low, high = (quantile(values, tail) for tail in tails)
    given = np.array(values) * unit
    assert_allclose(np.array(percentile(given.copy(), level)) / unit, [low, high], atol=1e-12)
    mirrored = [2 * estimate - high, 2 * estimate - low]
    found = basic(given.copy(), estimate * unit, level)
    assert_allclose(np.array(found) / unit, mirrored, atol=1e-12)


@given(
    resamples,
    st.integers(-6, 6).map(lambda k: k / 3),
    st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 4)), min_size=1, max_size=8),
    levels,
    UNITS,
)
def test_bca(values, estimate, jackknife, level, unit):
    every = [x for x, copies in jackknife for _ in range(copies)]
    apart = [sum(every) / len(every) - x for x in every]
    spread = sum(d**2 for d in apart)
    skew = sum(d**3 for d in apart) / (6 * spread**1.5) if spread > 1e-9 else 0.0
    below = sum((x < estimate) + (x == estimate) / 2 for x in values) / len(values)
    expected = [np.nan, np.nan]
    if 0 < below < 1:
        bias = NORMAL.inv_cdf(below)
        scores = [bias + NORMAL.inv_cdf(p) for p in ((1 - level) / 2, (1 + level) / 2)]
        if all(skew * z < 1 for z in scores):
            shares = [NORMAL.cdf(bias + z / (1 - skew * z)) for z in scores]
            expected = [quantile(values, share) for share in shares]
    without, copies = (np.array([row[k] for row in jackknife]) for k in (0, 1))
    found = bca(np.array(values) * unit, estimate * unit, without * unit, copies, level)
    # A share that rounding moves past a step of the resamples moves a limit by a trifle alone.
    assert_allclose(np.array(found) / unit, expected, atol=1e-7)


@given(
    st.lists(
        st.tuples(st.integers(-6, 6), st.sampled_from([0.0, 0.5, 1.0, 2.0])),
        min_size=2,
        max_size=40,
    ),
    levels,
    UNITS,
)
def test_studentized(rows, level, unit):
    estimate, error = 0.5, 0.8
    t = []
    for x, se in rows:
        apart = x / 3 - estimate
        if se > 0:
            t.append(apart / se)
        elif apart != 0:
            t.append(np.inf if apart > 0 else -np.inf)
    values, errors = (np.array([row[k] for row in rows], dtype=float) for k in (0, 1))
    found = studentized(values / 3 * unit, errors * unit, estimate * unit, error * unit, level)
    if not t:
        assert isnan(found[0])
        return
    t.sort()
    places = (1 - level) / 2 * (len(t) - 1), (1 + level) / 2 * (len(t) - 1)
    used = t[floor(places[0])], t[min(-floor(-places[1]), len(t) - 1)]
    if not all(map(isfinite, used)):
        assert isnan(found[0])
        assert isnan(found[1])
        return
    kept = [x for x in t if isfinite(x)]
    inside = [min(max(x, kept[0]), kept[-1]) for x in t]
    low, high = (quantile(inside, p) for p in ((1 - level) / 2, (1 + level) / 2))
    expected = [estimate - high * error, estimate - low * error]
    assert_allclose(np.array(found) / unit, expected, rtol=1e-9, atol=1e-9)


def test_jackknife_values_that_rounding_sets_apart_have_no_acceleration():
    values, copies = np.arange(-50.0, 51.0) - 20, np.array([6])
    # Six times -0.1 over 6 is not quite -0.1.
    without = np.array([-0.1])
    assert (without * copies).sum() / copies.sum() != without[0]
    found = bca(values.copy(), 0.0, without, copies, 0.9, near=1e-15)
    assert_allclose(found, bca(values.copy(), 0.0, np.zeros(1), copies, 0.9))


def test_a_symmetric_sample_has_bca_limits_that_are_its_percentiles():
    values, level = np.arange(-50.0, 51.0), 0.9
    found = bca(values.copy(), 0.0, np.array([-1.0, 1.0]), np.array([3, 3]), level)
    assert_allclose(found, percentile(values, level), atol=1e-9)
    assert_allclose(found, [-45, 45], atol=1e-9)
