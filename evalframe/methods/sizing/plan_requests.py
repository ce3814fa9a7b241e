"""What a plan is asked for, and whether there can be one."""

import numpy as np
import pandas as pd

from evalframe.errors import short
from evalframe.methods.arguments import is_finite, is_number
from evalframe.methods.sizing.spread import Numbers
from evalframe.stats.segments import Floats

# Whole numbers up to this are exact.
MOST = 2**53


def pilot_or_number(
    pilot: object, number: float | None, name: str
) -> tuple[pd.DataFrame | None, float | None]:
    """Tell a pilot from a number that stands first in its place."""
    if isinstance(pilot, pd.DataFrame):
        return pilot, number
    if pilot is None:
        return None, number
    if not is_number(pilot):
        raise ValueError(
            f"a plan starts from runs (a DataFrame) or from {name}, found {pilot!r}; for example "
            "df.evals.sample_size('base', effect=0.02) or evalframe.sample_size(0.02, sd_diff=0.35)"
        )
    if number is not None:
        raise ValueError(f"{name} was given twice: {pilot!r} and {name}={number!r}")
    return None, pilot


def check_alpha(alpha: float) -> None:
    """Raise ValueError where no test has this size."""
    if not is_number(alpha) or not 0 < alpha < 1:
        raise ValueError(
            f"alpha must lie between 0 and 1, not {short(alpha)}; for 5% type alpha=0.05"
        )


def check_power(power: float, alpha: float) -> None:
    """Raise ValueError where no number of items gives this power."""
    if not is_number(power) or not alpha < power < 1:
        raise ValueError(
            f"power must lie between alpha ({alpha:g}, which a test finds by chance) and 1, which "
            f"no number of items reaches, not {short(power)}"
        )


def effect_of_means(
    effect: float | None, given: Numbers, frame: pd.DataFrame | None
) -> float | None:
    """Return the effect, by default the difference of two means that are given."""
    if effect is not None or frame is not None or given.p_a is None or given.p_b is None:
        return effect
    given.check()
    # Of means with a few decimals: the rest of them is rounding.
    return round(float(given.p_a) - float(given.p_b), 12)


def check_effect(effect: float | None, given: Numbers) -> None:
    """Raise ValueError where no number of items finds this effect, or it cannot be."""
    if effect is None:
        raise ValueError("effect=... is needed: the difference to find, for example effect=0.05")
    if not is_finite(effect) or effect == 0:
        raise ValueError(
            f"effect must be a difference other than 0, not {short(effect)}: no number of items "
            "finds that there is none; for that see margin= of df.evals.compare"
        )
    if given.p_a is not None and abs(effect) > 1:
        raise ValueError(f"means of 0/1 scores differ by 1 at most, not by {effect!r}")


def check_means(effect: float | None, given: Numbers) -> None:
    """Raise ValueError where the means that are given differ by something else than the effect."""
    if effect is None or given.p_a is None or given.p_b is None:
        return
    apart = abs(float(given.p_a) - float(given.p_b))
    if not np.isclose(abs(effect), apart, rtol=1e-6, atol=1e-9):
        raise ValueError(
            f"effect={effect:g} contradicts p_a={given.p_a:g} and p_b={given.p_b:g}, which differ "
            f"by {apart:g}; leave effect out, or give means that differ by it"
        )


def check_count(n_items: Floats, effect: float | None) -> None:
    """Raise ValueError where a plan needs more items than can be counted."""
    with np.errstate(invalid="ignore"):
        if (n_items > MOST).any():
            raise ValueError(
                f"effect={effect!r} needs {np.nanmax(n_items):.3g} items, more than can be counted "
                "(2**53): it is too small beside the spread of a difference; give a larger effect"
            )


def check_items(n_items: float | None, frame: pd.DataFrame | None) -> None:
    """Raise ValueError where so many items cannot be run."""
    whole = isinstance(n_items, int | np.integer) and not isinstance(n_items, bool)
    if (n_items is not None or frame is None) and (not whole or (n_items or 0) < 2):
        raise ValueError(f"n_items must be an integer of at least 2, not {short(n_items)}")
    if n_items is not None and n_items > MOST:
        raise ValueError(
            f"n_items must be at most 2**53, which can be counted, not {short(n_items)}"
        )
