import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.stats.multiple import METHODS, adjust

REFERENCE = Path(__file__).parents[1] / "reference" / "multiple.json"
CASES = json.loads(REFERENCE.read_text())["cases"]
families = arrays(np.float64, st.integers(0, 30), elements=st.floats(0, 1))
methods = st.sampled_from(METHODS)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_statsmodels(case, method):
    assert_allclose(adjust(case["p"], method), case[method], rtol=1e-12)


@pytest.mark.parametrize(
    ("method", "expected"), [("bh", [0.03, 0.03, np.nan, 0.2]), ("holm", [0.03, 0.04, np.nan, 0.2])]
)
def test_a_test_that_was_not_made_keeps_its_place_and_does_not_count(method, expected):
    assert_allclose(adjust([0.01, 0.02, np.nan, 0.2], method), expected, rtol=1e-12)


@given(families, methods, st.randoms())
def test_order_does_not_matter(p, method, random):
    order = random.sample(range(len(p)), len(p))
    assert_array_equal(adjust(p[order], method), adjust(p, method)[order])


@given(families, methods)
def test_adjusted_values_lie_between_p_and_1(p, method):
    adjusted = adjust(p, method)
    assert (adjusted >= p).all()
    assert (adjusted <= 1).all()


@given(families, methods)
def test_adjusted_values_are_ordered_as_p_is(p, method):
    assert (np.diff(adjust(np.sort(p), method)) >= 0).all()


@given(families, methods)
def test_equal_values_are_adjusted_alike(p, method):
    twice = adjust(np.concatenate([p, p]), method)
    assert_array_equal(twice[: len(p)], twice[len(p) :])


@given(families)
def test_holm_is_never_above_bonferroni(p):
    assert (adjust(p, "holm") <= adjust(p, "bonferroni")).all()


@given(families)
def test_hommel_is_never_above_hochberg_nor_that_above_holm(p):
    assert (adjust(p, "hommel") <= adjust(p, "hochberg") * (1 + 1e-15)).all()
    assert (adjust(p, "hochberg") <= adjust(p, "holm") * (1 + 1e-15)).all()


@given(families)
def test_by_is_never_below_bh(p):
    assert (adjust(p, "by") >= adjust(p, "bh")).all()


@given(families)
def test_bh_is_never_above_holm(p):
    assert (adjust(p, "bh") <= adjust(p, "holm") * (1 + 1e-15)).all()


@given(families, methods, st.integers(0, 5))
def test_tests_that_were_not_made_change_nothing(p, method, missing):
    padded = adjust(np.concatenate([np.full(missing, np.nan), p]), method)
    assert np.isnan(padded[:missing]).all()
    assert_array_equal(padded[missing:], adjust(p, method))


@given(st.floats(0, 1), methods)
def test_one_test_is_not_adjusted(p, method):
    assert_array_equal(adjust([p], method), [p])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("p", [[], [np.nan, np.nan]])
def test_a_family_without_tests_stays_as_it_is(p, method):
    assert_array_equal(adjust(p, method), np.array(p))


@pytest.mark.parametrize("method", METHODS)
def test_the_input_is_not_changed(method):
    p = np.array([0.2, 0.01])
    p.flags.writeable = False
    adjust(p, method)
    assert_array_equal(p, [0.2, 0.01])


def test_an_unknown_method_lists_the_choices():
    with pytest.raises(ValueError, match=r"'holm', .*, 'bh', 'by', not 'fdr_bh'"):
        adjust([0.1], "fdr_bh")


def simes(p):
    """Return Simes' p-value of a family."""
    ranked = sorted(p)
    return min(len(p) * value / (rank + 1) for rank, value in enumerate(ranked))


def bonferroni(p):
    return len(p) * min(p)


def closed(p, combined):
    """Return the closed testing procedure: for each test the worst of all families it is in."""
    n = len(p)
    families = [rows for k in range(1, n + 1) for rows in combinations(range(n), k)]
    return [
        min(1, max(combined([p[j] for j in rows]) for rows in families if i in rows))
        for i in range(n)
    ]


def stepped_up(p, factor):
    """Return for each test the least product of itself and of all larger ones."""
    n = len(p)
    ranked = sorted(range(n), key=p.__getitem__)
    found = [0.0] * n
    for place, i in enumerate(ranked):
        found[i] = min(1, *(factor(n, k + 1) * p[ranked[k]] for k in range(place, n)))
    return found


TWINS = {
    "bonferroni": lambda p: [min(1, len(p) * x) for x in p],
    "holm": lambda p: closed(p, bonferroni),
    "hommel": lambda p: closed(p, simes),
    "hochberg": lambda p: stepped_up(p, lambda n, k: n - k + 1),
    "bh": lambda p: stepped_up(p, lambda n, k: n / k),
    "by": lambda p: stepped_up(p, lambda n, k: n / k * sum(1 / j for j in range(1, n + 1))),
}


@pytest.mark.parametrize("method", METHODS)
@given(
    st.lists(
        st.one_of(st.sampled_from([0.0, 1e-300, 0.01, 0.02, 0.5, 1.0]), st.floats(0, 1)),
        min_size=1,
        max_size=7,
    )
)
def test_closed_testing_and_the_definitions(method, p):
    assert_allclose(adjust(p, method), TWINS[method](p), rtol=1e-12, atol=1e-300)
