"""Adjusting p-values for how many tests were made."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray


def adjust(p: ArrayLike, method: str) -> NDArray[np.float64]:
    r"""Adjust a family of p-values.

    An adjusted p-value at or below a level is a rejection at that level, for the family as a whole.

    Parameters
    ----------
    p : (m,) array_like
        p-values in [0, 1]. NaN is a test that could not be made: it stays NaN in its place and does
        not count in the family.
    method : {"holm", "hochberg", "hommel", "bonferroni", "bh", "by"}
        ``"holm"`` and ``"bonferroni"`` bound the chance of any false rejection, whatever the
        dependence of the tests; Holm is never larger. ``"hochberg"`` and ``"hommel"`` bound it for
        independent or positively dependent tests; Hommel is never larger than Hochberg, nor that
        than Holm. ``"bh"`` bounds the expected share of false rejections among the rejections, for
        independent or positively dependent tests, and ``"by"`` whatever the dependence.

    Returns
    -------
    adjusted : (m,) float64
        In the order of `p`, at least `p`, at most 1, and ordered as `p` is.

    Raises
    ------
    ValueError
        If `method` is none of these.

    Notes
    -----
    With :math:`p_{(1)} \le \dots \le p_{(m)}` the p-values that exist, the smaller of 1 and

    - Bonferroni: :math:`m \, p_{(i)}`;
    - Holm [1]_: :math:`\max_{j \le i} (m - j + 1) \, p_{(j)}`;
    - Hochberg [3]_: :math:`\min_{j \ge i} (m - j + 1) \, p_{(j)}`;
    - Hommel [4]_: the largest over subsets that hold test i of Simes' p-value of the subset, found
      as in [5]_;
    - Benjamini and Hochberg [2]_: :math:`\min_{j \ge i} (m / j) \, p_{(j)}`;
    - Benjamini and Yekutieli [6]_: the same times :math:`\sum_{j \le m} 1 / j`.

    Time O(m log m), Hommel O(m^2).

    References
    ----------
    .. [1] Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian J.
       Statistics 6(2), 65-70.
    .. [2] Benjamini and Hochberg (1995), Controlling the false discovery rate, J. Royal Statistical
       Society B 57(1), 289-300, doi:10.1111/j.2517-6161.1995.tb02031.x.
    .. [3] Hochberg (1988), A sharper Bonferroni procedure for multiple tests of significance,
       Biometrika 75(4), 800-802.
    .. [4] Hommel (1988), A stagewise rejective multiple test procedure based on a modified
       Bonferroni test, Biometrika 75(2), 383-386.
    .. [5] Wright (1992), Adjusted p-values for simultaneous inference, Biometrics 48(4), 1005-1013.
    .. [6] Benjamini and Yekutieli (2001), The control of the false discovery rate in multiple
       testing under dependency, Annals of Statistics 29(4), 1165-1188.

    Examples
    --------
    >>> adjust([0.01, 0.02, np.nan, 0.2], "holm")
    array([0.03, 0.04,  nan, 0.2 ])
    """
    if method not in _SORTED:
        choices = ", ".join(repr(choice) for choice in METHODS)
        raise ValueError(f"method must be one of {choices}, not {method!r}")
    p = np.asarray(p, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    adjusted = np.full(p.shape, np.nan)
    adjusted[order] = np.minimum(_SORTED[method](p[order]), 1.0)
    return adjusted


def _holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.maximum.accumulate(p * np.arange(len(p), 0, -1))


def _bh(p: NDArray[np.float64]) -> NDArray[np.float64]:
    # The factor is taken first, so that rounding never brings a product below p itself.
    scaled = p * (len(p) / np.arange(1, len(p) + 1))
    return np.minimum.accumulate(scaled[::-1])[::-1]


def _by(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return _bh(p) * np.sum(1.0 / np.arange(1, len(p) + 1))


def _hochberg(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.minimum.accumulate((p * np.arange(len(p), 0, -1))[::-1])[::-1]


def _hommel(p: NDArray[np.float64]) -> NDArray[np.float64]:
    m = len(p)
    rank = np.arange(1, m + 1)
    simes = np.full(m, np.min(p * (m / rank), initial=np.inf))
    adjusted = simes.copy()
    # Wright's algorithm: for subsets of each size, the worst one that holds a given test.
    for size in range(m - 1, 1, -1):
        first = m - size + 1
        tail = np.min(size * p[first:] / np.arange(2, size + 1))
        simes[:first] = np.minimum(size * p[:first], tail)
        simes[first:] = simes[first - 1]
        adjusted = np.maximum(adjusted, simes)
    return np.maximum(adjusted, p)


def _bonferroni(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return p * len(p)


_SORTED: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "holm": _holm,
    "hochberg": _hochberg,
    "hommel": _hommel,
    "bonferroni": _bonferroni,
    "bh": _bh,
    "by": _by,
}
METHODS = tuple(_SORTED)
