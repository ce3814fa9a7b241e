import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from scipy.stats import norm, t

from evalframe import read_parquet, score, write_parquet
from evalframe.errors import DesignError, FrameError
from evalframe.methods.scoring.score_intervals import INTERVALS
from evalframe.results import DTYPE, TABLES
from evalframe.stats.betabinomial import beta_binomial_limits
from evalframe.stats.proportions import mid_p, wilson

REFERENCE = Path(__file__).parents[2] / "reference"
EXPECTED = json.loads((REFERENCE / "intervals.json").read_text())
DATA = json.loads((REFERENCE / "scores.json").read_text())["data"]
BINARY = [1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1]
PARTIAL = [0.5, 0.9, 0.7, 1.0, 0.2, 0.8, 0.6, 1.0, 0.9, 0.4, 0.7, 0.3]
UNEQUAL = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3]
SHARES = ("wilson", "mid-p", "clopper-pearson", "jeffreys", "logit", "beta-binomial")


def runs(scores, **columns):
    return pd.DataFrame({"item_id": np.arange(len(scores)), "score": scores, **columns})


def row(frame, interval, **given):
    result = score(frame, interval=interval, **given)
    assert len(result) == 1
    return result.iloc[0]


def limits(found):
    return [found["conf_low"], found["conf_high"]]


@pytest.mark.parametrize("name", EXPECTED["proportion"])
def test_r_on_independent_items(name):
    case = EXPECTED["proportion"][name]
    column = DATA[name]["correct"]
    for interval, start in (("wilson", "wilson"), ("clopper-pearson", "clopper")):
        expected = [case[f"{start}_low"], case[f"{start}_high"]]
        assert_allclose(limits(row(column, interval)), expected, rtol=1e-10)


@pytest.mark.parametrize("name", ["clus_bal", "clus_few", "clus_unbal"])
def test_clubsandwich_on_clusters(name):
    case, data = EXPECTED["cr2"][name], DATA[name]
    label = "doc" if "doc" in data else "passage"
    frame = pd.DataFrame(
        {
            "item_id": data["q"],
            "score": data["score" if "score" in data else "correct"],
            "cluster_id": data[label],
        }
    )
    found = row(frame, "cr2")
    for column, key in (
        ("estimate", "estimate"),
        ("se", "se_CR2"),
        ("df", "df_satterthwaite_CR2"),
        ("conf_low", "conf_low"),
        ("conf_high", "conf_high"),
    ):
        assert_allclose(found[column], case[key], rtol=1e-10, err_msg=column)


@pytest.mark.parametrize("interval", ["wilson", "auto"])
def test_25_of_25_right_has_a_real_interval(interval):
    found = row([1] * 25, interval)
    expected = wilson(1.0, 25, norm.ppf(0.975)) if interval == "wilson" else mid_p(25, 25, 0.95)
    assert_allclose(limits(found), expected)
    assert found["conf_low"] < 1 == found["conf_high"]
    assert "standard error 0" in found["note"]


def test_25_of_25_right_in_published_digits():
    assert_allclose(limits(row([1] * 25, "wilson")), [0.8668077, 1], atol=5e-8)
    assert_allclose(limits(row([1] * 25, "clopper-pearson")), [0.8628148, 1], atol=5e-8)


def test_logit_by_hand():
    found = row(runs(PARTIAL), "logit")
    p, se = np.mean(PARTIAL), np.std(PARTIAL, ddof=1) / np.sqrt(12)
    margin = t.ppf(0.975, 11) * se / (p * (1 - p))
    expected = 1 / (1 + np.exp(-(np.log(p / (1 - p)) + np.array([-margin, margin]))))
    assert_allclose(limits(found), expected)
    assert_allclose([found["se"], found["df"]], [se, 11])


def test_wilson_with_clusters_takes_their_effective_number_of_items():
    frame = runs(BINARY, cluster_id=UNEQUAL)
    robust = row(frame, "cr2")
    p, se, df = robust["estimate"], robust["se"], robust["df"]
    found = row(frame, "wilson")
    assert_allclose(limits(found), wilson(p, p * (1 - p) / se**2, t.ppf(0.975, df)))
    assert_array_equal([found["se"], found["df"]], [se, df])


def test_wilson_of_clusters_that_agree_takes_one_item_each():
    found = row(runs([1] * 12, cluster_id=np.arange(12) // 3), "wilson")
    assert_allclose(limits(found), wilson(1.0, 4, t.ppf(0.975, 3)))


def test_beta_binomial_takes_clusters_whole():
    found = row(runs(BINARY, cluster_id=UNEQUAL), "beta-binomial")
    right = np.bincount(UNEQUAL, weights=BINARY).astype(int)
    expected = beta_binomial_limits(right, np.bincount(UNEQUAL), 0.95)
    assert_array_equal(limits(found), expected)
    assert np.isnan(found["df"])


two_runs = pd.concat([runs(BINARY, seed=0), runs(BINARY, seed=1)], ignore_index=True)
right_twice = pd.concat([runs([1] * 8, seed=0), runs([1] * 8, seed=1)], ignore_index=True)


@pytest.mark.parametrize(
    ("frame", "used"),
    [
        (runs(BINARY), "mid-p"),
        (runs([1] * 8), "mid-p"),
        (runs(PARTIAL), "logit"),
        (two_runs, "logit"),
        (right_twice, "wilson"),
        (runs([0.5] * 6), "wilson"),
        (runs([0.5, 2.5, 3.0]), "t"),
        (runs(BINARY, cluster_id=UNEQUAL), "beta-binomial"),
        (runs(BINARY, cluster_id=range(12)), "mid-p"),
        (runs(PARTIAL, cluster_id=UNEQUAL), "logit"),
        (two_runs.assign(cluster_id=UNEQUAL * 2), "logit"),
        (right_twice.assign(cluster_id=[0, 0, 0, 1, 1, 1, 2, 2] * 2), "wilson"),
        (runs([0.5, 2.5, 3.0, 1], cluster_id=[0, 0, 1, 1]), "cr2"),
    ],
)
def test_auto_names_the_interval_of_the_regime(frame, used):
    found = row(frame, "auto")
    assert found["interval"] == used
    assert_array_equal(limits(found), limits(row(frame, used)))
    assert np.isfinite(limits(found)).all()


def test_auto_chooses_for_each_row():
    frame = pd.concat([runs(BINARY, arm="a"), runs(PARTIAL, arm="b"), runs([7, 8, 9], arm="c")])
    result = score(frame, interval="auto")
    assert result["interval"].tolist() == ["mid-p", "logit", "t"]
    for arm, group in frame.groupby("arm"):
        alone = score(group, interval="auto").drop(columns="arm")
        beside = result[result["arm"] == arm].drop(columns="arm").reset_index(drop=True)
        assert_frame_equal(alone, beside, check_exact=True)


def test_the_scale_of_other_columns_is_not_read_from_their_values():
    frame = runs(BINARY).assign(latency_s=PARTIAL, hit_cap=BINARY)
    found = score(frame, value=["score", "latency_s", "hit_cap"], interval="auto")
    assert found["interval"].tolist() == ["mid-p", "t", "mid-p"]
    assert row(frame, "auto", value="latency_s", bounds=(0, 1))["interval"] == "logit"
    assert row(frame, "auto", bounds=None)["interval"] == "t"


def test_an_interval_of_shares_by_name_takes_any_column_as_shares():
    frame = runs(BINARY).assign(passed=BINARY)
    assert_array_equal(limits(row(frame, "wilson", value="passed")), limits(row(frame, "wilson")))


@pytest.mark.parametrize("interval", ["auto", *SHARES])
@pytest.mark.parametrize("cluster", [None, UNEQUAL])
def test_grades_on_another_scale_have_the_limits_of_that_scale(interval, cluster):
    binary = interval not in ("auto", "wilson", "logit")
    values = np.array(BINARY if binary else PARTIAL)
    if cluster is not None and interval in ("mid-p", "clopper-pearson", "jeffreys"):
        cluster = range(12)
    columns = {} if cluster is None else {"cluster_id": cluster}
    plain = row(runs(values, **columns), interval)
    scaled = row(runs(1 + 4 * values, **columns), interval, bounds=(1, 5))
    assert_allclose(limits(scaled), 1 + 4 * np.array(limits(plain)))
    assert scaled["interval"] == plain["interval"]


@pytest.mark.parametrize("bounds", [(1, 0), (0, 0), (0,), "unit", 1, (0, np.inf), (None, 1)])
def test_bounds_that_are_no_scale_are_refused(bounds):
    with pytest.raises(ValueError, match=r"bounds must be .*bounds=\(0, 100\)"):
        score(BINARY, bounds=bounds)


def test_scores_outside_the_bounds_given_are_refused():
    with pytest.raises(FrameError, match=r"'score' must lie in bounds=\(0, 1\).*first 2\.5"):
        score([0.5, 2.5], bounds=(0, 1))


@pytest.mark.parametrize("interval", SHARES)
def test_an_interval_of_shares_is_refused_for_other_numbers(interval):
    with pytest.raises(FrameError, match=rf'interval="{interval}" needs .*"auto", "t"') as error:
        score([1, 2.5, 0], interval=interval)
    assert "2.5" in str(error.value) or "others in" in str(error.value)


@pytest.mark.parametrize("interval", ["mid-p", "clopper-pearson", "jeffreys"])
def test_a_binomial_interval_is_refused_for_clusters(interval):
    message = r"needs independent items, found 12 item\(s\) in 4 clusters; .*\"beta-binomial\""
    with pytest.raises(DesignError, match=message):
        score(runs(BINARY, cluster_id=UNEQUAL), interval=interval)


@pytest.mark.parametrize("interval", ["mid-p", "beta-binomial"])
def test_a_binomial_interval_is_refused_for_partial_scores(interval):
    with pytest.raises(FrameError, match=r"needs item scores of 0 or 1 alone, found others in 10"):
        score(PARTIAL, interval=interval)


def test_a_row_without_the_interval_is_unknown_and_says_what_it_lacks():
    frame = pd.concat([runs(BINARY, arm="a"), runs(PARTIAL, arm="b")])
    result = score(frame, interval="mid-p").set_index("arm")
    assert np.isfinite(limits(result.loc["a"])).all()
    assert np.isnan(limits(result.loc["b"])).all()
    assert "no mid-p interval: it needs item scores of 0 or 1 alone" in result.loc["b", "note"]
    assert result.loc["b", "estimate"] == pytest.approx(np.mean(PARTIAL))


@pytest.mark.parametrize("interval", INTERVALS)
def test_one_cluster_has_no_limits(interval):
    frame = pd.concat(
        [
            runs(BINARY, task="one", cluster_id=0),
            runs(BINARY, task="two", cluster_id=np.arange(12) + 1),
        ]
    )
    found = score(frame, interval=interval, by="task").iloc[0]
    assert np.isnan([found["se"], *limits(found)]).all()
    assert "1 cluster" in found["note"]


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("values", [BINARY, PARTIAL])
def test_every_item_its_own_cluster_is_the_independent_result(interval, values):
    if values is PARTIAL and interval in SHARES and interval not in ("wilson", "logit"):
        return
    alone, own = (
        score(runs(values), interval=interval),
        score(runs(values, cluster_id=range(12)), interval=interval),
    )
    same = ["estimate", "se", "conf_low", "conf_high", "df", "interval"]
    assert_frame_equal(alone[same], own[same], check_exact=True)


@pytest.mark.parametrize("interval", INTERVALS)
def test_one_item_has_no_limits_that_rest_on_its_spread(interval):
    found = row([1], interval)
    counts = interval in ("auto", "wilson", "mid-p", "clopper-pearson", "jeffreys", "beta-binomial")
    assert np.isfinite(limits(found)).all() == counts
    assert "1 item" in found["note"]


@pytest.mark.parametrize("interval", INTERVALS)
def test_no_rows_have_the_columns_of_the_table(interval):
    result = score(runs([]), interval=interval)
    assert len(result) == 0
    assert list(result.columns) == list(TABLES["score"])
    assert result["conf_low"].dtype == DTYPE["float"]


@pytest.mark.parametrize("interval", INTERVALS)
def test_shuffled_rows_and_other_labels_have_the_same_limits(interval, tmp_path):
    cluster = range(12) if interval in ("mid-p", "clopper-pearson", "jeffreys") else UNEQUAL
    frame = runs(BINARY, cluster_id=cluster)
    result = score(frame, interval=interval)
    mixed = frame.sample(frac=1, random_state=1)
    mixed = mixed.assign(cluster_id=-mixed["cluster_id"], item_id=-mixed["item_id"])
    assert_frame_equal(score(mixed, interval=interval), result, check_exact=True)
    write_parquet(result, tmp_path / "result.parquet")
    back = read_parquet(tmp_path / "result.parquet")
    assert back.attrs == result.attrs
    assert_frame_equal(back, result)


@pytest.mark.parametrize("interval", ["t", "normal", "cr2"])
def test_a_symmetric_interval_near_the_ends_is_noted_with_the_better_choice(interval):
    note = row([1] * 14 + [0], interval)["note"]
    assert f'{interval} is too short near 0 and 1 with few items; interval="auto"' in note
    assert "too short" not in row([1] * 500 + [0] * 100, interval)["note"]


def test_unequal_clusters_are_noted_with_their_degrees_of_freedom():
    cluster = np.repeat(np.arange(8), [60, 4, 4, 4, 4, 4, 4, 4])
    frame = runs(np.tile([1, 0], 44), cluster_id=cluster)
    assert "clusters are unequal: 1." in row(frame, "t")["note"]
    assert "clusters are unequal" not in row(frame, "cr2")["note"]
    assert "even this interval is uncertain" in row(frame, "cr2")["note"]


@pytest.mark.parametrize("interval", ["wilson", "jeffreys"])
def test_shares_of_few_items_near_the_ends_are_noted(interval):
    assert 'interval="mid-p" holds' in row([1] * 19 + [0], interval)["note"]


def test_skewed_values_without_a_scale_are_noted():
    values = np.exp(np.linspace(-2, 3, 20))
    assert "skewness" in row(runs(values), "t", bounds=None)["note"]
    assert "skewness" not in row(runs(np.arange(60.0)), "t")["note"]


def test_few_degrees_of_freedom_without_a_scale_are_noted():
    assert "4.0 degrees of freedom (<8)" in row([1.0, 3, 2, 5, 4], "t")["note"]


@pytest.mark.parametrize("interval", [name for name in INTERVALS if name != "logit"])
@pytest.mark.parametrize("scores", [[1] * 9, [0] * 3])
def test_an_interval_without_width_is_never_without_a_note(interval, scores):
    found = row(scores, interval)
    if found["conf_low"] == found["conf_high"]:
        assert "no spread in the sample is not certainty" in found["note"]
        assert "auto" in found["note"]


def test_logit_is_refused_where_nothing_differs():
    with pytest.raises(FrameError, match="needs scores that differ, found no spread among 9"):
        score([1] * 9, interval="logit")


def test_the_shares_of_a_level_nest():
    for interval in SHARES:
        short, long = (
            row(runs(BINARY), interval, level=0.8),
            row(runs(BINARY), interval, level=0.99),
        )
        assert long["conf_low"] < short["conf_low"] < short["conf_high"] < long["conf_high"]


def test_auto_says_where_scores_lie_beyond_the_scale_of_their_role():
    frame = pd.DataFrame({"item_id": range(20), "score": [1.0] * 18 + [0.0, 1.0001]})
    row = score(frame, interval="auto").iloc[0]
    assert row["interval"] == "t"
    assert "scores beyond 0 to 1 are taken to have no ends; bounds=(low, high)" in row["note"]
    assert "beyond" not in score(frame, interval="auto", bounds=(0, 2))["note"][0]
    assert "beyond" not in score(frame)["note"][0]


def test_auto_does_not_advise_against_its_own_choice():
    frame = pd.DataFrame({"item_id": np.repeat(range(30), 3), "seed": [0, 1, 2] * 30, "score": 1.0})
    row = score(frame, interval="auto").iloc[0]
    assert row["interval"] == "wilson"
    assert "mid-p" not in row["note"]
