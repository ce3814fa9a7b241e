"""Row indices, views and read-only arrays: read as they are, and never changed."""

import copy

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from evalframe import EvalFrameError, compare, mcnemar, score, tidy

MEASURES = {
    "score": lambda frame, **options: score(frame, **options),
    "compare": lambda frame, **options: compare(frame, "base", **options),
    "mcnemar": lambda frame, **options: mcnemar(frame, "base", **options),
}
METHODS = {**MEASURES, "tidy": tidy}


def runs():
    """Return 4 items by 2 arms by 2 seeds, with every column that a method reads."""
    frame = pd.DataFrame(
        [(f"q{i}", arm, seed) for arm in ("base", "edit") for i in range(4) for seed in (0, 1)],
        columns=["item_id", "arm", "seed"],
    )
    return frame.assign(
        score=[1.0, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0],
        cluster_id=frame["item_id"].map({"q0": "a", "q1": "a", "q2": "b", "q3": "c"}),
        n_output_tokens=[5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2],
        hit_cap=[False, True] * 8,
        prompt_hash=frame["item_id"].map("hash of {}".format),
        task=frame["item_id"].map({"q0": "x", "q1": "x", "q2": "y", "q3": "y"}),
        output="text",
        extra=[{"nested": [1]}] * 16,
    )


INDICES = {
    "one label for all": [7] * 16,
    "not in order": list(range(16))[::-1],
    "text": [f"row {i}" for i in range(16)],
    "two levels": pd.MultiIndex.from_product([["a", "b"], range(8)], names=["arm", "item_id"]),
    "two levels repeated": pd.MultiIndex.from_tuples([("a", 1)] * 16),
    "datetimes": pd.date_range("2024", periods=16),
    "missing": [np.nan] * 16,
    "floats": np.linspace(0, 1, 16),
    "named as a column": pd.Index(range(16, 32), name="item_id"),
    "category": pd.CategoricalIndex(["a", "b"] * 8),
}


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("method", MEASURES)
def test_the_row_index_does_not_matter(method, name):
    frame = runs().set_axis(pd.Index(INDICES[name]), axis=0)
    result = MEASURES[method](frame, by="task")
    assert_frame_equal(result, MEASURES[method](runs(), by="task"), check_exact=True)
    assert isinstance(result.index, pd.RangeIndex)


@pytest.mark.parametrize("name", INDICES)
def test_tidy_keeps_the_row_index_and_the_rows(name):
    frame = runs().set_axis(pd.Index(INDICES[name]), axis=0)
    assert_frame_equal(tidy(frame).reset_index(drop=True), tidy(runs()))
    assert tidy(frame).index.equals(frame.index)


def locked(frame):
    """Return the frame over arrays that cannot be written to."""
    columns = {}
    for name in frame.columns:
        values = frame[name].to_numpy().copy()
        values.flags.writeable = False
        columns[name] = pd.Series(values, copy=False)
    return pd.DataFrame(columns, copy=False)


INPUTS = {
    "plain": runs,
    "one label for all": lambda: runs().set_axis([7] * 16, axis=0),
    "two levels": lambda: runs().set_axis(INDICES["two levels"], axis=0),
    "a view of every second row": lambda: runs().loc[lambda frame: frame["seed"] == 0],
    "a slice": lambda: pd.concat([runs().assign(seed=9), runs()]).iloc[16:],
    "read-only": lambda: locked(runs()),
    "categories": lambda: runs().astype(
        dict.fromkeys(["item_id", "arm", "seed", "cluster_id", "score", "task"], "category")
    ),
    "nullable": lambda: runs().drop(columns="extra").convert_dtypes(),
    "arrow": lambda: runs().drop(columns="extra").convert_dtypes(dtype_backend="pyarrow"),
    "missing scores": lambda: runs().assign(
        score=lambda frame: frame["score"].mask(frame["item_id"] == "q3")
    ),
    "column order": lambda: runs()[runs().columns[::-1]],
    "named columns": lambda: runs().rename_axis(columns="field"),
}
CALLS = {
    "tidy": lambda frame: tidy(frame),
    "tidy with names": lambda frame: tidy(frame, cluster="task", text="extra"),
    "score": lambda frame: score(frame, by="task", value=["score", "tokens", "hit_cap"]),
    "score with zeros": lambda frame: score(frame, missing="zero"),
    "compare": lambda frame: compare(frame, "base", by="task", missing="drop", adjust="holm"),
    "compare with zeros": lambda frame: compare(frame, "base", missing="zero", interval="t"),
    "mcnemar": lambda frame: mcnemar(frame, "base", missing="drop", adjust="bh"),
    "mcnemar with zeros": lambda frame: mcnemar(frame, "base", missing="zero"),
    "an error": lambda frame: compare(frame, "nobody"),
}


@pytest.mark.parametrize("source", INPUTS)
@pytest.mark.parametrize("call", CALLS)
def test_no_method_changes_its_input_u073(call, source):
    frame = INPUTS[source]()
    frame.attrs = {"mine": [1, {"deep": 2}]}
    before, attrs = frame.copy(deep=True), copy.deepcopy(frame.attrs)
    try:
        CALLS[call](frame)
    except EvalFrameError:
        assert call in ("an error", "tidy with names")
    assert_frame_equal(frame, before, check_exact=True)
    assert frame.attrs == attrs
    assert frame.columns.name == before.columns.name


@pytest.mark.parametrize("call", ["score", "compare", "mcnemar", "tidy"])
def test_a_result_shares_no_memory_that_writing_to_it_would_change(call):
    frame, before = runs().drop(columns="extra"), runs().drop(columns="extra")
    result = CALLS[call](frame)
    for column in result.columns:
        result[column] = result[column].iloc[::-1].to_numpy()
        result.loc[0, column] = result[column].iloc[-1]
    assert_frame_equal(frame, before, check_exact=True)


def test_tidy_of_a_read_only_frame_can_be_written_to():
    result = tidy(locked(runs()))
    result.loc[0, "score"] = 0.25
    assert result["score"].iloc[0] == 0.25


@pytest.mark.parametrize("method", METHODS)
def test_a_view_is_read_as_it_is_and_not_as_its_base(method):
    frame = pd.concat([runs(), runs().assign(seed=2, score=0.5)], ignore_index=True)
    view = frame[frame["seed"] < 2]
    assert_frame_equal(
        METHODS[method](view).reset_index(drop=True),
        METHODS[method](runs()).reset_index(drop=True),
        check_exact=True,
    )


PANDAS_OPTIONS = [
    ("compute.use_bottleneck", False),
    ("compute.use_numexpr", False),
    ("display.precision", 2),
    ("mode.string_storage", "python"),
    *(
        [
            ("mode.copy_on_write", True),
            ("mode.chained_assignment", "raise"),
            ("future.infer_string", True),
            ("future.no_silent_downcasting", True),
        ]
        if int(pd.__version__.split(".")[0]) < 3
        else [("future.distinguish_nan_and_na", True), ("future.python_scalars", True)]
    ),
]


@pytest.mark.parametrize(("option", "value"), PANDAS_OPTIONS)
@pytest.mark.parametrize("source", ["plain", "categories", "missing scores", "nullable", "arrow"])
@pytest.mark.parametrize("call", ["tidy", "score", "compare", "mcnemar"])
def test_options_of_pandas_do_not_matter(call, source, option, value):
    expected = CALLS[call](INPUTS[source]())
    with pd.option_context(option, value):
        result = CALLS[call](INPUTS[source]())
    # Text, of names and categories too, is stored as pandas is told to store it.
    assert list(result.columns) == list(expected.columns)
    assert_frame_equal(
        result.set_axis(expected.columns, axis=1),
        expected,
        check_exact=True,
        check_dtype=False,
        check_categorical=False,
    )


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("source", INPUTS)
def test_numpy_told_to_raise_has_nothing_to_raise(call, source):
    frame = INPUTS[source]()
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        try:
            CALLS[call](frame)
        except EvalFrameError:
            assert call in ("an error", "tidy with names")


@pytest.mark.parametrize(
    "columns",
    [
        lambda names: pd.CategoricalIndex(names),
        lambda names: pd.Index(names, dtype=object),
        lambda names: pd.Index(names, dtype="string[python]"),
        lambda names: pd.Index(names, dtype="string[pyarrow]"),
        lambda names: pd.Index(np.array(names, dtype=np.str_)),
    ],
    ids=["category", "object", "string[python]", "string[pyarrow]", "numpy text"],
)
@pytest.mark.parametrize("call", ["tidy", "score", "compare", "mcnemar"])
def test_the_storage_of_column_names_does_not_matter(call, columns):
    frame = runs()
    frame.columns = columns(list(frame.columns))
    result, expected = CALLS[call](frame), CALLS[call](runs())
    assert list(result.columns) == list(expected.columns)
    assert_frame_equal(result.set_axis(expected.columns, axis=1), expected, check_exact=True)


@pytest.mark.parametrize("call", ["tidy", "score", "compare", "mcnemar"])
def test_a_frame_that_forbids_labels_to_repeat_is_read(call):
    frame = runs().set_flags(allows_duplicate_labels=False)
    result = CALLS[call](frame)
    assert_frame_equal(result, CALLS[call](runs()), check_flags=False)
    assert not frame.flags.allows_duplicate_labels
