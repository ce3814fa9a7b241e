import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.stats.clusters import robust_errors
from evalframe.stats.means import segment_means

REFERENCE = Path(__file__).parents[1] / "reference"
CLUBSANDWICH = json.loads((REFERENCE / "intervals.json").read_text())["cr2"]
DATA = json.loads((REFERENCE / "scores.json").read_text())["data"]
values_of = st.lists(st.integers(-20, 20), min_size=2, max_size=40)


def errors(values, cluster):
    """Return CR1, CR2, CR3 and the degrees of freedom of all values together."""
    values, cluster = np.array(values, dtype=float), np.array(cluster, dtype=np.int64)
    means = segment_means(values, np.zeros(len(values), dtype=np.int64), 1, cluster)
    robust = robust_errors(means.clusters, 1)
    return means.se[0], robust.cr2[0], robust.cr3[0], robust.df[0]


def item_means(name):
    """Return the item means of a data set, or of its paired differences, and their clusters."""
    data = {key: np.array(column) for key, column in DATA[name].items()}
    label = next(key for key in ("passage", "doc") if key in data)
    score = data["score" if "score" in data else "correct"].astype(float)
    sign = np.ones(len(score))
    if "model" in data:
        models = sorted(set(data["model"].tolist()))
        sign = np.where(data["model"] == models[0], -1.0, 1.0)
    items = sorted(set(data["q"].tolist()))
    values, clusters = [], []
    for item in items:
        rows = data["q"] == item
        arms = [
            score[rows & (sign == s)].mean() * s for s in (1.0, -1.0) if (rows & (sign == s)).any()
        ]
        values.append(sum(arms))
        clusters.append(data[label][rows][0])
    return values, np.unique(clusters, return_inverse=True)[1]


@pytest.mark.parametrize("name", CLUBSANDWICH)
def test_clubsandwich(name):
    case = CLUBSANDWICH[name]
    cr1, cr2, cr3, df = errors(*item_means(name))
    assert_allclose(cr1, case["se_CR1"], rtol=1e-10)
    assert_allclose(cr2, case["se_CR2"], rtol=1e-10)
    assert_allclose(cr3, case["se_CR3"], rtol=1e-10)
    assert_allclose(df, case["df_satterthwaite_CR2"], rtol=1e-10)


def exact(values, cluster):
    """Return squared CR2, squared CR3 and df from the formulas, in whole-number arithmetic."""
    n = len(values)
    mean = Fraction(sum(values), n)
    groups = [
        [Fraction(v) - mean for v, c in zip(values, cluster, strict=True) if c == label]
        for label in sorted(set(cluster))
    ]
    share = [Fraction(len(group), n) for group in groups]
    squares = [sum(group) ** 2 for group in groups]
    cr2 = sum(s / (1 - w) for s, w in zip(squares, share, strict=True)) / n**2
    cr3 = sum(s / (1 - w) ** 2 for s, w in zip(squares, share, strict=True)) / n**2
    cross = sum(
        (w * v) ** 2 / ((1 - w) * (1 - v))
        for i, w in enumerate(share)
        for j, v in enumerate(share)
        if i != j
    )
    return cr2, cr3, 1 / (sum(w**2 for w in share) + cross)


@given(values_of, st.lists(st.integers(0, 5), min_size=40, max_size=40))
def test_whole_number_arithmetic(values, codes):
    cluster = codes[: len(values)]
    _, cr2, cr3, df = errors(values, cluster)
    if len(set(cluster)) < 2:
        assert np.isnan([cr2, cr3, df]).all()
        return
    expected = exact(values, cluster)
    assert_allclose([cr2**2, cr3**2, df], [float(x) for x in expected], rtol=1e-9, atol=1e-12)


@given(values_of)
def test_one_item_a_cluster_is_exactly_the_independent_error(values):
    cr1, cr2, _, df = errors(values, np.arange(len(values)))
    where = np.zeros(len(values), dtype=np.int64)
    assert cr2 == cr1 == segment_means(np.array(values, dtype=float), where, 1).se[0]
    assert df == len(values) - 1


@given(st.lists(st.integers(-20, 20), min_size=6, max_size=6), st.integers(1, 3))
def test_equal_clusters_have_cr1_and_one_df_less_than_clusters(values, size):
    cluster = np.arange(6) // size
    cr1, cr2, cr3, df = errors(values, cluster)
    assert cr2 == cr1
    assert df == cluster[-1]
    # The jackknife's factor is that of CR1 once more.
    assert_allclose(cr3, cr1 * np.sqrt((cluster[-1] + 1) / cluster[-1]), rtol=1e-12, atol=1e-14)


@given(values_of, st.lists(st.integers(0, 5), min_size=40, max_size=40))
def test_cr3_is_the_jackknife_over_clusters(values, codes):
    cluster = np.array(codes[: len(values)])
    values = np.array(values, dtype=float)
    labels = np.unique(cluster)
    _, cr2, cr3, df = errors(values, cluster)
    if len(labels) < 2:
        return
    without = np.array([values[cluster != label].mean() for label in labels])
    assert_allclose(cr3, np.sqrt(((without - values.mean()) ** 2).sum()), rtol=1e-9, atol=1e-12)
    assert cr2 <= cr3 * (1 + 1e-12)
    assert 1 - 1e-9 <= df <= len(labels) - 1 + 1e-9


@given(values_of, st.lists(st.integers(0, 5), min_size=40, max_size=40), st.randoms())
def test_order_and_cluster_numbers_do_not_change_a_bit(values, codes, random):
    values, cluster = np.array(values) / 7, np.array(codes[: len(values)])
    first = errors(values, cluster)
    order = random.sample(range(len(values)), len(values))
    renamed = np.array(random.sample(range(9), 6))[cluster]
    assert_array_equal(first, errors(values[order], renamed[order]))


def test_segments_do_not_depend_on_those_beside_them():
    rng = np.random.default_rng(0)
    values, segment = rng.normal(size=200), rng.integers(0, 4, 200)
    cluster = segment * 10 + rng.integers(0, 10, 200)
    means = segment_means(values, segment, 5, cluster)
    found = robust_errors(means.clusters, 5)
    for s in range(4):
        alone = errors(values[segment == s], cluster[segment == s])
        assert_array_equal(alone[1:], [found.cr2[s], found.cr3[s], found.df[s]])
    assert np.isnan([found.cr2[4], found.cr3[4], found.df[4]]).all()


def test_one_huge_cluster_leaves_few_degrees_of_freedom():
    cluster = np.repeat(np.arange(11), [1_000, *[1] * 10])
    values = np.random.default_rng(0).normal(size=len(cluster))
    assert errors(values, cluster)[3] < 1.5
