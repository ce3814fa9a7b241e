"""Notebooks run from top to bottom, are short, and are saved without output."""

import json
import shutil
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def cells(path, kind):
    """Return the cells of a kind as text."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return request.param


def test_a_notebook_runs(notebook, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "data", tmp_path / "data")
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    plt.switch_backend("Agg")
    names = {"__name__": "__main__"}
    for number, source in enumerate(cells(notebook, "code")):
        exec(compile(source, f"{notebook.name}, code cell {number}", "exec"), names)
    plt.close("all")
    assert list((tmp_path / "notebooks").iterdir()) == []


def test_a_notebook_is_short(notebook):
    code = cells(notebook, "code")
    assert len(code) + len(cells(notebook, "markdown")) <= 15
    assert sum(bool(line.strip()) for source in code for line in source.splitlines()) <= 70


def test_a_notebook_is_saved_without_output(notebook):
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_a_notebook_names_its_data(notebook):
    assert "../data/" in "".join(cells(notebook, "code"))
