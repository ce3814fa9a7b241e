"""Signs of a register, from talk to treatise: shares of all words."""

from evalframe.text.arrays import Floats
from evalframe.text.function_words import on_list
from evalframe.text.metric import ENGLISH, Metric
from evalframe.text.tokens import Tokens


def contractions(tokens: Tokens) -> Floats:
    """Return the share of words that are contractions."""
    return tokens.of_words(tokens.lexicon.contraction) / tokens.n_words


def nominalisations(tokens: Tokens) -> Floats:
    """Return the share of words that are nouns made of verbs or adjectives."""
    return tokens.of_words(tokens.lexicon.nominalisation) / tokens.n_words


def _listed(name: str, formula: str, source: str) -> Metric:
    share = f"share of words among {formula}"
    return Metric(name, on_list(name), share, source, "[0, 1]", language=ENGLISH)


METRICS = (
    Metric(
        "contractions",
        contractions,
        "share of words that end in n't, 'm, 're, 've, 'll or 'd, or are it's, that's, ...",
        "Biber 1988",
        "[0, 1]",
        language=ENGLISH,
    ),
    _listed("hedges", "45 hedges: about, almost, apparently, ...", "Hyland 2005"),
    _listed("boosters", "34 boosters: absolutely, actually, always, ...", "Hyland 2005"),
    _listed("interjections", "31 interjections: ok, wow, um, ...", "-"),
    Metric(
        "nominalisations",
        nominalisations,
        "share of words of 4 characters or more before -tion, -ment, -ness, -ity, -ance, -ence "
        "(or these with s)",
        "Biber 1988",
        "[0, 1]",
        language=ENGLISH,
    ),
)
