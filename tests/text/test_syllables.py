"""Syllables against a pronouncing dictionary, on words that the rules were not tuned on."""

import json
import re
import unicodedata
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalframe.text import syllables as rules
from evalframe.text.syllables import count_syllables

HELD_OUT = json.loads((Path(__file__).parents[1] / "reference" / "syllables.json").read_text())


def count(words):
    return count_syllables(pa.array(words, type=pa.large_string()))


def test_97_of_100_words_of_real_text_are_right():
    words = HELD_OUT["words"]
    times = np.array([one[0] for one in words.values()])
    found = count(list(words)).tolist()
    right = [n in one[1:] for n, one in zip(found, words.values(), strict=True)]
    assert np.average(right, weights=times) > 0.97
    assert np.mean(right) > 0.95


def test_97_of_100_are_right_by_the_first_pronunciation_alone():
    words = HELD_OUT["words"]
    times = np.array([one[0] for one in words.values()])
    assert np.average(count(list(words)) == [o[1] for o in words.values()], weights=times) > 0.97


@pytest.mark.parametrize(
    ("word", "syllables"),
    [
        ("café", 2),
        ("naïve", 2),
        ("noël", 2),
        ("well-known", 2),
        ("snake_case", 2),
        ("mother-in-law", 4),
        ("http", 4),
        ("_", 1),
        ("привет", 1),
        ("我", 1),
    ],
)
def test_words_that_no_dictionary_lists(word, syllables):
    assert count([word]).tolist() == [syllables]


def test_a_word_counts_alike_in_any_company():
    words = ["time", "café", "well-known", "idea", "therefore"]
    assert count(words).tolist() == [int(count([word])[0]) for word in words]


def test_no_word_has_no_syllables():
    assert count([]).tolist() == []


def slowly(word):
    """Count the syllables of a word part by part, by the rules as they are written down."""
    total = 0
    for part in re.split("[-_]+", word):
        if not part:
            continue
        bare = part
        if not part.isascii():
            bare = "".join(rules._ACCENTS.get(ord(c), c) for c in part)
            marked = unicodedata.normalize("NFD", bare)
            bare = "".join(c for c in marked if not 0x300 <= ord(c) < 0x370)
        if bare in rules._EXCEPTIONS:
            total += rules._EXCEPTIONS[bare]
            continue
        if re.search(rules._SPELLED, bare):
            total += len(bare)
            continue
        found = len(re.findall(rules._VOWELS, bare)) - len(re.findall(rules._SILENT_END, bare))
        found += len(re.findall(rules._TWO, bare)) + bool(re.search(rules._TWO_FIRST, bare))
        inside = len(re.findall(rules._SILENT_INSIDE, bare))
        found -= max(inside, bool(re.search(rules._SILENT_SEAM, bare)))
        total += max(found, 1)
    return max(total, 1)


# Pieces that the rules look for, and letters of any script.
SPELT = """
a e i o u y ae ie ea io ia tion ment ely some every fire e's es ed 're ically n't 'll re pre co mc
th b c d g l n r s t v x z w qu gu é ï ü ß я 我 h - _ -- people area hmm dr
"""


@given(
    st.lists(
        st.one_of(
            st.lists(st.sampled_from(SPELT.split()), min_size=1, max_size=7).map("".join),
            st.text(st.characters(categories=["Ll", "Lo", "Mn"]), min_size=1, max_size=6),
        ),
        max_size=8,
    )
)
def test_many_words_at_once_are_each_word_by_the_rules(words):
    assert count(words).tolist() == [slowly(word) for word in words]
