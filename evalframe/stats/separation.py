"""Whether games have finite strengths that fit them best, and which arms stand in the way."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from evalframe.stats.games import LOST, TIED, WON
from evalframe.stats.segments import Floats, Ints

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Separation:
    """What stands in the way of finite strengths.

    Attributes
    ----------
    component : (A,) int64
        Arms that chains of games join share a code; one code: all can be compared.
    level : (A,) int64
        Arms that chains of games won or tied join in both directions share a code (strong
        components); one code: Ford's condition holds.
    direction : (A + 2,) float64 or None
        Strengths, side effect and tie parameter that can grow without end and fit ever better;
        None where there are none, or where another fault comes first.
    sides_known : bool
        Whether the side effect can be told from the strengths; True without one.
    """

    component: Ints
    level: Ints
    direction: Floats | None
    sides_known: bool

    @property
    def connected(self) -> bool:
        """Whether chains of games join all arms."""
        return bool(self.component.max(initial=0) == 0)

    @property
    def finite(self) -> bool:
        """Whether there are finite strengths that fit best."""
        strong = self.level.max(initial=0) == 0
        return bool(self.connected and self.sides_known and strong and self.direction is None)


def separation(counts: Floats, *, sided: bool, tied: bool) -> Separation:
    r"""Find out whether games have finite strengths that fit best.

    Parameters
    ----------
    counts : (3, A, A) float64
        Of `count_games`.
    sided, tied : bool
        Whether the model has a side effect, and a tie parameter (then there are ties).

    Returns
    -------
    Separation

    Notes
    -----
    Without further parameters the strengths are finite exactly if, however the arms are parted into
    two sets, an arm of each has won or tied a game against the other [1]_: the graph of wins and
    ties is strongly connected. With a side effect or a tie parameter that is needed, but not
    enough. The likelihood of an exponential family has no maximum exactly if there is a direction
    in which no observed end of a game becomes less likely than another one, and some more likely
    [2]_; a linear programme looks for it.

    References
    ----------
    .. [1] Ford (1957), Solution of a ranking problem from binary comparisons, American Mathematical
       Monthly 64(8), 28-33, doi:10.2307/2308513.
    .. [2] Albert and Anderson (1984), On the existence of maximum likelihood estimates in logistic
       regression models, Biometrika 71(1), 1-10, doi:10.1093/biomet/71.1.1.

    Examples
    --------
    The first arm won its only game:

    >>> counts = np.zeros((3, 2, 2))
    >>> counts[0, 0, 1] = 1
    >>> found = separation(counts, sided=False, tied=False)
    >>> found.connected, found.finite, found.level.tolist()
    (True, False, [1, 0])
    """
    won, drawn, lost = counts
    beats = won + lost.T + drawn + drawn.T > 0
    component = _parts(beats, "weak")
    level = _parts(beats, "strong")
    sides_known = not sided or _sides_known(counts.sum(axis=0) > 0)
    direction = None
    further = (sided or tied) and level.max(initial=0) == 0 and sides_known
    if further and not _both_ways(won, lost, sided):
        direction = _direction(counts, sided, tied)
    return Separation(component, level, direction, sides_known)


def _parts(graph: Bools, connection: str) -> Ints:
    """Return the component of each arm."""
    if len(graph) == 0:
        return np.zeros(0, dtype=np.int64)
    sparse = scipy.sparse.csr_array(graph)
    found = scipy.sparse.csgraph.connected_components(sparse, connection=connection)[1]
    return np.asarray(found, dtype=np.int64)


def _both_ways(won: Floats, lost: Floats, sided: bool) -> bool:
    """Say whether pairs that both arms of won fix all unknowns: then nothing can grow."""
    both = (won > 0) & (lost > 0)
    joined = _parts(both, "weak").max(initial=0) == 0
    return bool(joined and (not sided or _sides_known(both)))


def _sides_known(met: Bools) -> bool:
    """Say whether strengths cannot stand in for a side effect: no b_i - b_j = 1 in all games."""
    n = len(met)
    first, second = np.nonzero(met)
    rows = np.zeros((n + 1, n + 1))
    # The normal equations of the design: columns of the arms, then of the side.
    np.add.at(rows, (first, first), 1)
    np.add.at(rows, (second, second), 1)
    np.add.at(rows, (first, second), -1)
    np.add.at(rows, (second, first), -1)
    rows[:n, n] = rows[n, :n] = met.sum(axis=1, dtype=float) - met.sum(axis=0, dtype=float)
    rows[n, n] = len(first)
    component = int(_parts(met, "weak").max(initial=0)) + 1
    return bool(np.linalg.matrix_rank(rows, hermitian=True) == n + 1 - component)


def _direction(counts: Floats, sided: bool, tied: bool) -> Floats | None:
    """Look for a direction in which the likelihood rises without end."""
    n = counts.shape[1]
    # Twice the exponents of the ends: d, 2 e and -d, with d = b_i - b_j + side. Each end that
    # occurred must stay at or above the others: rows (sign of d, multiple of e) times them >= 0.
    ends = {WON: [(1, 0)], TIED: [(1, 0), (-1, 0)], LOST: [(-1, 0)]}
    if tied:
        ends = {WON: [(1, 0), (1, -2)], TIED: [(1, 2), (-1, 2)], LOST: [(-1, 0), (-1, -2)]}
    blocks = []
    for end, kinds in ends.items():
        first, second = np.nonzero(counts[end])
        m = len(first)
        for sign, tie in kinds:
            block = scipy.sparse.lil_array((m, n + 2))
            block[np.arange(m), first] = float(sign)
            block[np.arange(m), second] = -float(sign)
            if sided:
                block[np.arange(m), n] = float(sign)
            if tie:
                block[np.arange(m), n + 1] = float(tie)
            blocks.append(block)
    rows = scipy.sparse.vstack(blocks).tocsr()
    # One strength is held at 0, as only their differences count, and what the model does not have.
    bounds = [(0, 0), *[(-1, 1)] * (n - 1), (-int(sided), int(sided)), (-int(tied), int(tied))]
    gain = np.asarray(rows.sum(axis=0)).ravel()
    found = scipy.optimize.linprog(-gain, A_ub=-rows, b_ub=np.zeros(rows.shape[0]), bounds=bounds)
    return np.asarray(found.x) if -found.fun > 1e-6 else None
