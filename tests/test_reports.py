"""Numbers that users of other evaluation tools reported as wrong, asked of ours.

The inputs are the reports' own and so are the expected numbers; a test's name ends in their ids.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from evalframe import DesignError, FrameError, compare, mcnemar, score


def one_arm(scores, **columns):
    return pd.DataFrame({"item_id": range(len(scores)), "score": scores}).assign(**columns)


def right(n_right, n, **columns):
    return one_arm([1] * n_right + [0] * (n - n_right), **columns)


def fourfold(both, base_only, edit_only, neither, **columns):
    base = [1] * (both + base_only) + [0] * (edit_only + neither)
    edit = [1] * both + [0] * base_only + [1] * edit_only + [0] * neither
    frames = [one_arm(base, arm="base", **columns), one_arm(edit, arm="edit", **columns)]
    return pd.concat(frames, ignore_index=True)


@pytest.fixture
def suite():
    """Return subtask A with 80 of 100 right and B with 200 of 400."""
    frame = pd.concat([right(80, 100, task="A"), right(200, 400, task="B")], ignore_index=True)
    return frame.assign(item_id=frame["task"] + frame["item_id"].astype(str))


def test_each_groups_error_is_of_its_own_mean_u001_u039(suite):
    result = score(suite, by="task")
    assert result["estimate"].tolist() == [0.8, 0.5]
    assert_allclose(result["se"], [0.0402015, 0.0250313], atol=5e-8)


def test_the_mean_over_all_items_has_the_error_over_all_items_u001(suite):
    result = score(suite)
    assert_allclose(result[["estimate", "se"]], [[0.56, 0.0222213]], atol=5e-8)
    assert result["n_items"].tolist() == [500]


def test_one_item_has_nan_and_no_text_where_the_error_would_be_u003():
    result = score(one_arm([1]))
    assert result[["estimate", "n_items"]].values.tolist() == [[1, 1]]
    for column in ("se", "conf_low", "conf_high"):
        assert result[column].dtype == "float64"
        assert np.isnan(result[column][0])


def test_a_stored_error_is_not_read_u006():
    frame = right(34, 40, stderr=0.0, se=0.0)
    assert_allclose(score(frame)[["estimate", "se"]], [[0.85, 0.0571772]], atol=5e-8)


def test_a_row_for_each_filter_is_no_item_for_each_filter_u007():
    frame = pd.DataFrame(
        {
            "item_id": [0, 1, 2] * 2,
            "filter": ["strict-match"] * 3 + ["flexible-extract"] * 3,
            "score": [0, 1, 0, 1, 1, 0],
        }
    )
    with pytest.raises(FrameError, match=r"must be unique.*column 'filter' would make it unique"):
        score(frame)
    assert score(frame[frame["filter"] == "strict-match"])["n_items"].tolist() == [3]
    assert score(frame, by="filter")["n_items"].tolist() == [3, 3]


def test_arms_on_the_same_items_are_compared_as_pairs_u009():
    """A is right alone on 15 items and B on 4, of 100."""
    frame = fourfold(60, 4, 15, 21)
    result = compare(frame, "base")
    assert_allclose(result[["diff", "se"]], [[0.11, 0.0423907]], atol=5e-8)
    assert_allclose(result["mcnemar_p"], 0.0192108, atol=5e-8)
    expected = {
        "exact": 0.0192108,
        "mid-p": 0.0118179,
        "chi2": 0.0116169,
        "chi2-corrected": 0.0217815,
    }
    for method, p in expected.items():
        assert_allclose(mcnemar(frame, "base", method=method)["p_value"], p, atol=5e-8)


def test_a_missing_cluster_is_refused_u015():
    frame = one_arm([1, 0, 1, 1, 0, 0], cluster_id=["a", "a", "b", "b", None, None])
    with pytest.raises(FrameError, match=r"'cluster_id'.*2 rows.*4, 5\).*df\.dropna"):
        score(frame)


@pytest.mark.parametrize(
    ("policy", "se"), [(["c", "c"], 0.288675), (["c", "d"], 0.235702), (None, 0.25)]
)
def test_each_policy_for_missing_clusters_can_be_chosen_u015(policy, se):
    frame = one_arm([1, 0, 1, 1, 0, 0], cluster_id=["a", "a", "b", "b", *(policy or [None, None])])
    if policy is None:
        frame = frame.dropna(subset=["cluster_id"])
    assert_allclose(score(frame)["se"], se, atol=5e-7)


def test_one_cluster_has_no_error_and_a_note_u016():
    result = score(one_arm([1, 0, 1] * 3, cluster_id="only"))
    assert result[["se", "conf_low", "conf_high"]].isna().all(axis=None)
    assert "1 cluster" in result["note"][0]


def test_no_scores_are_no_zero_u018():
    for result in (score([]), score(one_arm([]))):
        assert result["estimate"].isna().all()
        assert (result["n_items"] == 0).all()


def test_an_items_seeds_are_reduced_to_their_mean_u019():
    frame = pd.DataFrame({"item_id": "q", "seed": range(10), "score": [1] * 4 + [0] * 6})
    result = score(frame)
    assert result[["estimate", "n_items", "n_responses"]].values.tolist() == [[0.4, 1, 10]]


@pytest.mark.parametrize("scores", [(1, 0), (1, 1)])
def test_two_scores_of_one_key_are_refused_naming_what_tells_them_apart_u021(scores):
    frame = pd.DataFrame(
        {"item_id": "q", "arm": "a", "seed": 0, "metric": ["exact", "judge"], "score": scores}
    )
    with pytest.raises(FrameError, match=r"item_id='q', arm='a', seed=0.*column 'metric' would"):
        score(frame)


def test_an_item_whose_seeds_are_all_missing_is_a_missing_item_u022():
    frame = pd.DataFrame(
        {"item_id": [1, 1, 2, 2], "seed": [0, 1, 0, 1], "score": [None, None, 1, 0]}
    )
    result = score(frame)
    assert result[["estimate", "n_items", "n_items_missing"]].values.tolist() == [[0.5, 1, 1]]


def test_the_error_has_n_minus_1_below_u030():
    assert_allclose(score(right(10, 20))["se"], 0.1147079, atol=5e-8)
    assert_allclose(score(right(2, 3))["se"], 0.3333333, atol=5e-8)
    assert np.isnan(score(right(1, 1))["se"][0])


@pytest.mark.parametrize("scores", [[1, 0, None], [True, False, pd.NA]])
def test_an_item_that_failed_is_counted_as_missing_u031_u037(scores):
    result = score(one_arm(pd.Series(scores, dtype=object), error=[None, None, "timed out"]))
    columns = ["estimate", "n_items", "n_missing", "n_items_missing"]
    assert result[columns].values.tolist() == [[0.5, 2, 1, 1]]


def test_pass_at_1_of_n_samples_is_the_mean_of_item_means_u040():
    frame = pd.DataFrame(
        {
            "item_id": ["p"] * 4 + ["q"] * 4 + ["r"] * 4,
            "seed": list(range(4)) * 3,
            "score": [1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1],
        }
    )
    result = score(frame)
    assert_allclose(result[["estimate", "se"]], [[0.5, 0.5 / np.sqrt(3)]], rtol=1e-14)
    assert result["n_items"].tolist() == [3]


def test_rows_repeated_three_times_do_not_shrink_the_error_u045():
    frame = right(10, 20)
    thrice = pd.concat([frame] * 3, ignore_index=True)
    with pytest.raises(FrameError, match="must be unique, found 60 rows"):
        score(thrice)
    seeds = thrice.assign(seed=thrice.groupby("item_id").cumcount())
    assert_allclose(score(seeds)["se"], score(frame)["se"], rtol=1e-14)


def test_an_arm_against_itself_is_p_1_u048():
    result = mcnemar(fourfold(4, 0, 0, 2), "base")
    assert result[["p_value", "statistic", "n_items"]].values.tolist() == [[1, 0, 6]]


@pytest.mark.parametrize(
    ("b", "c", "exact", "corrected"), [(5, 5, 1, 1), (1, 0, 1, 1), (1, 11, 0.00634766, 0.0093748)]
)
def test_p_never_exceeds_1_and_the_correction_stops_at_0_u049(b, c, exact, corrected):
    frame = fourfold(3, b, c, 2)
    assert_allclose(mcnemar(frame, "base")["p_value"], exact, atol=5e-9)
    result = mcnemar(frame, "base", method="chi2-corrected")
    assert_allclose(result["p_value"], corrected, atol=5e-8)


def test_an_arm_without_scores_has_no_limits_u055():
    frame = fourfold(1, 1, 1, 1)
    frame["score"] = frame["score"].where(frame["arm"] == "base")
    result = score(frame).set_index("arm").loc["edit"]
    assert result[["estimate", "se", "conf_low", "conf_high"]].isna().all()
    assert result[["n_items", "n_items_missing"]].tolist() == [0, 4]


@pytest.mark.parametrize(("adjust", "times"), [("bonferroni", [2, 2]), ("holm", [2, 1])])
def test_a_test_that_is_not_defined_leaves_the_family_alone_u057(adjust, times):
    partial = fourfold(1, 1, 1, 1, task="b").assign(score=0.5)
    frame = pd.concat([fourfold(2, 0, 8, 0, task="a"), partial, fourfold(2, 1, 4, 0, task="c")])
    result = mcnemar(frame, "base", by="task", adjust=adjust)
    p = result["p_value"]
    assert p[[0, 2]].tolist() == pytest.approx([2 / 2**8, 12 / 2**5])
    assert_allclose(result["p_adjusted"], [times[0] * p[0], np.nan, times[1] * p[2]], rtol=1e-14)
    assert result["note"].str.contains("over 2 tests").all()


def test_items_are_drawn_once_for_both_arms_u060():
    """The spread of the resampled difference is that of pairs, 0.0422, and not 0.0647."""
    frame = fourfold(60, 4, 15, 21).rename(columns={"score": "n_output_tokens"})
    result = compare(frame, "base", value="tokens")
    spread = (result["conf_high"] - result["conf_low"]) / (2 * 1.96)
    assert_allclose(spread, 0.0422, rtol=0.06)


def test_sums_of_float_scores_are_counts_u063():
    frame = fourfold(0, 1, 4, 1).astype({"score": "float64"})
    assert mcnemar(frame, "base")[["baseline_only", "arm_only"]].values.tolist() == [[1, 4]]
    assert pd.api.types.is_integer_dtype(mcnemar(frame, "base")["arm_only"])


def test_partial_scores_have_no_mcnemar_u063():
    frame = fourfold(1, 1, 1, 1).replace({"score": {0: 0.5}})
    with pytest.raises(DesignError, match=r"McNemar's test needs item means of 0 or 1.*compare"):
        mcnemar(frame, "base")
    assert compare(frame, "base")["mcnemar_p"].isna().all()


@pytest.mark.parametrize("adjust", ["holm", "bh", "bonferroni"])
def test_the_adjusted_p_of_one_comparison_is_its_p_u067(adjust):
    result = mcnemar(fourfold(3, 1, 6, 2), "base", adjust=adjust)
    assert result["p_adjusted"].tolist() == result["p_value"].tolist()
    assert "over 1 test" in result["note"][0]
