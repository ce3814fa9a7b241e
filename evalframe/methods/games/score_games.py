"""Scores of the same items as games between arms: the higher one won."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from evalframe.methods.games.matches import Matches
from evalframe.methods.games.winners import MISSING
from evalframe.pairing import check_prompts, refuse_missing, refuse_unpaired
from evalframe.runs import select
from evalframe.stats.games import LOST, TIED, WON
from evalframe.stats.segments import Floats, Ints


def read_scores(
    frame: pd.DataFrame, value: str, by: Sequence[str], *, cluster: bool, missing: str
) -> Matches:
    """Make a game of each two arms with a score for the same item and seed: the higher one won."""
    runs = select(frame, [value], by=by, cluster=cluster, prompts=True)
    check_prompts(runs)
    if missing == "raise":
        refuse_missing(runs, value, 'leave them out with missing="drop"')
    if missing != "drop" and len(runs.arms):
        refuse_unpaired(runs, 0, list(range(1, len(runs.arms))))
    scores = runs.values[value]
    zeros = np.isnan(scores) & (missing == "zero")
    if missing == "zero":
        scores = np.nan_to_num(scores)
    match, place = np.unique(runs.seed * runs.n_units + runs.unit, return_inverse=True)
    n_arms = len(runs.arms)
    score = np.full((n_arms, len(match)), np.nan)
    there = np.zeros((n_arms, len(match)), dtype=np.bool_)
    score[runs.arm, place], there[runs.arm, place] = scores, True
    none = np.zeros(0, dtype=np.int64)
    rows, firsts, seconds, ends = [none], [none], [none], [none]
    for first, second in combinations(range(n_arms), 2):
        met = np.flatnonzero(there[first] & there[second])
        rows.append(met)
        firsts.append(np.full_like(met, first))
        seconds.append(np.full_like(met, second))
        ends.append(_ended(score[first, met] - score[second, met]))
    unit = match[np.concatenate(rows)] % max(runs.n_units, 1)
    of_row = runs.unit_group[runs.unit] * n_arms + runs.arm
    alone = there.sum(axis=0)[place] == 1
    return Matches(
        by=runs.by,
        arms=runs.arms,
        group=runs.unit_group[unit],
        first=np.concatenate(firsts),
        second=np.concatenate(seconds),
        outcome=np.concatenate(ends),
        cluster=unit if runs.unit_cluster is None else runs.unit_cluster[unit],
        unit="item" if runs.unit_cluster is None else "cluster",
        lone=of_row[alone],
        zeros=of_row[zeros],
    )


def _ended(gap: Floats) -> Ints:
    """Return how games ended whose scores are so far apart."""
    ended = np.where(gap > 0, WON, np.where(gap < 0, LOST, TIED))
    return np.where(np.isnan(gap), MISSING, ended)
