"""Does one of k runs succeed, or do all of them? pass@k and pass^k from repeated runs."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from evalframe import results
from evalframe.errors import DesignError, FrameError
from evalframe.keys import key_columns, key_text
from evalframe.matrix import cells, reduce
from evalframe.methods.arguments import (
    MISSING,
    by_columns,
    check_choice,
    check_count,
    check_flag,
    check_once,
    several,
    value_columns,
)
from evalframe.methods.noise.single_runs import Bools
from evalframe.methods.remarks import counted_as_zero, no_spread, spread_notes
from evalframe.methods.rows import assemble
from evalframe.pairing import refuse_missing
from evalframe.roles import metric_name
from evalframe.runs import Runs, select
from evalframe.stats.floor import critical
from evalframe.stats.means import Means, segment_means, student_quantile
from evalframe.stats.passes import all_of, any_of
from evalframe.stats.segments import Floats, Ints

Chance = Callable[[Ints, Ints, int], Floats]


def pass_at_k(
    frame: pd.DataFrame,
    *,
    k: int | Sequence[int] = 1,
    value: str | Sequence[str] = "score",
    by: str | Sequence[str] | None = None,
    cluster: bool = True,
    level: float = 0.95,
    missing: str = "drop",
) -> pd.DataFrame:
    r"""Chance that at least one of k runs of an item succeeds, averaged over items.

    It is unbiased from n runs of an item, n of k or more, and counts runs of the same item, never
    items. pass@1 is the mean score. More runs make it better known, not larger; a larger k does.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs with ``seed``; each run has failed (0) or succeeded (1).
    k : int or sequence of int, default 1
        Runs that may be tried; one row each.
    value : str or sequence of str, default "score"
        The column of zeros and ones, or several.
    by : str or sequence of str, optional
        Columns whose groups are taken apart.
    cluster : bool, default True
        Whether to use ``cluster_id`` where the frame has it.
    level : float, default 0.95
        Confidence level.
    missing : {"drop", "zero", "raise"}
        What a missing score does: the run does not count, counts as failed, or is refused.

    Returns
    -------
    DataFrame
        One row an arm (and group, and column) and k:

        - estimate : NaN where an item has fewer than k runs, which `note` says
        - se, conf_low, conf_high : Student's t over items (clusters), as in `score`
        - n_items, n_responses, n_missing : items, runs with a score, runs without
        - n_short : items with fewer than k runs
        - n_clusters, df, level, clustered, note

    Raises
    ------
    FrameError
        If a score is neither 0 nor 1.
    DesignError
        If no row has k runs of each item.
    ValueError
        If an argument is not one of its choices.

    Notes
    -----
    For an item with c successes in n runs, :math:`1 - \binom{n-c}{k} / \binom{n}{k}` [1]_.

    References
    ----------
    .. [1] Chen et al. (2021), Evaluating large language models trained on code, arXiv:2107.03374.

    Examples
    --------
    >>> runs = pd.DataFrame({
    ...     "item_id": [1, 1, 1, 2, 2, 2], "seed": [0, 1, 2] * 2, "score": [1, 0, 0, 1, 1, 0],
    ... })
    >>> pass_at_k(runs, k=[1, 2, 3])[["k", "estimate"]].round(4)
       k  estimate
    0  1    0.5000
    1  2    0.8333
    2  3    1.0000
    """
    settings: dict[str, Any] = {
        "value": value_columns(value, frame),
        "by": by_columns(by, "passes"),
    }
    settings |= {"cluster": cluster, "level": level, "missing": missing}
    return _passes(frame, any_of, k, settings)


def pass_hat_k(
    frame: pd.DataFrame,
    *,
    k: int | Sequence[int] = 1,
    value: str | Sequence[str] = "score",
    by: str | Sequence[str] | None = None,
    cluster: bool = True,
    level: float = 0.95,
    missing: str = "drop",
) -> pd.DataFrame:
    r"""Chance that all of k runs of an item succeed, averaged over items.

    Where `pass_at_k` asks whether an answer can be found, this asks whether it can be relied on.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs with ``seed``; each run has failed (0) or succeeded (1).
    k : int or sequence of int, default 1
        Runs that must all succeed; one row each.
    value, by, cluster, level, missing : default "score", None, True, 0.95, "drop"
        As in `pass_at_k`.

    Returns
    -------
    DataFrame
        As `pass_at_k`.

    Raises
    ------
    FrameError, DesignError, ValueError
        As in `pass_at_k`.

    Notes
    -----
    For an item with c successes in n runs, :math:`\binom{c}{k} / \binom{n}{k}` [1]_, unbiased.

    References
    ----------
    .. [1] Yao et al. (2024), tau-bench: a benchmark for tool-agent-user interaction in real-world
       domains, arXiv:2406.12045.

    Examples
    --------
    >>> runs = pd.DataFrame({
    ...     "item_id": [1, 1, 1, 2, 2, 2], "seed": [0, 1, 2] * 2, "score": [1, 0, 0, 1, 1, 0],
    ... })
    >>> pass_hat_k(runs, k=[1, 2])[["k", "estimate"]].round(4)
       k  estimate
    0  1    0.5000
    1  2    0.1667
    """
    settings: dict[str, Any] = {
        "value": value_columns(value, frame),
        "by": by_columns(by, "passes"),
    }
    settings |= {"cluster": cluster, "level": level, "missing": missing}
    return _passes(frame, all_of, k, settings)


def _passes(
    frame: pd.DataFrame, chance: Chance, k: int | Sequence[int], settings: dict[str, Any]
) -> pd.DataFrame:
    critical(settings["level"])
    check_choice("missing", settings["missing"], MISSING)
    check_flag("cluster", settings["cluster"])
    wanted = several(k)
    for one in wanted:
        check_count("k", one, 1)
    check_once("k", wanted)
    columns = settings["value"]
    runs = select(frame, columns, by=settings["by"], cluster=settings["cluster"])
    for column in columns:
        _refuse_partial(runs, column)
        if settings["missing"] == "raise":
            refuse_missing(runs, column, 'leave them out with missing="drop"')
    parts = [
        part
        for column in columns
        for part in _pass_rows(runs, column, chance, [int(one) for one in wanted], settings)
    ]
    shown = parts[0]["n_responses"] + parts[0]["n_missing"] > 0
    provenance = {"statistic": chance.__name__, "k": [int(one) for one in wanted], **settings}
    table = assemble("passes", runs.by, runs.arms, None, parts, shown, provenance)
    if len(table) and table["estimate"].isna().all():
        raise DesignError(
            f"k={wanted!r} needs so many runs (seeds) of each item, found fewer in every row; "
            "k counts runs of one item, not items: choose a smaller k, or run items again"
        )
    return table


def _pass_rows(
    runs: Runs, column: str, chance: Chance, wanted: list[int], settings: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return the columns of each k."""
    means = reduce(runs, column)
    n_runs = means.n_values + (means.n_missing if settings["missing"] == "zero" else 0)
    # Counts of zeros and ones come back whole from their means.
    successes = np.rint(np.nan_to_num(means.mean) * means.n_values).astype(np.int64)
    there = n_runs > 0
    known = cells(runs, np.where(there, 0.0, np.nan))
    c, n = successes[there], n_runs[there]
    clustered = known.cluster is not None
    n_missing = known.count(means.n_missing)
    counted, said = counted_as_zero(n_missing if settings["missing"] == "zero" else 0 * n_missing)
    shared = {
        "metric": metric_name(column),
        "n_responses": known.count(means.n_values),
        "n_missing": n_missing,
        "level": settings["level"],
        "clustered": clustered,
    }
    rows = []
    for k in wanted:
        short = known.count(there & (n_runs < k))
        values = np.nan_to_num(chance(c, n, k))
        part = segment_means(values, known.segment, known.n_segments, known.cluster)
        limits = _limits(part, short, settings["level"])
        beyond = (limits["conf_low"] < 0) | (limits["conf_high"] > 1)
        own = {
            "k": k,
            "n_items": part.n,
            "n_short": short,
            "n_clusters": part.n_clusters if clustered else np.nan,
            "note": results.also(
                _notes(part, limits["se"], short, beyond, k, clustered), said, counted
            ),
        }
        rows.append(shared | limits | own)
    return rows


def _limits(part: Means, short: Ints, level: float) -> dict[str, Floats]:
    """Return the estimate and its t limits; NaN where an item has too few runs."""
    defined = (short == 0) & (part.n > 0)
    df = np.where(defined & (part.n_clusters > 1), part.n_clusters - 1.0, np.nan)
    mean, se = (np.where(defined, one, np.nan) for one in (part.mean, part.se))
    half = student_quantile(level, df) * se
    low, high = mean - half, mean + half
    return {"estimate": mean, "se": se, "conf_low": low, "conf_high": high, "df": df}


def _notes(
    part: Means, se: Floats, short: Ints, beyond: Bools, k: int, clustered: bool
) -> list[str]:
    fewer = zip(short, part.n, strict=True)
    return results.notes(
        len(short),
        [
            (part.n == 0, "no item has a score"),
            *spread_notes(part, clustered),
            (
                short > 0,
                [f"{s:,} of {n:,} items have fewer than {k} runs: not defined" for s, n in fewer],
            ),
            no_spread(se),
            (beyond, "limits reach past 0 or 1: t is too short on one side so near the end"),
        ],
    )


def _refuse_partial(runs: Runs, column: str) -> None:
    """Raise where a run has neither failed nor succeeded."""
    values = runs.values[column]
    rows = np.flatnonzero(~np.isin(values, (0.0, 1.0)) & ~np.isnan(values))
    if len(rows):
        first = key_text(runs.frame, rows[0], key_columns(runs.frame, runs.by_names))
        raise FrameError.of_rows(
            f"column {column!r} must be 0 (failed) or 1 (succeeded) in every run",
            f"{values[rows[0]]:g} and others",
            rows,
            f"say what counts, for example: df.assign({column}=df[{column!r}] >= 0.5)",
            column=column,
            first=first,
        )
