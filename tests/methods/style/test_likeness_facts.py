"""What simulations say of the score: how it moves, and what its intervals are worth."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from scipy.stats import norm

from evalframe import voice

# Twelve groups of two independent metrics, and one metric of each.
PAIRS = [f"g{k}.{name}" for k in range(12) for name in ("m", "n")]
METRICS = PAIRS[::2]
AUTHOR = np.random.default_rng(99).normal(size=(2_000, 24))


def frame(rng, n, shift, train=None, runs=1):
    """Return an author, and an imitator whose metrics lie `shift` standard deviations off."""
    train = max(2 * n, 400) if train is None else train
    author = np.concatenate([rng.normal(size=(n, 24)), AUTHOR[:train]])
    mine = rng.normal(shift, 1, (n * runs, 24))
    whole = pd.DataFrame(np.concatenate([author, mine]), columns=PAIRS)
    whole["item_id"] = [*range(n + train), *[*range(n)] * runs]
    whole["arm"] = ["author"] * (n + train) + ["model"] * (n * runs)
    whole["seed"] = [0] * (n + train) + [run for run in range(runs) for _ in range(n)]
    return whole


def score(whole, **options):
    """Return the overall row of the model."""
    options = {"metrics": METRICS, "interval": None, "n_calibration": 500, **options}
    return voice(whole, "author", **options).iloc[0]


@cache
def mean_score(n, shift, repeats, size=None):
    rng = np.random.default_rng(n)
    options = {"metrics": PAIRS, "size": size, "n_subsets": 200, "n_calibration": 300}
    return np.mean([score(frame(rng, n, shift), **options)["tail"] for _ in range(repeats)])


@pytest.mark.slow
def test_the_score_falls_as_items_are_added_though_the_imitator_stays_the_same():
    few, some, many = (
        mean_score(n, 0.2, repeats) for n, repeats in ((25, 40), (200, 10), (1_000, 3))
    )
    assert few == pytest.approx(0.33, abs=0.06)
    assert some == pytest.approx(0.08, abs=0.05)
    assert many == pytest.approx(0.002, abs=0.002)


@pytest.mark.slow
def test_a_fixed_size_holds_the_score_still():
    scores = [mean_score(n, 0.2, repeats, 50) for n, repeats in ((100, 30), (300, 15), (1_000, 6))]
    assert max(scores) - min(scores) < 0.07
    assert np.mean(scores) == pytest.approx(0.34, abs=0.03)


@pytest.mark.slow
def test_a_perfect_imitator_scores_about_047_and_not_1():
    assert mean_score(100, 0.0, 40) == pytest.approx(0.47, abs=0.04)


@pytest.mark.slow
def test_self_tail_foretells_what_a_perfect_imitator_scores():
    rng = np.random.default_rng(3)
    rows = [score(frame(rng, 100, 0.0)) for _ in range(40)]
    mean = np.mean([row["tail"] for row in rows])
    assert np.mean([row["self_tail"] for row in rows]) == pytest.approx(mean, abs=0.04)
    inside = [row["self_low"] <= row["tail"] <= row["self_high"] for row in rows]
    assert np.mean(inside) >= 0.75


@pytest.mark.slow
def test_tails_of_a_perfect_imitator_are_uniform():
    rng = np.random.default_rng(4)
    options = {"metrics": METRICS, "interval": None, "n_calibration": 500}
    tails = [voice(frame(rng, 50, 0.0), "author", **options)["tail"].tail(12) for _ in range(25)]
    pooled = np.concatenate(tails)
    assert pooled.mean() == pytest.approx(0.5, abs=0.06)
    assert np.quantile(pooled, [0.25, 0.75]) == pytest.approx([0.25, 0.75], abs=0.08)


@pytest.mark.slow
def test_zero_inflated_metrics_need_mid_to_have_a_mean_tail_of_a_half():
    rng = np.random.default_rng(5)
    tails = {"strict": [], "mid": []}
    for _ in range(100):
        whole = frame(rng, 100, 0.0, 1_000)
        whole["g0.m"] = (rng.random(len(whole)) < 0.002) * rng.gamma(2, size=len(whole))
        if whole["g0.m"].max() > 0:
            for ties, found in tails.items():
                found.append(score(whole, metrics="g0.m", ties=ties)["tail"])
    assert np.mean(tails["mid"]) == pytest.approx(0.5, abs=0.09)
    assert np.mean(tails["strict"]) == pytest.approx(0.3, abs=0.09)


def test_runs_keep_the_score_where_one_run_has_it():
    rng = np.random.default_rng(6)
    one, many = [], []
    for _ in range(25):
        whole = frame(rng, 60, 0.0, runs=5)
        many.append(score(whole, metrics="g0.m")["tail"])
        one.append(score(whole[whole["seed"] == 0], metrics="g0.m")["tail"])
    assert np.mean(many) == pytest.approx(np.mean(one), abs=0.09)


def simulate(n, shift, repeats, size=None, interval="jackknife_se"):
    """Return scores and limits of an imitator whose study is repeated."""
    rng = np.random.default_rng(7)
    options = {"interval": interval, "size": size, "n_subsets": 1_000}
    rows = [score(frame(rng, n, shift), **options) for _ in range(repeats)]
    return np.array([[row["tail"], row["conf_low"], row["conf_high"]] for row in rows]).T


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0.0, 0.1, 0.2])
def test_jackknife_se_covers_the_mean_score_of_repeated_studies(shift):
    tail, low, high = simulate(100, shift, 200)
    assert ((low <= tail.mean()) & (tail.mean() <= high)).mean() >= 0.87


@pytest.mark.slow
def test_the_specified_interval_does_not_cover_it():
    tail, low, high = simulate(100, 0.1, 200, interval="jackknife")
    assert 0.02 < ((low <= tail.mean()) & (tail.mean() <= high)).mean() < 0.35


@pytest.mark.slow
@pytest.mark.parametrize(("n", "repeats"), [(100, 300), (200, 300), (500, 150)])
def test_the_standard_error_at_a_fixed_size_is_that_of_repeated_studies(n, repeats):
    tail, low, high = simulate(n, 0.2, repeats, size=50)
    se = (logit(high) - logit(low)) / (2 * norm.ppf(0.95))
    assert se.mean() == pytest.approx(logit(tail).std(ddof=1), rel=0.15)
    assert ((low <= tail.mean()) & (tail.mean() <= high)).mean() >= 0.84
