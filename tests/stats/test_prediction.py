import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.stats.prediction import UNSEEN, predicted

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "prediction.json").read_text())
PPI = REFERENCE["cases"]
NUMBERS = (
    "estimate",
    "se",
    "extra",
    "df",
    "lam",
    "judge",
    "gold",
    "gold_se",
    "bias",
    "correlation",
)


@st.composite
def samples(draw, least=3):
    """Draw one segment: judge, labels of some, clusters and strata."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, rest = draw(st.integers(least, 25)), draw(st.integers(2, 40))
    gold = rng.normal(size=n + rest)
    judge = gold + rng.normal(size=n + rest)
    if draw(st.booleans()):
        gold, judge = np.round(gold), np.round(judge)
    labels = np.where(np.arange(n + rest) < n, gold, np.nan)
    order = rng.permutation(n + rest)
    cluster = rng.integers(0, draw(st.integers(2, 12)), n + rest)
    return judge[order], labels[order], cluster, gold[order]


def one(judge, gold, **options):
    judge, gold = np.asarray(judge, dtype=float), np.asarray(gold, dtype=float)
    return predicted(judge, gold, np.zeros(len(judge), dtype=np.int64), 1, **options)


def twin(judge, gold, cluster=None, stratum=None):
    """Compute one segment slowly, stratum by stratum and cluster by cluster."""
    seen, total = ~np.isnan(gold), len(judge)
    cluster = np.arange(total) if cluster is None else cluster
    stratum = np.zeros(total, dtype=int) if stratum is None else stratum
    above = here = below = alone = shift = 0.0
    for h in np.unique(stratum):
        on, off = (stratum == h) & seen, (stratum == h) & ~seen
        share = np.mean(stratum == h)
        alone += share * gold[on].mean()
        if off.any() and np.ptp(judge[on]) > 0:
            both = np.cov(gold[on], judge[on])
            above += share**2 * both[0, 1] / on.sum()
            here += share**2 * both[1, 1] / on.sum()
            below += share**2 * both[1, 1] * (1 / on.sum() + 1 / off.sum())
        if off.any():
            shift += share * (judge[off].mean() - judge[on].mean())
    lam, slope = (above / below, above / here) if below > 0 else (0.0, 0.0)
    estimate = alone + lam * shift
    found = {"estimate": estimate, "lam": lam, "gold": alone}

    def error(weight, middle, rest=True):
        sums = dict.fromkeys(np.unique(cluster), 0.0)
        n_all = len(sums)
        extra = 0.0
        for h in np.unique(stratum):
            inside = stratum == h
            on, off = inside & seen, inside & ~seen
            w = weight if off.any() else 0.0
            residual = gold - w * judge
            of_on, of_off = len(np.unique(cluster[on])), len(np.unique(cluster[off]))
            own = residual[on].mean() + (w * judge[off].mean() if off.any() else 0.0)
            for i in np.flatnonzero(inside):
                if seen[i]:
                    part = (residual[i] - residual[on].mean()) / on.sum()
                    part *= inside.mean() * np.sqrt(of_on / (of_on - 1))
                elif of_off > 1 and rest:
                    part = w * (judge[i] - judge[off].mean()) / off.sum()
                    part *= inside.mean() * np.sqrt(of_off / (of_off - 1))
                else:
                    part = 0.0
                if rest and len(np.unique(stratum)) > 1:
                    part += (own - middle) / total * np.sqrt(n_all / (n_all - 1))
                sums[cluster[i]] += part
            if rest and of_off == 1:
                extra += (inside.mean() * w) ** 2 * np.var(judge[on], ddof=1)
        return sum(value**2 for value in sums.values()) + extra

    found["se"] = error(lam, estimate) ** 0.5
    found["gold_se"] = error(0.0, alone) ** 0.5
    pairs = {(f, y) for f, y in zip(judge[seen], gold[seen], strict=True)}
    repeats = 1 - len(pairs) / seen.sum()
    lone = len(np.unique(cluster[seen])) - 1
    inside = sum(len(np.unique(cluster[seen & (stratum == h)])) - 1 for h in np.unique(stratum))
    df = min(lone, inside) - (below > 0)
    found["df"] = df
    z_squared, r = (shift**2 / below, here / below) if below > 0 else (0.0, 0.0)
    fitted = error(slope, 0.0, rest=False) * (1 + z_squared * r) * (below > 0)
    unseen = UNSEEN * repeats * found["gold_se"] ** 2 * (lam != 0)
    found["extra"] = (fitted + unseen) / df if df > 0 else np.nan
    return found


@pytest.mark.parametrize("case", PPI, ids=[case["about"] for case in PPI])
def test_ppi_py(case):
    n, rest = len(case["gold"]), len(case["judge"]) - len(case["gold"])
    found = one(case["judge"], case["gold"] + [np.nan] * rest, lam=case["lam"])
    assert_allclose(found.estimate, case["estimate"], rtol=1e-12)
    # It divides squares by n where we divide by n - 1: the parts of the variance by as much.
    judge = np.array(case["judge"])
    residual = np.array(case["gold"]) - case["lam"] * judge[:n]
    squared = (case["lam"] * judge[n:]).var() / rest + residual.var() / n
    width = (case["conf_high"] - case["conf_low"]) / 2 / 1.959963984540054
    assert_allclose(squared, width**2, rtol=1e-9)
    ours = (case["lam"] * judge[n:]).var(ddof=1) / rest + residual.var(ddof=1) / n
    assert_allclose(found.se, ours**0.5, rtol=1e-10)


@given(samples(), st.sampled_from(["alone", "clusters", "strata", "both"]))
def test_slow_twin(sample, kind):
    judge, gold, cluster, _ = sample
    stratum = np.arange(len(judge)) % 2
    options = {}
    if kind in ("clusters", "both"):
        options["cluster"] = cluster
    if kind in ("strata", "both"):
        options["stratum"] = stratum
    found = one(judge, gold, **options)
    if found.n_bare[0] or found.n_lone[0] or found.alike[0]:
        assert np.isnan(found.se).all()
        return
    for name, value in twin(judge, gold, **options).items():
        got = getattr(found, name)[0]
        if name == "df" and value <= 0:
            assert np.isnan(got)
        else:
            assert_allclose(got, value, rtol=1e-8, atol=1e-10, err_msg=name)


@given(samples())
def test_a_judge_that_is_the_label_gives_the_mean_of_all_items(sample):
    _, gold, _, truth = sample
    found = one(truth, gold)
    if found.varies[0]:
        assert_allclose(found.estimate, truth.mean(), rtol=1e-9, atol=1e-9)


@given(samples(), st.floats(-5, 5))
def test_a_constant_judge_gives_the_labels_alone(sample, value):
    _, gold, _, _ = sample
    found = one(np.full(len(gold), value), gold)
    labels = gold[~np.isnan(gold)]
    assert_allclose(found.estimate, labels.mean(), rtol=1e-12, atol=1e-12)
    assert found.lam == 0
    assert_array_equal(found.se, found.gold_se)
    if not found.alike[0]:
        assert_allclose(found.se, labels.std(ddof=1) / len(labels) ** 0.5, rtol=1e-12)
        assert_array_equal(found.extra, 0.0)
        assert found.df == len(labels) - 1


@given(samples(), st.sampled_from([-8.0, 0.25, 3.0, 100.0]), st.floats(-50, 50), st.booleans())
def test_a_judge_on_another_scale_changes_nothing(sample, scale, shift, clusters):
    judge, gold, cluster, _ = sample
    judge = np.round(judge, 3)
    options = {"cluster": cluster} if clusters else {}
    found, other = one(judge, gold, **options), one(scale * judge + shift, gold, **options)
    for name in ("estimate", "se", "extra", "df", "gold", "gold_se"):
        assert_allclose(getattr(other, name), getattr(found, name), rtol=1e-6, atol=1e-9)
    assert_allclose(other.lam * scale, found.lam, rtol=1e-6, atol=1e-9)


@given(samples())
def test_least_squares_is_the_estimate_and_its_error(sample):
    judge, gold, _, _ = sample
    seen = ~np.isnan(gold)
    if np.ptp(judge[seen]) < 0.1 or len({*judge[seen]}) < seen.sum():
        return
    found = one(judge, gold)
    design = np.stack([np.ones(seen.sum()), judge[seen]], axis=1)
    beta, *_ = np.linalg.lstsq(design, gold[seen], rcond=None)
    at = np.array([1.0, judge.mean()])
    assert_allclose(found.estimate, at @ beta, rtol=1e-8, atol=1e-10)
    if seen.sum() > 3:
        left = gold[seen] - design @ beta
        noise = left @ left / (seen.sum() - 2) * at @ np.linalg.inv(design.T @ design) @ at
        # What is left is the variance of the judge's own mean, by labelled items and the others.
        rest = found.lam**2 * judge[~seen].var(ddof=1) / (~seen).sum()
        own = (beta[1] - found.lam) ** 2 * judge[seen].var(ddof=1) / seen.sum()
        assert_allclose(found.se**2 + found.extra, noise + rest + own, rtol=1e-7, atol=1e-12)


@given(samples())
def test_an_item_a_cluster_is_no_clusters_to_the_bit(sample):
    judge, gold, _, _ = sample
    stratum = np.arange(len(judge)) % 2
    for options in ({}, {"stratum": stratum}):
        found = one(judge, gold, **options)
        other = one(judge, gold, cluster=np.arange(len(judge))[::-1].copy(), **options)
        for name in NUMBERS:
            assert_array_equal(getattr(other, name), getattr(found, name), err_msg=name)


@given(samples(), st.integers(0, 99))
def test_neither_order_nor_other_segments_change_a_bit(sample, seed):
    judge, gold, cluster, _ = sample
    stratum = np.arange(len(judge)) % 2
    found = one(judge, gold, cluster=cluster, stratum=stratum)
    order = np.random.default_rng(seed).permutation(len(judge))
    twice = predicted(
        np.concatenate([judge * 2, judge[order]]),
        np.concatenate([gold + 1, gold[order]]),
        np.repeat([0, 1], len(judge)),
        2,
        cluster=np.concatenate([cluster, 99 - cluster[order]]),
        stratum=np.concatenate([stratum, 1 - stratum[order]]),
    )
    for name in NUMBERS:
        assert_array_equal(getattr(twice, name)[1], getattr(found, name)[0], err_msg=name)


def test_strata_undo_that_hard_items_are_labelled_more_often():
    hard = np.arange(4000) % 4 == 0
    rng = np.random.default_rng(5)
    truth = (rng.random(4000) < np.where(hard, 0.2, 0.9)).astype(float)
    judge = np.where(rng.random(4000) < 0.8, truth, 1 - truth)
    gold = np.where(rng.random(4000) < np.where(hard, 0.5, 0.05), truth, np.nan)
    biased, found = one(judge, gold), one(judge, gold, stratum=hard.astype(np.int64))
    assert abs(found.estimate - truth.mean())[0] < 3 * found.se
    assert abs(biased.estimate - truth.mean())[0] > 5 * biased.se


def test_few_labels_that_the_judge_fits_do_not_make_it_perfect():
    judge = np.array([1.0, 0, 1, 0, 1, 0, 1, 0, 1, 0, *np.tile([1.0, 0, 1], 100)])
    gold = np.where(np.arange(len(judge)) < 10, judge, np.nan)
    found = one(judge, gold)
    assert_allclose(found.correlation, 1.0)
    # As many more labels on which it says nothing: two, over the degrees of freedom.
    assert_allclose(found.extra, UNSEEN * 0.8 * found.gold_se**2 / 8)
    assert (found.se**2 + found.extra)[0] > 4 * found.se**2


@pytest.mark.parametrize("n", [0, 1])
def test_no_label_and_one_tell_neither_weight_nor_error(n):
    found = one([0.0, 1, 1, 0], [1.0] * n + [np.nan] * (4 - n))
    for name in ("estimate", "se", "extra", "df", "lam"):
        assert np.isnan(getattr(found, name)).all()
    assert_array_equal(found.gold, 1.0 if n else np.nan)


def test_all_labelled_is_the_mean_of_the_labels():
    gold = np.array([0.0, 1, 1, 0, 1])
    found = one([1.0, 1, 0, 0, 1], gold)
    assert_allclose(found.estimate, gold.mean())
    assert_allclose(found.se, gold.std(ddof=1) / 5**0.5)
    assert found.lam == 0
    assert found.extra == 0
    assert found.df == 4


def test_labels_all_alike_have_no_error():
    found = one([1.0, 0, 1, 0, 1], [1.0, 1, 1, np.nan, np.nan])
    assert found.estimate == 1
    assert np.isnan(found.se).all()
    assert np.isnan(found.gold_se).all()


def test_an_empty_segment_is_unknown():
    found = predicted(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64), 2)
    assert np.isnan(found.estimate).all()
    assert found.n.tolist() == [0, 0]
