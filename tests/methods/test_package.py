"""What another package returns for the same data; its known faults have tests of their own."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import evalframe
from evalframe import adjusted, compare, contrasts, icc, mde, pooled, sample_size, variance

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "package.json").read_text())
CASES = {case["case"]: case for case in REFERENCE["cases"]}
ROLES = {
    "score": "score",
    "item": "item_id",
    "model": "arm",
    "sample": "seed",
    "cluster": "cluster_id",
}
# It forgets the clusters and counts them twice, or drops the variance of items run once.
SINGLE = {"some_single_response", "cluster_column_ignored", "model_of_two"}


def named(fn, *, error=False, without=()):
    """Return the cases of a function, those that fail there or those that do not."""
    return [
        pytest.param(case, id=name)
        for name, case in CASES.items()
        if case["fn"] == fn
        and (case["error"] is not None) == error
        and name.split("/")[1] not in without
    ]


def runs_of(case):
    """Return the data of a call as tidy runs."""
    frame = pd.DataFrame(REFERENCE["data"][case["data"]])
    names = {column: ROLES[role] for role, column in case["columns"].items()}
    frame = frame.rename(columns=names)
    keys = [name for name in ("task", "item_id", "arm") if name in frame]
    if "seed" not in frame and frame.duplicated(keys).any():
        frame["seed"] = frame.groupby(keys).cumcount()
    return frame


def numbers(values):
    """Return recorded numbers; NA is NaN."""
    return [math.nan if one is None else float(str(one).replace("Inf", "inf")) for one in values]


def of_arm(result, case):
    model = case["args"].get("model")
    return result if model is None else result[result["arm"] == model]


@pytest.mark.parametrize("case", named("ev_icc"))
def test_intraclass_correlation(case):
    row = of_arm(icc(runs_of(case)), case).iloc[0]
    expected = numbers([case["expected"]["icc"], case["expected"]["icc_raw"]])
    assert_allclose(row[["icc", "icc_raw"]].astype(float), expected, rtol=1e-10, atol=1e-12)
    assert bool(row["note"]) == (
        math.isnan(expected[1]) or expected[1] < 0 or "few" in case["data"]
    )


def test_an_intraclass_correlation_needs_clusters():
    with pytest.raises(evalframe.DesignError, match=r"no column 'cluster_id'.*tidy\(cluster="):
        icc(runs_of(CASES["ev_icc/err_no_cluster"]))


@pytest.mark.parametrize("case", named("ev_resample", without=SINGLE))
def test_variance_components(case):
    expected = case["expected"]
    grid = numbers(expected["projection"]["k"])
    found = of_arm(variance(runs_of(case), seeds=grid, cluster=False), case)
    row = found.iloc[0]
    pairs = {
        "estimate": "estimate",
        "se": "se",
        "var_item": "var_between",
        "var_item_raw": "var_between_raw",
        "var_seed": "var_within",
        "share_seed": "share_within",
        "seeds": "k_mean",
        "n_items": "n_items",
        "n_responses": "n_responses",
    }
    ours = row[list(pairs)].astype(float)
    assert_allclose(
        ours, numbers(expected[name] for name in pairs.values()), rtol=1e-10, atol=1e-12
    )
    planned = found.iloc[1:]
    assert_allclose(planned["se"], numbers(expected["projection"]["se"]), rtol=1e-10)
    responses = planned["n_responses"].astype(float)
    assert_allclose(responses, numbers(expected["projection"]["responses"]))
    floor = variance(runs_of(case), seeds=[np.inf], cluster=False).iloc[-1]
    assert_allclose(floor["se"], expected["se_floor"], rtol=1e-10)


@pytest.mark.parametrize(
    "case", [CASES[f"ev_resample/{name}"] for name in sorted(SINGLE)], ids=sorted(SINGLE)
)
def test_items_run_once_do_not_turn_noise_into_a_difference_between_items(case):
    row = of_arm(variance(runs_of(case), cluster=False), case).iloc[0]
    expected = case["expected"]
    assert_allclose(
        [row["estimate"], row["se"]], [expected["estimate"], expected["se"]], rtol=1e-10
    )
    assert_allclose(row["var_seed"], expected["var_within"], rtol=1e-10)
    # It leaves the noise of items run once in what it calls the variance between items.
    assert row["var_item_raw"] < expected["var_between_raw"]
    assert "have one run" in row["note"]


def test_components_need_repeated_runs():
    with pytest.raises(evalframe.DesignError, match="two seeds or more"):
        variance(runs_of(CASES["ev_resample/err_single_response"]))


@pytest.mark.parametrize("case", named("ev_unpaired"))
def test_unpaired_comparisons(case):
    expected = case["expected"]
    options = {"paired": False, "cluster": False, "level": expected["level"]}
    frame, base = runs_of(case), expected["model_b"]
    row = compare(frame, base, **options).iloc[0]
    ours = ["diff", "se", "conf_low", "conf_high", "df", "arm_mean", "baseline_mean"]
    theirs = ["estimate", "se", "conf_low", "conf_high", "df", "mean_a", "mean_b"]
    assert row["arm"] == expected["model_a"]
    assert_allclose(
        row[ours].astype(float), numbers(expected[name] for name in theirs), rtol=1e-10, atol=1e-14
    )
    assert row["n_items"] == expected["n_a"] + expected["n_b"]
    test = contrasts(frame, base, **options).iloc[0]
    assert_allclose(
        test[["statistic", "p_value"]].astype(float),
        numbers([expected["statistic"], expected["p_value"]]),
        rtol=1e-10,
    )


@pytest.mark.parametrize("case", named("ev_variance_reduction"))
def test_control_variates(case):
    expected, args = case["expected"], case["args"]
    result = adjusted(
        runs_of(case),
        expected["reference"],
        expected["mu_reference"],
        theta=args.get("theta"),
        level=expected["level"],
        cluster=False,
        missing="drop",
    )
    row = result[result["arm"] == expected["model"]].iloc[0]
    ours = {
        "estimate": "estimate",
        "se": "se",
        "estimate_raw": "estimate_raw",
        "se_raw": "se_raw",
        "theta": "theta",
        "correlation": "correlation",
        "reference_estimate": "mean_reference",
        "variance_reduction": "variance_reduction",
        "n_effective": "effective_n",
        "n_items": "n_items",
    }
    values = numbers(expected[name] for name in ours.values())
    assert_allclose(row[list(ours)].astype(float), values, rtol=1e-10)
    # A slope that was estimated costs a degree of freedom, which it does not count.
    assert row["df"] == expected["df"] - expected["theta_estimated"]


def test_a_reference_that_never_varies_cannot_adjust():
    case = CASES["ev_variance_reduction/err_constant_reference"]
    with pytest.raises(evalframe.DesignError, match="needs a reference whose items differ"):
        adjusted(runs_of(case), "B", 0.5)


SUITE = [case for case in named("ev_multi") if case.values[0]["data"] == "data/suite.csv"]
ADJUST = {"BH": "bh", "fdr": "bh", "BY": "by"}


@pytest.mark.parametrize("case", SUITE)
def test_a_suite_of_comparisons(case):
    expected, args = case["expected"], case["args"]
    frame, options = runs_of(case), {}
    clustered = "cluster" in case["columns"]
    method = args.get("method", "holm")
    options["adjust"] = ADJUST.get(method, "holm" if method == "none" else method)
    result = contrasts(
        frame,
        "old",
        by="task",
        paired=case["per_task_fn"] == "ev_paired",
        cluster=clustered,
        level=args.get("level", 0.95),
        simultaneous="bonferroni",
        **options,
    )
    tasks = expected["tasks"]
    pairs = {"diff": "estimate", "se": "se", "df": "df", "p_value": "p_value"}
    pairs |= {name: name for name in ("conf_low", "conf_high", "sim_low", "sim_high")}
    pairs |= {} if method == "none" else {"p_adjusted": "p_adjusted"}
    assert result["task"].tolist() == tasks["task"]
    for ours, theirs in pairs.items():
        # Limits near 0 are differences of larger numbers, and old scipy's t quantile has 11 digits.
        assert_allclose(result[ours], tasks[theirs], rtol=1e-10, atol=1e-11)
    if case["per_task_fn"] == "ev_paired":
        pool = pooled(
            frame, "old", by="task", weighting="inverse-variance", cluster=clustered,
            level=args.get("level", 0.95),
        ).iloc[0]  # fmt: skip
        names = {
            "estimate": "pooled", "se": "pooled_se", "conf_low": "pooled_conf_low",
            "conf_high": "pooled_conf_high", "p_value": "pooled_p_value",
            "q_statistic": "q_statistic", "q_df": "q_df", "q_p_value": "q_p_value",
            "i_squared": "i_squared", "n_groups": "n_tasks",
        }  # fmt: skip
        values = [expected[name] for name in names.values()]
        assert_allclose(pool[list(names)].astype(float), values, rtol=1e-10)


PLAN = {"delta": "effect"}


@pytest.mark.parametrize("case", [c for c in named("ev_power") if "pilot" not in c.values[0]])
def test_sample_sizes(case):
    given = {PLAN.get(name, name): value for name, value in case["args"].items()}
    row, expected = sample_size(**given).iloc[0], case["expected"]
    assert row["n_items"] == expected["n_items"]
    if expected["n_clusters"] is not None:
        assert row["n_clusters"] == expected["n_clusters"]
    assert_allclose(
        [row["sd_diff"], row["design_effect"]],
        [expected["sd_diff"], expected["design_effect"]],
        rtol=1e-10,
    )


@pytest.mark.parametrize(
    "case",
    [
        case
        for case in named("ev_mde", without=["negative_when_power_below_half_alpha"])
        if "pilot" not in case.values[0]
    ],
)
def test_smallest_effects(case):
    row, expected = mde(**case["args"]).iloc[0], case["expected"]
    assert_allclose(
        [row["mde"], row["n_effective"]], [expected["mde"], expected["n_effective"]], rtol=1e-10
    )


@pytest.mark.parametrize("name", ["pilot", "pilot_clustered_sd_already_inflated"])
def test_sample_sizes_from_a_pilot(name):
    case = CASES[f"ev_power/{name}"]
    plan = sample_size(runs_of(case["pilot"]), "old", effect=0.03).iloc[0]
    assert plan["n_items"] == case["expected"]["n_items"]
    assert_allclose(
        plan["sd_diff"] * plan["design_effect"] ** 0.5, case["expected"]["sd_diff"], rtol=1e-10
    )


@pytest.mark.parametrize("name", ["pilot", "pilot_clustered"])
def test_smallest_effects_from_a_pilot(name):
    case = CASES[f"ev_mde/{name}"]
    power = case["args"].get("power", 0.8)
    found = mde(runs_of(case["pilot"]), "old", n_items=600, power=power).iloc[0]
    assert_allclose(found["mde"], case["expected"]["mde"], rtol=1e-10)


def test_the_clusters_of_a_pilot_are_not_counted_twice():
    case = CASES["ev_power/pilot_clustered_plus_icc_double_count"]
    frame = runs_of(case["pilot"])
    plan = sample_size(frame, "old", effect=0.03, icc=0.2, cluster_size=6).iloc[0]
    flat = sample_size(frame, "old", effect=0.03, cluster=False).iloc[0]
    # The design effect of 2 multiplies the items that independent ones would take, once.
    assert plan["design_effect"] == 2
    assert_allclose(plan["n_items"], 2 * flat["n_items"], atol=1)
    assert plan["n_items"] != case["expected"]["n_items"]


REFUSED = {
    "err_delta0": "effect must be a difference other than 0",
    "err_no_sd": "needs the spread of the differences",
    "err_power": "power must lie between alpha",
    "err_zero_var": "no variance with these numbers",
    "err_icc": "icc must be a number of at least 0 and at most 1",
    "err_n": "n_items must be an integer of at least 2",
    "negative_when_power_below_half_alpha": "power must lie between alpha",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_plan_that_cannot_be_made_is_refused(name):
    fn = "ev_power" if f"ev_power/{name}" in CASES else "ev_mde"
    args = CASES[f"{fn}/{name}"]["args"]
    plan = sample_size if fn == "ev_power" else mde
    with pytest.raises(ValueError, match=REFUSED[name]):
        plan(**{PLAN.get(key, key): value for key, value in args.items()})
