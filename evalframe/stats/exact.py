"""The bootstrap law by enumeration, where a sample has few different resamples."""

from math import comb

import numpy as np
import scipy

from evalframe.stats.counted import Counted
from evalframe.stats.segments import Floats, Ints

# Resamples that are enumerated at most: all those of 11 different items, 1,400 of three values.
MOST = 1_000_000
# Counts turned into statistics at once.
_HELD = 1 << 20


def feasible(statistic: Counted) -> bool:
    """Say whether the different resamples are few enough to enumerate."""
    n, n_different = statistic.n_units, len(statistic.copies)
    # The binomial coefficient of large numbers is itself slow, and far beyond the bound.
    fewest = min(n, n_different - 1)
    return fewest <= 20 and comb(n + n_different - 1, n_different - 1) <= MOST


def law(statistic: Counted) -> tuple[Floats, Floats]:
    """Return the statistic of every different resample and its probability.

    Returns
    -------
    values : (N,) float64
        NaN where the statistic is not defined.
    probability : (N,) float64
        They sum to 1.

    Notes
    -----
    A resample of n of D different units is a composition of n into D counts, of which there are
    C(n + D - 1, D - 1); its probability is multinomial. Time and memory O(N D).
    """
    n, copies = statistic.n_units, statistic.copies
    counts = _compositions(n, len(copies))
    values, weight = np.empty(len(counts)), np.empty(len(counts))
    rows = max(1, _HELD // max(len(copies), n if len(copies) > 3 else 1))
    for start in range(0, len(counts), rows):
        block = counts[start : start + rows].astype(np.int64)
        values[start : start + rows] = statistic.of_counts(block)
        logs = block * np.log(copies / n) - scipy.special.gammaln(block + 1.0)
        weight[start : start + rows] = logs.sum(axis=1)
    probability = np.exp(weight + scipy.special.gammaln(n + 1.0))
    return values, probability / probability.sum()


def _compositions(n: int, n_parts: int) -> Ints:
    """Return all ways to write n as an ordered sum of counts, (N, n_parts)."""
    kind = np.int32
    found = np.zeros((1, 0), dtype=kind)
    left = np.array([n], dtype=kind)
    for _ in range(n_parts - 1):
        choices = left + 1
        parent = np.repeat(np.arange(len(left)), choices)
        taken = (np.arange(len(parent)) - np.repeat(np.cumsum(choices) - choices, choices)).astype(
            kind
        )
        left = left[parent] - taken
        found = np.column_stack([found[parent], taken])
    return np.column_stack([found, left])


def limits(values: Floats, probability: Floats, level: float) -> tuple[float, float]:
    """Return the smallest values that the law reaches (1 - level) / 2 and (1 + level) / 2 at."""
    order = np.argsort(values)
    reached = np.cumsum(probability[order])
    # A sum of probabilities that should be the level may be below it by rounding.
    wanted = np.array([(1 - level) / 2, (1 + level) / 2]) - 1e-12
    places = np.minimum(np.searchsorted(reached, wanted), len(values) - 1)
    low, high = values[order][places]
    return float(low), float(high)
