"""How sure shares and kappas of a judge are: cover by simulation, and sign flips by counting."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import norm

from evalframe import agreement, krippendorff
from evalframe.stats.rating_shares import flips_by_segment
from evalframe.stats.signflips import exact_flips

N_SIM = 2000


@given(st.lists(st.integers(-3, 3), max_size=9))
def test_exact_flips_counts_all_patterns(total):
    sums = [sum(s * d for s, d in zip(signs, total, strict=True)) for signs in
            product((1, -1), repeat=len(total))]  # fmt: skip
    expected = np.mean(np.abs(sums) >= abs(sum(total))) if total else 1.0
    assert_allclose(exact_flips(np.array(total, dtype=float)), expected, rtol=1e-12)


@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 3)), max_size=40),
    st.sampled_from([3, 1000]),
)
def test_many_segments_at_once_are_those_one_by_one(rows, widest):
    total = np.array([d for d, _ in rows], dtype=float)
    home = np.array([place for _, place in rows], dtype=int)
    segments = np.array([0, 2, 3])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evalframe.stats.rating_shares._WIDEST", widest)
        patch.setattr("evalframe.stats.rating_shares._HELD", 64)
        found = flips_by_segment(total, home, segments)
    assert_allclose(found, [exact_flips(total[home == one]) for one in segments], rtol=1e-5)


def test_small_p_keep_their_digits():
    total, home = np.ones(120), np.arange(120) // 60
    assert_allclose(flips_by_segment(total, home, np.array([0, 1])), 2.0**-59, rtol=1e-9)


def test_too_many_patterns_are_taken_as_normal():
    draw = np.random.default_rng(0)
    total = draw.normal(size=400)
    z = abs(total.sum()) / np.sqrt((total**2).sum())
    assert_allclose(exact_flips(total), 2 * norm.sf(z), rtol=1e-10)


def simulated(n_clusters, size, seed):
    """Return judged items whose judge errs more in some clusters, and what would be found."""
    draw = np.random.default_rng(seed)
    shape = (N_SIM, n_clusters, 1)
    gold = draw.random((N_SIM, n_clusters, size)) < draw.beta(3, 2, shape)
    right = draw.random(gold.shape) < draw.beta(8, 2, shape)
    run, cluster, _ = np.indices(gold.shape).reshape(3, -1)
    frame = pd.DataFrame({"task": run, "cluster_id": cluster, "item_id": np.arange(gold.size)})
    frame["gold"], frame["judge"] = gold.ravel(), np.where(right, gold, ~gold).ravel()
    p, a = 3 / 5, 8 / 10
    said = p * a + (1 - p) * (1 - a)
    chance, mean = p * said + (1 - p) * (1 - said), (p + said) / 2
    truth = {
        "accuracy": a,
        "sensitivity": a,
        "specificity": a,
        "precision": p * a / said,
        "errors_above": 1 - p,
        "kappa": (a - chance) / (1 - chance),
        "ac1": (a - 2 * mean * (1 - mean)) / (1 - 2 * mean * (1 - mean)),
        "bias": said - p,
        "alpha": 1 - (1 - a) / (2 * mean * (1 - mean)),
    }
    return frame, truth


@pytest.mark.slow
@pytest.mark.parametrize(("n_clusters", "size"), [(20, 5), (50, 4), (150, 1)])
def test_intervals_hold_their_level(n_clusters, size):
    frame, truth = simulated(n_clusters, size, 1)
    found = agreement(frame, judge="judge", gold="gold", by="task")
    alpha = krippendorff(frame, raters=["judge", "gold"], by="task").assign(statistic="alpha")
    rows = pd.concat([found, alpha])
    error = 4 * np.sqrt(0.95 * 0.05 / N_SIM)
    for name, value in truth.items():
        one = rows[(rows["statistic"] == name) & rows["conf_low"].notna()]
        cover = ((one["conf_low"] <= value) & (value <= one["conf_high"])).mean()
        assert cover > 0.95 - error, name
        # Exact limits, and Wilson's with t, may cover more.
        if name in ("kappa", "ac1", "bias", "alpha"):
            assert cover < 0.95 + error, name


def test_the_p_of_a_segment_does_not_depend_on_the_others():
    rng = np.random.default_rng(0)
    total = rng.integers(-3, 4, 60).astype(float)
    home = np.repeat(np.arange(6), 10)
    total[home == 5] *= 7
    together = flips_by_segment(total, home, np.arange(6))
    for one in range(6):
        own = total[home == one]
        alone = flips_by_segment(own, np.zeros(10, dtype=np.int64), np.array([0]))
        assert alone[0] == together[one]
