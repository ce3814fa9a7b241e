"""An order of arms that depends on their games alone, so that names change no number.

The last digits of a linear solve depend on the order of its unknowns. Arms are therefore put into
an order that follows from the games: each gets a number from its own record, then from the numbers
of those it met, and so on (colour refinement, the one-dimensional Weisfeiler-Leman algorithm).
"""

from dataclasses import dataclass

import numpy as np

from evalframe.stats.games import LOST, Games
from evalframe.stats.hashes import Hashes, scattered
from evalframe.stats.segments import Floats, Ints

# Work that telling arms apart may cost, in rounds times entries.
_WORK = 50_000_000
# Two numbers of arms alike this close, relative to their scale, differ by rounding alone.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class ArmOrder:
    """Arms in an order that follows from their games.

    Attributes
    ----------
    order : (A,) int64
        The arm at each place.
    colour : (A,) int64
        A code of the arm at each place; arms that no counts tell apart share one.
    """

    order: Ints
    colour: Ints

    @property
    def place(self) -> Ints:
        """The place of each arm."""
        place = np.empty_like(self.order)
        place[self.order] = np.arange(len(self.order))
        return place

    def settled(self, values: Floats, scale: float) -> Floats:
        """Return (A,) values, made equal where arms alike differ by rounding of this scale."""
        out = values.copy()
        for colour in np.flatnonzero(np.bincount(self.colour) > 1):
            mine = np.flatnonzero(self.colour == colour)
            mine = mine[np.argsort(values[mine], kind="stable")]
            gaps = np.diff(values[mine]) > _ROUNDING * scale
            for alike in np.split(mine, np.flatnonzero(gaps) + 1):
                out[alike] = values[alike].mean()
        return out


def arm_order(counts: Floats, games: Games, *, sided: bool) -> ArmOrder:
    """Find an order of arms from their games.

    Parameters
    ----------
    counts : (3, A, A) float64
        Of `count_games`.
    games : Games
        The same games; looked at where counts leave arms alike and games share clusters.
    sided : bool
        Whether standing first or second tells arms apart.

    Returns
    -------
    ArmOrder

    Notes
    -----
    Arms of one colour have equal strengths in every Bradley-Terry fit: the likelihood equations of
    a solution constant on colours are the same for all arms of a colour, and the solution is
    unique. Where arms are still alike, one is set apart and the others follow; if those alike can
    be exchanged without changing the games, it does not matter which.
    """
    n = games.n_arms
    edges = _edges(counts, sided)
    colour = _refine(np.zeros(n, dtype=np.uint64), edges, None, sided)
    alike = np.unique(colour, return_inverse=True)[1]
    shared = None if games.cluster is None or len(np.unique(colour)) == n else games
    colour = _refine(colour, edges, shared, sided)
    rounds = _WORK // (edges.size + (0 if shared is None else len(games.first)) + 1)
    for _ in range(rounds):
        seen, first, copies = np.unique(colour, return_index=True, return_counts=True)
        if len(seen) == n:
            break
        one = first[np.flatnonzero(copies > 1)[0]]
        colour[one : one + 1] = scattered(colour[one : one + 1] + np.uint64(1))
        colour = _refine(colour, edges, shared, sided)
    order = np.argsort(colour, kind="stable")
    return ArmOrder(order, alike[order].astype(np.int64))


def _edges(counts: Floats, sided: bool) -> Hashes:
    """Return a number of each arm's games against each other, (A, A); 0 where there are none."""
    views = [*counts, *(one.T for one in counts[::-1])]
    if not sided:
        views = [views[k] + views[k + 3] for k in range(3)]
    edge = np.zeros(counts.shape[1:], dtype=np.uint64)
    for view in views:
        edge = scattered(edge * np.uint64(3) + view.astype(np.uint64) + np.uint64(1))
    return np.where(counts.sum(axis=0) + counts.sum(axis=0).T > 0, edge, np.uint64(0))


def _refine(colour: Hashes, edges: Hashes, games: Games | None, sided: bool) -> Hashes:
    """Give arms numbers by what they met, until that tells no more of them apart."""
    n_seen = 0
    while n_seen < len(np.unique(colour)):
        n_seen = len(np.unique(colour))
        met = np.where(edges > 0, scattered(edges ^ scattered(colour + np.uint64(7))), np.uint64(0))
        # Sums of 64-bit integers wrap around, and are the same in any order.
        total = met.sum(axis=1, dtype=np.uint64)
        if games is not None and games.cluster is not None:
            total += _shared(colour, games, games.cluster, sided)
        colour = scattered(colour * np.uint64(5) + total)
    return colour


def _shared(colour: Hashes, games: Games, cluster: Ints, sided: bool) -> Hashes:
    """Return a number of the clusters that each arm's games lie in, (A,)."""
    end = games.outcome.astype(np.uint64)
    side = np.uint64(16 if sided else 0)
    first = scattered(colour[games.first] + end)
    second = scattered(colour[games.second] + (np.uint64(LOST) - end) + side)
    inside = np.zeros(int(cluster.max(initial=-1)) + 1, dtype=np.uint64)
    np.add.at(inside, cluster, scattered(first + second))
    around = scattered(inside)[cluster]
    total = np.zeros(len(colour), dtype=np.uint64)
    np.add.at(total, games.first, scattered(around + first * np.uint64(3) + second))
    np.add.at(total, games.second, scattered(around + second * np.uint64(3) + first))
    return total
