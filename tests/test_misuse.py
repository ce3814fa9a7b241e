"""Every method crossed with every kind of bad or awkward input that can reach it.

An input is clean under another dress, and has the clean frame's numbers; or it is refused with an
error that names the column and what to type; or it is weak, and the result says so. A method that
answers otherwise stands in `OTHERWISE` with the reason.
"""

import inspect
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from every_method import CALLS, runs
from pandas.testing import assert_frame_equal

import evalframe as ef
from evalframe import EvalFrameError


def numbers(frame, kind):
    """Return the frame with 0/1 columns of another dtype."""
    columns = ["score", "passed"]
    if kind == "Decimal":
        return frame.assign(**{c: [Decimal(int(x)) for x in frame[c]] for c in columns})
    if kind == "object":
        return frame.assign(**{c: frame[c].astype(object) for c in columns})
    return frame.astype(dict.fromkeys(columns, kind))


DTYPES = ["bool", "boolean", "Int64", "Float64", "int8", "float32", "object", "Decimal"]
ARROW = [pd.ArrowDtype(pa.float64()), pd.ArrowDtype(pa.bool_()), pd.ArrowDtype(pa.int16())]


def locked(frame):
    """Return the frame over arrays that cannot be written to."""
    columns = {}
    for name in frame.columns:
        values = frame[name].to_numpy().copy()
        values.flags.writeable = False
        columns[name] = pd.Series(values, copy=False)
    return pd.DataFrame(columns, copy=False)


# What is clean under another dress.
SAME = {
    **{f"scores as {kind}": lambda f, kind=kind: numbers(f, kind) for kind in DTYPES},
    **{f"scores as {kind}": lambda f, kind=kind: numbers(f, kind) for kind in ARROW},
    "one label for all rows": lambda f: f.set_axis([7] * len(f), axis=0),
    "an index of two levels": lambda f: f.set_axis(
        pd.MultiIndex.from_product([["a", "b"], range(len(f) // 2)]), axis=0
    ),
    "an index of datetimes": lambda f: f.set_axis(pd.date_range("2024", periods=len(f)), axis=0),
    "an index named as a column": lambda f: f.rename_axis("item_id"),
    "a view": lambda f: pd.concat([f.assign(seed=9), f]).iloc[len(f) :],
    "read-only arrays": locked,
    "shuffled rows": lambda f: f.sample(frac=1, random_state=5),
    "a column named evals": lambda f: f.assign(evals=1),
    "a column of lists": lambda f: f.assign(extra=[[1, {}]] * len(f)),
    "a column of missing text": lambda f: f.assign(extra=None),
    "named columns": lambda f: f.rename_axis(columns="field"),
}

# What is refused, and what of the message must be there.
REFUSED = {
    "no item column": (lambda f: f.drop(columns="item_id"), "no column 'item_id'"),
    "an infinite score": (
        lambda f: f.assign(score=f["score"].where(f.index != 3, np.inf), passed=np.inf),
        r"'(score|passed)' must hold finite numbers",
    ),
    "scores as text": (
        lambda f: f.assign(**dict.fromkeys(["score", "passed"], f["score"].map({0: "I", 1: "C"}))),
        r"value_map=\{'C': 1, 'I': 0\}|'passed' must hold numbers|must be all numbers or all",
    ),
    "scores as digits in text": (
        lambda f: f.assign(**dict.fromkeys(["score", "passed"], f["score"].map("{:.1f}".format))),
        r"'(score|passed)' must hold numbers|must be all numbers or all labels",
    ),
    "a missing item": (
        lambda f: f.assign(item_id=f["item_id"].astype("Int64").where(f.index != 3)),
        "column 'item_id'.*missing|column 'item_id' must have",
    ),
    "a missing arm": (lambda f: f.assign(arm=f["arm"].where(f.index != 3)), "column 'arm'"),
    "a missing seed": (lambda f: f.assign(seed=f["seed"].where(f.index != 3)), "column 'seed'"),
    "ids of two types": (
        lambda f: f.assign(item_id=f["item_id"].astype(object).where(f["item_id"] != 3, "3")),
        "column 'item_id'",
    ),
    "ids as tuples": (lambda f: f.assign(item_id=[(i,) for i in f["item_id"]]), "'item_id'"),
    "ids as lists": (lambda f: f.assign(item_id=[[i] for i in f["item_id"]]), "'item_id'"),
    "ids with fractions": (lambda f: f.assign(item_id=f["item_id"] + 0.5), "'item_id'"),
    "a key twice": (lambda f: pd.concat([f, f.iloc[[3]]]), r"item_id=0, arm='x', seed=1"),
    "a key twice, of two filters": (
        lambda f: pd.concat([f.assign(filter="a"), f.assign(filter="b")]),
        "filter",
    ),
    "two columns of one name": (
        lambda f: pd.concat([f, f[["score"]]], axis=1),
        "score",
    ),
    "columns of two levels": (
        lambda f: f.set_axis(pd.MultiIndex.from_product([["a"], f.columns]), axis=1),
        "level",
    ),
    "a cluster that changes inside an item": (
        lambda f: f.assign(cluster_id=f["cluster_id"].where(f.index != 3, 77)),
        "column 'cluster_id' must be the same",
    ),
    "a cluster in some rows only": (
        lambda f: f.assign(cluster_id=f["cluster_id"].where(f["item_id"] != 3)),
        "column 'cluster_id'",
    ),
    "another prompt": (
        lambda f: f.assign(prompt_hash=f["prompt_hash"].where(f.index != 3, "other")),
        "prompt_hash",
    ),
    "an arm that is not there": (lambda f: f.replace({"arm": {"base": "b"}}), "'base'"),
    "items that an arm lacks": (
        lambda f: f[(f["arm"] != "x") | (f["item_id"] > 1)],
        r"item_id=0",
    ),
    "runs that an arm lacks": (
        lambda f: f[(f["arm"] != "x") | (f["item_id"] > 1) | (f["seed"] > 0)],
        r"item_id=0",
    ),
}
# What only a method that compares arms item by item can see.
OF_SCORES = ["an infinite score", "scores as text", "scores as digits in text"]
PAIRED = ["another prompt", "items that an arm lacks", "runs that an arm lacks"]
OTHERWISE = {
    ("judge_bias", "no item column"): "a game is its own unit where no item is named",
    ("judge_bias", "a missing arm"): "it reads the two arms of a game, from columns of their own",
    ("judge_bias", "a key twice"): "two arms may meet twice on an item",
    ("judge_bias", "a key twice, of two filters"): "two arms may meet twice on an item",
    ("adjusted", "runs that an arm lacks"): "it needs each item of both arms, by any of its runs",
}


def names_an_arm(name):
    """Return the columns of a result that name the arm others are held against."""
    # In pairs every arm is held against every other, and none is named.
    result = CALLS[name].run(runs()) if name != "pairs" else ()
    return [c for c in ("baseline", "reference") if c in result and result[c].notna().all()]


def reached(name, row):
    """Tell whether a method is to refuse an input."""
    if (name, row) in OTHERWISE or (row in OF_SCORES and not CALLS[name].value):
        return False
    if row in PAIRED:
        return CALLS[name].pairs
    return row != "an arm that is not there" or bool(names_an_arm(name))


@pytest.mark.parametrize("row", SAME)
@pytest.mark.parametrize("name", CALLS)
def test_clean_under_another_dress(name, row):
    result = CALLS[name].run(SAME[row](runs()))
    assert_frame_equal(result, CALLS[name].run(runs()), check_exact=True)


CROSSED = [(name, row) for name in CALLS for row in REFUSED]


@pytest.mark.parametrize(("name", "row"), [one for one in CROSSED if reached(*one)])
def test_refused_in_words(name, row):
    change, words = REFUSED[row]
    with pytest.raises(EvalFrameError, match=words):
        CALLS[name].run(change(runs()))


@pytest.mark.parametrize(("name", "row"), [one for one in CROSSED if not reached(*one)])
def test_what_does_not_reach_a_method_changes_nothing_of_other_arms(name, row):
    result, expected = CALLS[name].run(REFUSED[row][0](runs())), CALLS[name].run(runs())
    assert list(result.columns) == list(expected.columns)
    if row not in PAIRED or "arm" not in expected:
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


@pytest.mark.parametrize("name", CALLS)
def test_missing_scores_are_counted_or_refused_whatever_they_are_written_as(name):
    plain = answer(name, with_missing("NaN"))
    if isinstance(plain, str):
        assert "missing" in plain
        assert 'missing="drop"' in plain
        plain = CALLS[name].run(with_missing("NaN"), missing="drop")
    counts = [column for column in MISSING_COUNTS if column in plain]
    said = plain[counts].to_numpy().sum() > 0 or COUNTS_OTHERWISE.get(name)
    assert said or plain["note"].str.contains("missing|dropped").any()
    method = getattr(ef, name.partition(",")[0])
    options = {"missing": "drop"} if "missing" in inspect.signature(method).parameters else {}
    expected = CALLS[name].run(with_missing("NaN"), **options)
    for kind in (*MISSING, "both"):
        result = CALLS[name].run(with_missing(kind), **options)
        assert_frame_equal(result, expected, check_exact=True)


# What the table of a method counts missing values by, where it is no column of their own.
COUNTS_OTHERWISE = {
    name: "fewer items or runs to plan from"
    for name in CALLS
    if CALLS[name].table in ("plan", "label_plan", "coverage")
}
COUNTS_OTHERWISE["judge_bias"] = "it reads no score"


@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize("name", [name for name in CALLS if name != "overview"])
def test_scores_all_alike_are_never_certain_without_a_note(name, value):
    result = answer(name, runs().assign(score=value, passed=value))
    if name == "adjusted":
        assert "needs a reference whose items differ" in result
        return
    flat = result.get("se", pd.Series(0.0, index=result.index)).eq(0)
    if "conf_low" in result:
        flat |= result["conf_low"].eq(result["conf_high"])
    flat &= ~result.get("metric", pd.Series("")).isin(["tokens", "hit_cap"])
    assert (result.loc[flat, "note"] != "").all()


INDEPENDENT = ["clustered", "n_clusters", "design_effect", "note", "unit", "cluster_size", "icc"]
INDEPENDENT += ["icc_raw", "var_cluster", "var_cluster_raw", "share_cluster", "var_item_raw"]


# Of an icc there is none without clusters. Unpaired arms that share a cluster are not independent.
WITH_CLUSTERS = [name for name in CALLS if CALLS[name].table == "icc" or "unpaired" in name]


@pytest.mark.parametrize("name", [name for name in CALLS if name not in WITH_CLUSTERS])
def test_clusters_of_one_item_are_no_clusters(name):
    own = CALLS[name].run(runs().assign(cluster_id=lambda f: f["item_id"]))
    none = CALLS[name].run(runs().drop(columns="cluster_id"))
    same = [column for column in none if column not in INDEPENDENT]
    assert_frame_equal(own[same], none[same], check_exact=True)
