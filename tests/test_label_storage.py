"""Labels of every storage, in each role that holds labels: the same numbers per label."""

import datetime as dt
import enum
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

from evalframe import compare, mcnemar, score, tidy

ROLES = ["item_id", "arm", "seed", "cluster_id", "task"]
METHODS = {
    "score": lambda frame: score(frame, by="task"),
    "compare": lambda frame: compare(frame, "base", by="task"),
    "mcnemar": lambda frame: mcnemar(frame, "base", value="right", by="task"),
    "tidy": lambda frame: tidy(frame),
}
TEXT = ["", "001", "18_19", "1e5", "a", "nan"]
WHOLE = [-2, 0, 1, 7, 100, 1000]
DAYS = [dt.datetime(2024, 1, day) for day in (1, 2, 3, 4, 5, 6)]


def arrow(values, kind=None):
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.array(values, kind)))


def dictionary(values):
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.array(values).dictionary_encode()))


def backwards(values):
    """Return a category whose order is the reverse of sorted, with one that is not used."""
    return pd.Series(pd.Categorical(values, categories=["unused", *sorted(set(values))[::-1]]))


def runs():
    """Return 6 items of 2 tasks and 4 clusters, 2 arms, 2 seeds; `right` is alike over seeds."""
    frame = pd.DataFrame(
        [(item, arm, seed) for arm in ("base", "edit") for item in range(6) for seed in (0, 1)],
        columns=["item_id", "arm", "seed"],
    )
    frame["task"] = frame["item_id"].map(lambda item: "code" if item < 3 else "math")
    frame["cluster_id"] = frame["item_id"].map([0, 0, 1, 2, 3, 3].__getitem__)
    frame["score"] = np.random.default_rng(7).integers(0, 8, len(frame)) / 8
    frame["right"] = [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0]
    return frame


def labelled(role, store, labels):
    """Return the runs with the labels of one role replaced, in sorted order."""
    frame = runs()
    codes = pd.factorize(frame[role], sort=True)[0]
    return frame.assign(**{role: store([labels[code] for code in codes])})


def numbers(frame, baseline):
    """Return the numbers of each method, in the order of tasks and arms and without labels."""
    results = [score(frame, by="task"), compare(frame, baseline, value="score", by="task")]
    shown = []
    for result in results:
        keys = result[["task", "arm"]].astype(object)
        order = keys.sort_values(["task", "arm"]).index
        labels = [name for name in ("task", "arm", "baseline") if name in result]
        shown.append(result.loc[order].drop(columns=labels).reset_index(drop=True))
    return shown


@cache
def expected():
    return numbers(runs(), "base")


def same_numbers(role, store, labels):
    found = numbers(labelled(role, store, labels), labels[0] if role == "arm" else "base")
    for one, other in zip(found, expected(), strict=True):
        assert_frame_equal(one, other, check_exact=True)


STORED_TEXT = {
    "object": lambda values: pd.Series(values, dtype=object),
    "str": lambda values: pd.Series(values, dtype="str"),
    "string[python]": lambda values: pd.Series(values, dtype="string[python]"),
    "string[pyarrow]": lambda values: pd.Series(values, dtype="string[pyarrow]"),
    "arrow string": lambda values: arrow(values, pa.string()),
    "large_string": lambda values: arrow(values, pa.large_string()),
    "dictionary": dictionary,
    "category": lambda values: pd.Series(values).astype("category"),
    "ordered category": lambda values: pd.Series(pd.Categorical(values, ordered=True)),
    "category backwards": backwards,
    "category of arrow": lambda values: pd.Series(values, dtype="string[pyarrow]").astype(
        "category"
    ),
}
STORED_WHOLE = {
    **{kind: lambda values, kind=kind: pd.Series(values, dtype=kind) for kind in (
        "int16", "int64", "float64", "Int64", "Float64", "object", "int64[pyarrow]",
        "double[pyarrow]",
    )},
    "numpy scalars": lambda values: pd.Series(
        [kind(value) for kind, value in zip([np.int64, int, np.int16] * 8, values, strict=True)],
        dtype=object,
    ),
    "1 and 1.0": lambda values: pd.Series(
        [kind(value) for kind, value in zip([int, float] * 12, values, strict=True)], dtype=object
    ),
    "category": lambda values: pd.Series(values).astype("category"),
    "category of Int64": lambda values: pd.Series(values, dtype="Int64").astype("category"),
    "category backwards": lambda values: pd.Series(
        pd.Categorical(values, categories=[5, *sorted(set(values))[::-1]])
    ),
    "dictionary": dictionary,
    "sparse": lambda values: pd.Series(pd.arrays.SparseArray(values)),
}  # fmt: skip
STORED_BOOL = {
    **{kind: lambda values, kind=kind: pd.Series(values, dtype=kind) for kind in (
        "bool", "boolean", "object", "bool[pyarrow]", "category",
    )},
    "numpy scalars": lambda values: pd.Series([np.bool_(value) for value in values], dtype=object),
}  # fmt: skip
STORED_DAYS = {
    **{kind: lambda values, kind=kind: pd.Series(values).astype(kind) for kind in (
        "datetime64[s]", "datetime64[ms]", "datetime64[us]", "datetime64[ns]", "category",
    )},
    "object": lambda values: pd.Series(values, dtype=object),
    "timestamps as object": lambda values: pd.Series(
        [pd.Timestamp(value) for value in values], dtype=object
    ),
    "arrow": lambda values: arrow(values, pa.timestamp("us")),
    "UTC": lambda values: pd.Series(values).dt.tz_localize("UTC"),
    "Zurich": lambda values: pd.Series(values).dt.tz_localize("Europe/Zurich"),
    "arrow UTC": lambda values: arrow(values, pa.timestamp("us", tz="UTC")),
}  # fmt: skip


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("store", STORED_TEXT.values(), ids=STORED_TEXT)
def test_text_of_any_storage_gives_the_same_numbers(role, store):
    same_numbers(role, store, TEXT)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("store", STORED_WHOLE.values(), ids=STORED_WHOLE)
def test_whole_numbers_of_any_storage_give_the_same_numbers(role, store):
    same_numbers(role, store, WHOLE)


@pytest.mark.parametrize("role", ["arm", "seed", "task"])
@pytest.mark.parametrize("store", STORED_BOOL.values(), ids=STORED_BOOL)
def test_booleans_of_any_storage_give_the_same_numbers(role, store):
    same_numbers(role, store, [False, True])


@pytest.mark.parametrize("role", ["item_id", "seed", "cluster_id", "task"])
@pytest.mark.parametrize("store", STORED_DAYS.values(), ids=STORED_DAYS)
def test_datetimes_of_any_storage_give_the_same_numbers(role, store):
    same_numbers(role, store, DAYS)


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Zurich"])
def test_arms_can_be_datetimes(zone):
    labels = [pd.Timestamp(day, tz=zone) for day in DAYS]
    same_numbers("arm", pd.Series, labels)
    result = compare(labelled("arm", pd.Series, labels), labels[0], by="task")
    assert (result["arm"].tolist(), result["baseline"].tolist()) == (
        labels[1:2] * 2,
        labels[:1] * 2,
    )


LABEL_DTYPES = [
    *(pytest.param(store, ["007", "7"], np.dtype(object).kind, id=f"text-{name}")
      for name, store in STORED_TEXT.items() if "category" not in name),
    *(pytest.param(store, [-2, 7], np.dtype("int64"), id=f"whole-{name}")
      for name, store in STORED_WHOLE.items() if name != "category backwards"),
    *(pytest.param(store, [False, True], np.dtype("bool"), id=f"bool-{name}")
      for name, store in STORED_BOOL.items()),
]  # fmt: skip


@pytest.mark.parametrize(("store", "labels", "dtype"), LABEL_DTYPES)
@pytest.mark.parametrize("role", ["arm", "task"])
def test_results_show_labels_as_plain_text_integers_or_booleans(role, store, labels, dtype):
    if dtype == "O":
        dtype = pd.Series([], dtype=str).dtype
    frame = labelled(role, store, labels)
    shown = score(frame, by="task")[role]
    assert (shown.dtype, shown.drop_duplicates().tolist()) == (dtype, labels)
    if role == "arm":
        tidied = tidy(frame)["arm"]
        assert (tidied.dtype, sorted(set(tidied))) == (dtype, labels)


class Arm(enum.StrEnum):
    base = "base"
    edit = "edit"


@pytest.mark.parametrize("kind", [np.str_, Arm])
@pytest.mark.parametrize("method", ["score", "compare", "mcnemar", "tidy"])
def test_kinds_of_text_come_back_as_text(kind, method):
    frame = runs()
    frame["arm"] = pd.Series([kind(arm) for arm in frame["arm"]], dtype=object)
    assert {type(arm) for arm in METHODS[method](frame)["arm"]} == {str}


@pytest.mark.parametrize("role", ["item_id", "seed", "cluster_id", "task"])
def test_integers_that_a_float_cannot_tell_apart_stay_apart(role):
    same_numbers(role, pd.Series, [1344800117571260417 + i for i in range(6)])
    same_numbers(
        role, lambda values: pd.Series(values, dtype=object), [2**62 + i for i in range(6)]
    )


def test_a_category_comes_back_in_its_own_order_without_the_unused():
    frame = labelled("arm", backwards, ["a", "b"]).assign(
        task=lambda frame: pd.Categorical(frame["task"], categories=["math", "art", "code"])
    )
    result = score(frame, by="task")
    assert result["arm"].tolist() == ["b", "a"] * 2
    assert result["task"].tolist() == ["math"] * 2 + ["code"] * 2
    for column in ("arm", "task"):
        assert result[column].dtype == "category"
        assert "unused" not in result[column].cat.categories
        assert "art" not in result[column].cat.categories


def test_labels_are_sorted_as_their_type_sorts():
    for labels in ([-1, 9, 10], [False, True, True], ["10", "9", "_"]):
        frame = pd.DataFrame({"item_id": [1, 2, 3], "arm": labels[::-1], "score": 1.0})
        assert score(frame)["arm"].tolist() == sorted(set(labels))


@pytest.mark.parametrize("kind", ["float64", "Float64", "double[pyarrow]", "object", "category"])
def test_by_may_hold_floats_with_fractions(kind):
    frame = labelled("task", lambda values: pd.Series(values).astype(kind), [0.0, 0.7])
    result = score(frame, by="task")
    assert result["task"].dtype == "float64"
    assert result["task"].tolist() == [0.0, 0.0, 0.7, 0.7]
