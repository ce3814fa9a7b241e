"""Capitals, digits and other characters."""

import zlib
from itertools import pairwise

import numpy as np

from evalframe.text.arrays import Floats, Ints
from evalframe.text.characters import DIGIT, Kind
from evalframe.text.metric import Metric
from evalframe.text.punctuation import per_hundred
from evalframe.text.tokens import N_SYMBOLS, Tokens

_ZLIB_LEVEL = 6


def upper(tokens: Tokens) -> Floats:
    """Return the share of cased letters that are upper case."""
    # Every letter is in a word, so that letters can be counted by distinct words.
    cased = tokens.of_written(tokens.lexicon.cased)
    return tokens.of_written(tokens.lexicon.upper) / np.maximum(cased, 1)


def allcaps(tokens: Tokens) -> Floats:
    """Return the share of words in capitals."""
    return tokens.of_written(tokens.lexicon.allcaps) / tokens.n_words


def digit(tokens: Tokens) -> Floats:
    """Return the share of characters that are digits."""
    return tokens.symbol_counts[:, DIGIT] / tokens.n_characters


def non_ascii(tokens: Tokens) -> Floats:
    """Return the share of characters beyond ASCII."""
    beyond = np.searchsorted(tokens.characters.leads, tokens.prose.starts)
    return np.diff(beyond) / tokens.n_characters


def entropy_of(counts: Ints) -> Floats:
    """Return the entropy in bits of each row of counts.

    Examples
    --------
    >>> entropy_of(np.array([[2, 2, 0], [4, 0, 0]]))
    array([1., 0.])
    """
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    terms = np.where(counts > 0, share * np.log2(np.where(counts > 0, share, 1.0)), 0.0)
    return np.asarray(0.0 - terms.sum(axis=1))


def char_entropy_plain(tokens: Tokens) -> Floats:
    """Return the entropy of 29 symbols."""
    return entropy_of(tokens.symbol_counts)


def char_entropy(tokens: Tokens) -> Floats:
    """Return the entropy of 29 symbols with the correction of Miller and Madow."""
    seen = (tokens.symbol_counts > 0).sum(axis=1)
    correction = (seen - 1) / (2 * tokens.n_characters * np.log(2))
    return char_entropy_plain(tokens) + np.asarray(correction, dtype=np.float64)


def char_bigram_entropy(tokens: Tokens) -> Floats:
    """Return the entropy of a symbol given the one before it."""
    text, first, second = tokens.symbol_pairs()
    joint = entropy_of(_table(text, first * N_SYMBOLS + second, tokens.n_texts, N_SYMBOLS**2))
    return joint - entropy_of(_table(text, first, tokens.n_texts, N_SYMBOLS))


def _table(text: Ints, what: Ints, n_texts: int, size: int) -> Ints:
    counts = np.bincount(text * size + what, minlength=n_texts * size)
    return counts.reshape(n_texts, size)


def emoji(tokens: Tokens) -> Floats:
    """Return emoji per 100 words."""
    flags = tokens.of_kinds(Kind.FLAG_LETTER) / 2
    return per_hundred(tokens.of_kinds(Kind.EMOJI) + flags, tokens)


def capitalised(tokens: Tokens) -> Floats:
    """Return the share of words that begin in upper case."""
    return tokens.of_written(tokens.lexicon.capitalised) / tokens.n_words


def compression(tokens: Tokens) -> Floats:
    """Return the size of the compressed text as a share of its own."""
    # zlib takes one text at a time.
    data, starts = tokens.whole.data, tokens.whole.starts.tolist()
    sizes = [
        len(zlib.compress(data[start : end - 1], _ZLIB_LEVEL)) for start, end in pairwise(starts)
    ]
    return np.asarray(np.array(sizes) / (np.diff(tokens.whole.starts) - 1), dtype=np.float64)


METRICS = (
    Metric(
        "upper",
        upper,
        "upper-case letters / letters with case",
        "Abbasi & Chen 2008",
        "[0, 1]",
        "no letter with case: 0",
    ),
    Metric(
        "allcaps",
        allcaps,
        "share of words of 2 characters or more whose letters are all upper case",
        "Abbasi & Chen 2008",
        "[0, 1]",
    ),
    Metric("digit", digit, "digits / characters", "Abbasi & Chen 2008", "[0, 1)"),
    Metric("non_ascii", non_ascii, "characters beyond ASCII / characters", "-", "[0, 1]"),
    Metric(
        "char_entropy",
        char_entropy,
        "-sum p log2 p over 29 symbols (a-z, space, digit, other) + (K - 1) / (2 n ln 2), "
        "K symbols seen in n characters",
        "Shannon 1951; Miller 1955",
        "[0, inf)",
    ),
    Metric("emoji", emoji, "emoji per 100 words; a flag is one", "-", "[0, inf)", default=False),
    Metric(
        "capitalised",
        capitalised,
        "share of words that begin in upper case",
        "-",
        "[0, 1]",
        default=False,
    ),
    Metric(
        "char_entropy_plain",
        char_entropy_plain,
        "-sum p log2 p over 29 symbols",
        "Shannon 1951",
        "[0, log2 29]",
        default=False,
    ),
    Metric(
        "char_bigram_entropy",
        char_bigram_entropy,
        "entropy of pairs of neighbouring symbols - entropy of their first",
        "Shannon 1951",
        "[0, log2 29]",
        "1 character: 0",
        default=False,
    ),
    Metric(
        "compression",
        compression,
        "bytes compressed by zlib at level 6 / bytes in UTF-8, of the whole text",
        "Benedetto et al. 2002",
        "(0, inf)",
        default=False,
    ),
)
