from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from evalframe import DesignError, FrameError, pass_at_k, pass_hat_k, score
from evalframe.stats.passes import all_of, any_of


def runs(*items, **columns):
    """Return runs of one arm: a list of failures and successes an item."""
    rows = [(item, seed, run) for item, one in enumerate(items) for seed, run in enumerate(one)]
    return pd.DataFrame(rows, columns=["item_id", "seed", "score"]).assign(**columns)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_they_are_the_shares_of_all_subsets_of_k_runs(results, k):
    c, n = np.array([sum(results)]), np.array([len(results)])
    subsets = list(combinations(results, k))
    some = np.mean([any(one) for one in subsets]) if subsets else np.nan
    every = np.mean([all(one) for one in subsets]) if subsets else np.nan
    assert_allclose(any_of(c, n, k)[0], some, rtol=1e-12)
    assert_allclose(all_of(c, n, k)[0], every, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"), [(4, 1, 4, 1.0), (5, 2, 3, 0.9), (10, 3, 5, 11 / 12)]
)
def test_published_values_u043(n, c, k, expected):
    found = pass_at_k(runs([1] * c + [0] * (n - c)), k=k)
    assert_allclose(found["estimate"], expected, rtol=1e-14)


def test_pass_at_1_is_the_mean_score_and_its_error_u040():
    frame = runs([1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1])
    row, plain = pass_at_k(frame).iloc[0], score(frame).iloc[0]
    assert row["estimate"] == 0.5
    for name in ("estimate", "se", "conf_low", "conf_high", "df"):
        assert_allclose(row[name], plain[name], rtol=1e-14)
    assert_allclose(pass_hat_k(frame).loc[0, "se"], plain["se"], rtol=1e-14)


def test_problems_are_not_samples_u042():
    frame = runs([1], [0], [1])
    with pytest.raises(DesignError, match="k counts runs of one item, not items"):
        pass_at_k(frame, k=2)
    assert_allclose(pass_at_k(frame).loc[0, "estimate"], 2 / 3, rtol=1e-15)


def test_a_k_beyond_the_runs_of_some_item_is_unknown_and_says_so():
    found = pass_at_k(runs([1, 0, 1], [0, 1]), k=[2, 3])
    assert found["estimate"].isna().tolist() == [False, True]
    assert found["n_short"].tolist() == [0, 1]
    assert "1 of 2 items have fewer than 3 runs" in found.loc[1, "note"]


@given(st.integers(1, 40), st.integers(0, 40), st.integers(1, 40))
def test_they_are_chances_and_mirror_each_other(n, c, k):
    c, n = np.array([min(c, n)]), np.array([n])
    some, every = any_of(c, n, k), all_of(c, n, k)
    if k <= n[0]:
        assert 0 <= every[0] <= c[0] / n[0] + 1e-12
        assert c[0] / n[0] - 1e-12 <= some[0] <= 1
        assert_allclose(some, 1 - all_of(n - c, n, k), rtol=1e-12)
    else:
        assert np.isnan([some[0], every[0]]).all()


def test_hundreds_of_runs_do_not_overflow():
    c, n = np.array([1000, 1]), np.array([2000, 2000])
    assert_allclose(any_of(c, n, 1000), [1.0, 0.5], rtol=1e-12)


def test_partial_scores_are_refused():
    with pytest.raises(FrameError, match=r"must be 0 \(failed\) or 1.*>= 0.5"):
        pass_at_k(runs([0.5, 1.0]))


def test_missing_runs_do_not_count_or_count_as_failed():
    frame = runs([1, np.nan, 1], [0, 1, 1])
    assert_allclose(pass_at_k(frame, k=2).loc[0, "estimate"], 1.0)
    assert_allclose(pass_hat_k(frame, k=2).loc[0, "estimate"], (1 + 1 / 3) / 2)
    assert_allclose(pass_hat_k(frame, k=2, missing="zero").loc[0, "estimate"], 1 / 3)
    with pytest.raises(FrameError, match="must have a value in every row"):
        pass_hat_k(frame, missing="raise")


def test_runs_counted_as_failed_are_noted_where_they_are():
    frame = pd.concat(
        [runs([1, np.nan, 1], [0, 1, 1]).assign(arm="x"), runs([1, 1], [0, 1]).assign(arm="y")]
    )
    for method in (pass_at_k, pass_hat_k):
        found = method(frame, k=[1, 2], missing="zero")
        assert found["n_missing"].tolist() == [1, 1, 0, 0]
        assert (
            found["note"].str.contains("1 missing counted as 0").tolist()
            == [True] * 2 + [False] * 2
        )
        assert not method(frame, k=[1, 2])["note"].str.contains("counted").any()


def test_a_number_of_runs_comes_once():
    with pytest.raises(
        ValueError, match=r"k must name at least one, and each once, found \[1, 1\]"
    ):
        pass_at_k(runs([1, 0]), k=[1, 1])


def test_clusters_count_for_the_error():
    frame = runs([1, 1], [1, 0], [0, 0], [0, 1])
    frame["cluster_id"] = frame["item_id"] // 2
    row = pass_at_k(frame, k=2).iloc[0]
    assert row["n_clusters"] == 2
    assert row["df"] == 1


def test_limits_beyond_what_a_chance_can_be_are_noted():
    frame = pd.DataFrame({"item_id": range(20), "score": [1] * 19 + [0]})
    found = pass_at_k(frame)
    assert found["conf_high"][0] > 1
    assert "limits reach past 0 or 1" in found["note"][0]
