"""Games between two arms, counted by who met whom and how it ended."""

from dataclasses import dataclass, replace

import numpy as np

from evalframe.stats.segments import Floats, Ints

# How a game ended for the arm that stands first.
WON, TIED, LOST = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Games:
    """Games between two different arms.

    Attributes
    ----------
    first, second : (n,) int64
        The arms, codes 0 to A - 1; never the same.
    outcome : (n,) int64
        `WON`, `TIED` or `LOST` by the first.
    cluster : (n,) int64 or None
        What dependent games share, codes 0 to G - 1; None where games are independent.
    n_arms : int
        A.
    """

    first: Ints
    second: Ints
    outcome: Ints
    cluster: Ints | None
    n_arms: int

    @property
    def cell(self) -> Ints:
        """The (first, second, outcome) of each game as one number."""
        return (self.first * self.n_arms + self.second) * 3 + self.outcome

    def take(self, rows: Ints) -> "Games":
        """Return some of the games."""
        cluster = None if self.cluster is None else self.cluster[rows]
        return Games(self.first[rows], self.second[rows], self.outcome[rows], cluster, self.n_arms)

    def renamed(self, place: Ints, n_arms: int, *, sided: bool) -> "Games":
        """Return the games with arm i as ``place[i]``; without sides the lower arm first."""
        first, second, outcome = place[self.first], place[self.second], self.outcome
        if not sided:
            swap = first > second
            first, second = np.where(swap, second, first), np.where(swap, first, second)
            outcome = np.where(swap, LOST - outcome, outcome)
        return replace(self, first=first, second=second, outcome=outcome, n_arms=n_arms)


def count_games(games: Games) -> Floats:
    """Return how many games of each pair ended how, (3, A, A): ``[outcome, first, second]``.

    Examples
    --------
    >>> two = Games(np.array([0, 0]), np.array([1, 1]), np.array([WON, TIED]), None, 2)
    >>> count_games(two)[:, 0, 1]
    array([1., 1., 0.])
    """
    n = games.n_arms
    counts = np.bincount(games.cell, minlength=3 * n * n).astype(np.float64)
    return np.ascontiguousarray(np.moveaxis(counts.reshape(n, n, 3), 2, 0))


def records(counts: Floats) -> tuple[Ints, Ints, Ints]:
    """Return how many games each arm won, tied and lost, (A,) each, on either side."""
    won, tied, lost = counts
    wins = won.sum(axis=1) + lost.sum(axis=0)
    ties = tied.sum(axis=1) + tied.sum(axis=0)
    losses = lost.sum(axis=1) + won.sum(axis=0)
    return wins.astype(np.int64), ties.astype(np.int64), losses.astype(np.int64)
