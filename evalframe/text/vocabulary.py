"""How rich the vocabulary is."""

import numpy as np

from evalframe.text import diversity
from evalframe.text.arrays import Floats
from evalframe.text.metric import Metric
from evalframe.text.tokens import Tokens

WINDOW, DRAWN = 50, 42


def mattr50(tokens: Tokens) -> Floats:
    """Return the moving-average type-token ratio."""
    return diversity.mattr(tokens.occurrences, tokens.words.offsets, WINDOW)


def mtld(tokens: Tokens) -> Floats:
    """Return the measure of textual lexical diversity."""
    return diversity.mtld(tokens.occurrences, tokens.words.offsets)


def hdd42(tokens: Tokens) -> Floats:
    """Return the expected share of types among 42 words drawn without replacement."""
    found = tokens.spectrum
    n = tokens.n_words[found.text]
    drawn = np.minimum(DRAWN, n)
    absent = np.ones(len(n))
    # The probability that no draw is of the type, draw by draw: no logarithm of a factorial
    # keeps its digits in long texts.
    for draw in range(DRAWN):
        left = np.maximum(n - found.frequency - draw, 0.0)
        absent *= np.where(draw < drawn, left / np.maximum(n - draw, 1.0), 1.0)
    return found.total((1 - absent) / drawn)


def yule_k(tokens: Tokens) -> Floats:
    """Return Yule's K."""
    n = tokens.n_words
    squares = tokens.spectrum.total(tokens.spectrum.frequency.astype(np.float64) ** 2)
    return 1e4 * (squares - n) / n**2


def types(tokens: Tokens) -> Floats:
    """Return the types of each text."""
    return tokens.spectrum.total(np.ones(len(tokens.spectrum.text)))


def sichel_s(tokens: Tokens) -> Floats:
    """Return the share of types that occur twice."""
    return tokens.spectrum.types_with(2) / types(tokens)


def ttr(tokens: Tokens) -> Floats:
    """Return the type-token ratio."""
    return types(tokens) / tokens.n_words


def guiraud_r(tokens: Tokens) -> Floats:
    """Return Guiraud's R."""
    return types(tokens) / np.sqrt(tokens.n_words)


def herdan_c(tokens: Tokens) -> Floats:
    """Return Herdan's C."""
    n = tokens.n_words
    return np.where(n > 1, np.log(types(tokens)) / np.log(n), 1.0)


def maas_a2(tokens: Tokens) -> Floats:
    """Return Maas's a squared, in natural logarithms."""
    n = tokens.n_words
    return np.where(n > 1, (np.log(n) - np.log(types(tokens))) / np.log(n) ** 2, 0.0)


def simpson_d(tokens: Tokens) -> Floats:
    """Return the probability that two words drawn are the same."""
    n = tokens.n_words
    frequency = tokens.spectrum.frequency.astype(np.float64)
    pairs = tokens.spectrum.total(frequency * (frequency - 1))
    return np.where(n > 1, pairs / (n * (n - 1)), 0.0)


def honore_r(tokens: Tokens) -> Floats:
    """Return Honore's R."""
    rest = types(tokens) - tokens.spectrum.types_with(1)
    value = 100 * np.log(tokens.n_words) * types(tokens) / rest
    return np.where(rest > 0, value, np.nan)


def hapax(tokens: Tokens) -> Floats:
    """Return the share of types that occur once."""
    return tokens.spectrum.types_with(1) / types(tokens)


def entropy(tokens: Tokens) -> Floats:
    """Return the entropy of words in bits."""
    share = tokens.spectrum.frequency / tokens.n_words[tokens.spectrum.text]
    return tokens.spectrum.total(-share * np.log2(share)) + 0.0


def evenness(tokens: Tokens) -> Floats:
    """Return the entropy of words as a share of its greatest value for N words."""
    n = tokens.n_words
    return np.where(n > 1, entropy(tokens) / np.log2(n), 1.0)


METRICS = (
    Metric(
        "mattr50",
        mattr50,
        "mean share of types over every window of min(50, N) words",
        "Covington & McFall 2010",
        "(0, 1]",
        "N<50: V / N",
    ),
    Metric(
        "mtld",
        mtld,
        "mean, forwards and backwards, of N / factors; a factor ends where types / words <= .72, "
        "the unfinished last one counts (1 - types / words) / (1 - .72)",
        "McCarthy & Jarvis 2010",
        "[1, inf)",
        "no factor: N",
    ),
    Metric(
        "hdd42",
        hdd42,
        "sum over types of (1 - C(N - f, s) / C(N, s)) / s, s = min(42, N)",
        "McCarthy & Jarvis 2007, 2010",
        "(0, 1]",
        "N<42: V / N",
    ),
    Metric("yule_k", yule_k, "1e4 (sum f^2 - N) / N^2", "Yule 1944", "[0, 1e4)", "N=1: 0"),
    Metric("sichel_s", sichel_s, "V2 / V", "Sichel 1975", "[0, 1]"),
    Metric("ttr", ttr, "V / N", "Johnson 1944", "(0, 1]", default=False),
    Metric("guiraud_r", guiraud_r, "V / sqrt N", "Guiraud 1954", "(0, inf)", default=False),
    Metric("herdan_c", herdan_c, "ln V / ln N", "Herdan 1960", "[0, 1]", "N=1: 1", default=False),
    Metric(
        "maas_a2",
        maas_a2,
        "(ln N - ln V) / (ln N)^2",
        "Maas 1972",
        "[0, 1.45)",
        "N=1: 0",
        default=False,
    ),
    Metric(
        "simpson_d",
        simpson_d,
        "sum f (f - 1) / (N (N - 1))",
        "Simpson 1949",
        "[0, 1]",
        "N=1: 0",
        default=False,
    ),
    Metric(
        "honore_r",
        honore_r,
        "100 ln N / (1 - V1 / V)",
        "Honore 1979",
        "(0, inf)",
        "V1=V: NaN",
        default=False,
    ),
    Metric("hapax", hapax, "V1 / V", "-", "[0, 1]", default=False),
    Metric(
        "entropy", entropy, "-sum p log2 p, p = f / N", "Shannon 1948", "[0, inf)", default=False
    ),
    Metric(
        "evenness",
        evenness,
        "entropy / log2 N",
        "Shannon 1948",
        "[0, 1]",
        "N=1: 1",
        default=False,
    ),
)
