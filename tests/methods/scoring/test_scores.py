import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from scipy.stats import norm, t

from evalframe import score, tidy
from evalframe.errors import FrameError, RoleError
from evalframe.results import DTYPE, TABLES

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "scores.json").read_text())
CASES = {
    case["case"]: case
    for case in REFERENCE["cases"]
    if "expected" in case and case["case"].startswith(("ev_score", "ev_cluster", "help"))
}
ONE_CLUSTER = "ev_score/single_cluster_zero_width"
FIELDS = (
    *("estimate", "se", "conf_low", "conf_high"),
    *("df", "level", "n_items", "n_responses", "n_clusters", "design_effect", "clustered"),
)


def records(case):
    """Return the data of a case under the canonical names, repeated runs numbered."""
    raw = pd.DataFrame(REFERENCE["data"][case["data"]]).head(case.get("subset_first"))
    columns = {"arm" if role == "model" else role: c for role, c in case["columns"].items()}
    # Some of the data have a column that numbers the runs, which none of the calls names.
    named = raw.rename(columns={"draw": "run"})
    keys = [columns[role] for role in ("item", "arm") if role in columns]
    return tidy(named.assign(seed=named.groupby(keys).cumcount()), **columns)


def scored(case):
    """Return the row of the case's model."""
    given = dict(case["args"])
    arm = given.pop("model", "all")
    result = score(records(case), **given)
    return result.set_index("arm").loc[arm]


def runs(scores, **columns):
    return pd.DataFrame({"item_id": np.arange(len(scores)), "score": scores, **columns})


@pytest.mark.parametrize("name", [name for name in CASES if name != ONE_CLUSTER])
def test_the_r_package(name):
    case = CASES[name]
    if case.get("input") == "vector":
        row = score(REFERENCE["data"][case["data"]][case["columns"]["score"]]).iloc[0]
    else:
        row = scored(case)
    expected = case["expected"]
    for field in FIELDS:
        if expected.get(field) is None:
            # ev_cluster does not report n_responses or clustered.
            assert field not in expected or pd.isna(row[field]), field
        else:
            assert_allclose(float(row[field]), expected[field], rtol=1e-10, atol=0, err_msg=field)


@pytest.mark.parametrize(
    "form",
    [list, tuple, np.array, pd.Series, lambda x: pd.Series(x, index=x), pd.array, pd.Index],
    ids=["list", "tuple", "array", "series", "indexed", "nullable", "index"],
)
@pytest.mark.parametrize("kind", [int, float, bool])
def test_bare_scores_are_one_arm_with_an_item_each(form, kind):
    case = CASES["ev_score/logical_vector"]
    result = score(form([kind(x) for x in REFERENCE["data"]["bin"]["correct"]]))
    assert result["arm"].tolist() == ["all"]
    for field in ("estimate", "se", "conf_low", "conf_high", "df", "n_items", "n_responses"):
        assert_allclose(result[field], case["expected"][field], rtol=1e-10)


def test_every_model_of_a_frame_is_scored_at_once():
    case = CASES["ev_score/one_of_many_models"]
    result = score(records(case))
    # As the mean of each model by pandas.
    expected = records(case).groupby("arm")["score"].mean()
    assert_array_equal(result["arm"], ["alpha", "beta", "delta", "gamma"])
    assert_allclose(result["estimate"], expected, rtol=1e-13)


def test_one_cluster_has_no_standard_error_where_the_package_has_zero_width():
    assert CASES[ONE_CLUSTER]["expected"]["se"] == 0
    row = scored(CASES[ONE_CLUSTER])
    assert row["estimate"] == 0.75
    assert np.isnan(row[["se", "conf_low", "conf_high", "df", "design_effect"]].astype(float)).all()
    assert row["n_clusters"] == 1
    assert row["clustered"]
    assert "1 cluster" in row["note"]
    assert "cluster=False" in row["note"]


def test_one_item_has_an_estimate_where_the_package_stops():
    (case,) = (c for c in REFERENCE["cases"] if c["case"] == "ev_score/err_one_item")
    assert case["error"] == "too_few_items"
    row = scored(case)
    assert row["estimate"] == 1
    assert row["n_items"] == 1
    assert np.isnan(row[["se", "conf_low", "conf_high", "df"]].astype(float)).all()
    assert row["note"].startswith("1 item")


def test_a_missing_cluster_label_is_refused_where_the_package_shrinks_the_error():
    frame = records(CASES["ev_cluster/balanced"]).astype({"cluster_id": object})
    frame.loc[[3, 7], "cluster_id"] = None
    with pytest.raises(FrameError, match=r"'cluster_id' must have a label .* 2 rows .*: 3, 7\)"):
        score(frame)


def test_repeated_runs_without_an_item_column_are_refused_where_the_package_counts_items():
    (case,) = (c for c in REFERENCE["cases"] if c["case"].startswith("as_eval"))
    assert case["expected"]["n_items"] == 400
    frame = pd.DataFrame(REFERENCE["data"][case["data"]]).rename(columns={"correct": "score"})
    with pytest.raises(RoleError, match="no column 'item_id'") as caught:
        score(frame)
    assert 'df.reset_index(names="item_id")' in str(caught.value)
    with pytest.raises(FrameError, match="must be unique, found 400 rows"):
        score(frame.rename(columns={"q": "item_id"}))


def test_limits_past_the_scale_are_those_of_the_package():
    # Documented, not hidden: near 1 the t interval passes the end of the scale.
    assert scored(CASES["ev_score/near_one_ci_above_1"])["conf_high"] > 1


@pytest.mark.parametrize("name", ["ev_score/all_ones_zero_se", "ev_cluster/negative_icc_censored"])
def test_a_standard_error_of_0_is_noted_as_no_certainty(name):
    row = scored(CASES[name])
    assert row["se"] == 0
    assert "standard error 0" in row["note"]


def test_n_counts_items_never_rows():
    once = runs([1, 0, 1, 1, 0.5]).assign(seed=0)
    result = score(pd.concat([once.assign(seed=seed) for seed in range(4)]))
    alone = score(once)
    assert result["n_responses"].item() == 20
    assert_frame_equal(result.drop(columns="n_responses"), alone.drop(columns="n_responses"))


def test_items_weigh_alike_however_many_seeds_they_have():
    frame = pd.DataFrame(
        {"item_id": ["a", "b", "b", "b"], "seed": [0, 0, 1, 2], "score": [1, 0, 0, 0.0]}
    )
    result = score(frame)
    assert result["estimate"].item() == 0.5
    assert (result["n_items"].item(), result["n_responses"].item()) == (2, 4)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_the_interval_is_t_on_one_less_than_the_items(level):
    x = np.array([0.1, 0.7, 0.4, 0.9, 0.2])
    result = score(x, level=level).iloc[0]
    half = t.ppf((1 + level) / 2, 4) * x.std(ddof=1) / np.sqrt(5)
    assert_allclose(result["conf_low"], x.mean() - half, rtol=1e-12)
    assert_allclose(result["conf_high"], x.mean() + half, rtol=1e-12)
    assert result["df"] == 4


@pytest.mark.parametrize(
    ("level", "z"), [(0.95, 1.96), (0.9, norm.ppf(0.95)), (0.5, norm.ppf(0.75))]
)
def test_the_normal_interval_has_no_degrees_of_freedom(level, z):
    x = np.array([0.1, 0.7, 0.4, 0.9, 0.2])
    result = score(x, level=level, interval="normal").iloc[0]
    assert_allclose(result["conf_high"] - x.mean(), z * x.std(ddof=1) / np.sqrt(5), rtol=1e-12)
    assert np.isnan(result["df"])
    assert result["interval"] == "normal"


def test_every_item_its_own_cluster_is_the_unclustered_result():
    frame = runs([0.1, 1 / 3, 0.7, 0.7, 0.2], cluster_id=list("edcba"))
    ours = ["estimate", "se", "conf_low", "conf_high", "n_items", "df"]
    assert_frame_equal(score(frame)[ours], score(frame, cluster=False)[ours], check_exact=True)
    assert score(frame)["design_effect"].item() == 1


def test_arms_may_have_other_items_and_other_numbers_of_clusters():
    frame = pd.DataFrame(
        {
            "item_id": [1, 2, 3, 4, 3, 4, 5],
            "arm": ["a"] * 4 + ["b"] * 3,
            "score": [1, 0, 1, 1, 0, 1, 1],
            "cluster_id": ["x", "x", "y", "z", "y", "z", "z"],
        }
    )
    result = score(frame)
    assert result["n_items"].tolist() == [4, 3]
    assert result["n_clusters"].tolist() == [3, 2]
    alone = [score(frame[frame["arm"] == arm]) for arm in "ab"]
    assert_frame_equal(result, pd.concat(alone, ignore_index=True), check_exact=True)


def test_groups_come_sorted_and_apart():
    frame = runs([1, 0, 1, 0, 0], task=list("mcmcm"), lang=[2, 1, 2, 1, 1])
    result = score(frame, by=["task", "lang"])
    assert list(result.columns[:3]) == ["task", "lang", "arm"]
    assert result["task"].tolist() == ["c", "m", "m"]
    assert result["lang"].tolist() == [1, 1, 2]
    assert result["estimate"].tolist() == [0, 0, 1]
    assert result["n_items"].tolist() == [2, 1, 2]


def test_an_item_of_two_groups_counts_in_each():
    frame = pd.DataFrame({"item_id": [1, 2, 1], "task": ["a", "a", "b"], "score": [1, 0, 0]})
    assert score(frame, by="task")["n_items"].tolist() == [2, 1]


def test_several_columns_are_rows_of_their_own_and_roles_go_by_name():
    frame = runs([1, 0], n_output_tokens=[30, 40], cost_usd=[0.1, 0.3])
    result = score(frame, value=["score", "n_output_tokens", "cost_usd"])
    assert result["metric"].tolist() == ["score", "tokens", "cost_usd"]
    assert_allclose(result["estimate"], [0.5, 35, 0.2])
    assert score(frame, value="tokens")["estimate"].item() == 35


MISSING = pd.DataFrame(
    {
        "item_id": ["a", "a", "b", "b", "c", "c"],
        "seed": [0, 1, 0, 1, 0, 1],
        "score": [1.0, None, 0.0, 0.5, None, None],
    }
)


def test_a_missing_score_is_left_out_and_counted():
    row = score(MISSING).iloc[0]
    assert row["estimate"] == (1 + 0.25) / 2
    assert row[["n_items", "n_responses", "n_missing", "n_items_missing"]].tolist() == [2, 3, 3, 1]
    assert row["df"] == 1


def test_a_missing_score_counts_as_0_on_request_and_is_noted():
    row = score(MISSING, missing="zero").iloc[0]
    assert_allclose(row["estimate"], (0.5 + 0.25 + 0) / 3)
    assert row[["n_items", "n_responses", "n_missing", "n_items_missing"]].tolist() == [3, 3, 3, 1]
    assert "3 missing counted as 0" in row["note"]


def test_a_missing_score_is_refused_on_request():
    with pytest.raises(FrameError, match=r"'score' .* 3 rows .* item_id='a', seed=1") as caught:
        score(MISSING, missing="raise")
    assert 'missing="drop"' in str(caught.value)


def test_an_arm_without_any_score_has_a_row_that_says_so():
    frame = pd.concat([MISSING.assign(arm="x"), MISSING.assign(arm="y", score=np.nan)])
    row = score(frame).set_index("arm").loc["y"]
    assert row["note"] == "no item has a score"
    assert np.isnan(row["estimate"])
    assert row[["n_items", "n_missing", "n_items_missing"]].tolist() == [0, 6, 3]


def test_columns_and_dtypes_are_those_of_the_table_also_without_rows():
    frame = runs([1, 0], task=["a", "b"], cluster_id=[1, 2])
    full, empty = (score(f, by="task") for f in (frame, frame.head(0)))
    assert len(empty) == 0
    for result in (full, empty):
        assert list(result.columns) == ["task", *TABLES["score"]]
        for column, kind in TABLES["score"].items():
            if kind not in ("label", "str"):
                assert result[column].dtype == DTYPE[kind], column


def test_the_input_is_not_changed():
    frame = MISSING.set_axis([5, 5, 1, 2, 3, 3]).assign(cluster_id=1)
    frame.attrs["mine"] = [1]
    before = frame.copy(deep=True)
    result = score(frame)
    assert_frame_equal(frame, before)
    assert frame.attrs == {"mine": [1]}
    assert list(result.attrs) == ["evalframe"]


def test_provenance_says_how_it_was_made():
    made = score(runs([1, 0]), level=0.9, missing="zero").attrs["evalframe"]
    assert made["table"] == "score"
    assert made["value"] == ["score"]
    assert (made["level"], made["interval"], made["missing"]) == (0.9, "t", "zero")


def test_a_missing_score_column_is_named_with_what_to_type():
    with pytest.raises(RoleError, match=r"no column 'score'.*did you mean 'scores'") as caught:
        score(pd.DataFrame({"item_id": [1], "scores": [1]}))
    assert 'df.evals.tidy(score="scores")' in str(caught.value)


@pytest.mark.parametrize("argument", [{"value": "nope"}, {"by": "nope"}, {"by": ["nope"]}])
def test_a_column_that_is_not_there_is_named(argument):
    with pytest.raises(RoleError, match=r"no column 'nope'[^~]*The frame has: item_id, score"):
        score(runs([1, 0]), **argument)


@pytest.mark.parametrize("level", [1, 0, 95, -0.1, float("nan")])
def test_a_level_outside_0_to_1_is_refused(level):
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        score([1, 0], level=level)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({"interval": "wald"}, "interval must be one of .*'normal'.*, not 'wald'"),
        ({"missing": "skip"}, "missing must be one of .*'zero'.*, not 'skip'"),
        ({"cluster": "passage"}, r"tidy\(cluster="),
        ({"value": []}, "value must name at least one column"),
    ],
)
def test_an_unknown_choice_lists_the_choices(argument, message):
    with pytest.raises(ValueError, match=message):
        score(runs([1, 0]), **argument)


def test_a_misspelt_option_is_a_type_error():
    with pytest.raises(TypeError, match="clusters"):
        score([1, 0], clusters=True)


@pytest.mark.parametrize("bare", [[[1, 0], [0, 1]], 0.5, "10", np.ones((2, 2))])
def test_bare_scores_must_be_flat(bare):
    with pytest.raises(FrameError, match="flat sequence of scores"):
        score(bare)


def test_bare_scores_have_no_columns_to_name():
    with pytest.raises(ValueError, match="value names columns of a DataFrame"):
        score([1, 0], value="tokens")
    with pytest.raises(RoleError, match="no column 'task'"):
        score([1, 0], by="task")
