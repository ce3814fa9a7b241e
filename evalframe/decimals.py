"""How many decimals the numbers of a result are shown with."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Columns in one unit each, which in a metric's rows have the same decimals.
ALIKE = (
    (
        *("estimate", "se", "conf_low", "conf_high", "sim_low", "sim_high", "diff", "bias", "mean"),
        *("baseline_mean", "arm_mean", "mde", "floor_diff", "floor_se", "threshold", "effect"),
        *("sd_diff", "estimate_raw", "se_raw", "reference_mean", "reference_estimate", "width"),
        *("tail", "self_tail", "self_low", "self_high"),
    ),
    ("distance",),
    ("var_cluster", "var_item", "var_seed", "var_cluster_raw", "var_item_raw"),
    ("share_cluster", "share_item", "share_seed"),
)

# As many decimals of numbers up to 1 as a report has, and the most of any.
USUAL, MOST = 4, 8


def grouped(name: str) -> tuple[str, ...]:
    """Return the columns that have a column's unit, itself among them; none if it has its own."""
    return next((names for names in ALIKE if name in names), ())


def decimals(numbers: Floats) -> int:
    """Return how many decimals show the largest of some numbers with about four digits.

    Parameters
    ----------
    numbers : array of float64
        NaN and infinite ones are passed over.

    Returns
    -------
    int
        4 for numbers up to 1, of which those below 0.01 have three digits; one fewer for each power
        of ten above 1, none from 1,000.

    Examples
    --------
    >>> [decimals(np.array([x])) for x in (0.74, 1.0, 2.5, 28.1, 185.8, 5000.0, 0.0042)]
    [4, 4, 3, 2, 1, 0, 5]
    """
    finite = np.abs(numbers[np.isfinite(numbers)])
    largest = float(finite.max()) if finite.size else 0.0
    # Smaller numbers are the rounding of a 0.
    if largest < 10.0**-MOST:
        return USUAL
    # Powers of ten count as the numbers below them: 1 is the end of a scale from 0.
    power = int(np.ceil(np.log10(largest))) - 1
    return max(min(USUAL, 3 - power), min(2 - power, MOST), 0)


def least_decimals(numbers: Floats) -> int:
    """Return the fewest decimals that show the same as `decimals` does.

    Examples
    --------
    >>> least_decimals(np.array([376.0, 59.0])), least_decimals(np.array([0.95]))
    (0, 2)
    """
    most = decimals(numbers)
    finite = numbers[np.isfinite(numbers)]
    shown = np.round(finite, most)
    return next(n for n in range(most + 1) if n == most or (np.round(shown, n) == shown).all())
