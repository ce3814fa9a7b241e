from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import norm

from evalframe.stats.paired import bonett_price, newcombe, tango

Z = norm.ppf(0.975)
tables = st.tuples(*[st.integers(0, 40)] * 4).filter(lambda counts: sum(counts) > 0)
quantiles = st.sampled_from([0.5, 1.645, Z, 4.3])


def all_limits(table, z):
    a, b, c, d = table
    n = sum(table)
    return {
        "tango": tango(b, c, n, z),
        "newcombe": newcombe(a, b, c, d, z),
        "bonett-price": bonett_price(b, c, n, z),
    }


def test_the_published_intervals_of_1_1_7_12():
    # Fagerland, Lydersen and Laake (2014), Statistics in Medicine 33, 2850-2875: airway
    # hyper-responsiveness before and after stem cell transplantation.
    found = all_limits((1, 1, 7, 12), Z)
    assert_allclose(found["tango"], [-0.517, -0.026], atol=5e-4)
    assert_allclose(found["newcombe"], [-0.507, -0.026], atol=5e-4)
    assert_allclose(found["bonett-price"], [-0.508, -0.013], atol=5e-4)


def likelihood_score(b, c, n, d):
    """Return the score statistic with the most likely nuisance share found by a search."""

    def loss(q):
        shares = np.array([q + d, q, 1 - 2 * q - d])
        counts = np.array([b, c, n - b - c])
        used = counts > 0
        return -(counts[used] * np.log(np.maximum(shares[used], 1e-300))).sum()

    low, high = max(0.0, -d), (1 - d) / 2
    best = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-13})
    q = min((low, high, best.x), key=loss)
    return (b - c - n * d) / np.sqrt(n * (2 * q + d * (1 - d)))


@pytest.mark.parametrize(
    ("b", "c", "n"), [(1, 7, 21), (3, 5, 40), (0, 4, 15), (6, 0, 15), (12, 9, 30), (2, 2, 100)]
)
def test_tango_solves_its_score_equation(b, c, n):
    low, high = tango(b, c, n, Z)
    diff = (b - c) / n
    upper = brentq(lambda d: likelihood_score(b, c, n, d) + Z, diff + 1e-9, 1 - 1e-9)
    lower = brentq(lambda d: likelihood_score(b, c, n, d) - Z, -1 + 1e-9, diff - 1e-9)
    assert_allclose([low, high], [lower, upper], atol=1e-6)


@pytest.mark.parametrize("n", [1, 5, 100, 12.5])
@pytest.mark.parametrize("z", [1.0, Z, 12.7])
def test_no_discordant_item_has_a_real_interval(n, z):
    bound = z**2 / (n + z**2)
    assert_allclose(tango(0, 0, n, z), [-bound, bound], rtol=1e-12)


def test_all_items_discordant_one_way():
    low, high = tango(10, 0, 10, Z)
    assert high == 1
    assert 0 < low < 1
    assert_array_equal(tango(0, 10, 10, Z), [-1, -low])


@given(tables, quantiles)
def test_limits_lie_on_the_scale_in_order(table, z):
    for low, high in all_limits(table, z).values():
        assert -1 <= low <= high <= 1


@given(tables, quantiles)
def test_tango_and_newcombe_enclose_the_difference(table, z):
    diff = (table[1] - table[2]) / sum(table)
    found = all_limits(table, z)
    for name in ("tango", "newcombe"):
        low, high = found[name]
        assert low <= diff + 1e-12
        assert high >= diff - 1e-12


@given(tables, quantiles)
def test_exchanged_arms_mirror_the_interval(table, z):
    a, b, c, d = table
    first, second = all_limits(table, z), all_limits((a, c, b, d), z)
    for name, (low, high) in first.items():
        assert_allclose(second[name], [-high, -low], atol=1e-12, err_msg=name)
    assert_array_equal(second["tango"], [-first["tango"][1], -first["tango"][0]])


@given(tables, quantiles)
def test_right_counted_as_wrong_mirrors_the_interval(table, z):
    a, b, c, d = table
    first, second = all_limits(table, z), all_limits((d, c, b, a), z)
    for name, (low, high) in first.items():
        assert_allclose(second[name], [-high, -low], atol=1e-9, err_msg=name)


@given(tables)
def test_one_more_win_never_lowers_a_limit_of_tango(table):
    _, b, c, _ = table
    n = sum(table)
    if b + c < n:
        first, more = np.array(tango(b, c, n, Z)), np.array(tango(b + 1, c, n, Z))
        assert (more >= first - 1e-12).all()


def test_many_items_have_the_interval_of_wald():
    b, c, n = 12_000, 9_000, 100_000
    diff = (b - c) / n
    margin = Z * np.sqrt((b + c) / n - diff**2) / np.sqrt(n)
    for name, limits in all_limits((50_000, b, c, 29_000), Z).items():
        assert_allclose(limits, [diff - margin, diff + margin], atol=5e-5, err_msg=name)


def test_rows_do_not_depend_on_those_beside_them():
    b, c, n = np.array([0, 3, 10]), np.array([0, 1, 0]), np.array([5, 20, 10])
    low, high = tango(b, c, n, Z)
    for i in range(3):
        assert_array_equal(tango(b[i], c[i], n[i], Z), [low[i], high[i]])


def test_unknown_items_or_quantiles_have_no_limits():
    assert np.isnan(tango(0, 0, 0, Z)).all()
    assert np.isnan(tango(1, 0, 5, np.nan)).all()
    assert np.isnan(bonett_price(0, 0, 0, Z)).all()
    assert np.isnan(newcombe(0, 0, 0, 0, Z)).all()


def wilson_limits(p, n, z):
    """Solve (p - x)^2 n = z^2 x (1 - x) by its formula."""
    middle, reach = p + z**2 / (2 * n), z * sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return (middle - reach) / (1 + z**2 / n), (middle + reach) / (1 + z**2 / n)


@given(tables, quantiles)
def test_newcombe_and_bonett_price_by_their_formulas(table, z):
    a, b, c, d = table
    n = a + b + c + d
    one, other = (a + b) / n, (a + c) / n
    (low1, high1), (low2, high2) = wilson_limits(one, n, z), wilson_limits(other, n, z)
    cross = a * d - b * c
    cross = max(cross - n / 2, 0) if cross > 0 else cross
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    phi = cross / sqrt(margins) if margins else 0.0

    def reach(down, up):
        return sqrt(max(down**2 - 2 * phi * down * up + up**2, 0.0))

    low = (b - c) / n - reach(one - low1, high2 - other)
    high = (b - c) / n + reach(high1 - one, other - low2)
    assert_allclose(newcombe(a, b, c, d, z), [max(low, -1), min(high, 1)], atol=1e-7)
    p, q = (b + 1) / (n + 2), (c + 1) / (n + 2)
    margin = z * sqrt((p + q - (p - q) ** 2) / (n + 2))
    expected = [max(p - q - margin, -1), min(p - q + margin, 1)]
    assert_allclose(bonett_price(b, c, n, z), expected, atol=1e-12)


@settings(max_examples=15)
@given(tables, quantiles)
def test_tango_just_does_not_refuse_its_limits(table, z):
    _, b, c, _ = table
    n = sum(table)
    for limit, sign in zip(tango(b, c, n, z), (1, -1), strict=True):
        if abs(limit) < 1 - 1e-9:
            # The statistic falls as the difference grows.
            inside, outside = (likelihood_score(b, c, n, limit + s * 1e-6) for s in (sign, -sign))
            assert abs(inside) <= z <= abs(outside)
