r"""Wasserstein-1 distances: of two samples, of random subsets, and with each pair left out.

.. math:: W(X, Y) = \int |F_X(t) - F_Y(t)| \, dt

is the mean distance that values have to be moved to turn one sample into the other, in the units of
the values [1]_.

References
----------
.. [1] Ramdas, Garcia Trillos and Cuturi (2017), On Wasserstein two-sample testing and related
   families of nonparametric tests, Entropy 19(2), 47, doi:10.3390/e19020047, section 4.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from evalframe.stats.segments import Floats, Ints

Bools = NDArray[np.bool_]

# Positions drawn at once. It sets the memory used (some 10 MB) and never a number.
_BLOCK = 1 << 18


def distance(x: Floats, y: Floats) -> float:
    """Wasserstein-1 distance of two samples, which may differ in size.

    Parameters
    ----------
    x, y : (n,) and (m,) float64
        NaN is left out.

    Returns
    -------
    float
        In the units of the values; NaN where a sample has no value.

    Notes
    -----
    Between neighbouring values of the pooled sample both distribution functions are constant, and
    their difference is a whole number over n m: only the widths are rounded. Time O(n log n).

    Examples
    --------
    >>> distance(np.array([0.0, 1.0, 3.0]), np.array([5.0, 6.0, 8.0]))
    5.0
    """
    x, y = x[~np.isnan(x)], y[~np.isnan(y)]
    n, m = len(x), len(y)
    if n == 0 or m == 0:
        return float("nan")
    pooled = np.concatenate([x, y])
    order = np.argsort(pooled)
    ahead = np.cumsum(np.where(order < n, m, -n))[:-1]
    return float(np.sum(np.abs(ahead) * np.diff(pooled[order])) / (n * m))


def leave_one_out(x: Floats, y: Floats) -> Floats:
    r"""Distances of two paired samples with each pair left out in turn.

    Parameters
    ----------
    x, y : (n,) float64
        Pair i is ``x[i], y[i]``. No NaN.

    Returns
    -------
    (n,) float64
        Distance of the n - 1 pairs without pair i; NaN where none is left.

    Notes
    -----
    :math:`D(t) = \#\{x \le t\} - \#\{y \le t\}` shifts by one between :math:`x_i` and :math:`y_i`
    when pair i goes, and nowhere else. How much :math:`\int |D|` changes when D rises or falls by
    one is summed up once, from the left, so that each pair costs two look-ups. Time O(n log n).

    Examples
    --------
    >>> leave_one_out(np.array([0.0, 1.0, 3.0]), np.array([5.0, 6.0, 8.0])).tolist()
    [5.0, 5.0, 5.0]
    """
    n = len(x)
    if n < 2:
        return np.full(n, np.nan)
    pooled = np.concatenate([x, y])
    order = np.argsort(pooled)
    place = np.empty(2 * n, dtype=np.int64)
    place[order] = np.arange(2 * n)
    width = np.diff(pooled[order])
    ahead = np.cumsum(np.where(order < n, 1, -1))[:-1]
    rise = np.concatenate([[0.0], np.cumsum(np.where(ahead >= 0, width, -width))])
    fall = np.concatenate([[0.0], np.cumsum(np.where(ahead <= 0, width, -width))])
    i, j = place[:n], place[n:]
    change = np.where(i < j, fall[j] - fall[i], rise[i] - rise[j])
    # A distance of 0 may come out as a rounding error below it.
    total = np.maximum(np.sum(np.abs(ahead) * width) + change, 0.0)
    without: Floats = total / (n - 1)
    return without


def self_distances(
    values: Floats,
    size: Ints,
    n_draws: int,
    generator: np.random.Generator,
    *,
    progress: Callable[[int], object] | None = None,
    block: int = _BLOCK,
) -> Floats:
    """Distances between two disjoint random subsets of one collection of texts.

    Parameters
    ----------
    values : (N, M) float64
        Metrics of N texts, in an order that depends on nothing but the texts. NaN is a text of
        which the metric knows nothing.
    size : (M,) int64
        Texts in each subset, for each metric.
    n_draws : int
        Pairs of subsets.
    generator : numpy.random.Generator
        Orders the N texts at random once a draw.
    progress : callable, optional
        Called with the number of draws that are done, each time some are.
    block : int
        Positions held at once.

    Returns
    -------
    (n_draws, M) float64
        NaN for a metric known of fewer than twice `size` texts, or of size 0.

    Notes
    -----
    All metrics and sizes read the same random orders: the first `size` texts that a metric knows
    are one subset, the next `size` the other. Equal sizes make the distance the mean gap between
    the sorted subsets. Time O(n_draws (N + M size log size)), memory O(block + n_draws M).
    """
    known = ~np.isnan(values)
    usable = np.where((size > 0) & (known.sum(axis=0) >= 2 * size), size, 0)
    columns = np.asfortranarray(values)
    found = np.full((n_draws, values.shape[1]), np.nan)
    pools = _pools(known, usable)
    for start, order in _orders(len(values), n_draws, generator, block):
        rows = slice(start, start + len(order))
        for pool, n, metrics in pools:
            drawn = _known_first(order, pool)
            first = np.ascontiguousarray(drawn[:, :n])
            second = np.ascontiguousarray(drawn[:, n : 2 * n])
            for metric in metrics:
                column = columns[:, metric]
                found[rows, metric] = _gaps(column, first, column, second)
        if progress is not None:
            progress(len(order))
    return found


def subset_distances(
    x: Floats,
    y: Floats,
    size: int,
    n_draws: int,
    generator: np.random.Generator,
    *,
    skip: int = 0,
    block: int = _BLOCK,
) -> tuple[Floats, list[tuple[Bools, Ints]]]:
    """Distances of random subsets of paired samples.

    Parameters
    ----------
    x, y : (n, M) float64
        M metrics of n pairs, in an order that depends on nothing but the pairs. A pair with NaN is
        left out for that metric.
    size : int
        Pairs in a subset.
    n_draws : int
        Subsets.
    generator : numpy.random.Generator
        Orders the n pairs at random once a draw; each metric takes the first `size` it knows.
    skip : int
        Pairs passed over before that. ``skip=size`` from the same generator gives subsets that are
        disjoint from those without it.
    block : int
        Positions held at once.

    Returns
    -------
    found : (n_draws, M) float64
        Distances; NaN for a metric known of fewer than `skip` + `size` pairs.
    drawn : list of ((n_draws, n) bool, (k,) int64)
        Which pairs each subset holds, and the metrics that share these subsets.
    """
    known = ~(np.isnan(x) | np.isnan(y))
    usable = np.where(known.sum(axis=0) >= skip + size, size, 0)
    of_x, of_y = np.asfortranarray(x), np.asfortranarray(y)
    found = np.full((n_draws, x.shape[1]), np.nan)
    pools = _pools(known, usable)
    held = [np.zeros((n_draws, len(x)), dtype=np.bool_) for _ in pools]
    for start, order in _orders(len(x), n_draws, generator, block):
        rows = slice(start, start + len(order))
        for inside, (pool, n, metrics) in zip(held, pools, strict=True):
            pairs = np.ascontiguousarray(_known_first(order, pool)[:, skip : skip + n])
            np.put_along_axis(inside[rows], pairs, values=True, axis=1)
            for metric in metrics:
                found[rows, metric] = _gaps(of_x[:, metric], pairs, of_y[:, metric], pairs)
    return found, [(i, metrics) for i, (_, _, metrics) in zip(held, pools, strict=True)]


def _gaps(x: Floats, first: Ints, y: Floats, second: Ints) -> Floats:
    """Return the distance between ``x[first]`` and ``y[second]``, row by row, of equal sizes."""
    left, right = np.take(x, first), np.take(y, second)
    left.sort(axis=1)
    right.sort(axis=1)
    left -= right
    np.abs(left, out=left)
    mean: Floats = left.sum(axis=1) / first.shape[1]
    return mean


def _orders(
    n: int, n_draws: int, generator: np.random.Generator, block: int
) -> Iterator[tuple[int, Ints]]:
    """Yield blocks of random orders of n positions, each with the number of its first draw."""
    rows = max(1, block // max(n, 1))
    for start in range(0, n_draws, rows):
        plain = np.tile(np.arange(n), (min(rows, n_draws - start), 1))
        yield start, generator.permuted(plain, axis=1)


def _known_first(order: Ints, pool: Bools) -> Ints:
    """Return each row's positions that are in the pool, in the row's order."""
    if pool.all():
        return order
    drawn: Ints = order[pool[order]].reshape(len(order), -1)
    return drawn


def _pools(known: Bools, size: Ints) -> list[tuple[Bools, int, Ints]]:
    """Group the metrics that know the same texts and take as many: (texts, size, metrics)."""
    keys: dict[tuple[bytes, int], list[int]] = {}
    for metric, n in enumerate(size.tolist()):
        if n:
            keys.setdefault((known[:, metric].tobytes(), n), []).append(metric)
    return [(known[:, metrics[0]], n, np.array(metrics)) for (_, n), metrics in keys.items()]
