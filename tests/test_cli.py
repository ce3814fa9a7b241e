"""The command line: what it prints, writes and answers."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import evalframe
from evalframe.cli import main

DATA = Path(__file__).parents[1] / "data"
EXAMPLE = DATA / "example"
READING = DATA / "reading"

REPORT = """\
n=8 items  base=0.6250  edit=0.7500
score diff=+0.1250  SE=0.1250  95% CI [-0.1200, +0.3700]; not significant; \
smallest detectable difference at this n is 0.3500
McNemar exact p=1  (base-only right=0, edit-only right=1)
tokens: base=300.0  edit=250.0  diff=-50.0 (-16.7%)  bootstrap 95% CI [-50.0, -50.0]
cap-hit rate: base=0.000  edit=0.000
WARNING: only 8 items (<100); intervals are unreliable
"""
FLOOR = """\
noise floor (score): |diff|=0.1250 does not exceed |floor diff| + 1.96 SE = 0.0000
noise floor (tokens): |diff|=50.0 exceeds |floor diff| + 1.96 SE = 0.9
"""
CLUSTERED = """\
n=8 items in 4 clusters  base=0.6250  edit=0.7500
score diff=+0.1250  SE=0.1250  95% CI [-0.1200, +0.3700]; not significant; \
smallest detectable difference at this n is 0.3500
McNemar exact p=1  (base-only right=0, edit-only right=1); ignores clustering
tokens: base=300.0  edit=250.0  diff=-50.0 (-16.7%)  bootstrap 95% CI [-50.0, -50.0]
cap-hit rate: base=0.000  edit=0.000
WARNING: only 4 clusters (<100); intervals are unreliable
"""


def run(*words: object) -> int:
    return main([str(word) for word in words])


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """Return the one line on stderr of a command that must end with status 2."""
    try:
        status = run(*words)
    except SystemExit as stop:
        status = stop.code
    out, err = capsys.readouterr()
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("evalframe")
    assert "Traceback" not in err
    return err


@pytest.fixture
def records(tmp_path):
    """Return a function that writes rows as a JSON Lines file."""

    def write(name: str, rows: list[dict[str, object]]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write


def test_compare_prints_the_report_of_the_specification(capsys):
    assert run("compare", EXAMPLE / "base.jsonl", EXAMPLE / "edit.jsonl") == 0
    assert capsys.readouterr().out == REPORT


def test_a_floor_adds_a_line_a_metric_before_the_warning(capsys):
    files = [EXAMPLE / f"{name}.jsonl" for name in ("base", "edit", "base", "rerun")]
    assert run("compare", *files[:2], "--floor", *files[2:]) == 0
    lines = REPORT.splitlines(keepends=True)
    assert capsys.readouterr().out == "".join(lines[:-1]) + FLOOR + lines[-1]


def test_clusters_are_used_where_the_records_have_them(capsys):
    run("compare", EXAMPLE / "clustered_base.jsonl", EXAMPLE / "clustered_edit.jsonl")
    assert capsys.readouterr().out == CLUSTERED


def test_several_edits_are_a_block_each(capsys):
    arms = [READING / f"{name}.jsonl.gz" for name in ("base", "edit", "distilled")]
    assert run("compare", *arms) == 0
    blocks = capsys.readouterr().out.split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == ["distilled vs base", "edit vs base"]


def test_by_takes_groups_apart(capsys):
    arms = [READING / f"{name}.jsonl.gz" for name in ("base", "edit")]
    assert run("compare", *arms, "--by", "subject") == 0
    blocks = capsys.readouterr().out.split("\n\n")
    first = [block.splitlines()[0] for block in blocks]
    assert first == [f"subject={name}" for name in ("biology", "economics", "history", "law")]


def test_a_margin_adds_a_line_with_its_verdict_and_tests(capsys):
    files = EXAMPLE / "base.jsonl", EXAMPLE / "edit.jsonl"
    assert run("compare", *files, "--margin", 0.5) == 0
    # By hand: (0.125 + 0.5) / 0.125 = 5 standard errors, and (0.5 - 0.125) / 0.125 = 3.
    line = "margin (score) of 0.5: equivalent  (not worse p=2.87e-07, not better p=0.00135)\n"
    lines = REPORT.splitlines(keepends=True)
    assert capsys.readouterr().out == "".join([*lines[:-1], line, lines[-1]])
    assert "margin must be a number above 0" in refused(capsys, "compare", *files, "--margin", -1)


def test_score_prints_a_block_a_file(capsys):
    assert run("score", EXAMPLE / "base.jsonl", EXAMPLE / "edit.jsonl") == 0
    blocks = capsys.readouterr().out.split("\n\nEvaluation")
    assert len(blocks) == 2
    assert "  Estimate   0.6250\n" in blocks[0]
    assert "  Estimate   0.7500\n" in blocks[1]


def test_a_parquet_file_of_several_arms_can_be_scored(capsys):
    assert run("score", DATA / "reading.parquet") == 0
    assert capsys.readouterr().out.count("Evaluation score: ") == 4


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl", ".csv"])
def test_out_writes_the_result_frame(tmp_path, capsys, suffix):
    path = tmp_path / f"result{suffix}"
    base, edit = EXAMPLE / "base.jsonl", EXAMPLE / "edit.jsonl"
    assert run("compare", base, edit, "--out", path) == 0
    assert capsys.readouterr().out == REPORT
    read = {
        ".parquet": evalframe.read_parquet,
        ".jsonl": lambda path: pd.read_json(path, lines=True),
        ".csv": pd.read_csv,
    }
    found = read[suffix](path)
    wanted = evalframe.read_jsonl([base, edit]).evals.compare("base")
    assert list(found.columns) == list(wanted.columns)
    assert found["diff"].tolist() == wanted["diff"].tolist()
    if suffix == ".parquet":
        pd.testing.assert_frame_equal(found, wanted)


def test_out_has_the_floor_beside_the_differences(tmp_path):
    path = tmp_path / "result.parquet"
    files = [EXAMPLE / f"{name}.jsonl" for name in ("base", "edit", "base", "rerun")]
    assert run("compare", *files[:2], "--floor", *files[2:], "--out", path) == 0
    result = evalframe.read_parquet(path)
    assert result["exceeds"].tolist() == [False, True, False]
    assert result.columns[-1] == "note"


def test_a_rerun_that_carries_its_arm_s_label_is_told_apart_by_file_name(capsys):
    assert run("compare", EXAMPLE / "base.jsonl", EXAMPLE / "rerun.jsonl") == 0
    assert capsys.readouterr().out.startswith("n=8 items  base=0.6250  rerun=0.6250\n")


def test_reruns_of_one_file_name_are_told_apart_by_folder(records, capsys):
    rows = [{"item_id": i, "arm": "m", "score": i % 2} for i in range(4)]
    first, second = records("monday/run.jsonl", rows), records("friday/run.jsonl", rows)
    assert run("score", first, second) == 0
    out = capsys.readouterr().out
    assert "Evaluation score: monday/run\n" in out
    assert "Evaluation score: friday/run\n" in out


def test_a_label_that_one_file_alone_carries_is_kept(records, capsys):
    path = records("run.jsonl", [{"item_id": 1, "arm": "gpt", "score": 1}])
    assert run("score", path) == 0
    assert "Evaluation score: gpt\n" in capsys.readouterr().out


def test_a_file_without_an_arm_is_called_after_its_name(records, capsys):
    path = records("tuned.jsonl", [{"item_id": 1, "score": 1}])
    assert run("score", path) == 0
    assert "Evaluation score: tuned\n" in capsys.readouterr().out


def test_level_sets_the_interval(capsys):
    assert run("compare", EXAMPLE / "base.jsonl", EXAMPLE / "edit.jsonl", "--level", "0.9") == 0
    # 0.125 -+ 1.6449 x 0.125
    assert "90% CI [-0.0806, +0.3306]" in capsys.readouterr().out


def test_missing_scores_are_refused_or_dropped_as_asked(records, capsys):
    base = records("base.jsonl", [{"item_id": i, "score": i % 2} for i in range(4)])
    rows = [{"item_id": i, "score": None if i == 3 else 1} for i in range(4)]
    edit = records("edit.jsonl", rows)
    assert "item_id=3" in refused(capsys, "compare", base, edit)
    assert run("compare", base, edit, "--missing", "drop") == 0
    assert capsys.readouterr().out.startswith("n=3 items")


def test_a_missing_file_is_one_line_and_status_2(capsys):
    assert "nope.jsonl" in refused(capsys, "score", EXAMPLE / "nope.jsonl")


def test_a_bad_line_is_named_with_its_file(tmp_path, capsys):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"item_id": 1, "score": 1}\n{"item_id": 2, "sco\n')
    assert "bad.jsonl, line 2" in refused(capsys, "score", path)


def test_a_missing_column_is_one_line(records, capsys):
    path = records("run.jsonl", [{"question": 1, "score": 1}])
    assert "item_id" in refused(capsys, "score", path)


def test_different_items_are_refused(records, capsys):
    base = records("base.jsonl", [{"item_id": i, "score": 1} for i in (1, 2)])
    edit = records("edit.jsonl", [{"item_id": i, "score": 1} for i in (1, 3)])
    line = refused(capsys, "compare", base, edit)
    assert "arm 'edit' lacks 1 key(s): item_id=2" in line
    assert "arm 'base' lacks 1 key(s): item_id=3" in line


def test_the_same_file_twice_is_refused(capsys):
    base = EXAMPLE / "base.jsonl"
    assert "twice" in refused(capsys, "compare", base, base)


def test_a_file_of_several_arms_cannot_be_compared(records, capsys):
    edit = records("other.jsonl", [{"item_id": 1, "score": 1}])
    line = refused(capsys, "compare", DATA / "reading.parquet", edit)
    assert "one arm to be the baseline, found 4" in line
    assert "--baseline base" in line


def test_a_label_that_is_one_of_several_in_another_file_is_refused(capsys):
    line = refused(capsys, "score", DATA / "reading.parquet", EXAMPLE / "edit.jsonl")
    assert "holds 4 arms, of which 'edit' is in another file too" in line


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("compare", "a.jsonl"),
        ("rank", "a.jsonl"),
        ("score", "a.jsonl", "--levle", "0.9"),
        ("score", "a.jsonl", "--level", "high"),
        ("score", "a.jsonl", "--out", "table.xlsx"),
        ("score", "a.jsonl", "--missing", "ignore"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_status_2(capsys, words):
    refused(capsys, *words)


def test_level_95_says_what_to_type(capsys):
    line = refused(capsys, "score", EXAMPLE / "base.jsonl", "--level", "95")
    assert "--level 0.95" in line


@pytest.mark.slow
def test_thirty_runs_return_their_own_exit_status_thirty_times(tmp_path):
    """A threaded Parquet read near the end of a process can abort it at exit, with status 134."""
    program = [sys.executable, "-m", "evalframe", "score"]
    for number in range(15):
        good = subprocess.run(
            [*program, DATA / "reading.parquet", "--out", tmp_path / f"{number}.parquet"],
            capture_output=True,
            check=False,
        )
        assert (good.returncode, good.stderr) == (0, b"")
        bad = subprocess.run(
            [*program, DATA / "reading.parquet", "--by", "topic"], capture_output=True, check=False
        )
        assert bad.returncode == 2


def test_a_closed_pipe_ends_without_a_traceback():
    program = f"{sys.executable} -m evalframe score {DATA / 'reading.parquet'} | true"
    done = subprocess.run(program, shell=True, capture_output=True, check=False)
    assert done.stderr == b""


def test_the_records_read_are_never_written_over(records, capsys):
    path = records("run.jsonl", [{"item_id": 1, "score": 1}])
    before = path.read_bytes()
    assert "another file than those read" in refused(capsys, "score", path, "--out", path)
    assert path.read_bytes() == before


def test_a_file_without_records_is_named(records, capsys):
    path = records("empty.jsonl", [])
    assert "empty.jsonl must hold records, found none" in refused(capsys, "score", path)


def test_interval_names_the_one_to_use(capsys):
    assert run("score", EXAMPLE / "base.jsonl", "--interval", "auto") == 0
    assert "mid-p interval." in capsys.readouterr().out
    assert "'beta-binomial'" in refused(
        capsys, "score", EXAMPLE / "base.jsonl", "--interval", "exact"
    )


def test_a_csv_has_nowhere_to_go_without_its_folder(tmp_path, capsys):
    out = tmp_path / "none" / "result.csv"
    assert "no folder" in refused(capsys, "score", EXAMPLE / "base.jsonl", "--out", out)
