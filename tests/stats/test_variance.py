"""Variance components against sums in whole-number arithmetic."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from evalframe.stats.variance import components, intraclass, layout, noise

# Value, segment and cluster of an item.
ITEMS = st.lists(
    st.tuples(st.integers(-3, 3).map(lambda k: k / 4), st.integers(0, 1), st.integers(0, 3)),
    max_size=14,
)


def arrays(items):
    value = np.array([x for x, _, _ in items], dtype=float)
    segment = np.array([s for _, s, _ in items], dtype=np.int64)
    # Codes with gaps, in no order.
    cluster = np.array([9 - s * 5 - c for _, s, c in items], dtype=np.int64)
    return value, segment, cluster


def grouped(items, s):
    """Return the values of a segment by cluster, as fractions."""
    groups = {}
    for x, where, c in items:
        if where == s:
            groups.setdefault(c, []).append(Fraction(x))
    return list(groups.values())


def average(values):
    return sum(values) / Fraction(len(values))


def squares(groups):
    """Return the mean squares between and within clusters and m0; None without a df."""
    every = [x for group in groups for x in group]
    n, g = len(every), len(groups)
    if n == 0:
        return None, None, None
    middle = average(every)
    between = sum(len(one) * (average(one) - middle) ** 2 for one in groups)
    within = sum((x - average(one)) ** 2 for one in groups for x in one)
    size = n - Fraction(sum(len(one) ** 2 for one in groups), n)
    return (
        between / (g - 1) if g > 1 else None,
        within / (n - g) if n > g else None,
        size / (g - 1) if g > 1 else None,
    )


def close(found, expected):
    expected = np.nan if expected is None else float(expected)
    assert_allclose(found, expected, rtol=1e-9, atol=1e-13)


@given(ITEMS)
def test_mean_squares_are_those_of_whole_number_arithmetic(items):
    parts = layout(*arrays(items), 2)
    ratio = intraclass(parts)
    for s in range(2):
        groups = grouped(items, s)
        between, within, size = squares(groups)
        for found, expected in (
            (parts.between[s], between),
            (parts.within[s], within),
            (parts.size[s], size),
        ):
            close(found, expected)
        assert parts.n[s] == sum(map(len, groups))
        assert parts.n_clusters[s] == len(groups)
        spread = None if None in (between, within) else between + (size - 1) * within
        close(ratio[s], (between - within) / spread if spread else None)


@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.lists(st.integers(-3, 3), min_size=1, max_size=4)),
        min_size=1,
        max_size=8,
    )
)
def test_runs_leave_their_variance_over_their_number(items):
    segment = np.array([s for s, _ in items])
    item = np.repeat(np.arange(len(items)), [len(runs) for _, runs in items])
    value = np.array([x / 4 for _, runs in items for x in runs])
    order = np.random.default_rng(len(value)).permutation(len(value))
    found = noise(value[order], item[order], segment, 2)
    own = [np.var(runs, ddof=1) / 16 if len(runs) > 1 else np.nan for _, runs in items]
    for s in range(2):
        several = [v for v, where in zip(own, segment, strict=True) if where == s and v == v]
        assert found.n_repeated[s] == len(several)
        one_run = np.mean(several) if several else np.nan
        assert_allclose(found.one_run[s], one_run, atol=1e-13)
        left = []
        for i, (where, runs) in enumerate(items):
            if where == s:
                left.append((own[i] if own[i] == own[i] else one_run) / len(runs))
                assert_allclose(found.of_item[i], left[-1], atol=1e-13)
        assert_allclose(found.item_mean[s], np.mean(left) if left else np.nan, atol=1e-13)


@given(ITEMS, st.integers(0, 99), st.booleans())
def test_components_solve_the_equations_of_the_expected_mean_squares(items, seed, clustered):
    value, segment, cluster = arrays(items)
    draw = np.random.default_rng(seed)
    # Runs of each item: their noise is known for all items or, with one run each, for none.
    n_runs = draw.integers(1, 4, len(value)) if seed % 5 else np.ones(len(value), dtype=int)
    item = np.repeat(np.arange(len(value)), n_runs)
    runs = noise(draw.integers(-3, 4, len(item)) / 4.0, item, segment, 2)
    found = components(value, segment, cluster if clustered else None, 2, runs)
    for s in range(2):
        here = segment == s
        n, tau = int(here.sum()), runs.of_item[here]
        expected = value[here].var(ddof=1) - tau.mean() if n > 1 else np.nan
        assert_allclose(found.total[s], expected, atol=1e-12)
        if not clustered:
            assert found.cluster[s] == 0
            continue
        between, within, size = squares(grouped(items, s))
        labels = cluster[here]
        g, alike = len(set(labels)), np.array([np.sum(labels == c) for c in labels])
        if within is None or np.isnan(tau).any():
            assert np.isnan([found.item[s], found.cluster[s]]).all()
            continue
        of_item = float(within) - np.sum(tau * (1 - 1 / alike)) / (n - g)
        assert_allclose(found.item[s], of_item, atol=1e-12)
        if between is not None:
            shared = np.sum(tau * (1 / alike - 1 / n)) / (g - 1)
            rest = (float(between) - shared - of_item) / float(size)
            assert_allclose(found.cluster[s], rest, atol=1e-12)
