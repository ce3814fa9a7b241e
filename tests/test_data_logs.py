"""The logs in data/ are in the formats of the tools, and hold what README.md says."""

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from evalframe import compare, read_inspect, read_lm_eval, score
from evalframe.io.archive import opened

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "data" / "logs"
WRITTEN = ROOT / "tests" / "reference" / "samples"
MODELS = ("toy__base", "toy__edit")
ARCHIVES = sorted((LOGS / "inspect").glob("*.eval"))


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def samples(model):
    return lines(next((LOGS / "lm_eval" / model).glob("samples_*.jsonl")))


def results(model):
    return json.loads(next((LOGS / "lm_eval" / model).glob("results_*.json")).read_text())


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: json.loads(archive.read(name)) for name in archive.namelist()}


def frame(filter):
    return read_lm_eval(LOGS / "lm_eval", cluster="story", filter=filter)


def inspect():
    return read_inspect(LOGS / "inspect", cluster="story")


@pytest.mark.parametrize("model", MODELS)
def test_lines_have_the_keys_and_types_of_those_the_harness_wrote(model):
    written = lines(next((WRITTEN / "lm_eval" / "arm-a").glob("samples_toy_gen*.jsonl")))[0]
    for line in samples(model):
        assert list(line) == list(written)
        assert [type(cell) for cell in line.values()] == [type(cell) for cell in written.values()]


@pytest.mark.parametrize("model", MODELS)
def test_hashes_are_taken_as_the_harness_takes_them(model):
    def sha(text):
        return hashlib.sha256(text.encode()).hexdigest()

    written = lines(next((WRITTEN / "lm_eval" / "arm-a").glob("samples_toy_gen*.jsonl")))
    for line in [*written, *samples(model)]:
        assert line["doc_hash"] == sha(json.dumps(line["doc"], indent=2, ensure_ascii=False))
        assert line["prompt_hash"] == sha(line["arguments"]["gen_args_0"]["arg_0"])
        assert line["target_hash"] == sha(line["target"])


@pytest.mark.parametrize("model", MODELS)
def test_keys_of_a_results_file_are_the_harnesss_own(model):
    written = json.loads(next((WRITTEN / "lm_eval" / "arm-a").glob("results_*.json")).read_text())
    assert set(results(model)) <= set(written)
    assert "no model was run" in results(model)["pretty_env_info"]


def test_a_score_is_1_exactly_where_the_filter_finds_the_target():
    for model in MODELS:
        for line in samples(model):
            assert line["exact_match"] == (line["filtered_resps"] == [line["target"]])
            if line["filter"] == "strict-match":
                marked = "####" in line["resps"][0][0]
                assert (line["filtered_resps"] == ["[invalid]"]) == (not marked)


@pytest.mark.parametrize("filter", ["strict-match", "flexible-extract"])
def test_scores_are_those_of_the_results_files(filter):
    found = score(frame(filter), cluster=False).set_index("arm")
    for model in MODELS:
        row = found.loc[results(model)["model_name"]]
        printed = results(model)["results"]["crates"]
        assert row["estimate"] == pytest.approx(printed[f"exact_match,{filter}"], rel=1e-12)
        assert row["se"] == pytest.approx(printed[f"exact_match_stderr,{filter}"], rel=1e-12)


def test_samples_have_the_keys_of_those_that_inspect_wrote():
    with opened(next((WRITTEN / "inspect").glob("*.eval"))) as archive:
        name = next(name for name in archive.members if name.startswith("samples/"))
        known = {*json.loads(archive.read(name)), "error"}
    assert len(ARCHIVES) == 2
    for path in ARCHIVES:
        held = members(path)
        whole = [one for name, one in held.items() if name.startswith("samples/")]
        assert len(whole) == len(held["summaries.json"]) == 96
        assert all(set(one) <= known for one in whole)
        for one, short in zip(whole, held["summaries.json"], strict=True):
            assert (one["id"], one["epoch"]) == (short["id"], short["epoch"])
            assert one.get("scores") == short.get("scores")


def test_scores_are_those_of_the_headers():
    found = score(read_inspect(LOGS / "inspect")).set_index("arm")
    for path in ARCHIVES:
        header = members(path)["header.json"]
        metrics = header["results"]["scores"][0]["metrics"]
        row = found.loc[header["eval"]["model"]]
        assert row["estimate"] == pytest.approx(metrics["accuracy"]["value"], rel=1e-12)
        assert row["se"] == pytest.approx(metrics["stderr"]["value"], rel=1e-12)
        assert "no model was run" in header["eval"]["metadata"]["about"]


def test_one_call_failed_and_has_no_score():
    found = inspect()
    failed = found[found["status"] == "error"]
    assert failed[["arm", "item_id", "seed"]].values.tolist() == [["toy/base", "f05-2", 2]]
    assert failed["score"].isna().all()
    assert found["score"].notna().sum() == 191


def test_both_models_answered_the_same_questions_on_16_stories():
    for found in (frame("strict-match"), inspect()):
        assert found.groupby("arm")["item_id"].nunique().tolist() == [48, 48]
        assert found["cluster_id"].nunique() == 16
        assert found.groupby("item_id")["cluster_id"].nunique().eq(1).all()


def test_the_edit_is_better_in_both_and_more_so_where_format_counts():
    strict, flexible = (
        compare(frame(name), "toy/base", value="score").iloc[0]
        for name in ("strict-match", "flexible-extract")
    )
    other = compare(inspect(), "toy/base", value="score", missing="drop").iloc[0]
    assert all(row["conf_low"] > 0 for row in (strict, flexible, other))
    assert strict["diff"] > flexible["diff"]


def test_the_script_writes_the_same_members(tmp_path):
    script = ROOT / "data" / "make_logs.py"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True)
    for path in ARCHIVES:
        assert members(tmp_path / path.relative_to(ROOT / "data")) == members(path)
        with zipfile.ZipFile(path) as archive:
            assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_logs_are_small():
    assert sum(path.stat().st_size for path in LOGS.rglob("*") if path.is_file()) < 300_000


def test_all_of_it_reads_into_one_frame():
    both = pd.concat([frame("flexible-extract"), inspect()], ignore_index=True)
    result = compare(both, "toy/base", value="score", by="task", missing="drop")
    assert result["task"].tolist() == ["crates", "fares"]
    assert result["n_dropped"].tolist() == [0, 1]
