import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from evalframe.stats.logistic import logit_fit

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "logistic.json").read_text())


@pytest.mark.parametrize("case", REFERENCE["cases"], ids=lambda case: str(len(case["won"])))
def test_statsmodels(case):
    design, won, cluster = (np.array(case[name]) for name in ("design", "won", "cluster"))
    fit = logit_fit(design, won, cluster)
    assert_allclose(fit.coefficient, case["coefficient"], rtol=1e-9, atol=1e-12)
    g = fit.n_clusters
    assert g == len(np.unique(cluster))
    assert_allclose(fit.se, np.array(case["se"]) * np.sqrt(g / (g - 1)), rtol=1e-8)
    if g == len(won):
        assert_allclose(logit_fit(design, won).se, fit.se, rtol=1e-12)


def test_the_order_of_rows_changes_no_digit():
    case = REFERENCE["cases"][2]
    design, won, cluster = (np.array(case[name]) for name in ("design", "won", "cluster"))
    order = np.random.default_rng(0).permutation(len(won))
    one, other = (
        logit_fit(design, won, cluster),
        logit_fit(design[order], won[order], -cluster[order]),
    )
    assert (one.coefficient == other.coefficient).all()
    assert (one.se == other.se).all()


@pytest.mark.parametrize(
    ("column", "won"),
    [
        ([0.0, 1.0, 2.0, 3.0], [0, 0, 1, 1]),
        ([0.0, 1.0, 1.0, 2.0], [0, 0, 1, 1]),
        ([1.0, 1.0, 1.0, 1.0], [0, 1, 0, 1]),
        ([0.0, 1.0, 2.0, 3.0], [1, 1, 1, 1]),
        ([], []),
    ],
    ids=["separated", "nearly separated", "one value", "one class", "no row"],
)
def test_without_a_finite_or_unique_fit_there_is_none(column, won):
    design = np.column_stack([np.ones(len(won)), column])
    fit = logit_fit(design, np.array(won, dtype=float))
    assert np.isnan(fit.coefficient).all()
    assert np.isnan(fit.se).all()


@given(st.integers(0, 2**31), st.integers(3, 12), st.integers(1, 2), st.booleans())
def test_the_likelihood_is_flat_at_the_fit_and_there_is_one_where_nothing_separates(
    seed, n, n_columns, clustered
):
    draw = np.random.default_rng(seed)
    design = np.column_stack([np.ones(n), draw.integers(-2, 3, (n, n_columns)) / 2.0])
    won = draw.integers(0, 2, n).astype(float)
    cluster = draw.integers(0, 4, n) if clustered else None
    fit = logit_fit(design, won, cluster)
    # A direction that no row speaks against and some row speaks for: the fit has no end.
    signed = design * (2 * won - 1)[:, None]
    rising = linprog(-signed.sum(axis=0), -signed, np.zeros(n), bounds=[(-1, 1)] * design.shape[1])
    if np.linalg.matrix_rank(design) < design.shape[1] or -rising.fun > 1e-7:
        assert np.isnan(fit.coefficient).all()
        return
    chance = 1 / (1 + np.exp(-design @ fit.coefficient))
    assert_allclose(design.T @ (won - chance), 0, atol=1e-9)
    information = sum(p * (1 - p) * np.outer(x, x) for p, x in zip(chance, design, strict=True))
    labels = np.arange(n) if cluster is None else cluster
    middle = np.zeros(information.shape)
    for one in set(labels):
        pull = sum(
            (y - p) * x for y, p, x, c in zip(won, chance, design, labels, strict=True) if c == one
        )
        middle += np.outer(pull, pull)
    g = len(set(labels))
    assert fit.n_clusters == g
    if g < 2:
        assert np.isnan(fit.se).all()
        return
    inverse = np.linalg.inv(information)
    expected = np.diag(inverse @ middle @ inverse) * g / (g - 1)
    assert_allclose(fit.se**2, expected, rtol=1e-6, atol=1e-9)
