import json

import numpy as np
import pandas as pd
import pytest

from evalframe import results
from evalframe.errors import DesignError, FrameError
from evalframe.report import format_report

NAN = float("nan")
DEFAULTS = {
    "compare": {
        "diff_rel": NAN, "mde": NAN, "mcnemar_p": NAN, "baseline_only": None, "arm_only": None,
        "n_dropped": 0, "n_clusters": None, "df": NAN, "level": 0.95, "interval": "normal",
        "clustered": False, "significant": False, "small_n": False, "note": "",
    },
    "score": {
        "metric": "score", "n_missing": 0, "n_items_missing": 0, "n_clusters": None,
        "design_effect": NAN, "level": 0.95, "interval": "t", "clustered": False, "note": "",
    },
}  # fmt: skip


def table(name, rows):
    frame = pd.DataFrame([DEFAULTS[name] | row for row in rows])
    keys = frame[[column for column in frame if column not in DEFAULTS[name]]]
    return results.table(name, keys, dict(frame.items()), {})


def metric(name, **columns):
    keys = {key: columns.pop(key) for key in ("task", "lang") if key in columns}
    return {**keys, "arm": "edit", "baseline": "base", "metric": name, **columns}


# The example of the specification: 8 items, 5 and 6 right, 300 and 250 tokens.
EXAMPLE = [
    metric(
        "score", baseline_mean=0.625, arm_mean=0.75, diff=0.125, diff_rel=0.2, se=0.125,
        conf_low=-0.12, conf_high=0.37, mde=0.35, mcnemar_p=1.0, baseline_only=0, arm_only=1,
        n_items=8,
    ),
    metric(
        "tokens", baseline_mean=300.0, arm_mean=250.0, diff=-50.0, diff_rel=-1 / 6, se=0.0,
        conf_low=-50.0, conf_high=-50.0, mde=0.0, n_items=8,
    ),
    metric(
        "hit_cap", baseline_mean=0.0, arm_mean=0.0, diff=0.0, se=0.0,
        conf_low=0.0, conf_high=0.0, mde=0.0, n_items=8,
    ),
]  # fmt: skip
# The baseline run again, one token more on every second item.
RERUN = [
    EXAMPLE[0] | {"arm": "rerun", "arm_mean": 0.625, "diff": 0.0, "se": 0.0},
    EXAMPLE[1] | {"arm": "rerun", "arm_mean": 300.5, "diff": 0.5, "se": (1 / 28) ** 0.5},
]


UNKNOWN = dict.fromkeys(
    ("baseline_mean", "arm_mean", "diff", "diff_rel", "se", "conf_low", "conf_high", "mde"), NAN
) | dict(zip(results.FLOOR, (NAN, NAN, NAN, False), strict=True))


def clustered(rows, n_clusters):
    return [row | {"clustered": True, "n_clusters": n_clusters} for row in rows]


def test_the_documents_example():
    assert format_report(table("compare", EXAMPLE)) == (
        "n=8 items  base=0.6250  edit=0.7500\n"
        "score diff=+0.1250  SE=0.1250  95% CI [-0.1200, +0.3700]; not significant; "
        "smallest detectable difference at this n is 0.3500\n"
        "McNemar exact p=1  (base-only right=0, edit-only right=1)\n"
        "tokens: base=300.0  edit=250.0  diff=-50.0 (-16.7%)  bootstrap 95% CI [-50.0, -50.0]\n"
        "cap-hit rate: base=0.000  edit=0.000\n"
        "WARNING: only 8 items (<100); intervals are unreliable"
    )


def test_the_documents_clustered_example():
    assert format_report(table("compare", clustered(EXAMPLE, 4))) == (
        "n=8 items in 4 clusters  base=0.6250  edit=0.7500\n"
        "score diff=+0.1250  SE=0.1250  95% CI [-0.1200, +0.3700]; not significant; "
        "smallest detectable difference at this n is 0.3500\n"
        "McNemar exact p=1  (base-only right=0, edit-only right=1); ignores clustering\n"
        "tokens: base=300.0  edit=250.0  diff=-50.0 (-16.7%)  bootstrap 95% CI [-50.0, -50.0]\n"
        "cap-hit rate: base=0.000  edit=0.000\n"
        "WARNING: only 4 clusters (<100); intervals are unreliable"
    )


def test_the_documents_noise_floor_example():
    report = format_report(table("compare", EXAMPLE), table("compare", RERUN))
    assert report.splitlines()[-3:-1] == [
        "noise floor (score): |diff|=0.1250 does not exceed |floor diff| + 1.96 SE = 0.0000",
        "noise floor (tokens): |diff|=50.0 exceeds |floor diff| + 1.96 SE = 0.9",
    ]


def test_the_score_documents_example():
    row = {
        "arm": "model", "estimate": 0.74, "se": 0.0219592, "conf_low": 0.6968297,
        "conf_high": 0.7831703, "n_items": 400, "n_responses": 400, "df": 399.0,
    }  # fmt: skip
    assert format_report(table("score", [row])) == (
        "Evaluation score: model\n"
        "\n"
        "  Estimate   0.7400\n"
        "  Std. error 0.0220\n"
        "  95% CI     [0.6968, 0.7832]\n"
        "\n"
        "  Items      400\n"
        "  Independent standard error, t on 399 df."
    )


CLUSTERED_SCORE = {
    "arm": "model", "estimate": 0.7125, "se": 0.021497, "conf_low": 0.6693, "conf_high": 0.7557,
    "n_items": 400, "n_responses": 400, "n_clusters": 50, "design_effect": 0.9, "df": 49.0,
    "clustered": True,
}  # fmt: skip


def test_the_score_documents_clustered_example():
    assert format_report(table("score", [CLUSTERED_SCORE])) == (
        "Evaluation score: model\n"
        "\n"
        "  Estimate   0.7125\n"
        "  Std. error 0.0215\n"
        "  95% CI     [0.6693, 0.7557]\n"
        "\n"
        "  Items      400\n"
        "  Clusters   50\n"
        "  Design eff 0.90 (SE is 0.95x the independent estimate)\n"
        "  Cluster-robust standard error, t on 49 df."
    )


def test_arms_and_groups_of_hundreds_of_items_by_hand():
    # math: 400 items, base right on 240.
    #   edit: 10 base only, 30 edit only. diff 20/400; sum of squares 40 - 400 * 0.05**2 = 39;
    #   se sqrt(39 / 399 / 400) = 0.015632, times 1.96 0.030639. McNemar: the first 11 binomial
    #   coefficients of 40 add up to 1,221,246,132; twice that over 2**40 is 0.0022214.
    #   long: 25 base only, 15 long only. diff -10/400; 40 - 400 * 0.025**2 = 39.75;
    #   se sqrt(39.75 / 399 / 400) = 0.015782, times 1.96 0.030932, times 2.8 0.044189. The first 16
    #   coefficients add up to 84,585,398,828; twice that over 2**40 is 0.15386.
    # code: 120 items, edit half a point better on 60 and half a point worse on 60.
    #   se sqrt(120 * 0.25 / 119 / 120) = 0.045835, times 1.96 0.089836, times 2.8 0.128338.
    math = {"task": "math", "lang": "en", "n_items": 400, "baseline_mean": 0.6}
    code = {"task": "code", "lang": "en", "n_items": 120, "baseline_mean": 0.5}
    edit = {"arm": "edit", "arm_mean": 0.65, "diff": 0.05, "se": 0.015632}
    edit |= {"conf_low": 0.019361, "conf_high": 0.080639, "mde": 0.04377}
    edit |= {"mcnemar_p": 0.0022214, "baseline_only": 10, "arm_only": 30}
    long = {"arm": "long", "arm_mean": 0.575, "diff": -0.025, "se": 0.015782}
    long |= {"conf_low": -0.055932, "conf_high": 0.005932, "mde": 0.044189}
    long |= {"mcnemar_p": 0.15386, "baseline_only": 25, "arm_only": 15}
    even = {"arm": "edit", "arm_mean": 0.5, "diff": 0.0, "se": 0.045835}
    even |= {"conf_low": -0.089836, "conf_high": 0.089836, "mde": 0.128338}
    tokens = {"baseline_mean": 1200.0, "diff_rel": 0.05, "arm_mean": 1260.0, "diff": 60.0}
    tokens |= {"se": 10.0, "conf_low": 40.5, "conf_high": 79.75, "mde": 28.0}
    rows = [
        metric("score", **code) | even,
        metric("score", **math) | edit,
        metric("tokens", **math) | tokens | {"arm": "edit"},
        metric("score", **math) | long,
    ]
    assert format_report(table("compare", rows)) == (
        "task=code, lang=en\n"
        "edit vs base\n"
        "n=120 items  base=0.5000  edit=0.5000\n"
        "score diff=+0.0000  SE=0.0458  95% CI [-0.0898, +0.0898]; not significant; "
        "smallest detectable difference at this n is 0.1283\n"
        "McNemar exact p=n/a (scores are not all 0 or 1)\n"
        "\n"
        "task=math, lang=en\n"
        "edit vs base\n"
        "n=400 items  base=0.6000  edit=0.6500\n"
        "score diff=+0.0500  SE=0.0156  95% CI [+0.0194, +0.0806]\n"
        "McNemar exact p=0.00222  (base-only right=10, edit-only right=30)\n"
        "tokens: base=1200.0  edit=1260.0  diff=+60.0 (+5.0%)  bootstrap 95% CI [+40.5, +79.8]\n"
        "\n"
        "task=math, lang=en\n"
        "long vs base\n"
        "n=400 items  base=0.6000  long=0.5750\n"
        "score diff=-0.0250  SE=0.0158  95% CI [-0.0559, +0.0059]; not significant; "
        "smallest detectable difference at this n is 0.0442\n"
        "McNemar exact p=0.154  (base-only right=25, long-only right=15)"
    )


def test_a_clustered_report_at_another_level_with_its_own_floor_by_hand():
    # 1.6449 standard errors: 0.08 -+ 0.0329 and 0.25 -+ 0.0164.
    # Floors: 0.01 + 1.6449 * 0.05 = 0.0922 and 1.5 + 1.6449 * 1 = 3.1.
    rows = clustered(
        [
            metric(
                "score", baseline_mean=0.5, arm_mean=0.58, diff=0.08, se=0.02, mcnemar_p=0.00005678,
                conf_low=0.0471, conf_high=0.1129, mde=0.0497, baseline_only=20, arm_only=68,
            ),
            metric(
                "tokens", baseline_mean=120.0, arm_mean=126.0, diff=6.0, diff_rel=0.05, se=1.5,
                conf_low=3.25, conf_high=8.875, mde=3.73,
            ),
            metric(
                "latency_s", baseline_mean=1.25, arm_mean=1.5, diff=0.25, diff_rel=0.2, se=0.01,
                conf_low=0.2336, conf_high=0.2664, mde=0.0249,
            ),
        ],
        150,
    )  # fmt: skip
    floors = [(-0.01, 0.05, 0.0922, False), (1.5, 1.0, 3.1449, True), (NAN, NAN, NAN, False)]
    for row, floor in zip(rows, floors, strict=True):
        row |= dict(zip(results.FLOOR, floor, strict=True), n_items=600, level=0.9)
    assert format_report(table("compare", rows)) == (
        "n=600 items in 150 clusters  base=0.5000  edit=0.5800\n"
        "score diff=+0.0800  SE=0.0200  90% CI [+0.0471, +0.1129]\n"
        "McNemar exact p=5.68e-05  (base-only right=20, edit-only right=68); ignores clustering\n"
        "tokens: base=120.0  edit=126.0  diff=+6.0 (+5.0%)  bootstrap 90% CI [+3.2, +8.9]\n"
        "latency_s: base=1.2500  edit=1.5000  diff=+0.2500  SE=0.0100  90% CI [+0.2336, +0.2664]\n"
        "noise floor (score): |diff|=0.0800 does not exceed |floor diff| + 1.64 SE = 0.0922\n"
        "noise floor (tokens): |diff|=6.0 exceeds |floor diff| + 1.64 SE = 3.1"
    )


def test_scores_of_groups_and_metrics_by_hand():
    # 0.42 -+ 2.5758 * 0.05 at level 0.99; a design effect of 2.25 is a standard error 1.5 times.
    rows = [
        {
            "task": "math", "arm": "a", "estimate": 0.42, "se": 0.05, "conf_low": 0.29121,
            "conf_high": 0.54879, "n_items": 160, "n_responses": 317, "n_missing": 3,
            "n_clusters": 14, "design_effect": 2.25, "df": 12.345, "level": 0.99,
            "clustered": True, "interval": "normal",
        },
        {
            "task": "math", "arm": "a", "metric": "tokens", "estimate": 1234.5, "se": NAN,
            "conf_low": NAN, "conf_high": NAN, "n_items": 1, "n_responses": 1, "df": NAN,
        },
    ]  # fmt: skip
    assert format_report(table("score", rows)) == (
        "task=math\n"
        "Evaluation score: a\n"
        "\n"
        "  Estimate   0.4200\n"
        "  Std. error 0.0500\n"
        "  99% CI     [0.2912, 0.5488]\n"
        "\n"
        "  Items      160\n"
        "  Clusters   14\n"
        "  Design eff 2.25 (SE is 1.50x the independent estimate)\n"
        "  Missing    3 of 320 responses\n"
        "  Cluster-robust standard error, normal interval.\n"
        "\n"
        "task=math\n"
        "Evaluation tokens: a\n"
        "\n"
        "  Estimate   1234.5000\n"
        "  Std. error n/a\n"
        "  95% CI     [n/a, n/a]\n"
        "\n"
        "  Items      1\n"
        "  Independent standard error, t on n/a df."
    )


@pytest.mark.parametrize(
    ("df", "text"), [(399.0, "399"), (12.5, "12.5"), (12.345, "12.35"), (10.0, "10"), (100, "100")]
)
def test_degrees_of_freedom_have_two_decimals_where_they_need_them(df, text):
    report = format_report(table("score", [CLUSTERED_SCORE | {"df": df}]))
    assert report.endswith(f"t on {text} df.")


@pytest.mark.parametrize(
    ("level", "text"), [(0.9, "90%"), (0.999, "99.9%"), (0.57, "57%"), (0.99999, "99.999%")]
)
def test_a_level_prints_without_the_rounding_of_its_product(level, text):
    rows = [row | {"level": level} for row in EXAMPLE]
    assert f"  {text} CI [-0.1200" in format_report(table("compare", rows))
    assert f"\n  {text} CI " in format_report(table("score", [CLUSTERED_SCORE | {"level": level}]))


def test_one_cluster_has_no_known_significance():
    unknown = {"se": NAN, "conf_low": NAN, "conf_high": NAN, "mde": NAN}
    lines = format_report(table("compare", clustered([EXAMPLE[0] | unknown], 1))).splitlines()
    assert lines[0] == "n=8 items in 1 cluster  base=0.6250  edit=0.7500"
    assert lines[1] == (
        "score diff=+0.1250  SE=n/a  95% CI [n/a, n/a]; significance cannot be known"
    )
    assert lines[-1] == "WARNING: only 1 cluster (<100); intervals are unreliable"


def test_a_relative_difference_to_no_tokens_is_not_known():
    rows = [EXAMPLE[1] | {"baseline_mean": 0.0, "diff_rel": NAN}]
    assert "diff=-50.0 (n/a)  bootstrap" in format_report(table("compare", rows))


def test_a_block_without_scores_shows_no_means_of_scores():
    assert format_report(table("compare", EXAMPLE[1:])) == (
        "n=8 items\n"
        "tokens: base=300.0  edit=250.0  diff=-50.0 (-16.7%)  bootstrap 95% CI [-50.0, -50.0]\n"
        "cap-hit rate: base=0.000  edit=0.000\n"
        "WARNING: only 8 items (<100); intervals are unreliable"
    )


@pytest.mark.parametrize(("n_items", "warned"), [(1, True), (99, True), (100, False)])
def test_fewer_than_100_items_are_warned_of(n_items, warned):
    report = format_report(table("compare", [EXAMPLE[0] | {"n_items": n_items}]))
    assert ("WARNING" in report) == warned


@pytest.mark.parametrize(("n_clusters", "warned"), [(99, True), (100, False)])
def test_fewer_than_100_clusters_are_warned_of(n_clusters, warned):
    rows = clustered([EXAMPLE[0] | {"n_items": 5000}], n_clusters)
    report = format_report(table("compare", rows))
    assert report.endswith("WARNING: only 99 clusters (<100); intervals are unreliable") == warned
    assert ("WARNING" in report) == warned


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.25), (-0.25, 0.0), (0.0, 0.0)])
def test_an_interval_that_touches_0_is_not_significant(low, high):
    rows = [EXAMPLE[0] | {"conf_low": low, "conf_high": high}]
    assert "; not significant; " in format_report(table("compare", rows))


def test_a_difference_that_rounds_to_0_has_no_minus_sign():
    rows = [EXAMPLE[0] | {"diff": -1e-9}]
    assert "score diff=+0.0000  " in format_report(table("compare", rows))


def test_dropped_keys_are_counted():
    rows = [row | {"n_dropped": 2} for row in EXAMPLE]
    lines = format_report(table("compare", rows)).splitlines()
    assert lines[1] == "dropped: 2 (item, seed) keys not in both arms"
    assert sum("dropped" in line for line in lines) == 1


def test_a_floor_that_is_not_known_is_not_exceeded():
    rerun = table("compare", [RERUN[0] | {"se": NAN}])
    report = format_report(table("compare", EXAMPLE), rerun)
    assert (
        "noise floor (score): |diff|=0.1250 cannot be held against |floor diff| + 1.96 SE = n/a\n"
        "noise floor (tokens): |diff|=50.0 cannot be held against |floor diff| + 1.96 SE = n/a\n"
    ) in report


def test_a_floor_given_takes_the_place_of_the_one_in_the_result():
    floor = table("compare", RERUN)
    carried = dict(zip(results.FLOOR, (1.0, 1.0, 2.96, True), strict=True))
    result = table("compare", [row | carried for row in EXAMPLE])
    assert format_report(result, floor) == format_report(table("compare", EXAMPLE), floor)


def test_the_order_of_the_metrics_is_that_of_the_document():
    assert format_report(table("compare", EXAMPLE[::-1])) == format_report(
        table("compare", EXAMPLE)
    )


@pytest.mark.parametrize("name", ["compare", "score"])
def test_no_rows_print_nothing(name):
    rows = {"compare": EXAMPLE, "score": [CLUSTERED_SCORE]}[name]
    assert format_report(table(name, rows).head(0)) == ""


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("compare", EXAMPLE),
        ("compare", clustered(EXAMPLE[1:], 4)),
        ("compare", [row | UNKNOWN for row in EXAMPLE]),
        ("score", [CLUSTERED_SCORE, CLUSTERED_SCORE | {"clustered": False, "n_clusters": None}]),
    ],
)
def test_a_result_read_back_from_a_file_prints_the_same(name, rows, tmp_path):
    result = table(name, rows)
    result.to_parquet(tmp_path / "result.parquet")
    lines = [
        json.dumps({key: None if pd.isna(value) else value for key, value in row.items()})
        for row in result.to_dict("records")
    ]
    from_lines = pd.DataFrame([json.loads(line) for line in lines])
    expected = format_report(result)
    assert "nan" not in expected.lower()
    assert format_report(pd.read_parquet(tmp_path / "result.parquet")) == expected
    assert format_report(from_lines) == expected


def test_the_index_does_not_matter_and_the_frame_is_left_alone():
    result = table("compare", EXAMPLE)
    odd = result.set_axis([3, 3, 3])
    before = odd.copy()
    floor = table("compare", RERUN)
    assert format_report(odd, floor) == format_report(result, floor)
    pd.testing.assert_frame_equal(odd, before)


@pytest.mark.parametrize("label", [7, True, "a=b", pd.Timestamp("2024-01-02")])
def test_labels_print_as_they_are(label):
    rows = [row | {"baseline": label} for row in EXAMPLE]
    assert f"({label}-only right=0, " in format_report(table("compare", rows))


@pytest.mark.parametrize(
    ("name", "rows"), [("compare", clustered(EXAMPLE, 4)), ("score", [CLUSTERED_SCORE])]
)
def test_what_is_not_known_never_prints_as_nan(name, rows):
    result = table(name, rows)
    unknown = [column for column in result if result[column].dtype == np.float64]
    report = format_report(result.assign(**{c: NAN for c in unknown if c != "level"}))
    assert "n/a" in report
    assert "nan" not in report.lower()


def test_a_frame_that_is_neither_result_is_refused():
    records = pd.DataFrame({"item_id": ["q1"], "arm": ["base"], "score": [1.0]})
    with pytest.raises(FrameError, match=r"The frame has: item_id, arm, score\.") as caught:
        format_report(records)
    assert "df.evals.score() or df.evals.compare(baseline)" in str(caught.value)


def test_a_score_result_takes_no_floor():
    with pytest.raises(DesignError, match=r"df\.evals\.compare\(baseline\)"):
        format_report(table("score", [CLUSTERED_SCORE]), table("compare", RERUN))


def test_an_adjusted_p_says_over_how_many_tests():
    row = EXAMPLE[0] | {"note": "only 8 items; mcnemar_p adjusted: holm over 1,200 tests"}
    lines = format_report(table("compare", [row])).splitlines()
    said = "McNemar exact p=1 adjusted: holm over 1,200 tests  (base-only right=0, "
    assert lines[2].startswith(said)


def test_unpaired_arms_have_no_test_of_pairs_and_a_warning_of_the_smaller_one():
    row = EXAMPLE[0] | {"interval": "welch", "mcnemar_p": NAN, "n_items": 120, "small_n": True}
    lines = format_report(table("compare", [row])).splitlines()
    assert lines[2] == "McNemar exact p=n/a (unpaired)"
    assert lines[-1] == "WARNING: an arm alone has fewer than 100; intervals are unreliable"


def test_what_was_counted_as_0_and_what_rests_on_fewer_items_is_said():
    zeros = EXAMPLE[0] | {"note": "20 missing counted as 0"}
    fewer = EXAMPLE[1] | {"n_items": 3, "n_dropped": 5}
    lines = format_report(table("compare", [zeros, fewer])).splitlines()
    assert lines[1] == "missing: 20 counted as 0"
    assert lines[4].startswith("tokens: base=300.0")
    assert lines[4].endswith("; of 3 items alone")


def test_a_score_is_reported_with_its_note():
    row = {
        "arm": "m", "estimate": 1.0, "se": 0.0, "conf_low": 1.0, "conf_high": 1.0, "n_items": 5,
        "n_responses": 4, "n_missing": 1, "df": 4.0, "note": "1 missing counted as 0",
    }  # fmt: skip
    lines = format_report(table("score", [row])).splitlines()
    assert "  Missing    1 of 5 responses, counted as 0" in lines
    assert lines[-1] == "  Note: 1 missing counted as 0."
