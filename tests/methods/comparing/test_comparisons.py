import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal

from evalframe import compare, exceeds_floor, tidy
from evalframe.errors import DesignError, FrameError, RoleError
from evalframe.results import DTYPE, FLOOR, TABLES

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "scores.json").read_text())
PAIRED = [case for case in REFERENCE["cases"] if case["case"].startswith("ev_paired")]
CASES = {case["case"]: case for case in PAIRED if "expected" in case}
ERRORS = {case["case"]: case for case in PAIRED if "error" in case}
# Their names and ours; the estimate is model_a minus model_b, and model_b our baseline.
FIELDS = {
    "estimate": "diff",
    "mean_a": "arm_mean",
    "mean_b": "baseline_mean",
    **{name: name for name in ("se", "conf_low", "conf_high", "df", "level", "clustered")},
    **{name: name for name in ("n_items", "n_clusters")},
}


def records(case):
    """Return the data of a case, the repeated runs of an item averaged for each model."""
    columns = {"arm" if role == "model" else role: c for role, c in case["columns"].items()}
    raw = pd.DataFrame(REFERENCE["data"][case["data"]])
    keys = [column for role, column in columns.items() if role != "score"]
    return tidy(raw.groupby(keys, as_index=False)[columns["score"]].mean(), **columns)


def pair(base, arm, **columns):
    """Return runs of two arms on the same items; a column is repeated for both."""
    n = len(base)
    both = {name: [*values, *values] for name, values in columns.items()}
    keys = {"item_id": [*range(n)] * 2, "arm": ["base"] * n + ["edit"] * n}
    return pd.DataFrame({**keys, "score": [*base, *arm], **both})


def lengths(seed=0, n=40, **columns):
    """Return two arms whose outputs differ in length, by a gamma of its own for each item."""
    rng = np.random.default_rng(seed)
    base = rng.integers(50, 500, n)
    frame = pair(np.ones(n), np.ones(n), **columns)
    return frame.assign(n_output_tokens=[*base, *base + np.rint(rng.gamma(2, 20, n))])


def row(frame, metric="score", **arguments):
    result = compare(frame, "base", **arguments)
    return result[result["metric"] == metric].iloc[0]


@pytest.mark.parametrize("name", CASES)
def test_the_r_package(name):
    case, given = CASES[name], dict(CASES[name]["args"])
    expected = case["expected"]
    baseline, arm = given.pop("model_b", expected["model_b"]), expected["model_a"]
    given.pop("model_a", None)
    partial = name == "ev_paired/partial_overlap_warns"
    result = compare(
        records(case), baseline, interval="t", missing="drop" if partial else "raise", **given
    )
    found = result.set_index("arm").loc[arm]
    for theirs, ours in FIELDS.items():
        if expected[theirs] is None:
            assert pd.isna(found[ours]), ours
            continue
        # A limit is a difference of two numbers: near 0 its digits are fewer than theirs.
        near = 1e-10 * abs(expected["estimate"]) if ours.startswith("conf") else 1e-15
        assert_allclose(float(found[ours]), expected[theirs], rtol=1e-10, atol=near, err_msg=ours)
    # The package warns of 82 items that one model alone has; here a column counts their keys.
    assert found["n_dropped"] == (82 if partial else 0)


def test_a_constant_difference_has_an_exact_p_where_the_package_has_none():
    case = CASES["ev_paired/constant_difference_se0"]
    assert case["expected"]["p_value"] is None
    found = compare(records(case), "B").iloc[0]
    assert (found["diff"], found["se"], found["significant"]) == (1, 0, True)
    assert found["mcnemar_p"] == 2 / 2**10
    assert "standard error 0" in found["note"]


def test_arms_without_a_shared_item_are_refused():
    case = ERRORS["ev_paired/err_disjoint"]
    frame = pd.DataFrame(REFERENCE["data"][case["data"]])
    frame = frame.rename(columns={"q": "item_id", "model": "arm", "correct": "score"})
    if set(frame.loc[frame["arm"] == "A", "item_id"]) & set(
        frame.loc[frame["arm"] == "B", "item_id"]
    ):
        frame["item_id"] += frame["arm"].eq("B") * 1000
    with pytest.raises(DesignError, match=r"arm 'B' lacks [\d,]+ key\(s\): item_id=1;") as caught:
        compare(frame, "A")
    assert 'missing="drop"' in str(caught.value)
    with pytest.raises(DesignError, match=r"none shared with the baseline 'A' by 'B'"):
        compare(frame, "A", missing="drop")


def test_an_arm_is_not_compared_with_itself():
    frame = records(ERRORS["ev_paired/err_same_model"])
    with pytest.raises(DesignError, match="needs an arm beside the baseline 'new'"):
        compare(frame[frame["arm"] == "new"], "new")


def test_many_models_have_a_row_each_where_the_package_stops():
    frame = records(ERRORS["ev_paired/err_many_models"])
    result = compare(frame, "delta", value="score")
    assert result["arm"].tolist() == ["alpha", "beta", "gamma"]
    alone = [compare(frame[frame["arm"].isin(["delta", a])], "delta") for a in result["arm"]]
    assert_frame_equal(result, pd.concat(alone, ignore_index=True), check_exact=True)


def test_arms_are_joined_on_item_and_seed():
    case = CASES["ev_paired/multi_response"]
    raw = pd.DataFrame(REFERENCE["data"]["pair_multi"])
    raw["seed"] = raw.groupby(["q", "model"]).cumcount()
    frame = tidy(raw, **{"arm" if k == "model" else k: v for k, v in case["columns"].items()})
    with pytest.raises(DesignError, match=r"lacks [\d,]+ key\(s\): item_id=\d+, seed=\d"):
        compare(frame, "B")
    found = compare(frame, "B", missing="drop").iloc[0]
    wide = frame.pivot_table(index=["item_id", "seed"], columns="arm", values="score")
    shared = wide.dropna().groupby("item_id").mean()
    diff = shared["A"] - shared["B"]
    assert found["n_items"] == len(shared)
    assert found["n_dropped"] == wide.isna().any(axis=1).sum()
    assert_allclose(found["diff"], diff.mean(), rtol=1e-12)
    assert_allclose(found["se"], diff.std(ddof=1) / np.sqrt(len(diff)), rtol=1e-12)


# The example of the specification: 8 items, one more right, 50 tokens fewer on each.
EXAMPLE = pair(
    [1.0] * 5 + [0] * 3, [1.0] * 6 + [0] * 2, hit_cap=[False] * 8, cluster_id=list("aabbccdd")
).assign(n_output_tokens=[300] * 8 + [250] * 8)


@pytest.mark.parametrize("cluster", [True, False])
def test_the_documents_example(cluster):
    result = compare(EXAMPLE, "base", cluster=cluster).set_index("metric")
    assert result.index.tolist() == ["score", "tokens", "hit_cap"]
    by_score = result.loc["score"]
    numbers = ["baseline_mean", "arm_mean", "diff", "se", "conf_low", "conf_high", "mde"]
    assert_allclose(
        by_score[numbers].astype(float), [0.625, 0.75, 0.125, 0.125, -0.12, 0.37, 0.35], rtol=1e-12
    )
    assert by_score[["mcnemar_p", "baseline_only", "arm_only"]].tolist() == [1, 0, 1]
    assert not by_score["significant"]
    assert ("McNemar's p ignores clustering" in by_score["note"]) == cluster
    tokens = result.loc["tokens"]
    assert tokens[["diff", "conf_low", "conf_high"]].tolist() == [-50, -50, -50]
    assert_allclose(tokens["diff_rel"], -1 / 6)
    assert tokens["interval"] == "percentile"
    assert tokens["significant"]
    assert result["n_clusters"].eq(4).all() if cluster else result["n_clusters"].isna().all()
    assert result.loc["hit_cap", ["baseline_mean", "arm_mean", "diff"]].tolist() == [0, 0, 0]
    assert result["small_n"].all()


def test_the_documents_noise_floor():
    rerun = EXAMPLE[EXAMPLE["arm"] == "base"].assign(arm="rerun")
    rerun["n_output_tokens"] += rerun["item_id"] % 2
    frame = pd.concat([EXAMPLE, rerun]).drop(columns=["cluster_id", "hit_cap"])
    result = compare(frame, "base", floor="rerun")
    assert result["arm"].tolist() == ["edit", "edit"]
    assert result["exceeds"].tolist() == [False, True]
    assert_allclose(result["threshold"], [0, 0.5 + 1.96 * np.sqrt(1 / 28)], rtol=1e-12)
    assert_array_equal(result.columns, list(_with_floor()))


def _with_floor():
    return {**{k: v for k, v in TABLES["compare"].items() if k != "note"}, **FLOOR, "note": "str"}


def test_floor_columns_are_those_of_two_comparisons():
    base = lengths(n=30, task=[*"ab"] * 15, cluster_id=np.arange(30) // 3)
    rerun = lengths(seed=9, n=30, task=[*"ab"] * 15, cluster_id=np.arange(30) // 3)
    again = rerun[rerun["arm"] == "base"].assign(arm="again", score=0.5)
    more = base[base["arm"] == "edit"].assign(arm="more", score=lambda f: f["score"] / 3)
    frame = pd.concat([base, more, again], ignore_index=True)
    given = {"by": "task", "level": 0.9, "n_boot": 200}
    result = compare(frame, "base", floor="again", **given)
    plain = compare(frame[frame["arm"] != "again"], "base", **given)
    floor = compare(frame[frame["arm"].isin(["base", "again"])], "base", **given)
    assert_frame_equal(result.drop(columns=list(FLOOR)), plain, check_exact=True)
    expected = exceeds_floor(plain, floor)
    assert_frame_equal(result[list(FLOOR)], expected[list(FLOOR)], check_exact=True)
    assert len(result) == 2 * 2 * 2


def test_adjusting_is_over_all_rows_that_have_a_p():
    right = np.array([1] * 10 + [0] * 30)
    frame = pair(right, np.roll(right, 5))
    extra = {"b": np.roll(right, 10), "c": np.roll(right, 1), "part": right / 2}
    frame = pd.concat([frame, *(frame[:40].assign(arm=a, score=s) for a, s in extra.items())])
    plain = compare(frame, "base").set_index("arm")["mcnemar_p"]
    # edit has 5 against 5 discordant items, b 10 against 10, c 1 against 1: all have p = 1.
    assert plain[["b", "c", "edit"]].tolist() == [1, 1, 1]
    frame.loc[frame["arm"] == "b", "score"] = 1.0
    frame.loc[frame["arm"] == "c", "score"] = [1] * 16 + [0] * 24
    result = compare(frame, "base", adjust="holm").set_index("arm")
    # b: 0 against 30, c: 0 against 6; over three tests Holm takes 3, 2 and 1 times.
    assert_allclose(result.loc["b", "mcnemar_p"], 3 * 2 / 2**30, rtol=1e-12)
    assert_allclose(result.loc["c", "mcnemar_p"], 2 * 2 / 2**6, rtol=1e-12)
    assert result.loc["edit", "mcnemar_p"] == 1
    assert np.isnan(result.loc["part", "mcnemar_p"])
    assert "no McNemar p" in result.loc["part", "note"]
    assert "holm over 3 tests" in result.loc["b", "note"]
    assert "holm" not in result.loc["part", "note"]


def test_value_takes_any_column_of_numbers():
    frame = pair([1, 0], [1, 1], cost_usd=[0.1, 0.2], n_output_tokens=[1, 2])
    result = compare(frame, "base", value=["cost_usd", "tokens"], n_boot=10)
    assert result["metric"].tolist() == ["cost_usd", "tokens"]
    assert result["interval"].tolist() == ["normal", "percentile"]


def test_dropping_leaves_out_missing_values_and_unpaired_keys_and_counts_both():
    frame = pair([1, 0, 1, None], [0, 0, 1, 1]).drop(index=5)
    found = row(frame, missing="drop")
    assert (found["n_items"], found["n_dropped"]) == (2, 2)
    assert found["diff"] == -0.5
    assert "2 (item, seed) keys dropped" in found["note"]


def test_zero_counts_missing_values_as_0_and_refuses_unpaired_keys():
    frame = pair([1, 0, 1, None], [0, 0, 1, 1])
    found = row(frame, missing="zero")
    assert (found["n_items"], found["n_dropped"], found["diff"]) == (4, 0, 0)
    assert "1 missing counted as 0" in found["note"]
    with pytest.raises(DesignError, match=r"arm 'edit' lacks 1 key\(s\): item_id=1"):
        compare(frame.drop(index=5), "base", missing="zero")


def test_a_missing_value_is_refused_by_default():
    with pytest.raises(FrameError, match=r"'score' .* 1 row .* item_id=1, arm='base'"):
        compare(pair([1, None], [0, 0]), "base")


def test_columns_and_dtypes_are_those_of_the_table_also_without_rows():
    frame = lengths(n=4, task=[*"aabb"], cluster_id=[1, 2, 3, 4], hit_cap=[True] * 4)
    frame = pd.concat([frame, frame[:4].assign(arm="again")])
    for floor, kinds in ((None, TABLES["compare"]), ("again", _with_floor())):
        for f in (frame, frame.head(0)):
            result = compare(f, "base", by="task", floor=floor, n_boot=10)
            assert len(result) == (0 if f.empty else 12 if floor is None else 6)
            assert list(result.columns) == ["task", *kinds]
            for column, kind in kinds.items():
                if kind not in ("label", "str"):
                    assert result[column].dtype == DTYPE[kind], column


def test_the_input_is_not_changed():
    frame = lengths(n=5).set_axis([1] * 10)
    before = frame.copy(deep=True)
    compare(frame, "base", n_boot=10)
    assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({"interval": "wald"}, r"interval must be one of .*'t'.*, not 'wald'"),
        ({"missing": "skip"}, r"missing must be one of .*'raise'.*, not 'skip'"),
        ({"adjust": "fdr"}, "adjust must be one of 'holm', .*, 'bh', 'by', not 'fdr'"),
        ({"level": 95}, "level must lie between 0 and 1"),
        ({"n_boot": 1}, "n_boot must be an integer of at least 2, not 1"),
        ({"n_boot": 1e4}, "n_boot must be an integer"),
        ({"rng": -1}, "rng must be an integer of 0 or more"),
        ({"rng": True}, "rng must be an integer of 0 or more"),
        ({"cluster": "passage"}, r"tidy\(cluster="),
    ],
)
def test_an_argument_that_is_none_of_its_choices_is_refused(argument, message):
    with pytest.raises(ValueError, match=message):
        compare(pair([1, 0], [1, 1]), "base", **argument)


def test_an_unknown_arm_shows_the_arms():
    frame = pair([1, 0], [1, 1])
    with pytest.raises(DesignError, match=r"baseline must be .* found 'bas'.*: 'base', 'edit'"):
        compare(frame, "bas")
    with pytest.raises(DesignError, match=r"floor must be .* found 'rerun'.*: 'base', 'edit'"):
        compare(frame, "base", floor="rerun")
    with pytest.raises(DesignError, match="floor must name another run"):
        compare(frame, "base", floor="base")
    with pytest.raises(DesignError, match="needs an arm beside the baseline 'base'"):
        compare(frame, "base", floor="edit")


def test_a_frame_without_scores_or_without_arms_is_refused():
    frame = pair([1, 0], [1, 1])
    with pytest.raises(RoleError, match="no column 'score'"):
        compare(frame.drop(columns="score"), "base")
    with pytest.raises(DesignError, match=r"found 'base'.* 1 arm.*: 'all'"):
        compare(frame[:2].drop(columns="arm"), "base")


def test_arms_that_saw_another_prompt_are_refused():
    frame = pair([1, 0], [1, 1], prompt_hash=["x", "y"])
    compare(frame, "base")
    frame.loc[3, "prompt_hash"] = "z"
    with pytest.raises(DesignError, match=r"another prompt_hash in 1 .* item_id=1, arms"):
        compare(frame, "base")


def test_an_adjustment_of_nothing_is_said():
    frame = pd.DataFrame({"item_id": [1, 2] * 2, "arm": list("aabb"), "score": [0.5, 1, 0.2, 1]})
    row = compare(frame, "a", adjust="holm").iloc[0]
    assert "adjust='holm' changes nothing: no row has a McNemar p" in row["note"]


def test_tokens_that_are_missing_are_never_counted_as_0():
    frame = pd.DataFrame({"item_id": [*range(8)] * 2, "arm": ["a"] * 8 + ["b"] * 8})
    frame["score"] = [1.0, 0.0] * 8
    frame["n_output_tokens"] = [None] * 5 + [300.0] * 3 + [250.0] * 8
    found = frame.evals.compare("a", missing="zero").set_index("metric").loc["tokens"]
    assert (found["baseline_mean"], found["arm_mean"], found["n_items"]) == (300.0, 250.0, 3)
    assert found["n_dropped"] == 5
