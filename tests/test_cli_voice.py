"""The command `evalframe voice`: what it prints, writes and answers."""

import json

import pandas as pd
import pytest

import evalframe
from evalframe.cli import main

WORDS = ("Oh! ", "Yes, it is. ", "Well: no. ")


def record(item, arm, place):
    text = WORDS[place % 3] * (place % 4 + 1) + WORDS[0] * (place % 2)
    return {"item_id": item, "arm": arm, "output": text}


@pytest.fixture
def files(tmp_path):
    """Return files of an author of 40 texts and of two arms that answer the first 10 items."""
    rows = {
        "author": [record(i, "author", i) for i in range(40)],
        "alike": [record(i, "alike", i) for i in range(10)],
        "terse": [{"item_id": i, "arm": "terse", "output": "No."} for i in range(10)],
    }
    paths = []
    for name, records in rows.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in records))
        paths.append(path)
    return paths


def run(*words):
    return main([str(word) for word in words])


def refused(capsys, *words):
    """Return the one line on stderr of a command that must end with status 2."""
    try:
        status = run(*words)
    except SystemExit as stop:
        status = stop.code
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    return err


def tables(text):
    """Return the two tables that were printed, as lists of words."""
    blocks = text.split("\n\n")
    return [[line.split() for line in block.splitlines()] for block in blocks[1:3]]


def test_scores_of_all_arms_come_first_and_then_their_groups(files, capsys):
    assert run("voice", *files, "--reference", "author") == 0
    out = capsys.readouterr().out
    assert out.startswith("likeness in style to author\n")
    scores, groups = tables(out)
    result = evalframe.read_jsonl(files).evals.voice("author")
    overall, group = (result[result["scope"] == scope] for scope in ("overall", "group"))
    assert [line[:2] for line in scores] == [
        ["arm", "score"],
        *([arm, f"{tail:.3f}"] for arm, tail in zip(overall["arm"], overall["tail"], strict=True)),
    ]
    assert [line[:2] for line in groups[1:]] == group[["arm", "group"]].to_numpy().tolist()


def test_it_says_that_it_is_no_test_and_that_sizes_do_not_compare(files, capsys):
    run("voice", *files, "--reference", "author")
    out = capsys.readouterr().out
    assert "This is no test, and no score is a boundary" in out
    assert "different n_items do not compare" in out
    assert "p-value" not in out
    assert "far too narrow" in out


def test_limits_of_confidence_carry_no_note_of_narrow_ones(files, capsys):
    assert run("voice", *files, "--reference", "author", "--interval", "jackknife_se") == 0
    assert "far too narrow" not in capsys.readouterr().out


def test_size_and_level_reach_the_result_that_out_writes(files, tmp_path, capsys):
    path = tmp_path / "voice.parquet"
    words = ("--reference", "author", "--size", "5", "--level", "0.8", "--out", path)
    assert run("voice", *files, *words) == 0
    assert capsys.readouterr().out
    wanted = evalframe.read_jsonl(files).evals.voice("author", size=5, level=0.8)
    pd.testing.assert_frame_equal(evalframe.read_parquet(path), wanted)


def test_by_takes_groups_apart(files, tmp_path, capsys):
    frame = evalframe.read_jsonl(files[:2])
    path = tmp_path / "tasks.parquet"
    evalframe.write_parquet(frame.assign(task=frame["item_id"].map(lambda i: i % 2)), path)
    assert run("voice", path, "--reference", "author", "--by", "task") == 0
    scores, _ = tables(capsys.readouterr().out)
    assert [line[:2] for line in scores] == [["task", "arm"], ["0", "alike"], ["1", "alike"]]


def test_an_author_labelled_by_a_number_is_found(files, tmp_path, capsys):
    frame = evalframe.read_jsonl(files[:2])
    path = tmp_path / "numbers.parquet"
    evalframe.write_parquet(frame.assign(arm=frame["arm"].map({"author": 1, "alike": 2})), path)
    assert run("voice", path, "--reference", "1") == 0
    scores, _ = tables(capsys.readouterr().out)
    assert scores[1][0] == "2"


def test_unpaired_items_are_refused_or_dropped_as_asked(files, capsys):
    author, alike, _ = files
    lines = alike.read_text().splitlines(keepends=True)
    stranger = json.dumps(record("9x", "alike", 0)).replace('"9x"', "99")
    alike.write_text("".join([*lines, stranger + "\n"]))
    assert "99" in refused(capsys, "voice", author, alike, "--reference", "author")
    assert run("voice", author, alike, "--reference", "author", "--missing", "drop") == 0
    scores, _ = tables(capsys.readouterr().out)
    assert dict(zip(*scores, strict=True))["n_dropped"] == "1"


def test_too_few_training_texts_are_one_line_that_offers_a_size(files, capsys):
    author, alike, _ = files
    author.write_text("".join(author.read_text().splitlines(keepends=True)[:15]))
    assert "--size 2" in refused(capsys, "voice", author, alike, "--reference", "author")


def test_an_author_that_is_not_there_is_one_line_with_the_arms(files, capsys):
    line = refused(capsys, "voice", *files, "--reference", "nobody")
    assert "'nobody'" in line
    assert "'alike', 'author', 'terse'" in line


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--reference",),
        ("--reference", "author", "--size", "many"),
        ("--reference", "author", "--missing", "zero"),
        ("--reference", "author", "--interval", "wald"),
        ("--reference", "author", "--out", "table.xlsx"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_status_2(files, capsys, words):
    refused(capsys, "voice", *files, *words)
