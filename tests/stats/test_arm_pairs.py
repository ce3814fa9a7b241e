"""All pairs at once, against each pair by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.stats import arm_pairs as module
from evalframe.stats.arm_pairs import arm_pairs, pairs_root
from evalframe.stats.item_table import ItemTable
from evalframe.stats.means import segment_means

draws = st.integers(0, 2**31)
NONE = np.zeros(0, dtype=np.int64)


def table(series, cluster=None):
    return ItemTable(series, cluster, NONE, np.zeros((0, len(series), 0)))


def made(seed, n_arms=4, n=25, holes=False, clusters=False, scale=1.0):
    """Return item means of arms, some missing, some on a grid."""
    draw = np.random.default_rng(seed)
    series = draw.integers(0, 4, (n_arms, n)) / 3 if seed % 2 else draw.normal(size=(n_arms, n))
    series = series * scale
    if holes:
        series[draw.random((n_arms, n)) < 0.3] = np.nan
    cluster = None
    if clusters:
        cluster = np.unique(draw.integers(0, 6, n), return_inverse=True)[1].astype(np.int64)
    return table(series, cluster)


def one_by_one(items):
    """Compare each pair by itself: a slow twin."""
    rows = []
    for first in range(len(items.series)):
        for second in range(first + 1, len(items.series)):
            gaps = items.series[second] - items.series[first]
            known = ~np.isnan(gaps)
            largest = np.abs(items.series[[first, second]][:, known]).max(initial=0)
            found = segment_means(
                gaps[known],
                np.zeros(known.sum(), dtype=np.int64),
                1,
                None if items.cluster is None else items.cluster[known],
                np.array([largest]),
            )
            wins, losses = (gaps > 1e-10 * largest).sum(), (gaps < -1e-10 * largest).sum()
            rows.append([found.mean[0], found.se[0], found.n[0], found.n_clusters[0], wins, losses])
    return np.array(rows).T


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("clusters", [False, True])
@given(seed=draws, n=st.integers(1, 40), scale=st.sampled_from([1.0, 1e-9, 1e12]))
def test_each_pair_is_what_it_is_by_itself(holes, clusters, seed, n, scale):
    items = made(seed, n=n, holes=holes, clusters=clusters, scale=scale)
    pairs = arm_pairs(items)
    diff, se, *counts = one_by_one(items)
    size = np.nanmax(np.abs(items.series), initial=0)
    assert_allclose(pairs.diff, diff, rtol=1e-10, atol=1e-13 * size)
    assert_allclose(pairs.se, se, rtol=1e-8, atol=1e-12 * size)
    for ours, theirs in zip(
        (pairs.n, pairs.n_clusters, pairs.wins, pairs.losses), counts, strict=True
    ):
        assert_array_equal(ours, theirs)


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("gap", [0.1, 1e-5, 100.0])
def test_a_constant_difference_has_no_spread_and_a_small_one_keeps_its_own(gap, clusters):
    draw = np.random.default_rng(1)
    base = draw.normal(size=60)
    narrow = base + gap + 1e-9 * draw.normal(size=60)
    cluster = np.arange(60) // 3 if clusters else None
    items = table(np.stack([base, base + gap, narrow]), cluster)
    pairs = arm_pairs(items)
    assert_allclose(pairs.diff[0], gap, rtol=1e-9)
    assert pairs.se[0] == 0
    assert_allclose(pairs.se, one_by_one(items)[1], rtol=1e-6)


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("clusters", [False, True])
@given(seed=draws)
def test_neither_the_order_of_items_nor_that_of_arms_changes_a_bit(holes, clusters, seed):
    items = made(seed, holes=holes, clusters=clusters)
    draw = np.random.default_rng(seed)
    arms, order = draw.permutation(len(items.series)), draw.permutation(items.series.shape[1])
    cluster = None if items.cluster is None else items.cluster[order]
    other = arm_pairs(table(items.series[arms][:, order], cluster))
    expected = arm_pairs(items).of_arms(arms)
    for name in ("first", "second", "diff", "se", "n", "n_clusters", "wins", "losses"):
        assert_array_equal(getattr(other, name), getattr(expected, name))


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("clusters", [False, True])
@given(seed=draws)
def test_blocks_change_no_number(holes, clusters, seed):
    items = made(seed, holes=holes, clusters=clusters)
    pairs = arm_pairs(items)
    chosen = np.flatnonzero(pairs.tested)
    root = pairs_root(items, pairs, chosen)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", 30)
        again = arm_pairs(items)
        assert_array_equal(again.se, pairs.se)
        assert_array_equal(pairs_root(items, pairs, chosen), root)


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("clusters", [False, True])
@given(seed=draws)
def test_correlations_are_those_of_what_items_add(holes, clusters, seed):
    items = made(seed, n=40, holes=holes, clusters=clusters)
    pairs = arm_pairs(items)
    root = pairs_root(items, pairs, np.arange(6))
    gaps = items.series[pairs.second] - items.series[pairs.first]
    share = np.nan_to_num((gaps - pairs.diff[:, None]) / pairs.n[:, None])
    if items.cluster is not None:
        share = np.stack([np.bincount(items.cluster, row) for row in share])
    product = share @ share.T
    length = np.sqrt(np.diag(product))
    assert_allclose(root.T @ root, product / length / length[:, None], atol=1e-8)


def test_many_pairs_over_different_items_have_no_correlations(monkeypatch):
    items = made(2, holes=True)
    monkeypatch.setattr(module, "MOST_PAIRS", 3)
    pairs = arm_pairs(items)
    assert pairs_root(items, pairs, np.flatnonzero(pairs.tested)) is None


def test_runs_under_different_seeds_are_compared_over_those_shared():
    # Item 1: arm 0 ran under seeds 0 and 1, arm 1 under seeds 1 and 2.
    single = np.array([[[1.0], [np.nan]], [[0.0], [1.0]], [[np.nan], [0.0]]])
    items = ItemTable(np.array([[1.0, 0.5], [0.0, 0.5]]), None, np.array([1]), single)
    pairs = arm_pairs(items)
    assert_allclose(pairs.diff, [(-1 + 1) / 2])
    assert (pairs.wins[0], pairs.losses[0], pairs.n[0]) == (1, 1, 2)


def test_nothing_has_no_pairs():
    assert len(arm_pairs(table(np.zeros((1, 4)))).diff) == 0
    empty = arm_pairs(table(np.zeros((2, 0))))
    assert np.isnan(empty.diff).all()
    assert np.isnan(empty.se).all()
    assert empty.n.tolist() == [0]


@given(draws, st.integers(1, 8), st.booleans(), st.sampled_from([1e-90, 1.0, 1e90]))
def test_pairs_are_compared_over_the_runs_that_both_have(seed, n, clustered, unit):
    draw = np.random.default_rng(seed)
    # Runs of three arms under three seeds, some of them missing.
    runs = draw.integers(-4, 5, (3, 3, n)) / 4.0
    runs[draw.random(runs.shape) < 0.3] = np.nan
    there = ~np.isnan(runs)
    with np.errstate(invalid="ignore"):
        series = np.nansum(runs, axis=0) / there.sum(axis=0)
    uneven = np.flatnonzero((there != there[:, :1]).any(axis=(0, 1)))
    cluster = None
    if clustered:
        cluster = np.unique(draw.integers(0, 4, n), return_inverse=True)[1]
    pairs = arm_pairs(ItemTable(series * unit, cluster, uneven, runs[:, :, uneven] * unit))
    labels = np.arange(n) if cluster is None else cluster
    for place, (first, second) in enumerate(((0, 1), (0, 2), (1, 2))):
        gaps = {}
        for i in range(n):
            shared = [s for s in range(3) if there[s, first, i] and there[s, second, i]]
            if shared:
                apart = [runs[s, second, i] - runs[s, first, i] for s in shared]
                gaps[i] = sum(apart) / len(apart)
        assert pairs.n[place] == len(gaps)
        assert pairs.wins[place] == sum(gap > 1e-9 for gap in gaps.values())
        assert pairs.losses[place] == sum(gap < -1e-9 for gap in gaps.values())
        sums, mean = {}, sum(gaps.values()) / len(gaps) if gaps else np.nan
        for i, gap in gaps.items():
            sums[labels[i]] = sums.get(labels[i], 0.0) + gap - mean
        g = len(sums)
        assert pairs.n_clusters[place] == g
        assert_allclose(pairs.diff[place] / unit, mean, atol=1e-12)
        square = g / (g - 1) * sum(x**2 for x in sums.values()) if g > 1 else np.nan
        expected = square**0.5 / len(gaps) if g > 1 else np.nan
        assert_allclose(pairs.se[place] / unit, expected, rtol=1e-8, atol=1e-12)
