import json
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2

from evalframe.stats import mcnemar

REFERENCE = Path(__file__).parents[1] / "reference" / "mcnemar.json"
CASES = json.loads(REFERENCE.read_text())["cases"]
counts = st.integers(0, 200)


def column(name):
    return np.array([case.get(name, np.nan) for case in CASES])


def discordant():
    return column("baseline_only"), column("arm_only")


def test_the_reference_reaches_one_hundred_thousand_discordant_pairs():
    assert sum(discordant()).max() == 100_000


def test_exact_p_is_scipys_binomtest():
    assert_allclose(mcnemar.exact_p(*discordant()), column("binomtest"), rtol=1e-9, atol=0)


def test_exact_p_keeps_its_leading_digits_far_into_the_tail():
    exact = column("exact")
    assert exact.min() < 1e-290
    assert_allclose(mcnemar.exact_p(*discordant()), exact, rtol=5e-12, atol=0)


def test_mid_p_is_the_sum_of_the_binomial_coefficients():
    assert_allclose(mcnemar.mid_p(*discordant()), column("mid_p"), rtol=5e-12, atol=0)


def test_chi_squared_is_statsmodels():
    statistic, p = mcnemar.p_value(*discordant(), "chi2")
    assert_allclose(statistic, column("chi2"), rtol=1e-13)
    assert_allclose(p, column("chi2_p"), rtol=1e-9, atol=0)


def test_corrected_chi_squared_is_statsmodels_where_the_counts_differ():
    differ = ~np.isnan(column("corrected"))
    statistic, p = mcnemar.p_value(*discordant(), "chi2-corrected")
    assert_allclose(statistic[differ], column("corrected")[differ], rtol=1e-13)
    assert_allclose(p[differ], column("corrected_p")[differ], rtol=1e-9, atol=0)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("exact", 0.0192108),
        ("mid-p", 0.0118179),
        ("chi2", 0.0116169),
        ("chi2-corrected", 0.0217815),
    ],
)
def test_fifteen_against_four(method, expected):
    _, p = mcnemar.p_value(15, 4, method)
    assert_allclose(p, expected, atol=5e-8)


def test_one_against_eleven():
    _, exact = mcnemar.p_value(1, 11, "exact")
    _, corrected = mcnemar.p_value(1, 11, "chi2-corrected")
    assert_allclose(exact, 0.00634766, atol=5e-9)
    assert_allclose(corrected, 0.0093748, atol=5e-8)


def test_one_against_seven_is_ten_of_256_by_mid_p():
    # The airway data of Fagerland et al.: (2 (1 + 8) - 8) / 2**8.
    assert mcnemar.mid_p(1, 7) == 10 / 256


@given(counts, counts)
def test_exact_p_is_a_ratio_of_whole_numbers(b, c):
    at_most = sum(comb(b + c, k) for k in range(min(b, c) + 1))
    expected = min(Fraction(1), Fraction(2 * at_most, 2 ** (b + c)))
    assert_allclose(mcnemar.exact_p(b, c), float(expected), rtol=1e-12)


@given(counts, counts, st.sampled_from(mcnemar.METHODS))
def test_exchanging_the_arms_changes_nothing(b, c, method):
    assert_array_equal(mcnemar.p_value(b, c, method), mcnemar.p_value(c, b, method))


@given(counts, counts, st.sampled_from(mcnemar.METHODS))
def test_p_lies_between_0_and_1(b, c, method):
    _, p = mcnemar.p_value(b, c, method)
    assert 0 <= p <= 1


@given(counts, counts)
def test_mid_p_is_below_exact_p_unless_the_counts_are_equal(b, c):
    assert (mcnemar.mid_p(b, c) < mcnemar.exact_p(b, c)) == (b != c)


@given(st.integers(1, 200), st.sampled_from(mcnemar.METHODS))
def test_p_does_not_grow_as_the_counts_move_apart(total, method):
    arm = np.arange((total + 1) // 2, total + 1)
    _, p = mcnemar.p_value(total - arm, arm, method)
    assert (np.diff(p) <= 1e-15).all()


@pytest.mark.parametrize("method", mcnemar.METHODS)
def test_no_discordant_pairs_give_statistic_0_and_p_1(method):
    assert_array_equal(mcnemar.p_value(0, 0, method), (0.0, 1.0))


@pytest.mark.parametrize("method", ["exact", "chi2", "chi2-corrected"])
def test_equal_counts_give_p_1(method):
    _, p = mcnemar.p_value([1, 5, 50_000], [1, 5, 50_000], method)
    assert_array_equal(p, np.ones(3))


def test_the_correction_stops_at_0():
    statistic, _ = mcnemar.p_value([5, 1], [5, 0], "chi2-corrected")
    assert_array_equal(statistic, [0.0, 0.0])


@pytest.mark.parametrize("method", ["exact", "mid-p"])
def test_the_statistic_of_the_exact_tests_is_the_smaller_count(method):
    statistic, _ = mcnemar.p_value([15, 1], [4, 11], method)
    assert_array_equal(statistic, [4.0, 1.0])


@pytest.mark.parametrize("method", mcnemar.METHODS)
def test_an_unknown_count_gives_nan_and_leaves_the_others_alone(method):
    statistic, p = mcnemar.p_value([np.nan, 15, 3], [4, 4, np.nan], method)
    alone = mcnemar.p_value(15, 4, method)
    assert_array_equal(np.isnan([statistic, p]), [[True, False, True]] * 2)
    assert_array_equal((statistic[1], p[1]), alone)


def test_an_unknown_method_lists_the_choices():
    with pytest.raises(ValueError, match="'exact', 'mid-p', 'chi2', 'chi2-corrected', not 'midp'"):
        mcnemar.p_value(1, 2, "midp")


@given(st.integers(0, 60), st.integers(0, 60))
def test_mid_p_and_chi_squared_are_those_of_whole_number_arithmetic(b, c):
    n, low = b + c, min(b, c)
    below = Fraction(sum(comb(n, k) for k in range(low + 1)), 2**n)
    expected = 2 * below - Fraction(comb(n, low), 2**n) if n else Fraction(1)
    assert_allclose(float(mcnemar.mid_p(b, c)), float(min(expected, 1)), rtol=1e-11)
    for corrected, apart in ((False, abs(b - c)), (True, max(abs(b - c) - 1, 0))):
        statistic = Fraction(apart**2, n) if n else Fraction(0)
        found = mcnemar.chi2_statistic(b, c, corrected=corrected)
        assert_allclose(float(found), float(statistic), rtol=1e-14)
        assert_allclose(float(mcnemar.chi2_p(found)), chi2.sf(float(statistic), 1), rtol=1e-9)
