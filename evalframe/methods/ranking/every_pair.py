"""Which arms differ? Every two of them are compared, as one family."""

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
from evalframe.methods.ranking.item_tables import check_keys, group_tables, refuse_single
from evalframe.methods.ranking.pair_rows import PairRows, pair_rows
from evalframe.methods.remarks import counted_as_zero, few_units, keys_dropped
from evalframe.pairing import check_prompts
from evalframe.rng import draw_seed
from evalframe.roles import metric_name
from evalframe.runs import Runs, select
from evalframe.stats.floor import critical
from evalframe.stats.means import student_quantile
from evalframe.stats.multiple import METHODS as ADJUSTMENTS
from evalframe.stats.multiple import adjust as adjusted_p
from evalframe.stats.rays import quantile
from evalframe.stats.segments import Floats
from evalframe.stats.welch import two_sided_p


def pairs(
    frame: pd.DataFrame,
    *,
    value: str | Sequence[str] = "score",
    by: str | Sequence[str] | None = None,
    cluster: bool = True,
    level: float = 0.95,
    adjust: str = "holm",
    simultaneous: bool = True,
    n_draws: int = 4_096,
    rng: int | np.random.Generator | None = 0,
    missing: str = "drop",
) -> pd.DataFrame:
    r"""Paired differences of every two arms over the items both answered, tested as one family.

    Of 20 arms 190 pairs can be made, and at 5% nine or ten of them differ "significantly" where no
    arm differs from another. Here p is adjusted for all rows of the result, and the simultaneous
    limits hold for all of them at once. With one arm to compare the others with, see `contrasts`.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs of two or more arms, or their means over runs as `scan` returns them.
    value : str or sequence of str, default "score"
        The column of numbers, or several.
    by : str or sequence of str, optional
        Columns whose groups are compared apart.
    cluster : bool, default True
        Whether to use ``cluster_id`` where the frame has it.
    level : float, default 0.95
        Confidence level.
    adjust : {"holm", "hochberg", "hommel", "bonferroni", "bh", "by"}
        How p is adjusted over all rows that have one.
    simultaneous : bool, default True
        Whether to find limits that hold for all rows at once; otherwise they are NaN.
    n_draws : int, default 4096
        Directions drawn for their quantile.
    rng : int, Generator or None, default 0
        Where they come from. None takes a fresh seed and records it in ``attrs``.
    missing : {"drop", "raise", "zero"}
        "drop" compares two arms over the (item, seed) keys that both have a value of, and counts
        the others in `n_dropped`. "raise" refuses missing values and keys that an arm lacks. "zero"
        counts a missing value as 0, and refuses unpaired keys.

    Returns
    -------
    DataFrame
        One row a pair (and group, and column). The arm that comes later in the order of labels is
        `arm`, the other `baseline`, in every group:

        - diff, se, conf_low, conf_high : arm - baseline; Student's t, for this row alone
        - sim_low, sim_high : hold for all rows at once; NaN where nothing varies
        - statistic, p_value : t test that the difference is 0; NaN where nothing varies
        - p_adjusted : NaN stays where it is
        - wins, ties, losses : items on which the arm's mean is above the baseline's, equal, below
        - n_items, n_dropped : shared items; (item, seed) keys of either arm left out
        - n_clusters : clusters; missing where items are independent
        - n_tests : the family, rows that have a p
        - df, sim_quantile : of t; how many standard errors the simultaneous limits are apart
        - level, adjust, clustered, note

    Raises
    ------
    RoleError, FrameError
        If a column is missing, or its values or keys are not what its role needs.
    DesignError
        If there is one arm alone, no two arms share an item, or arms answered other prompts under
        one key.
    ValueError
        If an argument is not one of its choices.

    See Also
    --------
    contrasts : Each arm against one baseline: fewer tests, so narrower limits.
    rank : What these differences say of the order of arms.

    Notes
    -----
    All errors come from one product of the item x arm matrix with itself. The simultaneous limits
    take the largest of the family's t statistics [1]_, with the correlations of the sample; below
    200 degrees of freedom also that each pair has an error of its own. Groups are independent;
    several columns are taken as if they were, which makes limits wider, if anything.

    References
    ----------
    .. [1] Hothorn, Bretz and Westfall (2008), Simultaneous inference in general parametric models,
       Biometrical J. 50(3), 346-363, doi:10.1002/bimj.200810425.

    Examples
    --------
    >>> a, b, c = [0.1, 0.2, 0.3, 0.4, 0.5], [0.3, 0.3, 0.4, 0.6, 0.8], [0.1, 0.3, 0.1, 0.5, 0.4]
    >>> arm = ["a"] * 5 + ["b"] * 5 + ["c"] * 5
    >>> runs = pd.DataFrame({"item_id": [1, 2, 3, 4, 5] * 3, "arm": arm, "score": a + b + c})
    >>> found = pairs(runs)
    >>> found[["arm", "baseline", "diff", "p_adjusted", "wins", "ties", "losses"]].round(3)
      arm baseline  diff  p_adjusted  wins  ties  losses
    0   b        a  0.18       0.026     5     0       0
    1   c        a -0.02       0.749     2     1       2
    2   c        b -0.20       0.095     0     1       4
    """
    critical(level)
    check_choice("adjust", adjust, ADJUSTMENTS)
    check_choice("missing", missing, MISSING)
    check_flag("cluster", cluster)
    check_flag("simultaneous", simultaneous)
    check_count("n_draws", n_draws, 100)
    seed = draw_seed(rng)
    columns, groups = value_columns(value, frame), by_columns(by, "pairs")
    runs = select(frame, columns, by=groups, cluster=cluster, prompts=True, reduced=True)
    refuse_single(runs, "a comparison of pairs")
    check_prompts(runs)
    for column in columns:
        check_keys(runs, column, missing)
    found = pair_rows(
        [list(group_tables(runs, column, missing)) for column in columns],
        (seed, n_draws) if simultaneous else None,
    )
    _refuse_disjoint(runs, found)
    limit = quantile(found.families, level) if simultaneous else float("nan")
    provenance = {
        "value": columns,
        "by": groups,
        "cluster": cluster,
        "level": level,
        "adjust": adjust,
        "simultaneous": simultaneous,
        "n_draws": n_draws,
        "rng": seed,
        "missing": missing,
    }
    return results.table(
        "pairs",
        _keys(runs, found),
        _columns(found, [metric_name(column) for column in columns], level, limit)
        | _family(found, adjust)
        | {"level": level, "adjust": adjust, "clustered": runs.unit_cluster is not None}
        | {"note": _notes(found, runs.unit_cluster is not None, simultaneous)},
        provenance,
    )


def _refuse_disjoint(runs: Runs, found: PairRows) -> None:
    """Raise where no two arms share an item, in any group and column."""
    if len(runs.arms) and not found.n_items.any():
        raise DesignError.of(
            "a comparison of pairs needs items that two arms answered",
            f"none shared by any two of the {len(runs.arms):,} arms",
            "check that item_id (and seed) mean the same in all arms",
            column="item_id",
            count=len(runs.arms),
        )


def _keys(runs: Runs, found: PairRows) -> pd.DataFrame:
    """Return the labels of each row."""
    keys = runs.by.iloc[found.group].reset_index(drop=True)
    keys["arm"], keys["baseline"] = runs.arms.take(found.arm), runs.arms.take(found.baseline)
    return keys


def _columns(found: PairRows, metrics: Sequence[str], level: float, limit: float) -> dict[str, Any]:
    """Return what each row has by itself, and the limits of all together."""
    quantiles = np.where(np.isnan(found.df), np.nan, limit)
    half = np.where(found.se == 0, 0.0, student_quantile(level, found.df) * found.se)
    # NaN without a t statistic: a row adds nothing to what holds for all at once.
    wide = quantiles * found.se
    return {
        "metric": np.asarray(metrics, dtype=object)[found.column],
        "diff": found.diff,
        "se": found.se,
        "conf_low": found.diff - half,
        "conf_high": found.diff + half,
        "sim_low": found.diff - wide,
        "sim_high": found.diff + wide,
        "wins": found.wins,
        "ties": found.n_items - found.wins - found.losses,
        "losses": found.losses,
        "n_items": found.n_items,
        "n_dropped": found.n_dropped,
        "n_clusters": found.n_clusters,
        "df": found.df,
        "sim_quantile": quantiles,
    }


def _family(found: PairRows, adjust: str) -> dict[str, Any]:
    """Return the tests, adjusted for all of them."""
    with np.errstate(invalid="ignore", divide="ignore"):
        statistic: Floats = np.where(np.isnan(found.df), np.nan, found.diff / found.se)
    p = two_sided_p(statistic, found.df)
    return {
        "statistic": statistic,
        "p_value": p,
        "p_adjusted": adjusted_p(p, adjust),
        "n_tests": int(np.count_nonzero(~np.isnan(p))),
    }


def _notes(found: PairRows, clustered: bool, simultaneous: bool) -> list[str]:
    """Say in words what a reader of each row must know."""
    unit = "cluster" if clustered else "item"
    tested = ~np.isnan(found.df)
    return results.notes(
        len(found.diff),
        [
            (found.n_items == 0, "no item to compare"),
            (np.isnan(found.se) & (found.n_items > 0), f"1 {unit}: no standard error"),
            (found.se == 0, "standard error 0: no test, and no certainty either"),
            *few_units(found.n_units, tested, unit),
            (
                found.bounded,
                "too many pairs over different items: simultaneous limits are Bonferroni's",
            ),
            (tested & (not simultaneous), "simultaneous=False: no simultaneous limits"),
            keys_dropped(found.n_dropped),
            counted_as_zero(found.n_zeros),
        ],
    )
