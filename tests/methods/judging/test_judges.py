"""Agreement of a judge with gold labels: other software, laws, edges and errors."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy import stats

import evalframe as ef
from evalframe.errors import FrameError, RoleError
from evalframe.methods.judging.judge_statistics import STATISTICS
from evalframe.results import DTYPE, TABLES

FOLDER = Path(__file__).parents[2] / "reference"
REFERENCE = json.loads((FOLDER / "agreement.json").read_text())
BINARY = ["accuracy", "kappa", "ac1", "sensitivity", "specificity", "precision", "errors_above"]
NUMBERS = ["bias", "pearson"]
# In that package; and the statistic and column of ours.
PACKAGE = {
    "bias": ("bias", "estimate"),
    "bias_se": ("bias", "se"),
    "bias_conf_low": ("bias", "conf_low"),
    "bias_conf_high": ("bias", "conf_high"),
    "bias_p_value": ("bias", "p_value"),
    "correlation": ("pearson", "estimate"),
    "spearman": ("spearman", "estimate"),
    "loa_low": ("loa_low", "estimate"),
    "loa_high": ("loa_high", "estimate"),
    "accuracy": ("accuracy", "estimate"),
    "accuracy_conf_low": ("accuracy", "conf_low"),
    "accuracy_conf_high": ("accuracy", "conf_high"),
    "kappa": ("kappa", "estimate"),
    "kappa_se": ("kappa", "se"),
    "kappa_conf_low": ("kappa", "conf_low"),
    "kappa_conf_high": ("kappa", "conf_high"),
    "sensitivity": ("sensitivity", "estimate"),
    "specificity": ("specificity", "estimate"),
}


def rated(judge, gold, **columns):
    """Return a frame of one row an item."""
    return pd.DataFrame({"item_id": range(len(judge)), "judge": judge, "gold": gold, **columns})


def agree(frame, **options):
    """Return the result with a row a statistic, by its name."""
    result = ef.agreement(frame, judge="judge", gold="gold", **options)
    return result.set_index("statistic")


def drawn(n=60, seed=1, q=5):
    """Return ratings from 1 to q in two tasks and five clusters, some labels missing."""
    draw = np.random.default_rng(seed)
    gold = draw.integers(1, q + 1, n).astype(float)
    judge = np.clip(gold + draw.integers(-1, 2, n), 1, q)
    gold[draw.random(n) < 0.3] = np.nan
    frame = rated(judge, gold, task=np.where(np.arange(n) % 2, "odd", "even"))
    return frame.assign(cluster_id=np.arange(n) // 6)


@pytest.mark.parametrize("case", REFERENCE["cases"], ids=lambda case: case["case"])
def test_the_package_of_the_brief(case):
    data, expected = REFERENCE["data"][case["data"]], case["expected"]
    frame = rated(data["judge"], data["gold"])
    frame = frame.astype({"judge": bool, "gold": bool}) if case["logical"] else frame
    wanted = {name: found for name, found in PACKAGE.items() if name in expected}
    if case["case"].endswith("constant_judge"):
        # Its error of a kappa of 0 is what rounding left.
        wanted = {k: v for k, v in wanted.items() if not k.startswith("kappa_")}
    named = list(dict.fromkeys(statistic for statistic, _ in wanted.values()))
    result = agree(frame, statistic=named, level=expected["level"])
    assert (result["n_responses"].drop(["sensitivity", "specificity"], errors="ignore")
            == expected["n"]).all()  # fmt: skip
    for name, (statistic, column) in wanted.items():
        theirs = np.nan if expected[name] is None else expected[name]
        assert_allclose(result.loc[statistic, column], theirs, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("case", REFERENCE["tables"], ids=lambda case: str(case["table"][0]))
def test_statsmodels_sklearn_and_irrcac(case):
    table = np.array(case["table"])
    first, second = (np.repeat(one.ravel(), table.ravel()) for one in np.indices(table.shape))
    result = agree(rated(first, second), statistic=list(STATISTICS))
    for name, theirs in case["kappa"].items():
        assert_allclose(result.loc[name, "estimate"], theirs["estimate"], rtol=1e-12)
        assert_allclose(result.loc[name, "estimate"], case["sklearn"][name], rtol=1e-12)
        assert_allclose(result.loc[name, "se"], theirs["se"], rtol=1e-10)
        limits = result.loc[name, ["conf_low", "conf_high"]].astype(float)
        assert_allclose(limits, [theirs["low"], theirs["high"]], rtol=1e-10)
    assert_allclose(result.loc["ac1", "estimate"], case["ac1"]["estimate"], rtol=1e-10)
    assert_allclose(result.loc["ac1", "se"], case["ac1"]["se"], rtol=1e-10)
    for name in ("sensitivity", "specificity", "precision"):
        if name in case:
            assert_allclose(result.loc[name, "estimate"], case[name], rtol=1e-12)


def test_scipy_has_the_same_correlations_intervals_and_tests():
    frame = drawn(80).drop(columns="cluster_id")
    both = frame.dropna()
    result = agree(frame)
    apart = both["judge"] - both["gold"]
    assert_allclose(result.loc["pearson", "estimate"], stats.pearsonr(both.judge, both.gold)[0])
    assert_allclose(result.loc["spearman", "estimate"], stats.spearmanr(both.judge, both.gold)[0])
    test = stats.ttest_1samp(apart, 0)
    assert_allclose(result.loc["bias", "p_value"], test.pvalue, rtol=1e-10)
    above = stats.binomtest(int((apart > 0).sum()), int((apart != 0).sum()))
    assert_allclose(result.loc["errors_above", "p_value"], above.pvalue, rtol=1e-10)
    limits = above.proportion_ci(method="exact")
    found = result.loc["errors_above", ["conf_low", "conf_high"]].astype(float)
    assert_allclose(found, [limits.low, limits.high], rtol=1e-8)
    hit = stats.binomtest(int((apart == 0).sum()), len(both)).proportion_ci(method="wilson")
    found = result.loc["accuracy", ["conf_low", "conf_high"]].astype(float)
    assert_allclose(found, [hit.low, hit.high], rtol=1e-10)


def test_with_clusters_accuracy_is_the_score_of_being_right():
    frame = drawn().dropna()
    right = frame.assign(score=(frame["judge"] == frame["gold"]).astype(float))
    ours, theirs = agree(frame).loc["accuracy"], ef.score(right, interval="wilson").iloc[0]
    for column in ("estimate", "se", "df", "n_clusters", "n_items"):
        assert_allclose(float(ours[column]), float(theirs[column]), rtol=1e-12)
    assert_allclose(ours[["conf_low", "conf_high"]].astype(float),
                    theirs[["conf_low", "conf_high"]].astype(float), rtol=1e-12)  # fmt: skip


def test_with_clusters_bias_is_the_difference_of_two_arms():
    frame = drawn().dropna()
    both = frame.melt(["item_id", "cluster_id"], ["judge", "gold"], "arm", "score")
    ours = agree(frame).loc["bias"]
    theirs = ef.compare(both, "gold", interval="cr2").iloc[0]
    assert_allclose(ours["estimate"], theirs["diff"], rtol=1e-12)
    for column in ("se", "conf_low", "conf_high", "df"):
        assert_allclose(ours[column], theirs[column], rtol=1e-10)


@pytest.mark.parametrize(
    "name", ["kappa", "kappa_linear", "kappa_quadratic", "ac1", "pearson", "spearman", "loa_low"]
)
def test_clustered_errors_are_near_those_of_leaving_clusters_out(name):
    # A slow twin: the jackknife over clusters, which is CR3 to first order.
    draw = np.random.default_rng(5)
    n, per = 1500, 10
    level = np.repeat(draw.normal(size=n // per), per)
    gold = np.clip(np.round(3 + level + draw.normal(size=n)), 1, 5)
    judge = np.clip(gold + np.round(0.7 * level + 0.7 * draw.normal(size=n)), 1, 5)
    frame = rated(judge, gold, cluster_id=np.arange(n) // per)
    g = n // per
    left = pd.concat(frame[frame["cluster_id"] != k].assign(task=k) for k in range(g))
    left = left.assign(item_id=left["item_id"] + n * left["task"])
    parts = ef.agreement(left, judge="judge", gold="gold", statistic=name, by="task")["estimate"]
    jackknife = np.sqrt((g - 1) / g * ((parts - parts.mean()) ** 2).sum())
    found = agree(frame, statistic=name)
    assert found["clustered"].all()
    assert_allclose(found["se"], jackknife, rtol=0.02)


def test_copies_of_a_row_in_its_cluster_add_no_certainty():
    frame = drawn().dropna().drop(columns="cluster_id")
    once = agree(
        frame.assign(cluster_id=frame["item_id"]), statistic=[*BINARY, *NUMBERS], positive=3
    )
    copies = pd.concat([frame.assign(seed=seed) for seed in range(4)])
    often = agree(copies, statistic=[*BINARY, *NUMBERS], positive=3)
    assert_allclose(often["estimate"], once["estimate"], rtol=1e-12)
    # CR2 has the divisor n - 1, the published errors of kappa and AC1 have n.
    ratio = often["se"] / once["se"]
    n = len(frame)
    assert_allclose(ratio.drop(["kappa", "ac1", "pearson"]), 1, rtol=1e-10)
    assert_allclose(ratio[["kappa", "ac1", "pearson"]], np.sqrt(n / (n - 1)), rtol=1e-10)
    assert often["clustered"].all()
    assert (often["n_clusters"] == often["n_items"]).all()


def test_flipping_the_signs_of_clusters_is_counted_exactly():
    # Clusters with +2, +1, -1 and 0: of the 8 patterns of the first three, 4 reach a sum of 2.
    frame = rated([1, 1, 1, 0, 1, 0], [0, 0, 0, 1, 0, 1], cluster_id=[1, 1, 2, 3, 4, 4])
    found = agree(frame).loc["errors_above"]
    sums = np.array([[a * 2 + b + c for a in (1, -1)] for b in (1, -1) for c in (1, -1)]).ravel()
    assert_allclose(found["p_value"], (np.abs(sums) >= 2).mean())
    assert found["interval"] == "wilson"


RATINGS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), min_size=2, max_size=40
)


@given(RATINGS, st.booleans())
def test_exchanging_judge_and_gold(rows, clustered):
    judge, gold, cluster = np.array(rows).T
    shared = {"cluster_id": cluster} if clustered else {}
    named, options = list(STATISTICS), {"positive": 2, "categories": [0, 1, 2, 3]}
    one = agree(rated(judge, gold, **shared), statistic=named, **options)
    other = agree(rated(gold, judge, **shared), statistic=named, **options)
    same = ["accuracy", "kappa", "kappa_linear", "kappa_quadratic", "ac1", "pearson", "spearman"]
    for column in ("estimate", "se", "conf_low", "conf_high"):
        assert_allclose(one.loc[same, column], other.loc[same, column], rtol=1e-9, atol=1e-12)
    assert_allclose(one.loc["bias", "estimate"], -other.loc["bias", "estimate"], atol=1e-12)
    assert_allclose(one.loc["sensitivity", "estimate"], other.loc["precision", "estimate"])
    assert_allclose(one.loc["loa_low", "estimate"], -other.loc["loa_high", "estimate"], atol=1e-9)
    above = one.loc["errors_above", "estimate"], other.loc["errors_above", "estimate"]
    assert_allclose(above[0], 1 - above[1])


@given(RATINGS)
def test_renamed_classes(rows):
    judge, gold, cluster = np.array(rows).T
    names = np.array(["z", "b", "y", "a"])
    one = agree(
        rated(judge, gold, cluster_id=cluster), statistic=BINARY, positive=2, categories=range(4)
    )
    other = agree(
        rated(names[judge], names[gold], cluster_id=cluster),
        statistic=BINARY,
        positive="y",
        categories=list(names),
    )
    numbers = ["estimate", "se", "conf_low", "conf_high", "p_value"]
    assert_allclose(one[numbers], other[numbers], rtol=1e-9, atol=1e-12)
    assert (one[["n_items", "n_responses"]] == other[["n_items", "n_responses"]]).all(axis=None)


@given(RATINGS)
def test_the_negative_class_is_the_positive_one_of_the_other(rows):
    judge, gold, _ = np.array(rows).T % 2
    one, other = (agree(rated(judge, gold), statistic=BINARY, positive=k) for k in (1, 0))
    assert_allclose(one.loc["sensitivity", "estimate"], other.loc["specificity", "estimate"])
    assert_allclose(one.loc["sensitivity", "conf_low"], other.loc["specificity", "conf_low"])


def test_no_rating_depends_on_row_order_ids_or_other_columns():
    frame = drawn()
    result = ef.agreement(frame, judge="judge", gold="gold")
    other = frame.sample(frac=1, random_state=3).assign(extra="?")
    other = other.assign(
        item_id=other["item_id"].map("i{}".format), cluster_id=-other["cluster_id"]
    )
    assert_frame_equal(ef.agreement(other, judge="judge", gold="gold"), result, check_exact=True)


def test_a_group_alone_is_that_group_among_others():
    frame = drawn(90)
    whole = ef.agreement(frame, judge="judge", gold="gold", by="task")
    for task, part in whole.groupby("task"):
        alone = ef.agreement(frame[frame["task"] == task], judge="judge", gold="gold")
        part = part.drop(columns="task").reset_index(drop=True)
        assert_frame_equal(part, alone, check_exact=True)


def test_arms_are_pooled_or_have_rows_of_their_own():
    frame = pd.concat([drawn(seed=1).assign(arm="x"), drawn(seed=2).assign(arm="y")])
    frame = frame.drop(columns="cluster_id")
    pooled, apart = (ef.agreement(frame, judge="judge", gold="gold", by=by) for by in (None, "arm"))
    assert list(apart["arm"].unique()) == ["x", "y"]
    assert_frame_equal(
        apart[apart["arm"] == "y"].drop(columns="arm").reset_index(drop=True),
        ef.agreement(drawn(seed=2).drop(columns="cluster_id"), judge="judge", gold="gold"),
        check_exact=True,
    )
    # Two responses to one item are not independent.
    assert pooled["clustered"].all()
    assert not apart["clustered"].any()


def test_statistics_come_in_the_order_asked_for():
    frame = pd.DataFrame({"item_id": range(9), "judge": [1, 0, 1] * 3, "gold": [1, 1, 0] * 3})
    asked = ["kappa", "accuracy", "bias", "ac1"]
    found = agree(frame.assign(task="x"), statistic=asked, by="task")
    assert found.index.tolist() == asked
    each = [agree(frame, statistic=one)["estimate"].iloc[0] for one in asked]
    assert found["estimate"].tolist() == each
    with pytest.raises(ValueError, match="statistic must name at least one, and each once"):
        agree(frame, statistic=["kappa", "kappa"])


@pytest.mark.parametrize("by", ["arm", "seed"])
def test_an_item_of_two_clusters_is_refused_in_rows_of_arms_and_seeds(by):
    frame = pd.DataFrame({"item_id": [1, 1, 2, 2], "judge": [1, 0, 1, 1], "gold": [1, 1, 0, 1]})
    frame = frame.assign(**{by: ["x", "y"] * 2, "cluster_id": ["a", "b", "c", "c"]})
    judged, raters = {"judge": "judge", "gold": "gold"}, {"raters": ["judge", "gold"]}
    for method, named in ((ef.agreement, judged), (ef.krippendorff, raters)):
        with pytest.raises(FrameError, match="'cluster_id' must be the same in all rows of an it"):
            method(frame, by=by, **named)
        assert len(method(frame, by=by, cluster=False, **named)) > 0


def test_columns_dtypes_and_parquet(tmp_path):
    for frame in (drawn(), drawn().head(0)):
        result = ef.agreement(frame, judge="judge", gold="gold", by="task")
        assert list(result.columns) == ["task", *TABLES["agreement"]]
        for column, kind in TABLES["agreement"].items():
            assert result[column].dtype == pd.Series([], dtype=DTYPE[kind]).dtype
        result.to_parquet(tmp_path / "result.parquet")
        back = pd.read_parquet(tmp_path / "result.parquet")
        assert_frame_equal(back, result, check_exact=True)
        assert back.attrs == result.attrs
    assert len(result) == 0


def test_the_input_is_not_changed():
    frame = drawn()
    before = frame.copy(deep=True)
    ef.agreement(frame, judge="judge", gold="gold")
    assert_frame_equal(frame, before, check_exact=True)


@pytest.mark.parametrize(
    "dtype", ["int8", "Int64", "Float64", "double[pyarrow]", object, "category"]
)
def test_numbers_of_any_dtype(dtype):
    frame = drawn().dropna()
    plain = ef.agreement(frame, judge="judge", gold="gold")
    typed = frame.astype({"judge": dtype, "gold": dtype})
    assert_frame_equal(ef.agreement(typed, judge="judge", gold="gold"), plain, check_exact=True)


@pytest.mark.parametrize("dtype", ["bool", "boolean", "bool[pyarrow]", object])
def test_booleans_are_zeros_and_ones(dtype):
    judge, gold = [1, 0, 1, 1, 0, 0, 1], [1, 0, 0, 1, 0, 1, 1]
    plain = ef.agreement(rated(judge, gold), judge="judge", gold="gold")
    flags = rated(judge, gold).astype({"judge": bool, "gold": bool})
    flags = flags.astype({"judge": dtype, "gold": dtype})
    assert_frame_equal(ef.agreement(flags, judge="judge", gold="gold"), plain, check_exact=True)


def test_which_statistics_suit():
    draw = np.random.default_rng(0)
    assert list(agree(rated([1, 0, 1], [1, 0, 0])).index) == [*BINARY, *NUMBERS]
    several = ["accuracy", "kappa", "kappa_linear", "kappa_quadratic", "ac1", "errors_above"]
    assert list(agree(drawn()).index) == [*several, "bias", "pearson", "spearman"]
    measured = agree(rated(*draw.random((2, 30))))
    assert list(measured.index) == ["bias", "pearson", "spearman", "loa_low", "loa_high"]
    labels = rated(["a", "b", "c"], ["a", "c", "b"])
    assert list(agree(labels).index) == ["accuracy", "kappa", "ac1"]
    ordered = agree(labels, categories=["a", "b", "c"])
    assert list(ordered.index) == [*several, "spearman"]


def test_labels_in_order_are_their_places():
    levels = ["bad", "fair", "good"]
    frame = drawn(q=3)
    words = frame.assign(
        judge=frame["judge"].map({k + 1: one for k, one in enumerate(levels)}),
        gold=frame["gold"].map({k + 1: one for k, one in enumerate(levels)}),
    )
    kind = pd.CategoricalDtype(levels, ordered=True)
    numbers = agree(frame).drop(["bias", "pearson"]).drop(columns="note")
    for one in (
        agree(words, categories=levels),
        agree(words.astype({"judge": kind, "gold": kind})),
    ):
        assert_frame_equal(one.drop(columns="note"), numbers, check_exact=True)


def test_weights_are_distances_of_the_ratings_whether_or_not_all_occur():
    frame = rated([1, 2, 5, 5, 1, 2], [1, 5, 5, 2, 2, 1])
    scaled = rated([10, 20, 50, 50, 10, 20], [10, 50, 50, 20, 20, 10])
    named = ["kappa_linear", "kappa_quadratic"]
    found = agree(frame, statistic=named)
    assert_allclose(found["estimate"], agree(scaled, statistic=named)["estimate"], rtol=1e-12)
    gaps = np.abs(np.subtract.outer(frame["judge"].to_numpy(), frame["gold"].to_numpy()))
    for name, d in zip(named, (gaps, gaps**2), strict=True):
        assert_allclose(found.loc[name, "estimate"], 1 - np.diag(d).mean() / d.mean(), rtol=1e-12)


def test_rows_without_a_label_or_a_rating_are_counted():
    result = agree(rated([1, None, 1, 0, None], [1, 1, None, 0, None]))
    assert (result["n_gold_missing"] == 2).all()
    assert (result["n_judge_missing"] == 1).all()
    assert result.loc["accuracy", "n_responses"] == 2


def test_no_gold_label_at_all():
    result = agree(rated([1, 0, 1], [None] * 3))
    assert result["estimate"].isna().all()
    assert result["note"].str.startswith("no row has both ratings").all()
    assert (result["n_gold_missing"] == 3).all()


def test_one_class_only():
    result = agree(rated([1] * 8, [1] * 8))
    assert result.loc["accuracy", "estimate"] == 1
    assert result.loc["accuracy", "conf_low"] < 1
    for name in ("kappa", "ac1", "specificity", "pearson", "errors_above"):
        assert np.isnan(result.loc[name, "estimate"])
        assert result.loc[name, "note"]
    assert "all ratings are alike" in result.loc["kappa", "note"]
    assert "no negative rating in gold" in result.loc["specificity", "note"]
    assert "no error" in result.loc["errors_above", "note"]
    assert agree(rated([0] * 8, [0] * 8)).loc["specificity", "estimate"] == 1


def test_a_judge_of_one_answer_has_a_kappa_of_zero_and_no_interval():
    found = agree(rated([1] * 30, [1] * 20 + [0] * 10)).loc["kappa"]
    assert (found["estimate"], found["se"]) == (0, 0)
    assert np.isnan(found["conf_low"])
    assert "the judge gives one rating only" in found["note"]


def test_perfect_agreement_has_limits_for_shares_alone():
    result = agree(rated([1, 0] * 15, [1, 0] * 15))
    assert (result.loc[["kappa", "ac1", "pearson"], "estimate"] == 1).all()
    assert result.loc[["kappa", "ac1", "pearson"], "conf_low"].isna().all()
    assert result.loc["kappa", "note"].startswith("standard error 0")
    assert (result.loc[["accuracy", "sensitivity"], "conf_low"] > 0.7).all()


def test_few_labels_are_named():
    result = agree(rated([1, 0] * 10, [1, 0] * 8 + [1, 1, 1, 1]))
    assert "2 disagreements, under 10" in result.loc["kappa", "note"]
    few = agree(rated([1] * 18 + [0, 0, 0], [1] * 17 + [0, 1, 0, 0]))
    assert "fewer than 5 gold labels: 0 (3)" in few.loc["kappa", "note"]
    assert few.loc["specificity", "note"] == "3 negative in gold: fewer than 5"
    assert few.loc["sensitivity", "note"] == ""


def test_one_item_and_one_cluster_have_no_error_and_say_so():
    one = agree(rated([1], [0]))
    assert one["se"].isna().all()
    assert one.loc["accuracy", "note"] == "1 response: no standard error"
    cluster = agree(rated([1, 0, 1, 0, 0, 1], [1, 0, 0, 0, 1, 1], cluster_id=["c"] * 6))
    assert cluster["se"].isna().all()
    assert cluster["conf_low"].isna().all()
    assert "1 cluster: no standard error; cluster=False" in cluster.loc["kappa", "note"]
    apart = agree(rated([1, 0, 1, 0], [1, 0, 0, 0], cluster_id=["c"] * 4), cluster=False)
    assert apart.loc["kappa", "se"] > 0


def test_no_number_is_missing_without_a_note():
    frames = [rated([1], [0]), rated([1, 1], [1, 0]), drawn(3), rated([1, 0], [None, None])]
    for frame in frames:
        result = agree(frame, statistic=list(STATISTICS))
        missing = result[["estimate", "se", "conf_low"]].isna().any(axis=1)
        assert (result.loc[missing, "note"] != "").all()


def test_two_labels_without_a_positive_one_ask_for_it():
    frame = rated(["good", "bad", "good"], ["good", "bad", "bad"])
    result = agree(frame)
    assert "say which is positive" in result.loc["sensitivity", "note"]
    assert agree(frame, positive="good").loc["sensitivity", "estimate"] == 1


def test_different_scales_are_refused_but_for_what_needs_no_common_one():
    frame = rated([1, 7, 10, 4], [0, 1, 1, 0])
    with pytest.raises(FrameError, match=r"'judge' has 1, 4, 7, 10 and 'gold' has 0, 1"):
        agree(frame)
    with pytest.raises(FrameError, match=r"categories=\[\.\.\.\]"):
        agree(rated(["Yes", "No"], ["yes", "no"]))
    result = agree(frame, statistic=["bias", "pearson"])
    assert result.loc["bias", "estimate"] == 5
    assert "different scales" in result.loc["bias", "note"]
    assert agree(rated([3, 3], [1, 5]), categories=[1, 2, 3, 4, 5]).loc["accuracy", "estimate"] == 0


def test_numbers_that_go_together_exactly_have_no_interval():
    judge = np.array([0.1, 0.2, 0.3, 0.7] * 5)
    for gold in (judge - 0.1, 3 * judge, -judge):
        result = agree(rated(judge, gold), statistic=["pearson", "spearman"])
        assert (result["estimate"].abs() == 1).all()
        assert (result["se"] == 0).all()
        assert result["conf_low"].isna().all()
    constant = agree(rated(judge, judge - 0.1), statistic="bias").iloc[0]
    assert (constant["estimate"], constant["se"]) == (0.1, 0)
    assert np.isnan(constant["p_value"])


def test_large_numbers_lose_no_digits():
    draw = np.random.default_rng(2)
    gold = draw.normal(size=(2, 40)).round(2)
    judge, gold = gold[0] + gold[1] / 2, gold[0]
    small, large = (agree(rated(judge + far, gold + far)) for far in (0, 1e8))
    assert_allclose(large["estimate"], small["estimate"], rtol=1e-5)
    assert_allclose(large["se"], small["se"], rtol=1e-5)


def test_numbers_and_booleans_in_one_column_and_lists():
    mixed = rated([1, True, 0, False], [1, 0, 1, 0])
    assert agree(mixed).loc["accuracy", "estimate"] == 0.5
    with pytest.raises(FrameError, match="'judge' must hold labels of one type"):
        agree(rated([[1], [2]], [1, 2]))


def test_probabilities_beside_zeros_and_ones_are_one_scale():
    draw = np.random.default_rng(4)
    gold = draw.integers(0, 2, 40)
    result = agree(rated(np.clip(gold * 0.6 + draw.random(40) * 0.4, 0, 1), gold))
    assert "accuracy" not in result.index
    assert result.loc["bias", "note"] == ""


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"judge": "judg"}, RoleError, "did you mean 'judge'"),
        ({"judge": "gold"}, RoleError, "must be two columns"),
        ({"statistic": "kapa"}, ValueError, "statistic must be one of 'accuracy', 'kappa'"),
        ({"statistic": []}, ValueError, "statistic must be one of 'accuracy', "),
        ({"positive": 7}, FrameError, "positive must be a rating of .*1, 2, 3"),
        ({"categories": [1, 2]}, FrameError, "ratings listed in categories"),
        ({"categories": "12"}, ValueError, "from low to high"),
        ({"categories": [1, 1]}, ValueError, "each rating once"),
        ({"categories": ["a", "b"]}, FrameError, "all numbers or all labels"),
        ({"by": "statistic"}, RoleError, "column of the result itself"),
        ({"cluster": "cluster_id"}, ValueError, "cluster must be True or False"),
        ({"level": 95}, ValueError, "level"),
    ],
    ids=str,
)
def test_errors_say_what_to_type(options, error, match):
    with pytest.raises(error, match=match):
        ef.agreement(drawn(), **{"judge": "judge", "gold": "gold", **options})


def test_labels_beside_numbers_and_labels_without_an_order_are_refused():
    with pytest.raises(FrameError, match=r"'judge' has 0, 1 and 'gold' has 'no', 'yes'"):
        agree(rated([1, 0], ["yes", "no"]))
    labels = rated(["a", "b"], ["b", "a"])
    with pytest.raises(FrameError, match="'kappa_linear' needs ratings that go from low to high"):
        agree(labels, statistic="kappa_linear")
    with pytest.raises(FrameError, match="'bias' needs numbers"):
        agree(labels, statistic="bias")


def test_an_accuracy_without_an_error_is_not_certain():
    frame = pd.DataFrame({"item_id": range(12), "judge": [0, 1] * 6, "gold": [0, 1] * 6})
    row = ef.agreement(frame, judge="judge", gold="gold", statistic="accuracy").iloc[0]
    assert row["se"] == 0
    assert "standard error 0" in row["note"]
