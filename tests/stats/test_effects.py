"""A table of effects adjusted and pooled, against an R package."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from evalframe.stats.multiple import adjust
from evalframe.stats.pooling import heterogeneity, pool

FILE = Path(__file__).parents[1] / "reference" / "effects.json"
CASES = json.loads(FILE.read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_p_values_are_adjusted_as_the_package_does(case):
    ratio = np.abs(case["estimate"]) / np.array(case["se"])
    df = np.inf if case["df"] is None else np.array(case["df"])
    p = 2 * stats.t.sf(ratio, df)
    assert_allclose(p, case["p_value"], rtol=1e-10)
    assert_allclose(adjust(p, case["method"]), case["p_adjusted"], rtol=1e-10)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_effects_are_pooled_by_inverse_variance_as_the_package_does(case):
    estimate, se = (np.array(case[name])[:, None] for name in ("estimate", "se"))
    one, many = np.ones(estimate.shape, dtype=np.int64), np.full(estimate.shape, np.inf)
    pooled = pool(estimate, se, one, many, "inverse-variance")
    assert_allclose(pooled.estimate, case["pooled"], rtol=1e-10)
    assert_allclose(pooled.se, case["pooled_se"], rtol=1e-10)
    found = heterogeneity(estimate, se, one)
    if case["q_df"] == 0:
        # One effect cannot differ from itself; how much effects differ is not known.
        assert np.isnan(found.p_value).all()
        return
    assert_allclose(found.q, case["q_statistic"], rtol=1e-10)
    assert_allclose(found.df, case["q_df"])
    assert_allclose(found.p_value, case["q_p_value"], rtol=1e-10)
    assert_allclose(found.i_squared, case["i_squared"], rtol=1e-10)
