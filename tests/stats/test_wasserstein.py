import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.stats.wasserstein import (
    distance,
    leave_one_out,
    self_distances,
    subset_distances,
)

SCALES = st.sampled_from([1e-9, 1.0, 1e9])
# Whole numbers tie, eighths tie and are exact, the rest seldom do.
VALUES = st.one_of(st.integers(-3, 3).map(float), st.integers(-80, 80).map(lambda v: v / 8))
VALUES |= st.floats(-100, 100, width=32)


def samples(most=40):
    return arrays(np.float64, st.integers(1, most), elements=VALUES)


def paired(most=40):
    shape = st.integers(1, most).map(lambda n: (2, n))
    return arrays(np.float64, shape, elements=VALUES)


def scipy_distance(x, y):
    x, y = x[~np.isnan(x)], y[~np.isnan(y)]
    return scipy.stats.wasserstein_distance(x, y) if len(x) and len(y) else np.nan


def spread(*values):
    """Return the pooled range, to which rounding is relative."""
    pooled = np.concatenate(values)
    return max(np.nanmax(pooled) - np.nanmin(pooled), 1e-300)


@given(samples(), samples(), SCALES)
def test_scipy_gives_the_same_distance_of_samples_of_any_size(x, y, scale):
    x, y = x * scale, y * scale
    assert abs(distance(x, y) - scipy_distance(x, y)) <= 1e-12 * spread(x, y)


@given(samples(), samples(), st.data())
def test_a_missing_value_is_left_out(x, y, data):
    x[data.draw(arrays(np.bool_, len(x)))] = np.nan
    found, wanted = distance(x, y), scipy_distance(x, y)
    assert (np.isnan(found) and np.isnan(wanted)) or abs(found - wanted) <= 1e-12 * spread(x, y)


@given(samples(), samples(), samples())
def test_the_distance_is_a_metric(x, y, z):
    near = 1e-12 * spread(x, y, z)
    assert distance(x, x) == 0
    assert distance(x, y) == pytest.approx(distance(y, x), abs=near)
    assert distance(x, z) <= distance(x, y) + distance(y, z) + near


@given(samples(), st.integers(-50, 50))
def test_a_shifted_sample_lies_as_far_away_as_it_was_shifted(x, shift):
    assert distance(x, x + shift) == pytest.approx(abs(shift), abs=1e-9)


@given(samples(), samples(), st.randoms())
def test_the_order_of_values_changes_no_bit(x, y, random):
    shuffled = x.copy()
    random.shuffle(shuffled)
    assert distance(x, y) == distance(shuffled, y)


def test_a_large_offset_costs_no_accuracy():
    x, y = np.random.default_rng(0).normal(size=(2, 200)) * 1e-3 + 1e8
    assert distance(x, y) == pytest.approx(distance(x - 1e8, y - 1e8), abs=1e-15)


def test_an_empty_sample_has_no_distance():
    nothing = np.array([np.nan])
    assert np.isnan(distance(nothing, np.ones(3)))
    assert np.isnan(distance(np.ones(3), nothing))


@given(paired(), SCALES)
def test_scipy_gives_the_same_distances_with_each_pair_left_out(values, scale):
    x, y = values * scale
    found = leave_one_out(x, y)
    if len(x) == 1:
        assert np.isnan(found).all()
        return
    for i, one in enumerate(found):
        wanted = scipy_distance(np.delete(x, i), np.delete(y, i))
        assert abs(one - wanted) <= 1e-12 * spread(x, y)


@given(paired(), st.randoms())
def test_the_order_of_pairs_changes_no_bit_of_what_is_left(values, random):
    order = list(range(values.shape[1]))
    random.shuffle(order)
    whole = leave_one_out(*values)
    assert_array_equal(leave_one_out(*values[:, order]), whole[order])


def test_a_thousand_pairs_left_out_in_turn():
    rng = np.random.default_rng(1)
    for x, y in [
        (rng.normal(size=1_000), rng.normal(0.2, 2.0, 1_000)),
        (rng.poisson(0.01, 1_000) / 7, rng.poisson(0.02, 1_000) / 7),
    ]:
        found = leave_one_out(x, y)
        for i in range(0, 1_000, 50):
            wanted = scipy_distance(np.delete(x, i), np.delete(y, i))
            assert abs(found[i] - wanted) <= 1e-12 * spread(x, y)


def collection(rng, n=60):
    """Return texts x metrics of unlike scales, with ties, and with NaN in two of them."""
    values = np.stack(
        [
            rng.normal(size=n) * 1e-6,
            rng.poisson(0.3, n) / 3,
            rng.integers(0, 4, n) * 1e7,
            rng.gamma(0.5, size=n),
            rng.normal(size=n) + 1e8,
        ],
        axis=1,
    )
    values[rng.random(n) < 0.1, 3] = np.nan
    values[rng.random(n) < 0.2, 4] = np.nan
    return values


def random_orders(seed, n, n_draws):
    return np.random.default_rng(seed).permuted(np.tile(np.arange(n), (n_draws, 1)), axis=1)


@pytest.mark.parametrize("seed", range(4))
def test_scipy_gives_the_same_calibration_distances(seed):
    values = collection(np.random.default_rng(seed))
    size = np.array([20, 20, 7, 19, 15])
    found = self_distances(values, size, 50, np.random.default_rng(seed))
    for draw, order in enumerate(random_orders(seed, len(values), 50)):
        for metric, n in enumerate(size):
            column = values[order, metric]
            column = column[~np.isnan(column)]
            wanted = scipy_distance(column[:n], column[n : 2 * n])
            assert abs(found[draw, metric] - wanted) <= 1e-12 * spread(column)


@pytest.mark.parametrize("seed", range(4))
def test_scipy_gives_the_same_distances_of_subsets_of_pairs(seed):
    rng = np.random.default_rng(seed)
    x, y = collection(rng), collection(rng)
    found, drawn = subset_distances(x, y, 12, 50, np.random.default_rng(seed))
    assert sorted(metric for _, metrics in drawn for metric in metrics) == [0, 1, 2, 3, 4]
    for held, metrics in drawn:
        assert (held.sum(axis=1) == 12).all()
        for metric in metrics:
            known = ~np.isnan(x[:, metric] + y[:, metric])
            assert not held[:, ~known].any()
            for draw, order in enumerate(random_orders(seed, len(x), 50)):
                pairs = order[known[order]][:12]
                assert held[draw, pairs].all()
                wanted = scipy_distance(x[pairs, metric], y[pairs, metric])
                assert abs(found[draw, metric] - wanted) <= 1e-12 * spread(
                    x[:, metric], y[:, metric]
                )


@pytest.mark.parametrize("block", [1, 97, 600, 10_000])
def test_the_block_size_changes_no_number(block):
    values, size = collection(np.random.default_rng(5)), np.array([20, 20, 7, 19, 15])
    found = self_distances(values, size, 40, np.random.default_rng(0), block=block)
    assert_array_equal(found, self_distances(values, size, 40, np.random.default_rng(0)))
    x, y = values[:30], values[30:]
    in_blocks = subset_distances(x, y, 9, 40, np.random.default_rng(0), block=block)
    whole = subset_distances(x, y, 9, 40, np.random.default_rng(0))
    assert_array_equal(in_blocks[0], whole[0])
    assert_array_equal(in_blocks[1][0][0], whole[1][0][0])


def test_metrics_share_their_draws():
    one = np.random.default_rng(2).normal(size=50)
    values = np.stack([one, one, 3 * one], axis=1)
    found = self_distances(values, np.array([10, 10, 10]), 30, np.random.default_rng(0))
    assert_array_equal(found[:, 0], found[:, 1])
    assert_allclose(found[:, 2], 3 * found[:, 0], rtol=1e-12)


def test_a_metric_known_of_fewer_than_two_subsets_has_no_distance():
    values = np.random.default_rng(3).normal(size=(20, 3))
    values[:5, 1] = np.nan
    found = self_distances(values, np.array([10, 10, 0]), 5, np.random.default_rng(0))
    assert not np.isnan(found[:, 0]).any()
    assert np.isnan(found[:, 1:]).all()


def test_the_two_subsets_of_a_draw_share_no_text():
    values = np.zeros((20, 1))
    values[7] = 100.0
    found = self_distances(values, np.array([10]), 200, np.random.default_rng(0))
    # All 20 texts are drawn, so exactly one subset holds the text that differs.
    assert_allclose(found, 100.0 / 10, rtol=1e-12)


def test_draws_are_uniform_over_disjoint_pairs():
    # 0 and 1 stand together, and 2 and 4, in one of the three ways to split four texts.
    values = np.array([[0.0], [1.0], [2.0], [4.0]])
    found = self_distances(values, np.array([2]), 9_000, np.random.default_rng(0))[:, 0]
    counts = np.array([np.isclose(found, wanted).sum() for wanted in (2.5, 1.5)])
    assert counts.sum() == 9_000
    assert_allclose(counts, [3_000, 6_000], atol=4 * np.sqrt(9_000 * 2 / 9))


def test_skipping_a_subset_gives_one_that_is_disjoint_from_it():
    x, y = collection(np.random.default_rng(1)), collection(np.random.default_rng(2))
    _, first = subset_distances(x, y, 12, 40, np.random.default_rng(0))
    _, second = subset_distances(x, y, 12, 40, np.random.default_rng(0), skip=12)
    for (one, _), (other, _) in zip(first, second, strict=True):
        assert not (one & other).any()
        assert (other.sum(axis=1) == 12).all()
    found, drawn = subset_distances(x, y, 31, 40, np.random.default_rng(0), skip=30)
    assert np.isnan(found).all()
    assert drawn == []
