"""The command line on files of every format, told by the content, and `evalframe convert`."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import evalframe
from evalframe.cli import main

ROOT = Path(__file__).parents[1]
LM_EVAL = ROOT / "tests" / "reference" / "samples" / "lm_eval"
INSPECT = ROOT / "tests" / "reference" / "samples" / "inspect"
EXAMPLE = ROOT / "data" / "example"
CHOICE = ("--metric", "exact_match,strict-match", "--metric", "acc,none")


def run(*words: object) -> int:
    return main([str(word) for word in words])


def refused(capsys, *words: object) -> str:
    """Return the one line on stderr of a command that must end with status 2."""
    status = run(*words)
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    return err


def table(tmp_path, *words: object) -> pd.DataFrame:
    """Return the table that a command writes."""
    path = tmp_path / "out.parquet"
    assert run(*words, "--out", path) == 0
    return evalframe.read_parquet(path)


def test_score_reads_an_output_folder_of_lm_eval(tmp_path):
    frame = evalframe.read_lm_eval(LM_EVAL, metric=["exact_match,strict-match", "acc,none"])
    found = table(tmp_path, "score", LM_EVAL, *CHOICE)
    assert_frame_equal(found, frame.evals.score())
    files = sorted(LM_EVAL.glob("*/samples_*"))
    assert_frame_equal(table(tmp_path, "score", *files, *CHOICE), found)
    found = table(tmp_path, "score", LM_EVAL, *CHOICE, "--by", "task")
    assert_frame_equal(found, frame.evals.score(by="task"))


def test_compare_reads_folders_of_lm_eval_as_arms(tmp_path):
    frame = evalframe.read_lm_eval(LM_EVAL, metric=["exact_match,strict-match", "acc,none"])
    wanted = frame.evals.compare("arm-a")
    words = ("compare", LM_EVAL / "arm-a", LM_EVAL / "arm-b", *CHOICE)
    assert_frame_equal(table(tmp_path, *words), wanted)
    words = ("compare", LM_EVAL, "--baseline", "arm-b", *CHOICE)
    assert_frame_equal(table(tmp_path, *words), frame.evals.compare("arm-b"))


def test_a_rerun_under_the_same_model_name_is_called_after_its_folder(tmp_path):
    for name in ("first", "second"):
        shutil.copytree(LM_EVAL / "arm-a", tmp_path / name)
        for results in (tmp_path / name).glob("results_*.json"):
            whole = json.loads(results.read_text())
            whole |= {"model_name": "gpt", "model_source": "hf"}
            results.write_text(json.dumps(whole))
    found = table(tmp_path, "compare", tmp_path / "first", tmp_path / "second", *CHOICE)
    assert found[["arm", "baseline"]].to_numpy().tolist() == [["second", "first"]]
    assert found["diff"].tolist() == [0.0]
    found = table(tmp_path, "score", tmp_path / "first", *CHOICE)
    assert found["arm"].tolist() == ["gpt"]


def test_inspect_logs_are_read_with_their_clusters(tmp_path):
    frame = evalframe.read_inspect(INSPECT, scorer="match", cluster="passage")
    words = (INSPECT, "--scorer", "match", "--cluster", "passage")
    assert_frame_equal(table(tmp_path, "score", *words), frame.evals.score())
    found = table(tmp_path, "compare", *words, "--baseline", "arm-a")
    assert_frame_equal(found, frame.evals.compare("arm-a"))
    logs = sorted(INSPECT.glob("*.eval"))
    assert_frame_equal(table(tmp_path, "compare", *logs, *words[1:]), found)


def test_two_arms_in_one_path_need_a_baseline_and_the_error_names_it(capsys):
    line = refused(capsys, "compare", INSPECT, "--scorer", "match")
    assert "found 2: 'arm-a', 'arm-b'; name the baseline, for example --baseline arm-a" in line


def test_one_arm_has_nothing_to_be_compared_with(capsys):
    line = refused(capsys, "compare", EXAMPLE / "base.jsonl")
    assert "found 'base' alone" in line
    assert "evalframe compare BASE EDIT" in line


def test_an_unknown_baseline_lists_the_arms(capsys):
    words = ("compare", EXAMPLE / "base.jsonl", EXAMPLE / "edit.jsonl")
    line = refused(capsys, *words, "--baseline", "none")
    assert "'base', 'edit'" in line


def test_a_floor_may_be_two_arms_of_the_same_path(tmp_path, capsys):
    frame = evalframe.read_parquet(ROOT / "data" / "reading.parquet")
    found = table(
        tmp_path,
        *("compare", ROOT / "data" / "reading.parquet", "--baseline", "base"),
        *("--floor", "base", "base-rerun"),
    )
    assert "noise floor (score)" in capsys.readouterr().out
    wanted = frame.evals.compare("base", floor="base-rerun")
    assert found["arm"].tolist() == wanted["arm"].tolist()
    assert found["exceeds"].tolist() == wanted["exceeds"].tolist()
    assert found["floor_diff"].tolist() == wanted["floor_diff"].tolist()


@pytest.mark.parametrize("other", ["nope", str(EXAMPLE / "rerun.jsonl")])
def test_a_floor_of_a_label_and_something_else_lists_the_labels(capsys, other):
    files = ("compare", EXAMPLE / "base.jsonl", EXAMPLE / "edit.jsonl")
    line = refused(capsys, *files, "--floor", "base", other)
    assert "of which 'base' alone is such a label; the arms are base, edit" in line
    assert other in line


def test_several_scorers_need_a_choice(capsys):
    line = refused(capsys, "score", INSPECT)
    assert "found 4 scorers in the logs: match, brevity, " in line
    assert line.rstrip().endswith("--scorer match")


def test_several_metrics_and_filters_are_answered_with_options(capsys):
    line = refused(capsys, "score", LM_EVAL / "arm-a")
    assert "for example --filter strict-match" in line
    assert "for example --metric acc" in line


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "jsonl.gz"])
def test_convert_writes_what_the_readers_read(tmp_path, capsys, suffix):
    out = tmp_path / f"runs.{suffix}"
    assert run("convert", INSPECT, "--outputs", "--cluster", "passage", "--out", out) == 0
    assert capsys.readouterr().out == f"144 rows of 2 arm(s) (arm-a, arm-b) in {out}\n"
    read = evalframe.read_parquet if suffix == "parquet" else evalframe.read_jsonl
    frame = evalframe.read_inspect(INSPECT, text=True, cluster="passage")
    assert_frame_equal(read(out), frame)


def test_a_table_of_several_metrics_is_chosen_from_as_the_log_that_it_was(tmp_path, capsys):
    runs = tmp_path / "runs.parquet"
    assert run("convert", INSPECT, "--out", runs) == 0
    capsys.readouterr()
    assert refused(capsys, "score", runs).rstrip().endswith("--scorer match")
    chosen = table(tmp_path, "score", runs, "--scorer", "match")
    assert_frame_equal(chosen, table(tmp_path, "score", INSPECT, "--scorer", "match"))
    capsys.readouterr()
    line = refused(capsys, "score", runs, "--scorer", "nope")
    assert "found 'nope' where there is 'match', 'brevity'" in line


def test_convert_takes_several_formats_at_once(tmp_path, capsys):
    pd.DataFrame({"item_id": ["q"], "score": [1.0]}).to_parquet(tmp_path / "mine.jsonl")
    words = (tmp_path / "mine.jsonl", EXAMPLE / "base.jsonl", LM_EVAL, *CHOICE)
    frame = table(tmp_path, "convert", *words)
    assert frame["arm"].unique().tolist() == ["mine", "base", "arm-a", "arm-b"]
    assert "4 arm(s)" in capsys.readouterr().out


def test_convert_needs_out(capsys):
    with pytest.raises(SystemExit):
        run("convert", EXAMPLE / "base.jsonl")
    assert "--out" in capsys.readouterr().err


def test_voice_reads_outputs_of_logs_itself(capsys):
    line = refused(capsys, "voice", INSPECT, "--scorer", "match", "--reference", "arm-a")
    # The texts are there, three epochs of each item, of which the author may have one.
    assert "an item needs one reference, found several for 6 item(s)" in line


def test_columns_of_other_names_are_named_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "runs.jsonl"
    rows = [
        {"question": f"q{i}", "model": model, "passage": i // 2, "grade": "CI"[(i + n) % 2]}
        for i in range(8)
        for n, model in enumerate(["base", "edit"])
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    line = refused(capsys, "score", path)
    assert "--item YOUR_COLUMN" in line
    assert "did you mean 'question'" in refused(capsys, "score", path, "--item", "questio")
    names = ("--item", "question", "--arm", "model", "--cluster", "passage", "--score", "grade")
    line = refused(capsys, "score", path, *names)
    assert line.rstrip().endswith("--grade C=1 --grade I=0")
    found = table(tmp_path, "score", path, *names, "--grade", "C=1", "--grade", "I=0")
    assert found["arm"].tolist() == ["base", "edit"]
    assert found["n_clusters"].tolist() == [4, 4]
    assert run("check", path, *names, "--grade", "C=1", "--grade", "I=0") == 0


def test_a_named_column_takes_the_place_of_the_one_with_the_usual_name(tmp_path):
    runs = pd.DataFrame(
        {"item_id": range(4), "arm": "a", "score": [0.0, 1, 1, 0], "mark": [1.0, 1, 1, 0]}
    )
    runs.to_parquet(tmp_path / "runs.parquet")
    found = table(tmp_path, "score", tmp_path / "runs.parquet", "--score", "mark")
    assert found["estimate"].tolist() == [0.75]


def test_a_folder_with_one_arm_in_the_logs_of_two_tools_asks_for_one_of_them(capsys):
    line = refused(capsys, "score", ROOT / "data" / "logs", "--filter", "strict-match")
    assert "logs of two tools, and the arm 'toy/base' in both; name the folder" in line


def test_grades_of_numbers_are_left_out(capsys):
    line = refused(capsys, "score", EXAMPLE / "base.jsonl", "--grade", "C=1")
    assert "0.0, 1.0; they are worth what they say: leave --grade out" in line


def test_a_result_in_place_of_runs_is_named(tmp_path, capsys):
    assert run("score", EXAMPLE / "base.jsonl", "--out", tmp_path / "result.parquet") == 0
    capsys.readouterr()
    line = refused(capsys, "score", tmp_path / "result.parquet")
    assert "This is a result of score, not the runs that it was made from" in line


def test_an_option_of_another_format_is_refused(capsys):
    line = refused(capsys, "score", EXAMPLE / "base.jsonl", "--metric", "acc")
    assert "lm-evaluation-harness and tables with a column 'metric', found JSON Lines in" in line
    line = refused(capsys, "score", LM_EVAL, *CHOICE, "--grade", "C=1")
    assert "--grade is an option of Parquet and JSON Lines and logs of Inspect AI" in line


@pytest.mark.parametrize("grade", ["C", "C=one", "=", ""])
def test_a_grade_is_a_label_and_a_number(capsys, grade):
    with pytest.raises(SystemExit):
        run("score", EXAMPLE / "base.jsonl", "--grade", grade)
    assert "LABEL=NUMBER" in capsys.readouterr().err


def test_a_folder_without_logs_says_what_was_found(tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("x")
    line = refused(capsys, "score", tmp_path)
    assert "must hold logs" in line
    assert "found other files: 'notes.txt'" in line


def test_a_file_of_another_kind_is_named_with_what_it_holds(tmp_path, capsys):
    path = tmp_path / "runs.jsonl"
    path.write_text("item_id,score\n1,1\n")
    assert "runs.jsonl must hold evaluation records" in refused(capsys, "score", path)


def test_results_files_alone_hold_no_answers(capsys):
    line = refused(capsys, "score", *LM_EVAL.glob("arm-a/results_*.json"))
    assert "samples_*.jsonl" in line


@pytest.mark.parametrize("command", ["score", "compare", "check", "voice", "convert"])
def test_help_tells_formats_options_and_an_example(capsys, command):
    with pytest.raises(SystemExit) as stop:
        run(command, "--help")
    out = capsys.readouterr().out
    assert stop.value.code == 0
    assert all(len(line) <= 100 for line in out.splitlines())
    for word in ("Inspect AI", "--scorer", "--metric", "for example:", f"evalframe {command} "):
        assert word in out
