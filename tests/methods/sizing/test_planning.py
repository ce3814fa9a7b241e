import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy import stats

from evalframe import DesignError, compare, mde, power, sample_size
from evalframe.stats.power import correlation_bounds

effects = st.floats(0.005, 0.5)
spreads = st.floats(0.05, 2.0)


def runs(n=40, seeds=2, clusters=8, arms=("base", "edit"), rng=0):
    """Return runs of arms that differ by 0.1, with noise of clusters, items and runs."""
    draw = np.random.default_rng(rng)
    cluster = np.arange(n) % clusters
    item = draw.normal(size=clusters)[cluster] * 0.3 + draw.normal(size=n) * 0.3
    frames = [
        pd.DataFrame(
            {
                "item_id": np.arange(n),
                "arm": arm,
                "seed": seed,
                "cluster_id": cluster,
                "score": item + 0.1 * place + draw.normal(size=n) * 0.4,
            }
        )
        for place, arm in enumerate(arms)
        for seed in range(seeds)
    ]
    return pd.concat(frames, ignore_index=True)


def test_u010_unpaired_and_paired():
    options = {"n_items": 164, "p_a": 0.5, "p_b": 0.5}
    assert_allclose(mde(**options, paired=False).loc[0, "mde"], 0.154692, atol=5e-7)
    assert_allclose(mde(**options, correlation=0.5).loc[0, "mde"], 0.109384, atol=5e-7)


@given(effects, spreads, st.floats(0.1, 0.99), st.floats(0.001, 0.09))
def test_the_items_asked_for_give_the_power_asked_for_and_one_less_does_not(
    effect, spread, wanted, alpha
):
    n = int(sample_size(effect, sd_diff=spread, power=wanted, alpha=alpha).loc[0, "n_items"])
    found = power(effect, n_items=n, sd_diff=spread, alpha=alpha).loc[0, "power"]
    assert found >= wanted * (1 - 1e-9)
    if n > 2:
        size = stats.norm.isf(alpha / 2)
        assert stats.norm.cdf(effect / spread * (n - 1) ** 0.5 - size) < wanted * (1 + 1e-9)


@given(effects, spreads, st.integers(2, 10_000), st.floats(0.001, 0.2))
def test_power_is_that_of_a_two_sided_normal_test(effect, spread, n, alpha):
    found = power(effect, n_items=n, sd_diff=spread, alpha=alpha).loc[0, "power"]
    shift, size = effect / spread * n**0.5, stats.norm.isf(alpha / 2)
    expected = stats.norm.sf(size - shift) + stats.norm.cdf(-size - shift)
    assert_allclose(found, expected, rtol=1e-10)


@given(spreads, st.integers(2, 10_000))
def test_the_smallest_effect_is_found_with_the_power_asked_for(spread, n):
    least = mde(n, sd_diff=spread).loc[0, "mde"]
    assert_allclose(power(least, n_items=n, sd_diff=spread).loc[0, "power"], 0.8, rtol=1e-4)


@given(st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_the_bounds_of_a_correlation_are_reached_by_some_fourfold_table(p_a, p_b):
    spread = (p_a * (1 - p_a) * p_b * (1 - p_b)) ** 0.5
    ends = [(max(0, p_a + p_b - 1) - p_a * p_b) / spread, (min(p_a, p_b) - p_a * p_b) / spread]
    assert_allclose(correlation_bounds(p_a, p_b), ends, atol=1e-12)
    if ends[1] < 0.99:
        with pytest.raises(ValueError, match="can have correlations from"):
            sample_size(0.02, p_a=p_a, p_b=p_b, correlation=ends[1] + 1e-6)


def test_clusters_and_runs_add_up_as_components_do():
    # Clusters 0.04, items 0.05, runs 0.07: with one run 0.16 in all, an icc of 0.25.
    plan = mde(n_items=600, sd_diff=0.4, sd_seed=0.07**0.5, icc=0.25, cluster_size=6, seeds=4)
    expected = (0.04 * 6 + 0.05 + 0.07 / 4) / 600
    assert_allclose(plan.loc[0, "se"] ** 2, expected, rtol=1e-12)
    assert plan.loc[0, "n_clusters"] == 100


def test_a_plan_from_a_frame_is_that_of_its_own_comparison():
    frame = runs()
    row = compare(frame, "base").iloc[0]
    plan = mde(frame, "base").iloc[0]
    assert_allclose(plan["se"], row["se"], rtol=1e-12)
    normal = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert_allclose(plan["mde"], normal * row["se"], rtol=1e-12)
    assert plan["n_items"] == 40
    assert plan["n_clusters"] == 8
    again = mde(frame, "base", n_items=160).iloc[0]
    assert_allclose(again["mde"], plan["mde"] / 2, rtol=1e-12)


def test_unpaired_plans_add_the_variances_of_both_arms():
    frame = runs()
    alone = [compare(frame, "base", paired=False, cluster=False).loc[0, "se"]]
    assert_allclose(mde(frame, "base", paired=False, cluster=False).loc[0, "se"], alone, rtol=1e-12)


def test_more_runs_of_each_item_help_up_to_a_floor():
    frame = runs()
    found = [mde(frame, "base", seeds=k).loc[0, "mde"] for k in (1, 2, 4, 64)]
    assert found == sorted(found, reverse=True)
    assert_allclose(found[1], mde(frame, "base").loc[0, "mde"], rtol=1e-12)


def test_a_pilot_of_one_run_cannot_say_what_more_runs_do():
    frame = runs(seeds=1)
    with pytest.raises(DesignError, match="needs a pilot with two seeds"):
        mde(frame, "base", seeds=4)
    assert np.isfinite(mde(frame, "base", seeds=1).loc[0, "mde"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sd_diff": 0.3, "p_a": 0.5, "p_b": 0.4}, "said once"),
        ({"p_a": 0.5}, "said once"),
        ({"sd_diff": 0.3, "correlation": 0.5}, "sd_diff holds the correlation already"),
        ({"sd_diff": 0.3, "icc": 0.2}, "icc and cluster_size go together"),
        ({"sd_diff": 0.3, "seeds": 4}, "needs sd_seed="),
        ({"sd_diff": 0.3, "seeds": 4, "sd_seed": 0.4}, "more than the whole spread"),
        ({"p_a": 0.5, "p_b": 0.4, "correlation": 0.5, "paired": False}, "not correlated"),
        ({"sd_diff": -1}, "sd_diff must be a number above 0"),
        ({"sd_diff": 1e200}, "sd_diff must be a number above 0 and at most 1e\\+100"),
        ({"sd_diff": 0.3, "seeds": 10**400}, "seeds must be a number of at least 1 and at most"),
        ({"sd_diff": 0.3, "power": 1.0}, "power must lie between alpha"),
        ({"sd_diff": 0.3, "alpha": 5}, "alpha must lie between 0 and 1"),
        ({"sd_diff": 0.3, "baseline": "base"}, "names an arm of a pilot"),
        ({"p_a": 0.5, "p_b": 0.4, "effect": 1.5}, "differ by 1 at most"),
    ],
)
def test_an_impossible_request_says_why(given, message):
    with pytest.raises(ValueError, match=message):
        sample_size(**{"effect": 0.02, **given})


def test_a_pilot_brings_its_own_spread():
    with pytest.raises(ValueError, match="a pilot shows its own spread, found sd_diff"):
        sample_size(runs(), "base", effect=0.1, sd_diff=0.3)
    with pytest.raises(ValueError, match="given twice"):
        sample_size(0.1, effect=0.1, sd_diff=0.3)
    with pytest.raises(DesignError, match="baseline must be the label of an arm, found None"):
        sample_size(runs(), effect=0.1)


def test_a_pilot_without_spread_cannot_plan():
    frame = runs(seeds=1)
    frame["score"] = 1.0
    row = sample_size(frame, "base", effect=0.1).iloc[0]
    assert pd.isna(row["n_items"])
    assert "shows no spread" in row["note"]


def test_the_method_and_the_function_are_one():
    frame = runs()
    plan = frame.evals.sample_size("base", effect=0.1)
    assert_frame_equal(plan, sample_size(frame, "base", effect=0.1))
    json.dumps(plan.attrs["evalframe"])


def test_the_plan_holds_when_it_is_simulated():
    # Clusters of 5 items, two runs an item; the power of compare's own interval at level 0.95.
    cluster, item, run, effect = 0.15, 0.2, 0.3, 0.08
    one_run = cluster**2 + item**2 + 2 * run**2
    plan = sample_size(
        effect,
        sd_diff=one_run**0.5,
        sd_seed=2**0.5 * run,
        icc=cluster**2 / one_run,
        cluster_size=5,
        seeds=2,
    ).iloc[0]
    n, n_clusters = int(plan["n_clusters"]) * 5, int(plan["n_clusters"])
    draw, n_sim = np.random.default_rng(1), 4000
    noise = draw.normal(size=(n_sim, n, 2, 2)).mean(axis=2) @ [1.0, -1.0] * run
    d = effect + noise + draw.normal(size=(n_sim, n)) * item
    d += np.repeat(draw.normal(size=(n_sim, n_clusters)) * cluster, 5, axis=1)
    means = d.reshape(n_sim, n_clusters, 5).mean(axis=2)
    se = means.std(axis=1, ddof=1) / n_clusters**0.5
    found = np.mean(np.abs(means.mean(axis=1)) > stats.norm.ppf(0.975) * se)
    assert abs(found - 0.8) < 4 * (0.16 / n_sim) ** 0.5


def noisy(draw, seeds=2, clusters=30, size=5):
    """Return runs of two arms that differ by their runs alone."""
    n = clusters * size
    index = pd.MultiIndex.from_product(
        [range(n), ["base", "edit"], range(seeds)], names=["item_id", "arm", "seed"]
    )
    frame = index.to_frame(index=False)
    frame["score"] = draw.normal(size=len(frame))
    return frame.assign(cluster_id=frame["item_id"] // size)


@pytest.mark.parametrize("clustered", [True, False])
@pytest.mark.parametrize("paired", [True, False])
def test_a_plan_for_more_runs_never_needs_less_than_the_runs_noise(clustered, paired):
    draw, floors = np.random.default_rng(0), 0
    for _ in range(60):
        frame = noisy(draw)
        wide = frame.pivot(index="item_id", columns=["arm", "seed"], values="score")
        gap = wide["edit"] - wide["base"]
        apart = [gap] if paired else [wide["edit"], wide["base"]]
        of_runs = sum(part.var(axis=1, ddof=1).mean() for part in apart) / 8
        need = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) ** 2 * of_runs / 0.2**2
        options = {"cluster": clustered, "paired": paired}
        row = sample_size(frame, "base", effect=0.2, seeds=8, **options).iloc[0]
        assert row["n_items"] >= need * (1 - 1e-9)
        assert row["design_effect"] > 0
        assert row["sd_diff"] ** 2 >= of_runs * (1 - 1e-9)
        floors += "no variance between items beyond that of its runs" in row["note"]
        told = "beyond that of its runs" in row["note"] or "runs make up most" in row["note"]
        assert told or clustered
    assert 0 < floors < 60


def test_more_runs_of_a_pilot_add_up_as_components_do():
    frame = runs(n=400, clusters=100)
    wide = frame.pivot(index="item_id", columns=["arm", "seed"], values="score")
    of_runs = (wide["edit"] - wide["base"]).var(axis=1, ddof=1).mean()
    now, more = (mde(frame, "base", seeds=k).iloc[0] for k in (2, 10))
    assert_allclose(now["se"] ** 2 - more["se"] ** 2, of_runs * (1 / 2 - 1 / 10) / 400, rtol=1e-9)
    assert_allclose(now["sd_diff"] ** 2 - more["sd_diff"] ** 2, of_runs * 0.4, rtol=1e-9)


def test_arms_of_one_run_beside_others_of_two_say_why_there_is_no_plan():
    frame = runs(arms=("base", "edit", "once"))
    frame = frame[(frame["arm"] != "once") | (frame["seed"] == 0)]
    found = mde(frame, "base", seeds=4, missing="drop").set_index("arm")
    assert pd.notna(found.loc["edit", "mde"])
    assert pd.isna(found.loc["once", "mde"])
    assert "one run of each item" in found.loc["once", "note"]


def test_missing_values_of_a_pilot_leave_a_trace():
    frame = runs()
    frame.loc[[0, 3, 50], "score"] = np.nan
    for paired in (True, False):
        options = {"effect": 0.1, "paired": paired}
        dropped = sample_size(frame, "base", missing="drop", **options).loc[0, "note"]
        zeros = sample_size(frame, "base", missing="zero", **options).loc[0, "note"]
        assert "3 missing left out" in dropped
        assert "3 missing counted as 0" in zeros
    for plan in (
        mde(frame, "base", missing="zero"),
        power(frame, "base", effect=0.1, missing="zero"),
    ):
        assert "3 missing counted as 0" in plan.loc[0, "note"]


@given(st.sampled_from([(0.72, 0.7), (0.6, 0.65), (0.9, 0.4)]), st.sampled_from([1, -1]))
def test_an_effect_is_the_difference_of_the_means_or_refused(means, sign):
    p_a, p_b = means
    means = {"p_a": p_a, "p_b": p_b}
    whole = sample_size(**means)
    assert_allclose(whole.loc[0, "effect"], p_a - p_b, rtol=1e-9)
    again = sample_size(sign * (p_a - p_b), **means)
    assert again.loc[0, "n_items"] == whole.loc[0, "n_items"]
    for plan, more in ((sample_size, {}), (power, {"n_items": 100})):
        with pytest.raises(ValueError, match=f"contradicts p_a={p_a:g} and p_b={p_b:g}"):
            plan(sign * 0.2, **means, **more)


@pytest.mark.parametrize("pilot", [None, runs()])
def test_a_plan_without_an_effect_says_what_to_type(pilot):
    numbers = {"sd_diff": 0.3} if pilot is None else {"baseline": "base"}
    for plan, more in ((sample_size, {}), (power, {"n_items": 100})):
        with pytest.raises(ValueError, match=r"effect=\.\.\. is needed.* effect=0\.05"):
            plan(pilot, **numbers, **more)
    with pytest.raises(ValueError, match="no number of items finds that there is none"):
        sample_size(0, sd_diff=0.3)


@pytest.mark.parametrize("effect", [1e-12, 1e-200, 5e-324])
def test_a_count_past_what_can_be_counted_is_refused(effect):
    for call in (
        lambda: sample_size(effect, sd_diff=0.3),
        lambda: runs().evals.sample_size("base", effect=effect),
    ):
        with pytest.raises(ValueError, match="more than can be counted"):
            call()
    for plan, more in ((mde, {}), (power, {"effect": 0.1})):
        with pytest.raises(ValueError, match="at most 2\\*\\*53"):
            plan(n_items=10**30, sd_diff=0.3, **more)
    assert sample_size(1e-7, sd_diff=0.3).loc[0, "n_items"] > 7e13
