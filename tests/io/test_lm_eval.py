import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from log_files import line
from numpy.testing import assert_allclose

import evalframe
from evalframe.errors import DesignError, EvalFrameError, FrameError, RecordError, RoleError
from evalframe.io import lines
from evalframe.io.lm_eval import read_lm_eval

SAMPLES = Path(__file__).parents[1] / "reference" / "samples" / "lm_eval"
EVERYTHING = {
    "metric": ["exact_match", "acc", "acc_norm"],
    "filter": ["strict-match", "flexible-extract", "none"],
}
TIME = "2026-01-02T03-04-05.678901"
LIKELIHOOD = {"gen_args_0": {"arg_0": "Q", "arg_1": " A"}, "gen_args_1": {"arg_0": "Q"}}


@pytest.fixture
def write(tmp_path):
    """Write the lines of one task by one arm, with a results file."""

    def write(content, folder="out/maker__model", task="quiz", time=TIME, results=None):
        place = tmp_path / folder
        place.mkdir(parents=True, exist_ok=True)
        if isinstance(content, list):
            content = "".join(json.dumps(record) + "\n" for record in content)
        path = place / f"samples_{task}_{time}.jsonl"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        if results is not None:
            (place / f"results_{time}.json").write_text(json.dumps(results))
        return path

    return write


def test_the_rows_of_the_harness_own_files_are_the_expected_ones():
    expected = pd.read_csv(SAMPLES / "expected.csv", keep_default_na=False)
    frame = read_lm_eval(SAMPLES, cluster="passage", **EVERYTHING)
    assert len(frame) == len(expected) == 28
    for name in ("item_id", "arm", "seed", "cluster_id", "metric", "status"):
        assert frame[name].tolist() == expected[name].tolist()
    assert frame["score"].tolist() == expected["score"].astype(float).tolist()
    assert frame["output"].fillna("").tolist() == expected["output"].tolist()
    # The file writes "" and missing alike; only likelihoods have no output.
    assert (frame["output"].isna() == (frame["task"] == "toy_mc")).all()
    assert "n_output_tokens" not in frame


def test_the_harness_own_mean_and_standard_error_come_out_again():
    frame = read_lm_eval(SAMPLES, **EVERYTHING)
    rows = evalframe.score(frame.rename(columns={"metric": "measure"}), by=["task", "measure"])
    compared = 0
    for results in SAMPLES.glob("*/results_*.json"):
        printed = json.loads(results.read_text())["results"]
        for row in rows[rows["arm"] == results.parent.name].to_dict("records"):
            name, kind = row["measure"].split(",")
            assert_allclose(row["estimate"], printed[row["task"]][row["measure"]], rtol=1e-12)
            assert_allclose(row["se"], printed[row["task"]][f"{name}_stderr,{kind}"], atol=1e-12)
            compared += 1
    assert compared == 8


def test_two_filters_are_not_twice_the_items():
    file = next(SAMPLES.glob("arm-a/samples_toy_gen*"))
    assert len(file.read_text().splitlines()) == 6
    with pytest.raises(RoleError, match=r"several filters.*strict-match.*flexible-extract"):
        read_lm_eval(file)
    frame = read_lm_eval(file, filter="strict-match")
    assert evalframe.score(frame)["n_items"].tolist() == [3]
    assert frame["score"].tolist() == [1.0, 1.0, 0.0]


def test_a_metric_may_carry_its_filter():
    file = next(SAMPLES.glob("arm-a/samples_toy_gen*"))
    one = read_lm_eval(file, metric="exact_match,flexible-extract")
    pd.testing.assert_frame_equal(one, read_lm_eval(file, filter="flexible-extract"))


def test_several_metrics_need_a_choice_that_the_error_lists(write):
    path = write([line(metrics=["acc", "f1"], f1=0.5)])
    with pytest.raises(RoleError, match=r"several metrics: 'acc,none', 'f1,none'; .*metric='acc'"):
        read_lm_eval(path)
    assert read_lm_eval(path, metric="f1")["score"].tolist() == [0.5]
    both = read_lm_eval(path, metric=["acc", "f1"])
    assert both["metric"].tolist() == ["acc,none", "f1,none"]
    with pytest.raises(FrameError, match="metric"):
        evalframe.score(both)


@pytest.mark.parametrize("choice", [{"metric": "accuracy"}, {"filter": "strict"}])
def test_a_choice_that_is_not_there_is_an_error_that_lists_what_is(write, choice):
    with pytest.raises(RoleError, match=r"found '.*they have: '(acc|none)'"):
        read_lm_eval(write([line()]), **choice)


def test_a_task_without_the_chosen_metric_is_not_left_out_in_silence(write):
    paths = [write([line()]), write([line(metrics=["f1"], f1=1)], task="other")]
    with pytest.raises(RoleError, match=r"task 'other' must have.*metric='f1,none'"):
        read_lm_eval(paths, metric="acc")
    assert read_lm_eval(paths)["task"].tolist() == ["quiz", "other"]


@pytest.mark.parametrize("value", [["reference", "answer"], [-12.5, 7], {"a": 1}])
def test_a_metric_of_the_corpus_is_refused_by_name(write, value):
    path = write([line(metrics=["bleu"], bleu=value)])
    with pytest.raises(RoleError, match=r"found 'bleu', a metric of the whole corpus"):
        read_lm_eval(path)
    path = write([line(metrics=["bleu", "acc"], bleu=value)])
    assert read_lm_eval(path)["metric"].tolist() == ["acc,none"]
    with pytest.raises(RoleError, match="'bleu'"):
        read_lm_eval(path, metric=["acc", "bleu"])


def test_scores_are_numbers_and_a_missing_one_says_so(write):
    text = "".join(
        json.dumps(line(number, acc="VALUE")).replace('"VALUE"', value) + "\n"
        for number, value in enumerate(["true", "false", "1", "NaN", "null", "0.25"])
    )
    frame = read_lm_eval(write(text))
    assert frame["score"].dtype == "float64"
    assert_allclose(frame["score"], [1, 0, 1, np.nan, np.nan, 0.25])
    assert frame["status"].tolist() == ["ok", "ok", "ok", "unscored", "unscored", "ok"]


@pytest.mark.parametrize("value", ["N/A", "1.0", 10**400])
def test_a_score_that_is_no_number_is_refused_by_name(write, value):
    with pytest.raises(FrameError, match=r"'acc' must hold numbers.*quiz/0"):
        read_lm_eval(write([line(acc=value)]))


def test_a_document_that_differs_between_arms_is_an_error(write):
    paths = {"a": write([line()]), "b": write([line(doc_hash="another")], "b")}
    with pytest.raises(FrameError, match=r"doc_hash for 1 of 1 items; first: 'quiz/0' in arm 'a'"):
        read_lm_eval(paths)


def test_the_prompt_hash_is_carried_and_compared(write):
    paths = {"a": write([line(0), line(1)]), "b": write([line(0), line(1, prompt_hash="x")], "b")}
    frame = read_lm_eval(paths)
    assert frame["prompt_hash"].tolist() == ["ab", "ab", "ab", "x"]
    with pytest.raises(EvalFrameError, match="prompt"):
        evalframe.compare(frame, "a")


def test_arms_of_the_harness_own_files_can_be_compared():
    frame = read_lm_eval(SAMPLES, metric=["exact_match", "acc"], filter=["strict-match", "none"])
    result = evalframe.compare(frame, "arm-a")
    assert_allclose(result["diff"], [(1 + 2) / 7 - 2 / 7], atol=1e-12)


def test_a_run_with_limit_has_the_first_documents_and_is_not_compared_in_silence_u013(write):
    docs = [line(n, doc={"topic": f"topic {n // 4}"}, acc=float(n % 2)) for n in range(12)]
    whole, limited = write(docs, "out/whole"), write(docs[:4], "out/limited")
    frame = read_lm_eval([whole, limited], cluster="topic")
    there = evalframe.overview(frame).set_index("arm")
    assert there.loc["limited", ["n_items", "n_items_absent", "n_clusters"]].tolist() == [4, 8, 1]
    with pytest.raises(DesignError, match=r"arm 'limited' lacks 8 key\(s\): item_id='quiz/4'"):
        evalframe.compare(frame, "whole", value="score")
    kept = evalframe.compare(frame, "whole", value="score", missing="drop")
    assert kept[["n_items", "n_dropped"]].values.tolist() == [[4, 8]]


def test_the_arm_is_the_models_name(write):
    path = write([line()], results={"model_name": "maker/model", "model_source": "hf"})
    assert read_lm_eval(path)["arm"].tolist() == ["maker/model"]
    assert read_lm_eval({"base": path})["arm"].tolist() == ["base"]


@pytest.mark.parametrize(
    "results", [None, {"model_name": ""}, {"model_name": "xy", "model_source": "CUSTOM"}]
)
def test_the_folder_names_the_arm_of_a_model_without_a_name(write, results):
    path = write([line()], folder="arm-a", results=results)
    assert read_lm_eval(path)["arm"].tolist() == ["arm-a"]


def test_the_arm_can_be_read_from_anywhere_in_the_results(write):
    results = {"model_name": "m", "config": {"model_args": {"t": 0.5}, "limit": None}}
    path = write([line()], results=results)
    assert read_lm_eval(path, arm="config.model_args.t")["arm"].tolist() == ["0.5"]
    with pytest.raises(
        RoleError, match=r"arm='config.limit' must lead.*found nothing there.*LABEL"
    ):
        read_lm_eval(path, arm="config.limit")
    (path.parent / f"results_{TIME}.json").unlink()
    with pytest.raises(RecordError, match=r"found none of the same time"):
        read_lm_eval(path, arm="config.model_args.t")


@pytest.mark.parametrize("arm", [None, "config"])
def test_an_arm_that_is_no_text_is_refused_by_the_results_file(write, arm):
    path = write([line()], results={"model_name": "\ud800", "config": ["\ud800"]})
    with pytest.raises(RecordError, match=r"results_.*json: .*half of a surrogate pair"):
        read_lm_eval(path, arm=arm)


def test_several_runs_of_a_task_are_an_error_that_names_them(write):
    first, second = write([line()]), write([line()], time="2026-01-03T00-00-00")
    with pytest.raises(RecordError, match=r"2 runs of task 'quiz'") as error:
        read_lm_eval(first.parent)
    assert str(first) in str(error.value)
    assert str(second) in str(error.value)
    assert len(read_lm_eval({"first": first, "second": second})) == 2


def test_a_folder_and_a_pattern_of_folders_give_the_same_rows(write, tmp_path):
    write([line()])
    write([line()], folder="out/other")
    whole = read_lm_eval(tmp_path / "out")
    assert whole["arm"].tolist() == ["maker__model", "other"]
    pd.testing.assert_frame_equal(whole, read_lm_eval(str(tmp_path / "out" / "*")))
    pd.testing.assert_frame_equal(whole, read_lm_eval(str(tmp_path / "out" / "**" / "*")))


@pytest.mark.parametrize(
    ("path", "expected"), [("passage", "A"), ("meta.family", 7), ("a.b", "dotted")]
)
def test_the_cluster_is_a_key_of_the_document_by_its_path(write, path, expected):
    doc = {"passage": "A", "meta": {"family": 7}, "a.b": "dotted", "a": {"b": "nested"}}
    assert read_lm_eval(write([line(doc=doc)]), cluster=path)["cluster_id"].tolist() == [expected]


@pytest.mark.parametrize("doc", [{"passage": None}, {"passage": ["A"]}, {}, "text", None])
def test_a_document_without_the_cluster_is_an_error(write, doc):
    with pytest.raises(FrameError, match=r"cluster='passage'.*1 of 2; first: quiz/1 of arm"):
        read_lm_eval(write([line(0), line(1, doc=doc)]), cluster="passage")


def test_likelihoods_are_no_output(write):
    answers = {"arguments": LIKELIHOOD, "resps": [[["-1.5", "False"]], [["-2.5", "True"]]]}
    assert "output" not in read_lm_eval(write([line(**answers)]))


def test_files_of_older_versions_are_read(write):
    old = line(arguments=[["Q", {"until": []}]])
    for name in ("filter", "metrics", "doc_hash", "prompt_hash"):
        del old[name]
    frame = read_lm_eval(write([old]))
    assert frame["metric"].tolist() == ["acc,none"]
    assert frame["output"].tolist() == ["four"]
    assert "prompt_hash" not in frame


def test_a_file_without_lines_has_the_columns_and_no_rows(write):
    frame = read_lm_eval(write(""))
    assert len(frame) == 0
    assert frame["score"].dtype == "float64"
    assert len(evalframe.score(frame)) == 0


def test_faults_of_the_frame_name_its_files(write):
    paths = [write([line(0)]), write([line(0, doc={"passage": "B"})], "other")]
    with pytest.raises(FrameError, match=r"jsonl and 1 more: column 'cluster_id' must be the same"):
        read_lm_eval(paths, cluster="passage")


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (json.dumps(line())[:-9], "line 1: must be one JSON object"),
        (
            json.dumps(line()).encode() + b"\n\xff\xfe\n",
            "line 2: must be one JSON object, found bytes that are not UTF-8",
        ),
        ('{"doc_id": ' + "[" * 100_000, "line 1: .*nested too deeply"),
        ('{"a": 1}', "doc_id .*must be text or an integer, found null"),
        ('{"doc_id": true}', "doc_id .*found the bool"),
        ('{"doc_id": 1, "filter": 3}', "filter must be text, found the int"),
        ('{"doc_id": 1, "metrics": "acc"}', "metrics must be a list of names, found the str"),
        ('{"doc_id": 1, "doc_id": 2}', "twice in one object"),
        ('{"doc_id": "\\ud83d"}', "surrogate"),
        ("[1]", "must be one JSON object, found a list"),
    ],
)
def test_a_bad_line_is_refused_by_file_and_line(write, content, match):
    with pytest.raises(RecordError, match=rf"samples_quiz_.*{match}"):
        read_lm_eval(write(content))


def test_a_line_without_end_is_refused_before_it_fills_the_memory(write, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST", 10_000)
    with pytest.raises(RecordError, match="line 2: must be of 10,000 bytes at most"):
        read_lm_eval(write([line(), line(target="x" * 20_000)]))


def test_a_damaged_results_file_is_named(write):
    path = write([line()], results=[])
    with pytest.raises(RecordError, match=r"results_.*one JSON object"):
        read_lm_eval(path)
    path.with_name(f"results_{TIME}.json").write_text("{")
    with pytest.raises(RecordError, match=r"results_.*not JSON"):
        read_lm_eval(path)


def test_what_is_no_samples_file_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="log_samples"):
        read_lm_eval(tmp_path)
    shutil.copy(next(SAMPLES.glob("arm-a/samples_toy_mc*")), tmp_path / "base.jsonl")
    with pytest.raises(RecordError, match="samples_TASK_TIME"):
        read_lm_eval(tmp_path / "base.jsonl")
    with pytest.raises(RecordError, match="results files alone"):
        read_lm_eval(next(SAMPLES.glob("arm-a/results*")))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
fields = st.sampled_from([*line(), "f1"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(fields, json_values, max_size=3), max_size=4), st.booleans())
def test_generated_files_are_read_or_refused(write, changes, clustered):
    path = write([{**line(number), **change} for number, change in enumerate(changes)])
    try:
        frame = read_lm_eval(path, metric="acc", cluster="passage" if clustered else None)
    except EvalFrameError:
        return
    assert not frame.duplicated(["item_id", "metric"]).any()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.text(st.characters(codec="utf-8"), min_size=1), unique=True, max_size=6),
    st.lists(st.sampled_from(["strict", "loose", "none"]), min_size=1, unique=True),
)
def test_each_document_is_one_row_of_the_chosen_filter(write, ids, filters):
    rows = [line(item, filter=one, acc=len(item)) for one in filters for item in ids]
    frame = read_lm_eval(write(rows), filter=filters[0])
    assert frame["item_id"].tolist() == [f"quiz/{item}" for item in ids]
    assert frame["score"].tolist() == [len(item) for item in ids]
