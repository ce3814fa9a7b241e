"""df.evals.style and evalframe.metrics."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evalframe
from evalframe.text.catalogue import DEFAULT, METRICS

TEXTS = ["One two three. Four!", None, "", "Well, I never said so."]


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "output": TEXTS,
            "seed": [0, 1, 0, 1],
            "arm": ["b", "a", "b", "a"],
            "item_id": ["x", "x", "y", "y"],
            "split": ["train", None, "eval", None],
            "n_output_tokens": [6, 5, 4, 3],
            "other": ["p", "q", "r", "s"],
        }
    )


def test_keys_come_first_then_the_default_metrics(frame):
    result = frame.evals.style()
    assert list(result) == ["item_id", "arm", "seed", "split", *DEFAULT]
    assert (result.dtypes[list(DEFAULT)] == np.float64).all()


def test_rows_keep_order_and_number(frame):
    result = frame.set_index(pd.Index([9, 9, 1, 0])).evals.style()
    assert result["item_id"].tolist() == ["x", "x", "y", "y"]
    assert result["arm"].tolist() == ["b", "a", "b", "a"]
    assert result.index.equals(pd.RangeIndex(4))


def test_a_missing_text_is_a_row_of_nan_and_an_empty_one_an_output(frame):
    result = frame.evals.style()[list(DEFAULT)]
    assert result.iloc[1].isna().all()
    assert result.iloc[2].filter(like="text_length").tolist() == [0, 0, 0]
    assert result.iloc[2].drop(result.filter(like="text_length").columns).isna().all()


def test_groups_metrics_columns_and_functions_mix(frame):
    named = ["layout", "vocabulary.ttr", "n_output_tokens", {"own.size": len}]
    result = frame.evals.style(metrics=named)
    layout = [name for name in DEFAULT if name.startswith("layout.")]
    assert list(result)[4:] == [*layout, "vocabulary.ttr", "n_output_tokens", "own.size"]
    assert result["n_output_tokens"].tolist() == [6, 5, 4, 3]
    assert result["own.size"].tolist()[::2] == [len(TEXTS[0]), 0]
    assert np.isnan(result["own.size"][1])


def test_a_dict_or_a_name_alone_is_enough(frame):
    assert list(frame.evals.style(metrics={"own.size": len}))[4:] == ["own.size"]
    assert list(frame.evals.style(metrics="vocabulary.ttr"))[4:] == ["vocabulary.ttr"]


def test_texts_of_any_storage_give_the_same(frame):
    expected = frame.evals.style()
    for dtype in ("string", "string[pyarrow]", "category", object):
        other = frame.assign(output=frame["output"].astype(dtype))
        pd.testing.assert_frame_equal(other.evals.style(), expected)


def test_only_the_text_is_needed():
    result = evalframe.style(pd.DataFrame({"output": ["a b"]}), metrics="text_length.log_words")
    assert list(result) == ["text_length.log_words"]


def test_no_rows_give_no_rows_of_the_same_columns(frame):
    empty, full = frame.iloc[:0].evals.style(), frame.evals.style()
    assert list(empty) == list(full)
    assert len(empty) == 0
    assert (empty.dtypes[list(DEFAULT)] == np.float64).all()


def test_the_input_is_unchanged(frame):
    before = frame.copy(deep=True)
    frame.evals.style()
    pd.testing.assert_frame_equal(frame, before)


def test_parquet_gives_the_result_back(frame, tmp_path):
    result = frame.evals.style()
    evalframe.write_parquet(result, tmp_path / "style.parquet")
    back = evalframe.read_parquet(tmp_path / "style.parquet")
    pd.testing.assert_frame_equal(back, result)
    assert back.attrs == result.attrs
    assert back.attrs["evalframe"]["metrics"] == list(DEFAULT)


def test_an_unknown_metric_names_a_near_one(frame):
    with pytest.raises(ValueError, match=r"'vocabulary.mtdl'; did you mean 'vocabulary.mtld'\?"):
        frame.evals.style(metrics="vocabulary.mtdl")


def test_a_frame_without_texts_says_what_to_name(frame):
    with pytest.raises(evalframe.RoleError, match=r'df.evals.tidy\(text="YOUR_COLUMN"\)'):
        frame.drop(columns="output").evals.style()


def test_texts_that_are_no_text_are_refused(frame):
    with pytest.raises(evalframe.FrameError, match="column 'output' must hold text, found int"):
        frame.assign(output=[1, 2, 3, 4]).evals.style()


def test_a_column_that_holds_no_numbers_is_refused(frame):
    with pytest.raises(evalframe.FrameError, match="column 'other' must hold numbers"):
        frame.evals.style(metrics="other")


def test_a_missing_item_is_refused(frame):
    with pytest.raises(evalframe.FrameError, match="column 'item_id' must have a label"):
        frame.assign(item_id=["x", None, "y", "y"]).evals.style()


def test_metrics_lists_every_metric():
    listed = evalframe.metrics()
    assert list(listed) == [
        "group",
        "metric",
        "default",
        "language",
        "formula",
        "source",
        "range",
        "short_texts",
    ]
    assert (listed["group"] + "." + listed["metric"]).tolist() == list(METRICS)
    assert listed["default"].dtype == np.bool_
    assert (listed[listed["default"]].groupby("group").size() > 0).sum() == 12


def test_values_stay_in_the_range_that_metrics_states():
    texts = pd.read_parquet(Path(__file__).parents[3] / "data" / "authors.parquet")["output"]
    frame = pd.DataFrame({"output": [*texts[::7], "a", "A b. C!", "我 喜欢", "a a a a"]})
    values = frame.evals.style(metrics=list(METRICS))
    for name, metric in METRICS.items():
        low, high = metric.bounds[1:-1].split(", ")
        column = values[name].dropna()
        upper = np.log2(29) if high == "log2 29" else float(high)
        assert column.min() >= float(low) - 1e-9, name
        assert column.max() <= upper + 1e-9, name
