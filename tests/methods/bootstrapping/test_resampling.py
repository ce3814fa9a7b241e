"""`bootstrap`: its rows, its units, what other software gives, and what it refuses."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal

from evalframe import (
    DesignError,
    FrameError,
    RoleError,
    bootstrap,
    compare,
    read_parquet,
    score,
    write_parquet,
)
from evalframe.tables import TABLES

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "bootstrap.json").read_text())
STATISTICS = {
    "mean": "mean",
    "median": "median",
    "q90": ("quantile", 0.9),
    "pass60": ("above", 0.6),
    "sd": lambda values, axis=-1: np.std(values, axis=axis, ddof=1),
}
NUMBERS = ["estimate", "bias", "se", "conf_low", "conf_high"]


def runs(n=40, **columns):
    """Return two arms on the same items, tokens and points in each run."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "item_id": np.tile(np.arange(n), 2),
            "arm": np.repeat(["base", "edit"], n),
            "score": rng.integers(0, 5, 2 * n) / 4,
            "n_output_tokens": rng.integers(20, 90, 2 * n),
        }
    )
    return frame.assign(**columns)


@pytest.mark.parametrize("case", REFERENCE["cases"], ids=lambda case: case["about"])
def test_the_values_of_other_software(case):
    args, expected = case["args"], case["expected"]
    statistic = STATISTICS[args.get("statistic", "mean")]
    found = bootstrap(
        pd.DataFrame(case["data"]),
        statistic=statistic,
        method=args.get("type", "percentile"),
        level=args.get("level", 0.95),
        n_boot=args["R"],
    ).iloc[0]
    for name, tolerance in expected["tolerance_abs"].items():
        assert abs(found[name] - expected[name]) <= tolerance, name
    assert found["n_units"] == expected["n_units"]
    assert found["unit"] == expected["unit"].rstrip("s")


def test_a_row_an_arm_or_an_arm_against_the_baseline():
    alone, against = bootstrap(runs(), n_boot=50), bootstrap(runs(), "base", n_boot=50)
    assert alone["arm"].tolist() == ["base", "edit"]
    assert alone["baseline"].isna().all()
    assert against[["arm", "baseline"]].to_numpy().tolist() == [["edit", "base"]]
    for result in (alone, against):
        assert list(result.columns) == list(TABLES["bootstrap"])
    assert_allclose(alone["estimate"], score(runs())["estimate"], rtol=1e-12)
    assert_allclose(against["estimate"], compare(runs(), "base", value="score")["diff"], rtol=1e-12)


@pytest.mark.parametrize(
    "arms", [["a", "b"], [7, 8], [False, True], pd.to_datetime(["2024", "2025"])]
)
@pytest.mark.parametrize("rows", ["all", "none"])
def test_a_missing_baseline_survives_parquet(arms, rows, tmp_path):
    frame = runs(6).assign(arm=pd.Series(arms).repeat(6).array)
    result = bootstrap(frame if rows == "all" else frame.head(0), n_boot=20)
    result.to_parquet(tmp_path / "result.parquet")
    write_parquet(result, tmp_path / "ours.parquet")
    for back in (
        pd.read_parquet(tmp_path / "result.parquet"),
        read_parquet(tmp_path / "ours.parquet"),
    ):
        assert_frame_equal(back, result, check_exact=True)
        assert back.attrs == result.attrs


@pytest.mark.parametrize(
    ("statistic", "by_hand"),
    [
        ("mean", lambda f: f["score"].mean()),
        ("median", lambda f: f["score"].median()),
        (("quantile", 0.2), lambda f: f["score"].quantile(0.2)),
        (("trimmed", 0.1), lambda f: np.sort(f["score"])[4:36].mean()),
        (("above", 0.5), lambda f: (f["score"] > 0.5).mean()),
        (("ratio", "tokens"), lambda f: f["score"].sum() / f["n_output_tokens"].sum()),
        (np.std, lambda f: f["score"].std(ddof=0)),
    ],
)
def test_the_estimate_is_the_statistic_of_item_means(statistic, by_hand):
    frame = runs()
    base, edit = (by_hand(frame[frame["arm"] == arm]) for arm in ("base", "edit"))
    given = {"statistic": statistic, "n_boot": 100}
    assert_allclose(bootstrap(frame, **given)["estimate"], [base, edit], rtol=1e-12)
    assert_allclose(bootstrap(frame, "base", **given)["estimate"], [edit - base], atol=1e-12)


def test_differences_stay_paired_u060():
    """The arms agree on most items: the spread of pairs, not of two samples."""
    base, edit = np.repeat([1, 1, 0, 0], [58, 6, 12, 24]), np.repeat([1, 0, 1, 0], [58, 6, 12, 24])
    frame = runs(100, score=np.concatenate([base, edit]))
    found = bootstrap(frame, "base", method="exact").iloc[0]
    assert_allclose(found["se"], np.std(edit - base) / 10, rtol=1e-9)
    assert_allclose(found["se"], 0.0422, atol=5e-4)
    apart = np.sqrt(base.var() / 100 + edit.var() / 100)
    assert apart > 1.5 * found["se"]


def test_repeated_rows_are_seeds_and_not_items_u045():
    frame = runs()
    three = pd.concat([frame.assign(seed=seed) for seed in range(3)])
    equal = bootstrap(frame, n_boot=300)
    assert_frame_equal(bootstrap(three, n_boot=300), equal, rtol=1e-12)


def test_clusters_are_drawn_where_the_frame_has_them():
    frame = runs(cluster_id=np.tile(np.arange(40) // 4, 2))
    units = {unit: bootstrap(frame, unit=unit, n_boot=20).iloc[0] for unit in ("auto", "item")}
    assert [one["n_units"] for one in units.values()] == [10, 40]
    assert [one["unit"] for one in units.values()] == ["cluster", "item"]
    own = frame.assign(cluster_id=frame["item_id"])
    for method in ("percentile", "bca", "studentized", "saddlepoint"):
        alone, clusters = (
            bootstrap(one, "base", method=method, n_boot=50)[NUMBERS] for one in (runs(), own)
        )
        assert_frame_equal(alone, clusters, check_exact=True)


def test_nested_resamples_spread_more_than_those_of_items_alone():
    rng = np.random.default_rng(1)
    frame = pd.concat([runs(60, score=rng.random(120), seed=seed) for seed in range(3)])
    items, nested = (
        bootstrap(frame, unit=unit, n_boot=4_000).iloc[0] for unit in ("item", "hierarchical")
    )
    assert nested["unit"] == "hierarchical"
    assert nested["estimate"] == items["estimate"]
    # Seeds are all the spread there is: a second draw of them doubles it, but for 2/3 of it.
    assert_allclose((nested["se"] / items["se"]) ** 2, 1 + 2 / 3, rtol=0.25)


@pytest.mark.parametrize(
    "method", ["percentile", "basic", "bca", "studentized", "saddlepoint", "exact"]
)
def test_one_item_and_equal_items_have_notes(method):
    one = bootstrap(runs(1), method=method).iloc[0]
    assert np.isnan(one[["se", "conf_low", "conf_high"]].astype(float)).all()
    assert one["note"] == "1 item: no standard error"
    equal = bootstrap(runs(9, score=0.1), method=method).iloc[0]
    assert equal[["estimate", "conf_low", "conf_high", "se"]].tolist() == [0.1, 0.1, 0.1, 0]
    assert "no spread in the sample" in equal["note"]


def test_one_cluster_has_no_error():
    found = bootstrap(runs(cluster_id="p"), n_boot=20).iloc[0]
    assert np.isnan(found["se"])
    assert "1 cluster" in found["note"]


def test_missing_values_are_refused_or_counted():
    frame = runs()
    frame.loc[[3, 43, 50], "score"] = np.nan
    with pytest.raises(FrameError, match="'score' must have a value"):
        bootstrap(frame)
    found = bootstrap(frame, "base", missing="drop", n_boot=20).iloc[0]
    assert found["n_units"] == 38
    assert "2 (item, seed) keys dropped" in found["note"]
    found = bootstrap(frame, missing="drop", n_boot=20)
    assert found["n_units"].tolist() == [39, 38]
    assert "1 (item, seed) key dropped" in found["note"][0]
    zero = bootstrap(frame, missing="zero", n_boot=20)
    assert_allclose(zero["estimate"], bootstrap(frame.fillna(0), n_boot=20)["estimate"])
    assert "1 missing counted as 0" in zero["note"][0]


def test_a_row_that_misses_one_part_of_a_ratio_misses_both():
    frame = runs().astype({"n_output_tokens": float})
    frame.loc[3, "score"] = np.nan
    frame.loc[5, "n_output_tokens"] = np.nan
    found = bootstrap(frame, statistic=("ratio", "tokens"), missing="drop", n_boot=20)
    left = frame[(frame["arm"] == "base")].drop([3, 5])
    assert_allclose(found["estimate"][0], left["score"].sum() / left["n_output_tokens"].sum())
    assert found["n_units"].tolist() == [38, 40]


def test_a_ratio_over_nothing_is_unknown():
    found = bootstrap(runs(5, score=0.0), value="tokens", statistic=("ratio", "score"), n_boot=20)
    assert found[NUMBERS].isna().all(axis=None)
    assert set(found["note"]) == {"the statistic is not defined on the sample"}


@pytest.mark.parametrize("shape", ["vector", "loop"])
def test_a_function_gives_what_the_statistic_of_its_name_gives(shape):
    function = {"vector": lambda x, axis=-1: np.mean(x, axis=axis), "loop": lambda x: x.mean()}
    given = {"n_boot": 3_000, "rng": 2}
    own = bootstrap(runs(), "base", statistic=function[shape], **given)
    mean = bootstrap(runs(), "base", **given)
    assert_allclose(own["estimate"], mean["estimate"], atol=1e-12)
    assert_allclose(own["se"], mean["se"], rtol=0.1)


def test_identical_arms_have_identical_rows():
    frame = runs()
    twin = pd.concat([frame, frame[frame["arm"] == "edit"].assign(arm="twin")])
    for unit in ("item", "hierarchical"):
        one, other = bootstrap(twin, "base", unit=unit, n_boot=40)[NUMBERS].to_numpy()
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("rng", [None, np.random.default_rng(3)])
def test_the_seed_used_makes_the_result_again(rng):
    result = bootstrap(runs(), rng=rng, n_boot=30)
    again = bootstrap(runs(), rng=result.attrs["evalframe"]["rng"], n_boot=30)
    assert_frame_equal(result, again, check_exact=True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"statistic": "mode"}, 'statistic must be "mean", "median"'),
        ({"statistic": ("quantile", 2)}, "q from 0 to 1, not 2"),
        ({"statistic": ("trimmed", 0.5)}, "below 0.5"),
        ({"statistic": ("above", "x")}, "needs a number"),
        ({"method": "t"}, "method must be one of 'percentile', 'basic'"),
        ({"unit": "row"}, "unit must be one of 'auto', 'item', 'cluster', 'hierarchical'"),
        ({"n_boot": 1}, "n_boot must be an integer of at least 2"),
        ({"n_boot": 10**8}, "10,000,000 at most"),
        ({"level": 95}, "level"),
        ({"missing": "skip"}, "missing must be one of"),
        ({"statistic": "median", "method": "studentized"}, "means, shares above a threshold"),
        ({"statistic": np.ptp, "method": "saddlepoint"}, "means, shares above a threshold"),
        ({"unit": "hierarchical", "method": "exact"}, 'use "percentile", "basic" or "bca"'),
        (
            {"baseline": "base", "statistic": ("ratio", "tokens"), "method": "saddlepoint"},
            "one ratio, not of a difference of two",
        ),
    ],
)
def test_what_is_not_a_choice_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        bootstrap(runs(), **given)


def test_what_the_frame_does_not_have_is_named():
    with pytest.raises(DesignError, match="needs the column 'cluster_id'"):
        bootstrap(runs(), unit="cluster")
    with pytest.raises(RoleError, match="no column 'cost_usd'"):
        bootstrap(runs(), statistic=("ratio", "cost_usd"))
    with pytest.raises(DesignError, match="baseline must be the label of an arm"):
        bootstrap(runs(), "other")
    with pytest.raises(TypeError):
        bootstrap(runs(), cluster=False)


def test_no_warning_and_no_change_of_the_frame():
    frame = runs()
    before = frame.copy()
    bootstrap(frame, value=["score", "tokens"], by="item_id", n_boot=20)
    assert_frame_equal(frame, before, check_exact=True)


@pytest.mark.parametrize("wrong", [lambda x: x, lambda _: "a"], ids=["a sample", "text"])
def test_a_statistic_that_is_no_number_is_refused_in_words(wrong):
    frame = pd.DataFrame({"item_id": range(9), "score": np.arange(9.0)})
    with pytest.raises(ValueError, match="statistic must return one number for a sample, found "):
        bootstrap(frame, statistic=wrong, n_boot=20)
