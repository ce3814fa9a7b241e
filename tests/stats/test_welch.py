"""Differences of means over different items: scipy's test, and sums over clusters."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from evalframe.stats.welch import gap, lower_p, two_sided_p

# Value, side, comparison and cluster of an item.
ITEMS = st.lists(
    st.tuples(
        st.integers(-4, 4).map(lambda k: k / 4),
        st.integers(0, 1),
        st.integers(0, 1),
        st.integers(0, 3),
    ),
    max_size=16,
)
UNITS = st.sampled_from([-300, -40, 0, 40, 300])


def deviation(values):
    return values.std(ddof=1)


def arrays(items):
    value = np.array([x for x, *_ in items], dtype=float)
    side, segment = (np.array([row[k] for row in items], dtype=np.int64) for k in (1, 2))
    cluster = np.array([5 * s + 4 - c for _, _, s, c in items], dtype=np.int64)
    return value, side, segment, cluster


@given(ITEMS, UNITS)
def test_independent_items_have_scipys_welch_test(items, unit):
    value, side, segment, _ = arrays(items)
    found = gap(np.ldexp(value, unit), side, segment, 2)
    for s in range(2):
        first, second = (value[(segment == s) & (side == k)] for k in (0, 1))
        assert (found.n_first[s], found.n_second[s]) == (len(first), len(second))
        assert found.n_clusters[s] == len(first) + len(second)
        if not len(first) or not len(second):
            assert np.isnan([found.diff[s], found.se[s]]).all()
            continue
        diff = np.ldexp(found.diff[s], -unit)
        assert_allclose(diff, second.mean() - first.mean(), atol=1e-14)
        if min(len(first), len(second)) < 2:
            assert np.isnan([found.se[s], found.df[s]]).all()
            continue
        spread = first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second)
        assert_allclose(np.ldexp(found.se[s], -unit), spread**0.5, rtol=1e-9, atol=1e-14)
        if spread < 1e-20:
            assert np.isnan(found.df[s])
            continue
        parts = [one.var(ddof=1) / len(one) for one in (first, second)]
        below = sum(v**2 / (len(one) - 1) for v, one in zip(parts, (first, second), strict=True))
        assert_allclose(found.df[s], sum(parts) ** 2 / below, rtol=1e-9)
        described = [f(one) for one in (second, first) for f in (np.mean, deviation, len)]
        test = stats.ttest_ind_from_stats(*described, equal_var=False)
        p = two_sided_p(found.diff[[s]] / found.se[[s]], found.df[[s]])
        assert_allclose(p, test.pvalue, rtol=1e-7, atol=1e-14)


@given(ITEMS, UNITS)
def test_shared_clusters_are_summed_over_both_sides(items, unit):
    value, side, segment, cluster = arrays(items)
    found = gap(np.ldexp(value, unit), side, segment, 2, cluster)
    for s in range(2):
        here = segment == s
        sides = [here & (side == k) for k in (0, 1)]
        of = [set(cluster[one]) for one in sides]
        both = of[0] | of[1]
        assert found.n_clusters[s] == len(both)
        assert found.n_shared[s] == len(of[0] & of[1])
        if not sides[0].any() or not sides[1].any():
            assert np.isnan([found.diff[s], found.se[s], found.df[s]]).all()
            continue
        if of[0] & of[1]:
            pull = dict.fromkeys(both, 0.0)
            for sign, one in zip((-1, 1), sides, strict=True):
                for i in np.flatnonzero(one):
                    pull[cluster[i]] += sign * (value[i] - value[one].mean()) / one.sum()
            g = len(both)
            square = g / (g - 1) * sum(r**2 for r in pull.values()) if g > 1 else np.nan
            df = g - 1
        else:
            square, df = 0.0, 0.0
            for one, labels in zip(sides, of, strict=True):
                g = len(labels)
                sums = [(value - value[one].mean())[one & (cluster == c)].sum() for c in labels]
                part = g / (g - 1) * sum(r**2 for r in sums) / one.sum() ** 2 if g > 1 else np.nan
                square += part
                df += part**2 / (g - 1) if g > 1 else np.nan
            df = square**2 / df if df > 1e-30 else np.nan
        assert_allclose(np.ldexp(found.se[s], -unit), square**0.5, rtol=1e-9, atol=1e-14)
        if square > 1e-20:
            assert_allclose(found.df[s], df, rtol=1e-9)


@given(st.floats(-40, 40), st.sampled_from([0.3, 1.0, 4.5, 1e6, np.inf]))
def test_chances_are_scipys(statistic, df):
    t, one = np.array([statistic]), np.array([df])
    law = stats.norm if np.isinf(df) else stats.t(df)
    assert_allclose(lower_p(t, one), law.cdf(statistic), rtol=1e-9, atol=1e-300)
    assert_allclose(two_sided_p(t, one), 2 * law.sf(abs(statistic)), rtol=1e-9, atol=1e-300)


def test_no_degrees_of_freedom_have_no_chance():
    nothing = np.array([np.nan])
    assert np.isnan(two_sided_p(np.array([1.0]), nothing)).all()
    assert np.isnan(lower_p(np.array([1.0]), nothing)).all()
