"""`pairs`: a slow twin, its laws and its edges."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from scipy import stats

import evalframe as ef
from evalframe import DesignError, FrameError, contrasts, pairs
from evalframe.reduced import reduced
from evalframe.stats import arm_pairs

draws = st.integers(0, 2**31)
NUMBERS = ["diff", "se", "conf_low", "conf_high", "statistic", "p_value", "df"]
COUNTS = ["n_items", "n_dropped", "n_clusters"]


def runs(seed=0, n_arms=4, n=24, n_seeds=2, clusters=None, kind="right"):
    """Return runs of several arms, in random order."""
    draw = np.random.default_rng(seed)
    index = pd.MultiIndex.from_product(
        [range(n), [f"arm {a}" for a in range(n_arms)], range(n_seeds)],
        names=["item_id", "arm", "seed"],
    )
    frame = index.to_frame(index=False)
    ease = draw.random(n)[frame["item_id"]]
    frame["score"] = (
        (draw.random(len(frame)) < ease).astype(float)
        if kind == "right"
        else draw.normal(size=len(frame)) + ease
    )
    if clusters:
        frame["cluster_id"] = frame["item_id"] % clusters
    return frame.sample(frac=1, random_state=seed % 1000)


def one_by_one(frame, **options):
    """Compare each arm with each other by `contrasts`, and count wins in plain pandas."""
    rows = []
    arms = sorted(frame["arm"].unique())
    for place, base in enumerate(arms):
        for arm in arms[place + 1 :]:
            two = frame[frame["arm"].isin([base, arm])]
            row = contrasts(two, base, missing="drop", n_draws=100, **options).iloc[0]
            wide = two.pivot(index=["item_id", "seed"], columns="arm", values="score").dropna()
            mean = wide.groupby("item_id").mean()
            gap = (mean[arm] - mean[base]).round(9)
            rows.append({**row, "wins": (gap > 0).sum(), "losses": (gap < 0).sum()})
    return pd.DataFrame(rows)


@pytest.mark.parametrize("clusters", [None, 5])
@pytest.mark.parametrize("gone", ["nothing", "items", "runs", "values"])
@pytest.mark.parametrize("kind", ["right", "numbers"])
def test_each_row_is_the_comparison_of_two_arms(clusters, gone, kind):
    frame = runs(3, clusters=clusters, kind=kind)
    draw = np.random.default_rng(1)
    if gone == "items":
        frame = frame[(frame["item_id"] * 7 + frame["arm"].str[-1].astype(int)) % 5 > 0]
    if gone == "runs":
        frame = frame[draw.random(len(frame)) < 0.8]
    if gone == "values":
        frame["score"] = frame["score"].where(draw.random(len(frame)) < 0.8)
    found, expected = pairs(frame), one_by_one(frame)
    assert found[["arm", "baseline"]].to_numpy().tolist() == (
        expected[["arm", "baseline"]].to_numpy().tolist()
    )
    assert_allclose(found[NUMBERS], expected[NUMBERS].astype(float), rtol=1e-8, atol=1e-12)
    for name in [*COUNTS, "wins", "losses"]:
        assert found[name].tolist() == expected[name].tolist()
    assert (found["wins"] + found["ties"] + found["losses"] == found["n_items"]).all()
    assert (found["n_dropped"] > 0).any() == (gone != "nothing")


@given(draws, st.sampled_from([None, 6]), st.booleans())
def test_arms_of_other_names_change_signs_alone(seed, clusters, holes):
    frame = runs(seed, n=12, clusters=clusters)
    if holes:
        frame = frame.iloc[:-15]
    labels = sorted(frame["arm"].unique())
    new = dict(zip(labels, np.random.default_rng(seed).permutation(labels), strict=True))
    found = pairs(frame, n_draws=200)
    other = pairs(frame.assign(arm=frame["arm"].map(new)), n_draws=200)
    lookup = {(row["arm"], row["baseline"]): row for row in other.to_dict("records")}
    for row in found.to_dict("records"):
        arm, base = new[row["arm"]], new[row["baseline"]]
        turned = (arm, base) not in lookup
        twin = lookup[(base, arm) if turned else (arm, base)]
        sign = -1 if turned else 1
        assert_array_equal(twin["diff"] * sign, row["diff"])
        sides = ("sim_high", "sim_low") if turned else ("sim_low", "sim_high")
        assert_array_equal([sign * twin[side] for side in sides], [row["sim_low"], row["sim_high"]])
        assert twin["losses" if turned else "wins"] == row["wins"]
        for name in ("se", "p_value", "p_adjusted", "sim_quantile", "n_dropped", "ties"):
            assert_array_equal(twin[name], row[name])


@given(draws, st.sampled_from([None, 6]))
def test_arms_alike_have_the_same_rows(seed, clusters):
    frame = runs(seed, n=12, clusters=clusters, kind="numbers")
    twin = frame[frame["arm"] == "arm 1"].assign(arm="arm 1b")
    found = pairs(pd.concat([frame, twin]), n_draws=200)
    named = ["arm", "baseline"]
    against = {
        arm: found[(found["baseline"] == "arm 0") & (found["arm"] == arm)].drop(columns=named)
        for arm in ("arm 1", "arm 1b")
    }
    assert_frame_equal(*(one.reset_index(drop=True) for one in against.values()), check_exact=True)
    both = found[(found["arm"] == "arm 1b") & (found["baseline"] == "arm 1")].iloc[0]
    assert (both["diff"], both["se"], both["ties"]) == (0, 0, both["n_items"])
    assert np.isnan(both["p_value"])
    assert "standard error 0" in both["note"]
    assert both["n_tests"] == len(found) - 1


def test_an_arm_that_another_repeats_does_not_widen_the_limits():
    frame = runs(4, kind="numbers")
    twin = frame[frame["arm"] == "arm 1"].assign(arm="arm 1b")
    both, alone = pairs(pd.concat([frame, twin])), pairs(frame)
    assert_allclose(both["sim_quantile"].max(), alone["sim_quantile"].max(), rtol=0.02)


def test_groups_have_rows_of_their_own_and_one_family():
    frame = runs(5, n=40, kind="numbers")
    frame["task"] = np.where(frame["item_id"] % 2, "odd", "even")
    found = pairs(frame, by="task")
    assert len(found) == 12
    assert found["n_tests"].tolist() == [12] * 12
    assert found["sim_quantile"].nunique() == 1
    columns = ["diff", "se", "p_value", "wins", "n_items"]
    for task, part in found.groupby("task"):
        alone = pairs(frame[frame["task"] == task])
        assert_frame_equal(part[columns].reset_index(drop=True), alone[columns], check_exact=True)
        assert (part["sim_quantile"].to_numpy() > alone["sim_quantile"].to_numpy()).all()


def test_an_arm_that_a_group_does_not_have_makes_no_row_there():
    frame = runs(5, n_arms=3)
    frame["task"] = np.where(frame["item_id"] < 12, "a", "b")
    frame = frame[(frame["task"] == "a") | (frame["arm"] != "arm 2")]
    found = pairs(frame, by="task")
    assert found.groupby("task").size().to_dict() == {"a": 3, "b": 1}


def test_columns_stand_beside_each_other():
    frame = runs(5, n_arms=3, kind="numbers").assign(cost=lambda f: f["score"] ** 2)
    found = pairs(frame, value=["score", "cost"])
    assert found["metric"].tolist() == ["score", "cost"] * 3
    cost = found[found["metric"] == "cost"].reset_index(drop=True)
    assert_array_equal(cost["diff"], pairs(frame, value="cost")["diff"])
    assert found["n_tests"].tolist() == [6] * 6


@given(draws, st.sampled_from([None, 6]))
def test_simultaneous_limits_lie_between_single_and_bonferronis(seed, clusters):
    frame = runs(seed, n=30, clusters=clusters, kind="numbers")
    found = pairs(frame)
    m, df = len(found), found["df"].iloc[0]
    quantile = found["sim_quantile"].iloc[0]
    assert stats.t.ppf(0.975, df) < quantile < 1.02 * stats.t.ppf(1 - 0.025 / m, df)


def test_without_simultaneous_limits_the_rest_is_the_same():
    frame = runs(2)
    full, plain = pairs(frame), pairs(frame, simultaneous=False)
    gone = ["sim_low", "sim_high", "sim_quantile", "note"]
    assert_frame_equal(full.drop(columns=gone), plain.drop(columns=gone), check_exact=True)
    assert plain[gone[:3]].isna().all(axis=None)
    assert (plain["note"] == "simultaneous=False: no simultaneous limits").all()


def test_too_many_pairs_over_different_items_get_bonferronis_limits(monkeypatch):
    frame = runs(2, kind="numbers").iloc[:-9]
    monkeypatch.setattr(arm_pairs, "MOST_PAIRS", 3)
    found = pairs(frame)
    expected = stats.t.ppf(1 - 0.025 / 6, found["df"].min())
    assert_allclose(found["sim_quantile"], expected, rtol=1e-6)
    assert found["note"].str.contains("Bonferroni").all()


def test_few_clusters_are_named():
    assert pairs(runs(2, clusters=6))["note"].str.contains("6 clusters: limits").all()
    assert (pairs(runs(2, n=60))["note"] == "").all()


def test_missing_keys_are_counted_refused_or_zero():
    frame = runs(2)
    lacking = frame[(frame["arm"] != "arm 1") | (frame["item_id"] > 2)]
    found = pairs(lacking).set_index(["arm", "baseline"])
    assert found.loc[("arm 1", "arm 0"), "n_dropped"] == 6
    assert found.loc[("arm 2", "arm 0"), "n_dropped"] == 0
    with pytest.raises(DesignError, match=r"'arm 1' lacks 6 key\(s\).*missing=\"drop\""):
        pairs(lacking, missing="raise")
    blank = frame.assign(score=frame["score"].where(frame["item_id"] > 2))
    with pytest.raises(FrameError, match="'score' must have a value in every row"):
        pairs(blank, missing="raise")
    zero = pairs(blank, missing="zero")
    filled = pairs(blank.fillna({"score": 0}), missing="zero")
    assert_frame_equal(zero.drop(columns="note"), filled.drop(columns="note"), check_exact=True)


def test_values_counted_as_zero_are_in_the_note_of_each_pair_with_one():
    frame = runs(2, n=60)
    rows = frame.index[(frame["arm"] == "arm 1") & (frame["item_id"] < 2)]
    blank = frame.assign(score=frame["score"].mask(frame.index.isin(rows)))
    found = pairs(blank, missing="zero").set_index(["arm", "baseline"])["note"]
    assert found[("arm 1", "arm 0")] == found[("arm 2", "arm 1")] == "4 missing counted as 0"
    assert found[("arm 2", "arm 0")] == ""
    more = blank.assign(score=blank["score"].mask(blank.index.isin(frame.index[:1])))
    assert pairs(more, missing="zero")["note"].str.contains("1 missing|5 missing").any()
    assert not pairs(blank)["note"].str.contains("counted").any()


@pytest.mark.parametrize("power", [-330, -210, 210, 330])
@pytest.mark.parametrize(("clusters", "gone"), [(None, 0), (6, 0), (None, 3), (6, 3)])
def test_scores_of_any_size_have_the_same_pairs(power, clusters, gone):
    frame = runs(2, clusters=clusters)
    frame["score"] = np.random.default_rng(0).random(len(frame)) * 0.4 + 0.59
    frame = frame[(frame["arm"] != "arm 1") | (frame["item_id"] >= gone)]
    expected = pairs(frame)
    found = pairs(frame.assign(score=np.ldexp(frame["score"], power)))
    for name in ("diff", "se", "conf_low", "conf_high", "sim_low", "sim_high"):
        expected[name] = np.ldexp(expected[name], power)
    assert_frame_equal(found, expected, check_exact=True)


@pytest.mark.parametrize("others", [False, True])
def test_a_constant_difference_has_no_simultaneous_limits_whatever_the_other_pairs_are(others):
    frame = runs(2, n_arms=3 if others else 2, kind="plain").set_index(["item_id", "seed", "arm"])
    wide = frame["score"].unstack("arm")
    found = pairs(
        wide.assign(**{"arm 1": wide["arm 0"] + 0.25}).stack().rename("score").reset_index()
    )
    row = found.iloc[0]
    assert row[["sim_low", "sim_high", "sim_quantile"]].isna().all()
    assert row["conf_low"] == row["conf_high"] == row["diff"]
    assert "standard error 0: no test" in row["note"]
    assert found["sim_low"].iloc[1:].notna().all()


def test_one_key_that_is_dropped_is_no_plural():
    found = pairs(runs(2, n=60, n_arms=2).iloc[1:])
    assert found["note"].tolist() == ["1 (item, seed) key dropped"]


@pytest.mark.parametrize("missing", ["drop", "raise", "zero"])
@pytest.mark.parametrize("clusters", [None, 6])
def test_means_over_runs_have_the_pairs_of_the_runs(clusters, missing):
    frame = runs(3, clusters=clusters, n_seeds=3, kind="plain")
    found = pairs(reduced(frame, ["score"], []), missing=missing)
    assert_frame_equal(found, pairs(frame, missing=missing), check_exact=True)


@pytest.mark.parametrize("clusters", [None, 6])
def test_means_over_runs_lack_whole_items_as_the_runs_do(clusters):
    frame = runs(3, clusters=clusters, n_seeds=3, kind="plain")
    frame = frame[(frame["arm"] != "arm 1") | (frame["item_id"] > 2)]
    empty = (frame["arm"] == "arm 2") & (frame["item_id"] == 7)
    frame = frame.assign(score=frame["score"].mask(empty))
    found = pairs(reduced(frame, ["score"], []))
    assert_frame_equal(found, pairs(frame), check_exact=True)
    assert set(found["n_dropped"]) == {0, 3, 9, 12}


def test_means_over_runs_of_which_some_are_missing_are_refused_or_zero():
    frame = runs(3, n_seeds=3)
    blank = frame.assign(score=frame["score"].mask(frame.index.isin([4, 20])))
    means = reduced(blank, ["score"], [])
    with pytest.raises(DesignError, match=r"which runs arms share.*2 item.*instead of scan"):
        pairs(means)
    zero = pairs(blank, missing="zero")
    assert_frame_equal(pairs(means, missing="zero"), zero, check_exact=True)
    other = reduced(frame[(frame["arm"] != "arm 1") | (frame["seed"] > 0)], ["score"], [])
    with pytest.raises(DesignError, match=r"which runs arms share.*24 item"):
        pairs(other)


def test_arms_without_a_shared_item_have_no_difference_and_say_so():
    frame = runs(2, n_arms=3)
    frame.loc[frame["arm"] == "arm 2", "item_id"] += 100
    found = pairs(frame).set_index(["arm", "baseline"])
    row = found.loc[("arm 2", "arm 0")]
    assert np.isnan(row["diff"])
    assert row["n_dropped"] == 96
    assert "no item to compare" in row["note"]
    assert found.loc[("arm 1", "arm 0"), "note"] == ""


@pytest.mark.parametrize("by", [None, "task"])
def test_arms_of_which_no_two_share_an_item_are_refused(by):
    frame = runs(2, n_arms=3)
    apart = frame.assign(item_id=frame["item_id"].astype(str) + frame["arm"], task=frame["arm"])
    with pytest.raises(DesignError, match="none shared by any two of the 3 arms; check that item"):
        pairs(apart, by=by)


def test_one_arm_has_no_pair():
    with pytest.raises(DesignError, match="two arms or more, found one: 'arm 0'"):
        pairs(runs(n_arms=1))


def test_it_is_a_method_and_survives_parquet(tmp_path):
    frame = runs(4, clusters=6)
    found = frame.evals.pairs(rng=np.random.default_rng(3))
    ef.write_parquet(found, tmp_path / "pairs.parquet")
    back = ef.read_parquet(tmp_path / "pairs.parquet")
    assert_frame_equal(back, found, check_exact=True)
    assert back.attrs == found.attrs
    again = pairs(frame, rng=found.attrs["evalframe"]["rng"])
    assert_frame_equal(again, found, check_exact=True)
