"""What a word is."""

import unicodedata

import pyarrow as pa
import pytest

from evalframe.text.tokens import Tokens


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("don't", ["don't"]),
        ("don’t", ["don't"]),
        ("well-known", ["well-known"]),
        ("o'clock", ["o'clock"]),
        ("1990s", ["1990s"]),
        ("snake_case", ["snake_case"]),
        ("naïve", ["naïve"]),
        (unicodedata.normalize("NFD", "naïve"), ["naïve"]),
        ("Yes—no", ["yes", "no"]),
        ("3.14", []),
        ("2024 100,000 ½ ² 1-2", []),
        ("我喜欢自然语言", list("我喜欢自然语言")),
        ("ラーメン", list("ラーメン")),
        ("ภาษา", list("ภาษา")),
        ("ก็ ดี", ["ก็", "ด\u0e35"]),
        ("ພາສາ မြန်", ["ພ", "າ", "ສ", "າ", "မြ", "န်"]),
        ("iPhone手机 第3章", ["iphone", "手", "机", "第", "章"]),
        ("rock-n-roll's 'tis dogs' -x- a--b", ["rock-n-roll's", "tis", "dogs", "x", "a", "b"]),
        ("_ __init__ _1", ["__init__"]),
        ("Straße İ ΟΔΟΣ", ["straße", "i̇", "οδος"]),
        ("e.g. U.S.A", ["e", "g", "u", "s", "a"]),
        ("", []),
        ("   ", []),
        ("#", []),
        ("🙂 👍🏽 🇫🇷 ❤️", []),
        ("a\0b\0", ["a", "b"]),
    ],
)
def test_words(text, words, read):
    assert read(text).words == words


def test_both_normal_forms_and_both_apostrophes_are_the_same_words(read):
    text = "She can’t naïvely say “d’être” in a café."
    assert read(unicodedata.normalize("NFD", text)).words == read(text).words
    assert read(text.replace("’", "'")).words == read(text).words


def test_words_do_not_run_on_between_texts():
    tokens = Tokens(pa.array(["a", "", "b-", "'c", "我", "d"], type=pa.large_string()))
    assert tokens.words.offsets.tolist() == [0, 1, 1, 2, 3, 4, 5]
