"""The functions behind `df.evals`: pickled, piped, in threads; and the attrs of their results."""

import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import evalframe

CORE = ["compare", "mcnemar", "score", "tidy"]
ARGUMENTS = {"compare": ("base",), "mcnemar": ("base",), "score": (), "tidy": ()}


def runs():
    return pd.DataFrame(
        {
            "item_id": ["q1", "q2", "q3"] * 2,
            "arm": ["base"] * 3 + ["edit"] * 3,
            "score": [1.0, 0.0, 1.0, 1.0, 1.0, 0.0],
        }
    )


def call(frame, name, **options):
    return getattr(frame.evals, name)(*ARGUMENTS[name], **options)


@pytest.mark.parametrize("name", CORE)
def test_the_functions_can_be_pickled(name):
    function = getattr(evalframe, name)
    assert pickle.loads(pickle.dumps(function)) is function
    with_options = partial(function, **({} if name == "tidy" else {"missing": "drop"}))
    again = pickle.loads(pickle.dumps(with_options))
    assert_frame_equal(again(runs(), *ARGUMENTS[name]), call(runs(), name))


@pytest.mark.parametrize(
    "again", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy]
)
def test_frames_and_results_can_be_pickled_and_copied(again):
    frame = runs()
    for name in CORE:
        result = call(frame, name)
        assert_frame_equal(again(result), result)
        assert again(result).attrs == result.attrs
    assert_frame_equal(again(frame), frame)
    assert again(frame).evals.score().equals(frame.evals.score())


@pytest.mark.parametrize("name", CORE)
def test_the_functions_work_in_a_pipe(name):
    piped = runs().pipe(getattr(evalframe, name), *ARGUMENTS[name])
    assert_frame_equal(piped, call(runs(), name))


@pytest.mark.parametrize("name", CORE)
def test_the_functions_work_in_threads(name):
    frame = runs()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: call(frame, name), range(16)))
    for result in found:
        assert_frame_equal(result, call(runs(), name), check_exact=True)


def test_tidy_chains_into_every_method():
    raw = runs().rename(columns={"item_id": "question", "score": "grade"})
    tidied = raw.evals.tidy(item="question", score="grade")
    for name in CORE:
        assert_frame_equal(call(tidied, name), call(runs(), name))


@pytest.mark.parametrize("name", ["score", "compare", "mcnemar"])
@pytest.mark.parametrize(
    "attrs",
    [
        {"evalframe": {"table": "compare", "level": 0.5, "by": ["task"], "rng": 3}},
        {"evalframe": "not a mapping"},
        {"frame": runs(), "array": np.ones(3), "object": object},
    ],
    ids=["of another result", "of another kind", "odd values"],
)
def test_attrs_of_the_frame_are_never_read_u079(name, attrs):
    frame = runs()
    frame.attrs.update(attrs)
    result = call(frame, name)
    assert_frame_equal(result, call(runs(), name), check_exact=True)
    assert result.attrs == call(runs(), name).attrs


@pytest.mark.parametrize("name", ["score", "compare", "mcnemar"])
@pytest.mark.parametrize(
    "arms", [["a", "b"], [7, 8], [False, True], pd.to_datetime(["2024", "2025"])]
)
def test_attrs_are_plain_json_and_survive_parquet_u078(name, arms, tmp_path):
    frame = runs().assign(arm=pd.Series(arms).repeat(3).array, task=np.str_("t"))
    options = {"by": frame.columns[3:], "value": np.array(["score"])}
    if name != "mcnemar":
        options["level"] = np.float32(0.9)
    base = frame["arm"].iloc[0]
    result = getattr(frame.evals, name)(*([base] if name != "score" else []), **options)
    assert json.loads(json.dumps(result.attrs, allow_nan=False)) == result.attrs
    result.to_parquet(tmp_path / "result.parquet")
    again = pd.read_parquet(tmp_path / "result.parquet")
    assert_frame_equal(again, result, check_exact=True)
    assert again.attrs == result.attrs
    assert {type(key) for key in result.attrs["evalframe"]} == {str}


@pytest.mark.parametrize("name", ["score", "compare", "mcnemar"])
def test_results_can_be_put_together_u079(name):
    one = call(runs(), name)
    two = call(runs().assign(item_id=["q4", "q5", "q6"] * 2), name)
    both = pd.concat([one, two], ignore_index=True)
    assert both.dtypes.to_dict() == one.dtypes.to_dict()
    assert_frame_equal(both.iloc[: len(one)], one, check_exact=True)
