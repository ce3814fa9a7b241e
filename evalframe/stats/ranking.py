"""Ranks of arms: which are told apart, how often each leads, and which may be the best."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalframe.stats import draws
from evalframe.stats.arm_pairs import ArmPairs
from evalframe.stats.counted import MULTINOMIAL
from evalframe.stats.item_table import ItemTable
from evalframe.stats.products import group_sums
from evalframe.stats.rays import (
    directions,
    gathered,
    largest_of,
    quantile,
    root_around_mean,
    root_of_differences,
)
from evalframe.stats.segments import Floats, Ints
from evalframe.stats.value_order import ValueOrder

# Means of one resample this close, relative to the scores, are equal but for rounding.
_TIED = 2.0**-36
# Ranks are compared pair by pair: so many comparisons at once, about 4 MB.
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Ranks:
    """What draws say of D arms.

    Attributes
    ----------
    share : (D, D) float64
        Share of draws in which an arm (row) has rank 1, 2, ... (column); equal arms share the
        better rank.
    top : (D,) float64
        Share of draws that an arm leads, a tie for the lead split evenly. Sums to 1 over arms.
    """

    share: Floats
    top: Floats

    def limits(self, level: float) -> tuple[Ints, Ints]:
        """Return the quantiles (1 - level) / 2 and (1 + level) / 2 of each arm's rank."""
        reached = np.cumsum(self.share, axis=1)
        # Sums of shares have rounding errors; the shares themselves are whole numbers of draws.
        low, high = ((reached < edge - 1e-12).sum(axis=1) + 1 for edge in _tails(level))
        return low, high


def _tails(level: float) -> tuple[float, float]:
    return (1 - level) / 2, (1 + level) / 2


def ranks(values: Floats, scale: float) -> Ints:
    """Return 1 + the number of larger values in each row of (..., A) values, ties alike."""
    least = _TIED * scale
    return np.asarray(
        1 + (values[..., None, :] - values[..., :, None] > least).sum(axis=-1, dtype=np.int64)
    )


def ranks_of_draws(drawn: Floats, copies: Ints, order: ValueOrder, scale: float) -> Ranks:
    """Count the ranks of arms in draws of their means.

    Parameters
    ----------
    drawn : (B, D) float64
        Means of the different arms, in their places.
    copies : (D,) int64
        How many arms have each place.
    order : ValueOrder
    scale : float
        Size of the scores; differences within its rounding are ties.
    """
    n_arms, width = int(copies.sum()), drawn.shape[1]
    counts, top = np.zeros((width, n_arms)), np.zeros(width)
    step = max(1, _BLOCK // width**2)
    place = np.arange(width)
    for start in range(0, len(drawn), step):
        some = drawn[start : start + step]
        above = some[:, None, :] - some[:, :, None] > _TIED * scale
        rank = (above * copies).sum(axis=2, dtype=np.int64)
        key = (rank + place * n_arms).ravel()
        counts += np.bincount(key, minlength=width * n_arms).reshape(width, n_arms)
        leads = rank == 0
        top += (leads / (leads * copies).sum(axis=1, keepdims=True)).sum(axis=0)
    share = np.stack([order.equal(one) for one in (counts / len(drawn)).T], axis=1)
    return Ranks(share, order.equal(top / len(drawn)))


def told_apart(pairs: ArmPairs, limit: float, copies: Ints) -> tuple[Ints, Ints]:
    r"""Return confidence limits of all arms' ranks, from limits of their differences.

    Parameters
    ----------
    pairs : ArmPairs
    limit : float
        Standard errors that simultaneous limits are apart.
    copies : (D,) int64
        How many of the A arms each of the D different ones stands for.

    Returns
    -------
    low, high : (D,) int64

    Notes
    -----
    The limits of an arm's rank are 1 + the number of arms that are surely better and A - the number
    that are surely worse [1]_. They hold for all arms at once where those of differences do.

    References
    ----------
    .. [1] Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for ranks with applications to
       mobility across neighbourhoods and academic achievement across countries, Review of Economic
       Studies 91(1), 476-518, doi:10.1093/restud/rdad006.
    """
    sure = pairs.tested & (np.abs(pairs.diff) > limit * pairs.se)
    better, worse = np.zeros((2, len(copies)), dtype=np.int64)
    for low, high, rows in (
        (pairs.first, pairs.second, sure & (pairs.diff > 0)),
        (pairs.second, pairs.first, sure & (pairs.diff < 0)),
    ):
        np.add.at(better, low[rows], copies[high[rows]])
        np.add.at(worse, high[rows], copies[low[rows]])
    return 1 + better, int(copies.sum()) - worse


@dataclass(frozen=True, slots=True)
class Critical:
    """Standard errors that limits of a leaderboard are apart.

    Attributes
    ----------
    all_pairs : float
        For the differences of every two arms.
    others : (A,) float64
        For what the others are better than each arm, one-sided.
    """

    all_pairs: float
    others: Floats


def critical_values(
    pairs: ArmPairs, n_arms: int, level: float, generator: np.random.Generator, n_draws: int
) -> Critical:
    r"""Find the critical values of a leaderboard.

    Parameters
    ----------
    pairs : ArmPairs
        Of different arms, in an order that follows from their values.
    n_arms : int
        A.
    level : float
    generator : numpy.random.Generator
    n_draws : int

    Notes
    -----
    An arm is among those that may be the best unless another is better by more than its one-sided
    critical value. The best arm is kept with chance `level`, whichever it is: it is Gupta's subset,
    and the arms whose upper limit in Hsu's comparison with the best is above 0 [1]_, here with the
    correlations of the sample.

    References
    ----------
    .. [1] Hsu (1981), Simultaneous confidence intervals for all distances from the "best", Annals
       of Statistics 9(5), 1026-1034, doi:10.1214/aos/1176345582.
    """
    chosen = np.flatnonzero(pairs.tested)
    if len(chosen) == 0:
        return Critical(np.nan, np.full(n_arms, np.nan))
    first, second, df = pairs.first[chosen], pairs.second[chosen], float(pairs.df[chosen[0]])
    variance = np.zeros((n_arms, n_arms))
    variance[pairs.first, pairs.second] = variance[pairs.second, pairs.first] = pairs.se**2
    root = root_of_differences(variance, first, second)
    every, one = [], []
    mine = [(np.flatnonzero(first == arm), np.flatnonzero(second == arm)) for arm in range(n_arms)]
    for part in directions(root, df, generator, n_draws):
        every.append(largest_of(part))
        # Each direction with its opposite: what is far out on one side is so on the other.
        one += [_ahead(part, mine), _ahead(-part, mine)]
    others = [
        quantile([gathered(row, root, df)], level) if len(as_first) + len(as_second) else np.nan
        for row, (as_first, as_second) in zip(np.concatenate(one, axis=1), mine, strict=True)
    ]
    both = quantile([gathered(np.concatenate(every), root, df)], level)
    return Critical(both, np.array(others))


def _ahead(part: Floats, mine: list[tuple[Ints, Ints]]) -> Floats:
    """Return the largest statistic by which others are ahead of each arm, (A, n)."""
    ahead = np.empty((len(mine), len(part)))
    for arm, (as_first, as_second) in enumerate(mine):
        above = part[:, as_first].max(axis=1, initial=-np.inf)
        ahead[arm] = np.maximum(above, -part[:, as_second].min(axis=1, initial=np.inf))
    return ahead


def may_be_best(pairs: ArmPairs, others: Floats) -> NDArray[np.bool_]:
    """Return which arms no other is surely better than."""
    best = np.ones(len(others), dtype=np.bool_)
    for arm, sign in ((pairs.first, 1.0), (pairs.second, -1.0)):
        beaten = pairs.tested & (sign * pairs.diff > others[arm] * pairs.se)
        best[arm[beaten]] = False
    return best


def normal_draws(
    mean: Floats, pairs: ArmPairs, generator: np.random.Generator, n_draws: int
) -> Floats:
    """Draw means of D arms from their normal law, (B, D), all but what they have in common."""
    width = len(mean)
    variance = np.zeros((width, width))
    variance[pairs.first, pairs.second] = variance[pairs.second, pairs.first] = pairs.se**2
    root = root_around_mean(variance)
    return np.asarray(mean + generator.standard_normal((n_draws, len(root))) @ root)


def resampled_means(
    items: ItemTable, generator: np.random.Generator, n_boot: int, tick: draws.Tick | None
) -> Floats:
    """Draw items (whole clusters where there are any) with all their arms, and return the means.

    Parameters
    ----------
    items : ItemTable
        Complete, of different arms in an order that follows from their values.
    generator : numpy.random.Generator
    n_boot : int
        B.
    tick : callable, optional
        Told how many resamples were made.

    Returns
    -------
    (B, D) float64
        With clusters the sum over drawn items over their number, which varies.

    Notes
    -----
    Counts of units times the unit x arm matrix, a few resamples at a time. The matrix is rounded to
    whole steps of 2^-41 of its largest number (2,000 units), so that sums are exact.
    """
    values, size = items.series, np.ones(items.series.shape[1])
    if items.groups is not None:
        values = group_sums(values, *items.groups)
        size = np.diff(np.append(items.groups[1], items.series.shape[1])).astype(np.float64)
    units = np.concatenate([values, size[None]])
    units = units[:, np.lexsort(units[::-1])]
    n = units.shape[1]
    new = np.concatenate([[True], (np.diff(units) != 0).any(axis=0)])
    copies = np.diff(np.append(np.flatnonzero(new), n))
    few = len(copies) * MULTINOMIAL <= n
    table = units[:, new] if few else units
    step = np.frexp(np.abs(table).max(axis=1, initial=0.0))[1] - (52 - n.bit_length())
    whole = np.rint(np.ldexp(table, -step[:, None])).T.copy()

    def draw(own: np.random.Generator, rows: int) -> Floats:
        drawn = own.multinomial(n, copies / n, rows) if few else draws.counts(own, rows, n)
        total = np.ldexp(drawn.astype(np.float64) @ whole, step)
        return np.asarray(total[:, :-1] / total[:, -1:])

    return draws.in_blocks(draw, n_boot, len(table.T) * 2, generator, width=len(values), tick=tick)
