"""The README's commands and outputs are real. Its Python examples run as doctests."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from evalframe.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
SHELL = re.findall(r"```sh\n(.*?)\n```", README, flags=re.DOTALL)


def test_the_first_command_prints_what_the_readme_shows(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    _, _, command = SHELL[0].split(" && ")
    program, *words = shlex.split(command)
    assert program == ".venv/bin/evalframe"
    assert main(words) == 0
    printed = re.search(r"```console\n(.*?)```", README, flags=re.DOTALL)
    assert capsys.readouterr().out == printed.group(1)


def test_ci_runs_the_readme_s_test_command():
    script = (ROOT / ".ci" / "run").read_text()
    (pattern,) = re.findall(r"grep -m 1 '(.*?)' README.md", script)
    (line, *_) = [line for line in README.splitlines() if pattern in line]
    assert line == SHELL[1]
    assert subprocess.run(["bash", "-n", ROOT / ".ci" / "run"], check=False).returncode == 0


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`((?:data|tests)/[\w/.-]+)`", README))))
def test_files_that_the_readme_names_exist(name):
    assert (ROOT / name).exists()
