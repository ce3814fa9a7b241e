import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy import stats

from evalframe import debias, label_plan
from evalframe.results import TABLES

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "debias.json").read_text())
CASES = {case["case"]: case for case in REFERENCE["cases"] if case["fn"] == "ev_judge_power"}
DONE = [name for name, case in CASES.items() if case["error"] is None and "unreachable" not in name]
ARGUMENTS = {"n_total": "n_items", "target_se": "se", "target_mde": "mde"}
NAMES = {
    "n_labels": "n_labels",
    "n_labels_without_judge": "n_labels_without_judge",
    "saving": "saving",
    "se": "achieved_se",
    "se_best": "best_possible_se",
    "lambda": "lambda",
    "correlation": "correlation",
    "sd_gold": "sd_gold",
    "sd_judge": "sd_judge",
    "n_items": "n_total",
}


def arguments(case):
    return {ARGUMENTS.get(name, name): value for name, value in case["args"].items()}


def pilot(n=300, labelled=80, rng=0, clusters=None):
    draw = np.random.default_rng(rng)
    index = pd.MultiIndex.from_product([range(n), ["base", "edit"]], names=["item_id", "arm"])
    frame = index.to_frame(index=False)
    shared = draw.normal(size=n)[frame["item_id"]]
    if clusters:
        frame["cluster_id"] = frame["item_id"] % clusters
        shared = shared + draw.normal(size=clusters)[frame["cluster_id"]]
    truth = shared + draw.normal(size=len(frame))
    frame["judge"] = truth + 0.5 * draw.normal(size=len(frame))
    frame["gold"] = pd.Series(truth).where(frame["item_id"] < labelled)
    return frame


def plan(frame, **options):
    return label_plan(frame, **{"judge": "judge", "gold": "gold", **options})


@pytest.mark.parametrize("name", DONE)
def test_package(name):
    case = CASES[name]
    given = arguments(case)
    if "pilot" in name:
        # It takes nothing but the correlation from a pilot.
        given["correlation"] = case["expected"]["correlation"]
    row = label_plan(**given, clip=True).iloc[0]
    expected = [case["expected"][theirs] for theirs in NAMES.values()]
    assert_allclose(row[list(NAMES)].astype(float), expected, rtol=1e-10)


def test_a_judge_against_the_labels_saves_as_much_as_one_for_them():
    case = CASES["ev_judge_power/grid6"]
    against = label_plan(**arguments(case)).iloc[0]
    along = label_plan(**{**arguments(case), "correlation": 0.6}).iloc[0]
    assert against["n_labels"] == along["n_labels"] < case["expected"]["n_labels"]
    assert against["lambda"] == -along["lambda"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("unreachable", "every one of the 50 items gives 0.07071; take more items"),
        ("err_no_target", "needs one target, se=, half_width= or mde=, found none"),
        ("err_corr", "correlation must be a number of at least -1 and at most 1, not 1.5"),
    ],
)
def test_what_the_package_refuses_or_leaves_open(name, message):
    with pytest.raises(ValueError, match=message):
        label_plan(**arguments(CASES[f"ev_judge_power/{name}"]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mde": 0.1}, "needs one target"),
        ({"se": 0}, "se must be a number above 0"),
        ({"se": "small"}, "se must be a number above 0"),
        ({"n_items": 2}, "n_items must be an integer of at least 3"),
        ({"n_items": None}, "needs n_items="),
        ({"correlation": None}, "and correlation="),
        ({"sd_gold": -1}, "sd_gold must be a number above 0"),
        ({"sd_judge": 0}, "sd_judge must be a number above 0"),
        ({"icc": 0.1}, "icc and cluster_size go together"),
        ({"icc": 1.1, "cluster_size": 2}, "icc must be a number of at least 0 and at most 1"),
        ({"alpha": 5}, "alpha must lie between 0 and 1"),
        ({"power": 0.01}, "power must lie between 0.05 and 1"),
        ({"clip": "yes"}, "clip must be True or False"),
        ({"judge": "judge"}, "judge='judge' read a pilot, and there is none"),
        ({"baseline": "base"}, "baseline='base' read a pilot"),
    ],
)
def test_an_impossible_request_says_why(given, message):
    with pytest.raises(ValueError, match=message):
        label_plan(**{"n_items": 900, "correlation": 0.5, "se": 0.05, **given})


def test_a_pilot_brings_its_own_spread():
    with pytest.raises(ValueError, match="shows its own spread, found correlation"):
        plan(pilot(), se=0.1, correlation=0.5)
    with pytest.raises(ValueError, match="needs judge= and gold="):
        label_plan(pilot(), se=0.1)
    with pytest.raises(ValueError, match="out of reach: a label on every one of the 300 items"):
        plan(pilot(), se=0.001)


def test_a_plan_for_the_pilots_own_labels_has_its_error():
    frame = pilot()
    for options in ({}, {"baseline": "base"}):
        found = debias(frame, judge="judge", gold="gold", **options)
        for (_, row), (_, had) in zip(
            plan(frame, se=0.15, **options).iterrows(), found.iterrows(), strict=True
        ):
            rho, n = row["correlation"], 80
            assert_allclose(rho, had["correlation"], rtol=1e-12)
            planned = row["sd_gold"] * ((1 - rho**2) / n + rho**2 / 300) ** 0.5
            # The judge varies a little more or less in the labelled items than in all.
            assert_allclose(planned, had["se"], rtol=0.1)
            assert row["se"] <= 0.15
            fewer = (1 - rho**2) / (row["n_labels"] - 1) + rho**2 / 300
            assert row["sd_gold"] * fewer**0.5 > 0.15


def test_targets_are_one_error_said_in_three_ways():
    given = {"n_items": 4000, "correlation": 0.7, "sd_gold": 0.4}
    one = label_plan(se=0.02, **given).iloc[0]
    normal = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert_allclose(one["mde"], normal * one["se"], rtol=1e-12)
    n, of_labels, rest = one["n_labels"], 0.16 / one["n_labels"], 0.51 * 0.16 / one["n_labels"]
    # What debias adds to the squared error for few labels, were its z squared 1.
    more = (rest * (2 - n / 4000) + 2 * of_labels) / (n - 2)
    wide = stats.t.ppf(0.975, n - 2) * (one["se"] ** 2 + more) ** 0.5
    assert_allclose(one["half_width"], wide, rtol=1e-9)
    for name in ("mde", "half_width"):
        again = label_plan(**{name: one[name]}, **given).iloc[0]
        assert again["n_labels"] == one["n_labels"]


@pytest.mark.parametrize("width", [0.15, 0.1, 0.06])
def test_limits_are_as_narrow_as_planned(width):
    """The mean half width of 200 evaluations is not above the plan's by more than 3%."""
    draw, n_items, n_sim = np.random.default_rng(0), 1500, 200
    shape = (n_sim, n_items)
    gold = (draw.random(shape) < 0.6).astype(float)
    judge = np.where(draw.random(shape) < 0.9, gold, 1 - gold)
    row = label_plan(
        n_items=n_items,
        correlation=np.corrcoef(gold.ravel(), judge.ravel())[0, 1],
        sd_gold=gold.std(),
        half_width=width,
    ).iloc[0]
    labelled = np.arange(n_items) < row["n_labels"]
    frame = pd.DataFrame(
        {
            "item_id": np.tile(np.arange(n_items), n_sim),
            "evaluation": np.repeat(np.arange(n_sim), n_items),
            "judge": judge.ravel(),
            "gold": np.where(labelled, gold, np.nan).ravel(),
        }
    )
    found = debias(frame, judge="judge", gold="gold", by="evaluation")
    half = (found["conf_high"] - found["conf_low"]) / 2
    assert half.mean() <= 1.03 * width


def test_items_that_are_alike_need_more_labels():
    given = {"n_items": 2000, "correlation": 0.7, "se": 0.03}
    alone = label_plan(**given).iloc[0]
    alike = label_plan(**given, icc=0.2, cluster_size=10).iloc[0]
    assert alike["n_labels"] > alone["n_labels"]
    one = label_plan(**given, icc=0.2, cluster_size=1).iloc[0]
    assert one["n_labels"] == alone["n_labels"]
    frame = pilot(clusters=20)
    found = plan(frame, se=0.35)
    assert (found["icc_judge"] > 0.1).all()
    assert (found["cluster_size"] == 15).all()
    assert (plan(frame, se=0.35, cluster=False)["n_labels"] < found["n_labels"]).all()


def test_a_pilot_without_labels_cannot_plan():
    row = plan(pilot(labelled=0), se=0.1).iloc[0]
    assert pd.isna(row["n_labels"])
    assert "under 3 labels" in row["note"]
    flat = plan(pilot().assign(judge=1.0), se=0.2).iloc[0]
    assert "all alike" in flat["note"]


def test_what_a_pilot_lost_is_noted():
    frame = pilot()
    frame.loc[frame.index[-3:], "judge"] = np.nan
    alone = plan(frame, se=0.15, missing="drop").set_index("arm")["note"]
    assert "1 without a judge's score or a pair dropped" in alone["base"]
    assert "2 without" in alone["edit"]
    assert "dropped" not in "".join(plan(pilot(), se=0.15)["note"])


@pytest.mark.parametrize("n_items", [10**30, 10**400, 2.0, True, "9"])
def test_a_number_of_items_that_cannot_be_counted_is_refused(n_items):
    with pytest.raises(ValueError, match="n_items must be an integer of at least 3 and at most"):
        label_plan(n_items=n_items, correlation=0.5, se=0.05)


def test_groups_out_of_reach_are_said_beside_others():
    frame = pilot().assign(task=lambda f: np.where(f["item_id"] % 10 > 0, "many", "few"))
    result = plan(frame, se=0.12, by="task")
    few = result[result["task"] == "few"]
    assert few["n_labels"].isna().all()
    assert few["note"].str.contains("out of reach: all labels give").all()
    assert result.loc[result["task"] == "many", "n_labels"].notna().all()


def test_the_method_and_the_function_are_one():
    frame = pilot()
    result = frame.evals.label_plan(judge="judge", gold="gold", half_width=0.3)
    assert_frame_equal(result, plan(frame, half_width=0.3))
    assert list(result) == list(TABLES["label_plan"])
    json.dumps(result.attrs["evalframe"])
    numbers = label_plan(n_items=900, correlation=0.5, se=0.05)
    assert list(numbers) == list(result)
    assert numbers[["arm", "baseline"]].isna().all(axis=None)
