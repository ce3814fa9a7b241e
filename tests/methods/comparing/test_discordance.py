import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from scipy.stats import binomtest, chi2

from evalframe import compare, mcnemar
from evalframe.errors import DesignError, FrameError, RoleError
from evalframe.results import DTYPE, TABLES

FOLDER = Path(__file__).parents[2] / "reference"
SCORES = json.loads((FOLDER / "scores.json").read_text())
SOFTWARE = json.loads((FOLDER / "mcnemar.json").read_text())["cases"]
COUNTS = ["both_right", "baseline_only", "arm_only", "both_wrong"]
METHODS = ["exact", "mid-p", "chi2", "chi2-corrected"]


def pair(base, arm, **columns):
    """Return runs of two arms on the same items; a column is repeated for both."""
    n = len(base)
    both = {name: [*values, *values] for name, values in columns.items()}
    keys = {"item_id": [*range(n)] * 2, "arm": ["base"] * n + ["edit"] * n}
    return pd.DataFrame({**keys, "score": [*base, *arm], **both})


def fourfold(right, b, c, wrong, **columns):
    """Return runs with these counts of items: both right, base only, edit only, both wrong."""
    base = [1] * right + [1] * b + [0] * c + [0] * wrong
    arm = [1] * right + [0] * b + [1] * c + [0] * wrong
    return pair(base, arm, **{name: [value] * len(base) for name, value in columns.items()})


def arms_of(data):
    """Return the data of a reference case as runs of two arms, and the baseline's label."""
    raw = pd.DataFrame(SCORES["data"][data])
    if "model" in raw:
        named = raw.rename(columns={"q": "item_id", "model": "arm", "correct": "score"})
        return named, "new"
    return raw.rename_axis("item_id").reset_index().melt(
        "item_id", var_name="arm", value_name="score"
    ), "judge"


@pytest.mark.parametrize("case", SCORES["mcnemar"], ids=lambda case: case["data"])
def test_the_r_reference(case):
    frame, baseline = arms_of(case["data"])
    found = {method: mcnemar(frame, baseline, method=method).iloc[0] for method in METHODS}
    counts = [case[name] for name in case if name in ("n10", "n01", "judge_high", "judge_low")]
    assert found["exact"][["baseline_only", "arm_only"]].tolist() == counts
    pairs = {"p_exact": "exact", "p_midp": "mid-p", "p_nocc": "chi2", "p_cc": "chi2-corrected"}
    pairs |= {"p_cc_R": "chi2-corrected"}
    for theirs, method in pairs.items():
        if theirs in case:
            assert_allclose(found[method]["p_value"], case[theirs], rtol=1e-10)
    for theirs, method in {"chisq_nocc": "chi2", "chisq_cc": "chi2-corrected"}.items():
        if theirs in case:
            assert_allclose(found[method]["statistic"], case[theirs], rtol=1e-10)


@pytest.mark.parametrize(
    ("method", "p", "statistic"),
    [
        ("exact", "binomtest", None),
        ("mid-p", "mid_p", None),
        ("chi2", "chi2_p", "chi2"),
        ("chi2-corrected", "corrected_p", "corrected"),
    ],
)
def test_statsmodels_and_scipy_in_one_frame_of_many_groups(method, p, statistic):
    # statsmodels corrects equal counts beyond 0, so those have no reference there.
    cases = [case for case in SOFTWARE if case["baseline_only"] + case["arm_only"] <= 100]
    cases = [case for case in cases if p in case]
    frame = pd.concat(
        fourfold(2, case["baseline_only"], case["arm_only"], 3, case=i)
        for i, case in enumerate(cases)
    )
    result = mcnemar(frame, "base", by="case", method=method)
    assert_array_equal(result["case"], range(len(cases)))
    assert_array_equal(result["baseline_only"], [case["baseline_only"] for case in cases])
    assert_allclose(result["p_value"], [case[p] for case in cases], rtol=1e-10)
    if statistic:
        assert_allclose(result["statistic"], [case[statistic] for case in cases], rtol=1e-12)


def test_the_counts_are_those_of_the_items():
    found = mcnemar(fourfold(7, 5, 2, 4), "base").iloc[0]
    assert found[COUNTS].tolist() == [7, 5, 2, 4]
    assert found["n_items"] == 18
    assert found["odds_ratio"] == 2 / 5
    assert found["statistic"] == 2
    assert_allclose(found["p_value"], binomtest(2, 7).pvalue, rtol=1e-12)
    assert (found["baseline"], found["arm"], found["method"]) == ("base", "edit", "exact")


def test_exchanging_the_arms_exchanges_the_counts():
    frame = fourfold(7, 5, 2, 4)
    one, other = mcnemar(frame, "base").iloc[0], mcnemar(frame, "edit").iloc[0]
    assert other[COUNTS].tolist() == [7, 2, 5, 4]
    assert one["p_value"] == other["p_value"]
    assert other["odds_ratio"] == 5 / 2


def test_the_exact_p_is_that_of_compare():
    frame = pd.concat([fourfold(7, 5, 2, 4, task="a"), fourfold(1, 0, 6, 1, task="b")])
    ours, theirs = mcnemar(frame, "base", by="task"), compare(frame, "base", by="task")
    assert_array_equal(ours["p_value"], theirs["mcnemar_p"])
    assert_array_equal(ours["baseline_only"], theirs["baseline_only"].astype(int))


def test_booleans_and_agreeing_seeds_are_right_or_wrong():
    once = fourfold(3, 4, 1, 2).astype({"score": bool})
    frame = pd.concat([once.assign(seed=0), once.assign(seed=1)])
    assert mcnemar(frame, "base").iloc[0][COUNTS].tolist() == [3, 4, 1, 2]


def test_seeds_that_disagree_are_not_defined_in_that_row_and_counted_in_its_note():
    whole = fourfold(3, 4, 1, 2, task="whole")
    partial = fourfold(3, 4, 1, 2, task="partial").astype({"score": float})
    partial.loc[[0, 1, 5], "score"] = 0.5
    result = mcnemar(pd.concat([whole, partial]), "base", by="task").set_index("task")
    assert result.loc["whole", "p_value"] == binomtest(1, 5).pvalue
    row = result.loc["partial"]
    assert row[["odds_ratio", "statistic", "p_value"]].isna().all()
    assert row["note"].startswith("3 item means are not 0 or 1: not defined")
    assert row["n_items"] == 10
    assert row[COUNTS].sum() == 7


@pytest.mark.parametrize("by", [None, "task"])
def test_scores_between_0_and_1_everywhere_are_refused_with_the_alternatives(by):
    frame = fourfold(3, 4, 1, 2, task="a").assign(score=lambda f: f["score"] / 2)
    with pytest.raises(DesignError, match="needs item means of 0 or 1, found others") as caught:
        mcnemar(frame, "base", by=by)
    assert "df.evals.compare('base')" in str(caught.value)


def test_no_discordant_pair_gives_p_1_and_no_odds():
    found = mcnemar(fourfold(3, 0, 0, 2), "base").iloc[0]
    assert found["p_value"] == 1
    assert np.isnan(found["odds_ratio"])
    assert "no discordant pair" in found["note"]


def test_all_discordant_pairs_one_way_give_infinite_odds():
    assert mcnemar(fourfold(3, 0, 4, 2), "base")["odds_ratio"].item() == np.inf
    assert mcnemar(fourfold(3, 4, 0, 2), "base")["odds_ratio"].item() == 0


@pytest.mark.parametrize("method", METHODS)
def test_one_hundred_thousand_discordant_pairs_have_a_p(method):
    frame = fourfold(0, 50_500, 49_500, 0)
    found = mcnemar(frame, "base", method=method).iloc[0]
    # Chi squared is 1,000**2 / 100,000 = 10; so far in the four tests agree to 2%.
    assert_allclose(found["p_value"], chi2.sf(10, 1), rtol=0.02)


def test_adjusting_leaves_out_the_tests_that_could_not_be_made():
    groups = {"a": (1, 5), "b": (0, 8), "c": (2, 2)}
    frames = [fourfold(3, b, c, 2, task=task) for task, (b, c) in groups.items()]
    frames.append(fourfold(3, 4, 1, 2, task="partial").assign(score=0.5))
    frame = pd.concat(frames)
    p = np.array([binomtest(b, b + c).pvalue for b, c in groups.values()])
    expected = {
        "bonferroni": np.minimum(3 * p, 1),
        "holm": [2 * p[0], 3 * p[1], 1],
        "bh": [1.5 * p[0], 3 * p[1], 1],
    }
    for method, adjusted in expected.items():
        result = mcnemar(frame, "base", by="task", adjust=method)
        assert_allclose(result["p_value"], [*p, np.nan], rtol=1e-12)
        assert_allclose(result["p_adjusted"], [*adjusted, np.nan], rtol=1e-12)
        assert result["note"].str.contains(f"{method} over 3 tests").all()


def test_without_adjusting_there_is_no_adjusted_p_and_the_note_counts_the_tests():
    frame = pd.concat([fourfold(3, 4, 1, 2, task=task) for task in "ab"])
    result = mcnemar(frame, "base", by="task")
    assert result["p_adjusted"].isna().all()
    assert result["note"].str.contains("not adjusted for 2 tests").all()
    assert mcnemar(frame[frame["task"] == "a"], "base")["note"].item() == ""


def test_clusters_are_ignored_and_the_note_says_so():
    frame = fourfold(3, 4, 1, 2, cluster_id="p")
    found = mcnemar(frame, "base").iloc[0]
    assert found["p_value"] == mcnemar(frame.drop(columns="cluster_id"), "base")["p_value"].item()
    assert "clustering is ignored" in found["note"]


def test_value_takes_another_column_of_right_and_wrong():
    frame = fourfold(3, 4, 1, 2).rename(columns={"score": "hit_cap"}).assign(score=0.5)
    assert mcnemar(frame, "base", value="hit_cap")["metric"].item() == "hit_cap"


def test_dropping_leaves_out_missing_and_unpaired_items_and_counts_them():
    frame = fourfold(3, 4, 1, 2).astype({"score": float})
    frame.loc[0, "score"] = np.nan
    found = mcnemar(frame.drop(index=13), "base", missing="drop").iloc[0]
    assert found[COUNTS].tolist() == [2, 3, 1, 2]
    assert (found["n_items"], found["n_dropped"]) == (8, 2)


def test_zero_counts_a_missing_score_as_wrong():
    frame = fourfold(3, 4, 1, 2).astype({"score": float})
    frame.loc[0, "score"] = np.nan
    found = mcnemar(frame, "base", missing="zero").iloc[0]
    assert found[COUNTS].tolist() == [2, 4, 2, 2]
    assert "1 missing counted as 0" in found["note"]


def test_a_missing_score_or_an_unpaired_item_is_refused_by_default():
    frame = fourfold(3, 4, 1, 2).astype({"score": float})
    with pytest.raises(DesignError, match=r"arm 'edit' lacks 1 key\(s\): item_id=9"):
        mcnemar(frame[:-1], "base")
    frame.loc[0, "score"] = np.nan
    with pytest.raises(FrameError, match="item_id=0, arm='base'"):
        mcnemar(frame, "base")


def test_an_arm_that_shares_no_item_in_a_group_has_a_note():
    frame = pd.concat([fourfold(3, 4, 1, 2, task="a"), fourfold(1, 1, 1, 1, task="b")])
    frame = frame.assign(seed=(frame["task"].eq("b") & frame["arm"].eq("edit")).astype(int))
    row = mcnemar(frame, "base", by="task", missing="drop").set_index("task").loc["b"]
    assert np.isnan(row["p_value"])
    assert (row["n_items"], row["n_dropped"]) == (0, 8)
    assert "no shared item" in row["note"]


def test_columns_and_dtypes_are_those_of_the_table_also_without_rows():
    frame = fourfold(3, 4, 1, 2, task="a", cluster_id=1)
    for f in (frame, frame.head(0)):
        result = mcnemar(f, "base", by="task", adjust="holm")
        assert len(result) == (not f.empty)
        assert list(result.columns) == ["task", *TABLES["mcnemar"]]
        for column, kind in TABLES["mcnemar"].items():
            if kind not in ("label", "str"):
                assert result[column].dtype == DTYPE[kind], column


def test_the_input_is_not_changed():
    frame = fourfold(3, 4, 1, 2).set_axis([3] * 20)
    before = frame.copy(deep=True)
    mcnemar(frame, "base", adjust="bh")
    assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({"method": "midp"}, "method must be one of 'exact', 'mid-p', 'chi2', 'chi2-corrected'"),
        ({"adjust": "fdr"}, "adjust must be one of 'holm', 'hochberg', 'hommel', .*, not 'fdr'"),
        ({"missing": "skip"}, r"missing must be one of .*'drop'.*, not 'skip'"),
    ],
)
def test_an_unknown_choice_lists_the_choices(argument, message):
    with pytest.raises(ValueError, match=message):
        mcnemar(fourfold(1, 1, 1, 1), "base", **argument)


def test_columns_and_arms_that_are_not_there_are_named():
    frame = fourfold(1, 1, 1, 1)
    with pytest.raises(RoleError, match="no column 'score'"):
        mcnemar(frame.drop(columns="score"), "base")
    with pytest.raises(DesignError, match=r"found 'bse'; .*: 'base', 'edit'"):
        mcnemar(frame, "bse")
    with pytest.raises(RoleError, match="by cannot name 'method'"):
        mcnemar(frame.assign(method=1), "base", by="method")


@pytest.mark.parametrize("seeds", [None, [7, 8]])
def test_the_advice_for_partial_means_can_be_followed(seeds):
    frame = pd.DataFrame({"item_id": [1, 2] * 2, "arm": list("AABB"), "score": [1, 0, 1, 1]})
    if seeds is None:
        frame["score"] = frame["score"] / 2 + 0.25
    else:
        other = frame.assign(seed=8, score=1 - frame["score"])
        frame = pd.concat([frame.assign(seed=7), other], ignore_index=True)
    with pytest.raises(DesignError, match="McNemar's test needs item means of 0 or 1") as refused:
        mcnemar(frame, "A")
    assert ("df[df['seed'] == 7]" in str(refused.value)) == (seeds is not None)
    assert ("seed" in str(refused.value)) == (seeds is not None)
