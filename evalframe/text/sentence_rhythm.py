"""How long sentences are, and how their lengths follow each other."""

import numpy as np

from evalframe.text.arrays import Bools, Floats
from evalframe.text.characters import Kind
from evalframe.text.metric import Metric
from evalframe.text.tokens import Tokens

SHORT, LONG = 6, 25


def mean(tokens: Tokens) -> Floats:
    """Return the mean words of a sentence."""
    return tokens.n_words / tokens.n_sentences


def cv(tokens: Tokens) -> Floats:
    """Return the coefficient of variation of the words of sentences."""
    s, n = tokens.n_sentences, tokens.n_words
    # Whole numbers up to the division, so that equal lengths give exactly 0.
    spread = s * tokens.of_sentences(tokens.sentences.size**2) - n**2
    deviation = np.sqrt(np.maximum(spread, 0.0) / (s * (s - 1)))
    return np.where(s > 1, deviation * s / n, 0.0)


def neighbours(tokens: Tokens) -> Bools:
    """Say for all sentences but the last whether the next is of the same text."""
    inside = np.ones(max(len(tokens.sentences.first) - 1, 0), dtype=np.bool_)
    ends = tokens.sentences.offsets[1:-1] - 1
    inside[ends[(ends >= 0) & (ends < len(inside))]] = False
    return inside


def successive(tokens: Tokens) -> Floats:
    """Return the mean difference of neighbouring sentences, as a share of the mean length."""
    s = tokens.n_sentences
    difference = np.zeros(len(tokens.sentences.size), dtype=np.int64)
    difference[:-1] = np.abs(np.diff(tokens.sentences.size)) * neighbours(tokens)
    step = tokens.of_sentences(difference) / (s - 1)
    return np.where(s > 1, step * s / tokens.n_words, 0.0)


def short(tokens: Tokens) -> Floats:
    """Return the share of sentences of at most 6 words."""
    return tokens.of_sentences(tokens.sentences.size <= SHORT) / tokens.n_sentences


def long(tokens: Tokens) -> Floats:
    """Return the share of sentences of at least 25 words."""
    return tokens.of_sentences(tokens.sentences.size >= LONG) / tokens.n_sentences


def clause(tokens: Tokens) -> Floats:
    """Return the words between marks that part clauses."""
    marks = tokens.of_kinds(
        Kind.COMMA,
        Kind.SEMICOLON,
        Kind.COLON,
        Kind.PERIOD,
        Kind.EXCLAMATION,
        Kind.QUESTION,
        Kind.DASH,
        Kind.ELLIPSIS,
        Kind.FULL_STOP,
        Kind.FULL_QUESTION,
        Kind.FULL_EXCLAMATION,
    )
    return tokens.n_words / np.maximum(1, marks)


METRICS = (
    Metric("mean", mean, "N / S", "Yule 1939", "[1, inf)"),
    Metric(
        "cv",
        cv,
        "standard deviation (ddof=1) of the words of a sentence / their mean",
        "Goh & Barabasi 2008",
        "[0, inf)",
        "S=1: 0",
    ),
    Metric(
        "successive",
        successive,
        "mean |n_k - n_(k+1)| of neighbouring sentences / mean n",
        "von Neumann 1941",
        "[0, inf)",
        "S=1: 0",
    ),
    Metric("short", short, "share of sentences of 6 words or fewer", "-", "[0, 1]"),
    Metric("long", long, "share of sentences of 25 words or more", "-", "[0, 1]"),
    Metric(
        "clause",
        clause,
        "N / max(1, count of , ; : . ! ?, em and en dashes, ellipsis characters)",
        "Grieve 2007",
        "(0, inf)",
    ),
)
