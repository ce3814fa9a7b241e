import numpy as np
import pandas as pd
import pytest

from evalframe.arms import select_arms
from evalframe.errors import DesignError


def test_arms_are_the_baseline_and_all_others_in_order():
    arms = select_arms(pd.Index(["a", "base", "c", "d"]), "base")
    assert (arms.baseline, arms.others, arms.floor) == (1, [0, 2, 3], None)


def test_the_floor_is_not_among_the_others():
    arms = select_arms(pd.Index(["a", "base", "again", "d"]), "base", "again")
    assert (arms.baseline, arms.others, arms.floor) == (1, [0, 3], 2)


@pytest.mark.parametrize(
    ("labels", "baseline"),
    [
        (pd.Index([7, 8]), 8),
        (pd.Index([7, 8]), np.int64(8)),
        (pd.Index([False, True]), True),
        (pd.Index([0.2, 0.7]), 0.7),
        (pd.CategoricalIndex(["z", "a"], categories=["z", "a"]), "a"),
        (pd.DatetimeIndex(["2024-01-01", "2024-01-02"]), pd.Timestamp("2024-01-02")),
    ],
    ids=str,
)
def test_labels_of_every_type_are_found(labels, baseline):
    assert select_arms(labels, baseline).baseline == 1


@pytest.mark.parametrize("label", ["8", 9, None, "base", 7.5])
def test_a_label_that_is_not_there_is_refused_with_those_that_are(label):
    with pytest.raises(DesignError, match="baseline must be the label of an arm") as caught:
        select_arms(pd.Index([7, 8]), label)
    assert f"found {label!r}" in str(caught.value)
    assert "the frame has 2 arm(s): 7, 8" in str(caught.value)


def test_many_arms_are_counted_and_the_first_shown():
    with pytest.raises(DesignError, match=r"1,000 arm\(s\): 0, 1, .*, 19, \.\.\."):
        select_arms(pd.Index(range(1_000)), "x")


def test_a_floor_must_be_another_run_and_leave_an_arm():
    labels = pd.Index(["base", "again"])
    with pytest.raises(DesignError, match="floor must name another run of the baseline"):
        select_arms(labels, "base", "base")
    with pytest.raises(DesignError, match="needs an arm beside the baseline 'base'"):
        select_arms(labels, "base", "again")


def test_no_arms_are_none_to_compare():
    assert select_arms(pd.Index([]), "base").others == []
