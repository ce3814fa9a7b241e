"""Games between arms by group, from rows that are a game each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe import roles
from evalframe.errors import FrameError, RoleError, rows_text
from evalframe.labels import complete, to_codes
from evalframe.methods.games.winners import MISSING, outcomes
from evalframe.stats.games import Games
from evalframe.stats.segments import Ints, stable_order

# Columns of two arms in other tools' records of games.


@dataclass(frozen=True, slots=True)
class Matches:
    """Games between arms.

    Attributes
    ----------
    by : DataFrame of B rows
        Labels of the groups, sorted.
    arms : Index of length A
        Labels of the arms, sorted or in category order.
    group, first, second : (n,) int64
        The group of each game, and its arms; the same arm twice is self-play.
    outcome : (n,) int64
        `WON`, `TIED` or `LOST` by the first, or `MISSING`.
    cluster : (n,) int64 or None
        What games share: a cluster, or an item; None where there is neither.
    unit : {"cluster", "item", "game"}
        What `cluster` holds; "game" where it is None.
    lone : (k,) int64
        Group times A plus arm of each score that met no other.
    zeros : (k,) int64
        The same of each missing score that was counted as 0.
    """

    by: pd.DataFrame
    arms: pd.Index
    group: Ints
    first: Ints
    second: Ints
    outcome: Ints
    cluster: Ints | None
    unit: str
    lone: Ints
    zeros: Ints

    def groups(self) -> "Iterator[Group]":
        """Yield the groups that have a row."""
        n_groups, n_arms = len(self.by), len(self.arms)
        order = stable_order(self.group, n_groups)
        ends = np.cumsum(np.bincount(self.group, minlength=n_groups))
        n_lone, n_zeros = (
            np.bincount(codes, minlength=n_groups * n_arms).reshape(n_groups, n_arms)
            for codes in (self.lone, self.zeros)
        )
        labels = self.arms.tolist()
        every = Games(self.first, self.second, self.outcome, self.cluster, n_arms)
        for code in range(n_groups):
            rows = order[ends[code - 1] if code else 0 : ends[code]]
            games = every if len(rows) == len(order) else every.take(rows)
            if games.cluster is not None:
                games = replace(games, cluster=_compact(games.cluster))
            seen = np.bincount(np.concatenate([games.first, games.second]), minlength=n_arms)
            arms = np.flatnonzero(seen + n_lone[code])
            if len(arms):
                more = n_lone[code][arms], n_zeros[code][arms]
                yield Group(code, games, arms, labels, *more, self.unit)


@dataclass(frozen=True, slots=True)
class Group:
    """The games of one group.

    Attributes
    ----------
    code : int
    games : Games
        Among all arms; those without a result or of an arm with itself too.
    arms : (K,) int64
        The arms that have a row in the group.
    labels : list of length A
        Labels of all arms.
    n_lone : (K,) int64
        Scores of each that met no other.
    n_zeros : (K,) int64
        Missing scores of each that were counted as 0.
    unit : {"cluster", "item", "game"}
    """

    code: int
    games: Games
    arms: Ints
    labels: list[Any]
    n_lone: Ints
    n_zeros: Ints
    unit: str


def _compact(codes: Ints) -> Ints:
    """Return codes without large gaps."""
    if codes.max(initial=0) <= 4 * len(codes) + 1000:
        return codes
    return np.unique(codes, return_inverse=True)[1]


def read_games(
    frame: pd.DataFrame,
    names: tuple[str, str, str],
    by: Sequence[str],
    *,
    cluster: bool,
    missing: str = "drop",
) -> Matches:
    """Read rows that are a game each."""
    roles.check_names(frame)
    _need_games(frame, names, by)
    arms, first, second = _two_arms(frame, names)
    group, groups = _groups(frame, by)
    unit, shared = _shared(frame, group, cluster=cluster)
    outcome = outcomes(frame, names, arms, first, second)
    if missing == "raise":
        _refuse_missing(names[2], np.flatnonzero((outcome == MISSING) & (first != second)))
    none = np.zeros(0, dtype=np.int64)
    return Matches(groups, arms, group, first, second, outcome, shared, unit, none, none)


def _need_games(frame: pd.DataFrame, names: tuple[str, str, str], by: Sequence[str]) -> None:
    """Refuse a frame without the columns of games, and name those that it seems to have."""
    for argument, name in zip(("arm_a", "arm_b", "winner"), names, strict=True):
        if not isinstance(name, str):
            raise RoleError(f"{argument} must be the name of a column, found {name!r}")
    if len(set(names)) < len(names):
        raise RoleError(f"arm_a, arm_b and winner must be three columns, found {list(names)!r}")
    wanted = dict(zip(("arm_a", "arm_b", "winner"), names, strict=True))
    missing = [name for name in names if name not in frame.columns]
    for pair in roles.GAMES[1:]:
        if missing and set(pair) <= set(frame.columns) and "arm_a" in missing:
            raise RoleError.of(
                f"games need the columns {', '.join(map(repr, names))}",
                f"{pair[0]!r} and {pair[1]!r}",
                f'name them: df.evals.bradley_terry(arm_a="{pair[0]}", arm_b="{pair[1]}", '
                'winner="YOUR_COLUMN")',
                column=missing[0],
                count=len(missing),
            )
    roles.need(frame, wanted | {f"by={column!r}": column for column in by})


def _refuse_missing(winner: str, rows: Ints) -> None:
    """Refuse games without a winner."""
    if len(rows):
        raise FrameError.of_rows(
            f"column {winner!r} must say who won each game",
            "missing",
            rows,
            'leave those games out with missing="drop", which counts them in n_missing',
            column=winner,
        )


def _two_arms(frame: pd.DataFrame, names: tuple[str, str, str]) -> tuple[pd.Index, Ints, Ints]:
    """Return the labels of both columns of arms, and the codes of each."""
    a, b = (frame[name].reset_index(drop=True) for name in names[:2])
    both = pd.concat([a, b], ignore_index=True)
    try:
        codes = to_codes(both, names[0], sort=True)
    except FrameError:
        seen = [
            to_codes(one, name, sort=False).labels
            for one, name in zip((a, b), names[:2], strict=True)
        ]
        shown = [
            f"{type(one[0]).__name__} ({one[0]!r})" for one in (s.tolist() for s in seen) if one
        ]
        raise FrameError.of(
            f"columns {names[0]!r} and {names[1]!r} must hold labels of one type",
            " and ".join(shown),
            f"make both text, for example: df.assign({names[1]}=df[{names[1]!r}].map(str))",
            column=names[1],
            count=len(frame),
        ) from None
    n = len(frame)
    for part, name in ((codes.codes[:n], names[0]), (codes.codes[n:], names[1])):
        complete(type(codes)(part, codes.labels), name)
    return codes.labels, codes.codes[:n], codes.codes[n:]


def _groups(frame: pd.DataFrame, by: Sequence[str]) -> tuple[Ints, pd.DataFrame]:
    """Return the group of each row and the labels of each group, in sorted order."""
    if not by:
        return np.zeros(len(frame), dtype=np.int64), pd.DataFrame(index=range(1))
    columns = [complete(to_codes(frame[n], n, sort=True, fractions=True), n) for n in by]
    group = np.zeros(len(frame), dtype=np.int64)
    for one in columns:
        group = np.unique(group * max(len(one.labels), 1) + one.codes, return_inverse=True)[1]
    first = np.unique(group, return_index=True)[1]
    labels = {
        name: one.labels.take(one.codes[first]) for name, one in zip(by, columns, strict=True)
    }
    return group, pd.DataFrame(labels)


def _shared(frame: pd.DataFrame, group: Ints, *, cluster: bool) -> tuple[str, Ints | None]:
    """Return what games share, and its code for each game, within its group."""
    items = (
        complete(to_codes(frame["item_id"], "item_id", sort=False), "item_id")
        if ("item_id" in frame)
        else None
    )
    if cluster and "cluster_id" in frame:
        clusters = to_codes(frame["cluster_id"], "cluster_id", sort=False)
        if len(clusters.labels):
            complete(clusters, "cluster_id")
            if items is not None:
                _one_cluster_an_item(items.codes, clusters.codes)
            return "cluster", _within(group, clusters.codes, len(clusters.labels))
    if items is None:
        return "game", None
    return "item", _within(group, items.codes, len(items.labels))


def _within(group: Ints, code: Ints, n_codes: int) -> Ints:
    return group * max(n_codes, 1) + code


def _one_cluster_an_item(item: Ints, cluster: Ints) -> None:
    """Refuse an item whose games lie in several clusters."""
    of_item = np.zeros(int(item.max(initial=-1)) + 1, dtype=np.int64)
    of_item[item] = cluster
    varies: NDArray[np.int64] = np.flatnonzero(of_item[item] != cluster)
    if len(varies):
        rows = np.flatnonzero(item == item[varies[0]])
        n_items = len(np.unique(item[varies]))
        raise FrameError.of(
            "column 'cluster_id' must be the same in all games of an item",
            f"more than one in {n_items:,} item(s); first in {rows_text(rows)}",
            "give an item one cluster in all its games",
            column="cluster_id",
            count=n_items,
            first=f"row {rows[0]:,}",
        )
