"""Resamples of nested data against the law counted outcome by outcome."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from evalframe.stats.hierarchy import draw, nest
from evalframe.stats.statistic import Kind

# Clusters of items of seeds, few enough to count all resamples.
SEEDS = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=2)
CLUSTERS = st.lists(st.lists(SEEDS, min_size=1, max_size=2), min_size=2, max_size=2)


def outcomes_of_item(seeds):
    """Return the means of all draws of an item's seeds."""
    return [sum(drawn) / len(seeds) for drawn in product(seeds, repeat=len(seeds))]


def law(clusters):
    """Return the mean of every resample and its chance, by value."""
    found = {}
    for chosen in product(clusters, repeat=len(clusters)):
        items = [list(product(cluster, repeat=len(cluster))) for cluster in chosen]
        for drawn in product(*items):
            every = [item for cluster in drawn for item in cluster]
            means = [outcomes_of_item(item) for item in every]
            count = len(clusters) ** len(clusters) * np.prod([len(one) for one in items])
            for values in product(*means):
                key = round(sum(values) / len(values), 9)
                chance = 1 / count / np.prod([len(one) for one in means])
                found[key] = found.get(key, 0) + chance
    return found


@pytest.mark.parametrize("clustered", [True, False])
@settings(max_examples=10)
@given(CLUSTERS, st.integers(0, 99))
def test_resamples_have_the_law_of_all_outcomes(clustered, clusters, seed):
    if not clustered:
        # Items are drawn first: each is a cluster of one item.
        clusters = [[item] for cluster in clusters for item in cluster][:3]
    rows = [
        (x, item, cluster)
        for cluster, items in enumerate(clusters)
        for item, seeds in enumerate(items)
        for x in seeds
    ]
    order = np.random.default_rng(seed).permutation(len(rows))
    rows = [rows[i] for i in order]
    keys = sorted({(cluster, item) for _, item, cluster in rows})
    code = np.array([keys.index((cluster, item)) for _, item, cluster in rows])
    home = np.array([cluster for cluster, _ in keys]) if clustered else None
    values = np.array([[x for x, _, _ in rows]])
    nested = nest(values, code, home)
    found, _ = draw(nested, Kind("mean", "mean"), 1)
    n = 20_000
    drawn = np.round(found(np.random.default_rng(seed), n), 9)
    expected = law(clusters)
    assert_allclose(sum(expected.values()), 1)
    reached, below = 0.0, 0.0
    for value in sorted(expected):
        reached += expected[value]
        below += np.mean(drawn == value)
        assert abs(below - reached) <= 5 * np.sqrt(0.25 / n)
    # Nothing else is ever drawn.
    assert_allclose(below, 1)
