"""McNemar's test where scores are partial, counts are none or huge, and tests are many."""

import time

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from evalframe import DesignError, compare, mcnemar
from evalframe.stats.mcnemar import p_value

METHODS = ["exact", "mid-p", "chi2", "chi2-corrected"]
ADJUSTMENTS = ["holm", "bh", "bonferroni"]
CELLS = ["both_right", "baseline_only", "arm_only", "both_wrong"]


def counts(both, base_only, arm_only, neither, **columns):
    """Return two arms with this fourfold table."""
    base = [1] * (both + base_only) + [0] * (arm_only + neither)
    edit = [1] * both + [0] * base_only + [1] * arm_only + [0] * neither
    items = range(len(base))
    return pd.DataFrame(
        {
            "item_id": [*items, *items],
            "arm": ["base"] * len(base) + ["edit"] * len(edit),
            "score": base + edit,
        }
    ).assign(**columns)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("both", [0, 6])
def test_no_discordant_pair_is_p_1(method, both):
    result = mcnemar(counts(both, 0, 0, 3), "base", method=method)
    assert result[["statistic", "p_value"]].values.tolist() == [[0, 1]]
    assert np.isnan(result["odds_ratio"][0])
    assert "no discordant pair" in result["note"][0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["bool", "boolean", "Int64", "double[pyarrow]", "category"])
def test_an_arm_against_its_copy_is_p_1(method, kind):
    frame = counts(4, 0, 0, 2).astype({"score": kind})
    assert mcnemar(frame, "base", method=method)["p_value"].tolist() == [1]
    assert compare(frame, "base")["mcnemar_p"].tolist() == [1]


@pytest.mark.parametrize("partial", [0.5, 2, -1, 1e-9, 1 - 1e-9])
@pytest.mark.parametrize("kind", ["float64", "Float64", "double[pyarrow]", "object"])
def test_a_score_between_or_beyond_0_and_1_has_no_mcnemar(partial, kind):
    frame = counts(3, 2, 1, 1).astype({"score": "float64"})
    frame.loc[3, "score"] = partial
    frame = frame.astype({"score": kind})
    with pytest.raises(DesignError, match=r"item means of 0 or 1.*df\.evals\.compare\('base'\)"):
        mcnemar(frame, "base")
    result = compare(frame, "base")
    assert np.isnan(result["mcnemar_p"][0])
    assert result[["baseline_only", "arm_only"]].isna().all(axis=None)
    assert "not all 0 or 1" in result["note"][0]


@pytest.mark.parametrize("arm", ["base", "edit"])
def test_seeds_that_disagree_make_an_item_partial(arm):
    frame = pd.concat([counts(3, 2, 1, 1, seed=seed) for seed in (0, 1)], ignore_index=True)
    assert mcnemar(frame, "base")[CELLS].values.tolist() == [[3, 2, 1, 1]]
    flipped = frame.index[(frame["arm"] == arm) & (frame["seed"] == 1)][0]
    frame.loc[flipped, "score"] = 1 - frame.loc[flipped, "score"]
    with pytest.raises(DesignError, match=r"item means of 0 or 1"):
        mcnemar(frame, "base")
    assert np.isnan(compare(frame, "base")["mcnemar_p"][0])


def test_seed_means_of_1_are_right_although_they_are_added_up():
    frame = pd.concat([counts(1, 2, 4, 1, seed=seed) for seed in range(10)])
    assert mcnemar(frame, "base")[CELLS].values.tolist() == [[1, 2, 4, 1]]


@pytest.mark.parametrize("adjust", [None, *ADJUSTMENTS])
def test_a_group_with_partial_scores_is_nan_there_and_leaves_the_others_alone(adjust):
    groups = [
        counts(3, 0, 6, 1, task="a"),
        counts(3, 2, 1, 1, task="b"),
        counts(0, 9, 1, 0, task="c"),
    ]
    frame = pd.concat(groups).astype({"score": "float64"})
    frame.loc[(frame["task"] == "b") & (frame["item_id"] == 0), "score"] = 0.5
    result = mcnemar(frame, "base", by="task", adjust=adjust)
    alone = [mcnemar(group, "base")["p_value"][0] for group in (groups[0], groups[2])]
    assert_allclose(result["p_value"], [alone[0], np.nan, alone[1]], rtol=1e-14)
    assert "not 0 or 1" in result["note"][1]
    if adjust == "bonferroni":
        # The family is the two tests that exist.
        assert_allclose(result["p_adjusted"], [2 * alone[0], np.nan, 2 * alone[1]], rtol=1e-14)
    assert result["p_adjusted"].isna().tolist() == [adjust is None, True, adjust is None]


@pytest.mark.parametrize("adjust", ADJUSTMENTS)
def test_the_adjustment_of_one_test_is_its_own_p(adjust):
    frame = counts(3, 1, 6, 1)
    result = mcnemar(frame, "base", adjust=adjust)
    assert result["p_adjusted"].tolist() == result["p_value"].tolist()
    assert "1 test" in result["note"][0]
    adjusted = compare(frame, "base", adjust=adjust)["mcnemar_p"]
    assert adjusted.tolist() == compare(frame, "base")["mcnemar_p"].tolist()


def test_the_family_is_every_row_that_has_a_p():
    frame = pd.concat([counts(3, 0, 6, 1), counts(3, 0, 6, 1).iloc[10:].assign(arm="third")])
    result = mcnemar(pd.concat([frame.assign(task=t) for t in "ab"]), "base", by="task",
                     adjust="bonferroni")  # fmt: skip
    assert len(result) == 4
    assert_allclose(result["p_adjusted"], 4 * result["p_value"], rtol=1e-15)
    assert result["note"].str.contains("bonferroni over 4 tests").all()


def test_tests_that_are_not_adjusted_say_so():
    frame = pd.concat([counts(3, 0, 6, 1, task=task) for task in "ab"])
    result = mcnemar(frame, "base", by="task")
    assert result["p_adjusted"].isna().all()
    assert result["note"].str.contains("not adjusted for 2 tests").all()
    assert "adjust" not in mcnemar(counts(3, 0, 6, 1), "base")["note"][0]


@pytest.mark.parametrize("method", METHODS)
def test_a_hundred_thousand_discordant_pairs_take_no_time(method):
    p_value(1, 2, method)
    start = time.perf_counter()
    _, p = p_value(49_000, 51_000, method)
    assert time.perf_counter() - start < 0.01
    assert 1e-10 < p < 1e-9


def test_a_hundred_thousand_discordant_pairs_go_through_a_frame():
    frame = counts(0, 49_000, 51_000, 0)
    result = mcnemar(frame, "base")
    assert result[CELLS].values.tolist() == [[0, 49_000, 51_000, 0]]
    assert 1e-10 < result["p_value"][0] < 1e-9


def test_an_extreme_p_is_tiny_and_not_0():
    assert 0 < mcnemar(counts(0, 0, 1000, 0), "base")["p_value"][0] < 1e-300


def test_hit_cap_can_be_tested_as_scores_are():
    frame = counts(1, 2, 4, 1)
    caps = frame.assign(hit_cap=frame["score"] == 1, score=0.5)
    result = mcnemar(caps, "base", value="hit_cap")
    assert result["metric"].tolist() == ["hit_cap"]
    assert result["p_value"].tolist() == mcnemar(frame, "base")["p_value"].tolist()
