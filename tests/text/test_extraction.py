"""The metrics of many texts against their plain definitions, one text at a time."""

import json
import random
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.text import extraction
from evalframe.text.catalogue import DEFAULT, METRICS
from evalframe.text.extraction import extract
from evalframe.text.syllables import count_syllables

ROOT = Path(__file__).parents[2]
NAMES = list(METRICS)
STYLE = json.loads((ROOT / "tests" / "reference" / "style.json").read_text())["texts"]
SHORT = [
    None,
    "",
    "   ",
    "#",
    "ok",
    "I",
    "\n\n\n",
    "🙂🙂",
    "我",
    "3.14",
    "\0",
    "a\0",
    "?",
    "```\nx\n```",
]

# Pieces that a word, sentence, line or number may break on, of all scripts and line kinds.
WORDS = """
the The a I he She Dr Mr etc U.S p.m e.g Ph.D ph.d J K. x.y A.B It's this and but vs don't Don’t
can't well-known o'clock rock-n-roll 1990s snake_case _ naïve ÉCOLE ß İ nation happiness movements
perhaps very oh however USA NATO-led O'B No i we'd 'tis
. . .. ... ! ? ?! … 。 ！ ？ ' ’ - -- — – "
” “ ) ( ] » 「 」 ， ； ： （ ` ** *** ~ $ % 3 3.14 1. 12) ٣ ๑๒ ² ½ № 我 喜欢 ラーメン
ก็ ไทย ພາ មក မြ
々 ー 〇 ΟΔΟΣ ǅ ª Ⅷ ﬁ 𝐀 𠀀 🙂 👍🏽 🇫🇷 ❤️ https://ex.com/a.b www.x.org me@site.co.uk a@b ://
"""
PIECES = (
    *WORDS.split(),
    *(" ", "  ", "\n", "\n\n", "\n \n", "\t", "\r\n", "\r", "\x0b", "\x1c", "\xa0", "\u3000"),
    *(
        "- ",
        "* ",
        "# ",
        "####### ",
        "> ",
        "| a | b |",
        "```",
        "\n```py\nx = 1\n```\n",
        "~~~\nq\n~~~",
    ),
    *("nai\u0308ve", "\u0301", "か\u3099", "\u200d", "\ufe0f", "\0", "\U0010ffff", "\u2028"),
)


def authors():
    return pd.read_parquet(ROOT / "data" / "authors.parquet")["output"].tolist()


def generated(seed, n):
    """Return texts of pieces: of all of them or of a few, with and without spaces."""
    rng = random.Random(seed)
    texts = []
    for _ in range(n):
        pool = PIECES if rng.random() < 0.5 else rng.sample(PIECES, rng.randint(2, 40))
        parts = rng.choices(pool, k=rng.choice([0, 1, 2, 3, 5, 10, 30, 80]))
        texts.append(rng.choice(["", " ", " "]).join(parts))
    return texts


@cache
def syllables(word):
    return int(count_syllables(pa.array([word], type=pa.large_string()))[0])


def check(texts, plain):
    found = extract(texts, NAMES)
    known = [plain.measure(text, syllables) or {} for text in texts]
    expected = np.array([[one.get(name, np.nan) for name in NAMES] for one in known])
    expected = expected.reshape(found.shape)
    wrong = ~np.isclose(found, expected, rtol=1e-9, atol=1e-9, equal_nan=True)
    where = np.argwhere(wrong)
    assert not len(where), [
        (NAMES[m], texts[t], found[t, m], expected[t, m]) for t, m in where[:3].tolist()
    ]


@pytest.mark.parametrize("case", STYLE, ids=range(len(STYLE)))
def test_values_of_another_transcription(case):
    names = list(case["values"])
    expected = np.array([np.nan if v is None else v for v in case["values"].values()], dtype=float)
    assert_allclose(extract([case["text"]], names)[0], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_plain_definitions_on_generated_texts(seed, plain):
    check(generated(seed, 1_000) + SHORT, plain)


def test_the_plain_definitions_on_real_texts(plain):
    check(authors()[::8], plain)


@given(st.lists(st.one_of(st.none(), st.text(), st.lists(st.sampled_from(PIECES)).map("".join))))
def test_the_plain_definitions_on_any_texts(plain, texts):
    check(texts, plain)


def test_defaults_are_finite_for_every_text_with_a_word(plain):
    texts = [text for text in generated(9, 500) + authors()[::9] if plain.Parsed(text).words]
    assert np.isfinite(extract(texts, DEFAULT)).all()


def test_a_text_without_a_word_has_length_0_and_nothing_else():
    for text in ("", "   ", "#", "🙂", "3.14"):
        for name, value in zip(NAMES, extract([text], NAMES)[0], strict=True):
            assert value == 0 if name.startswith("text_length") else np.isnan(value)


def test_a_missing_text_has_nothing():
    assert np.isnan(extract([None], NAMES)).all()


def test_numbers_depend_on_the_text_alone(monkeypatch):
    texts = generated(5, 300) + authors()[::40]
    whole = extract(texts, NAMES)
    order = np.random.default_rng(0).permutation(len(texts))
    assert_array_equal(extract([texts[i] for i in order], NAMES), whole[order])
    monkeypatch.setattr(extraction, "CHUNK", 3_000)
    assert_array_equal(extract(texts, NAMES, threads=1), whole)
    assert_array_equal(extract(texts, NAMES, threads=3), whole)
    alone = [extract([text], NAMES)[0] for text in texts[:60]]
    assert_array_equal(np.array(alone), whole[:60])


def test_one_metric_alone_is_the_same_number():
    texts = authors()[::200]
    whole = extract(texts, NAMES)
    for column, name in enumerate(NAMES):
        assert_array_equal(extract(texts, [name])[:, 0], whole[:, column])


def test_arrow_arrays_of_every_kind_give_the_same_numbers():
    texts = ["One two. Three!", None, "", "naïve", "One two. Three!"]
    expected = extract(texts, NAMES)
    array = pa.array(texts)
    kinds = [
        array,
        array.cast(pa.large_string()),
        array.dictionary_encode(),
        pa.chunked_array([texts[:2], texts[2:]], type=pa.string()),
        pa.chunked_array([], type=pa.string()),
        pa.array(["other", *texts]).slice(1),
    ]
    for kind in kinds:
        found = extract(kind, NAMES)
        assert_array_equal(found, expected[: len(kind)])


def test_no_texts_give_no_rows():
    assert extract([], NAMES).shape == (0, len(NAMES))


def test_progress_counts_every_text(monkeypatch):
    monkeypatch.setattr(extraction, "CHUNK", 100)
    done = []
    extract(["some words here"] * 50, DEFAULT, progress=done.append)
    assert sum(done) == 50
    assert len(done) > 5


def test_a_megabyte_of_one_text_is_read(plain):
    text = " ".join(authors()[:1000])[: 1 << 20]
    found = extract([text, "x" * (1 << 20), "? " * (1 << 19)], ["text_length.log_words"])
    words = plain.word_spans(plain.prose_of(plain.clean(text)))
    assert found[:, 0].tolist() == [np.log1p(len(words)), np.log(2), 0.0]
