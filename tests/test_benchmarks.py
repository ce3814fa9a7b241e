"""The README's tables are made from files in data/, and every benchmark has its rows there."""

import importlib
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
KEPT = pd.read_parquet(ROOT / "data" / "benchmarks.parquet")


@pytest.fixture
def page(monkeypatch):
    # The benchmarks are scripts beside each other, not a package.
    monkeypatch.syspath_prepend(ROOT / "tests" / "benchmarks")
    return importlib.import_module("page")


def test_the_readme_s_tables_are_what_the_page_makes_of_the_files(page):
    assert page.written(README, page.tables()) == README


def test_a_table_of_the_readme_has_14_lines_at_most(page):
    for lines in page.tables().values():
        assert sum(line.startswith("|") for line in lines) <= 14


def test_every_benchmark_has_its_rows_and_no_other_has(page):
    assert len(page.benchmarks()) >= 8
    assert sorted(KEPT["benchmark"].unique()) == page.benchmarks()


def test_every_row_that_the_readme_shows_was_measured(page):
    table = "\n".join(page.of_benchmarks(KEPT))
    for _, case, _ in page.SHOWN:
        assert f"\n| {case}" in table


def test_a_ratio_is_ours_by_theirs():
    assert KEPT[["ours", "theirs"]].gt(0).all(axis=None)
    pd.testing.assert_series_equal(KEPT["ours"] / KEPT["theirs"], KEPT["ratio"], check_names=False)


def test_a_case_is_measured_once_against_a_baseline():
    assert not KEPT.duplicated(["benchmark", "case", "baseline"]).any()


@pytest.mark.parametrize(
    ("ratio", "text"), [(1.462, "1.46"), (0.1, "0.10"), (1 / 22.4, "1/22"), (1 / 2345, "1/2,300")]
)
def test_a_small_ratio_is_said_as_a_fraction(page, ratio, text):
    assert page.share(ratio) == text


def test_only_what_stands_between_the_marks_is_replaced(page):
    text = "a\n<!-- x -->\nold\nold\n<!-- /x -->\nb\n"
    assert page.written(text, {"x": ["new"]}) == "a\n<!-- x -->\nnew\n<!-- /x -->\nb\n"
    with pytest.raises(ValueError, match="must have <!-- y --> and <!-- /y --> once"):
        page.written(text, {"y": ["new"]})
