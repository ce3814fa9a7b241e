"""How sentences begin, and which of them ask: shares of sentences."""

from collections.abc import Callable
from functools import partial

from evalframe.text.arrays import Floats
from evalframe.text.metric import ENGLISH, Metric
from evalframe.text.tokens import Tokens


def share_on_list(tokens: Tokens, name: str) -> Floats:
    """Return the share of sentences whose first word is on a list."""
    first = tokens.lexicon.on(name)[tokens.code[tokens.sentences.first]]
    return tokens.of_sentences(first) / tokens.n_sentences


def _on_list(name: str) -> Callable[[Tokens], Floats]:
    return partial(share_on_list, name=name)


def question(tokens: Tokens) -> Floats:
    """Return the share of sentences that end in a question mark."""
    return tokens.of_sentences(tokens.sentences.question) / tokens.n_sentences


def _metric(name: str, words: str, formula: str) -> Metric:
    share = f"share of sentences whose first word is {formula}"
    return Metric(name, _on_list(words), share, "Biber 1988", "[0, 1]", language=ENGLISH)


METRICS = (
    _metric("coordinator", "coordinators", "and, but, or, nor, yet, so"),
    _metric("article", "articles", "a, an, the"),
    _metric("pronoun", "pronouns", "a personal or demonstrative pronoun"),
    _metric("connective", "connectives", "however, moreover, therefore, ..."),
    Metric("question", question, "share of sentences that end in ?", "Biber 1988", "[0, 1]"),
)
