import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal

from evalframe import DesignError, FrameError, RoleError, compare, debias, score
from evalframe.results import TABLES

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "debias.json").read_text())
CASES = [case for case in REFERENCE["cases"] if case["fn"] == "ev_judge_debias"]
DONE = [case for case in CASES if case["error"] is None]
NAMES = {
    "estimate": "estimate",
    "se": "se",
    "conf_low": "conf_low",
    "conf_high": "conf_high",
    "lambda": "lambda",
    "estimate_gold": "estimate_classical",
    "se_gold": "se_classical",
    "estimate_judge": "estimate_judge",
    "bias": "judge_bias",
    "n_effective": "effective_n",
    "gain": "precision_gain",
    "n_items": "n_total",
    "n_labelled": "n_labelled",
    "n_unlabelled": "n_unlabelled",
    "correlation": "correlation",
}


def items_of(case):
    frame = pd.DataFrame(REFERENCE["data"][case["data"]], dtype=float)
    return frame.assign(item_id=np.arange(len(frame)))


def run(frame, **options):
    return debias(frame, **{"judge": "judge", "gold": "gold", **options})


def runs(n=60, labelled=25, seeds=1, rng=0, arms=("base", "edit"), clusters=None):
    """Return runs whose judge is right 8 times in 10, with labels of some items of every arm."""
    draw = np.random.default_rng(rng)
    index = pd.MultiIndex.from_product(
        [range(n), arms, range(seeds)], names=["item_id", "arm", "seed"]
    )
    frame = index.to_frame(index=False)
    hard = draw.random(n)[frame["item_id"]] + 0.1 * (frame["arm"] == "edit")
    truth = (draw.random(len(frame)) < hard).astype(float)
    frame["judge"] = np.where(draw.random(len(frame)) < 0.8, truth, 1 - truth)
    frame["gold"] = pd.Series(truth).where(frame["item_id"] < labelled)
    if clusters:
        frame["cluster_id"] = frame["item_id"] % clusters
    return frame


@pytest.mark.parametrize("case", DONE, ids=[case["case"] for case in DONE])
def test_package(case):
    args, expected = case["args"], case["expected"]
    given_lambda = args.get("lambda")
    row = run(
        items_of(case),
        lam=given_lambda,
        clip=given_lambda is None,
        level=args.get("level", 0.95),
        interval="normal",
    ).iloc[0]
    values = [expected[name] for name in NAMES.values()]
    assert_allclose(row[list(NAMES)].astype(float), values, rtol=1e-10, atol=1e-12)
    # The default has the same error beside limits that few labels deserve.
    honest = run(items_of(case), lam=given_lambda, clip=given_lambda is None).iloc[0]
    same = [name for name in NAMES if not name.startswith("conf")]
    assert_allclose(honest[same].astype(float), row[same].astype(float), rtol=0)
    wide = (honest["conf_high"] - honest["conf_low"]) / 2
    assert wide > 1.959963 * row["se"]


def test_a_judge_on_another_scale_is_used():
    case = next(case for case in CASES if "scale_mismatch_lambda_clipped" in case["case"])
    row = run(items_of(case)).iloc[0]
    # The package keeps lambda at 1 and a gain of 1.24.
    assert row["lambda"] > 6
    assert row["gain"] > 3 > case["expected"]["precision_gain"]
    assert "outside 0 to 1" in row["note"]
    on_scale = items_of(case).assign(judge=lambda frame: frame["judge"] * 9 - 4)
    other = run(on_scale).iloc[0]
    same = ["estimate", "se", "conf_low", "conf_high", "gain", "correlation"]
    assert_allclose(other[same].astype(float), row[same].astype(float), rtol=1e-10)


def test_a_judge_against_the_labels_is_used_too():
    case = next(case for case in CASES if "anticorrelated" in case["case"])
    row = run(items_of(case)).iloc[0]
    assert row["lambda"] < 0
    assert row["gain"] > 2


def test_two_labels_have_no_limits():
    case = next(case for case in CASES if "two_labels" in case["case"])
    row = run(items_of(case)).iloc[0]
    assert row[["conf_low", "conf_high", "df"]].isna().all()
    assert "2 labels: no degree of freedom" in row["note"]


def test_columns_are_those_of_the_table():
    assert list(run(runs())) == list(TABLES["debias"])
    assert list(run(runs(), baseline="base")) == list(TABLES["debias"])


def test_a_difference_is_that_of_the_items():
    frame = runs(seeds=2)
    wide = frame.groupby(["item_id", "arm"])[["judge", "gold"]].mean().unstack("arm")
    gaps = pd.DataFrame(
        {name: wide[name]["edit"] - wide[name]["base"] for name in ("judge", "gold")}
    ).reset_index()
    expected, found = run(gaps), run(frame, baseline="base")
    same = [name for name in expected if expected[name].dtype == float]
    assert_frame_equal(found[same], expected[same], check_exact=True)


def test_with_all_items_labelled_it_is_the_comparison_and_the_score():
    frame = runs(labelled=60, clusters=12)
    found, known = (
        run(frame, baseline="base"),
        compare(frame.assign(score=frame["gold"]), "base", value="score", interval="t"),
    )
    assert_allclose(found["estimate"], known["diff"], rtol=1e-12)
    for name in ("se", "conf_low", "conf_high", "df"):
        assert_allclose(found[name], known[name], rtol=1e-12)
    alone, own = run(frame), score(frame, value="gold")
    for name in ("estimate", "se", "conf_low", "conf_high", "df"):
        assert_allclose(alone[name], own[name], rtol=1e-12)
    assert alone["note"].str.contains("the judge adds nothing").all()


def test_arms_debiased_each_by_itself_differ_by_the_difference():
    frame = runs(labelled=40, clusters=15)
    # Labels of one arm are of other items than those of the other.
    frame.loc[(frame["arm"] == "edit") & (frame["item_id"] < 20), "gold"] = np.nan
    frame.loc[(frame["arm"] == "base") & (frame["item_id"] >= 20), "gold"] = np.nan
    apart, own = run(frame, baseline="base", paired=False).iloc[0], run(frame).set_index("arm")
    assert_allclose(
        apart["estimate"], own.loc["edit", "estimate"] - own.loc["base", "estimate"], rtol=1e-12
    )
    assert apart["n_labelled"] == 40
    paired = run(frame, baseline="base").iloc[0]
    assert paired["n_labelled"] == 0
    assert "40 items are labelled in one arm alone" in paired["note"]
    # Items of other ids are independent: the squared errors add.
    other = frame.assign(
        item_id=frame["item_id"] + 1000 * (frame["arm"] == "edit"),
        cluster_id=frame["cluster_id"] + 1000 * (frame["arm"] == "edit"),
    )
    separate = run(other, baseline="base", paired=False).iloc[0]
    assert_allclose(separate["se"] ** 2, (own["se"] ** 2).sum(), rtol=1e-12)
    assert apart["se"] != separate["se"]


def test_labels_shared_by_both_arms_are_known_to_be_shared():
    frame = runs(labelled=25)
    frame["gold"] = frame["gold"].where(frame["arm"] == "base")
    alike = frame[frame["arm"] == "base"].assign(arm="edit")
    twice = pd.concat([frame[frame["arm"] == "base"], alike], ignore_index=True)
    for paired in (True, False):
        row = run(twice, baseline="base", paired=paired).iloc[0]
        assert row["estimate"] == 0
        assert row["estimate_gold"] == 0
    assert row["se"] == 0


def test_a_partly_labelled_item_has_the_mean_of_its_labels():
    frame = runs(seeds=3)
    frame["gold"] = frame["gold"].where(frame["seed"] < 2)
    means = frame.groupby(["item_id", "arm"], as_index=False)[["judge", "gold"]].mean()
    found, expected = run(frame), run(means)
    same = [name for name in expected if expected[name].dtype == float]
    assert_frame_equal(found[same], expected[same], rtol=1e-12)
    labels = frame.dropna(subset="gold").groupby(["arm", "item_id"])["gold"].nunique()
    n_conflicts = (labels > 1).groupby("arm").sum()
    assert found["n_conflicts"].tolist() == n_conflicts.tolist()
    for note, count in zip(found["note"], n_conflicts, strict=True):
        assert f"{count} items have differing labels: their mean is taken" in note
        assert "25 items are labelled in some of their runs alone" in note
    assert (expected["n_conflicts"] == 0).all()


def test_equal_labels_of_runs_are_one_label():
    frame = runs(seeds=3)
    frame["gold"] = frame.groupby(["item_id", "arm"])["gold"].transform("first") * 0.1
    found = run(frame)
    assert found["n_conflicts"].eq(0).all()
    single = run(frame[frame["seed"] == 0])
    assert_allclose(found["estimate_gold"], single["estimate_gold"], rtol=0)


@given(st.integers(0, 30))
def test_strata_of_one_rate_are_near_no_strata(seed):
    frame = runs(rng=seed, labelled=60)
    frame["gold"] = frame["gold"].where(frame["item_id"] % 3 > 0)
    frame["stratum"] = np.where(frame["item_id"] % 2, "odd", "even")
    found, plain = run(frame, strata="stratum"), run(frame)
    assert_allclose(found["estimate"], plain["estimate"], atol=0.02)
    assert_allclose(found["se"], plain["se"], rtol=0.1)
    assert (found["n_strata"] == 2).all()
    assert plain["n_strata"].isna().all()
    renamed = frame.assign(stratum=frame["stratum"].map({"odd": 1, "even": 2}))
    assert_frame_equal(run(renamed, strata="stratum"), found, check_exact=True)


def test_strata_may_differ_between_arms():
    frame = runs(n=200, labelled=200)
    frame["stratum"] = frame["judge"]
    keep = np.random.default_rng(1).random(len(frame)) < np.where(frame["judge"] > 0, 0.8, 0.5)
    truth = frame["gold"].copy()
    frame["gold"] = truth.where(keep)
    row = run(frame, baseline="base", strata="stratum").iloc[0]
    assert row["n_strata"] == 4
    full = compare(frame.assign(score=truth), "base", value="score").iloc[0]
    assert abs(row["estimate"] - full["diff"]) < 3 * row["se"]


def test_what_cannot_be_known_is_missing_and_said():
    frame = runs()
    said = {
        "no label: nothing is known of the judge": frame.assign(gold=np.nan),
        "1 label: it tells neither": frame.assign(gold=frame["gold"].where(frame["item_id"] < 1)),
        "labels are all alike": frame.assign(gold=frame["gold"] * 0),
    }
    for note, one in said.items():
        for options in ({}, {"baseline": "base"}, {"baseline": "base", "paired": False}):
            result = run(one, **options)
            assert result[["se", "conf_low", "conf_high"]].isna().all(axis=None)
            if options.get("paired", True):
                assert result["note"].str.contains(note).all()
    one = run(frame.assign(stratum=(frame["item_id"] > 40).astype(int)), strata="stratum")
    assert one["estimate"].isna().all()
    assert one["note"].str.contains("1 stratum without a label").all()
    lone = frame.assign(cluster_id=np.where(frame["item_id"] < 25, 0, frame["item_id"]))
    result = run(lone)
    assert result["estimate"].notna().all()
    assert result["se"].isna().all()
    assert result["note"].str.contains("labels of 1 cluster only: no standard error").all()


@pytest.mark.parametrize("paired", [True, False])
def test_clusters_of_both_arms_are_counted_once(paired):
    frame = runs().assign(cluster_id=lambda f: f["item_id"] % 20, task="a")
    apart = frame.assign(cluster_id=frame["cluster_id"] + 100, task="b")
    frame = pd.concat([frame, apart[apart["item_id"] % 20 < 7]])
    found = run(frame, baseline="base", paired=paired, by="task").set_index("task")
    assert found["n_clusters"].tolist() == [20, 7]


def test_few_labels_and_rare_classes_are_said():
    few = run(runs(labelled=9))
    assert few["note"].str.contains("9 labels, under 15").all()
    apart = run(runs(labelled=9), baseline="base", paired=False)
    assert apart["note"].str.contains("9 labels, under 15").all()
    frame = runs()
    frame["gold"] = frame["gold"].where(frame["gold"].isna(), (frame["item_id"] > 2).astype(float))
    rare = run(frame)
    assert rare["note"].str.contains("3 labels of the rarer class, under 5").all()
    fits = run(frame.assign(judge=frame["gold"].fillna(frame["judge"])))
    assert fits["note"].str.contains("how often it fails was not seen").all()
    assert not run(runs(n=200, labelled=80))["note"].any()


def test_one_value_a_judge_lacks_is_refused_or_dropped():
    frame = runs()
    frame.loc[3, "judge"] = np.nan
    with pytest.raises(
        FrameError, match=r"'judge' must have a score in every row.*missing=\"drop\""
    ):
        run(frame)
    dropped = run(frame, missing="drop")
    assert dropped["n_dropped"].sum() == 1
    assert dropped["n_items"].sum() == 119
    paired = run(frame, missing="drop", baseline="base").iloc[0]
    assert paired["n_items"] == 59
    assert paired["n_dropped"] == 1
    with pytest.raises(DesignError, match="same \\(item, seed\\) keys"):
        run(frame.drop(index=[3]), baseline="base")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"judge": "gold"}, RoleError, "must be two columns"),
        ({"judge": 3}, RoleError, "judge must be the name of a column"),
        ({"judge": "opinion"}, RoleError, "no column 'opinion'"),
        ({"gold": "verdict"}, FrameError, "'verdict' must hold numbers or booleans, found text"),
        ({"judge": "verdict"}, FrameError, "'verdict' must hold numbers or booleans, found text"),
        ({"strata": "opinion"}, RoleError, "opinion"),
        ({"strata": "seed_level"}, FrameError, "same in all runs of an item by an arm"),
        ({"by": "bias"}, RoleError, "by cannot name 'bias'"),
        ({"baseline": "nobody"}, DesignError, "baseline must be the label of an arm"),
        ({"interval": "wald"}, ValueError, "interval must be one of 't', 'normal'"),
        ({"missing": "zero"}, ValueError, "missing must be one of 'raise', 'drop'"),
        ({"lam": "auto"}, ValueError, "lam must be a number"),
        ({"lam": math.nan}, ValueError, "lam must be a number"),
        ({"lam": 0.5, "clip": True}, ValueError, "clip keeps an estimated lambda"),
        ({"clip": 1}, ValueError, "clip must be True or False"),
        ({"level": 95}, ValueError, "level"),
    ],
)
def test_a_wrong_argument_says_what_to_type(options, error, message):
    frame = runs(seeds=2).assign(verdict="good", seed_level=lambda f: f["seed"])
    with pytest.raises(error, match=message):
        run(frame, **options)


def test_numbers_of_other_dtypes_are_the_same():
    frame = runs()
    expected = run(frame)
    for kind in ("Float64", "double[pyarrow]", "Int64", "boolean"):
        assert_frame_equal(run(frame.astype({"gold": kind, "judge": kind})), expected)
    assert_frame_equal(frame.evals.debias(judge="judge", gold="gold"), expected)


def test_ten_thousand_groups_cost_one_pass():
    draw = np.random.default_rng(0)
    frame = pd.DataFrame({"item_id": np.arange(60_000), "task": np.arange(60_000) % 10_000})
    frame["judge"] = draw.random(60_000)
    frame["gold"] = (frame["judge"] + draw.random(60_000)).where(frame["item_id"] < 40_000)
    result = run(frame, by="task")
    assert len(result) == 10_000
    alone = run(frame[frame["task"] == 7])
    part = result[result["task"] == 7].drop(columns="task").reset_index(drop=True)
    assert_frame_equal(part, alone, check_exact=True)


def test_notes_of_one_are_in_the_singular():
    frame = runs(labelled=25)
    frame["gold"] = frame["gold"].where(frame["gold"].isna(), (frame["item_id"] > 0).astype(float))
    assert run(frame)["note"].str.contains("1 label of the rarer class").all()
    lone = run(runs(labelled=1))
    assert lone["note"].str.contains("1 label, under 15").all()
    twice = runs(seeds=2)
    twice.loc[(twice["item_id"] == 0) & (twice["seed"] == 0), "gold"] = 1.0
    twice.loc[(twice["item_id"] == 0) & (twice["seed"] == 1), "gold"] = 0.0
    twice.loc[(twice["item_id"] > 0) & (twice["seed"] == 1), "gold"] = np.nan
    twice.loc[twice["item_id"] == 1, "gold"] = 1.0
    note = run(twice)["note"]
    assert note.str.contains("1 item has differing labels").all()
    assert not note.str.contains("1 items").any()


@pytest.mark.parametrize(("slope", "said"), [(1.0, False), (1.2, False), (1.5, True), (-1.0, True)])
def test_a_lambda_just_past_1_is_no_other_scale(slope, said):
    draw = np.random.default_rng(0)
    frame = pd.DataFrame({"item_id": range(4000), "judge": draw.random(4000)})
    frame["gold"] = slope * frame["judge"] + 0.01 * draw.normal(size=4000)
    frame.loc[20:, "gold"] = np.nan
    row = run(frame).iloc[0]
    assert abs(row["lambda"] - slope) < 0.04
    assert ("outside 0 to 1" in row["note"]) == said


def test_continuous_labels_have_no_classes():
    frame = pd.DataFrame({"item_id": range(30), "judge": np.linspace(0, 1, 30)})
    frame["gold"] = [0.21, 0.83, *[np.nan] * 28]
    assert "class" not in run(frame).loc[0, "note"]


def test_lambda_of_unpaired_arms_is_missing_with_a_note():
    row = run(runs(), baseline="base", paired=False).iloc[0]
    assert pd.isna(row["lambda"])
    assert "lambda and correlation are of each arm" in row["note"]
    assert "of each arm" not in run(runs(), baseline="base").loc[0, "note"]
