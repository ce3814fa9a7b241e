"""Frames, labels and dtypes that users of other tools reported as mistreated, given to ours.

The inputs are the reports' own; a test's name ends in their ids.
"""

import json
import time

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from evalframe import DesignError, FrameError, RoleError, compare, mcnemar, score, tidy

MEASURES = {
    "score": lambda frame, **options: score(frame, **options),
    "compare": lambda frame, **options: compare(frame, "base", **options),
    "mcnemar": lambda frame, **options: mcnemar(frame, "base", **options),
}


def one_arm(scores, **columns):
    return pd.DataFrame({"item_id": range(len(scores)), "score": scores}).assign(**columns)


def fourfold(both, base_only, edit_only, neither, **columns):
    base = [1] * (both + base_only) + [0] * (edit_only + neither)
    edit = [1] * both + [0] * base_only + [1] * edit_only + [0] * neither
    frames = [one_arm(base, arm="base", **columns), one_arm(edit, arm="edit", **columns)]
    return pd.concat(frames, ignore_index=True)


@pytest.mark.parametrize("method", MEASURES)
def test_0_rows_give_a_result_of_0_rows_and_the_same_dtypes_u004(method):
    frame = fourfold(1, 1, 1, 1)
    empty, full = MEASURES[method](frame.iloc[:0]), MEASURES[method](frame)
    assert len(empty) == 0
    assert list(empty.columns) == list(full.columns)
    assert empty.drop(columns=["arm", "baseline"], errors="ignore").dtypes.to_dict() == (
        full.drop(columns=["arm", "baseline"], errors="ignore").dtypes.to_dict()
    )


def test_an_arm_that_a_filter_leaves_empty_is_absent_u004():
    frame = fourfold(1, 1, 1, 1).astype({"arm": "category"})
    assert score(frame[frame["arm"] == "edit"])["arm"].tolist() == ["edit"]


def test_a_subset_is_scored_as_a_frame_of_its_own_u012():
    df = fourfold(2, 1, 0, 1).assign(doc_topic=["x", "x", "y", "y"] * 2)
    assert_frame_equal(
        df[df.doc_topic == "x"].evals.score(),
        df[df.doc_topic == "x"].copy().reset_index(drop=True).evals.score(),
    )
    assert df[df.doc_topic == "x"].evals.score()["n_items"].tolist() == [2, 2]


@pytest.mark.parametrize("method", MEASURES)
def test_nested_columns_are_not_carried_into_results_u024(method, tmp_path):
    frame = fourfold(1, 1, 1, 1).iloc[[0, 1, 2, 4, 5, 6]]
    frame = frame.assign(extra=[{"a": 1}, "x", None] * 2)
    result = MEASURES[method](frame)
    assert "extra" not in result
    result.to_parquet(tmp_path / "result.parquet")


def test_tidy_keeps_a_nested_column_as_it_is_u024():
    frame = one_arm([1, 0, 1], extra=[{"a": 1}, "x", None])
    assert tidy(frame)["extra"].tolist() == [{"a": 1}, "x", None]


def test_two_hundred_thousand_rows_of_twenty_columns_take_seconds_u025():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"column_{i}": rng.random(200_000) for i in range(16)})
    items = [f"item {i}" for i in range(100_000)]
    frame = frame.assign(item_id=items * 2, arm=["base"] * 100_000 + ["edit"] * 100_000)
    frame = frame.assign(score=rng.integers(0, 2, 200_000), cluster_id=list(range(1000)) * 200)
    start = time.perf_counter()
    score(frame)
    compare(frame, "base")
    assert time.perf_counter() - start < 10


def test_the_execution_of_a_sample_is_no_item_u027():
    """A frame of samples has `id` for the item and `epoch` for the run; `sample_id` is neither."""
    frame = pd.DataFrame(
        {
            "sample_id": [f"uuid-{i}" for i in range(36)],
            "id": [f"q{i % 6}" for i in range(36)],
            "epoch": [i // 6 % 3 for i in range(36)],
            "model": ["a"] * 18 + ["b"] * 18,
            "score": [1.0, 0.0, 1.0] * 12,
        }
    )
    tidied = tidy(frame, item="id", seed="epoch", arm="model")
    assert score(tidied)[["n_items", "n_responses"]].values.tolist() == [[6, 18]] * 2
    with pytest.raises(DesignError, match="arm 'b' lacks 18 key"):
        compare(tidy(frame, item="sample_id", arm="model"), "a")


@pytest.mark.parametrize("method", MEASURES)
def test_columns_of_one_name_are_refused_u034(method):
    frame = pd.concat([fourfold(1, 1, 1, 1)] * 2, axis=1)
    with pytest.raises(RoleError, match=r"column names must be unique.*'score'.*duplicated\(\)"):
        MEASURES[method](frame)


def test_rows_are_paired_by_their_keys_and_never_by_position_u037():
    frame = fourfold(3, 2, 1, 0)
    swapped = pd.concat([frame[frame["arm"] == "base"], frame[frame["arm"] == "edit"].iloc[::-1]])
    assert_frame_equal(compare(swapped, "base"), compare(frame, "base"), check_exact=True)


@pytest.mark.parametrize("kind", ["str", "category", "Int64", "string[pyarrow]", "float64"])
def test_the_type_of_cluster_labels_does_not_matter_u051(kind):
    clusters = [10, 9, 9, 2, 2, 2, 1, 1]
    scores = [1.0, 0, None, 1, 1, 0, 0, 1]
    expected = score(one_arm(scores, cluster_id=clusters))
    labelled = one_arm(scores, cluster_id=pd.Series(clusters).astype(kind))
    assert_frame_equal(score(labelled), expected, check_exact=True)


def test_a_row_without_a_score_goes_with_its_cluster_u051():
    scores, clusters = [1, 0, 1, 1, None], ["a", "a", "b", "b", "c"]
    result = score(one_arm(scores, cluster_id=clusters))
    assert result[["n_items", "n_clusters", "n_missing"]].values.tolist() == [[4, 2, 1]]
    assert (
        result["se"].tolist() == score(one_arm(scores[:4], cluster_id=clusters[:4]))["se"].tolist()
    )


@pytest.mark.parametrize("method", MEASURES)
def test_a_misspelt_option_is_a_type_error_u052(method):
    with pytest.raises(TypeError, match="unexpected keyword argument 'clusters'"):
        MEASURES[method](fourfold(1, 1, 1, 1), clusters="passage")


@pytest.mark.parametrize("method", MEASURES)
def test_gaps_in_a_column_that_is_not_used_do_not_matter_u064(method):
    frame = fourfold(1, 1, 1, 1)
    gaps = frame.assign(note=[np.nan, 1, 2, 3] * 2, n_other=None)
    assert_frame_equal(MEASURES[method](gaps), MEASURES[method](frame), check_exact=True)


@pytest.mark.parametrize("labels", [{"a": "a", "b": "b"}, {"a": 1, "b": 2}])
def test_labels_keep_their_own_numbers_whatever_the_category_order_u066(labels):
    frame = pd.DataFrame({"item_id": [1, 1, 2, 2], "arm": list("baba"), "score": [1, 0, 1, 1]})
    names = [labels[arm] for arm in frame["arm"]]
    plain = score(frame.assign(arm=names))
    ordered = pd.Categorical(names, categories=[labels["b"], labels["a"], "z"])
    if isinstance(names[0], str):
        result = score(frame.assign(arm=ordered))
        assert result["arm"].tolist() == ["b", "a"]
    else:
        result = score(frame.assign(arm=pd.Categorical(names, categories=[2, 1, 3])))
        assert result["arm"].tolist() == [2, 1]
    found = dict(zip(result["arm"], result["estimate"], strict=True))
    assert found == dict(zip(plain["arm"], plain["estimate"], strict=True))
    assert found == {labels["a"]: 0.5, labels["b"]: 1.0}


@pytest.mark.parametrize("method", MEASURES)
def test_results_can_be_written_to_parquet_u078(method, tmp_path):
    frame = fourfold(3, 1, 6, 2, task=np.str_("t"))
    result = MEASURES[method](frame, by="task")
    assert json.loads(json.dumps(result.attrs)) == result.attrs
    result.to_parquet(tmp_path / "result.parquet")
    again = pd.read_parquet(tmp_path / "result.parquet")
    assert_frame_equal(again, result, check_exact=True)
    assert again.attrs == result.attrs


@pytest.mark.parametrize("method", MEASURES)
def test_results_of_different_origin_can_be_put_together_u079(method):
    frame = fourfold(3, 1, 6, 2)
    frame.attrs = {"source": pd.DataFrame({"a": [1]})}
    one = MEASURES[method](frame)
    two = MEASURES[method](frame, missing="zero")
    both = pd.concat([one, two], ignore_index=True)
    assert len(both) == 2 * len(one)
    assert both.dtypes.to_dict() == one.dtypes.to_dict()


@pytest.mark.parametrize("missing", ["drop", "zero"])
@pytest.mark.parametrize("method", MEASURES)
def test_read_only_scores_with_gaps_are_read_u081(method, missing):
    frame = fourfold(1, 1, 1, 2)
    scores = frame["score"].to_numpy(dtype=float, copy=True)
    scores[[0, 9]] = np.nan
    scores.flags.writeable = False
    frame = frame.assign(score=pd.Series(scores, copy=False))
    assert len(MEASURES[method](frame, missing=missing)) > 0
    assert np.isnan(frame["score"].to_numpy()[[0, 9]]).all()


def test_infinite_read_only_scores_are_refused_u081_u088():
    scores = np.array([1.0, np.inf, np.nan])
    scores.flags.writeable = False
    with pytest.raises(FrameError, match=r"'score' must hold finite.*1 row .*: 1\)"):
        score(pd.Series(scores, copy=False))


@pytest.mark.parametrize(
    "column",
    [
        *(pd.Series([1, None, 0], dtype=kind) for kind in
          ("Float64", "Int64", "int64[pyarrow]", "double[pyarrow]")),
        pd.Series([True, None, False], dtype="boolean"),
        pd.Series([True, None, False], dtype=object),
        pd.Series([True, np.nan, False], dtype=object),
        pd.Series([1, pd.NA, 0], dtype=object),
    ],
    ids=lambda column: str(column.dtype),
)  # fmt: skip
def test_a_gap_of_any_dtype_is_left_out_u082(column):
    assert score(one_arm(column))[["estimate", "n_missing"]].values.tolist() == [[0.5, 1]]


@pytest.mark.parametrize("column", ["item_id", "arm", "cluster_id", "task"])
def test_a_missing_key_is_an_error_with_its_count_u084(column):
    frame = fourfold(1, 1, 1, 1, task="t", cluster_id="c")
    frame[column] = frame[column].astype(object).where(frame.index != 2, None)
    with pytest.raises(FrameError, match=rf"column '{column}'.*none in 1 row .*: 2\)"):
        score(frame, by="task")


def test_two_categories_make_no_group_without_rows_u084():
    frame = one_arm([1, 0, 1], task=pd.Categorical(["a", "b", "b"], categories=["a", "b", "c"]))
    frame["lang"] = pd.Categorical(["en", "de", "de"], categories=["de", "en", "fr"])
    result = score(frame, by=["task", "lang"])
    assert result[["task", "lang", "n_items"]].values.tolist() == [["a", "en", 1], ["b", "de", 2]]


@pytest.mark.parametrize("ids", [["001", "18_19", "1e5", "nan"], ["1", "1.0", "01", "1e0"]])
def test_ids_that_look_like_numbers_stay_text_u085(ids):
    frame = pd.DataFrame({"item_id": ["q"] * 4, "arm": ids, "score": [1, 0, 1, 0]})
    assert score(frame)["arm"].tolist() == sorted(ids)
    assert tidy(frame)["arm"].tolist() == ids
    items = pd.DataFrame({"item_id": ids, "score": [1, 0, 1, 0]})
    assert score(items)["n_items"].tolist() == [4]


@pytest.mark.parametrize("column", ["item_id", "arm", "seed"])
def test_two_types_of_id_are_refused_naming_the_first_of_each_u091(column):
    frame = pd.DataFrame({"item_id": [1, 2, 3], "score": 1.0, column: [1, 2, "a"]})
    with pytest.raises(FrameError, match=rf"'{column}'.*int \(1 in row 0\) and str \('a' in row 2"):
        score(frame)


def test_categories_of_integers_are_integers_in_results_u093(tmp_path):
    frame = fourfold(1, 1, 1, 1).assign(resps=[["a", "b"]] * 8)
    frame["arm"] = pd.Categorical(frame["arm"].map({"base": 7, "edit": 8}))
    result = compare(frame, 7)
    assert result[["arm", "baseline"]].dtypes.tolist() == [np.dtype("int64")] * 2
    result.to_parquet(tmp_path / "result.parquet")
    assert_frame_equal(pd.read_parquet(tmp_path / "result.parquet"), result, check_exact=True)


def test_a_list_is_never_a_key_u093():
    frame = one_arm([1, 0]).assign(item_id=[["a"], ["b"]])
    with pytest.raises(FrameError, match=r"column 'item_id' must hold labels.*list \(\['a'\]"):
        score(frame)
