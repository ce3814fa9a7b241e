"""Punctuation per 100 words."""

from collections.abc import Callable
from functools import partial

import numpy as np

from evalframe.text.arrays import Floats, Ints, in_a_row
from evalframe.text.characters import Kind
from evalframe.text.metric import Metric
from evalframe.text.tokens import Tokens

_SPACE = ord(" ")
# Two hyphens are a dash, three periods an ellipsis.
_DASH, _ELLIPSIS = 2, 3


def per_hundred(count: Ints | Floats, tokens: Tokens) -> Floats:
    """Return counts per 100 words."""
    return np.asarray(100 * count / tokens.n_words)


def _of_kinds(tokens: Tokens, kinds: tuple[Kind, ...]) -> Floats:
    return per_hundred(tokens.of_kinds(*kinds), tokens)


def _kinds(*kinds: Kind) -> Callable[[Tokens], Floats]:
    return partial(_of_kinds, kinds=kinds)


def _count(tokens: Tokens, positions: Ints) -> Ints:
    """Return how many increasing positions lie in each text."""
    return np.diff(np.searchsorted(positions, tokens.prose.starts))


def dash(tokens: Tokens) -> Floats:
    """Return em and en dashes, runs of hyphens and single hyphens between spaces."""
    hyphens = tokens.marks.at[tokens.marks.kind == Kind.HYPHEN]
    data = tokens.prose.bytes
    spaced = hyphens[(data[hyphens - 1] == _SPACE) & (data[hyphens + 1] == _SPACE)]
    counts = tokens.of_kinds(Kind.DASH) + _count(tokens, spaced)
    return per_hundred(counts + _count(tokens, in_a_row(hyphens, _DASH)), tokens)


def quote(tokens: Tokens) -> Floats:
    """Return half the double quotation marks."""
    return per_hundred(tokens.of_kinds(Kind.QUOTE) / 2, tokens)


def hyphen(tokens: Tokens) -> Floats:
    """Return the hyphens inside words."""
    return per_hundred(tokens.of_words(tokens.lexicon.hyphens), tokens)


def ellipsis(tokens: Tokens) -> Floats:
    """Return runs of periods and ellipsis characters."""
    periods = tokens.marks.at[tokens.marks.kind == Kind.PERIOD]
    counts = tokens.of_kinds(Kind.ELLIPSIS) + _count(tokens, in_a_row(periods, _ELLIPSIS))
    return per_hundred(counts, tokens)


def _metric(name: str, compute: Callable[[Tokens], Floats], what: str) -> Metric:
    source = "Grieve 2007; Abbasi & Chen 2008; Darmon et al. 2021"
    return Metric(name, compute, f"{what} per 100 words", source, "[0, inf)")


METRICS = (
    _metric("comma", _kinds(Kind.COMMA), ", and its full-width and ideographic forms"),
    _metric("semicolon", _kinds(Kind.SEMICOLON), "; and its full-width form"),
    _metric("colon", _kinds(Kind.COLON), ": and its full-width form"),
    _metric("question", _kinds(Kind.QUESTION, Kind.FULL_QUESTION), "? and its full-width form"),
    _metric(
        "exclamation", _kinds(Kind.EXCLAMATION, Kind.FULL_EXCLAMATION), "! and its full-width form"
    ),
    _metric(
        "dash",
        dash,
        "em and en dashes, runs of 2 hyphens or more and single hyphens between spaces",
    ),
    _metric("parenthesis", _kinds(Kind.PARENTHESIS), "( and its full-width form"),
    _metric("quote", quote, "double quotation marks of all kinds / 2,"),
    _metric("hyphen", hyphen, "hyphens inside words"),
    _metric("ellipsis", ellipsis, "runs of 3 periods or more and ellipsis characters"),
)
