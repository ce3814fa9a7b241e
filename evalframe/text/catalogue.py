"""All metrics by their full name, group.metric."""

from evalframe.text import (
    function_words,
    layout,
    openings,
    orthography,
    pronouns,
    punctuation,
    readability,
    register,
    repetition,
    sentence_rhythm,
    text_length,
    vocabulary,
    word_length,
)
from evalframe.text.metric import Metric

GROUPS: dict[str, tuple[Metric, ...]] = {
    "text_length": text_length.METRICS,
    "word_length": word_length.METRICS,
    "sentence_rhythm": sentence_rhythm.METRICS,
    "vocabulary": vocabulary.METRICS,
    "function_words": function_words.METRICS,
    "pronouns": pronouns.METRICS,
    "punctuation": punctuation.METRICS,
    "orthography": orthography.METRICS,
    "repetition": repetition.METRICS,
    "layout": layout.METRICS,
    "openings": openings.METRICS,
    "register": register.METRICS,
    "readability": readability.METRICS,
}

METRICS: dict[str, Metric] = {
    f"{group}.{metric.name}": metric for group, metrics in GROUPS.items() for metric in metrics
}

DEFAULT: tuple[str, ...] = tuple(name for name, metric in METRICS.items() if metric.default)
