"""Agreement of two raters and its errors, against sums over rows and the weights of rows."""

from collections import Counter
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.stats.kappas import cohen_kappa, gwet_ac1
from evalframe.stats.rating_numbers import (
    limits_of_agreement,
    mean_difference,
    pearson,
    spearman,
)
from evalframe.stats.rating_shares import leaning_p, share_of, wilson_limits
from evalframe.stats.ratings import collect, linear_errors

LEVELS = [0.0, 1.0, 1.0, 2.5, 7.0, -3.0]
# Judge, gold, segment and cluster of a row.
ROWS = st.lists(
    st.tuples(
        st.sampled_from(LEVELS), st.sampled_from(LEVELS), st.integers(0, 1), st.integers(0, 4)
    ),
    min_size=1,
    max_size=16,
)
SMALL = 1e-30


def collected(rows):
    judge, gold = (np.array([row[k] for row in rows]) for k in (0, 1))
    home = np.array([row[2] for row in rows], dtype=np.int64)
    cluster = np.array([row[2] * 5 + row[3] for row in rows], dtype=np.int64)
    return collect(judge, gold, np.arange(len(rows)), cluster, home, 2)


def by_row(ratings, values):
    """Return the pair of each row of `ratings`, its segment and its value given by cell."""
    judge, gold = ratings.scores
    pairs = zip(judge[ratings.cell], gold[ratings.cell], strict=True)
    return list(zip(pairs, ratings.segment[ratings.cell], values[ratings.cell], strict=True))


def used(label, a, b):
    """Return which share of two raters gives a label."""
    return float(a == label) / 2 + float(b == label) / 2


def mean(weight, values):
    return sum(w * v for w, v in zip(weight, values, strict=True)) / sum(weight)


def kappa(distance):
    """Return weighted kappa as a function of the weights of rows."""

    def of(weight, x, y):
        far = {"nominal": lambda a, b: float(a != b), "absolute": lambda a, b: abs(a - b)}
        d = far.get(distance, lambda a, b: (a - b) ** 2)
        observed = mean(weight, [d(a, b) for a, b in zip(x, y, strict=True)])
        chance = mean(weight, [mean(weight, [d(a, b) for b in y]) for a in x])
        if chance == 0:
            return np.nan
        return 0.0 * chance if len(set(x)) == 1 or len(set(y)) == 1 else 1 - observed / chance

    return of


def ac1(weight, x, y):
    labels = sorted({*x, *y})
    if len(labels) == 1:
        return np.nan
    agreed = mean(weight, [float(a == b) for a, b in zip(x, y, strict=True)])
    chance = 0
    for k in labels:
        share = mean(weight, [used(k, a, b) for a, b in zip(x, y, strict=True)])
        chance += share * (1 - share) / (len(labels) - 1)
    return (agreed - chance) / (1 - chance)


def correlation(weight, x, y):
    if len(set(x)) == 1 or len(set(y)) == 1:
        return np.nan
    of_x, of_y = ([v - mean(weight, values) for v in values] for values in (x, y))
    joint, one, other = (
        mean(weight, [a * b for a, b in zip(p, q, strict=True)])
        for p, q in ((of_x, of_y), (of_x, of_x), (of_y, of_y))
    )
    return joint / one**0.5 / other**0.5


def rank_correlation(weight, x, y):
    if len(set(x)) == 1 or len(set(y)) == 1:
        return np.nan
    ranks = [
        [mean(weight, [(v < u) + (v == u) / 2 for v in side]) for u in side] for side in (x, y)
    ]
    return correlation(weight, *ranks)


def gap(weight, x, y):
    return mean(weight, [a - b for a, b in zip(x, y, strict=True)])


STATISTICS = {
    "nominal": (lambda r: cohen_kappa(r), kappa("nominal")),
    "absolute": (lambda r: cohen_kappa(r, "absolute"), kappa("absolute")),
    "squared": (lambda r: cohen_kappa(r, "squared"), kappa("squared")),
    "ac1": (gwet_ac1, ac1),
    "pearson": (pearson, correlation),
    "spearman": (spearman, rank_correlation),
    "difference": (mean_difference, gap),
}


@pytest.mark.parametrize("name", STATISTICS)
@given(ROWS)
def test_estimates_and_influences_are_those_of_the_weights_of_rows(name, rows):
    ours, twin = STATISTICS[name]
    ratings = collected(rows)
    estimate, influence = ours(ratings)
    told = by_row(ratings, influence)
    for s in range(2):
        mine = [(pair, psi) for pair, segment, psi in told if segment == s]
        if not mine:
            assert np.isnan(estimate[s])
            continue
        x, y = ([pair[k] for pair, _ in mine] for k in (0, 1))
        n = len(mine)
        expected = twin([1] * n, x, y)
        assert_allclose(estimate[s], expected, rtol=1e-10, atol=1e-12)
        if np.isnan(expected):
            continue
        for i, (_, psi) in enumerate(mine):
            # A derivative without a difference: the imaginary part of a step to the side.
            moved = twin([1 + 1j * SMALL * (k == i) for k in range(n)], x, y)
            assert_allclose(psi, n * np.imag(moved) / SMALL, rtol=1e-8, atol=1e-9)


@given(ROWS, st.sampled_from([-1.0, 1.0]))
def test_limits_of_agreement_are_means_and_deviations(rows, side):
    ratings = collected(rows)
    limit, influence = limits_of_agreement(ratings, side)
    told = by_row(ratings, influence)
    for s in range(2):
        mine = [(pair[0] - pair[1], psi) for pair, segment, psi in told if segment == s]
        if len(mine) < 2:
            assert np.isnan(limit[s])
            continue
        apart, n = np.array([d for d, _ in mine]), len(mine)
        deviation = apart.std(ddof=1)
        assert_allclose(limit[s], apart.mean() + side * 1.96 * deviation, rtol=1e-12, atol=1e-12)
        if deviation == 0:
            assert_array_equal([psi for _, psi in mine], 0)
            continue
        # What a row adds to the variance, less its mean, over twice the deviation.
        curve = ((apart - apart.mean()) ** 2 - apart.var()) / (2 * deviation)
        expected = apart - apart.mean() + side * 1.96 * curve
        assert_allclose([psi for _, psi in mine], expected, rtol=1e-9, atol=1e-10)
        assert_allclose(sum(expected), 0, atol=1e-9 * n)


@given(ROWS)
def test_rows_are_counted_by_pair(rows):
    ratings = collected(rows)
    judge, gold = ratings.scores
    cells = zip(judge, gold, ratings.segment, ratings.count, strict=True)
    counted = Counter((a, b, s) for a, b, s, _ in rows)
    assert {(a, b, s): n for a, b, s, n in cells} == counted
    assert_array_equal(ratings.n, [sum(row[2] == s for row in rows) for s in range(2)])
    equal = judge == gold
    assert_array_equal(
        ratings.n_items(equal), [sum(r[0] == r[1] and r[2] == s for r in rows) for s in range(2)]
    )


@given(ROWS, st.booleans())
def test_errors_are_sums_over_rows_or_clusters(rows, some):
    ratings = collected(rows)
    judge, gold = ratings.scores
    # Any numbers whose mean over the rows that count is 0 in each segment.
    of = judge >= gold if some else np.ones(len(judge), dtype=bool)
    n = ratings.sum(of)
    with np.errstate(invalid="ignore"):
        middle = ratings.sum(np.where(of, judge, 0.0)) / n
    influence = np.where(of, judge - np.nan_to_num(middle)[ratings.segment], 0.0)
    found = linear_errors(influence, ratings, of)
    for s in range(2):
        mine = [(a, c) for a, b, where, c in rows if where == s and (a >= b or not some)]
        clusters = sorted({c for _, c in mine})
        assert found.n[s] == len(mine)
        assert found.n_clusters[s] == len(clusters)
        if len(clusters) < 2:
            assert np.isnan(found.se[s])
            continue
        rest = [a - middle[s] for a, _ in mine]
        if len(clusters) == len(mine):
            assert_allclose(found.se[s], sum(r**2 for r in rest) ** 0.5 / len(mine), atol=1e-12)
            assert found.df[s] == len(mine) - 1
            assert_allclose(found.sample_se[s], np.std(rest, ddof=1) / len(mine) ** 0.5, atol=1e-12)
            continue
        square = 0.0
        for g in clusters:
            inside = [r for r, (_, c) in zip(rest, mine, strict=True) if c == g]
            square += sum(inside) ** 2 / (1 - len(inside) / len(mine))
        assert_allclose(found.se[s], square**0.5 / len(mine), rtol=1e-9, atol=1e-12)


@given(ROWS)
def test_a_share_is_counted_and_its_error_is_that_of_its_rows(rows):
    ratings = collected(rows)
    judge, gold = ratings.scores
    shares = share_of(ratings, judge > gold, judge != gold)
    low, high = wilson_limits(shares, 0.95)
    for s in range(2):
        apart = [a > b for a, b, where, _ in rows if where == s and a != b]
        assert shares.yes[s] == sum(apart)
        if not apart:
            assert np.isnan([shares.share[s], low[s], high[s]]).all()
            continue
        p, n = sum(apart) / len(apart), len(apart)
        assert_allclose(shares.share[s], p)
        if n > 1 and not shares.errors.clustered[s]:
            assert_allclose(shares.errors.se[s], (p * (1 - p) / n) ** 0.5, atol=1e-12)
            z = 1.959963984540054
            for limit in (low[s], high[s]):
                assert_allclose((p - limit) ** 2, z**2 * limit * (1 - limit) / n, atol=1e-9)


@given(ROWS)
def test_errors_that_lean_are_counted_over_all_signs_of_clusters(rows):
    ratings = collected(rows)
    judge, gold = ratings.scores
    shares = share_of(ratings, judge > gold, judge != gold)
    p = leaning_p(ratings, judge > gold, judge < gold, shares)
    for s in range(2):
        lean = {}
        signs = [(np.sign(a - b), c) for a, b, where, c in rows if where == s and a != b]
        for sign, c in signs:
            lean[c] = lean.get(c, 0) + sign
        if len(lean) == len(signs):
            n, k = len(signs), sum(sign > 0 for sign, _ in signs)
            tail = sum(comb(n, j) for j in range(min(k, n - k) + 1)) / 2**n
            assert_allclose(p[s], min(1, 2 * tail), rtol=1e-10)
        elif len(lean) == 1:
            assert np.isnan(p[s])
        else:
            totals = list(lean.values())
            every = [
                abs(np.dot(one, totals)) >= abs(sum(totals)) - 1e-9
                for one in product((-1, 1), repeat=len(totals))
            ]
            assert_allclose(p[s], np.mean(every), rtol=1e-6)


@given(ROWS, st.integers(2, 9))
def test_more_ratings_to_give_lower_the_chance_of_agreement(rows, q):
    ratings = collected(rows)
    n_levels = ratings.levels.size
    q = np.maximum(n_levels, q)
    found, _ = gwet_ac1(ratings, q)
    for s in range(2):
        mine = [(a, b) for a, b, where, _ in rows if where == s]
        if not mine:
            assert np.isnan(found[s])
            continue
        agreed = np.mean([a == b for a, b in mine])
        share = [np.mean([used(k, a, b) for a, b in mine]) for k in {v for p in mine for v in p}]
        chance = sum(one * (1 - one) for one in share) / (q[s] - 1)
        assert_allclose(found[s], (agreed - chance) / (1 - chance), rtol=1e-10, atol=1e-12)
