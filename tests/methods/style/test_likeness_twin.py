"""The whole of `voice` against a short plain-Python version of the specification."""

import math

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import wasserstein_distance

from evalframe import voice

# Metrics by group: unlike scales, ties of rates, zero inflation, and one of few values.
METRICS = ["a.normal", "a.rate", "b.rare", "b.offset", "c.levels"]
GROUPS = {"a": METRICS[:2], "b": METRICS[2:4], "c": METRICS[4:]}
N, TRAIN = 24, 60


def values(rng, n, shift=0.0):
    """Return texts as rows of numbers."""
    words = rng.integers(5, 60, n)
    table = {
        "a.normal": rng.normal(shift, 1, n),
        "a.rate": rng.binomial(words, 0.1 + shift / 20) / words,
        "b.rare": rng.binomial(1, 0.05, n) / words,
        "b.offset": 1e6 + rng.normal(0, 1e-3 * (1 + shift), n),
        "c.levels": rng.integers(0, 3, n) * 1e-7,
    }
    return pd.DataFrame(table)


def frame(seed, runs=1, holes=False, shift=0.2):
    rng = np.random.default_rng(seed)
    parts = [values(rng, N + TRAIN).assign(item_id=range(N + TRAIN), arm="author", seed=0)]
    for run in range(runs):
        parts.append(values(rng, N, shift).assign(item_id=range(N), arm="model", seed=run))
    whole = pd.concat(parts, ignore_index=True)
    if holes:
        whole.loc[rng.random(len(whole)) < 0.08, "a.rate"] = np.nan
        whole.loc[rng.random(len(whole)) < 0.04, "b.rare"] = np.nan
    return whole


def twin_distance(x, y):
    return wasserstein_distance(x, y) if len(x) else math.nan


def twin_tail(own, found, near, ties):
    """Share of self-distances that exceed the one found; closer than `near` is equal."""
    above = sum(one - found > near for one in own)
    equal = sum(abs(one - found) <= near for one in own)
    return (above + (equal / 2 if ties == "mid" else 0)) / len(own)


def twin_split(order, column, n):
    """Return the first n known values of an order, and the next n."""
    known = [column[place] for place in order if not math.isnan(column[place])]
    return known[:n], known[n : 2 * n]


def mean(numbers):
    known = [one for one in numbers if not math.isnan(one)]
    return sum(known) / len(known) if known else math.nan


def twin_scopes(tails, floor=1e-3):
    """Return the score, the group tails and the tails, from the tails of metrics."""
    groups = {name: mean([tails[metric] for metric in GROUPS[name]]) for name in GROUPS}
    logs = [math.log(max(tail, floor)) for tail in groups.values() if not math.isnan(tail)]
    return {"": math.exp(sum(logs) / len(logs)), **groups, **tails}


class Twin:
    """Read a frame, and draw what the product draws."""

    def __init__(self, whole, seed, n_calibration, size=None, n_subsets=50):
        author = whole[whole["arm"] == "author"].set_index("item_id")[METRICS]
        answered = whole.loc[whole["arm"] == "model", "item_id"].unique()
        self.train = sorted(
            author.drop(index=answered).to_numpy().tolist(),
            key=lambda row: [(math.isnan(one), one) for one in row],
        )
        runs = whole[whole["arm"] == "model"].groupby("seed")
        self.y = author.loc[sorted(answered)].to_numpy()
        self.x = [
            run.set_index("item_id")[METRICS].loc[sorted(answered)].to_numpy() for _, run in runs
        ]
        pooled = np.concatenate([np.array(self.train), self.y, *self.x])
        self.near = 1e-12 * (np.nanmax(pooled, axis=0) - np.nanmin(pooled, axis=0))
        streams = np.random.default_rng(seed).spawn(3)
        texts = np.arange(len(self.train))
        self.orders = streams[0].permuted(np.tile(texts, (n_calibration, 1)), axis=1)
        self.fresh = streams[1].permuted(np.tile(texts, (200, 1)), axis=1)
        self.size = size
        # Pairs are drawn in an order that no label decides: by reference, then by completion.
        keys = [
            [(math.isnan(v), v) for v in [*self.y[i], *(v for x in self.x for v in x[i])]]
            for i in range(len(self.y))
        ]
        self.place = sorted(range(len(keys)), key=lambda i: keys[i])
        self.subsets = streams[2].permuted(np.tile(np.arange(len(keys)), (n_subsets, 1)), axis=1)
        self.kept = {}

    def own(self, m, n):
        column = [row[m] for row in self.train]
        if (m, n) not in self.kept:
            self.kept[m, n] = [
                twin_distance(*twin_split(order, column, n)) for order in self.orders
            ]
        return self.kept[m, n]

    def pairs(self, x, m):
        both = zip(x[:, m], self.y[:, m], strict=True)
        return {i: p for i, p in enumerate(both) if not math.isnan(p[0] + p[1])}

    def tail_of_run(self, x, m, ties, without=None):
        """Return the tail of one run's metric, calibrated at all of its pairs."""
        pairs = self.pairs(x, m)
        if self.size is None:
            own = self.own(m, len(pairs))
            left = [pair for i, pair in pairs.items() if i != without]
            return twin_tail(own, twin_distance(*zip(*left, strict=True)), self.near[m], ties)
        own, tails = self.own(m, self.size), []
        for order in self.subsets:
            inside = [i for i in (self.place[p] for p in order) if i in pairs][: self.size]
            if without not in inside:
                found = twin_distance(*zip(*(pairs[i] for i in inside), strict=True))
                tails.append(twin_tail(own, found, self.near[m], ties))
        return mean(tails)

    def scopes(self, ties, without=None):
        tails = {
            name: mean([self.tail_of_run(x, m, ties, without) for x in self.x])
            for m, name in enumerate(METRICS)
        }
        return twin_scopes(tails)

    def self_scopes(self, ties):
        """Return the scopes of 200 fresh pairs of training texts."""
        sizes = [
            self.size or max(len(self.pairs(x, m)) for x in self.x) for m in range(len(METRICS))
        ]
        return [
            twin_scopes(
                {
                    name: twin_tail(
                        self.own(m, n),
                        twin_distance(*twin_split(order, [row[m] for row in self.train], n)),
                        self.near[m],
                        ties,
                    )
                    for m, (name, n) in enumerate(zip(METRICS, sizes, strict=True))
                }
            )
            for order in self.fresh
        ]


def keyed(result):
    """Return result rows by metric, group or "" for the score."""
    names = result["metric"].where(result["scope"] == "metric", result["group"])
    return result.assign(name=names).set_index("name")


def compare_with_twin(whole, seed, ties="strict", size=None):
    twin = Twin(whole, seed, 100, size)
    arguments = {"metrics": METRICS, "n_calibration": 100, "rng": seed, "ties": ties}
    arguments |= {"size": size, "n_subsets": 50}
    found = keyed(voice(whole, "author", **arguments))
    whole_tails = twin.scopes(ties)
    assert_allclose(found["tail"], [whole_tails[name] for name in found.index], atol=1e-12)
    without = [twin.scopes(ties, i) for i in range(N)]
    for name, row in found.iterrows():
        limits = np.quantile([one[name] for one in without], [0.05, 0.95])
        assert_allclose([row["conf_low"], row["conf_high"]], limits, atol=1e-12)
    own = twin.self_scopes(ties)
    for name, row in found.iterrows():
        of_name = [one[name] for one in own]
        wanted = [np.mean(of_name), *np.quantile(of_name, [0.05, 0.95])]
        assert_allclose(row[["self_tail", "self_low", "self_high"]].tolist(), wanted, atol=1e-12)
    left_out = keyed(voice(whole, "author", replicates=True, **arguments))
    for name in found.index:
        wanted = [one[name] for one in without]
        assert_allclose(left_out.loc[name, "tail"], wanted, atol=1e-12)
    if size is None:
        check_standard_errors(whole, arguments, found, without)


def check_standard_errors(whole, arguments, found, without):
    """Compare jackknife_se with the formula over the twin's replicates."""
    result = keyed(voice(whole, "author", interval="jackknife_se", **arguments))
    for name, row in result.iterrows():
        clipped = np.clip([*(one[name] for one in without), found.loc[name, "tail"]], 1e-3, 0.999)
        *theta, at = np.log(clipped / (1 - clipped))
        se = math.sqrt((N - 1) / N * sum((one - np.mean(theta)) ** 2 for one in theta))
        if len(set(theta)) == 1:
            assert np.isnan(row["conf_low"])
            continue
        limits = [
            1 / (1 + math.exp(-(at + z * se))) for z in (-1.6448536269514722, 1.6448536269514722)
        ]
        assert_allclose([row["conf_low"], row["conf_high"]], limits, atol=1e-10)


@pytest.mark.parametrize("ties", ["strict", "mid"])
@pytest.mark.parametrize("seed", range(4))
def test_the_plain_version_agrees(seed, ties):
    compare_with_twin(frame(seed), seed, ties)


@pytest.mark.parametrize("seed", range(3))
def test_the_plain_version_agrees_where_metrics_do_not_know_all_texts(seed):
    compare_with_twin(frame(seed, holes=True), seed)


@pytest.mark.parametrize("holes", [False, True])
def test_the_plain_version_agrees_with_several_runs(holes):
    compare_with_twin(frame(5, runs=3, holes=holes), 5)


@pytest.mark.parametrize(("runs", "holes"), [(1, False), (2, True)])
def test_the_plain_version_agrees_at_a_fixed_size(runs, holes):
    compare_with_twin(frame(6, runs=runs, holes=holes), 6, size=10)
