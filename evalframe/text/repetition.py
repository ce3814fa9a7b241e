"""What comes again: pairs of words, first words, words of the sentence before."""

import numpy as np

from evalframe.text.arrays import Bools, Floats, Ints, float_sums, segment_of, segment_sums
from evalframe.text.metric import ENGLISH, Metric
from evalframe.text.sentence_rhythm import neighbours
from evalframe.text.tokens import Tokens

WINDOW, TOP = 50, 10


def bigram50(tokens: Tokens) -> Floats:
    """Return the share of pairs of words that came within the last 50 words."""
    n = tokens.n_words
    again = segment_sums(_recent_pairs(tokens), tokens.words.offsets)
    return again / np.maximum(n - 1, 1)


def _recent_pairs(tokens: Tokens) -> Bools:
    """Say of each word whether it and the next came together within the last 50 words."""
    code, previous = tokens.code, tokens.occurrences.previous
    found = np.zeros(len(code), dtype=np.bool_)
    # Back from each word through its earlier occurrences, until the same word follows or it is
    # too long ago. Only a pair of which both words came recently can have come itself.
    recent = (previous >= 0) & (np.arange(len(code)) - previous <= WINDOW)
    pair = np.flatnonzero(recent[:-1] & recent[1:])
    text_end = tokens.words.offsets[1:]
    pair = pair[text_end[np.searchsorted(text_end, pair, side="right")] - 1 > pair]
    back = previous[pair]
    while len(pair):
        same = code[back + 1] == code[pair + 1]
        found[pair[same]] = True
        pair, back = pair[~same], previous[back[~same]]
        close = (back >= 0) & (pair - back <= WINDOW)
        pair, back = pair[close], back[close]
    return found


def opener(tokens: Tokens) -> Floats:
    """Return the share of neighbouring sentences with the same first word."""
    s = tokens.n_sentences
    first = tokens.code[tokens.sentences.first]
    same = np.zeros(len(first), dtype=np.bool_)
    same[:-1] = (first[1:] == first[:-1]) & neighbours(tokens)
    return tokens.of_sentences(same) / np.maximum(s - 1, 1)


def overlap(tokens: Tokens) -> Floats:
    """Return the mean share of content words that neighbouring sentences have in common."""
    s = tokens.n_sentences
    size, common = _content(tokens)
    if not len(size):
        return np.zeros(tokens.n_texts)
    union = size[:-1] + size[1:] - common[:-1]
    share = np.where(neighbours(tokens) & (union > 0), common[:-1] / np.maximum(union, 1), 0.0)
    text = segment_of(tokens.sentences.offsets)[:-1]
    return float_sums(share, text, tokens.n_texts) / np.maximum(s - 1, 1)


def _content(tokens: Tokens) -> tuple[Ints, Ints]:
    """Return each sentence's distinct content words, and how many the next one has too."""
    n = len(tokens.sentences.first)
    sentence = np.repeat(np.arange(n), tokens.sentences.size)
    order = tokens.occurrences.order
    content = ~tokens.lexicon.on("function_words")[tokens.code[order]]
    # Occurrences of a type follow each other in the order of the text: one of each sentence.
    same_type = ~tokens.occurrences.begins[content]
    at = sentence[order[content]]
    again = np.zeros(len(at), dtype=np.bool_)
    again[1:] = same_type[1:] & (at[1:] == at[:-1])
    at, same_type = at[~again], same_type[~again]
    shared = same_type[1:] & (at[1:] == at[:-1] + 1)
    return np.bincount(at, minlength=n), np.bincount(at[:-1][shared], minlength=n)


def bigram(tokens: Tokens) -> Floats:
    """Return the share of pairs of words that are repetitions."""
    return _repeated(tokens, 2)


def trigram(tokens: Tokens) -> Floats:
    """Return the share of triples of words that are repetitions."""
    return _repeated(tokens, 3)


def _repeated(tokens: Tokens, size: int) -> Floats:
    """Return 1 - distinct / all sequences of so many words."""
    found = tokens.occurrences
    # A type is of one text, so that a sequence that begins with it is too.
    word = np.empty(len(found.order), dtype=np.int64)
    word[found.order] = np.cumsum(found.begins) - 1
    kind = word
    for step in range(1, size):
        key = kind[:-1] * (len(word) + 1) + word[step:]
        kind = np.unique(key, return_inverse=True)[1]
    offsets = tokens.words.offsets
    text = segment_of(offsets)
    inside = text[size - 1 :] == text[: len(text) - size + 1]
    first = np.unique(kind[inside], return_index=True)[1]
    distinct = np.bincount(text[: len(kind)][inside][first], minlength=tokens.n_texts)
    total = np.maximum(np.diff(offsets) - size + 1, 0)
    return np.where(total > 0, 1 - distinct / np.maximum(total, 1), 0.0)


def top10(tokens: Tokens) -> Floats:
    """Return the share of words that are among the ten most frequent."""
    found = tokens.spectrum
    types = segment_sums(found.types, _entries(found.text, tokens.n_texts))
    # Counted from the most frequent down, an entry's types are those after all rarer ones.
    rarer = np.cumsum(found.types) - found.types - (np.cumsum(types) - types)[found.text]
    before = types[found.text] - rarer - found.types
    taken = np.clip(TOP - before, 0, found.types)
    return (
        float_sums((taken * found.frequency).astype(np.float64), found.text, tokens.n_texts)
        / tokens.n_words
    )


def _entries(text: Ints, n_texts: int) -> Ints:
    return np.searchsorted(text, np.arange(n_texts + 1))


def distinct_openers(tokens: Tokens) -> Floats:
    """Return the share of first words of sentences that are different."""
    first = tokens.code[tokens.sentences.first]
    size = len(tokens.lexicon.words) + 1
    different = np.unique(segment_of(tokens.sentences.offsets) * size + first)
    return np.bincount(different // size, minlength=tokens.n_texts) / tokens.n_sentences


METRICS = (
    Metric(
        "bigram50",
        bigram50,
        "share of pairs of neighbouring words that came within the last 50 words",
        "Biber 1988",
        "[0, 1]",
        "N<2: 0",
    ),
    Metric(
        "opener",
        opener,
        "share of neighbouring sentences with the same first word",
        "-",
        "[0, 1]",
        "S=1: 0",
    ),
    Metric(
        "overlap",
        overlap,
        "mean over neighbouring sentences of shared / all distinct content words",
        "Graesser et al. 2004",
        "[0, 1]",
        "S=1: 0",
        language=ENGLISH,
    ),
    Metric("bigram", bigram, "1 - distinct / all pairs of words", "-", "[0, 1)", "N<2: 0", False),
    Metric(
        "trigram", trigram, "1 - distinct / all triples of words", "-", "[0, 1)", "N<3: 0", False
    ),
    Metric(
        "top10",
        top10,
        "share of words among the ten most frequent",
        "Zipf 1935",
        "(0, 1]",
        default=False,
    ),
    Metric(
        "distinct_openers",
        distinct_openers,
        "distinct first words / S",
        "-",
        "(0, 1]",
        default=False,
    ),
)
