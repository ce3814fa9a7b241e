"""Every method crossed with every kind of bad or awkward input that can reach it.

An input is clean under another dress, and has the clean frame's numbers; or it is refused with an
error that names the column and what to type; or it is weak, and the result says so. A method that
answers otherwise stands in `apart.py` with the reason.
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from apart import READERS, calls, taken
from awkward import REFUSED, SAME
from every_method import CALLS, clean, runs, takes
from pandas.testing import assert_frame_equal

import evalframe as ef
from evalframe import EvalFrameError

# What only a method that reads scores, or compares arms item by item, can see.
OF_SCORES = ["an infinite score", "scores as text", "scores as digits in text"]
PAIRED = ["another prompt", "items that an arm lacks", "runs that an arm lacks"]


def names_an_arm(name):
    """Return the columns of a result that name the arm others are held against."""
    # In pairs every arm is held against every other, and none is named.
    result = clean(name) if name != "pairs" else ()
    return [c for c in ("baseline", "reference") if c in result and result[c].notna().all()]


def reached(name, row):
    """Tell whether a method is to refuse an input."""
    if taken(name, row) or (row in OF_SCORES and not CALLS[name].value):
        return False
    if row in PAIRED:
        return CALLS[name].pairs
    return row != "an arm that is not there" or bool(names_an_arm(name))


@pytest.mark.parametrize("row", SAME)
@pytest.mark.parametrize("name", READERS)
def test_clean_under_another_dress(name, row):
    assert_frame_equal(CALLS[name].run(SAME[row](runs())), clean(name), check_exact=True)


@pytest.mark.parametrize("wrong", ["runs.jsonl", {"score": [1]}, 3], ids=repr)
@pytest.mark.parametrize("name", [name for name in CALLS if CALLS[name].table != "plan"])
def test_what_is_no_frame_is_refused_by_its_type(name, wrong):
    with pytest.raises((TypeError, EvalFrameError), match=f"DataFrame.*{type(wrong).__name__}"):
        CALLS[name].run(wrong)


CROSSED = [(name, row) for name in READERS for row in REFUSED]


@pytest.mark.parametrize(("name", "row"), [one for one in CROSSED if reached(*one)])
def test_refused_in_words(name, row):
    change, words = REFUSED[row]
    with pytest.raises(EvalFrameError, match=words):
        CALLS[name].run(change(runs()))


@pytest.mark.parametrize(("name", "row"), [one for one in CROSSED if not reached(*one)])
def test_what_does_not_reach_a_method_changes_nothing_of_other_arms(name, row):
    result, expected = CALLS[name].run(REFUSED[row][0](runs())), clean(name)
    assert list(result.columns) == list(expected.columns)
    if row not in PAIRED or name not in calls("arms in rows"):
        return
    others = [f[f["arm"] != "x"].reset_index(drop=True) for f in (result, expected)]
    free = {"note", "p_adjusted", "n_items_absent", "sim_low", "sim_high", "sim_quantile"}
    same = [column for column in expected if column not in free]
    assert_frame_equal(others[0][same], others[1][same], check_exact=True)


MISSING = {"NaN": np.nan, "None": None, "NA": pd.NA, "NaT": pd.NaT}


def with_missing(kind):
    """Return runs of which one item has no score by an arm, and another lacks one of two."""
    frame = runs()
    lost = frame.index.isin([2, 3, 40])
    for column in ("score", "passed"):
        values = (
            frame[column].astype(object).where(~lost, None if kind == "both" else MISSING[kind])
        )
        if kind == "both":
            both = pa.array(
                [
                    None if i == 2 else np.nan if gone else float(x)
                    for i, (gone, x) in enumerate(zip(lost, frame[column], strict=True))
                ]
            )
            values = pd.Series(both.to_pandas(types_mapper=pd.ArrowDtype), index=frame.index)
        frame[column] = values
    return frame


MISSING_COUNTS = ["n_missing", "n_dropped", "n_items_missing", "n_judge_missing"]


def answer(name, frame, **options):
    """Return a result, or the words of an error."""
    try:
        return CALLS[name].run(frame, **options)
    except EvalFrameError as error:
        return str(error)


@pytest.mark.parametrize("name", [name for name in calls("missing") if name in READERS])
def test_missing_scores_are_counted_or_refused_whatever_they_are_written_as(name):
    plain = answer(name, with_missing("NaN"))
    if isinstance(plain, str):
        assert "missing" in plain
        assert 'missing="drop"' in plain
        plain = CALLS[name].run(with_missing("NaN"), missing="drop")
    counts = [column for column in MISSING_COUNTS if column in plain]
    said = plain[counts].to_numpy().sum() > 0 or CALLS[name].table in PLANS
    assert said or plain["note"].str.contains("missing|dropped").any()
    options = {"missing": "drop"} if takes(name, "missing") else {}
    expected = CALLS[name].run(with_missing("NaN"), **options)
    for kind in (*MISSING, "both"):
        result = CALLS[name].run(with_missing(kind), **options)
        assert_frame_equal(result, expected, check_exact=True)


# There are fewer items, or runs, to plan from: n_items and seeds say how many.
PLANS = ("plan", "label_plan", "coverage")


@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize("name", calls("spread"))
def test_scores_all_alike_are_never_certain_without_a_note(name, value):
    result = CALLS[name].run(runs().assign(score=value, passed=value))
    flat = result.get("se", pd.Series(0.0, index=result.index)).eq(0)
    if "conf_low" in result:
        flat |= result["conf_low"].eq(result["conf_high"])
    flat &= ~result.get("metric", pd.Series("")).isin(["tokens", "hit_cap"])
    assert (result.loc[flat, "note"] != "").all()


INDEPENDENT = ["clustered", "n_clusters", "design_effect", "note", "unit", "cluster_size", "icc"]
INDEPENDENT += ["icc_raw", "var_cluster", "var_cluster_raw", "share_cluster", "var_item_raw"]


@pytest.mark.parametrize("name", calls("no clusters"))
def test_clusters_of_one_item_are_no_clusters(name):
    own = CALLS[name].run(runs().assign(cluster_id=lambda f: f["item_id"]))
    none = CALLS[name].run(runs().drop(columns="cluster_id"))
    same = [column for column in none if column not in INDEPENDENT]
    assert_frame_equal(own[same], none[same], check_exact=True)


# It is told no arm to hold the others against.
SEEN = [row for row in REFUSED if row != "an arm that is not there"]


@pytest.mark.parametrize("row", SEEN)
def test_check_reports_what_compare_refuses(row):
    frame = REFUSED[row][0](runs())
    with pytest.raises(EvalFrameError) as caught:
        ef.compare(frame, "base", value="score")
    error, found = caught.value, ef.check(frame)
    severity = "warning" if "missing=" in str(error) else "error"
    rows = found[(found["column"] == error.column) & (found["severity"] == severity)]
    assert any(fault in str(error) for fault in rows["fault"]), found.to_dict("records")


def test_check_has_nothing_to_say_of_another_dress():
    expected = ef.check(runs())
    for change in SAME.values():
        assert_frame_equal(ef.check(change(runs())), expected, check_exact=True)
