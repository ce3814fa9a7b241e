"""One number for a benchmark suite: macro, micro or inverse-variance, each with its own error."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from evalframe import results
from evalframe.arms import Arms, select_arms
from evalframe.errors import RoleError
from evalframe.matrix import Cells, cells, reduce
from evalframe.methods.arguments import (
    MISSING,
    by_columns,
    check_choice,
    check_flag,
    chosen,
    value_columns,
)
from evalframe.methods.comparing.overlaps import overlap_of, repeated_labels, repeated_note
from evalframe.methods.remarks import counted_as_zero, no_spread
from evalframe.methods.rows import assemble
from evalframe.pairing import check_prompts, paired_means, refuse_missing, refuse_none_shared
from evalframe.roles import metric_name
from evalframe.runs import Runs, select
from evalframe.stats.floor import critical
from evalframe.stats.means import Means, segment_means, student_quantile
from evalframe.stats.pooling import WEIGHTINGS, Overlap, heterogeneity, pool
from evalframe.stats.power import quantiles
from evalframe.stats.segments import Floats, Ints
from evalframe.stats.welch import two_sided_p


def pooled(
    frame: pd.DataFrame,
    baseline: object = None,
    *,
    by: str | Sequence[str],
    weighting: str | Sequence[str] = ("macro", "micro"),
    value: str | Sequence[str] = "score",
    cluster: bool = True,
    shared: bool = False,
    level: float = 0.95,
    missing: str = "raise",
) -> pd.DataFrame:
    r"""Pool each arm's scores, or its differences from a baseline, over the groups of a suite.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs with a column that names the group (task, benchmark) of each row.
    baseline : label, optional
        Pool paired differences from this arm. Without it, scores.
    by : str or sequence of str
        Columns whose groups are pooled.
    weighting : {"macro", "micro", "inverse-variance"} or several
        Groups weigh alike; in proportion to their items; by their precision, for groups that show
        one and the same effect.
    value : str or sequence of str, default "score"
        The column of numbers, or several.
    cluster : bool, default True
        Whether to use ``cluster_id`` where the frame has it.
    shared : bool, default False
        Whether clusters (without clusters, items) of one label in several groups are one and the
        same: passages that several tasks ask about. Groups are independent otherwise, and `note`
        says where labels repeat.
    level : float, default 0.95
        Confidence level.
    missing : {"raise", "drop", "zero"}
        As in `compare`.

    Returns
    -------
    DataFrame
        One row an arm (and column) and weighting:

        - weighting, estimate, se, conf_low, conf_high : the groups are taken as the whole suite,
          not as a sample of groups
        - p_value : that the difference is 0; NaN for scores
        - q_statistic, q_df, q_p_value, i_squared : whether groups differ by more than chance
        - n_groups, n_items, n_dropped, n_clusters
        - df : Satterthwaite's, at most the items (clusters) less 1; NaN for inverse-variance, whose
          limits are normal
        - level, clustered, note

    Raises
    ------
    DesignError, RoleError, FrameError, ValueError
        As in `compare`.

    See Also
    --------
    contrasts : Each group by itself, with p adjusted over all of them.

    Notes
    -----
    :math:`\sum w_b x_b \pm t \sqrt{\sum w_b^2 s_b^2}`: each weighting has the error of its own
    weights, and groups are strata. With `shared`, what a cluster adds is summed over its groups
    before it is squared, which holds the covariance of groups. `q_statistic` always takes groups as
    independent.

    References
    ----------
    .. [1] Cochran (1977), Sampling Techniques, chapter 5.

    Examples
    --------
    >>> runs = pd.DataFrame({
    ...     "task": ["a"] * 4 + ["b"] * 2, "item_id": range(6), "score": [1, 1, 1, 0, 0, 1],
    ... })
    >>> pooled(runs, by="task")[["weighting", "estimate", "se", "n_groups"]].round(4)
      weighting  estimate      se  n_groups
    0     macro    0.6250  0.2795         2
    1     micro    0.6667  0.2357         2
    """
    critical(level)
    check_choice("missing", missing, MISSING)
    check_flag("cluster", cluster)
    check_flag("shared", shared)
    kinds = chosen("weighting", weighting, WEIGHTINGS)
    columns, groups = value_columns(value, frame), by_columns(by, "pooled")
    if not groups:
        raise RoleError('by must name the column of the groups to pool, for example by="task"')
    prompts = baseline is not None
    runs = select(frame, columns, by=groups, cluster=cluster, prompts=prompts, reduced=True)
    arms = None if baseline is None else select_arms(runs.arms, baseline)
    if arms is not None:
        check_prompts(runs)
    parts: list[dict[str, Any]] = []
    sampled = repeated_labels(runs)
    read = [_known(runs, column, arms, missing) for column in columns]
    if arms is not None:
        refuse_none_shared(any(len(known.value) for known, *_ in read), runs.arms, arms)
    for column, (known, *lost) in zip(columns, read, strict=True):
        part = segment_means(known.value, known.segment, known.n_segments, known.cluster)
        overlap = overlap_of(known, part, sampled, runs) if shared else None
        parts += [_pool(column, part, lost, overlap, kind, level, runs, arms) for kind in kinds]
    if sampled is not None:
        for row in parts:
            row["note"] = results.also(row["note"], repeated_note(runs, shared=shared))
    provenance = {
        "value": columns,
        "by": groups,
        "baseline": baseline,
        "weighting": kinds,
        "cluster": cluster,
        "shared": shared,
        "level": level,
        "missing": missing,
    }
    shown = parts[0]["n_groups"] + parts[0]["n_dropped"] > 0
    one = pd.DataFrame(index=range(1))
    return assemble("pooled", one, runs.arms, arms, parts, shown, provenance)


def _known(runs: Runs, column: str, arms: Arms | None, missing: str) -> tuple[Cells, Ints, Ints]:
    """Return item means, or mean differences; keys left out, and values made 0, a segment."""
    if arms is None:
        if missing == "raise":
            refuse_missing(runs, column, 'leave them out with missing="drop"')
        means = reduce(runs, column, zero=missing == "zero")
        known = cells(runs, means.mean)
        lost, none = known.count(means.n_missing), np.zeros(known.n_segments, dtype=np.int64)
        return known, lost if missing == "drop" else none, lost if missing == "zero" else none
    pairs = paired_means(runs, column, arms.baseline, arms.others, missing)
    known = cells(runs, pairs.arm - pairs.baseline)
    return known, known.count(pairs.n_dropped), known.count(pairs.n_zeros)


def _pool(
    column: str,
    part: Means,
    lost: list[Ints],
    overlap: Overlap | None,
    weighting: str,
    level: float,
    runs: Runs,
    arms: Arms | None,
) -> dict[str, Any]:
    """Pool one column: an entry an arm for each result column."""
    shape = (len(runs.by), -1) if len(part.n) else (0, 0)
    mean, se = part.mean.reshape(shape), part.se.reshape(shape)
    n, units = part.n.reshape(shape), part.n_clusters.reshape(shape)
    found = pool(mean, se, n, (units - 1).astype(np.float64), weighting, overlap)
    dropped, zeros = (one.reshape(shape).sum(axis=0) for one in lost)
    apart = heterogeneity(mean, se, n)
    quantile = _quantile(level, found.df)
    clustered = runs.unit_cluster is not None
    with np.errstate(invalid="ignore", divide="ignore"):
        statistic = np.where(found.se > 0, found.estimate / found.se, np.nan)
    return {
        "metric": metric_name(column),
        "weighting": weighting,
        "estimate": found.estimate,
        "se": found.se,
        "conf_low": found.estimate - quantile * found.se,
        "conf_high": found.estimate + quantile * found.se,
        "p_value": np.nan if arms is None else two_sided_p(statistic, found.df),
        "q_statistic": apart.q,
        "q_df": apart.df,
        "q_p_value": apart.p_value,
        "i_squared": apart.i_squared,
        "n_groups": (n > 0).sum(axis=0),
        "n_items": n.sum(axis=0),
        "n_dropped": dropped,
        "n_clusters": _different(units, overlap) if clustered else np.nan,
        "df": np.where(np.isfinite(found.df), found.df, np.nan),
        "level": level,
        "clustered": clustered,
        "note": _notes(found.se, se, n, zeros, weighting),
    }


def _different(units: Ints, overlap: Overlap | None) -> Ints:
    """Return how many different clusters each arm has over all groups."""
    return units.sum(axis=0) if overlap is None else overlap.n_units


def _quantile(level: float, df: Floats) -> Floats:
    finite = np.isfinite(df)
    normal, _ = quantiles(0.5, 1 - level)
    quantile: Floats = np.where(
        finite, student_quantile(level, np.where(finite, df, np.nan)), normal
    )
    return np.where(np.isnan(df), np.nan, quantile)


def _notes(pooled_se: Floats, se: Floats, n: Ints, zeros: Ints, weighting: str) -> list[str]:
    """Say in words what a reader of each row must know."""
    n_groups = len(n)
    absent = (n == 0).sum(axis=0)
    alone = (np.isnan(se) & (n > 0)).sum(axis=0)
    same = (se == 0).sum(axis=0)
    precise = weighting == "inverse-variance"
    return results.notes(
        n.shape[1],
        [
            (
                absent > 0,
                lambda row: (
                    f"no item in {absent[row]:,} of {n_groups:,} groups: the others are pooled"
                ),
            ),
            (alone > 0, lambda row: f"{alone[row]:,} groups have 1 item or cluster: no error"),
            (
                (same > 0) & precise,
                lambda row: f"{same[row]:,} groups show no spread, so that precision is unknown",
            ),
            no_spread(pooled_se),
            counted_as_zero(zeros),
        ],
    )
