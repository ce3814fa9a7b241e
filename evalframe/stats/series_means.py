"""Means of series of numbers with their errors, that do not depend on the order of the numbers."""

import numpy as np

from evalframe.stats.products import group_sums, squares, sums
from evalframe.stats.segments import ROUNDING, Floats, Ints


def series_means(
    series: Floats, scale: Floats, groups: tuple[Ints, Ints] | None
) -> tuple[Floats, Floats, Ints, Ints]:
    """Return the mean, error, items and clusters of each of K series.

    Parameters
    ----------
    series : (K, n) float64
        NaN where there is no value.
    scale : (K,) float64
        Size of the numbers that each series was computed from: spread within its rounding is none.
    groups : (order, starts) or None
        Entries sorted by cluster and where each starts; None where they are independent.

    Returns
    -------
    mean, se : (K,) float64
        As `segment_means` has them, and the same for a series of the other sign.
    n, n_clusters : (K,) int64
        Values, and clusters that have any (values again where they are independent).
    """
    known = ~np.isnan(series)
    n = known.sum(axis=1)
    low = np.where(known, series, np.inf).min(axis=1, initial=np.inf)
    high = np.where(known, series, -np.inf).max(axis=1, initial=-np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        whole = sums(np.where(known, series, 0.0)) / n
        # The clip keeps equal values from having a mean that rounding moved beside them.
        mean = np.where(n > 0, np.clip(whole, low, high), np.nan)
        alike = high - low <= ROUNDING * scale
    mean[alike & (np.abs(mean) <= ROUNDING * scale)] = 0.0
    rest = np.where(known & ~alike[:, None], series - mean[:, None], 0.0)
    n_units = n
    if groups is not None:
        size = np.add.reduceat(known[:, groups[0]].astype(np.int64), groups[1], axis=1)
        rest = group_sums(rest, *groups)
        rest[np.abs(rest) <= ROUNDING * size * scale[:, None]] = 0.0
        n_units = np.count_nonzero(size, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        squared = squares(rest) * n_units / (n_units - 1)
        se = np.where(n_units > 1, np.sqrt(squared) / n, np.nan)
    return mean, se, n, n_units
