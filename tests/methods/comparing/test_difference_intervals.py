import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from scipy.stats import norm, t

from evalframe import compare
from evalframe.errors import DesignError, FrameError
from evalframe.methods.comparing.difference_intervals import INTERVALS
from evalframe.stats.paired import bonett_price, newcombe, tango

REFERENCE = Path(__file__).parents[2] / "reference"
EXPECTED = json.loads((REFERENCE / "intervals.json").read_text())["cr2"]["pair_clus"]
DATA = json.loads((REFERENCE / "scores.json").read_text())["data"]["pair_clus"]
Z = norm.ppf(0.975)
BASE = [1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1]
EDIT = [1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1]
UNEQUAL = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3]


def pairs(base, edit, **columns):
    n = len(base)
    both = {name: list(values) * 2 for name, values in columns.items()}
    return pd.DataFrame(
        {
            "item_id": list(range(n)) * 2,
            "arm": ["base"] * n + ["edit"] * n,
            "score": [*base, *edit],
            **both,
        }
    )


def row(frame, interval, **given):
    return compare(frame, "base", interval=interval, **given).iloc[0]


def limits(found):
    return [found["conf_low"], found["conf_high"]]


def table(both, edit_only, base_only, neither):
    base = [1] * both + [0] * edit_only + [1] * base_only + [0] * neither
    edit = [1] * both + [1] * edit_only + [0] * base_only + [0] * neither
    return pairs(base, edit)


def test_the_published_intervals_of_1_1_7_12():
    frame = table(1, 1, 7, 12)
    assert_allclose(limits(row(frame, "tango")), [-0.517, -0.026], atol=5e-4)
    assert_allclose(limits(row(frame, "newcombe")), [-0.507, -0.026], atol=5e-4)
    assert_allclose(limits(row(frame, "tango")), tango(1, 7, 21, Z))
    assert_allclose(limits(row(frame, "newcombe")), newcombe(1, 1, 7, 12, Z))
    assert_allclose(limits(row(frame, "bonett-price")), bonett_price(1, 7, 21, Z))


def test_clubsandwich_on_paired_differences():
    models = sorted(set(DATA["model"]))
    frame = pd.DataFrame(
        {
            "item_id": DATA["q"],
            "arm": DATA["model"],
            "score": DATA["correct"],
            "cluster_id": DATA["passage"],
        }
    )
    found = compare(frame, models[0], interval="cr2").iloc[0]
    sign = np.sign(found["diff"]) * np.sign(EXPECTED["estimate"])
    assert_allclose(found["diff"] * sign, EXPECTED["estimate"], rtol=1e-10)
    assert_allclose(found["se"], EXPECTED["se_CR2"], rtol=1e-10)
    assert_allclose(found["df"], EXPECTED["df_satterthwaite_CR2"], rtol=1e-10)
    expected = sorted(sign * np.array([EXPECTED["conf_low"], EXPECTED["conf_high"]]))
    assert_allclose(limits(found), expected, rtol=1e-10)
    assert_allclose(found["mde"], 2.8 * EXPECTED["se_CR2"], rtol=1e-10)


def test_tango_with_clusters_takes_their_effective_number_of_items():
    frame = pairs(BASE, EDIT, cluster_id=UNEQUAL)
    robust = row(frame, "cr2")
    independent = row(frame, "normal", cluster=False)["se"]
    effect = (robust["se"] / independent) ** 2
    expected = tango(3 / effect, 1 / effect, 12 / effect, t.ppf(0.975, robust["df"]))
    found = row(frame, "tango")
    assert_allclose(limits(found), expected)
    assert_array_equal([found["se"], found["df"]], [robust["se"], robust["df"]])


def test_tango_of_clusters_that_agree_takes_one_item_each():
    frame = pairs(BASE, BASE, cluster_id=np.arange(12) // 3)
    assert_allclose(limits(row(frame, "tango")), tango(0, 0, 4, t.ppf(0.975, 3)))


partial = pairs(np.array(BASE) / 2, EDIT)


@pytest.mark.parametrize(
    ("frame", "used"),
    [
        (pairs(BASE, EDIT), "tango"),
        (pairs(BASE, BASE), "tango"),
        (partial, "t"),
        (pairs(BASE, EDIT, cluster_id=UNEQUAL), "tango"),
        (partial.assign(cluster_id=UNEQUAL * 2), "cr2"),
        (partial.assign(cluster_id=[*range(12)] * 2), "t"),
    ],
)
def test_auto_names_the_interval_of_the_regime(frame, used):
    found = row(frame, "auto")
    assert found["interval"] == used
    assert_array_equal(limits(found), limits(row(frame, used)))
    assert np.isfinite(limits(found)).all()


def test_that_other_columns_are_shares_is_not_read_from_their_values():
    frame = pairs(BASE, EDIT).assign(passed=lambda f: f["score"], hit_cap=lambda f: f["score"])
    result = compare(frame, "base", value=["score", "passed", "hit_cap"], interval="auto")
    assert result["interval"].tolist() == ["tango", "t", "tango"]
    assert row(frame, "tango", value="passed")["interval"] == "tango"


@pytest.mark.parametrize("interval", ["tango", "newcombe", "bonett-price"])
def test_an_interval_of_shares_is_refused_for_partial_scores(interval):
    tokens = partial.assign(n_output_tokens=range(24))
    for frame in (partial, tokens):
        message = (
            r"needs item scores of 0 or 1 alone, found others in 7 of 12.*\"auto\", \"normal\""
        )
        with pytest.raises(FrameError, match=message):
            compare(frame, "base", interval=interval)


@pytest.mark.parametrize("interval", ["newcombe", "bonett-price"])
def test_an_interval_for_independent_items_is_refused_for_clusters(interval):
    with pytest.raises(DesignError, match=r"needs independent items.*\"tango\""):
        compare(pairs(BASE, EDIT, cluster_id=UNEQUAL), "base", interval=interval)


def test_a_row_without_the_interval_is_unknown_and_says_what_it_lacks():
    frame = pairs(BASE, EDIT).assign(half=lambda f: f["score"] / 2)
    result = compare(frame, "base", value=["score", "half"], interval="tango")
    assert np.isfinite(limits(result.iloc[0])).all()
    assert np.isnan(limits(result.iloc[1])).all()
    assert "no tango interval: it needs item scores of 0 or 1" in result["note"][1]
    assert not result["significant"][1]


@pytest.mark.parametrize("interval", INTERVALS)
def test_tokens_keep_their_bootstrap_interval(interval):
    frame = pairs(BASE, EDIT).assign(n_output_tokens=np.arange(24) ** 2)
    result = compare(frame, "base", interval=interval, n_boot=200)
    assert result["interval"].tolist()[1] == "percentile"


@pytest.mark.parametrize("interval", INTERVALS)
def test_every_item_its_own_cluster_is_the_independent_result(interval):
    alone = compare(pairs(BASE, EDIT), "base", interval=interval)
    own = compare(pairs(BASE, EDIT, cluster_id=range(12)), "base", interval=interval)
    same = ["diff", "se", "conf_low", "conf_high", "mde", "df", "interval", "significant"]
    assert_frame_equal(alone[same], own[same], check_exact=True)


@pytest.mark.parametrize("interval", INTERVALS)
def test_one_cluster_has_no_limits(interval):
    found = row(pairs(BASE, EDIT, cluster_id=[0] * 12), interval)
    assert np.isnan([found["se"], found["mde"], *limits(found)]).all()
    assert "1 cluster" in found["note"]


@pytest.mark.parametrize("interval", INTERVALS)
def test_exchanged_arms_mirror_the_interval(interval):
    first, second = row(pairs(BASE, EDIT), interval), row(pairs(EDIT, BASE), interval)
    assert_allclose(limits(second), [-first["conf_high"], -first["conf_low"]], atol=1e-12)


@pytest.mark.parametrize("interval", ["normal", "t", "tango", "cr2"])
def test_shuffled_rows_and_other_labels_have_the_same_limits(interval):
    frame = pairs(BASE, EDIT, cluster_id=UNEQUAL)
    mixed = frame.sample(frac=1, random_state=1)
    mixed = mixed.assign(cluster_id=-mixed["cluster_id"], item_id=-mixed["item_id"])
    assert_frame_equal(
        compare(mixed, "base", interval=interval),
        compare(frame, "base", interval=interval),
        check_exact=True,
    )


@pytest.mark.parametrize("interval", INTERVALS)
def test_significant_is_an_interval_that_excludes_0(interval):
    for frame in (table(5, 12, 1, 5), table(5, 4, 2, 5)):
        found = row(frame, interval)
        assert found["significant"] == (found["conf_low"] > 0 or found["conf_high"] < 0)


def test_few_discordant_items_are_noted_with_the_better_choice():
    assert 'few discordant items; interval="auto"' in row(table(90, 6, 2, 20), "normal")["note"]
    assert "few discordant" not in row(table(90, 60, 42, 20), "normal")["note"]
    assert "few discordant" not in row(table(90, 6, 2, 20), "tango")["note"]


def test_tango_is_not_called_unreliable_for_few_items():
    assert "interval unreliable" in row(table(9, 6, 2, 2), "normal")["note"]
    assert "unreliable" not in row(table(9, 6, 2, 2), "auto")["note"]


def test_few_degrees_of_freedom_are_noted():
    note = row(partial.assign(cluster_id=UNEQUAL * 2), "auto")["note"]
    assert "degrees of freedom: even this interval can be short" in note
