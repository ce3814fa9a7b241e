"""Sign-flip test of paired differences: under the null each unit's sign is a fair coin."""

from dataclasses import dataclass

import numpy as np
import scipy

from evalframe.stats import draws
from evalframe.stats.segments import Floats, Ints

ALTERNATIVES = ("two-sided", "greater", "less")
# Different sums that are followed at once. The law is exact where they are fewer.
MOST = 1 << 18
# Sums this close, relative to the sum of all sizes, are one: they differ by rounding.
_ROUNDING = 1e-12
_FEW = 64


@dataclass(frozen=True, slots=True)
class SignFlips:
    """A p-value and how it was found.

    Attributes
    ----------
    p_value : float
        NaN without a unit.
    exact : bool
        Whether all sign patterns were counted.
    """

    p_value: float
    exact: bool


def sign_flips(
    total: Floats,
    alternative: str,
    n_perm: int,
    generator: np.random.Generator,
    *,
    threads: int = 2,
    tick: draws.Tick | None = None,
) -> SignFlips:
    r"""Test whether the sum of units' differences is 0.

    Parameters
    ----------
    total : (G,) float64
        The difference of each item, or summed over each cluster. No NaN.
    alternative : {"two-sided", "greater", "less"}
    n_perm : int
        Random sign patterns, where they are too many to count.
    generator : numpy.random.Generator
    threads : int
        It changes no number.
    tick : callable, optional
        Told how many patterns were made.

    Returns
    -------
    SignFlips

    Notes
    -----
    Under the null hypothesis that each unit's difference is symmetric about 0, all sign patterns
    are equally likely [1]_. The law of the sum is built one size of difference at a time, equal
    sums put together, so that differences on a grid (grades of 0 and 1, their cluster sums) are
    counted exactly at any G. For differences of -1, 0 and 1 that is McNemar's exact test. Random
    patterns give (1 + c) / (1 + B), c of B being as extreme [2]_.

    References
    ----------
    .. [1] Fisher (1935), The Design of Experiments, section 21.
    .. [2] Phipson and Smyth (2010), Permutation p-values should never be zero, Stat. Appl. Genet.
       Mol. Biol. 9(1), article 39, doi:10.2202/1544-6115.1585.
    """
    if len(total) == 0:
        return SignFlips(np.nan, False)
    observed = float(np.sort(total).sum())
    size, copies = np.unique(np.abs(total[total != 0]), return_counts=True)
    if len(size) == 0:
        return SignFlips(1.0, True)
    near = _ROUNDING * float((size * copies).sum())
    law = _law(size, copies, near)
    if law is not None:
        values, probability = law
        return SignFlips(
            min(1.0, float(probability[_extreme(values, observed, alternative, near)].sum())), True
        )
    count = _random(size, copies, n_perm, generator, threads, tick)
    n_extreme = int(_extreme(count, observed, alternative, near).sum())
    return SignFlips((1 + n_extreme) / (1 + n_perm), False)


def exact_flips(total: Floats) -> float:
    """Two-sided p of `sign_flips` without draws: normal where the patterns are too many to count.

    Parameters
    ----------
    total : (G,) float64
        The difference of each unit. No NaN.

    Returns
    -------
    float
        1 where no unit differs.

    Examples
    --------
    >>> round(exact_flips(np.array([1.0, 1.0, 1.0, 0.0, -1.0])), 6)
    0.625
    """
    observed, square = abs(float(np.sort(total).sum())), float(np.sort(total**2).sum())
    size, copies = np.unique(np.abs(total[total != 0]), return_counts=True)
    if len(size) == 0:
        return 1.0
    near = _ROUNDING * float((size * copies).sum())
    law = _law(size, copies, near)
    if law is None:
        return float(scipy.special.erfc(observed / np.sqrt(2.0 * square)))
    values, probability = law
    return min(1.0, float(probability[_extreme(values, observed, "two-sided", near)].sum()))


def _extreme(values: Floats, observed: float, alternative: str, near: float) -> np.ndarray:
    if alternative == "greater":
        return values >= observed - near
    if alternative == "less":
        return values <= observed + near
    return np.abs(values) >= abs(observed) - near


def _law(size: Floats, copies: Ints, near: float) -> tuple[Floats, Floats] | None:
    """Return the different sums and their probabilities; None where they are too many."""
    values, probability = np.zeros(1), np.ones(1)
    for one, n in zip(size.tolist(), copies.tolist(), strict=True):
        if len(values) * (n + 1) > 16 * MOST:
            return None
        plus = np.arange(n + 1)
        chance = np.exp(_log_choose(n, plus) - n * np.log(2))
        values = (values[:, None] + one * (2 * plus - n)).ravel()
        values, probability = _merged(values, (probability[:, None] * chance).ravel(), near)
        if len(values) > MOST:
            return None
    return values, probability / probability.sum()


def _log_choose(n: int, k: Ints) -> Floats:
    log = scipy.special.gammaln
    return np.asarray(log(n + 1.0) - log(k + 1.0) - log(n - k + 1.0))


def _merged(values: Floats, probability: Floats, near: float) -> tuple[Floats, Floats]:
    """Put values together that differ by rounding alone."""
    order = np.argsort(values, kind="stable")
    values, probability = values[order], probability[order]
    first = np.flatnonzero(np.diff(values, prepend=-np.inf) > near)
    return values[first], np.add.reduceat(probability, first)


def _random(
    size: Floats,
    copies: Ints,
    n_perm: int,
    generator: np.random.Generator,
    threads: int,
    tick: draws.Tick | None,
) -> Floats:
    """Return the sums of random sign patterns."""
    n = int(copies.sum())
    if len(size) * _FEW <= n:

        def few(own: np.random.Generator, rows: int) -> Floats:
            plus = own.binomial(copies, 0.5, size=(rows, len(copies)))
            return np.asarray(((2 * plus - copies) * size).sum(axis=1))

        return draws.in_blocks(few, n_perm, len(size), generator, threads=threads, tick=tick)[:, 0]
    each = np.repeat(size, copies)

    def many(own: np.random.Generator, rows: int) -> Floats:
        bits = np.unpackbits(np.frombuffer(own.bytes(rows * (-(-n // 8))), np.uint8))
        plus = bits.reshape(rows, -1)[:, :n]
        return np.asarray(2 * (plus * each).sum(axis=1) - each.sum())

    return draws.in_blocks(many, n_perm, n, generator, threads=threads, tick=tick)[:, 0]
