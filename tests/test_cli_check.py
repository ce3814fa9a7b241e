"""evalframe check: faults on standard output, and an exit status that a script can use."""

import json

import pandas as pd
import pytest

import evalframe
from evalframe.cli import main


@pytest.fixture
def file(tmp_path):
    """Return a function that writes rows as JSON Lines and returns the path."""

    def write(rows, name="x.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return str(path)

    return write


SOUND = [{"item_id": f"q{i}", "arm": "base", "score": i % 2} for i in range(100)]


def test_sound_records_are_status_0(file, capsys):
    assert main(["check", file(SOUND)]) == 0
    assert capsys.readouterr().out == "100 rows: 0 errors, 0 warnings\n"


def test_warnings_alone_are_status_0(file, capsys):
    assert main(["check", file(SOUND[:8])]) == 0
    out = capsys.readouterr().out
    assert out.startswith("warning: item_id: only 8 items (<100)")
    assert out.endswith("8 rows: 0 errors, 1 warning\n")


def test_errors_are_status_1_and_say_what_to_type(file, capsys):
    first, second = {"item_id": 1, "arm": ["x"], "score": "C"}, {"item_id": "1", "score": "I"}
    assert main(["check", file([first, second])]) == 1
    out = capsys.readouterr().out
    assert out.count("error: ") == 3
    assert "  what to do: say what each is worth: --grade C=1 --grade I=0\n" in out
    assert out.endswith("2 rows: 3 errors, 0 warnings\n")


def test_a_rerun_that_carries_the_same_label_is_an_arm_of_its_own(file, capsys):
    assert main(["check", file(SOUND, "base.jsonl"), file(SOUND, "rerun.jsonl")]) == 0
    assert "200 rows: 0 errors, 0 warnings" in capsys.readouterr().out


def test_a_file_that_cannot_be_read_is_status_2(tmp_path, capsys):
    path = tmp_path / "x.jsonl"
    path.write_text('{"item_id": ')
    assert main(["check", str(path)]) == 2
    assert "x.jsonl, line 1" in capsys.readouterr().err
    assert main(["check", str(tmp_path / "no.jsonl")]) == 2


def test_the_table_is_written_on_request(file, tmp_path, capsys):
    out = tmp_path / "faults.parquet"
    assert main(["check", file(SOUND[:8]), "--out", str(out)]) == 0
    capsys.readouterr()
    assert evalframe.read_parquet(out)["severity"].tolist() == ["warning"]
    assert isinstance(evalframe.read_parquet(out), pd.DataFrame)
