"""How long words are."""

import numpy as np

from evalframe.text.arrays import Floats
from evalframe.text.metric import ENGLISH, Metric
from evalframe.text.tokens import Tokens

SHORT, LONG, POLYSYLLABLE = 3, 7, 3


def mean(tokens: Tokens) -> Floats:
    """Return the mean length of words."""
    return tokens.of_words(tokens.lexicon.length) / tokens.n_words


def sd(tokens: Tokens) -> Floats:
    """Return the population standard deviation of the length of words."""
    n = tokens.n_words
    length = tokens.lexicon.length
    total = tokens.of_words(length)
    # Whole numbers up to the division, so that equal lengths give exactly 0.
    spread = n * tokens.of_words(length**2) - total.astype(np.float64) ** 2
    return np.sqrt(np.maximum(spread, 0.0)) / n


def short(tokens: Tokens) -> Floats:
    """Return the share of words of at most 3 letters."""
    return tokens.of_words(tokens.lexicon.length <= SHORT) / tokens.n_words


def long(tokens: Tokens) -> Floats:
    """Return the share of words of at least 7 letters."""
    return tokens.of_words(tokens.lexicon.length >= LONG) / tokens.n_words


def syllables(tokens: Tokens) -> Floats:
    """Return the mean syllables of a word."""
    return tokens.of_words(tokens.lexicon.syllables) / tokens.n_words


def polysyllables(tokens: Tokens) -> Floats:
    """Return the share of words of at least 3 syllables."""
    return tokens.of_words(tokens.lexicon.syllables >= POLYSYLLABLE) / tokens.n_words


METRICS = (
    Metric("mean", mean, "mean of l", "Mendenhall 1887", "[1, inf)"),
    Metric("sd", sd, "population standard deviation of l", "Mendenhall 1887", "[0, inf)", "N=1: 0"),
    Metric("short", short, "share of words with l <= 3", "Abbasi & Chen 2008", "[0, 1]"),
    Metric("long", long, "share of words with l >= 7", "Bjornsson 1968", "[0, 1]"),
    Metric(
        "syllables",
        syllables,
        "mean syllables of a word",
        "Flesch 1948",
        "[1, inf)",
        language=ENGLISH,
    ),
    Metric(
        "polysyllables",
        polysyllables,
        "share of words with 3 syllables or more",
        "McLaughlin 1969; Gunning 1952",
        "[0, 1]",
        language=ENGLISH,
    ),
)
