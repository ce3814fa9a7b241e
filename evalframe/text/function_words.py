"""Words that hold sentences together, as shares of all words."""

from collections.abc import Callable
from functools import partial

from evalframe.text.arrays import Floats
from evalframe.text.metric import ENGLISH, Metric
from evalframe.text.tokens import Tokens


def share_on_list(tokens: Tokens, name: str) -> Floats:
    """Return the share of words that are on a list of words.json."""
    return tokens.on_list(name) / tokens.n_words


def on_list(name: str) -> Callable[[Tokens], Floats]:
    """Return the metric that is the share of words on a list."""
    return partial(share_on_list, name=name)


_SOURCE = "Mosteller & Wallace 1964; Burrows 2002; Pennebaker 2001"


def _metric(name: str, formula: str, *, words: str = "", default: bool = True) -> Metric:
    compute = on_list(words or name)
    share = f"share of words among {formula}"
    return Metric(name, compute, share, _SOURCE, "[0, 1]", default=default, language=ENGLISH)


METRICS = (
    _metric("all", "257 closed-class words", words="function_words"),
    _metric("articles", "a, an, the"),
    _metric("prepositions", "60 prepositions: about, above, across, ..."),
    _metric("coordinators", "and, but, or, nor, yet, so"),
    _metric("subordinators", "21 subordinators: although, because, if, ..."),
    _metric("auxiliaries", "forms of be, have and do, with n't, 'm, 're, 've"),
    _metric("modals", "can, could, may, ..., with 'll and n't"),
    _metric("negation", "no, not, never, ..., with n't"),
    _metric("wh", "who, which, what, when, ..."),
    _metric("quantifiers", "all, any, both, each, ...", default=False),
)
