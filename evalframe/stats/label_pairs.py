"""Judge and label of the same items: how alike they are, and how few of a class there are."""

import numpy as np

from evalframe.stats.means import segment_means
from evalframe.stats.segments import Floats, Ints, totals


def repeated(judge: Floats, gold: Floats, segment: Ints, n_segments: int) -> Floats:
    """Return the share of labelled items that are not the first with their (judge, label).

    Examples
    --------
    >>> one = np.zeros(4, dtype=np.int64)
    >>> repeated(np.array([1.0, 1, 0, 0]), np.array([1.0, 1, 0, 1]), one, 1)
    array([0.25])
    """
    chosen = ~np.isnan(gold)
    f, y, of = judge[chosen], gold[chosen], segment[chosen]
    order = np.lexsort((y, f, of))
    f, y, of = f[order], y[order], of[order]
    first = np.ones(len(f), dtype=bool)
    first[1:] = (np.diff(f) != 0) | (np.diff(y) != 0) | (np.diff(of) != 0)
    n = np.bincount(of, minlength=n_segments)
    with np.errstate(invalid="ignore"):
        share = np.bincount(of[~first], minlength=n_segments) / n
    filled: Floats = np.nan_to_num(share)
    return filled


def correlation(judge: Floats, gold: Floats, segment: Ints, n_segments: int) -> Floats:
    """Return Pearson's correlation over labelled items, NaN where judge or label does not vary.

    Examples
    --------
    >>> one = np.zeros(3, dtype=np.int64)
    >>> correlation(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]), one, 1).round(4)
    array([0.982])
    """
    chosen = ~np.isnan(gold)
    of = segment[chosen]
    apart = []
    varies = np.ones(n_segments, dtype=bool)
    for values in (judge[chosen], gold[chosen]):
        means = segment_means(values, of, n_segments)
        apart.append(values - means.mean[of])
        varies &= means.se > 0
    both, one, other = (
        totals(product, of, n_segments)
        for product in (apart[0] * apart[1], apart[0] ** 2, apart[1] ** 2)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.clip(both / np.sqrt(one) / np.sqrt(other), -1.0, 1.0)
    rho: Floats = np.where(varies, found, np.nan)
    return rho


def rarest(values: Floats, segment: Ints, n_segments: int) -> Floats:
    """Return how many values are the rarer of two, 0 where all are alike, NaN with three or more.

    Fewer than four values that are no whole numbers are NaN too: a grade of 0.83 and one of 0.21
    are not two classes.

    Examples
    --------
    >>> rarest(np.array([1.0, 0.0, 1.0, 1.0]), np.zeros(4, dtype=np.int64), 1)
    array([1.])
    """
    found = segment_means(values, segment, n_segments)
    low = np.bincount(segment[values == found.lowest[segment]], minlength=n_segments)
    high = np.bincount(segment[values == found.highest[segment]], minlength=n_segments)
    with np.errstate(invalid="ignore"):
        whole = (found.lowest % 1 == 0) & (found.highest % 1 == 0)
    least = np.where(low == found.n, 0, np.minimum(low, high))
    alike = (low + high == found.n) | (low == found.n)
    two: Floats = np.where(alike & (whole | (found.n > 3) | (found.n == 0)), least, np.nan)
    return two
