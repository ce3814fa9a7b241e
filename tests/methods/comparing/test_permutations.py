"""`permutation`: exact where it can be, and McNemar's test where scores are right or wrong."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from evalframe import DesignError, compare, mcnemar, permutation
from evalframe.tables import TABLES


def runs(n=60, **columns):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "item_id": np.tile(np.arange(n), 2),
            "arm": np.repeat(["base", "edit"], n),
            "score": rng.integers(0, 2, 2 * n),
            "cost_usd": rng.gamma(2, 1, 2 * n),
        }
    )
    return frame.assign(**columns)


def test_right_and_wrong_are_mcnemars_exact_test():
    found = permutation(runs(), "base").iloc[0]
    assert_allclose(found["p_value"], mcnemar(runs(), "base")["p_value"][0], rtol=1e-9)
    assert found["method"] == "exact"
    assert pd.isna(found["n_perm"])


def test_columns_and_differences_are_those_of_compare():
    value = ["score", "cost_usd"]
    found = permutation(runs(), "base", value=value)
    assert list(found.columns) == list(TABLES["permutation"])
    assert_allclose(found["diff"], compare(runs(), "base", value=value)["diff"], rtol=1e-12)
    assert found["method"].tolist() == ["exact", "monte carlo"]
    assert found["n_perm"].tolist()[1] == 10_000


def test_signs_are_flipped_cluster_by_cluster():
    frame = runs(cluster_id=np.tile(np.arange(60) // 30, 2))
    found = permutation(frame, "base").iloc[0]
    assert (found["unit"], found["n_units"]) == ("cluster", 2)
    # Two clusters have four sign patterns, each as extreme as its mirror image.
    assert found["p_value"] in (0.5, 1.0)
    assert permutation(frame, "base", unit="item")["n_units"].tolist() == [60]
    with pytest.raises(DesignError, match="cluster_id"):
        permutation(runs(), "base", unit="cluster")


def test_one_sided_tests_share_the_two_sided_one():
    p = {
        side: permutation(runs(), "base", alternative=side)["p_value"][0]
        for side in ("two-sided", "greater", "less")
    }
    assert p["greater"] + p["less"] > 1
    assert_allclose(min(1, 2 * min(p["greater"], p["less"])), p["two-sided"], rtol=1e-9)
    with pytest.raises(ValueError, match="alternative must be one of 'two-sided', 'greater'"):
        permutation(runs(), "base", alternative="both")


def test_dropped_keys_are_counted():
    frame = runs().drop([0, 61])
    with pytest.raises(DesignError, match='missing="drop"'):
        permutation(frame, "base")
    found = permutation(frame, "base", missing="drop").iloc[0]
    assert (found["n_units"], found["n_dropped"]) == (58, 2)
