"""Texts that are odd, to every method that reads texts: "" is an output, None is missing.

Without a word a text has its length, 0, and its layout; what has no value is NaN, and drops its
pair for that metric alone.
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from every_method import clean, runs
from pandas.testing import assert_frame_equal

import evalframe as ef

WORDLESS = {
    "empty": "",
    "blank": "   ",
    "hash": "#",
    "emoji": "\U0001f600\U0001f44d",
    "dots": "...\n",
}
TEXTS = {
    **WORDLESS,
    "one word": "Yes",
    "CJK": "我喜欢猫。它在跑!",
    "a megabyte": "the cat saw rain. " * 60_000,
    "NUL": "a\0b was\0",
    "no break": "x" * 10_000,
    "only code": "```\nx = 1\n```",
}
ALL = ef.metrics()
EVERY = (ALL["group"] + "." + ALL["metric"]).tolist()
STORED = {
    "object": lambda texts: pd.Series(texts, dtype=object),
    "str": lambda texts: pd.Series(texts, dtype="str"),
    "string": lambda texts: pd.Series(texts, dtype="string[python]"),
    "arrow": lambda texts: pd.Series(texts, dtype="string[pyarrow]"),
    "large": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.large_string())),
    "category": lambda texts: pd.Series(texts).astype("category"),
}
# All metrics of a megabyte are those of plain definitions: text/test_extraction.py.
SHORT = [name for name in TEXTS if name != "a megabyte"]
ODD = [TEXTS[name] for name in SHORT]


def style(texts):
    return ef.style(pd.DataFrame({"output": texts}), metrics=EVERY)


@pytest.mark.parametrize("name", SHORT)
def test_every_metric_is_a_finite_number_or_nan(name):
    values = style([TEXTS[name]]).to_numpy()
    assert not np.isinf(values).any()
    assert not np.isnan(values).all()


@pytest.mark.parametrize("name", WORDLESS)
def test_without_a_word_the_length_is_0_and_what_counts_words_is_unknown(name):
    row = style([WORDLESS[name]]).iloc[0]
    assert row["text_length.log_words"] == 0
    assert np.isnan(row["word_length.mean"])
    assert np.isnan(row["sentence_rhythm.mean"])


@pytest.mark.parametrize("name", SHORT)
def test_a_text_has_among_others_what_it_has_alone(name):
    together = style(["We saw rain.", TEXTS[name], None, "It was, on the moon!"])
    assert_frame_equal(together.iloc[[1]].reset_index(drop=True), style([TEXTS[name]]))
    assert together.iloc[2].isna().all()


@pytest.mark.parametrize("kind", STORED)
def test_how_texts_are_stored_does_not_matter(kind):
    texts = [*ODD, None]
    assert_frame_equal(style(STORED[kind](texts)), style(texts), check_exact=True)


# Rows of the runs that are a completion, the author's answer to it, and a training text of his.
PLACES = {"completion": 2, "reference": 0, "training": 1}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", TEXTS)
def test_voice_takes_it_and_says_what_it_does_not_know(name, place):
    frame = runs().astype({"output": object})
    frame.loc[PLACES[place], "output"] = TEXTS[name]
    result = ef.voice(frame, "base", metrics=["text_length", "word_length"], n_calibration=20)
    scores = result[result["scope"] == "overall"]
    assert scores["n_items"].eq(4).all()
    assert scores["n_dropped"].eq(0).all()
    assert scores["n_train"].eq(20).all()
    assert (result.loc[result["tail"].isna(), "note"] != "").all()
    length = result[result["metric"] == "text_length.log_words"]
    assert length["n_items"].eq(4).all()


@pytest.mark.parametrize("place", PLACES)
def test_a_missing_text_leaves_its_pair_out_and_is_counted(place):
    frame = runs().astype({"output": object})
    frame.loc[PLACES[place], "output"] = None
    result = ef.voice(frame, "base", metrics="text_length", n_calibration=20)
    scores = result[result["scope"] == "overall"].set_index("arm")
    assert scores["n_dropped"].tolist() == {"completion": [1, 0], "reference": [2, 2]}.get(
        place, [0, 0]
    )
    assert scores["n_train"].tolist() == [19 if place == "training" else 20] * 2


def test_texts_without_a_word_alone_have_no_score_and_say_so():
    frame = runs().assign(output=lambda f: [list(WORDLESS.values())[i % 5] for i in range(len(f))])
    result = ef.voice(frame, "base", metrics=["word_length", "vocabulary"], n_calibration=20)
    assert result["tail"].isna().all()
    assert (result["note"] != "").all()


@pytest.mark.parametrize("kind", STORED)
def test_voice_does_not_depend_on_how_texts_are_stored(kind):
    frame = runs().assign(output=lambda f: STORED[kind](f["output"].tolist()))
    found = ef.voice(frame, "base", metrics=["text_length", "word_length"], n_calibration=40)
    assert_frame_equal(found, clean("voice"), check_exact=True)


def test_methods_that_read_no_text_take_any():
    frame = runs().assign(output=lambda f: [*(ODD * 9)[: len(f) - 1], None])
    assert ef.tidy(frame)["output"].tolist() == frame["output"].tolist()
    assert_frame_equal(ef.check(frame), ef.check(runs()))
