from math import exp
from statistics import NormalDist

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, logit

from evalframe.stats.likeness import (
    debiased_variance,
    exceeding,
    jackknife_se,
    logit_limits,
    logit_slopes,
    monte_carlo_variance,
    percentile_limits,
    scopes,
)

OWN = np.sort(np.random.default_rng(0).gamma(2, size=1_000))
FLOOR = 1e-3
shares = arrays(np.float64, (3, 6), elements=st.floats(0, 1))
groups = st.permutations([0, 0, 0, 1, 1, 2]).map(np.array)


@given(arrays(np.float64, 5, elements=st.integers(0, 40).map(lambda v: v / 8)))
def test_a_strict_count_is_one_minus_the_empirical_distribution_function(found):
    own = np.sort(np.round(OWN * 8) / 8)
    cdf = scipy.stats.ecdf(own).cdf
    assert_allclose(
        exceeding(own, found, 1.0, "strict") / 1_000, 1 - cdf.evaluate(found), atol=1e-12
    )


@given(arrays(np.float64, 5, elements=st.integers(0, 40).map(lambda v: v / 8)))
def test_mid_counts_half_of_the_equal_ones(found):
    own = np.sort(np.round(OWN * 8) / 8)
    strict = exceeding(own, found, 1.0, "strict")
    equal = (own == found[:, None]).sum(axis=1)
    assert_array_equal(exceeding(own, found, 1.0, "mid"), strict + equal / 2)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("sign", [-1, 0, 1])
def test_distances_that_rounding_tells_apart_are_equal(scale, sign):
    own = np.sort(np.array([0.1, 0.3, 0.3, 0.7])) * scale
    found = np.array([0.3 * scale * (1 + sign * 4 * np.finfo(float).eps)])
    assert exceeding(own, found, scale, "strict").tolist() == [1.0]
    assert exceeding(own, found, scale, "mid").tolist() == [2.0]
    assert exceeding(own, found + sign * 1e-9 * scale, scale, "strict") == [[3, 1, 1][sign + 1]]


def test_a_distance_that_is_not_known_has_no_count():
    assert np.isnan(exceeding(OWN, np.array([np.nan]), 1.0, "strict")).all()


@given(shares, groups)
def test_the_score_is_the_geometric_mean_of_floored_group_means(tails, group):
    found = scopes(tails, group, 3, FLOOR)
    for row, of_metrics in zip(found, tails, strict=True):
        means = [of_metrics[group == g].mean() for g in range(3)]
        assert_allclose(row[1:4], means, atol=1e-12)
        assert row[0] == pytest.approx(scipy.stats.gmean(np.maximum(means, FLOOR)), abs=1e-12)
        assert_array_equal(row[4:], of_metrics)


def test_a_group_weighs_the_same_however_many_metrics_it_has():
    one = scopes(np.array([[0.2, 0.8]]), np.array([0, 1]), 2, FLOOR)
    four = scopes(np.array([[0.2, 0.2, 0.2, 0.8]]), np.array([0, 0, 0, 1]), 2, FLOOR)
    assert one[0, 0] == pytest.approx(four[0, 0], abs=1e-15)


def test_one_group_without_likeness_is_not_made_good_but_leaves_the_others_visible():
    group = np.array([0, 1, 2])
    assert scopes(np.array([[0.0, 1.0, 1.0]]), group, 3, FLOOR)[0, 0] == pytest.approx(0.1)


def test_an_unknown_metric_is_left_out_of_its_group_and_an_empty_group_of_the_score():
    tails = np.array([[0.4, np.nan, np.nan]])
    assert_array_equal(
        scopes(tails, np.array([0, 0, 1]), 2, FLOOR), [[0.4, 0.4, np.nan, 0.4, np.nan, np.nan]]
    )
    assert np.isnan(scopes(np.full((1, 2), np.nan), np.array([0, 1]), 2, FLOOR)).all()


@given(arrays(np.float64, 6, elements=st.floats(0.01, 0.95)), groups)
def test_slopes_are_those_of_small_steps(tails, group):
    at = scopes(tails[None], group, 3, FLOOR)[0]
    slopes = logit_slopes(at, group, 3, FLOOR)
    for metric in range(6):
        step = 1e-6 * (np.arange(6) == metric)
        ahead, behind = scopes(np.stack([tails + step, tails - step]), group, 3, FLOOR)
        assert_allclose(
            slopes[:, metric], (logit(ahead) - logit(behind)) / 2e-6, atol=1e-4, rtol=1e-4
        )


def test_a_group_below_the_floor_has_no_slope_in_the_score():
    at = scopes(np.array([[0.0, 0.5]]), np.array([0, 1]), 2, FLOOR)[0]
    assert logit_slopes(at, np.array([0, 1]), 2, FLOOR)[0].tolist()[0] == 0


@given(arrays(np.float64, (30, 4), elements=st.floats(0, 1)), st.floats(0.1, 0.99))
def test_percentile_limits_are_linear_quantiles(replicates, level):
    low, high = percentile_limits(replicates, level)
    for k in range(4):
        ordered = np.sort(replicates[:, k])
        for limit, share in ((low[k], (1 - level) / 2), (high[k], (1 + level) / 2)):
            wanted = np.interp(share * 29, np.arange(30), ordered)
            assert limit == pytest.approx(wanted, abs=1e-12)


def test_no_pair_no_limits():
    low, high = percentile_limits(np.zeros((0, 2)), 0.9)
    assert np.isnan([low, high]).all()
    assert np.isnan(jackknife_se(np.full((1, 2), 0.5))).all()


@given(arrays(np.float64, (30, 2), elements=st.floats(0.01, 0.99), unique=True))
def test_jackknife_se_is_the_textbook_sum_over_logits(replicates):
    theta = logit(replicates)
    wanted = np.sqrt(29 / 30 * ((theta - theta.mean(axis=0)) ** 2).sum(axis=0))
    assert_allclose(jackknife_se(replicates), wanted, rtol=1e-9)


def test_equal_replicates_show_no_spread():
    assert np.isnan(jackknife_se(np.full((20, 1), 0.3))).all()
    # Beyond the ends of the logit scale all are alike.
    assert np.isnan(jackknife_se(np.linspace(0, 1e-3, 20)[:, None])).all()


def test_logit_limits_stay_inside_and_are_symmetric_on_the_logit_scale():
    low, high = logit_limits(np.array([0.0, 0.3, 1.0]), np.array([1.0, 0.5, 1.0]), 0.9)
    z = scipy.stats.norm.ppf(0.95)
    assert_allclose([low[1], high[1]], expit(logit(0.3) + np.array([-0.5, 0.5]) * z), rtol=1e-12)
    assert (low > 0).all()
    assert (high < 1).all()


def subsets(rng, n, size, n_draws):
    held = np.zeros((n_draws, n), dtype=bool)
    np.put_along_axis(
        held, rng.permuted(np.tile(np.arange(n), (n_draws, 1)), axis=1)[:, :size], True, 1
    )
    return held


@pytest.mark.parametrize("block", [1, 1_000, 1 << 20])
def test_monte_carlo_variance_is_that_of_plain_sums(block):
    rng = np.random.default_rng(0)
    held = [subsets(rng, 12, 5, 40), subsets(rng, 12, 4, 40)]
    contributions = [rng.normal(size=(40, 3)) for _ in held]
    contributions = [one - one.mean(axis=0) for one in contributions]
    surplus, of_estimate = monte_carlo_variance(contributions, held, block=block)
    wanted, terms = np.zeros(3), np.zeros((40, 3))
    for i in range(12):
        h = np.zeros((40, 3))
        for one, inside in zip(contributions, held, strict=True):
            left = ~inside[:, i] / (~inside[:, i]).mean()
            h += one * (left - 1)[:, None]
        wanted += 11 / 12 * h.var(axis=0, ddof=1) / 40
    terms = sum(contributions)
    assert_allclose(surplus, wanted, rtol=1e-9)
    assert_allclose(of_estimate, terms.var(axis=0, ddof=1) / 40, rtol=1e-9)


def test_the_surplus_is_what_finitely_many_subsets_add_to_a_jackknife():
    # The mean over subsets of a mean: its jackknife variance without chance is s^2 / n.
    rng = np.random.default_rng(1)
    values = rng.normal(size=60)
    plain, corrected = [], []
    for _ in range(200):
        held = subsets(rng, 60, 20, 200)
        of_subset = held @ values / 20
        left = (~held).astype(float)
        without = left.T @ of_subset / left.sum(axis=0)
        jackknife = 59 / 60 * ((without - without.mean()) ** 2).sum()
        surplus, _ = monte_carlo_variance([(of_subset - of_subset.mean())[:, None]], [held])
        plain.append(jackknife)
        corrected.append(jackknife - surplus[0])
    truth = values.var(ddof=1) / 60
    assert np.mean(plain) > 1.1 * truth
    assert np.mean(corrected) == pytest.approx(truth, rel=0.03)


def repeated(statistic, n=40, size=20, repeats=150):
    """Return the means over repeated studies of a jackknife variance, as it is and debiased."""
    rng = np.random.default_rng(2)
    jackknives, debiased = [], []
    for _ in range(repeats):
        values, orders = rng.normal(size=n), rng.permuted(np.tile(np.arange(n), (800, 1)), axis=1)
        of_subset = statistic(values[orders[:, :size]])
        apart = statistic(values[orders[:, size : 2 * size]])
        held = np.zeros((800, n), dtype=bool)
        np.put_along_axis(held, orders[:, :size], values=True, axis=1)
        left = (~held).astype(float)
        without = left.T @ of_subset / left.sum(axis=0)
        one = (of_subset - of_subset.mean())[:, None]
        surplus, _ = monte_carlo_variance([one], [held])
        jackknife = (n - 1) / n * ((without - without.mean()) ** 2).sum() - surplus
        jackknives.append(jackknife[0])
        debiased.append(debiased_variance(jackknife, one, (apart - of_subset.mean())[:, None])[0])
    return np.mean(jackknives), np.mean(debiased)


def test_a_jackknife_of_means_has_no_bias_to_take_out():
    jackknife, debiased = repeated(lambda values: values.mean(axis=1))
    assert jackknife == pytest.approx(1 / 40, rel=0.1)
    assert debiased == pytest.approx(jackknife, rel=0.05)


def test_the_bias_of_a_jackknife_of_products_is_taken_out():
    # The square of a sum without its squares depends on pairs alone: a jackknife counts it twice.
    def products(values):
        return values.sum(axis=1) ** 2 - (values**2).sum(axis=1)

    jackknife, debiased = repeated(products)
    # The average over subsets of 20 of 40 is a share of the sum over all ordered pairs.
    truth = (20 * 19 / (40 * 39)) ** 2 * 2 * 40 * 39
    assert jackknife > 1.7 * truth
    assert debiased == pytest.approx(truth, rel=0.4)


@given(
    arrays(np.float64, 4, elements=st.floats(0, 1)),
    arrays(np.float64, 4, elements=st.floats(0, 3)),
    st.floats(0.5, 0.99),
)
def test_logit_limits_are_the_formula(estimate, se, level):
    low, high = logit_limits(estimate, se, level)
    z = NormalDist().inv_cdf((1 + level) / 2)
    for p, s, a, b in zip(estimate, se, low, high, strict=True):
        p = min(max(p, 1e-3), 1 - 1e-3)
        ends = [1 / (1 + (1 - p) / p * exp(sign * z * s)) for sign in (1, -1)]
        assert_allclose([a, b], ends, rtol=1e-9)


@given(
    arrays(np.float64, 3, elements=st.floats(0, 2)),
    arrays(np.float64, (12, 3), elements=st.integers(-4, 4).map(float)),
    arrays(np.float64, (12, 3), elements=st.integers(-4, 4).map(float)),
)
def test_the_bias_is_taken_out_as_far_as_it_stands_above_chance(jackknife, one, other):
    found = debiased_variance(jackknife, one, other)
    for k in range(3):
        shared = [-x * y for x, y in zip(one[:, k], other[:, k], strict=True)]
        middle = sum(shared) / len(shared)
        chance = sum((x - middle) ** 2 for x in shared) / len(shared) ** 2
        bias = max(jackknife[k] - middle, 0.0)
        if bias > 0:
            bias *= max(0.0, 1 - chance / bias**2)
        assert_allclose(found[k], max(jackknife[k] - bias, jackknife[k] / 4), atol=1e-12)
