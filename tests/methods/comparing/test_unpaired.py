"""Arms of different items: Welch's test, shared clusters, sizes."""

import numpy as np
import pandas as pd
import pytest
from arms_of_items import runs
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from evalframe import compare, contrasts, score

few = settings(max_examples=20, deadline=None)
draws = st.integers(0, 2**31)


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


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize(("sizes", "small"), [((60, 60), True), ((100, 100), False)])
def test_unpaired_arms_are_small_where_either_of_them_is(sizes, small, clustered):
    arm = np.repeat(["a", "b"], sizes)
    frame = pd.DataFrame({"item_id": np.arange(len(arm)), "arm": arm})
    frame["score"] = frame["item_id"] % 3 / 2
    if clustered:
        # Two items a cluster: half as many units are left.
        frame = pd.concat([frame, frame.assign(item_id=frame["item_id"] + len(frame))])
        frame["cluster_id"] = frame["item_id"] % len(arm)
    result = frame.evals.compare("a", paired=False)
    assert result["small_n"].tolist() == [small]
    said = f"only {min(sizes)} {'clusters' if clustered else 'items'} in an arm (<100)"
    assert result["note"].str.contains(said, regex=False).tolist() == [small]
