"""What a metric is."""

from collections.abc import Callable
from dataclasses import dataclass

from evalframe.text.arrays import Floats
from evalframe.text.tokens import Tokens

NEUTRAL = "neutral"
ENGLISH = "English"


@dataclass(frozen=True, slots=True)
class Metric:
    """A number of a text.

    Attributes
    ----------
    name : str
        Within its group.
    compute : callable
        Tokens to (T,) float64. What it returns for a text without a word does not matter: that is
        NaN, or 0 where `wordless` says so.
    formula : str
        With N words, S sentences, P paragraphs, V types (distinct words), V1 and V2 types that
        occur once and twice, f the frequency of a type, l the code points of a word less ' and -.
    source : str
        Where it comes from.
    bounds : str
        The values it can take.
    short_texts : str
        What texts get that are too short for the formula.
    default : bool
        Whether it is computed unless others are named.
    language : {"neutral", "English"}
        Whether the rule is of one language.
    wordless : float or None
        The value of a text without a word; None is NaN.
    """

    name: str
    compute: Callable[[Tokens], Floats]
    formula: str
    source: str
    bounds: str
    short_texts: str = "N=0: NaN"
    default: bool = True
    language: str = NEUTRAL
    wordless: float | None = None
