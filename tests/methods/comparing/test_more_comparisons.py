"""Unpaired, against a margin, in families, pooled and controlled: laws, published values, edges."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy import stats

from evalframe import DesignError, adjusted, compare, contrasts, pooled, score
from evalframe.rng import generator
from evalframe.stats.rays import quantile, root_of, two_sided
from evalframe.stats.simultaneous import families

few = settings(max_examples=20, deadline=None)
draws = st.integers(0, 2**31)


def runs(draw, n=30, arms=("base", "x", "y"), clusters=None):
    """Return scores of arms on the same items."""
    frame = pd.DataFrame(
        {
            "item_id": np.tile(np.arange(n), len(arms)),
            "arm": np.repeat(arms, n),
            "score": draw.normal(size=n * len(arms)) + np.tile(draw.normal(size=n), len(arms)),
        }
    )
    if clusters is not None:
        frame["cluster_id"] = frame["item_id"] % clusters
    return frame


@few
@given(draws, st.integers(2, 40), st.integers(2, 40))
def test_different_items_are_compared_by_welchs_test(seed, n, m):
    draw = np.random.default_rng(seed)
    base, arm = draw.normal(size=n), draw.normal(size=m) * 3
    frame = pd.DataFrame(
        {
            "item_id": np.arange(n + m),
            "arm": ["base"] * n + ["edit"] * m,
            "score": np.concatenate([base, arm]),
        }
    )
    row = contrasts(frame, "base", paired=False, n_draws=100).iloc[0]
    expected = stats.ttest_ind(arm, base, equal_var=False)
    limits = expected.confidence_interval()
    assert_allclose(
        row[["statistic", "p_value", "df", "conf_low", "conf_high"]].astype(float),
        [expected.statistic, expected.pvalue, expected.df, limits.low, limits.high],
        rtol=1e-8,
    )


@few
@given(draws)
def test_shared_clusters_of_one_item_make_it_the_paired_comparison(seed):
    frame = runs(np.random.default_rng(seed))
    frame["cluster_id"] = frame["item_id"]
    loose = compare(frame, "base", paired=False)
    tight = compare(frame, "base", interval="t")
    for name in ("diff", "se", "conf_low", "conf_high", "df", "n_clusters"):
        assert_allclose(
            loose[name].astype(float), tight[name].astype(float), rtol=1e-10, atol=1e-12
        )


def test_clusters_of_different_items_give_each_arm_its_robust_error():
    draw = np.random.default_rng(0)
    frame = runs(draw, arms=("base", "x"))
    other = frame["arm"] == "x"
    frame.loc[other, "item_id"] += 100
    frame["cluster_id"] = frame["item_id"] % 10 + 50 * other
    row = compare(frame, "base", paired=False).iloc[0]
    parts = score(frame)["se"]
    assert_allclose(row["se"], np.hypot(*parts), rtol=1e-12)
    expected = (parts**2).sum() ** 2 / ((parts**4) / 9).sum()
    assert_allclose(row["df"], expected, rtol=1e-12)
    assert row["n_clusters"] == 20


def test_paired_data_compared_unpaired_says_so():
    row = compare(runs(np.random.default_rng(0)), "base", paired=False).iloc[0]
    assert row["interval"] == "welch"
    assert "30 items are in both arms: a paired comparison is sharper" in row["note"]
    with pytest.raises(ValueError, match="Welch's t interval alone, not 'tango'"):
        compare(runs(np.random.default_rng(0)), "base", paired=False, interval="tango")


@pytest.mark.parametrize(
    ("gap", "margin", "verdict", "true"),
    [
        (2.0, 0.1, "better", {"better", "not_worse"}),
        (-2.0, 0.1, "worse", {"worse", "not_better"}),
        (0.0, 2.0, "equivalent", {"equivalent", "not_worse", "not_better"}),
        (0.4, 0.5, "not worse", {"not_worse"}),
        (-0.4, 0.5, "not better", {"not_better"}),
        (0.0, 0.01, "inconclusive", set()),
        (2.0, 9.0, "better", {"better", "equivalent", "not_worse", "not_better"}),
    ],
)
def test_verdicts(gap, margin, verdict, true):
    spread = np.tile([-2.0, -1.0, 0.0, 1.0, 2.0], 10)
    n = len(spread)
    frame = pd.DataFrame(
        {
            "item_id": np.tile(np.arange(n), 2),
            "arm": ["base"] * n + ["edit"] * n,
            "score": np.concatenate([np.zeros(n), spread + gap]),
        }
    )
    row = compare(frame, "base", interval="t", margin=margin).iloc[0]
    flags = ["better", "worse", "equivalent", "not_worse", "not_better"]
    assert row["verdict"] == verdict
    assert {name for name in flags if row[name]} == true
    for ours, side, bound in (
        ("p_not_worse", "greater", -margin),
        ("p_not_better", "less", margin),
    ):
        test = stats.ttest_1samp(spread + gap, bound, alternative=side)
        assert_allclose(row[ours], test.pvalue, rtol=1e-9)
        assert (row[ours] < 0.025) == row[ours[2:]]


def test_a_margin_belongs_to_the_score_unless_columns_are_named():
    frame = runs(np.random.default_rng(0)).assign(n_output_tokens=range(90))
    found = compare(frame, "base", margin=0.5, n_boot=20).set_index(["arm", "metric"])
    assert found["margin"].unstack()["score"].tolist() == [0.5, 0.5]
    assert found["margin"].unstack()["tokens"].isna().all()
    assert (found["verdict"].unstack()["tokens"] == "").all()
    both = compare(frame, "base", margin={"score": 0.5, "tokens": 9.0}, n_boot=20)
    assert both["margin"].tolist() == [0.5, 9.0] * 2
    with pytest.raises(ValueError, match="margin names columns that are not compared: 'cost'"):
        compare(frame, "base", margin={"cost": 1.0})
    with pytest.raises(ValueError, match="margin must be a number above 0"):
        compare(frame, "base", margin=0)


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


def test_the_quantile_of_independent_rows_is_sidaks():
    blocks = [(np.array([i]), np.eye(1)) for i in range(5)]
    found = quantile(families(blocks, np.zeros(5), np.inf, generator(0), 4_096), 0.95)
    assert_allclose(found, stats.norm.ppf((1 + 0.95 ** (1 / 5)) / 2), rtol=0.005)


def test_the_quantile_of_one_row_repeated_is_its_own():
    blocks = [(np.arange(3), np.ones((3, 3)))]
    found = quantile(families(blocks, np.zeros(3), 10.0, generator(0), 4_096), 0.95)
    assert_allclose(found, stats.t.ppf(0.975, 10), rtol=0.01)


@pytest.mark.parametrize(
    ("k", "df", "expected"), [(2, np.inf, 2.21), (3, np.inf, 2.35), (2, 20, 2.38), (5, 60, 2.58)]
)
def test_rays_of_one_error_are_dunnetts_table_of_two_sided_comparisons(k, df, expected):
    # Dunnett (1964), Biometrics 20, 482-491, 5% points at a correlation of one half.
    matrix = np.full((k, k), 0.5) + 0.5 * np.eye(k)
    rays = two_sided(root_of(matrix), df, generator(0), 100_000, own=False)
    found = quantile([rays], 0.95)
    assert abs(found - expected) < 0.015


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


def test_u001_macro_and_micro_have_their_own_errors():
    frame = pd.DataFrame(
        {
            "task": ["A"] * 100 + ["B"] * 400,
            "item_id": range(500),
            "score": [1] * 80 + [0] * 20 + [1] * 200 + [0] * 200,
        }
    )
    found = pooled(frame, by="task").set_index("weighting")
    assert_allclose(
        found.loc["macro", ["estimate", "se"]].astype(float), [0.65, 0.0236787], atol=5e-8
    )
    assert_allclose(
        found.loc["micro", ["estimate", "se"]].astype(float), [0.56, 0.0215789], atol=5e-8
    )
    # The mean of the two standard errors is the error of neither (U039).
    assert not np.isclose(found["se"], 0.0326164, atol=1e-4).any()


@few
@given(draws)
def test_one_group_is_pooled_into_itself(seed):
    frame = runs(np.random.default_rng(seed)).assign(task="only")
    kinds = ["macro", "micro", "inverse-variance"]
    found = pooled(frame, "base", by="task", weighting=kinds)
    single = contrasts(frame, "base", n_draws=100).set_index("arm")
    for row in found.itertuples():
        assert_allclose([row.estimate, row.se], single.loc[row.arm, ["diff", "se"]].tolist())
        if row.weighting != "inverse-variance":
            assert_allclose(row.p_value, single.loc[row.arm, "p_value"], rtol=1e-9)
        assert row.q_statistic < 1e-20
        assert row.i_squared == 0


def test_a_group_that_an_arm_lacks_is_said_to_be_missing():
    frame = runs(np.random.default_rng(0), arms=("x", "y")).assign(task="a")
    frame = pd.concat([frame, frame[frame["arm"] == "x"].assign(task="b")])
    found = pooled(frame, by="task", weighting="macro").set_index("arm")
    assert found["n_groups"].tolist() == [2, 1]
    assert "no item in 1 of 2 groups" in found.loc["y", "note"]


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


@pytest.mark.parametrize("paired", [True, False])
def test_values_counted_as_0_are_noted_in_families(paired):
    frame = runs(np.random.default_rng(0))
    frame.loc[[0, 30, 31], "score"] = np.nan
    found = contrasts(frame, "base", missing="zero", paired=paired).set_index("arm")
    assert "3 missing counted as 0" in found.loc["x", "note"]
    assert "1 missing counted as 0" in found.loc["y", "note"]
    assert "counted" not in "".join(contrasts(frame, "base", missing="drop")["note"])


def test_values_counted_as_0_are_noted_in_pools():
    frame = runs(np.random.default_rng(0)).assign(task="a")
    frame.loc[[0, 30, 31], "score"] = np.nan
    scores = pooled(frame, by="task", weighting="macro", missing="zero").set_index("arm")
    gaps = pooled(frame, "base", by="task", weighting="macro", missing="zero").set_index("arm")
    assert "2 missing counted as 0" in scores.loc["x", "note"]
    assert "3 missing counted as 0" in gaps.loc["x", "note"]
    assert "counted" not in "".join(pooled(frame, by="task", missing="drop")["note"])


def test_draws_do_not_depend_on_the_names_of_arms():
    frame = runs(np.random.default_rng(0), clusters=6)
    found = contrasts(frame, "base")
    other = contrasts(frame.replace({"arm": {"x": "z"}}).sample(frac=1, random_state=1), "base")
    expected = found.replace({"arm": {"x": "z"}}).sort_values("arm", ignore_index=True)
    assert_frame_equal(other, expected, check_exact=True)


def suite(seed: int, clusters: int | None = None) -> pd.DataFrame:
    """Three tasks on the same 24 items, which are hard or easy in all of them."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=24) if clusters is None else np.repeat(rng.normal(size=8), 3)
    frame = pd.DataFrame({"item_id": np.tile(np.arange(24), 3), "task": np.repeat(list("abc"), 24)})
    frame["score"] = hard[frame["item_id"]] + rng.normal(size=72)
    return frame if clusters is None else frame.assign(cluster_id=frame["item_id"] // 3)


@few
@given(draws, st.sampled_from([None, 8]))
def test_groups_of_the_same_items_pool_as_the_mean_over_groups_of_each_item(seed, clusters):
    frame = suite(seed, clusters)
    found = pooled(frame, by="task", weighting=["macro", "micro"], shared=True)
    single = score(frame.groupby("item_id", as_index=False).mean(numeric_only=True))
    for name in ("estimate", "se", "conf_low", "conf_high", "df"):
        assert_allclose(found[name], [single[name][0]] * 2, rtol=1e-9)


def test_labels_in_several_pooled_groups_are_noted_and_their_covariance_used_when_asked():
    frame = suite(0, 8)
    plain = pooled(frame, by="task", weighting="macro").iloc[0]
    assert "labels of cluster_id stand in several groups: taken as different" in plain["note"]
    assert "shared=True" in plain["note"]
    found = pooled(frame, by="task", weighting="macro", shared=True).iloc[0]
    assert "labels of cluster_id stand in several groups: the groups' covariance" in found["note"]
    assert found["n_clusters"] == 8
    apart = frame.assign(
        item_id=frame["task"] + frame["item_id"].astype(str),
        cluster_id=frame["task"] + frame["cluster_id"].astype(str),
    )
    other = pooled(apart, by="task", weighting="macro", shared=True).iloc[0]
    assert other["note"] == ""
    assert other["n_clusters"] == plain["n_clusters"] == 24
    assert other["se"] == plain["se"]
    assert found["se"] > 1.2 * other["se"]


def test_items_in_some_groups_only_agree_with_a_slow_sum_over_items():
    frame = suite(1).drop(index=[0, 5, 30, 50, 51]).reset_index(drop=True)
    found = pooled(frame, by="task", weighting="macro", shared=True).iloc[0]
    total = dict.fromkeys(range(24), 0.0)
    for _, one in frame.groupby("task"):
        n, mean = len(one), one["score"].mean()
        for item, value in zip(one["item_id"], one["score"], strict=True):
            total[item] += (value - mean) / n * np.sqrt(n / (n - 1)) / 3
    assert_allclose(found["se"], np.sqrt(sum(one**2 for one in total.values())), rtol=1e-10)


def test_a_sure_difference_within_the_margin_is_said_to_be_equivalent_too():
    frame = pd.DataFrame({"item_id": list(range(400)) * 2, "arm": ["base"] * 400 + ["x"] * 400})
    frame["score"] = np.where((frame["arm"] == "x") & (frame["item_id"] < 8), 1.0, 0.0)
    row = compare(frame, "base", margin=0.1, value="score").iloc[0]
    assert row["verdict"] == "better"
    assert row["equivalent"]
    assert "smaller than the margin of 0.1: equivalent too" in row["note"]
