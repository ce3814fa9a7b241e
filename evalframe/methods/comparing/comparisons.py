"""Is one arm better than another? Paired differences over the items both answered."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from evalframe import results
from evalframe.arms import Arms, select_arms
from evalframe.methods.arguments import (
    MISSING,
    by_columns,
    check_choice,
    check_count,
    check_flag,
    value_columns,
)
from evalframe.methods.comparing.difference import Settings, compare_column
from evalframe.methods.comparing.difference_intervals import INTERVALS
from evalframe.methods.comparing.equivalence import against_margin, margins
from evalframe.methods.comparing.unpaired import check_unpaired, unpaired_column
from evalframe.methods.intervals import refuse_undefined
from evalframe.methods.rows import assemble
from evalframe.pairing import check_prompts, paired_means, refuse_disjoint
from evalframe.rng import draw_seed
from evalframe.roles import COLUMN, check_names, need
from evalframe.runs import Runs, select
from evalframe.stats.floor import critical, exceeds
from evalframe.stats.multiple import METHODS as ADJUSTMENTS
from evalframe.stats.multiple import adjust as adjusted

DEFAULT_COLUMNS = ("score", "n_output_tokens", "hit_cap")
_MEASURED = ("n_output_tokens", "hit_cap")


def compare(
    frame: pd.DataFrame,
    baseline: object,
    *,
    value: str | Sequence[str] | None = None,
    by: str | Sequence[str] | None = None,
    cluster: bool = True,
    level: float = 0.95,
    interval: str = "normal",
    n_boot: int = 10_000,
    rng: int | np.random.Generator | None = 0,
    floor: object = None,
    adjust: str | None = None,
    paired: bool = True,
    margin: float | Mapping[str, float] | None = None,
    missing: str = "raise",
) -> pd.DataFrame:
    r"""Paired difference of each arm from a baseline, over the items both answered.

    Arms are joined on (item, seed); an item's seeds are averaged first, and every statistic runs
    over items, or over clusters of them. The same items answered by both arms make the difference
    far better known than either score.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs of two or more arms.
    baseline : label
        The arm that the others are compared with.
    value : str or sequence of str, optional
        Columns to compare. Default: ``score``, and ``n_output_tokens`` and ``hit_cap`` where the
        frame has them.
    by : str or sequence of str, optional
        Columns whose groups (tasks, subjects) are compared apart.
    cluster : bool, default True
        Whether to use ``cluster_id`` where the frame has it.
    level : float, default 0.95
        Confidence level.
    interval : {"normal", "t", "tango", "newcombe", "bonett-price", "cr2", "auto"}
        diff -+ 1.96 se, or Student's t with n - 1 (clustered: G - 1) degrees of freedom; "cr2" is t
        with an error and degrees of freedom for few or unequal clusters. For scores of 0 and 1,
        "tango" is a score interval, with clusters on the effective number of items; "newcombe" and
        "bonett-price" take items as independent. "auto" is "tango" for ``score`` and ``hit_cap``
        where they are 0 and 1, else "t" or with clusters "cr2". Tokens always have a percentile
        bootstrap interval.
    n_boot : int, default 10_000
        Resamples of that bootstrap; whole clusters are drawn where there are any.
    rng : int, Generator or None, default 0
        Where its draws come from. None takes a fresh seed and records it in ``attrs``.
    floor : label, optional
        The arm that reruns the baseline under the same settings. The two runs' difference is the
        noise floor that the other arms are held against; it has no row of its own.
    adjust : {"holm", "hochberg", "hommel", "bonferroni", "bh", "by"}, optional
        Adjust `mcnemar_p` over all rows of the result that have one: the adjusted p stands in its
        place, and `note` says so. `mcnemar` has a column for each. For t tests see `contrasts`.
    paired : bool, default True
        False compares arms over their own items, which may be different ones, by Welch's t.
    margin : float or mapping of column to float, optional
        How small a difference does not matter, in units of the grade: adds verdicts. A number is
        that of the score, or of all columns named in `value`.
    missing : {"raise", "drop", "zero"}
        "raise" refuses missing values and keys that one arm lacks. "drop" leaves both out and
        counts them in `n_dropped`. "zero" counts a missing grade as 0, and refuses unpaired keys;
        tokens and cap hits that are missing are left out and counted.

    Returns
    -------
    DataFrame
        One row an arm (and group, and column):

        - baseline_mean, arm_mean : means over the shared items
        - diff, diff_rel : arm - baseline, and as a share of the baseline's mean
        - se, conf_low, conf_high : NaN with fewer than two items or clusters; se is CR2 for "cr2",
          and for "tango" with clusters
        - mde : smallest difference that a two-sided 5% test finds with 80% power, 2.8 se
        - mcnemar_p, baseline_only, arm_only : exact McNemar's test (with `adjust` the adjusted p)
          and its discordant items, where every item mean is 0 or 1; it takes items as independent
        - n_items, n_dropped : items compared; (item, seed) keys left out
        - n_clusters : clusters; missing where items are independent
        - df : degrees of freedom of t, Satterthwaite's for "cr2" and clustered "tango"; NaN where
          no t is used
        - level, clustered
        - interval : the one that was used
        - significant : whether the interval excludes 0
        - small_n : whether there are fewer than 100 items, or clusters (unpaired: in either arm)
        - margin, better, worse, equivalent, not_worse, not_better, verdict : with `margin` only;
          where the interval lies beside 0 and the margins. Better means higher
        - p_not_worse, p_not_better : one-sided, that the difference is below the margin's one end
          or above the other; the verdicts' size is (1 - level) / 2 each
        - floor_diff, floor_se, threshold, exceeds : with `floor` only, as `exceeds_floor`
        - note

    Raises
    ------
    RoleError, FrameError
        If a column is missing, or its values or keys are not what its role needs.
    DesignError
        If an arm is not there, arms are not paired, or share no item.
    ValueError
        If an argument is not one of its choices.

    See Also
    --------
    mcnemar : The whole fourfold table, and the mid-p and chi squared versions.

    Notes
    -----
    With :math:`d_i` the difference on item i, diff is their mean and se is
    :math:`s_d / \sqrt n`, or cluster-robust with factor G/(G - 1) [1]_. At level 0.95 the normal
    quantile is 1.96 and the mde is (1.96 + 0.84) se, as literal numbers; at other levels the
    first is the exact quantile.

    References
    ----------
    .. [1] Miller (2024), Adding error bars to evals, arXiv:2411.00640.

    Examples
    --------
    >>> runs = pd.DataFrame({
    ...     "item_id": [1, 2, 3, 4] * 2,
    ...     "arm": ["base"] * 4 + ["edit"] * 4,
    ...     "score": [1, 0, 0, 0, 1, 1, 1, 0],
    ... })
    >>> compare(runs, "base")[["arm", "diff", "se", "conf_low", "conf_high"]].round(3)
        arm  diff     se  conf_low  conf_high
    0  edit   0.5  0.289    -0.066      1.066
    """
    critical(level)
    check_choice("interval", interval, INTERVALS)
    check_choice("missing", missing, MISSING)
    check_flag("cluster", cluster)
    check_unpaired(paired, interval)
    check_count("n_boot", n_boot, 2)
    check_choice("adjust", ADJUSTMENTS[0] if adjust is None else adjust, ADJUSTMENTS)
    columns, groups, seed = _columns(frame, value), by_columns(by, "compare"), draw_seed(rng)
    runs = select(frame, columns, by=groups, cluster=cluster, prompts=True, reduced=True)
    arms = select_arms(runs.arms, baseline, floor)
    if paired:
        check_prompts(runs)
    compared = [*arms.others, *([] if arms.floor is None else [arms.floor])]
    if paired:
        parts = _paired_parts(
            runs, columns, arms, compared, Settings(level, interval, n_boot, seed), missing
        )
    else:
        parts = [unpaired_column(runs, column, arms, level, missing) for column in columns]
    if arms.floor is not None:
        parts = [_against_floor(part, len(compared), level) for part in parts]
    if margin is not None:
        parts = against_margin(parts, margins(margin, columns, asked=value is not None))
    provenance = {
        "value": columns,
        "by": groups,
        "baseline": baseline,
        "cluster": cluster,
        "level": level,
        "interval": interval,
        "n_boot": n_boot,
        "rng": seed,
        "floor": floor,
        "adjust": adjust,
        "paired": paired,
        "margin": margin,
        "missing": missing,
    }
    table = assemble("compare", runs.by, runs.arms, arms, parts, parts[0]["shown"], provenance)
    return table if adjust is None else _with_adjusted(table, adjust)


def _paired_parts(
    runs: Runs,
    columns: Sequence[str],
    arms: Arms,
    compared: list[int],
    settings: Settings,
    missing: str,
) -> list[dict[str, Any]]:
    """Compare each column over the keys that arms share, and refuse what no row can have."""
    # A length that was not counted is no length of 0, whatever a missing grade is.
    rules = ["drop" if missing == "zero" and c in _MEASURED else missing for c in columns]
    pairs = [
        paired_means(runs, c, arms.baseline, compared, rule)
        for c, rule in zip(columns, rules, strict=True)
    ]
    refuse_disjoint(pairs, runs.arms, arms)
    parts = [compare_column(runs, c, p, settings) for c, p in zip(columns, pairs, strict=True)]
    refusals = [part.pop("refusal") for part in parts]
    # Tokens have an interval of their own, whatever the others are to have.
    refuse_undefined([r for r, c in zip(refusals, columns, strict=True) if c != COLUMN["tokens"]])
    return parts


def _columns(frame: pd.DataFrame, value: str | Sequence[str] | None) -> list[str]:
    """Return the columns to compare: those asked for, or those of the default that are there."""
    if value is not None:
        return value_columns(value, frame)
    check_names(frame)
    need(frame, {"item": "item_id", "score": "score"})
    return [column for column in DEFAULT_COLUMNS if column in frame.columns]


def _against_floor(part: dict[str, Any], n_arms: int, level: float) -> dict[str, Any]:
    """Hold each arm's difference against that of the rerun, which is the last arm of each group."""
    table = {
        name: np.broadcast_to(values, len(part["diff"])).reshape(-1, n_arms)
        for name, values in part.items()
    }
    arms = {name: values[:, :-1].ravel() for name, values in table.items()}
    floor = {name: np.repeat(table[name][:, -1], n_arms - 1) for name in ("diff", "se")}
    threshold, above = exceeds(
        arms["diff"],
        arms["conf_low"],
        arms["conf_high"],
        floor["diff"],
        floor["se"],
        critical(level),
    )
    # What the rerun lost is not in any column of the other arms' rows.
    lost = (table["n_dropped"][:, -1] > 0) | np.isnan(table["se"][:, -1])
    note = results.also(
        arms["note"].tolist(),
        [f"floor: {said}" for said in np.repeat(table["note"][:, -1], n_arms - 1)],
        np.repeat(lost, n_arms - 1),
    )
    return arms | {
        "note": note,
        "floor_diff": floor["diff"],
        "floor_se": floor["se"],
        "threshold": threshold,
        "exceeds": above,
    }


def _with_adjusted(table: pd.DataFrame, adjust: str) -> pd.DataFrame:
    """Adjust McNemar's p over the rows that have one, and say so in their notes."""
    tested = table["mcnemar_p"].notna()
    table["mcnemar_p"] = adjusted(table["mcnemar_p"].to_numpy(), adjust)
    said = f"mcnemar_p adjusted: {adjust} over {int(tested.sum()):,} tests"
    if not tested.any():
        tested, said = ~tested, f"adjust={adjust!r} changes nothing: no row has a McNemar p"
    notes = results.also(table["note"].tolist(), said, tested.to_numpy())
    table["note"] = pd.Series(notes, dtype=str)
    return table
