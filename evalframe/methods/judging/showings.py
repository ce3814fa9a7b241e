"""Judgements between two answers: which was seen first, which is longer, which is better."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from evalframe import roles
from evalframe.errors import RoleError
from evalframe.labels import complete, to_codes
from evalframe.methods.games.matches import Matches, read_games
from evalframe.methods.games.winners import outcomes
from evalframe.numbers import to_numbers
from evalframe.stats.games import LOST, TIED, WON
from evalframe.stats.ratings import Bools
from evalframe.stats.segments import Floats, Ints


@dataclass(frozen=True, slots=True)
class Showings:
    """Judgements of n pairs of answers.

    Attributes
    ----------
    games : Matches
        The arm of ``arm_a`` is the first.
    gold : (n,) int64 or None
        How the game ended by the gold label; None without a column of them.
    longer : (n,) float64
        Log of the first answer's length over the second's, to base 2; NaN where unknown.
    pair : (n,) int64 or None
        What was judged: item, two arms and seed, whichever stands first. None without items.
    swapped : (n,) bool
        Whether the arm of the higher code stands first.
    """

    games: Matches
    gold: Ints | None
    longer: Floats
    pair: Ints | None
    swapped: Bools


def read_showings(
    frame: pd.DataFrame,
    names: tuple[str, str, str],
    lengths: tuple[str | None, str | None],
    gold: str | None,
    by: Sequence[str],
    *,
    cluster: bool,
) -> Showings:
    """Read rows that are a judgement each."""
    games = read_games(frame, names, by, cluster=cluster)
    extra = {"length_a": lengths[0], "length_b": lengths[1], "gold": gold}
    roles.need(frame, {name: column for name, column in extra.items() if column is not None})
    label = None
    if gold is not None:
        label = outcomes(frame, (names[0], names[1], gold), games.arms, games.first, games.second)
    return Showings(
        games, label, _longer(frame, lengths), _pair(frame, games), games.first > games.second
    )


def _longer(frame: pd.DataFrame, lengths: tuple[str | None, str | None]) -> Floats:
    """Return the log of the ratio of lengths; unknown where one is 0 or missing."""
    if lengths[0] is None or lengths[1] is None:
        if lengths != (None, None):
            raise RoleError("length_a and length_b must be named together: one alone says nothing")
        return np.full(len(frame), np.nan)
    first, second = (to_numbers(frame[name], name) for name in lengths if name is not None)
    known = (first > 0) & (second > 0)
    ratio = np.where(known, first, np.nan) / np.where(known, second, np.nan)
    found: Floats = np.log2(ratio)
    return found


def _pair(frame: pd.DataFrame, games: Matches) -> Ints | None:
    """Give numbers to what was judged: equal numbers are one item, arms and seed."""
    if "item_id" not in frame:
        return None
    item = complete(to_codes(frame["item_id"], "item_id", sort=False), "item_id").codes
    low, high = np.minimum(games.first, games.second), np.maximum(games.first, games.second)
    parts = [games.group, item, low, high]
    if "seed" in frame:
        parts.append(complete(to_codes(frame["seed"], "seed", sort=True), "seed").codes)
    found = np.zeros(len(frame), dtype=np.int64)
    for part in parts:
        both = found * (int(part.max(initial=0)) + 1) + part
        found = np.unique(both, return_inverse=True)[1].ravel()
    return found


def both_orders(showings: Showings) -> tuple[Ints, Ints, Ints]:
    """Find the pairs judged once in each order, and judgements that repeat another.

    Returns
    -------
    one, other : (m,) int64
        Rows of the judgements of a pair: the arm of the lower code first, and second.
    repeated : (k,) int64
        The group of each judgement that repeats another in its order: neither is used.
    """
    games = showings.games
    known = np.flatnonzero(games.outcome >= 0)
    if showings.pair is None or not len(known):
        none = np.zeros(0, dtype=np.int64)
        return none, none, none
    pair, swapped = showings.pair[known], showings.swapped[known]
    n_pairs = int(pair.max()) + 1
    seen = np.stack([np.bincount(pair[swapped == k], minlength=n_pairs) for k in (False, True)])
    repeats = known[(seen > 1)[swapped.astype(np.int64), pair]]
    place = np.full((2, n_pairs), -1, dtype=np.int64)
    place[swapped.astype(np.int64), pair] = known
    once = np.flatnonzero((seen == 1).all(axis=0))
    return place[0, once], place[1, once], games.group[repeats]


def unbalanced(showings: Showings) -> Bools:
    """Return the groups in which some arms stand first clearly more often than their opponents."""
    games, n_groups, n_arms = showings.games, len(showings.games.by), len(showings.games.arms)
    decided = np.isin(games.outcome, (WON, LOST, TIED))
    low, high = np.minimum(games.first, games.second), np.maximum(games.first, games.second)
    code = ((games.group * n_arms + low) * n_arms + high)[decided]
    used, pair = np.unique(code, return_inverse=True)
    n = np.bincount(pair.ravel(), minlength=len(used))
    net = np.abs(2.0 * np.bincount(pair.ravel(), showings.swapped[decided], len(used)) - n)
    # Chance alone leaves two standard deviations at most, as a rule.
    excess = np.where(net > 2.0 * np.sqrt(n), net, 0.0)
    home = used // max(n_arms * n_arms, 1)
    total = np.bincount(home, n, minlength=n_groups)
    return np.asarray(np.bincount(home, excess, minlength=n_groups) > 0.2 * total)
