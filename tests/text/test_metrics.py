"""Metrics of texts that can be counted by hand, and what the catalogue says of each."""

import math

import pytest

from evalframe.text.catalogue import DEFAULT, GROUPS, METRICS
from evalframe.text.extraction import extract


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("text_length.log_words", "one two", math.log(3)),
        ("text_length.log_sentences", "One. Two.", math.log(3)),
        ("text_length.log_paragraphs", "One.\n\nTwo.\n\n\nThree.", math.log(4)),
        ("word_length.mean", "a bbb", 2.0),
        ("word_length.mean", "o'clock rock-n-roll", 7.5),
        ("word_length.sd", "a bbb", 1.0),
        ("word_length.short", "a bbb cccc", 2 / 3),
        ("word_length.long", "aaaaaaa bbbbbb", 0.5),
        ("word_length.polysyllables", "idea dog", 0.5),
        ("sentence_rhythm.cv", "One two. Three.", math.sqrt(0.5) / 1.5),
        ("sentence_rhythm.cv", "Only one.", 0.0),
        ("sentence_rhythm.successive", "One two. Three. Four five six.", 1.5 / 2),
        ("sentence_rhythm.clause", "one, two; three — four", 4 / 3),
        ("function_words.articles", "the cat and a dog", 0.4),
        ("function_words.negation", "I can't and won't", 0.5),
        ("pronouns.it", "It's it itself", 1.0),
        ("pronouns.second", "Thou and you’ll", 2 / 3),
        ("register.contractions", "that's John's don't we'd", 0.75),
        ("register.nominalisations", "movements nation city happiness", 0.5),
        ("punctuation.comma", "a, b，c、d", 75.0),
        ("punctuation.dash", "a - b -- c — d – e well-known", 400 / 6),
        ("punctuation.hyphen", "rock-n-roll - -x", 100.0),
        ("punctuation.quote", '“a” "b" «c»', 100.0),
        ("punctuation.ellipsis", "a... b.. c… d....", 75.0),
        ("punctuation.parenthesis", "(a) （b）", 100.0),
        ("orthography.upper", "Ab C d", 0.5),
        ("orthography.upper", "我", 0.0),
        ("orthography.allcaps", "NATO A B2 I'm", 0.5),
        ("orthography.digit", "ab12", 0.5),
        ("orthography.non_ascii", "é—ab", 0.5),
        ("orthography.emoji", "ok 🙂 👍🏽 🇫🇷", 300.0),
        ("orthography.capitalised", "Ab cD", 0.5),
        ("repetition.bigram50", "a b a b a", 2 / 4),
        ("repetition.opener", "He ran. He sat. She ran.", 0.5),
        ("repetition.overlap", "Cats sleep. Cats eat. Dogs bark.", (1 / 3) / 2),
        ("repetition.distinct_openers", "He ran. He sat. She ran.", 2 / 3),
        ("repetition.top10", " ".join("abcdefghijkl"), 10 / 12),
        ("layout.newline", "a\nb\n\nc", 100.0),
        ("layout.list", "- a\n  * b\n1. c\n2) d\n-e", 80.0),
        ("layout.heading", "# a\n###### b\n####### c\n#d", 50.0),
        ("layout.bold", "**a** b", 50.0),
        ("layout.code", "`a` b", 50.0),
        ("layout.paragraph", "a b\n\nc d", math.log(3)),
        ("openings.question", 'Why? Because. "Really?" She said so.', 0.5),
        ("openings.pronoun", "She ran. That was. Cats ran.", 2 / 3),
        ("openings.connective", "However, no. Yes.", 0.5),
        ("readability.lix", "aaaaaaa b. C d.", 2 + 25.0),
    ],
)
def test_by_hand(name, text, value):
    assert extract([text], [name])[0, 0] == pytest.approx(value, abs=1e-12)


def test_layout_counts_the_whole_text_and_punctuation_the_prose():
    text = "Look, here:\n\n```\na, b\n# c\n```\n\nhttps://x.org/a,b`c`"
    names = ["layout.newline", "layout.heading", "layout.code", "punctuation.comma"]
    assert extract([text], names)[0].tolist() == [350.0, 50.0, 200.0, 50.0]


def test_69_defaults_in_12_groups_and_25_more():
    assert len(DEFAULT) == 69
    assert len({name.partition(".")[0] for name in DEFAULT}) == 12
    assert len(METRICS) == 94
    assert len(GROUPS) == 13


@pytest.mark.parametrize("name", METRICS)
def test_each_metric_says_what_it_is(name):
    metric = METRICS[name]
    assert metric.formula
    assert metric.source
    assert metric.short_texts
    assert metric.language in ("neutral", "English")
    assert metric.bounds[0] in "[("
