"""In what order do arms stand? Ranks with limits, and which arms may be the best."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from evalframe import results
from evalframe.errors import DesignError
from evalframe.methods.arguments import (
    MISSING,
    by_columns,
    check_choice,
    check_count,
    check_flag,
    value_columns,
)
from evalframe.methods.ranking.board import METHODS, Board, Plan, board
from evalframe.methods.ranking.item_tables import (
    GroupTable,
    check_keys,
    refuse_single,
    shared_tables,
)
from evalframe.methods.remarks import counted, counted_as_zero, few_units, no_spread, of_metrics
from evalframe.methods.rows import assemble
from evalframe.pairing import check_prompts
from evalframe.progress import progress_bar
from evalframe.rng import draw_seed
from evalframe.roles import metric_name
from evalframe.runs import Runs, select
from evalframe.stats.draws import Tick
from evalframe.stats.floor import critical

# A resample is kept as a number an arm.
MOST = 1_000_000

_COUNTS = ("n_items", "n_dropped", "n_zeros", "n_units")


def rank(
    frame: pd.DataFrame,
    *,
    value: str | Sequence[str] = "score",
    by: str | Sequence[str] | None = None,
    cluster: bool = True,
    level: float = 0.95,
    method: str = "simultaneous",
    higher_better: bool = True,
    n_boot: int = 10_000,
    rng: int | np.random.Generator | None = 0,
    missing: str = "drop",
) -> pd.DataFrame:
    r"""Ranks of all arms with their confidence limits, and which of them may be the best.

    Arms are ranked over the items that all of them answered, and compared on the same items, so
    that an order can be sure where the intervals of the scores overlap.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs of two or more arms, or their means over runs as `scan` returns them.
    value : str or sequence of str, default "score"
        The column of numbers, or several.
    by : str or sequence of str, optional
        Columns whose groups have a leaderboard each.
    cluster : bool, default True
        Whether to use ``cluster_id`` where the frame has it.
    level : float, default 0.95
        Confidence level.
    method : {"simultaneous", "bootstrap", "normal"}
        How the limits of ranks are found. "simultaneous": from limits of all differences that hold
        at once, so that all ranks of a leaderboard lie within their limits with chance `level`.
        "bootstrap": quantiles of each arm's rank among resamples of items, or of clusters; for each
        arm alone, and too narrow for arms that are nearly equal. "normal": the same of draws from
        the normal law of the means.
    higher_better : bool, default True
        False ranks the lowest first: losses, costs, times.
    n_boot : int, default 10_000
        Resamples or draws. "simultaneous" draws for `share_top` and `share_first`, and as many
        directions for its critical values.
    rng : int, Generator or None, default 0
        Where they come from. None takes a fresh seed and records it in ``attrs``.
    missing : {"drop", "raise", "zero"}
        "drop" ranks over the (item, seed) keys that all arms have a value of, and counts the others
        in `n_dropped`. "raise" refuses missing values and keys that an arm lacks. "zero" counts a
        missing value as 0, and refuses unpaired keys.

    Returns
    -------
    DataFrame
        One row an arm (and group, and column):

        - rank : 1 + the number of arms with a better mean; arms alike share the better rank
        - rank_low, rank_high : limits of the rank; missing with one item or one cluster
        - share_top : share of draws that the arm leads, ties split evenly; sums to 1
        - share_first : share of draws in which it has rank 1, alone or not
        - best : whether it cannot be told from the best: no arm is better by more than chance. All
          arms that are truly best are among them with chance `level` each
        - estimate, se, conf_low, conf_high : the mean; Student's t, or percentile limits and the
          spread of the resamples
        - n_items, n_dropped : items that all arms share; (item, seed) keys left out
        - n_clusters : clusters; missing where items are independent
        - n_boot, df : df is NaN where no t is used
        - level, method, higher_better, clustered, note

    Raises
    ------
    RoleError, FrameError
        If a column is missing, or its values or keys are not what its role needs.
    DesignError
        If there is one arm alone, arms answered other prompts under one key, or share no item.
    ValueError
        If an argument is not one of its choices.

    See Also
    --------
    pairs : The differences themselves.

    Notes
    -----
    Limits of "simultaneous" are those of [1]_ with Student's t: 1 + the arms that are surely
    better, and all but those that are surely worse. `best` is the multiple comparison with the best
    of [2]_, whatever the method; it asks on one side of one question, so that it can leave out an
    arm whose limits, which hold for all ranks on both sides, still reach 1. Each leaderboard (group
    and column) stands by itself.

    References
    ----------
    .. [1] Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for ranks with applications to
       mobility across neighbourhoods and academic achievement across countries, Review of Economic
       Studies 91(1), 476-518, doi:10.1093/restud/rdad006.
    .. [2] Hsu (1981), Simultaneous confidence intervals for all distances from the "best", Annals
       of Statistics 9(5), 1026-1034, doi:10.1214/aos/1176345582.

    Examples
    --------
    >>> a, b, c = [1, 1, 1, 1, 1, 0, 1, 1], [1, 1, 0, 1, 1, 0, 1, 1], [0, 0, 0, 0, 1, 0, 0, 0]
    >>> runs = pd.DataFrame({
    ...     "item_id": list(range(8)) * 3, "arm": ["a"] * 8 + ["b"] * 8 + ["c"] * 8,
    ...     "score": a + b + c,
    ... })
    >>> rank(runs)[["arm", "rank", "rank_low", "rank_high", "best", "estimate"]]
      arm  rank  rank_low  rank_high   best  estimate
    0   a     1         1          2   True     0.875
    1   b     2         1          2   True     0.750
    2   c     3         3          3  False     0.125
    """
    critical(level)
    check_choice("method", method, METHODS)
    check_choice("missing", missing, MISSING)
    check_flag("cluster", cluster)
    check_flag("higher_better", higher_better)
    check_count("n_boot", n_boot, 100, MOST)
    columns, groups = value_columns(value, frame), by_columns(by, "rank")
    plan = Plan(method, level, higher_better, n_boot, draw_seed(rng))
    runs = select(frame, columns, by=groups, cluster=cluster, prompts=True, reduced=True)
    refuse_single(runs, "a ranking")
    check_prompts(runs)
    parts = _parts(runs, columns, plan, missing)
    provenance = {
        "value": columns,
        "by": groups,
        "cluster": cluster,
        "level": level,
        "method": method,
        "higher_better": higher_better,
        "n_boot": n_boot,
        "rng": plan.seed,
        "missing": missing,
    }
    shown = parts[0].pop("shown")
    for part in parts[1:]:
        part.pop("shown")
    return assemble("rank", runs.by, runs.arms, None, parts, shown, provenance)


def _parts(runs: Runs, columns: Sequence[str], plan: Plan, missing: str) -> list[dict[str, Any]]:
    """Rank by each column."""
    tables = []
    for column in columns:
        check_keys(runs, column, missing)
        tables.append(list(shared_tables(runs, column, missing)))
    _refuse_disjoint(runs, [table for some in tables for table in some])
    total = plan.n_boot * sum(len(some) for some in tables)
    with progress_bar(total if plan.method == "bootstrap" else 0, "resample") as tick:
        return [
            _part(runs, column, some, plan, tick)
            for column, some in zip(columns, tables, strict=True)
        ]


def _refuse_disjoint(runs: Runs, tables: Sequence[GroupTable]) -> None:
    """Raise where no leaderboard has an item that all its arms share."""
    several = [table for table in tables if len(table.arms) > 1]
    if several and not any(table.items.series.shape[1] for table in several):
        raise DesignError.of(
            "a ranking needs items that all arms answered",
            f"none shared by the {len(runs.arms):,} arms",
            "check that item_id (and seed) mean the same in all arms, leave out arms that were run "
            "on few items, or rank some: df[df['arm'].isin([ARM, ...])]",
            column="item_id",
            count=len(runs.arms),
        )


def _part(
    runs: Runs, column: str, tables: Sequence[GroupTable], plan: Plan, tick: Tick | None
) -> dict[str, Any]:
    """Rank by one column: an entry a segment (group x arm) for each result column."""
    n_arms = len(runs.arms)
    n = len(runs.by) * n_arms
    shown = np.zeros(n, dtype=np.bool_)
    found: dict[str, Any] = {
        name: np.full(n, False if name == "best" else np.nan) for name in Board.names()
    }
    counts = {name: np.zeros(n, dtype=np.int64) for name in _COUNTS}
    of_group = np.zeros(n, dtype=np.int64)
    for table in tables:
        rows = table.group * n_arms + table.arms
        one = board(table.items, plan, tick)
        for name in Board.names():
            found[name][rows] = getattr(one, name)
        counts["n_items"][rows] = table.items.series.shape[1]
        counts["n_dropped"][rows], counts["n_zeros"][rows] = table.n_dropped, table.n_zeros
        counts["n_units"][rows] = one.n_units
        shown[rows], of_group[rows] = True, len(table.arms)
    clustered = runs.unit_cluster is not None
    units, zeros = counts.pop("n_units"), counts.pop("n_zeros")
    return {
        "metric": metric_name(column),
        **found,
        **counts,
        "n_clusters": units if clustered else np.nan,
        "n_boot": plan.n_boot,
        "level": plan.level,
        "method": plan.method,
        "higher_better": plan.higher_better,
        "clustered": clustered,
        "note": results.also(
            _notes(found, counts | {"n_zeros": zeros}, units, of_group, clustered),
            *of_metrics(runs, column, n)[::-1],
        ),
        "shown": shown,
    }


def _notes(
    found: dict[str, Any], counts: dict[str, Any], units: Any, of_group: Any, clustered: bool
) -> list[str]:
    """Say in words what a reader of each row must know."""
    unit = "cluster" if clustered else "item"
    n_items, n_dropped = counts["n_items"], counts["n_dropped"]
    return results.notes(
        len(units),
        [
            (of_group == 1, "the only arm"),
            ((of_group > 0) & (n_items == 0), "no item that all arms have"),
            (
                (units == 1) & (n_items > 0),
                f"1 {unit}: no standard error, and no limits of ranks",
            ),
            no_spread(found["se"]),
            (
                found["n_constant"] > 0,
                lambda row: (
                    f"{found['n_constant'][row]:.0f} arm(s) differ from it by the same on every "
                    f"{unit}: not tested"
                ),
            ),
            *few_units(units, (units > 1) & (of_group > 1), unit),
            (
                n_dropped > 0,
                lambda row: f"dropped {counted(n_dropped[row], 'key')} that not all arms have",
            ),
            counted_as_zero(counts["n_zeros"]),
        ],
    )
