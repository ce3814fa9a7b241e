"""Measures of vocabulary against lexicalrichness, on the same words."""

import json
import math
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

from evalframe.text.extraction import extract

CASES = json.loads((Path(__file__).parents[1] / "reference" / "lexical.json").read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_lexicalrichness(case):
    names = list(case["values"])
    found = extract([case["words"]], names)[0]
    # Its hypergeometric probabilities come from logarithms of factorials.
    assert_allclose(found, list(case["values"].values()), rtol=1e-9)


def test_short_texts_have_their_limits():
    names = [f"vocabulary.{name}" for name in ("mattr50", "mtld", "hdd42", "yule_k", "sichel_s")]
    assert extract(["one"], names)[0].tolist() == [1.0, 1.0, 1.0, 0.0, 0.0]
    assert extract(["one two three"], names)[0].tolist() == [1.0, 3.0, 1.0, 0.0, 0.0]


def test_mtld_is_the_mean_of_ratios():
    # Forwards a a | a a | b: factors 2 and an unfinished one of share 0, so 5 / 2; backwards
    # b a a is a factor at 2/3, a a another: 5 / 2.
    assert extract(["a a a a b"], ["vocabulary.mtld"])[0, 0] == 2.5


def test_honore_has_no_value_where_every_word_is_new():
    assert math.isnan(extract(["one two three"], ["vocabulary.honore_r"])[0, 0])


def test_a_long_text_keeps_its_digits():
    words = " ".join(["a b c d e f g h"] * 100_000)
    names = ["vocabulary.hdd42", "vocabulary.mattr50", "vocabulary.yule_k"]
    n = 800_000
    absent = math.comb(n - n // 8, 42) / math.comb(n, 42)
    expected = [8 * (1 - absent) / 42, 8 / 50, 1e4 * (8 * (n / 8) ** 2 - n) / n**2]
    assert_allclose(extract([words], names)[0], expected, rtol=1e-12)
