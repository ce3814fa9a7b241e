import numpy as np
import pandas as pd
import pytest
import scipy.stats
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal

from evalframe import bootstrap, compare, score


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


@pytest.mark.parametrize("level", [0.9, 0.99, 0.5])
def test_limits_at_other_levels_take_the_exact_quantile(level):
    rng = np.random.default_rng(3)
    frame = pair(rng.random(25), rng.random(25))
    diff = frame["score"].to_numpy()[25:] - frame["score"].to_numpy()[:25]
    se = diff.std(ddof=1) / 5
    z, t = scipy.stats.norm.ppf((1 + level) / 2), scipy.stats.t.ppf((1 + level) / 2, 24)
    for interval, quantile, df in (("normal", z, np.nan), ("t", t, 24)):
        found = row(frame, level=level, interval=interval)
        limits = [diff.mean() - quantile * se, diff.mean() + quantile * se]
        assert_allclose(found[["conf_low", "conf_high"]].astype(float), limits, rtol=1e-12)
        assert_allclose(found["mde"], (z + 0.84) * se, rtol=1e-12)
        assert_array_equal(float(found["df"]), df)


def test_the_mde_at_95_percent_is_2_8_standard_errors():
    rng = np.random.default_rng(4)
    found = row(pair(rng.random(12), rng.random(12)))
    assert_allclose(found["mde"], 2.8 * found["se"], rtol=1e-12)
    assert_allclose(found["conf_high"] - found["diff"], 1.96 * found["se"], rtol=1e-12)


def test_exchanging_the_arms_turns_the_difference_round():
    frame = pair([0.1, 1 / 3, 0.7, 1, 0], [0.3, 0.2, 0.7, 0.9, 1])
    one, other = compare(frame, "base").iloc[0], compare(frame, "edit").iloc[0]
    names = ["diff", "se", "conf_low", "conf_high", "mde"]
    turned = other[["diff", "se", "conf_high", "conf_low", "mde"]] * [-1, 1, -1, -1, 1]
    assert_allclose(one[names].astype(float), turned.astype(float), rtol=1e-14)


def test_the_difference_of_paired_arms_is_that_of_their_scores():
    rng = np.random.default_rng(5)
    frame = pair(rng.random(30), rng.random(30), cluster_id=np.arange(30) // 4)
    found, alone = row(frame), score(frame)
    assert_array_equal(
        found[["baseline_mean", "arm_mean"]].astype(float), alone["estimate"].to_numpy()
    )
    assert_allclose(found["diff"], np.diff(alone["estimate"]).item(), rtol=1e-12)
    assert_allclose(found["diff_rel"], found["diff"] / found["baseline_mean"], rtol=1e-15)


def test_every_item_its_own_cluster_is_the_unclustered_result():
    frame = lengths(cluster_id=np.arange(40)[::-1]).assign(score=lambda f: f.index / 7 % 1)
    numbers = ["diff", "se", "conf_low", "conf_high", "mde", "n_items", "small_n"]
    assert_frame_equal(
        compare(frame, "base")[numbers],
        compare(frame, "base", cluster=False)[numbers],
        check_exact=True,
    )


@pytest.mark.parametrize(("n", "small"), [(99, True), (100, False)])
@pytest.mark.parametrize("clustered", [False, True])
def test_fewer_than_100_items_or_clusters_are_small(n, small, clustered):
    unit = np.arange(n)
    columns = {"cluster_id": np.repeat(unit, 2)} if clustered else {}
    size = 2 * n if clustered else n
    found = row(pair(np.arange(size) % 2, np.arange(size) % 3 / 2, **columns))
    assert found["small_n"] == small
    assert (f"only {n} {'clusters' if clustered else 'items'} (<100)" in found["note"]) == small


def test_one_cluster_has_no_standard_error():
    found = row(pair([1, 0, 1], [0, 0, 1], cluster_id=["p"] * 3))
    assert_allclose(found["diff"], -1 / 3)
    assert found[["se", "conf_low", "conf_high", "mde"]].isna().all()
    assert not found["significant"]
    assert "1 cluster" in found["note"]


def test_tokens_of_one_unit_have_no_interval():
    found = row(lengths(n=3, cluster_id=["p"] * 3), "tokens", n_boot=10)
    assert found[["se", "conf_low", "conf_high"]].isna().all()
    assert not found["significant"]


def test_the_bootstrap_agrees_with_scipys():
    frame = lengths(n=60)
    found = row(frame, "tokens", n_boot=20_000)
    tokens = frame["n_output_tokens"].to_numpy()
    other = scipy.stats.bootstrap(
        (tokens[60:] - tokens[:60],),
        np.mean,
        n_resamples=20_000,
        method="percentile",
        random_state=np.random.default_rng(1),
    ).confidence_interval
    # An end of 20,000 resamples has a Monte Carlo error of 0.019 se; this is 5.6 of two of them.
    assert_allclose(found["conf_low"], other.low, atol=0.15 * found["se"])
    assert_allclose(found["conf_high"], other.high, atol=0.15 * found["se"])


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_bootstrap_draws_whole_clusters(level):
    passage = np.repeat(np.arange(25), np.arange(25) % 4 + 1)
    frame = lengths(n=len(passage), cluster_id=passage)
    shift = np.tile(np.where(passage % 2, 60, 0), 2) * (frame["arm"] == "edit")
    frame["n_output_tokens"] += shift
    found = row(frame, "tokens", n_boot=20_000, level=level)
    tokens = frame["n_output_tokens"].to_numpy()
    diff = tokens[len(passage) :] - tokens[: len(passage)]
    clusters = [diff[passage == g].tolist() for g in range(25)]
    rng, means = np.random.default_rng(2), []
    for _ in range(8_000):
        drawn = [x for g in rng.integers(0, 25, 25) for x in clusters[g]]
        means.append(sum(drawn) / len(drawn))
    expected = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    # Monte Carlo errors at 8,000 and 20,000 resamples: 0.035 se together, and 0.2 is 5.7 of them.
    assert_allclose(
        found[["conf_low", "conf_high"]].astype(float), expected, atol=0.2 * np.std(means)
    )
    # Drawing single items would give a clearly shorter interval.
    alone = row(frame, "tokens", n_boot=2_000, level=level, cluster=False)
    assert found["conf_high"] - found["conf_low"] > 1.2 * (alone["conf_high"] - alone["conf_low"])


def test_the_bootstrap_is_the_same_for_the_same_rng_and_recorded():
    frame = lengths()
    first = compare(frame, "base", rng=7, n_boot=300)
    assert_frame_equal(first, compare(frame, "base", rng=7, n_boot=300), check_exact=True)
    assert first.attrs["evalframe"]["rng"] == 7
    other = compare(frame, "base", rng=8, n_boot=300)
    assert (first["conf_low"] != other["conf_low"]).tolist() == [False, True]


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_bootstrap_starts_from_the_integer_given(level):
    """The tokens row is what `bootstrap` gives from the same integer, and from no other."""
    found = row(lengths(), "tokens", rng=7, n_boot=300, level=level)[["conf_low", "conf_high"]]
    same, other = (
        bootstrap(lengths(), "base", value="tokens", rng=rng, n_boot=300, level=level).iloc[0]
        for rng in (7, 8)
    )
    assert found.tolist() == same[["conf_low", "conf_high"]].tolist()
    assert found.tolist() != other[["conf_low", "conf_high"]].tolist()


@pytest.mark.parametrize("rng", [None, "generator"])
def test_a_drawn_seed_makes_the_result_again(rng):
    frame = lengths()
    given = np.random.default_rng(5) if rng == "generator" else rng
    result = compare(frame, "base", rng=given, n_boot=200)
    again = compare(frame, "base", rng=result.attrs["evalframe"]["rng"], n_boot=200)
    assert_frame_equal(result, again, check_exact=True)
    assert result.attrs == again.attrs


def test_the_bootstrap_restarts_in_every_row():
    one = lengths()
    frame = pd.concat([one, one.assign(arm=one["arm"].replace({"edit": "copy"}))[40:]])
    result = compare(frame, "base", n_boot=100).drop(columns="arm")
    assert_frame_equal(result[2:].reset_index(drop=True), result[:2], check_exact=True)


@pytest.mark.parametrize(
    ("base", "arm", "significant"),
    [
        ([0.0] * 8, [0.5, 0.6] * 4, True),
        ([0.5, 0.6] * 4, [0.0] * 8, True),
        ([0, 1] * 4, [0, 1, 1, 0] * 2, False),
        ([0, 1] * 4, [0, 1] * 4, False),
    ],
)
def test_significant_is_an_interval_that_excludes_0(base, arm, significant):
    found = row(pair(base, arm))
    assert found["significant"] == significant
    assert found["significant"] == (found["conf_low"] > 0 or found["conf_high"] < 0)


def test_arms_that_differ_by_rounding_alone_do_not_differ():
    # (0.1 + 0.2) / 2 is not 0.15 in floating point; the third item has the same seeds in both.
    base = [(0, 0.1), (0, 0.2), (1, 0.1), (1, 0.2), (2, 0.3), (2, 0.4)]
    edit = [(0, 0.15), (0, 0.15), (1, 0.15), (1, 0.15), (2, 0.3), (2, 0.4)]
    frame = pd.DataFrame(base + edit, columns=["item_id", "score"])
    frame = frame.assign(arm=["base"] * 6 + ["edit"] * 6, seed=[0, 1] * 6)
    assert (0.1 + 0.2) / 2 != 0.15
    found = row(frame)
    assert (found["diff"], found["se"]) == (0, 0)
    assert not found["significant"]


def test_no_share_of_a_baseline_mean_of_0_is_known():
    found = row(pair([0, 0, 0], [1, 0, 1]))
    assert np.isnan(found["diff_rel"])
    assert "diff_rel unknown" in found["note"]
