"""One item, equal scores, constant differences, huge numbers: right, or NaN with a note."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from evalframe import compare, mcnemar, score

TINY = np.finfo(float).eps


def one_arm(scores, **columns):
    return pd.DataFrame({"item_id": range(len(scores)), "score": scores}).assign(**columns)


def two_arms(base, edit, **columns):
    items = range(len(base))
    return pd.DataFrame(
        {
            "item_id": [*items, *items],
            "arm": ["base"] * len(base) + ["edit"] * len(base),
            "score": [*base, *edit],
        }
    ).assign(**columns)


@pytest.mark.parametrize("kind", ["float64", "bool", "Int64", "double[pyarrow]", "object"])
@pytest.mark.parametrize("interval", ["t", "normal"])
@pytest.mark.parametrize("cluster", [None, ["p"]])
def test_one_item_has_an_estimate_and_no_error(kind, interval, cluster):
    frame = (
        one_arm([1]).astype({"score": kind}).assign(**({"cluster_id": cluster} if cluster else {}))
    )
    result = score(frame, interval=interval)
    assert result[["estimate", "n_items"]].values.tolist() == [[1, 1]]
    unknown = ["se", "conf_low", "conf_high", "df", "design_effect"]
    assert result[unknown].isna().all(axis=None)
    assert set(result[unknown].dtypes) == {np.dtype("float64")}
    assert ("1 cluster" if cluster else "1 item") in result["note"][0]


@pytest.mark.parametrize("interval", ["t", "normal"])
def test_one_item_compared_has_a_difference_and_no_error(interval):
    frame = two_arms([1], [0], n_output_tokens=[3, 5])
    result = compare(frame, "base", interval=interval)
    assert result["diff"].tolist() == [-1, 2]
    assert result[["se", "conf_low", "conf_high", "mde", "df"]].isna().all(axis=None)
    assert not result["significant"].any()
    assert result["small_n"].all()
    assert result["note"].str.contains("1 item").all()
    assert result["mcnemar_p"][0] == 1


@pytest.mark.parametrize("n_seeds", [1, 10])
def test_many_seeds_of_one_item_are_one_item(n_seeds):
    frame = pd.concat([one_arm([seed % 2], seed=seed) for seed in range(n_seeds)])
    result = score(frame)
    assert result[["n_items", "n_responses"]].values.tolist() == [[1, n_seeds]]
    assert np.isnan(result["se"][0])


@pytest.mark.parametrize("equal", [0.0, 1.0, 0.1, -3.7, 1e18, 1e-90, 1 / 3])
@pytest.mark.parametrize("clusters", [None, 4])
@pytest.mark.parametrize("n_seeds", [1, 3])
def test_equal_scores_have_standard_error_0_and_a_note(equal, clusters, n_seeds):
    frame = pd.concat([one_arm([equal] * 25, seed=seed) for seed in range(n_seeds)])
    if clusters:
        frame["cluster_id"] = frame["item_id"] % clusters
    for interval in ("t", "normal"):
        result = score(frame, interval=interval)
        assert_allclose(result["estimate"], equal, rtol=4 * TINY)
        assert result["se"].tolist() == [0]
        assert result["conf_low"].tolist() == result["conf_high"].tolist()
        assert result["conf_low"].tolist() == result["estimate"].tolist()
        assert "not certainty" in result["note"][0]


@pytest.mark.parametrize("seeds", [[3, 7, 10], [1, 3, 6]])
def test_items_that_are_equal_by_different_numbers_of_seeds_are_equal(seeds):
    """The means of 3, 7 and 10 tenths are added up differently and are all one tenth."""
    rows = [(item, seed) for item, n in enumerate(seeds) for seed in range(n)]
    frame = pd.DataFrame(rows, columns=["item_id", "seed"]).assign(score=0.1)
    assert score(frame)["se"].tolist() == [0]


@pytest.mark.parametrize("shift", [0.1, -0.1, 0.3, 1 / 3, 1e-3])
@pytest.mark.parametrize("interval", ["t", "normal"])
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("value", ["score", "n_output_tokens"])
def test_a_constant_difference_has_standard_error_0(shift, interval, clustered, value):
    base = np.random.default_rng(3).random(50)
    frame = two_arms(base, base + shift).rename(columns={"score": value})
    if clustered:
        frame["cluster_id"] = frame["item_id"] // 5
    result = compare(frame, "base", value=value, interval=interval)
    assert_allclose(result["diff"], shift, rtol=1e-12)
    assert result[["se", "mde"]].values.tolist() == [[0, 0]]
    assert_allclose(result[["conf_low", "conf_high"]], [[shift, shift]], rtol=1e-12)
    assert result["significant"].tolist() == [True]
    assert result["mcnemar_p"].isna().all()
    assert "standard error 0" in result["note"][0]


@pytest.mark.parametrize("n_seeds", [2, 3, 7])
def test_a_constant_difference_of_seed_means_has_standard_error_0(n_seeds):
    rng = np.random.default_rng(4)
    parts = []
    for seed in range(n_seeds):
        base = rng.random(20)
        parts.append(two_arms(base, base + 0.1, seed=seed))
    assert compare(pd.concat(parts), "base")["se"].tolist() == [0]


@pytest.mark.parametrize("spread", [1e-3, 1e-6, 1e-9])
def test_a_small_spread_of_differences_is_not_taken_for_rounding(spread):
    base = np.random.default_rng(5).random(10)
    noise = spread * np.array([-1.0, 1.0] * 5)
    result = compare(two_arms(base, base + 0.1 + noise), "base")
    assert_allclose(result["se"], spread * np.sqrt(10 / 9) / np.sqrt(10), rtol=1e-5)


HUGE = [1e8, 1e12, 1e15, -1e15, 1e18]


@pytest.mark.parametrize("centre", HUGE)
@pytest.mark.parametrize("kind", ["float64", "Float64", "double[pyarrow]", "object"])
def test_a_spread_around_a_huge_mean_is_not_cancelled(centre, kind):
    step = 1.0 if abs(centre) < 1e16 else 4096.0
    frame = one_arm([centre - step, centre, centre + step]).astype({"score": kind})
    result = score(frame)
    assert_allclose(result["estimate"], centre, rtol=4 * TINY)
    assert_allclose(result["se"], step / np.sqrt(3), rtol=1e-12)


@pytest.mark.parametrize("centre", HUGE)
def test_a_spread_around_a_huge_mean_is_not_cancelled_in_clusters(centre):
    step = 1.0 if abs(centre) < 1e16 else 4096.0
    scores = centre + step * np.array([-1.0, -1, 0, 0, 1, 1])
    result = score(one_arm(scores, cluster_id=[0, 0, 1, 1, 2, 2]))
    # Cluster sums of deviations are -2, 0 and 2 steps; G/(G - 1) = 1.5 and n = 6.
    assert_allclose(result["se"], step * np.sqrt(1.5 * 8) / 6, rtol=1e-12)


@pytest.mark.parametrize("centre", HUGE)
def test_a_spread_of_differences_between_huge_scores_is_not_cancelled(centre):
    step = 1.0 if abs(centre) < 1e16 else 4096.0
    base = np.full(3, centre)
    result = compare(two_arms(base, base + step * np.array([0.0, 1, 2])), "base")
    assert_allclose(result[["diff", "se"]], [[step, step / np.sqrt(3)]], rtol=1e-12)


@pytest.mark.parametrize("size", [1e18, 1e50, 3e99])
def test_scores_as_large_as_their_spread_are_right(size):
    result = score(one_arm([0.0, size, 2 * size, 3 * size]))
    expected = np.std([0, 1, 2, 3], ddof=1) / 2
    assert_allclose(result[["estimate", "se"]] / size, [[1.5, expected]], rtol=1e-12)


@pytest.mark.parametrize("size", [1e-18, 1e-50, 1e-100])
def test_tiny_scores_keep_their_spread(size):
    result = score(one_arm([0.0, size, 2 * size, 3 * size]))
    assert_allclose(result["se"] / size, np.std([0, 1, 2, 3], ddof=1) / 2, rtol=1e-12)


def test_the_largest_unsigned_integers_are_scores():
    frame = one_arm(pd.Series([2**64 - 1, 0], dtype="uint64"))
    assert_allclose(score(frame)["estimate"], 2**63, rtol=4 * TINY)


@pytest.mark.parametrize("kind", ["int8", "uint8", "Int8", "int8[pyarrow]"])
def test_small_integers_do_not_overflow(kind):
    frame = two_arms([100] * 3, [127, 0, 100]).astype({"score": kind})
    assert score(frame)["estimate"].tolist() == [100, 227 / 3]
    assert compare(frame, "base")["diff"].tolist() == pytest.approx([-73 / 3])


def test_float32_scores_are_added_in_double_precision():
    frame = one_arm(np.float32([16777216.0, 1.0, 1.0, 1.0]))
    assert score(frame)["estimate"].tolist() == [16777219 / 4]


@pytest.mark.parametrize("baseline_mean", [0.0, -0.0])
def test_a_share_of_a_baseline_of_0_is_not_known(baseline_mean):
    result = compare(two_arms([baseline_mean] * 3, [1, 0, 1]), "base")
    assert np.isnan(result["diff_rel"][0])
    assert "diff_rel" in result["note"][0]


def test_negative_zero_is_wrong_and_not_partial():
    frame = two_arms([-0.0, 1.0], [1.0, -0.0])
    result = mcnemar(frame, "base")
    assert result[["baseline_only", "arm_only"]].values.tolist() == [[1, 1]]


@pytest.mark.parametrize("n", [99, 100])
def test_fewer_than_100_items_are_few(n):
    frame = two_arms([1, 0, 0] * 33 + [1] * (n - 99), [1] * n)
    result = compare(frame, "base")
    assert result["small_n"].tolist() == [n < 100]
    assert ("<100" in result["note"][0]) == (n < 100)
    clustered = compare(frame.assign(cluster_id=frame["item_id"] // 2), "base")
    assert clustered["small_n"].tolist() == [True]


CHOICES = {
    "interval": "'normal', 't'|'t', 'normal'",
    "missing": "'raise', 'drop', 'zero'|'drop', 'zero', 'raise'",
    "method": "'exact', 'mid-p', 'chi2', 'chi2-corrected'",
    "adjust": "'holm', 'hochberg', 'hommel', 'bonferroni', 'bh', 'by'",
}


@pytest.mark.parametrize(
    ("function", "option"),
    [
        (score, "interval"), (score, "missing"), (compare, "interval"), (compare, "missing"),
        (compare, "adjust"), (mcnemar, "missing"), (mcnemar, "method"), (mcnemar, "adjust"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("wrong", ["T", "", 1, True, ["t"], "none"])
def test_an_unknown_choice_lists_the_choices(function, option, wrong):
    arguments = () if function is score else ("base",)
    with pytest.raises(ValueError, match=f"{option} must be one of .*({CHOICES[option]})"):
        function(two_arms([1, 0], [1, 1]), *arguments, **{option: wrong})
