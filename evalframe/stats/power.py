"""How large a difference an evaluation can find, and how many items it takes."""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from evalframe.stats.segments import Floats

# A count this close above a whole number is that number, moved by rounding.
_ROUNDING = 1e-12


def quantiles(power: float, alpha: float) -> tuple[float, float]:
    """Return the normal quantiles of a two-sided test's size and of its power, both exact."""
    return float(scipy.special.ndtri(1 - alpha / 2)), float(scipy.special.ndtri(power))


def items_needed(effect: ArrayLike, unit_variance: ArrayLike, power: float, alpha: float) -> Floats:
    r"""Items with which a two-sided z-test finds an effect.

    Parameters
    ----------
    effect : array_like
        Difference to find, not 0.
    unit_variance : array_like
        Variance of the estimate times the number of items: of an item's difference, times the
        design effect of clusters.
    power, alpha : float
        Chance of finding the effect, and of finding one that is not there.

    Returns
    -------
    float64 array
        Whole numbers of at least 2; NaN where the variance is not known, and inf where no float
        holds so many.

    Notes
    -----
    :math:`n = \lceil (z_{1 - \alpha / 2} + z_\text{power})^2 V / \delta^2 \rceil`. The chance of a
    significant result of the wrong sign is left out, which errs on the side of more items.

    Examples
    --------
    >>> items_needed(0.02, 0.35**2, 0.8, 0.05)
    array(2404.)
    """
    size, found = quantiles(power, alpha)
    variance, delta = np.asarray(unit_variance, dtype=np.float64), np.asarray(effect, np.float64)
    with np.errstate(divide="ignore", over="ignore"):
        wanted = (size + found) ** 2 * (variance / delta / delta)
    whole = np.ceil(wanted * (1 - _ROUNDING))
    return np.asarray(np.where(np.isnan(wanted), np.nan, np.maximum(whole, 2.0)))


def smallest_effect(se: ArrayLike, power: float, alpha: float) -> Floats:
    """Smallest difference that a two-sided z-test finds with the given power.

    Examples
    --------
    >>> smallest_effect(0.35 / 500**0.5, 0.8, 0.05).round(6)
    np.float64(0.043852)
    """
    size, found = quantiles(power, alpha)
    return np.asarray((size + found) * np.asarray(se, dtype=np.float64))


def power_of(effect: ArrayLike, se: ArrayLike, alpha: float) -> Floats:
    """Chance that a two-sided z-test rejects a difference of 0, on either side.

    Examples
    --------
    >>> power_of(0.0, 1.0, 0.05).round(6)
    np.float64(0.05)
    """
    size, _ = quantiles(0.5, alpha)
    effect, se = np.asarray(effect, dtype=np.float64), np.asarray(se, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        shift = np.abs(effect) / se
    upper, lower = scipy.special.ndtr(shift - size), scipy.special.ndtr(-shift - size)
    return np.asarray(upper + lower)


def correlation_bounds(p_a: float, p_b: float) -> tuple[float, float]:
    r"""Smallest and largest correlation that two 0/1 scores with these means can have.

    Parameters
    ----------
    p_a, p_b : float
        Means, between 0 and 1, both excluded.

    Returns
    -------
    low, high : float

    Notes
    -----
    The chance that both are right lies between max(0, p_a + p_b - 1) and min(p_a, p_b) [1]_.

    References
    ----------
    .. [1] Frechet (1951), Sur les tableaux de correlation dont les marges sont donnees, Annales de
       l'Universite de Lyon, Section A 14, 53-77.

    Examples
    --------
    >>> low, high = correlation_bounds(0.9, 0.5)
    >>> round(low, 4), round(high, 4)
    (-0.3333, 0.3333)
    """
    spread = float(np.sqrt(p_a * (1 - p_a) * p_b * (1 - p_b)))
    product = p_a * p_b
    return (max(0.0, p_a + p_b - 1) - product) / spread, (min(p_a, p_b) - product) / spread
