"""Pronouns, as shares of all words."""

from evalframe.text.function_words import on_list
from evalframe.text.metric import ENGLISH, Metric


def _metric(name: str, formula: str) -> Metric:
    share = f"share of words among {formula}"
    source = "Biber 1988; Pennebaker 2001"
    return Metric(name, on_list(name), share, source, "[0, 1]", language=ENGLISH)


METRICS = (
    _metric("first_singular", "i, me, my, mine, myself, and i with 'm, 've, 'd, 'll"),
    _metric("first_plural", "we, us, our, ..., let's"),
    _metric("second", "you, your, ..., thou, thee, thy, thine"),
    _metric("third", "he, she, they and their forms"),
    _metric("it", "it, its, itself, and it with 's, 'd, 'll"),
    _metric("demonstrative", "this, that, these, those, that's"),
)
