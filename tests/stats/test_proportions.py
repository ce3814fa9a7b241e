import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import beta, binom, norm, t

from evalframe.stats.proportions import (
    clopper_pearson,
    jeffreys,
    logit_limits,
    mid_p,
    normal_quantile,
    wilson,
)

REFERENCE = Path(__file__).parents[1] / "reference"
STATSMODELS = json.loads((REFERENCE / "proportions.json").read_text())["cases"]
R = json.loads((REFERENCE / "intervals.json").read_text())["proportion"]


def wilson_of_count(count, n, level):
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.asarray(count) / np.asarray(n)
    return wilson(share, n, normal_quantile(level))


INTERVALS = {
    "wilson": wilson_of_count,
    "clopper-pearson": clopper_pearson,
    "mid-p": mid_p,
    "jeffreys": jeffreys,
}
all_intervals = pytest.mark.parametrize("limits", INTERVALS.values(), ids=INTERVALS)
levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 1 - 0.001 / 501])


@pytest.mark.parametrize(
    "case", STATSMODELS, ids=lambda c: f"{c['interval']} {c['count']}/{c['n']} {c['level']}"
)
def test_statsmodels(case):
    low, high = INTERVALS[case["interval"]](case["count"], case["n"], case["level"])
    # 1 - alpha is itself rounded, and the inverses of both are good to 1e-12.
    assert_allclose([low, high], [case["low"], case["high"]], rtol=1e-10)


@pytest.mark.parametrize("name", R)
def test_r(name):
    case = R[name]
    for limits, start in ((wilson_of_count, "wilson"), (clopper_pearson, "clopper")):
        expected = [case[f"{start}_low"], case[f"{start}_high"]]
        assert_allclose(limits(case["x"], case["n"], 0.95), expected, rtol=1e-10)
    # R's upper limit without a failure is 1, and its lower one the plain quantile.
    expected = [case["jeffreys_low"], case["jeffreys_high"]]
    assert_allclose(jeffreys(case["x"], case["n"], 0.95)[1], expected[1], rtol=1e-10)


def test_the_published_intervals_of_25_of_25():
    assert_allclose(wilson(1.0, 25, norm.ppf(0.975)), [0.8668077, 1], atol=5e-8)
    assert_allclose(clopper_pearson(25, 25, 0.95), [0.8628148, 1], atol=5e-8)


def test_the_upper_limit_of_no_success_is_known_exactly():
    alpha = 0.001 / 501
    low, high = clopper_pearson(0, 500, 1 - alpha)
    assert low == 0
    assert_allclose(high, 1 - (alpha / 2) ** (1 / 500), rtol=1e-9)
    assert_allclose(high, 0.0272567, atol=5e-8)


@pytest.mark.parametrize("n", [1, 2, 7, 30, 2_000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_mid_p_limits_have_half_the_observed_probability_in_their_tails(n, level):
    x = np.arange(n + 1)
    low, high = mid_p(x, n, level)
    tail = (1 - level) / 2
    assert_allclose(binom.sf(x, n, low) + binom.pmf(x, n, low) / 2, np.r_[0.5, [tail] * n])
    mirrored = binom.cdf(x - 1, n, high) + binom.pmf(x, n, high) / 2
    assert_allclose(mirrored, np.r_[[tail] * n, 0.5], rtol=1e-9)


@all_intervals
@given(st.integers(1, 400), levels)
def test_limits_enclose_the_share_and_stay_between_0_and_1(limits, n, level):
    x = np.arange(n + 1)
    low, high = limits(x, n, level)
    assert (low >= 0).all()
    assert (low <= x / n).all()
    assert (x / n <= high).all()
    assert (high <= 1).all()
    assert (high > low).all()


@all_intervals
@given(st.integers(1, 400), levels)
def test_more_successes_never_lower_a_limit(limits, n, level):
    low, high = limits(np.arange(n + 1), n, level)
    assert (np.diff(low) > 0).all()
    assert (np.diff(high) > 0).all()


@all_intervals
@given(st.integers(1, 400), levels)
def test_failures_counted_as_successes_mirror_the_interval(limits, n, level):
    x = np.arange(n + 1)
    low, high = limits(x, n, level)
    mirrored = limits(n - x, n, level)
    assert_allclose(1 - mirrored[1], low, rtol=1e-9, atol=1e-15)
    assert_allclose(1 - mirrored[0], high, rtol=1e-9, atol=1e-15)


@all_intervals
@given(st.integers(1, 200))
def test_a_higher_level_has_a_longer_interval(limits, n):
    x = np.arange(n + 1)
    short, long = limits(x, n, 0.9), limits(x, n, 0.95)
    assert (long[0] <= short[0]).all()
    assert (short[1] <= long[1]).all()


@given(st.integers(1, 300), levels)
def test_mid_p_lies_inside_the_exact_interval(n, level):
    x = np.arange(n + 1)
    (low, high), (exact_low, exact_high) = mid_p(x, n, level), clopper_pearson(x, n, level)
    assert (exact_low <= low).all()
    assert (high <= exact_high).all()


def test_the_exact_interval_covers_its_level_at_every_share():
    n, shares = 20, np.linspace(0.001, 0.999, 997)
    low, high = clopper_pearson(np.arange(n + 1), n, 0.95)
    inside = (low <= shares[:, None]) & (shares[:, None] <= high)
    weight = binom.pmf(np.arange(n + 1), n, shares[:, None])
    assert ((inside * weight).sum(axis=1) >= 0.95).all()


@all_intervals
def test_no_items_have_no_limits(limits):
    assert np.isnan(limits(np.array([0, 0]), np.array([0, 0]), 0.95)).all()


@all_intervals
def test_counts_come_in_any_shape(limits):
    count, n = np.array([[1, 2], [3, 0]]), np.array([5, 0])
    low, high = limits(count, n, 0.95)
    assert low.shape == high.shape == (2, 2)
    assert_array_equal(np.isnan(low), [[False, True], [False, True]])
    alone = limits(3, 5, 0.95)
    assert_array_equal([low[1, 0], high[1, 0]], alone)


def test_many_items_have_limits_of_full_precision():
    x, n = np.array([1, 99_999]), 100_000
    low, high = mid_p(x, n, 0.95)
    assert_allclose(binom.sf(x, n, low) + binom.pmf(x, n, low) / 2, 0.025, rtol=1e-9)
    assert_allclose(binom.cdf(x - 1, n, high) + binom.pmf(x, n, high) / 2, 0.025, rtol=1e-9)


@given(st.floats(0, 1), st.floats(0.5, 1e6), st.floats(0.1, 20))
def test_wilson_holds_for_any_effective_number_of_items(share, n, quantile):
    low, high = wilson(share, n, quantile)
    assert 0 <= low <= share <= high <= 1
    # The limits are the shares at which the score test is just refused.
    for limit in (low, high):
        assert_allclose(
            (share - limit) ** 2, quantile**2 * limit * (1 - limit) / n, rtol=1e-6, atol=1e-9
        )


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999, 1 - 1e-12])
def test_the_normal_quantile_is_scipys(level):
    assert_allclose(normal_quantile(level), norm.isf((1 - level) / 2), rtol=1e-12)


def test_logit_limits_by_hand():
    low, high = logit_limits(0.8, 0.05, t.ppf(0.975, 9))
    margin = t.ppf(0.975, 9) * 0.05 / 0.16
    assert_allclose([low, high], 1 / (1 + np.exp(-np.log(4) + np.array([margin, -margin]))))


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.5))
def test_logit_limits_enclose_the_share_and_mirror(share, se):
    low, high = logit_limits(share, se, 2.0)
    assert 0 <= low <= share <= high <= 1
    mirrored = logit_limits(1 - share, se, 2.0)
    assert_allclose([1 - mirrored[1], 1 - mirrored[0]], [low, high], atol=1e-9)


def test_a_share_of_0_or_1_has_no_logit_limits():
    assert np.isnan(logit_limits([0.0, 1.0], 0.0, 2.0)).all()


def test_the_arguments_are_not_changed():
    count = np.array([0.0, 3.0, 5.0])
    count.flags.writeable = False
    for limits in INTERVALS.values():
        limits(count, 5, 0.95)
    assert_array_equal(count, [0, 3, 5])


@given(st.integers(1, 3_000), st.floats(0, 1), levels)
def test_exact_and_jeffreys_limits_have_the_tails_of_their_laws(n, part, level):
    x = round(part * n)
    tail = (1 - level) / 2
    low, high = clopper_pearson(x, n, level)
    # So many successes, or more, have the chance of the tail at the lower limit.
    assert_allclose(binom.sf(x - 1, n, low) if x else 0.0, tail if x else low, rtol=1e-7)
    assert_allclose(binom.cdf(x, n, high) if x < n else 1.0, tail if x < n else high, rtol=1e-7)
    low, high = jeffreys(x, n, level)
    law = beta(x + 0.5, n - x + 0.5)
    if x and low < x / n:
        assert_allclose(law.cdf(low), tail, rtol=1e-7)
    if x < n and high > x / n:
        assert_allclose(law.sf(high), tail, rtol=1e-7)
    low, high = mid_p(x, n, level)
    if 0 < x < n:
        above = binom.sf(x, n, low) + binom.pmf(x, n, low) / 2
        below = binom.cdf(x - 1, n, high) + binom.pmf(x, n, high) / 2
        assert_allclose([above, below], tail, rtol=1e-7)


@given(st.floats(0.01, 0.99), st.floats(0, 0.4), st.floats(0.1, 13))
def test_logit_limits_are_the_formula(share, se, quantile):
    margin = quantile * se / (share * (1 - share))
    odds = share / (1 - share)
    expected = [1 / (1 + np.exp(sign * margin) / odds) for sign in (1, -1)]
    assert_allclose(logit_limits(share, se, quantile), expected, rtol=1e-9, atol=1e-300)
