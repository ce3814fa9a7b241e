"""What takes a result, reports, tables and pictures, crossed with results of every method.

A result says the same from a file, without its provenance, and in a frame with another index; of
one without rows or numbers something is shown, or it is refused in words.
"""

import numpy as np
import pandas as pd
import pytest
from apart import calls
from awkward import REFUSED, SAME
from every_method import CALLS, clean, runs
from matplotlib.axes import Axes
from matplotlib.text import Text
from pandas.testing import assert_frame_equal

import evalframe as ef
from evalframe import EvalFrameError

TAKERS = {
    "format_report": ef.format_report,
    "style_table": ef.style_table,
    "exceeds_floor": lambda one: ef.exceeds_floor(one, first_arm(one)),
    "plot.forest": ef.plot.forest,
    "plot.floor": ef.plot.floor,
    "plot.ranks": ef.plot.ranks,
    "plot.voice": ef.plot.voice,
    "plot.style": lambda one: ef.plot.style(one, "text_length.log_words", reference="base"),
}
# The results of which each has something to show; of others it shows it, or refuses them in words.
COMPARED = ["compare", "compare, auto", "compare, floor", "compare, margin", "compare, unpaired"]
MADE_FOR = {
    "format_report": ["score", *COMPARED],
    "style_table": ["score", "compare, floor", "bradley_terry", "voice"],
    "exceeds_floor": COMPARED,
    "plot.forest": ["score", *COMPARED, "debias", "debias, paired", "bradley_terry"],
    "plot.floor": ["compare, floor"],
    "plot.ranks": ["rank"],
    "plot.voice": ["voice"],
    "plot.style": ["style"],
}
FITTING = [(taker, name) for taker, names in MADE_FOR.items() for name in names]
# Of each table one result; as a table to read each is shown in test_display.py.
OTHERS = [*{call.table: name for name, call in reversed(CALLS.items())}.values(), "style"]
PICKY = [taker for taker in TAKERS if taker != "style_table"]
WITHOUT_ERRORS = [(taker, name) for taker, name in FITTING if name in calls("errors")]


def first_arm(result):
    """Return the rows of the first arm, as those of a rerun of the baseline."""
    if not isinstance(result, pd.DataFrame) or "arm" not in result or result.empty:
        return result
    return result[result["arm"] == result["arm"].iloc[0]]


def result_of(name):
    return clean(name) if name != "style" else ef.style(runs(), metrics="text_length")


pytestmark = pytest.mark.usefixtures("agg")


def shown(found, ticks=True):
    """Return what is there to read: text, cells, or the words and lines of a picture."""
    if isinstance(found, str):
        return found
    if isinstance(found, pd.DataFrame):
        return found.to_csv()
    if hasattr(found, "to_html"):
        return found.set_uuid("one").to_html()
    figure = np.ravel(found)[0].figure
    if ticks:
        figure.canvas.draw()
    words = [text.get_text() for text in figure.findobj(Text)]
    return words, [line.get_xydata().tolist() for ax in figure.axes for line in ax.lines]


def answer(taker, result):
    """Return what is shown of a result, or the words in which it is refused."""
    try:
        return shown(TAKERS[taker](result))
    except EvalFrameError as error:
        return str(error)


@pytest.mark.parametrize(("taker", "name"), FITTING)
def test_a_result_says_the_same_from_a_file_and_without_provenance(taker, name, tmp_path):
    result = result_of(name)
    before = result.copy()
    expected = shown(TAKERS[taker](result))
    assert_frame_equal(result, before)
    ef.write_parquet(result, tmp_path / "result.parquet")
    bare = result.set_axis(range(5, 5 + len(result)), axis=0)
    bare.attrs = {}
    for other in (ef.read_parquet(tmp_path / "result.parquet"), bare):
        # Rows of another index are told apart by it, where the index is what is returned.
        found = TAKERS[taker](other)
        found = found.reset_index(drop=True) if isinstance(found, pd.DataFrame) else found
        assert shown(found) == expected


@pytest.mark.parametrize("taker", PICKY)
@pytest.mark.parametrize("name", OTHERS)
def test_a_result_of_any_kind_without_rows_or_numbers_is_shown_or_refused_in_words(taker, name):
    result = result_of(name)
    unknown = result.copy()
    numbers = result.columns[result.dtypes == np.float64].drop("level", errors="ignore")
    unknown[numbers] = np.nan
    for one in (result, result.iloc[:0], unknown):
        # The report of no rows is empty.
        assert answer(taker, one) or (len(one) == 0 and taker == "format_report")


@pytest.mark.parametrize(("taker", "name"), WITHOUT_ERRORS)
def test_a_result_of_one_item_is_shown(taker, name):
    frame = runs(n_clusters=1)
    training = (frame["split"] == "train") & (name == "voice")
    result = CALLS[name].run(frame[(frame["item_id"] == 0) | training])
    assert result.select_dtypes("number").isna().any(axis=None)
    assert shown(TAKERS[taker](result))


@pytest.mark.parametrize("wrong", [None, 3, "text", [1], pd.Series([1.0])], ids=repr)
@pytest.mark.parametrize("taker", TAKERS)
def test_what_is_no_result_is_refused_by_its_type(taker, wrong):
    name = taker.split(".")[-1]
    with pytest.raises(
        TypeError, match=rf"wanted a (result|DataFrame).*({name}|{type(wrong).__name__})"
    ):
        TAKERS[taker](wrong)


@pytest.mark.parametrize("taker", TAKERS)
def test_a_frame_that_is_no_result_is_refused_with_a_call_that_makes_one(taker):
    with pytest.raises(EvalFrameError, match=r"evals\.|evalframe\."):
        TAKERS[taker](runs())


@pytest.mark.parametrize("row", SAME)
def test_the_picture_of_pairs_is_that_of_the_clean_frame(row):
    found = ef.plot.pairs(SAME[row](runs()), "base", arm="x", value="passed")
    expected = ef.plot.pairs(runs(), "base", arm="x", value="passed")
    assert isinstance(found, Axes)
    assert shown(found, ticks=False) == shown(expected, ticks=False)


@pytest.mark.parametrize("row", REFUSED)
def test_the_picture_of_pairs_refuses_what_compare_refuses(row):
    change, words = REFUSED[row]
    with pytest.raises(EvalFrameError, match=words):
        ef.plot.pairs(change(runs()), "base", arm="x", value="passed")
