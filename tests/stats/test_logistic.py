import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

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
