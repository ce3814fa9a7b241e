"""Baselines and floors that are labels of no arm, or leave nothing to compare."""

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from evalframe import DesignError, compare, mcnemar

PAIRED = [compare, mcnemar]
FRAME = pd.DataFrame(
    {
        "item_id": ["q0", "q1", "q2", "q3", "q4"] * 2,
        "arm": ["base"] * 5 + ["edit"] * 5,
        "score": [1.0, 0, 0, 1, 0, 1, 1, 0, 0, 1],
    }
)
THREE = pd.concat([FRAME, FRAME.iloc[5:].assign(arm="third")], ignore_index=True)


@pytest.mark.parametrize("function", PAIRED)
def test_one_arm_is_nothing_to_compare(function):
    base = FRAME[FRAME["arm"] == "base"]
    with pytest.raises(DesignError, match=r"an arm beside the baseline 'base'.*pd\.concat\("):
        function(base, "base")
    with pytest.raises(DesignError, match=r"an arm beside the baseline 'all'.*pd\.concat\("):
        function(base.drop(columns="arm"), "all")


BASELINES = {
    "text for an integer": ([7, 8], "7"),
    "an integer for text": (["7", "8"], 7),
    "text for a boolean": ([False, True], "True"),
    "a boolean for an integer": ([0, 1], True),
    "an integer for a boolean": ([False, True], 1),
    "another case": (["base", "edit"], "Base"),
    "None": (["base", "edit"], None),
    "NaN": (["base", "edit"], np.nan),
    "NA": (["base", "edit"], pd.NA),
    "a list": (["base", "edit"], ["base"]),
    "a tuple": (["base", "edit"], ("base",)),
    "a set": (["base", "edit"], {"base"}),
    "an array": (["base", "edit"], np.array(["base", "edit"])),
    "a Series": (["base", "edit"], pd.Series(["base", "edit"])),
    "a frame": (["base", "edit"], FRAME),
    "a datetime with zone": (
        list(pd.to_datetime(["2024", "2025"])),
        pd.Timestamp("2024", tz="UTC"),
    ),
}


@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.parametrize("kind", [None, "category"])
@pytest.mark.parametrize("function", PAIRED)
def test_a_baseline_that_no_arm_has_is_refused_with_those_there_are(function, kind, name):
    labels, wrong = BASELINES[name]
    frame = FRAME.assign(arm=pd.Series(labels).repeat(5).array)
    frame = frame.astype({"arm": kind}) if kind else frame
    known = ".*".join(re.escape(repr(label)) for label in labels)
    with pytest.raises(DesignError, match=f"baseline must be the label of an arm.*{known}"):
        function(frame, wrong)


@pytest.mark.parametrize("name", [name for name in BASELINES if name != "None"])
def test_a_floor_that_no_arm_has_is_refused_with_those_there_are(name):
    labels, wrong = BASELINES[name]
    frame = FRAME.assign(arm=pd.Series(labels).repeat(5).array)
    known = ".*".join(re.escape(repr(label)) for label in labels)
    with pytest.raises(DesignError, match=f"floor must be the label of an arm.*{known}"):
        compare(frame, labels[0], floor=wrong)


@pytest.mark.parametrize("function", PAIRED)
@pytest.mark.parametrize(
    ("labels", "baseline"),
    [([7, 8], np.int8(7)), ([7, 8], np.int64(7)), (["a", "b"], np.str_("a")),
     ([False, True], np.bool_(False))],
)  # fmt: skip
def test_a_numpy_scalar_is_its_label(function, labels, baseline):
    frame = FRAME.assign(arm=pd.Series(labels).repeat(5).array)
    assert function(frame, baseline)["baseline"].tolist() == [labels[0]]


@pytest.mark.parametrize("function", PAIRED)
def test_a_category_without_rows_is_no_arm(function):
    arms = pd.Categorical(FRAME["arm"], categories=["rerun", "edit", "base"])
    frame = FRAME.assign(arm=arms)
    assert function(frame, "base")["arm"].tolist() == ["edit"]
    with pytest.raises(DesignError, match="found 'rerun'; the frame has 2 arm"):
        function(frame, "rerun")


def test_the_floor_must_be_another_arm_than_the_baseline():
    with pytest.raises(DesignError, match=r"floor must name another run.*'base' itself.*rerun"):
        compare(THREE, "base", floor="base")


def test_the_floor_leaves_an_arm_to_compare():
    with pytest.raises(DesignError, match="needs an arm beside the baseline"):
        compare(FRAME, "base", floor="edit")


def test_the_floor_has_no_row_and_its_numbers_are_those_of_its_own_comparison():
    result = compare(THREE, "base", floor="third")
    own = compare(THREE, "base").set_index("arm").loc["third"]
    assert result["arm"].tolist() == ["edit"]
    assert result[["floor_diff", "floor_se"]].values.tolist() == [[own["diff"], own["se"]]]
    assert_allclose(result["threshold"], abs(own["diff"]) + 1.96 * own["se"], rtol=1e-15)


def test_a_floor_that_lacks_items_is_named():
    with pytest.raises(DesignError, match=r"arm 'third' lacks 1 key\(s\): item_id='q4'"):
        compare(THREE.drop(index=14), "base", floor="third")


@pytest.mark.parametrize(
    "frame",
    [
        THREE.drop(index=14),
        THREE.drop(index=[10, 11, 12, 13]),
        THREE.assign(score=THREE["score"].mask(THREE["arm"] == "third")),
    ],
    ids=["a key dropped", "1 item left", "no score"],
)
def test_what_the_floor_lost_is_said_in_the_note(frame):
    result = compare(frame, "base", floor="third", missing="drop")
    assert result["n_items"].tolist() == [5]
    assert "floor" in result["note"][0]
    assert not (result["threshold"].isna() & result["exceeds"]).any()
