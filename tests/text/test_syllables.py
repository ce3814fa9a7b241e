"""Syllables against a pronouncing dictionary, on words that the rules were not tuned on."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

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
