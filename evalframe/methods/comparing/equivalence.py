"""Is a difference large enough to matter? Verdicts against a margin."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evalframe import results
from evalframe.errors import short
from evalframe.methods.arguments import is_finite
from evalframe.roles import COLUMN
from evalframe.stats.segments import Floats
from evalframe.stats.welch import lower_p

VERDICTS = ("better", "worse", "equivalent", "not worse", "not better", "inconclusive")


def margins(
    margin: float | Mapping[str, float], columns: Sequence[str], asked: bool
) -> list[float]:
    """Return the margin of each column, NaN where it has none.

    A number is the margin of the score, or of all columns that were asked for by name.
    """
    if isinstance(margin, Mapping):
        named = {
            name if name in columns else COLUMN.get(name, name): number
            for name, number in margin.items()
        }
        unknown = [name for name in named if name not in columns]
        if unknown:
            raise ValueError(
                f"margin names columns that are not compared: {', '.join(map(repr, unknown))}; "
                f"compared are {', '.join(map(repr, columns))}"
            )
    else:
        named = {column: margin for column in columns if asked or column == "score"}
    for number in named.values():
        if not is_finite(number) or number <= 0:
            raise ValueError(
                f"margin must be a number above 0, in units of the grade, not {short(number)}"
            )
    return [float(named.get(column, np.nan)) for column in columns]


def against_margin(
    parts: Sequence[dict[str, Any]], bounds: Sequence[float]
) -> list[dict[str, Any]]:
    """Add to each column its margin, one-sided tests and verdicts."""
    return [_verdicts(part, bound) for part, bound in zip(parts, bounds, strict=True)]


def _verdicts(part: dict[str, Any], margin: float) -> dict[str, Any]:
    """Add the one-sided tests and verdicts of one column.

    Every verdict reads the interval of the row, so that each of the one-sided tests has the size
    (1 - level) / 2: better and worse against 0, not worse against -margin, not better against
    +margin, equivalent both of these.
    """
    diff, se, low, high = (
        np.asarray(part[name], dtype=np.float64) for name in ("diff", "se", "conf_low", "conf_high")
    )
    df = np.broadcast_to(np.asarray(part["df"], dtype=np.float64), diff.shape)
    df = np.where(np.isnan(df), np.inf, df)
    bound = np.full(diff.shape, margin)
    better, worse = (low > 0) & ~np.isnan(bound), (high < 0) & ~np.isnan(bound)
    not_worse, not_better = low > -bound, high < bound
    equivalent = not_worse & not_better
    said = np.full(diff.shape, "inconclusive", dtype=object)
    # The strongest is said last: a small but certain gain is "better", and equivalent besides.
    held = (better, worse, equivalent, not_worse, not_better)
    for verdict, rows in reversed(list(zip(VERDICTS, held, strict=False))):
        said[rows] = verdict
    said[np.isnan(bound)] = ""
    within = equivalent & (better | worse)
    text = f"a difference, but smaller than the margin of {margin:g}: equivalent too"
    return part | {
        "note": results.also(part["note"], text, within),
        "margin": bound,
        "p_not_worse": _p(-(diff + bound), se, df),
        "p_not_better": _p(diff - bound, se, df),
        "better": better,
        "worse": worse,
        "equivalent": equivalent,
        "not_worse": not_worse,
        "not_better": not_better,
        "verdict": said,
    }


def _p(distance: Floats, se: Floats, df: Floats) -> Floats:
    """One-sided p that a distance is not below 0; NaN where se is 0 or not known."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return lower_p(np.where(se > 0, distance / se, np.nan), df)
