import gc
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import evalframe
from evalframe.errors import EvalFrameError, FrameError, RecordError, RoleError
from evalframe.io import nested
from evalframe.io.archive import DEFLATED, STORED, ZSTANDARD, opened
from evalframe.io.inspect_ai import read_inspect

SAMPLES = Path(__file__).parents[1] / "reference" / "samples" / "inspect"
one_file = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def read(tmp_path, logs):
    """Write one log of samples and read it."""

    def read(samples, head=None, summaries=None, **options):
        path = logs.write_eval(tmp_path / "x.eval", head or logs.header(), samples, summaries)
        return read_inspect(path, **options)

    return read


def as_json(path, target):
    """Write an archive's log as one JSON object, as Inspect's own conversion does."""
    with opened(path) as archive:
        whole = json.loads(archive.read("header.json"))
        names = [name for name in archive.members if name.startswith("samples/")]
        whole["samples"] = [json.loads(archive.read(name)) for name in names]
    target.write_text(json.dumps(whole))
    return target


def test_the_rows_of_inspects_own_logs_are_the_expected_ones():
    expected = pd.read_csv(SAMPLES / "expected.csv")
    frame = read_inspect(SAMPLES, cluster="passage", text=True)
    assert len(frame) == 144
    assert_allclose(frame["score"], expected["score"], rtol=0)
    for name in expected.columns.drop("score"):
        assert frame[name].tolist() == expected[name].tolist()
    assert not frame["hit_cap"].any()


def test_the_summaries_give_the_same_scores_as_the_samples():
    quick = read_inspect(SAMPLES, cluster="passage")
    whole = read_inspect(SAMPLES, cluster="passage", text=True)
    assert set(whole) - set(quick) == {"output", "hit_cap"}
    pd.testing.assert_frame_equal(quick, whole[quick.columns])


def test_a_json_log_gives_the_rows_of_its_archive(tmp_path):
    for path in SAMPLES.glob("*.eval"):
        as_json(path, tmp_path / f"{path.stem}.json")
    (tmp_path / "eval-set.json").write_text("[]")
    pd.testing.assert_frame_equal(
        read_inspect(tmp_path, cluster="passage", text=True),
        read_inspect(SAMPLES, cluster="passage", text=True),
    )


@pytest.mark.parametrize(
    ("metric", "printed", "deviation"),
    [
        ("match", "accuracy", "stderr"),
        ("rubric.tone", "mean", "stderr"),
        ("rubric.clarity", "mean", None),
    ],
)
def test_inspects_own_mean_and_standard_error_come_out_again(metric, printed, deviation):
    result = evalframe.score(read_inspect(SAMPLES, scorer=metric)).set_index("arm")
    for path in SAMPLES.glob("*.eval"):
        with opened(path) as archive:
            header = json.loads(archive.read("header.json"))
        name = metric.rpartition(".")[2]
        wanted = next(s for s in header["results"]["scores"] if s["name"] == name)["metrics"]
        row = result.loc[header["eval"]["metadata"]["arm"]]
        assert_allclose(row["estimate"], wanted[printed]["value"], rtol=1e-12)
        if deviation is not None:
            assert_allclose(row["se"], wanted[deviation]["value"], rtol=1e-12)


def test_epochs_are_repeats_of_an_item_and_not_items():
    result = evalframe.score(read_inspect(SAMPLES, scorer="match"))
    assert result["n_items"].tolist() == [6, 6]
    assert result["n_responses"].tolist() == [18, 18]


@pytest.mark.parametrize("method", [STORED, DEFLATED, ZSTANDARD])
@pytest.mark.parametrize("frames", [1, 3])
def test_both_compressions_and_several_frames_are_read(tmp_path, logs, method, frames):
    samples = [logs.one(f"00{n}", scores={"match": "CI"[n % 2]}) for n in range(40)]
    path = logs.write_eval(
        tmp_path / "x.eval", logs.header(), samples, method=method, frames=frames
    )
    frame = read_inspect(path, text=True)
    assert frame["item_id"].tolist() == [f"00{n}" for n in range(40)]
    assert frame["score"].tolist() == [1.0, 0.0] * 20
    assert frame["output"].tolist() == ["four"] * 40


LABELS = [
    ("C", 1.0),
    ("P", 0.5),
    ("I", 0.0),
    ("N", 0.0),
    ("Yes", 1.0),
    ("TRUE", 1.0),
    ("no", 0.0),
    ("false", 0.0),
    ("0.25", 0.25),
    (True, 1.0),
    (7, 7.0),
    (-0.5, -0.5),
]


@pytest.mark.parametrize(("label", "worth"), LABELS, ids=[str(label) for label, _ in LABELS])
def test_the_default_map_is_inspects_own(read, logs, label, worth):
    assert read([logs.one("a", scores={"s": label})])["score"].tolist() == [worth]


@pytest.mark.parametrize("label", ["c", "correct", "", "nan", "inf", "A"])
def test_a_label_without_a_number_is_an_error_that_shows_it(read, logs, label):
    samples = [logs.one("a", scores={"match": "C"}), logs.one("b", scores={"match": label})]
    with pytest.raises(FrameError, match=rf"match: '{label}' \(first in .*x\.eval\)\n.*value_map="):
        read(samples)


def test_a_map_takes_the_place_of_the_default_and_leaves_numbers(read, logs):
    samples = [logs.one("a", scores={"s": "good", "n": 3}), logs.one("b", scores={"s": "bad"})]
    frame = read(samples, value_map={"good": 1, "bad": -1})
    assert frame["score"].dropna().tolist() == [1, 3, -1]
    with pytest.raises(FrameError, match="'C'"):
        read([logs.one("a", scores={"s": "C"})], value_map={"good": 1})
    with pytest.raises(FrameError, match="'C'"):
        read([logs.one("a", scores={"s": "C"})], value_map=None)
    with pytest.raises(ValueError, match="'default'"):
        read(samples, value_map="inspect")


def test_an_object_of_scores_is_one_metric_a_key(read, logs):
    samples = [
        logs.one("a", scores={"rubric": {"tone": 1, "tact": "C"}}),
        logs.one("b", scores={"rubric": {"tone": None}}),
        logs.one("c", scores={"rubric": float("nan")}),
    ]
    frame = read(samples)
    assert frame["metric"].tolist() == ["rubric.tone", "rubric.tact"] * 3
    assert_allclose(frame["score"], [1, 1, *[np.nan] * 4])
    assert read(samples, scorer="rubric.tact")["score"].tolist()[0] == 1
    assert len(read(samples, scorer="rubric")) == 6


@pytest.mark.parametrize("value", [[1, 2], ["C"], []])
def test_a_list_of_scores_is_refused_by_name(read, logs, value):
    with pytest.raises(FrameError, match=r"listed: a list"):
        read([logs.one("a", scores={"listed": value})])


@pytest.mark.parametrize(
    ("scores", "head"),
    [({"s": {"\ud800": 1}}, {}), ({"\ud800": 1}, {}), ({"s": 1}, {"status": "\ud800"})],
)
def test_half_a_surrogate_pair_anywhere_in_the_frame_is_refused(tmp_path, logs, scores, head):
    path = tmp_path / "x.json"
    whole = {**logs.header(), **head, "samples": [logs.one("a", scores=scores)]}
    path.write_text(json.dumps(whole))
    with pytest.raises(RecordError, match=r"x\.json: .*half of a surrogate pair"):
        read_inspect(path)


def test_samples_without_a_summary_are_read_whole(tmp_path, logs):
    samples = [logs.one(f"q{n}", scores={"s": n}) for n in range(3)]
    path = tmp_path / "x.eval"
    logs.write_eval(path, logs.header(), samples, summaries=[logs.summary(samples[0])])
    assert read_inspect(path)["score"].tolist() == [0, 1, 2]


def test_a_grade_that_no_map_can_name_is_not_offered_one(read, logs):
    with pytest.raises(FrameError, match=r"s: a list \(first in .*\)\nChoose other metrics"):
        read([logs.one("a", scores={"s": [1]})])


def test_a_scorer_of_objects_and_numbers_is_refused(read, logs):
    samples = [logs.one("a", scores={"s": {"x": 1}}), logs.one("b", scores={"s": 1})]
    with pytest.raises(FrameError, match=r"scorer 's' must give objects"):
        read(samples)


def test_a_missing_score_says_why(read, logs):
    failed = {"error": {"message": "it broke"}, "output": {"choices": [], "completion": ""}}
    samples = [
        logs.one("a", scores={"s": 1}),
        logs.one("b", scores={"s": float("nan")}),
        logs.one("c"),
        logs.one("d", **failed),
        logs.one("e", scores={"s": 0}, **failed),
    ]
    for text in (False, True):
        frame = read(samples, text=text)
        assert frame["status"].tolist() == ["ok", "unscored", "unscored", "error", "ok"]
        assert_allclose(frame["score"], [1, np.nan, np.nan, np.nan, 0])
    assert frame["output"].isna().tolist() == [False, False, False, True, True]
    assert frame["hit_cap"].isna().tolist() == [False, False, False, True, True]
    assert evalframe.score(frame)["n_missing"].tolist() == [3]


def test_a_log_in_which_every_sample_failed_loses_no_row(read, logs):
    head = logs.header(scorers=[{"name": "inspect_ai/match"}], status="error")
    frame = read([logs.one("a", error={"message": "no"}), logs.one("b")], head)
    assert frame["metric"].tolist() == ["match", "match"]
    assert frame["status"].tolist() == ["error", "unscored"]
    assert frame["log_status"].tolist() == ["error", "error"]


def test_a_log_without_scores_says_how_to_score_it(read, logs):
    with pytest.raises(RoleError, match="inspect score"):
        read([logs.one("a")])


@pytest.mark.parametrize(
    ("stop", "limit", "capped"),
    [
        ("max_tokens", None, True),
        ("model_length", None, True),
        ("stop", None, False),
        ("stop", "token", True),
        ("stop", "context", True),
        ("stop", "time", False),
        ("content_filter", None, False),
    ],
)
def test_an_output_hits_the_cap_by_its_stop_reason_or_a_limit(read, logs, stop, limit, capped):
    output = {"choices": [{"message": {"content": "x"}, "stop_reason": stop}], "completion": "x"}
    limited = {"limit": {"type": limit, "limit": 9}} if limit else {}
    frame = read([logs.one("a", scores={"s": 1}, output=output, **limited)], text=True)
    assert frame["hit_cap"].tolist() == [capped]


@pytest.mark.parametrize(
    ("content", "text"),
    [("four", "four"), ([{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}], "a\nb")],
)
def test_the_text_of_older_logs_is_that_of_the_message(read, logs, content, text):
    output = {"choices": [{"message": {"content": content}}]}
    frame = read([logs.one("a", scores={"s": 1}, output=output)], text=True)
    assert frame["output"].tolist() == [text]


def test_tokens_are_those_of_the_logs_own_model(read, logs):
    usage = {"maker/model": {"output_tokens": 5}, "grader": {"output_tokens": 900}}
    frame = read([logs.one("a", scores={"s": 1}, model_usage=usage)])
    assert frame["n_output_tokens"].tolist() == [5]
    assert "n_output_tokens" not in read([logs.one("a", scores={"s": 1}, model_usage={})])


def test_a_cluster_that_the_summary_cut_is_read_from_the_sample(read, logs):
    long = [f"{'x' * 2000}{n}" for n in range(2)]
    samples = [
        logs.one(n, scores={"s": 1}, metadata={"passage": one, "deep": {"id": one}})
        for n, one in enumerate(long)
    ]
    short = [logs.summary(sample) for sample in samples]
    for one in short:
        one["metadata"] = {"passage": "x" * 1021 + "...", "deep": "Key removed from summary (> 1k)"}
    assert read(samples, summaries=short, cluster="passage")["cluster_id"].tolist() == long
    assert read(samples, summaries=short, cluster="deep.id")["cluster_id"].tolist() == long


@pytest.mark.parametrize("metadata", [None, {}, {"passage": None}, {"passage": [1]}])
def test_a_sample_without_the_cluster_is_an_error(read, logs, metadata):
    samples = [logs.one("a", scores={"s": 1}), logs.one("b", scores={"s": 1}, metadata=metadata)]
    with pytest.raises(FrameError, match=r"cluster='passage'.*1 of 2; first: id 'b' of .*x\.eval"):
        read(samples, cluster="passage")


@pytest.fixture
def two(tmp_path, logs):
    """Write two logs of one task and model whose headers differ as asked."""

    def two(first, second, samples=None):
        for name, run in (("a", first), ("b", second)):
            found = samples or [logs.one("q", scores={"s": 1})]
            logs.write_eval(tmp_path / f"{name}.eval", logs.header(**run), found)
        return tmp_path

    return two


def test_the_arm_is_the_model_and_the_task_arguments_that_differ(two):
    frame = read_inspect(two({"task_args": {"p": "v1", "n": 3}}, {"task_args": {"p": 2, "n": 3}}))
    assert frame["arm"].tolist() == ["maker/model p=v1", "maker/model p=2"]
    frame = read_inspect(two({"model": "x"}, {"model": "y", "task_args": {"p": 1}}))
    assert frame["arm"].tolist() == ["x", "y"]


def test_two_logs_of_the_same_samples_are_an_error_that_says_what_differs(two):
    paths = two({"tags": ["old"], "metadata": {"p": 1}}, {"tags": ["new"], "metadata": {"p": 1}})
    with pytest.raises(RecordError, match=r"a\.eval and .*b\.eval .*they differ in 'tags': arm='t"):
        read_inspect(paths)
    assert read_inspect(paths, arm="tags")["arm"].tolist() == ["old", "new"]
    both = {"x": paths / "a.eval", "y": paths / "b.eval"}
    assert read_inspect(both)["arm"].tolist() == ["x", "y"]
    with pytest.raises(RecordError, match="a label each"):
        read_inspect(two({}, {}))


def test_an_arm_that_the_log_itself_names_wins(two):
    frame = read_inspect(two({"metadata": {"arm": "base"}}, {}))
    assert frame["arm"].tolist() == ["base", "maker/model"]


def test_a_place_of_the_arm_that_is_not_there_is_an_error(two):
    with pytest.raises(RoleError, match=r"arm='metadata.x' must lead.*nothing there.*'task_args'"):
        read_inspect(two({}, {}), arm="metadata.x")


def test_tasks_are_apart(two):
    frame = read_inspect(two({"task": "maths"}, {"task": "law"}))
    assert frame["task"].tolist() == ["maths", "law"]
    assert evalframe.score(frame, by="task")["n_items"].tolist() == [1, 1]


def test_a_scorer_that_is_not_there_lists_what_is(read, logs):
    with pytest.raises(
        RoleError, match=r"scorer must be one that the logs have, found 'match'.*'exact'"
    ):
        read([logs.one("a", scores={"exact": 1})], scorer="match")


def test_a_log_without_the_chosen_scorer_is_not_left_out_in_silence(tmp_path, logs):
    for name in ("a", "b"):
        sample = logs.one("q", scores={name: 1})
        logs.write_eval(tmp_path / f"{name}.eval", logs.header(model=name), [sample])
    with pytest.raises(
        RoleError, match=r"b\.eval: a log must have a score to read, found others alone: 'b'"
    ):
        read_inspect(tmp_path, scorer="a")


def test_a_run_that_was_cut_off_is_read_from_its_journal(tmp_path, logs):
    samples = [logs.one(f"q{n}", scores={"s": n}) for n in range(12)]
    parts = [(f"_journal/summaries/{n + 1}.json", logs.dump([s])) for n, s in enumerate(samples)]
    start = {"eval": logs.header()["eval"]}
    members = [("_journal/start.json", logs.dump(start)), *parts]
    frame = read_inspect(logs.write_zip(tmp_path / "x.eval", members))
    assert frame["score"].tolist() == list(range(12))
    assert set(frame["log_status"]) == {"started"}


def test_a_log_without_samples_has_the_columns_and_no_rows(read):
    frame = read([])
    assert len(frame) == 0
    assert frame["score"].dtype == "float64"
    assert len(evalframe.score(frame)) == 0


def test_samples_that_were_not_logged_are_not_lost(tmp_path, logs):
    samples = [logs.one(f"q{n}", scores={"s": 1}) for n in range(3)]
    short = [logs.summary(sample) for sample in samples]
    path = logs.write_eval(tmp_path / "x.eval", logs.header(), samples[:1], short)
    assert len(read_inspect(path)) == 3
    with pytest.raises(RecordError, match=r"1 of 3 samples.*text=False"):
        read_inspect(path, text=True)


def test_nothing_is_written_for_a_member_that_climbs_out(tmp_path, logs):
    folder = tmp_path / "inside"
    folder.mkdir()
    members = [
        ("../../climbed.json", b"{}"),
        ("/climbed.json", b"{}"),
        ("samples/../../climbed.json", logs.dump(logs.one("a", scores={"s": 1}))),
        ("header.json", logs.dump(logs.header())),
    ]
    path = logs.write_zip(folder / "x.eval", members)
    assert read_inspect(path, text=True)["item_id"].tolist() == ["a"]
    assert [str(found) for found in tmp_path.rglob("*climbed*")] == []


HEADER = b'{"eval": {"task": "t", "model": "m"}}'


@pytest.mark.parametrize(
    ("members", "match"),
    [
        ({"other.txt": b""}, "no header.json"),
        ({"header.json": b"[1]"}, "'header.json': .*no header"),
        ({"header.json": b'{"eval": {"task": 1, "model": "m"}}'}, "no header"),
        ({"header.json": b'{"eval": '}, "'header.json': .*not JSON"),
        (
            {"header.json": HEADER, "summaries.json": b"{}"},
            "'summaries.json': .*must be a list, found an object",
        ),
        (
            {"header.json": HEADER, "summaries.json": b"[3]"},
            "an id, text or an integer, found the int 3",
        ),
        ({"header.json": HEADER, "summaries.json": b'[{"id": null}]'}, "found an id that is null"),
        (
            {"header.json": HEADER, "summaries.json": b'[{"id": 1, "epoch": "1"}]'},
            "epoch must be an integer",
        ),
        ({"header.json": HEADER, "summaries.json": b'[{"id": 1, "scores": [1]}]'}, "its scores"),
        ({"header.json": HEADER, "summaries.json": b'[{"id": 1}, {"id": 1}]'}, "stand twice"),
        ({"header.json": HEADER, "summaries.json": b'["\xff"]'}, "not UTF-8 at byte 3"),
        ({"header.json": HEADER, "summaries.json": b"[" * 100_000}, "nested too deeply"),
        ({"header.json": HEADER, "summaries.json": b'[{"id": "\\ud83d"}]'}, "surrogate"),
    ],
)
def test_a_damaged_log_is_refused_by_file_and_member(tmp_path, logs, members, match):
    path = logs.write_zip(tmp_path / "x.eval", list(members.items()))
    with pytest.raises(RecordError, match=rf"x\.eval.*{match}"):
        read_inspect(path)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "not JSON"),
        (b"[1]", "no header"),
        (b'{"eval": {"task": "t", "model": "m"}}', "its samples must be a list, found null"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"eval": "\xff"}', "not UTF-8"),
        (b'{"a": ' + b"1" * 5000 + b"}", "integer string"),
    ],
)
def test_a_json_file_that_is_no_log_is_refused_by_name(tmp_path, content, match):
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(RecordError, match=rf"x\.json.*{match}"):
        read_inspect(tmp_path / "x.json")


@pytest.mark.parametrize("running", [True, False])
def test_reading_leaves_the_garbage_collector_as_it_was(tmp_path, running):
    damaged = tmp_path / "2026-11-30T09-00-00.json"
    damaged.write_text("{")
    (gc.enable if running else gc.disable)()
    try:
        with pytest.raises(RecordError):
            read_inspect(damaged)
        assert gc.isenabled() == running
    finally:
        gc.enable()


def test_a_folder_without_logs_is_an_error(tmp_path):
    (tmp_path / "logs.json").write_text("{}")
    with pytest.raises(FileNotFoundError, match="no log"):
        read_inspect(tmp_path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = ["id", "epoch", "scores", "metadata", "output", "model_usage", "error", "limit"]
RUN = ["task", "model", "task_args", "metadata", "tags", "scorers"]


@one_file
@given(
    st.lists(st.dictionaries(st.sampled_from(FIELDS), json_values, max_size=2), max_size=3),
    st.dictionaries(st.sampled_from(RUN), json_values, max_size=2),
    st.sampled_from([None, "passage"]),
    st.booleans(),
    st.booleans(),
)
def test_generated_logs_are_read_or_refused(tmp_path, logs, changes, run, cluster, text, plain):
    head = {"status": "success", "eval": {"task": "t", "model": "m", **run}}
    samples = [{**logs.one(f"q{n}", scores={"s": "C"}), **one} for n, one in enumerate(changes)]
    path = tmp_path / "x.eval"
    if plain:
        logs.write_json(path, head, samples)
    else:
        logs.write_eval(path, head, samples, summaries=samples)
    try:
        frame = read_inspect(path, cluster=cluster, text=text)
    except EvalFrameError:
        return
    assert not frame.duplicated(["item_id", "seed", "metric"]).any()


@one_file
@given(
    st.lists(
        st.tuples(st.text(st.characters(codec="utf-8"), max_size=9), st.integers(1, 9)),
        unique=True,
        max_size=9,
    ),
    st.data(),
)
def test_each_epoch_of_an_item_is_one_row(tmp_path, logs, keys, data):
    scores = [data.draw(st.floats(-9, 9) | st.just(float("nan"))) for _ in keys]
    samples = [
        logs.one(item, epoch, {"s": score})
        for (item, epoch), score in zip(keys, scores, strict=True)
    ]
    path = logs.write_eval(tmp_path / "x.eval", logs.header(), samples)
    frame = read_inspect(path)
    assert list(zip(frame["item_id"], frame["seed"], strict=True)) == keys
    assert_allclose(frame["score"].astype(float), scores, rtol=0)


def test_a_json_log_that_would_fill_the_memory_is_refused(tmp_path, logs, monkeypatch):
    path = logs.write_json(tmp_path / "x.json", logs.header(), [logs.one("a", scores={"s": 1})])
    monkeypatch.setattr(nested, "LARGEST", 100)
    with pytest.raises(
        RecordError, match=r"x\.json: JSON in one piece must be of 100 bytes at most"
    ):
        read_inspect(path)
