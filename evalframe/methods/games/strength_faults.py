"""Why games have no finite strengths, and what to do about it, in words."""

import numpy as np

from evalframe.errors import SHOWN
from evalframe.methods.games.strength_fits import Rating
from evalframe.stats.segments import Floats, Ints

PENALTY = 'penalty="jeffreys" gives finite strengths'
# A direction of the linear programme has entries of 0 and up to 1.
_MOVED = 1e-6


def fault(rating: Rating, labels: list[object]) -> str:
    """Say what stands in the way of finite strengths, "" where nothing does.

    Parameters
    ----------
    rating : Rating
    labels : list
        Of its arms.
    """
    found = rating.found
    if not labels:
        return "no game with a winner"
    if not found.connected:
        n_parts = int(found.component.max()) + 1
        parts = [_named(labels, np.flatnonzero(found.component == k)) for k in range(n_parts)]
        parts.sort()
        shown = " / ".join(parts[:SHOWN]) + (" / ..." if n_parts > SHOWN else "")
        return f"disconnected: no game joins {shown}"
    if not found.sides_known:
        return "side not identified: strengths of the arms explain who stood first"
    if found.level.max(initial=0) > 0:
        return f"separated: {_separated(rating, labels)}"
    if found.direction is not None:
        return f"separated: {_growing(found.direction)}"
    return "" if rating.estimates is not None else "the fit did not converge"


def remedy(rating: Rating, *, penalised: bool) -> str:
    """Say what to do about it; a penalty that was asked for is not offered again."""
    if not len(rating.wins):
        return "add games"
    if not rating.found.connected:
        return "add games between them, or rate each part by itself"
    if not rating.found.sides_known:
        return "side=False leaves the side effect out"
    if penalised:
        return "add games"
    if rating.found.direction is not None:
        side = abs(rating.found.direction[-2]) > _MOVED
        without = "side=False" if side else 'ties="half"'
        return f"{PENALTY}, {without} does without"
    return f"{PENALTY}, or leave those arms out"


def _named(labels: list[object], arms: Ints) -> str:
    """Name some arms."""
    shown = ", ".join(repr(labels[arm]) for arm in arms[:SHOWN])
    return shown if len(arms) <= SHOWN else f"{shown}, ... ({len(arms):,} arms)"


def _separated(rating: Rating, labels: list[object]) -> str:
    """Name the arms that won, or lost, every game against the others."""
    wins, ties, losses = rating.wins, rating.ties, rating.losses
    won, lost = (losses + ties == 0) & (wins > 0), (wins + ties == 0) & (losses > 0)
    said = [
        f"{_named(labels, np.flatnonzero(arms))} {what} every game"
        for arms, what in ((won, "won"), (lost, "lost"))
        if arms.any()
    ]
    if said:
        return " and ".join(said)
    level = rating.found.level
    sizes = np.bincount(level)
    part = int(np.argmin(sizes))
    return (
        f"between {_named(labels, np.flatnonzero(level == part))} and some of the other arms, all "
        "games went one way"
    )


def _growing(direction: Floats) -> str:
    """Name what grows without end where all arms have won and lost."""
    parts = ["the side effect"] if abs(direction[-2]) > _MOVED else []
    parts += ["the tie parameter"] if abs(direction[-1]) > _MOVED else []
    return f"the games set no bound to {' and '.join(parts)}"
