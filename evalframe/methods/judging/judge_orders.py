"""Does a judge of two answers prefer the first, or the longer one? Its biases."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from evalframe import results
from evalframe.methods.arguments import by_columns, check_flag
from evalframe.methods.judging.showing_statistics import Found, length_statistics, order_statistics
from evalframe.methods.judging.showings import read_showings
from evalframe.stats.floor import critical
from evalframe.stats.games import TIED
from evalframe.stats.segments import Ints


def judge_bias(
    frame: pd.DataFrame,
    *,
    arm_a: str = "arm_a",
    arm_b: str = "arm_b",
    winner: str = "winner",
    length_a: str | None = None,
    length_b: str | None = None,
    gold: str | None = None,
    by: str | Sequence[str] | None = None,
    cluster: bool = True,
    level: float = 0.95,
) -> pd.DataFrame:
    r"""Whether a judge of two answers prefers the one it saw first, or the longer one.

    Parameters
    ----------
    frame : DataFrame
        A row a judgement: two arms, of which that in `arm_a` was seen first, and the winner as
        `bradley_terry` reads it. With ``item_id`` judgements of one item in both orders are put
        together; number repeated ones in a column ``seed``.
    arm_a, arm_b, winner : str, default "arm_a", "arm_b", "winner"
        The columns.
    length_a, length_b : str, optional
        Columns of the lengths of the two answers.
    gold : str, optional
        Column of the winner by a human label, in the same way.
    by : str or sequence of str, optional
        Columns whose groups (judges, tasks) are taken apart.
    cluster : bool, default True
        Whether to use ``cluster_id`` where the frame has it. Otherwise the judgements of an
        ``item_id`` are a cluster; without one each is by itself.
    level : float, default 0.95
        Confidence level.

    Returns
    -------
    DataFrame
        One row a group and statistic:

        - statistic, estimate :

          - "first_wins" : share of decided judgements that the first answer won. 1/2 without a
            bias if arms stand first equally often
          - "consistency" : of pairs judged in both orders, share with the same end in both
          - "first_both", "second_both" : of these pairs, share in which the first answer won both
            times, or the second did
          - "flips_to_first" : "first_both" among both; 1/2 without a bias, whatever the arms
          - "longer_wins" : share of decided judgements that the longer answer won
          - "longer_excess" : by how much more often than by gold labels the longer one wins, a tie
            being half a win; 0 without a bias
          - "length_slope" : log odds of winning for twice the length, beside a constant for the
            order and, with `gold`, the gold winner
        - se, conf_low, conf_high : NaN where they cannot be known
        - p_value : of no bias: exact for shares against 1/2, with clusters by flipping their signs;
          of t for "longer_excess" and "length_slope"; NaN for the others
        - n_games : judgements, or pairs of them, that the statistic is computed from
        - n_ties, n_missing : tied judgements of the group; those without a winner, or of an arm
          with itself
        - n_clusters : clusters (or items) of these; missing where all are independent
        - df, level
        - interval : "wilson", "clopper-pearson", "cr2" (t with an error for few clusters), "t"
        - clustered : whether some cluster has several
        - note

    Raises
    ------
    RoleError, FrameError
        If a column is missing, or a winner cannot be read.

    See Also
    --------
    agreement : How well the judge agrees with labels.
    bradley_terry : Strengths of arms, with the worth of standing first.

    Notes
    -----
    Consistency and its two kinds of bias are those of [1]_. Without gold labels longer answers may
    win because they are better: then "longer_wins" and "length_slope" are no proof of a bias.

    References
    ----------
    .. [1] Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena,
       arXiv:2306.05685.

    Examples
    --------
    >>> judged = pd.DataFrame({
    ...     "item_id": [1, 1, 2, 2, 3, 3, 4, 4],
    ...     "arm_a": ["x", "y"] * 4,
    ...     "arm_b": ["y", "x"] * 4,
    ...     "winner": ["x", "x", "x", "y", "x", "y", "y", "y"],
    ... })
    >>> judge_bias(judged)[["statistic", "estimate", "p_value", "n_games"]].round(3)
            statistic  estimate  p_value  n_games
    0      first_wins      0.75      0.5        8
    1     consistency      0.50      NaN        4
    2      first_both      0.50      NaN        4
    3     second_both      0.00      NaN        4
    4  flips_to_first      1.00      0.5        2
    """
    critical(level)
    check_flag("cluster", cluster)
    groups = by_columns(by, "judge_bias")
    lengths, names = (length_a, length_b), (arm_a, arm_b, winner)
    showings = read_showings(frame, names, lengths, gold, groups, cluster=cluster)
    rows = order_statistics(showings, level)
    if length_a is not None:
        rows |= length_statistics(showings, level)
    games, n_groups = showings.games, len(showings.games.by)
    counts = {
        "n_ties": np.bincount(games.group[games.outcome == TIED], minlength=n_groups),
        "n_missing": np.bincount(games.group[games.outcome < 0], minlength=n_groups),
    }
    shown = np.flatnonzero(np.bincount(games.group, minlength=n_groups) > 0)
    provenance = {
        "arm_a": arm_a,
        "arm_b": arm_b,
        "winner": winner,
        "length_a": length_a,
        "length_b": length_b,
        "gold": gold,
        "by": groups,
        "cluster": cluster,
        "level": level,
    }
    return _assemble(games.by, rows, counts, shown, level, provenance)


def _assemble(
    by: pd.DataFrame,
    rows: dict[str, Found],
    counts: dict[str, Ints],
    shown: Ints,
    level: float,
    provenance: dict[str, Any],
) -> pd.DataFrame:
    """Put the statistics of a group below each other."""
    said = [results.notes(len(by), found.pop("said")) for found in rows.values()]
    group = np.repeat(shown, len(rows))
    columns: dict[str, Any] = {
        name: np.stack([found[name][shown] for found in rows.values()], axis=1).ravel()
        for name in next(iter(rows.values()))
    }
    columns |= {name: count[group] for name, count in counts.items()}
    columns["note"] = [one[row] for row in shown for one in said]
    columns["statistic"] = np.tile(np.array(list(rows), dtype=object), len(shown))
    keys = by.iloc[group].reset_index(drop=True)
    return results.table("judge_bias", keys, {**columns, "level": level}, provenance)
