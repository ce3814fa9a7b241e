"""How far out the largest of correlated t statistics lies, by directions and exact distances.

Normal numbers are a direction and a distance from the middle that are independent of each other.
Directions are drawn; the chance of every distance along one is known from the chi squared or F
distribution. That is more accurate than drawing both, and exact for a single statistic.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from evalframe.stats.segments import Floats, Ints

# Numbers held at once: about 1 MB, which stays in the cache. It never sets a number.
_BLOCK = 1 << 17
# Directions are drawn so many at a time, whatever fits into memory.
_DRAWN = 512
# From here on the standard errors' own chance moves a quantile by about half a percent.
_STEADY = 200
# Products of numbers that drawing standard errors may take, and directions that it needs at least.
_WORK, _LEAST = 4_000_000_000, 1_000
# Eigenvalues below this share of the largest are rounding.
_NOTHING = 1e-12
# Directions that the share of one family among many needs at least.
_LEAST_SHARE = 512
# Directions of like reach are taken together, in so many lots.
_LOTS = 512


@dataclass(frozen=True, slots=True)
class Rays:
    """The largest of K statistics along some directions.

    Attributes
    ----------
    reach : (L,) float64
        The largest statistic at distance 1, each for as many directions.
    rank : int
        Dimensions of the directions.
    df : float
        Of a standard error that all statistics share; infinite where errors were drawn or known.
    """

    reach: Floats
    rank: int
    df: float

    def chance(self, limit: float) -> float:
        """Return the chance that the largest statistic stays below a limit above 0."""
        out = self.reach > 0
        squared = (limit / self.reach[out]) ** 2
        if np.isfinite(self.df):
            inside = scipy.special.fdtr(self.rank, self.df, squared / self.rank)
        else:
            inside = scipy.special.chdtr(self.rank, squared)
        return float((inside.sum() + np.count_nonzero(~out)) / len(self.reach))


@dataclass(frozen=True, slots=True)
class Bound:
    """Statistics whose correlations are not known: no more than the sum of their chances.

    Attributes
    ----------
    n : int
    df : float
    """

    n: int
    df: float

    def chance(self, limit: float) -> float:
        """Return a lower bound of the chance that the largest stays below a limit."""
        beyond = 2 * float(scipy.special.stdtr(self.df, -limit))
        return max(0.0, 1 - self.n * beyond)


def root_of(covariance: Floats) -> Floats:
    """Return (r, K) numbers whose inner products of columns are the (K, K) covariance."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > _NOTHING * max(float(values[-1]), 0.0) if len(values) else values > 0
    return np.asarray((vectors[:, kept] * np.sqrt(values[kept])).T)


def root_around_mean(variance: Floats) -> Floats:
    """Return the root of the covariance of estimates around their mean.

    It follows from the (A, A) variances of their differences alone.
    """
    row = variance.mean(axis=0)
    return root_of((row[:, None] + row - variance - row.mean()) / 2)


def root_of_differences(variance: Floats, first: Ints, second: Ints) -> Floats:
    """Return (r, P) numbers whose inner products of columns are the correlations of differences.

    Parameters
    ----------
    variance : (A, A) float64
        Variances of the differences of any two of A estimates.
    first, second : (P,) int64
        The estimates whose difference is taken; their variance is above 0.
    """
    root = root_around_mean(variance)
    differences = root[:, second] - root[:, first]
    return np.asarray(differences / np.sqrt((differences**2).sum(axis=0)))


def directions(
    root: Floats, df: float, generator: np.random.Generator, n_draws: int, *, own: bool = True
) -> Iterator[Floats]:
    """Draw directions, and return each statistic at distance 1 along them.

    Parameters
    ----------
    root : (r, K) float64
        Columns of length 1; their inner products are the correlations.
    df : float
        Degrees of freedom of the standard errors; infinite where they are known.
    generator : numpy.random.Generator
    n_draws : int
    own : bool
        Whether each statistic has a standard error of its own, drawn with the same correlations.

    Yields
    ------
    (n, K) float64
    """
    rank, width = root.shape
    drawn = own_errors(root, df) if own else False
    rows = rank if rank <= df else int(df)
    if drawn:
        n_draws = min(n_draws, max(_LEAST, _WORK // (rows * rank * width)))
    step = max(1, _BLOCK // max(width * rows, 1)) if drawn else max(1, _BLOCK // width)
    for start in range(0, n_draws, _DRAWN):
        n = min(_DRAWN, n_draws - start)
        point = generator.standard_normal((n, rank))
        point /= np.sqrt((point**2).sum(axis=1))[:, None]
        scatter = _scatter(rank, int(df), generator, n) if drawn else None
        for first in range(0, n, step):
            part = point[first : first + step] @ root
            if scatter is not None:
                some = scatter[first : first + step]
                spread = (some.reshape(-1, rank) @ root).reshape(len(some), rows, width)
                part /= np.sqrt(np.einsum("nrk,nrk->nk", spread, spread) / df)
            yield part


def drawn_each(n_draws: int, n_families: int) -> int:
    """Return how many of the directions each of some families gets."""
    return max(min(_LEAST_SHARE, n_draws), n_draws // max(n_families, 1))


def own_errors(root: Floats, df: float) -> bool:
    """Say whether the chance of each standard error matters: few df, and statistics that differ."""
    return df < _STEADY and len(root) > 1


def _scatter(rank: int, df: int, generator: np.random.Generator, n: int) -> Floats:
    """Draw roots of the scatter of df normal points in `rank` dimensions, (n, rows, rank)."""
    if df < rank:
        return generator.standard_normal((n, df, rank))
    # Bartlett (1933): a triangle of normal numbers with roots of chi squared ones on its diagonal.
    triangle = np.triu(generator.standard_normal((n, rank, rank)), 1)
    place = np.arange(rank)
    triangle[:, place, place] = np.sqrt(generator.chisquare(df - np.arange(rank), (n, rank)))
    return triangle


def gathered(largest: Floats, root: Floats, df: float, *, own: bool = True) -> Rays:
    """Return the rays of directions whose largest statistics at distance 1 are given."""
    ordered = np.sort(largest)
    size = max(1, len(ordered) // _LOTS)
    lots = len(ordered) // size
    reach = ordered[: lots * size].reshape(lots, size).mean(axis=1)
    return Rays(reach, len(root), np.inf if own and own_errors(root, df) else df)


def two_sided(
    root: Floats, df: float, generator: np.random.Generator, n_draws: int, *, own: bool = True
) -> Rays:
    """Return the rays of the largest absolute statistic."""
    drawn = directions(root, df, generator, n_draws, own=own)
    return gathered(np.concatenate([largest_of(part) for part in drawn]), root, df, own=own)


def largest_of(part: Floats) -> Floats:
    """Return the largest absolute statistic of each direction."""
    return np.asarray(np.maximum(part.max(axis=1), -part.min(axis=1)))


def quantile(families: Sequence[Rays | Bound], level: float) -> float:
    """Return the limit that the largest statistic of all families stays below with chance `level`.

    Families are taken as independent. Where they depend on each other the limit holds with a
    larger chance, if they are two-sided [1]_.

    References
    ----------
    .. [1] Royen (2014), A simple proof of the Gaussian correlation conjecture extended to
       multivariate gamma distributions, Far East J. Theoretical Statistics 48(2), 139-145,
       arXiv:1408.1028.
    """
    if not families:
        return float("nan")

    def chance(limit: float) -> float:
        product = 1.0
        for family in families:
            product *= family.chance(limit)
        return product

    low, high = 0.0, 1.0
    while chance(high) < level:
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) < level else (low, middle)
    return high
