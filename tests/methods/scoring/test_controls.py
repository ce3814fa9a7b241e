"""Means adjusted by a reference of known mean: laws and edges."""

import numpy as np
import pandas as pd
import pytest
from arms_of_items import runs
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from evalframe import DesignError, adjusted, compare, score

few = settings(max_examples=20, deadline=None)
draws = st.integers(0, 2**31)


@few
@given(draws, st.floats(-3, 3), st.sampled_from([None, 8]))
def test_a_known_mean_that_is_the_samples_own_changes_no_estimate(seed, theta, clusters):
    frame = runs(np.random.default_rng(seed), clusters=clusters)
    own = score(frame).set_index("arm").loc["base", "estimate"]
    for slope in (None, theta):
        found = adjusted(frame, "base", own, theta=slope)
        assert_allclose(found["estimate"], found["estimate_raw"], atol=1e-9)
        assert_allclose(found["reference_estimate"], own)
    plain = adjusted(frame, "base", own, theta=0.0)
    assert_allclose(plain["se"], plain["se_raw"], rtol=1e-12)
    assert_allclose(plain["se_raw"], score(frame).set_index("arm").loc[["x", "y"], "se"])


@few
@given(draws)
def test_a_slope_of_one_is_the_paired_difference(seed):
    frame = runs(np.random.default_rng(seed))
    found, paired = adjusted(frame, "base", 0.0, theta=1.0), compare(frame, "base")
    assert_allclose(found["estimate"], paired["diff"], atol=1e-12)
    assert_allclose(found["se"], paired["se"], rtol=1e-10)


def test_items_that_the_reference_lacks_are_refused_or_counted():
    frame = runs(np.random.default_rng(0)).iloc[1:]
    with pytest.raises(DesignError, match=r"1 item\(s\).*item_id=0, which arm 'base' lacks"):
        adjusted(frame, "base", 0.0)
    assert adjusted(frame, "base", 0.0, missing="drop")["n_dropped"].tolist() == [1, 1]


def test_lost_runs_of_items_that_stay_are_noted():
    one = runs(np.random.default_rng(0))
    frame = pd.concat([one.assign(seed=0), one.assign(seed=1)], ignore_index=True)
    frame.loc[[0, 30, 31], "score"] = np.nan
    found = adjusted(frame, "base", 0.0, missing="drop").set_index("arm")
    assert found["n_dropped"].tolist() == [0, 0]
    assert "3 missing left out" in found.loc["x", "note"]
    assert "1 missing left out" in found.loc["y", "note"]
    frame.loc[frame["item_id"] == 0, "score"] = np.nan
    found = adjusted(frame, "base", 0.0, missing="drop").set_index("arm")
    assert "1 items dropped" not in found.loc["x", "note"]
    assert "1 item dropped; 1 missing left out" in found.loc["x", "note"]


def test_a_known_mean_that_no_items_could_have_is_doubted():
    frame = runs(np.random.default_rng(0))
    said = "reference_mean 50 is outside of the reference's own scores"
    assert adjusted(frame, "base", 50)["note"].str.contains(said).all()
    assert not adjusted(frame, "base", 0.1)["note"].str.contains("outside").any()
