"""How long a text is."""

import numpy as np

from evalframe.text.arrays import Floats
from evalframe.text.metric import Metric
from evalframe.text.tokens import Tokens


def log_words(tokens: Tokens) -> Floats:
    """Return the logarithm of one more than the words."""
    return np.log1p(tokens.n_words)


def log_sentences(tokens: Tokens) -> Floats:
    """Return the logarithm of one more than the sentences."""
    return np.log1p(tokens.n_sentences)


def log_paragraphs(tokens: Tokens) -> Floats:
    """Return the logarithm of one more than the paragraphs."""
    return np.log1p(tokens.n_paragraphs)


METRICS = (
    Metric("log_words", log_words, "ln(1 + N)", "-", "[0, inf)", "N=0: 0", wordless=0.0),
    Metric("log_sentences", log_sentences, "ln(1 + S)", "-", "[0, inf)", "S=0: 0", wordless=0.0),
    Metric(
        "log_paragraphs",
        log_paragraphs,
        "ln(1 + P), P = 1 + runs of two line ends or more",
        "-",
        "[0, inf)",
        "N=0: 0",
        wordless=0.0,
    ),
)
