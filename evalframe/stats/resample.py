"""Percentile bootstrap of a mean over items, or over items drawn as whole clusters."""

import numpy as np

from evalframe.stats.segments import Floats, Ints

# Index draws held at once. It sets the memory used (about 40 MB) and never a number.
_BLOCK = 1 << 20


def percentile_limits(
    total: Floats,
    size: Floats,
    n_boot: int,
    level: float,
    generator: np.random.Generator,
    *,
    block: int = _BLOCK,
) -> tuple[float, float]:
    """Percentile limits of a mean when whole units are drawn with replacement.

    Parameters
    ----------
    total : (G,) float64
        Sum of each unit's items: the item's own value, or the sum over a cluster.
    size : (G,) float64
        Items of each unit.
    n_boot : int
        Resamples.
    level : float
        Confidence level.
    generator : numpy.random.Generator
        Draws G times `n_boot` integers.
    block : int
        Draws held at once.

    Returns
    -------
    low, high : float
        Quantiles (1 - level) / 2 and (1 + level) / 2, linearly interpolated, of the resampled
        means sum(total) / sum(size). NaN where fewer than two units show no spread.

    Notes
    -----
    Units are sorted by total and size before they are drawn, so that limits do not depend on their
    order. Time O(n_boot G), memory O(block + n_boot).

    References
    ----------
    .. [1] Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 13.3.
    """
    n_units = len(total)
    if n_units < 2:
        return np.nan, np.nan
    order = np.lexsort((size, total))
    total, size = total[order], size[order]
    alike = bool((size == size[0]).all())
    means = np.empty(n_boot)
    rows = max(1, block // n_units)
    for start in range(0, n_boot, rows):
        stop = min(start + rows, n_boot)
        drawn = generator.integers(0, n_units, size=(stop - start, n_units))
        items = n_units * size[0] if alike else size[drawn].sum(axis=1)
        means[start:stop] = total[drawn].sum(axis=1) / items
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def unit_totals(
    value: Floats, segment: Ints, cluster: Ints | None, n_segments: int
) -> list[tuple[Floats, Floats]]:
    """Split values into the units of each segment that a bootstrap draws.

    Parameters
    ----------
    value : (n,) float64
        Item values. No NaN.
    segment : (n,) int64
        Segment of each value, codes from 0 to n_segments - 1.
    cluster : (n,) int64 or None
        Cluster of each value; a cluster lies in one segment. None: each item is a unit.
    n_segments : int

    Returns
    -------
    list of (total, size)
        For each segment the sums and the numbers of items of its units.
    """
    size = np.ones(len(value))
    if cluster is not None:
        # Summed from the smallest value up, so that a total does not depend on the order of items.
        order = np.argsort(value)
        size = np.bincount(cluster).astype(np.float64)
        home = np.zeros(len(size), dtype=np.int64)
        home[cluster] = segment
        value = np.bincount(cluster[order], weights=value[order]).astype(np.float64)
        segment, value, size = home[size > 0], value[size > 0], size[size > 0]
    order = np.argsort(segment, kind="stable")
    ends = np.cumsum(np.bincount(segment, minlength=n_segments))[:-1]
    return list(zip(np.split(value[order], ends), np.split(size[order], ends), strict=True))
