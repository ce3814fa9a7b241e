"""Families of comparisons: laws, edges and simultaneous limits."""

import numpy as np
import pytest
from arms_of_items import runs
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy import stats

from evalframe import contrasts, pairs

few = settings(max_examples=20, deadline=None)
draws = st.integers(0, 2**31)


def test_one_comparison_is_not_adjusted_u067():
    row = contrasts(runs(np.random.default_rng(0), arms=("base", "x")), "base").iloc[0]
    assert row["p_adjusted"] == row["p_value"]
    assert row["n_tests"] == 1
    assert_allclose(row["sim_quantile"], stats.t.ppf(0.975, 29), rtol=0.02)


def test_a_comparison_without_a_test_keeps_its_place_u057():
    frame = runs(np.random.default_rng(0))
    flat = frame["arm"] == "x"
    frame.loc[flat, "score"] = frame.loc[frame["arm"] == "base", "score"].to_numpy() + 0.5
    found = contrasts(frame, "base").set_index("arm")
    assert np.isnan(found.loc["x", ["p_value", "p_adjusted", "sim_quantile"]].astype(float)).all()
    assert found.loc["y", "p_adjusted"] == found.loc["y", "p_value"]
    assert found["n_tests"].tolist() == [1, 1]
    assert "no test" in found.loc["x", "note"]


@pytest.mark.parametrize("simultaneous", ["max-t", "bonferroni"])
@pytest.mark.parametrize("paired", [True, False])
def test_what_does_not_vary_has_no_simultaneous_limits_as_in_pairs(simultaneous, paired):
    frame = runs(np.random.default_rng(0))
    frame.loc[frame["arm"] != "y", "score"] = 0.5
    options = {"simultaneous": simultaneous, "paired": paired}
    found = contrasts(frame, "base", **options).set_index("arm")
    unknown = ["sim_low", "sim_high", "sim_quantile"]
    assert found.loc["x", unknown].isna().all()
    assert found.loc["y", unknown].notna().all()
    both = pairs(frame).set_index(["arm", "baseline"]).loc[("x", "base")]
    assert both[unknown].isna().all()
    assert both["note"] == found.loc["x", "note"]
    assert_frame_equal(
        found.loc[["x"], ["diff", "conf_low", "conf_high"]].reset_index(drop=True),
        both[["diff", "conf_low", "conf_high"]].to_frame().T.reset_index(drop=True),
        check_dtype=False,
    )


@few
@given(draws, st.sampled_from([None, 8]), st.booleans())
def test_simultaneous_limits_lie_between_single_and_bonferroni_limits(seed, clusters, paired):
    frame = runs(np.random.default_rng(seed), clusters=clusters)
    both = frame.assign(twice=frame["score"] * 2 + 1)
    options = {"value": ["score", "twice"], "paired": paired}
    joint = contrasts(both, "base", **options)
    each = contrasts(both, "base", simultaneous="bonferroni", **options)
    width = joint["sim_high"] - joint["sim_low"]
    assert (width > 0.98 * (joint["conf_high"] - joint["conf_low"])).all()
    if paired or clusters:
        assert (width < 1.02 * (each["sim_high"] - each["sim_low"])).all()
    # A column that says the same adds nothing to the family.
    alone = contrasts(frame, "base", paired=paired)
    assert_allclose(joint["sim_quantile"].iloc[0], alone["sim_quantile"].iloc[0], rtol=0.03)


@pytest.mark.parametrize("paired", [True, False])
def test_values_counted_as_0_are_noted_in_families(paired):
    frame = runs(np.random.default_rng(0))
    frame.loc[[0, 30, 31], "score"] = np.nan
    found = contrasts(frame, "base", missing="zero", paired=paired).set_index("arm")
    assert "3 missing counted as 0" in found.loc["x", "note"]
    assert "1 missing counted as 0" in found.loc["y", "note"]
    assert "counted" not in "".join(contrasts(frame, "base", missing="drop")["note"])


def test_draws_do_not_depend_on_the_names_of_arms():
    frame = runs(np.random.default_rng(0), clusters=6)
    found = contrasts(frame, "base")
    other = contrasts(frame.replace({"arm": {"x": "z"}}).sample(frac=1, random_state=1), "base")
    expected = found.replace({"arm": {"x": "z"}}).sort_values("arm", ignore_index=True)
    assert_frame_equal(other, expected, check_exact=True)
