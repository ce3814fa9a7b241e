"""Readability formulas, which say again how long sentences and words are: none is a default."""

from collections.abc import Callable

from evalframe.text import sentence_rhythm, word_length
from evalframe.text.arrays import Floats
from evalframe.text.metric import ENGLISH, NEUTRAL, Metric
from evalframe.text.tokens import Tokens


def flesch(tokens: Tokens) -> Floats:
    """Return Flesch's reading ease."""
    return 206.835 - 1.015 * sentence_rhythm.mean(tokens) - 84.6 * word_length.syllables(tokens)


def kincaid(tokens: Tokens) -> Floats:
    """Return the grade of Flesch and Kincaid."""
    return 0.39 * sentence_rhythm.mean(tokens) + 11.8 * word_length.syllables(tokens) - 15.59


def fog(tokens: Tokens) -> Floats:
    """Return Gunning's fog index, proper nouns not excepted."""
    return 0.4 * (sentence_rhythm.mean(tokens) + 100 * word_length.polysyllables(tokens))


def coleman_liau(tokens: Tokens) -> Floats:
    """Return the index of Coleman and Liau."""
    return 5.88 * word_length.mean(tokens) - 29.6 / sentence_rhythm.mean(tokens) - 15.8


def ari(tokens: Tokens) -> Floats:
    """Return the automated readability index."""
    return 4.71 * word_length.mean(tokens) + 0.5 * sentence_rhythm.mean(tokens) - 21.43


def lix(tokens: Tokens) -> Floats:
    """Return Bjornsson's LIX."""
    return sentence_rhythm.mean(tokens) + 100 * word_length.long(tokens)


def _metric(
    name: str,
    compute: Callable[[Tokens], Floats],
    formula: str,
    source: str,
    bounds: str = "(-inf, inf)",
    language: str = NEUTRAL,
) -> Metric:
    return Metric(name, compute, formula, source, bounds, default=False, language=language)


METRICS = (
    _metric(
        "flesch",
        flesch,
        "206.835 - 1.015 N/S - 84.6 syllables/N",
        "Flesch 1948",
        "(-inf, 121.22]",
        ENGLISH,
    ),
    _metric(
        "kincaid",
        kincaid,
        ".39 N/S + 11.8 syllables/N - 15.59",
        "Kincaid et al. 1975",
        "[-3.4, inf)",
        ENGLISH,
    ),
    _metric(
        "fog",
        fog,
        ".4 (N/S + 100 share of words with 3 syllables or more)",
        "Gunning 1952",
        "[0.4, inf)",
        ENGLISH,
    ),
    _metric("coleman_liau", coleman_liau, "5.88 mean l - 29.6 S/N - 15.8", "Coleman & Liau 1975"),
    _metric("ari", ari, "4.71 mean l + .5 N/S - 21.43", "Smith & Senter 1967"),
    _metric("lix", lix, "N/S + 100 share of words with l >= 7", "Bjornsson 1968", "[1, inf)"),
)
