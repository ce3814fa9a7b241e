"""What several methods say alike."""

import numpy as np
import pandas as pd
import pytest

import evalframe as ef


def logs() -> pd.DataFrame:
    """Return runs of two tasks, each scored by a metric of its own."""
    frame = pd.DataFrame({"item_id": np.repeat(np.arange(20), 2), "arm": ["a", "b"] * 20})
    frame["task"] = np.where(frame["item_id"] < 10, "sums", "words")
    frame["metric"] = np.where(frame["item_id"] < 10, "acc", "f1")
    frame["score"] = np.random.default_rng(0).random(len(frame)).round(2)
    return frame


SAID = r"mean over 2 metrics \('acc', 'f1'\): choose one, or by= what has one each"
CALLS = {
    "score": lambda frame, **options: ef.score(frame, **options),
    "compare": lambda frame, **options: ef.compare(frame, "a", **options),
    "unpaired": lambda frame, **options: ef.compare(frame, "a", paired=False, **options),
    "rank": lambda frame, **options: ef.rank(frame, n_boot=100, **options),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_mean_over_several_metrics_says_so_and_over_one_does_not(call):
    assert CALLS[call](logs())["note"].str.contains(SAID).all()
    assert not CALLS[call](logs(), by="task")["note"].str.contains("metrics").any()
    assert not CALLS[call](logs().assign(metric="acc"))["note"].str.contains("metrics").any()


def test_a_group_of_one_metric_beside_one_of_two_has_no_such_note():
    frame = logs().assign(task=lambda f: np.where(f["item_id"] < 5, "one", "two"))
    notes = ef.score(frame, by="task").set_index("task")["note"]
    assert not notes["one"].str.contains("metrics").any()
    assert notes["two"].str.contains(SAID).all()


def test_other_columns_than_the_score_and_odd_columns_of_that_name_have_no_such_note():
    frame = logs().assign(own=1.0)
    assert not ef.score(frame, value="own")["note"].str.contains("metrics").any()
    assert not ef.score(frame.assign(metric=[[1]] * 40))["note"].str.contains("metrics").any()
    assert not ef.score(frame.assign(metric=None))["note"].str.contains("metrics").any()


def test_check_warns_of_several_metrics():
    found = ef.check(logs()).set_index("column").loc["metric"]
    assert (found["severity"], found["count"], found["first"]) == ("warning", 2, "'acc'")
    assert "df[df['metric'] == 'acc']" in found["remedy"]
    assert "metric" not in ef.check(logs(), by="task")["column"].tolist()
