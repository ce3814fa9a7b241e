"""How the page looks: counted in the whole text, code blocks and addresses included."""

from collections.abc import Callable

import numpy as np

from evalframe.text.arrays import Floats, Ints, runs, segment_sums
from evalframe.text.metric import Metric
from evalframe.text.punctuation import per_hundred
from evalframe.text.tokens import Tokens

_STAR, _TICK = ord("*"), ord("`")


def _count(tokens: Tokens, positions: Ints) -> Ints:
    """Return how many increasing positions lie in each text."""
    return np.diff(np.searchsorted(positions, tokens.whole.starts))


def paragraph(tokens: Tokens) -> Floats:
    """Return the logarithm of one more than the words of a paragraph."""
    return np.log1p(tokens.n_words / tokens.n_paragraphs)


def newline(tokens: Tokens) -> Floats:
    """Return line ends."""
    return per_hundred(_count(tokens, tokens.lines.newline), tokens)


def list_(tokens: Tokens) -> Floats:
    """Return lines that begin an item of a list."""
    return per_hundred(_count(tokens, tokens.lines.start[tokens.lines.item]), tokens)


def heading(tokens: Tokens) -> Floats:
    """Return lines that are headings."""
    return per_hundred(_count(tokens, tokens.lines.start[tokens.lines.heading]), tokens)


def bold(tokens: Tokens) -> Floats:
    """Return half the double asterisks."""
    first, length = runs(np.flatnonzero(tokens.whole.bytes == _STAR))
    doubles = segment_sums(length // 2, np.searchsorted(first, tokens.whole.starts))
    return per_hundred(doubles / 2, tokens)


def code(tokens: Tokens) -> Floats:
    """Return half the backticks."""
    return per_hundred(_count(tokens, np.flatnonzero(tokens.whole.bytes == _TICK)) / 2, tokens)


def _metric(name: str, compute: Callable[[Tokens], Floats], what: str, source: str = "-") -> Metric:
    return Metric(name, compute, f"{what} per 100 words", source, "[0, inf)")


METRICS = (
    Metric("paragraph", paragraph, "ln(1 + N / P)", "-", "(0, inf)"),
    _metric("newline", newline, "line ends", "Abbasi & Chen 2008"),
    _metric("list", list_, "lines that begin with -, * or +, or a number and . or )"),
    _metric("heading", heading, "lines that begin with one to six # and a space"),
    _metric("bold", bold, "pairs of **"),
    _metric("code", code, "backticks / 2"),
)
