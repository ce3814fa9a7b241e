"""How often limits from few labels hold the mean, beside the paper's and the labels alone."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evalframe import debias
from evalframe.stats.prediction import predicted

N_SIM = 2500


def judged(rng, truth, right, wrong):
    """Return 0/1 scores of a judge that is right on that share of 1, and of 0."""
    return np.where(rng.random(truth.shape) < np.where(truth > 0, right, 1 - wrong), 1.0, 0.0)


def one_arm(rng, total, labelled):
    truth = (rng.random((N_SIM, total)) < 0.5) * 1.0
    return truth, np.broadcast_to(np.arange(total) < labelled, truth.shape), 0.5


def clusters(rng, total, labelled):
    """Return items in clusters of 5 that are alike, with a label in each of some clusters."""
    share = rng.beta(1.0, 1.0, size=(N_SIM, total // 5))
    truth = (rng.random((N_SIM, total)) < np.repeat(share, 5, axis=1)) * 1.0
    seen = (np.arange(total) % 5 == 0) & (np.arange(total) < 5 * labelled)
    return truth, np.broadcast_to(seen, truth.shape), 0.5


def coverage(judge, truth, seen, mean, **options):
    """Return how often three intervals hold the mean: z and t of the paper, and ours."""
    segment = np.repeat(np.arange(len(judge)), judge.shape[1])
    gold = np.where(seen, truth, np.nan).ravel()
    found = predicted(judge.ravel(), gold, segment, len(judge), **options)
    apart = np.abs(found.estimate - mean)
    full = np.sqrt(found.se**2 + found.extra)
    halves = (
        stats.norm.ppf(0.975) * found.se,
        stats.t.ppf(0.975, found.df + 1) * found.se,
        stats.t.ppf(0.975, found.df) * full,
    )
    # Where labels are all alike there is no interval, and it says so.
    known = ~np.isnan(found.se)
    assert known.mean() > 0.98
    return [float(np.mean(apart[known] <= half[known])) for half in halves]


JUDGES = [(0.8, 0.8), (0.9, 0.7), (0.7, 0.9), (0.95, 0.65)]


@pytest.mark.slow
@pytest.mark.parametrize("judge", JUDGES, ids=str)
@pytest.mark.parametrize("total", [60, 300])
def test_a_mean_of_15_labels(judge, total):
    rng = np.random.default_rng(3)
    truth, seen, mean = one_arm(rng, total, 15)
    normal, plain, ours = coverage(judged(rng, truth, *judge), truth, seen, mean)
    assert ours >= 0.93
    assert normal < plain < ours
    assert normal < 0.93


@pytest.mark.slow
@pytest.mark.parametrize("judge", JUDGES[:2], ids=str)
def test_a_difference_of_arms_of_15_labels(judge):
    rng = np.random.default_rng(4)
    kind = rng.random((N_SIM, 300)) < 0.5
    base = (rng.random(kind.shape) < np.where(kind, 0.3, 0.7)) * 1.0
    arm = (rng.random(kind.shape) < np.where(kind, 0.2, 0.8)) * 1.0
    judge_gap = judged(rng, arm, *judge) - judged(rng, base, *judge)
    seen = np.broadcast_to(np.arange(300) < 15, base.shape)
    _, _, ours = coverage(judge_gap, arm - base, seen, 0.0)
    assert ours >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize("judge", JUDGES[:2], ids=str)
def test_clusters_of_which_15_have_a_label(judge):
    rng = np.random.default_rng(5)
    truth, seen, mean = clusters(rng, 150, 15)
    code = np.repeat(np.arange(N_SIM * 30), 5)
    scores = judged(rng, truth, *judge)
    _, _, ours = coverage(scores, truth, seen, mean, cluster=code)
    assert ours >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize("judge", JUDGES[:2], ids=str)
def test_strata_labelled_at_rates_of_their_own(judge):
    rng = np.random.default_rng(6)
    total, share, labels = 200, np.array([0.3, 0.6, 0.85]), np.array([5, 5, 5])
    stratum = np.sort(rng.choice(3, size=(N_SIM, total), p=(0.5, 0.3, 0.2)), axis=1)
    truth = (rng.random(stratum.shape) < share[stratum]) * 1.0
    first = np.stack([(stratum < h).sum(axis=1) for h in range(3)], axis=1)
    place = np.arange(total) - np.take_along_axis(first, stratum, axis=1)
    mean = float(np.dot(share, (0.5, 0.3, 0.2)))
    scores = judged(rng, truth, *judge)
    _, plain, ours = coverage(scores, truth, place < labels[stratum], mean, stratum=stratum.ravel())
    assert ours >= 0.93
    assert plain < 0.93


@pytest.mark.slow
def test_arms_with_15_labels_each_of_other_items():
    n_sim, total, rng = 2000, 60, np.random.default_rng(8)
    share = rng.random((n_sim, total))
    frames = []
    for place, arm in enumerate(("base", "edit")):
        truth = (rng.random(share.shape) < 0.8 * share + 0.1) * 1.0
        seen = (np.arange(total) >= 15 * place) & (np.arange(total) < 15 * (place + 1))
        columns = {
            "study": np.repeat(np.arange(n_sim), total),
            "item_id": np.tile(np.arange(total), n_sim),
            "judge": judged(rng, truth, 0.9, 0.7).ravel(),
            "gold": np.where(seen, truth, np.nan).ravel(),
        }
        frames.append(pd.DataFrame(columns).assign(arm=arm))
    result = debias(
        pd.concat(frames), judge="judge", gold="gold", baseline="base", by="study", paired=False
    )
    held = (result["conf_low"] <= 0) & (result["conf_high"] >= 0)
    known = result["se"].notna()
    assert known.mean() > 0.98
    assert held[known].mean() >= 0.93


@pytest.mark.slow
def test_scores_that_are_never_alike():
    rng = np.random.default_rng(7)
    judge = rng.normal(size=(N_SIM, 300))
    truth = 0.8 * judge + 0.6 * rng.normal(size=judge.shape)
    seen = np.broadcast_to(np.arange(300) < 15, judge.shape)
    _, _, ours = coverage(judge, truth, seen, 0.0)
    assert abs(ours - 0.95) < 4 * (0.95 * 0.05 / N_SIM) ** 0.5
