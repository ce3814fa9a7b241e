"""The files in data/ are what the scripts beside them write, and are sound evaluations."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evalframe import voice

DATA = Path(__file__).parents[1] / "data"
EXAMPLE = ("base", "edit", "rerun", "clustered_base", "clustered_edit")
READING = ("base", "edit", "distilled", "base-rerun")
JSONL = [
    *(f"example/{stem}.jsonl" for stem in EXAMPLE),
    *(f"reading/{arm}.jsonl.gz" for arm in READING),
]
PARQUET = ["reading.parquet", "authors.parquet"]
RUN = "2026-11-30T09-00-00"
LM_EVAL = [
    f"logs/lm_eval/{model}/{name}"
    for model in ("toy__base", "toy__edit")
    for name in (f"results_{RUN}.000000.json", f"samples_crates_{RUN}.000000.jsonl")
]
INSPECT = [
    f"logs/inspect/{RUN}-00-00_fares_{task}.eval"
    for task in ("193b037fcfe8a015a40bd5", "27c747e5f5cff2e41e6471")
]


def content(path):
    # Another zlib may compress the same lines to other bytes.
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def records(name):
    return pd.DataFrame([json.loads(line) for line in content(DATA / name).splitlines()])


@pytest.fixture(scope="module")
def remade(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    for script in ("make_example.py", "make_reading.py", "make_authors.py", "make_logs.py"):
        subprocess.run([sys.executable, str(DATA / script), str(folder)], check=True)
    return folder


@pytest.fixture(scope="module")
def reading():
    return pd.read_parquet(DATA / "reading.parquet")


@pytest.mark.parametrize("name", [*JSONL, *LM_EVAL])
def test_the_script_writes_the_same_lines(name, remade):
    assert content(remade / name) == content(DATA / name)


@pytest.mark.parametrize("name", PARQUET)
def test_the_script_writes_an_equal_parquet_frame(name, remade):
    made, kept = pd.read_parquet(remade / name), pd.read_parquet(DATA / name)
    pd.testing.assert_frame_equal(made, kept)


def test_the_scripts_write_these_files_and_no_others(remade):
    written = {path.relative_to(remade).as_posix() for path in remade.rglob("*") if path.is_file()}
    assert written == {*JSONL, *PARQUET, *LM_EVAL, *INSPECT}


def test_compressed_files_carry_no_time_of_writing(remade):
    # Bytes 4 to 7 of a gzip file are its time stamp (RFC 1952, section 2.3).
    for arm in READING:
        assert (remade / f"reading/{arm}.jsonl.gz").read_bytes()[4:8] == bytes(4)


def test_the_parquet_file_holds_the_four_jsonl_files(reading):
    parts = [records(f"reading/{arm}.jsonl.gz") for arm in READING]
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), reading)


def test_all_data_is_under_one_megabyte():
    files = [path for path in DATA.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert sum(path.stat().st_size for path in files) < 1_000_000


def test_each_file_has_a_line_in_the_readme():
    lines = (DATA / "README.md").read_text().splitlines()
    table = "\n".join(line for line in lines if line.startswith("|"))
    files = [path for path in DATA.rglob("*.*") if path.suffix not in (".py", ".pyc", ".md")]
    assert [path.name for path in files if f"{path.name}`" not in table] == []


@pytest.mark.parametrize("name", JSONL)
def test_a_file_is_one_arm_with_unique_keys(name):
    frame = records(name)
    assert frame["arm"].nunique() == 1
    assert not frame.duplicated(["item_id", "seed"]).any()


@pytest.mark.parametrize("names", [JSONL[:3], JSONL[3:5], JSONL[5:]], ids=lambda names: names[0])
def test_arms_saw_the_same_prompts(names):
    key = ["item_id", "seed"]
    prompts = [records(name).set_index(key)["prompt_hash"] for name in names]
    assert prompts[0].str.fullmatch("[0-9a-f]{64}").all()
    for other in prompts[1:]:
        pd.testing.assert_series_equal(prompts[0], other)


def test_example_records_have_the_keys_of_the_specification():
    keys = ["item_id", "seed", "arm", "prompt_hash", "output", "score"]
    keys += ["n_output_tokens", "hit_cap"]
    for stem in EXAMPLE:
        extra = ["cluster_id"] if stem.startswith("clustered") else []
        assert list(records(f"example/{stem}.jsonl")) == keys + extra


def test_example_means_are_those_the_specification_prints():
    columns = ["score", "n_output_tokens"]
    assert records("example/base.jsonl")[columns].mean().tolist() == [0.6250, 300.0]
    assert records("example/edit.jsonl")[columns].mean().tolist() == [0.7500, 250.0]


def test_an_item_has_one_passage_one_subject_and_one_prompt(reading):
    shared = reading.groupby("item_id")[["cluster_id", "subject", "prompt_hash"]].nunique()
    assert shared.eq(1).all(axis=None)
    assert reading.groupby("cluster_id")["subject"].nunique().eq(1).all()
    assert reading["prompt_hash"].nunique() == reading["item_id"].nunique()


def test_an_output_hit_the_cap_exactly_when_it_has_512_tokens(reading):
    assert reading["n_output_tokens"].between(1, 512).all()
    assert (reading["hit_cap"] == (reading["n_output_tokens"] == 512)).all()
    assert reading.loc[reading["hit_cap"], "score"].eq(0).all()


def paired_z(reading, arm):
    """Mean paired difference to base over its cluster-robust standard error."""
    means = reading.groupby(["cluster_id", "item_id", "arm"])["score"].mean().unstack("arm")
    diff = means[arm] - means["base"]
    sums = (diff - diff.mean()).groupby("cluster_id").sum()
    se = np.sqrt(len(sums) / (len(sums) - 1) * (sums**2).sum()) / len(diff)
    return diff.mean() / se


def test_the_edit_stands_out_and_the_rerun_does_not(reading):
    assert 2.5 < paired_z(reading, "edit") < 5
    assert paired_z(reading, "distilled") < -2.5
    assert abs(paired_z(reading, "base-rerun")) < 1.96


@pytest.fixture(scope="module")
def authors():
    return pd.read_parquet(DATA / "authors.parquet")


def test_passages_in_the_columns_they_came_in_become_the_same_frame(authors, tmp_path):
    given = authors.rename(columns={"arm": "author", "output": "text"})
    given[["author", "source", "text"]].to_parquet(tmp_path / "texts.parquet")
    (tmp_path / "made").mkdir()
    words = [
        sys.executable,
        DATA / "make_authors.py",
        tmp_path / "made",
        tmp_path / "texts.parquet",
    ]
    subprocess.run(words, check=True)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "made" / "authors.parquet"), authors)


def test_each_author_has_100_passages_to_compare_and_enough_to_calibrate(authors):
    n = authors.groupby(["arm", "split"]).size().unstack()
    assert (n["eval"] == 100).all()
    assert n["train"].to_dict() == {"austen": 200, "bierce": 600, "jargon": 600}


def test_eval_passages_pair_and_training_passages_do_not(authors):
    compared = authors[authors["split"] == "eval"]
    assert compared.groupby("item_id")["arm"].nunique().eq(3).all()
    assert authors.loc[authors["split"] == "train", "item_id"].is_unique
    assert not authors.duplicated(["item_id", "arm"]).any()


def test_no_passage_is_empty_or_there_twice(authors):
    assert authors["output"].str.strip().str.len().gt(0).all()
    assert authors["output"].is_unique


@pytest.mark.parametrize("author", ["austen", "bierce", "jargon"])
def test_each_author_can_be_the_reference_and_others_score_low(author, authors):
    found = voice(authors, author, interval=None, n_calibration=200)
    overall = found[found["scope"] == "overall"]
    assert len(overall) == 2
    assert overall["n_items"].eq(100).all()
    assert overall["tail"].lt(0.12).all()
