"""How sure is any statistic of an arm, or its difference from a baseline? The bootstrap."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from evalframe.arms import select_arms
from evalframe.methods.arguments import (
    MISSING,
    by_columns,
    check_choice,
    check_count,
    value_columns,
)
from evalframe.methods.bootstrapping.measures import Statistic, read_statistic
from evalframe.methods.bootstrapping.resampled import Plan, resample_column
from evalframe.methods.bootstrapping.samples import UNITS, read_samples, unit_name
from evalframe.methods.rows import assemble
from evalframe.pairing import check_prompts
from evalframe.progress import progress_bar
from evalframe.rng import draw_seed
from evalframe.runs import select
from evalframe.stats.floor import critical
from evalframe.stats.resample import METHODS
from evalframe.stats.statistic import LINEAR

# A resample is kept as one number: more would need more memory than the rest together.
MOST = 10_000_000


def bootstrap(
    frame: pd.DataFrame,
    baseline: object = None,
    *,
    value: str | Sequence[str] = "score",
    statistic: Statistic = "mean",
    unit: str = "auto",
    method: str = "percentile",
    n_boot: int = 10_000,
    level: float = 0.95,
    rng: int | np.random.Generator | None = 0,
    by: str | Sequence[str] | None = None,
    missing: str = "raise",
) -> pd.DataFrame:
    r"""Bootstrap interval of a statistic of each arm, or of its difference from a baseline.

    An item's seeds are averaged first. A resample draws as many items (clusters, where there are
    any) as there are, with replacement; an item is drawn with all its arms, so differences stay
    paired. Memory does not grow with the number of items or resamples.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs.
    baseline : label, optional
        The arm that the others are compared with. Without it each arm has a row of its own.
    value : str or sequence of str, default "score"
        The column of numbers, or several.
    statistic : str, tuple or callable, default "mean"
        "mean", "median", ("quantile", q), ("trimmed", share cut off at each end),
        ("above", threshold): the share of items above it, ("ratio", column): the sum of `value`
        over the sum of `column`, such as tokens a point; or a function of an array of item means.
        With a baseline: the arm's statistic minus the baseline's.
    unit : {"auto", "item", "cluster", "hierarchical"}
        What is drawn. "auto" is clusters where the frame has ``cluster_id``, else items.
        "hierarchical" draws clusters (where there are any), then items within each, then seeds
        within each item.
    method : {"percentile", "basic", "bca", "studentized", "saddlepoint", "exact"}
        How limits are found. "studentized" is for means, shares and ratios. "saddlepoint" is the
        percentile interval of endless resamples without drawing any, for those and a baseline's
        differences but of ratios. "exact" counts all resamples where they are few: of 11 items, or
        of many with two or three different values.
    n_boot : int, default 10_000
        Resamples.
    level : float, default 0.95
        Confidence level.
    rng : int, Generator or None, default 0
        Where draws come from. None takes a fresh seed and records it in ``attrs``.
    by : str or sequence of str, optional
        Columns whose groups (tasks, subjects) are taken apart.
    missing : {"raise", "drop", "zero"}
        What a missing value does: it is refused, left out and counted in `note`, or counted as 0.

    Returns
    -------
    DataFrame
        One row an arm (and group, and column):

        - baseline : missing where there is none
        - estimate, bias, se : the statistic, and what its resamples say of it
        - conf_low, conf_high : NaN where one item or one cluster shows no spread
        - n_units : items or clusters drawn
        - n_failed : resamples in which the statistic is not defined, which are left out
        - n_boot : missing where nothing was drawn at random
        - unit, method : as used; `note` says why a method gave way to another
        - level, note

    Raises
    ------
    RoleError, FrameError
        If a column is missing, or its values or keys are not what its role needs.
    DesignError
        If an arm is not there, arms are not paired, or there are no clusters to draw.
    ValueError
        If an argument is not one of its choices.

    See Also
    --------
    compare : Differences of means with closed formulas and McNemar's test.

    Notes
    -----
    The standard error of a mean is :math:`\sqrt{(n - 1) / n} \, s / \sqrt n` whatever `n_boot` is:
    more resamples make it steadier, not smaller. Resamples are drawn from laws that are exact: a
    multinomial over the different values where they are few, two Beta numbers for a quantile.

    References
    ----------
    .. [1] Davison and Hinkley (1997), Bootstrap Methods and their Application.

    Examples
    --------
    >>> runs = pd.DataFrame({"item_id": range(10), "score": [1, 1, 1, 0, 1, 1, 0, 1, 1, 1]})
    >>> found = bootstrap(runs, method="exact")
    >>> found[["estimate", "se", "conf_low", "conf_high", "n_units", "method"]].round(4)
       estimate      se  conf_low  conf_high  n_units method
    0       0.8  0.1265       0.5        1.0       10  exact
    """
    kind, divisor = read_statistic(statistic)
    plan = Plan(kind, unit, method, n_boot, level, draw_seed(rng))
    _check(plan, baseline, missing)
    columns, groups = value_columns(value, frame), by_columns(by, "bootstrap")
    needed = columns if divisor is None else list(dict.fromkeys([*columns, divisor]))
    runs = select(
        frame,
        needed,
        by=groups,
        cluster=unit != "item",
        prompts=baseline is not None,
        # Seeds are drawn one by one, and of a ratio both columns must be known in the same runs.
        reduced=unit != "hierarchical" and divisor is None,
    )
    arms = None if baseline is None else select_arms(runs.arms, baseline)
    check_prompts(runs)
    plan = replace(plan, unit=unit_name(unit, runs))
    read = [[column] if divisor is None else [column, divisor] for column in columns]
    samples = read_samples(runs, read, arms, missing)
    total = n_boot * sum(len(one.rows) for one in samples)
    with progress_bar(total, "resample") as tick:
        parts = [
            resample_column(runs, some, arms, missing, sample, plan, tick)
            for some, sample in zip(read, samples, strict=True)
        ]
    provenance = {
        "value": columns,
        "by": groups,
        "baseline": baseline,
        "statistic": kind.text,
        "unit": unit,
        "method": method,
        "n_boot": n_boot,
        "level": level,
        "rng": plan.seed,
        "missing": missing,
    }
    return assemble("bootstrap", runs.by, runs.arms, arms, parts, samples[0].present, provenance)


def _check(plan: Plan, baseline: object, missing: str) -> None:
    """Refuse arguments, and methods that their statistic or unit does not have."""
    critical(plan.level)
    check_choice("unit", plan.unit, UNITS)
    check_choice("method", plan.method, METHODS)
    check_choice("missing", missing, MISSING)
    check_count("n_boot", plan.n_boot, 2)
    if plan.n_boot > MOST:
        raise ValueError(
            f"n_boot must be {MOST:,} at most, not {plan.n_boot:,}; limits without Monte Carlo "
            'error come from method="saddlepoint" or "exact"'
        )
    linear = plan.kind.name in LINEAR
    if plan.method in ("studentized", "saddlepoint") and not linear:
        raise ValueError(
            f"method={plan.method!r} is for means, shares above a threshold and ratios, not "
            f'{plan.kind.text}; for others use "bca", "basic" or "percentile"'
        )
    if plan.method == "saddlepoint" and plan.kind.name == "ratio" and baseline is not None:
        raise ValueError(
            'method="saddlepoint" knows the law of one ratio, not of a difference of two; use '
            '"studentized", "bca", "basic" or "percentile"'
        )
    if plan.unit == "hierarchical" and plan.method in ("studentized", "saddlepoint", "exact"):
        raise ValueError(
            f'unit="hierarchical" has no method={plan.method!r}; use "percentile", "basic" or "bca"'
        )
