"""Many comparisons at once: tests and limits that hold for all of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from evalframe import results
from evalframe.arms import select_arms
from evalframe.methods.arguments import (
    MISSING,
    by_columns,
    check_choice,
    check_count,
    check_flag,
    value_columns,
)
from evalframe.methods.comparing.families import Member, paired_member, unpaired_member
from evalframe.methods.remarks import counted_as_zero, few_units, keys_dropped
from evalframe.methods.rows import assemble
from evalframe.pairing import check_prompts, refuse_none_shared
from evalframe.rng import draw_seed, generator
from evalframe.roles import metric_name
from evalframe.runs import select
from evalframe.stats import rays
from evalframe.stats.floor import critical
from evalframe.stats.means import student_quantile
from evalframe.stats.multiple import METHODS as ADJUSTMENTS
from evalframe.stats.multiple import adjust as adjusted_p
from evalframe.stats.segments import Floats
from evalframe.stats.simultaneous import correlations, families
from evalframe.stats.welch import two_sided_p

SIMULTANEOUS = ("max-t", "bonferroni")


def contrasts(
    frame: pd.DataFrame,
    baseline: object,
    *,
    value: str | Sequence[str] = "score",
    by: str | Sequence[str] | None = None,
    paired: bool = True,
    cluster: bool = True,
    level: float = 0.95,
    adjust: str = "holm",
    simultaneous: str = "max-t",
    n_draws: int = 4_096,
    rng: int | np.random.Generator | None = 0,
    missing: str = "raise",
) -> pd.DataFrame:
    r"""Differences of several arms, columns and groups from a baseline, tested as one family.

    Of twenty comparisons one is "significant" at 5% by chance. Here p is adjusted for all rows of
    the result, and the simultaneous limits hold for all of them at once.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs of two or more arms.
    baseline : label
        The arm that the others are compared with.
    value : str or sequence of str, default "score"
        The column of numbers, or several.
    by : str or sequence of str, optional
        Columns whose groups are compared apart.
    paired : bool, default True
        Paired differences over shared items; or Welch's, over each arm's own items.
    cluster : bool, default True
        Whether to use ``cluster_id`` where the frame has it.
    level : float, default 0.95
        Confidence level.
    adjust : {"holm", "hochberg", "hommel", "bonferroni", "bh", "by"}
        How p is adjusted over all rows that have one.
    simultaneous : {"max-t", "bonferroni"}
        Limits from the largest of the correlated t statistics, or each at 1 - (1 - level) / m.
    n_draws : int, default 4096
        Directions drawn for the quantile of "max-t".
    rng : int, Generator or None, default 0
        Where they come from.
    missing : {"raise", "drop", "zero"}
        As in `compare`.

    Returns
    -------
    DataFrame
        One row an arm (and group, and column):

        - diff, se, conf_low, conf_high : Student's t, for this row alone
        - sim_low, sim_high : hold for all rows at once; NaN where nothing varies
        - statistic, p_value : t test that the difference is 0; NaN where nothing varies
        - p_adjusted : NaN stays where it is
        - n_items, n_dropped, n_clusters
        - n_tests : the family, rows that have a p
        - df, sim_quantile : of t; how many standard errors the simultaneous limits are apart
        - level, adjust, simultaneous, paired, clustered, note

    Raises
    ------
    RoleError, FrameError, DesignError, ValueError
        As in `compare`.

    See Also
    --------
    pairs : Every two arms, without a baseline.
    mcnemar : Arms that are right or wrong, on independent items.

    Notes
    -----
    "max-t" takes the family's correlations from the sample: arms share the baseline and the items,
    columns the runs, and groups nothing. The smallest df of the family is used for all rows.

    References
    ----------
    .. [1] Hothorn, Bretz and Westfall (2008), Simultaneous inference in general parametric models,
       Biometrical J. 50(3), 346-363, doi:10.1002/bimj.200810425.

    Examples
    --------
    >>> base, x, y = [0.1, 0.2, 0.3, 0.4, 0.5], [0.3, 0.3, 0.4, 0.6, 0.8], [0.1, 0.3, 0.1, 0.5, 0.4]
    >>> arm = ["base"] * 5 + ["x"] * 5 + ["y"] * 5
    >>> item = [1, 2, 3, 4, 5] * 3
    >>> runs = pd.DataFrame({"item_id": item, "arm": arm, "score": base + x + y})
    >>> contrasts(runs, "base")[["arm", "diff", "p_value", "p_adjusted", "n_tests"]].round(3)
      arm  diff  p_value  p_adjusted  n_tests
    0   x  0.18    0.009       0.017        2
    1   y -0.02    0.749       0.749        2
    """
    critical(level)
    check_choice("adjust", adjust, ADJUSTMENTS)
    check_choice("simultaneous", simultaneous, SIMULTANEOUS)
    check_choice("missing", missing, MISSING)
    check_flag("cluster", cluster)
    check_flag("paired", paired)
    check_count("n_draws", n_draws, 100)
    seed = draw_seed(rng)
    columns, groups = value_columns(value, frame), by_columns(by, "contrasts")
    runs = select(frame, columns, by=groups, cluster=cluster, prompts=paired, reduced=True)
    arms = select_arms(runs.arms, baseline)
    if paired:
        check_prompts(runs)
    measure = paired_member if paired else unpaired_member
    members = [measure(runs, column, arms, missing) for column in columns]
    if paired:
        refuse_none_shared(any(one.n_items.any() for one in members), runs.arms, arms)
    clustered = runs.unit_cluster is not None
    parts = [
        _columns(column, one, level, clustered=clustered, max_t=simultaneous == "max-t")
        for column, one in zip(columns, members, strict=True)
    ]
    limit = float("nan")
    if simultaneous == "max-t":
        limit = _max_t(members, len(arms.others), level, seed, n_draws)
    _simultaneous(parts, level, adjust, limit, simultaneous)
    shared = {"adjust": adjust, "simultaneous": simultaneous, "paired": paired}
    provenance = {
        "value": columns,
        "by": groups,
        "baseline": baseline,
        "cluster": cluster,
        "level": level,
        "n_draws": n_draws,
        "rng": seed,
        "missing": missing,
        **shared,
    }
    parts = [part | shared for part in parts]
    return assemble("contrasts", runs.by, runs.arms, arms, parts, members[0].shown, provenance)


def _columns(
    column: str, one: Member, level: float, *, clustered: bool, max_t: bool
) -> dict[str, Any]:
    """Return the columns that each row has by itself."""
    tested = (one.se > 0) & ~np.isnan(one.df)
    with np.errstate(invalid="ignore", divide="ignore"):
        statistic = np.where(tested, one.diff / one.se, np.nan)
    half = np.where(one.se == 0, 0.0, student_quantile(level, one.df) * one.se)
    unit = "cluster" if clustered else "item"
    return {
        "metric": metric_name(column),
        "diff": one.diff,
        "se": one.se,
        "conf_low": one.diff - half,
        "conf_high": one.diff + half,
        "statistic": statistic,
        "p_value": two_sided_p(statistic, one.df),
        "n_items": one.n_items,
        "n_dropped": one.n_dropped,
        "n_clusters": one.n_clusters if clustered else np.nan,
        "df": one.df,
        "level": level,
        "clustered": clustered,
        "note": results.notes(
            len(one.diff),
            [
                (np.isnan(one.diff), "no item to compare"),
                (
                    np.isnan(one.se) & ~np.isnan(one.diff),
                    f"1 {unit}: no standard error",
                ),
                (one.se == 0, "standard error 0: no test, and no certainty either"),
                *few_units(one.n_clusters, tested & max_t, unit),
                keys_dropped(one.n_dropped),
                counted_as_zero(one.n_zeros),
            ],
        ),
    }


def _max_t(members: list[Member], n_others: int, level: float, seed: int, n_draws: int) -> float:
    """Return the quantile of the largest t over all columns, arms and groups."""
    n_columns, n_segments = len(members), len(members[0].diff)
    n_rows = n_segments * n_columns
    unit = np.concatenate([one.unit for one in members])
    row = np.concatenate([one.segment * n_columns + c for c, one in enumerate(members)])
    share = np.concatenate([one.share for one in members])
    df, se, diff = (
        np.stack([getattr(one, name) for one in members], axis=1).ravel()
        for name in ("df", "se", "diff")
    )
    tested = ~np.isnan(df)
    if not tested.any():
        return float("nan")
    share = np.where(tested[row], share, 0.0)
    statistic = np.where(tested, diff / np.where(tested, se, 1.0), 0.0)
    block = np.arange(n_rows) // max(n_others * n_columns, 1)
    blocks = correlations(unit, row, share, n_rows, block)
    least = float(np.min(df[tested]))
    return rays.quantile(families(blocks, statistic, least, generator(seed), n_draws), level)


def _simultaneous(
    parts: list[dict[str, Any]], level: float, adjust: str, limit: float, simultaneous: str
) -> None:
    """Add what holds for the family as a whole."""
    p = np.stack([part["p_value"] for part in parts])
    family = int(np.count_nonzero(~np.isnan(p)))
    p_adjusted = adjusted_p(p.ravel(), adjust).reshape(p.shape)
    for part, adjusted in zip(parts, p_adjusted, strict=True):
        quantile: Floats = np.full(len(part["diff"]), limit)
        if simultaneous == "bonferroni":
            quantile = student_quantile(1 - (1 - level) / max(family, 1), part["df"])
        quantile = np.where(np.isnan(part["p_value"]), np.nan, quantile)
        # NaN without a test: nothing is known of such a row, and it adds nothing to the family.
        half = quantile * part["se"]
        part["sim_low"], part["sim_high"] = part["diff"] - half, part["diff"] + half
        part["sim_quantile"], part["p_adjusted"], part["n_tests"] = quantile, adjusted, family
