"""The bar over long work."""

import sys
from types import SimpleNamespace

import pandas as pd
import pytest

import evalframe
from evalframe import progress


class Bar:
    """Stands in for tqdm and keeps what it was told."""

    made = ()

    def __init__(self, **settings):
        self.settings, self.done, self.open = settings, 0, True
        Bar.made = (*Bar.made, self)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.open = False

    def update(self, n):
        self.done += n


@pytest.fixture
def bars(monkeypatch):
    monkeypatch.setattr(Bar, "made", ())
    monkeypatch.setitem(sys.modules, "tqdm", SimpleNamespace(tqdm=Bar))
    monkeypatch.setattr(progress, "find_spec", lambda name: name)
    return lambda: Bar.made


def test_style_counts_its_texts_and_shows_nothing_in_the_first_second(bars):
    evalframe.style(pd.DataFrame({"output": ["one", None, "three"]}))
    (bar,) = bars()
    assert bar.done == bar.settings["total"] == 3
    assert bar.settings["delay"] == 1.0
    assert not bar.open


def test_without_the_extra_there_is_no_bar(bars, monkeypatch):
    monkeypatch.setattr(progress, "find_spec", lambda _: None)
    with progress.progress_bar(3, "texts") as advance:
        assert advance is None
    assert bars() == ()


def test_reading_counts_the_bytes_of_the_file(bars, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"item_id": 1}\n' * 100)
    evalframe.read_jsonl(path)
    (bar,) = bars()
    assert bar.done == bar.settings["total"] == path.stat().st_size
    assert bar.settings["desc"] == "x.jsonl"
    assert not bar.open


def test_voice_counts_its_texts_and_its_calibration_draws(bars):
    author = pd.DataFrame({"item_id": range(9), "arm": "author", "output": "One. Two three."})
    author["output"] = author["output"] * (author["item_id"] + 1)
    arm = author[:3].assign(arm="arm")
    evalframe.voice(pd.concat([author, arm]), "author", metrics="text_length", n_calibration=50)
    assert [(bar.settings["unit"], bar.done) for bar in bars()] == [
        ("texts", 12),
        ("calibration draws", 50),
    ]
