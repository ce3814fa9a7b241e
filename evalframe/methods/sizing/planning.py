"""How many items does it take, and what can so many find? Plans from a pilot or from numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from evalframe.methods.sizing.plan_requests import (
    check_alpha,
    check_count,
    check_effect,
    check_items,
    check_means,
    check_power,
    effect_of_means,
    pilot_or_number,
)
from evalframe.methods.sizing.plans import Source, plan
from evalframe.methods.sizing.spread import Numbers, Spread
from evalframe.stats.power import items_needed, power_of, smallest_effect
from evalframe.stats.segments import Floats


def sample_size(
    pilot: pd.DataFrame | float | None = None,
    baseline: object = None,
    *,
    effect: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    sd_diff: float | None = None,
    sd_seed: float | None = None,
    p_a: float | None = None,
    p_b: float | None = None,
    correlation: float | None = None,
    icc: float | None = None,
    cluster_size: float | None = None,
    seeds: int | None = None,
    paired: bool = True,
    value: str | Sequence[str] = "score",
    by: str | Sequence[str] | None = None,
    cluster: bool = True,
    missing: str = "raise",
) -> pd.DataFrame:
    r"""Items that a comparison needs to find an effect, from a pilot or from numbers.

    The same function plans from runs, ``df.evals.sample_size("base", effect=0.02)``, and from
    numbers, ``evalframe.sample_size(0.02, sd_diff=0.35)``.

    Parameters
    ----------
    pilot : DataFrame or float
        Runs of two or more arms; or, to plan from numbers, the effect itself.
    baseline : label, optional
        The arm of the pilot that the others are compared with.
    effect : float
        Difference of the arms' means to find, in units of the grade. Default: p_a - p_b, if given.
    power, alpha : float, default 0.8 and 0.05
        Chance of finding it; size of the two-sided test.
    sd_diff : float, optional
        Without a pilot: standard deviation of an item's difference with one run of each arm;
        unpaired, the root of the sum of the arms' variances.
    sd_seed : float, optional
        The part of it between runs of one item; needed where `seeds` is above 1.
    p_a, p_b, correlation : float, optional
        In place of `sd_diff`: means of 0/1 scores, and how their items' scores are correlated.
    icc, cluster_size : float, optional
        Intraclass correlation of the differences, and items in a cluster. With a pilot they replace
        its own clusters; they are never counted on top of them.
    seeds : int, optional
        Runs of each item by each arm. Default: the pilot's, or one.
    paired : bool, default True
        Whether both arms answer the same items; if not, `n_items` is of each arm.
    value, by, cluster, missing : default "score", None, True, "raise"
        What to read of a pilot, as in `compare`.

    Returns
    -------
    DataFrame
        One row (with a pilot one an arm, group and column):

        - effect, mde, power : the effect, the smallest one found, the chance of finding it; what
          was not asked for is NaN
        - se : of the difference, with that many items
        - sd_diff, design_effect, icc : of an item's difference; the factor of clusters
        - n_items, n_clusters, n_effective : to run; as many independent items as that is worth
        - seeds, cluster_size, alpha, paired, note

    Raises
    ------
    ValueError
        If the numbers contradict each other, or no number of items will do; it says why.
    DesignError, RoleError, FrameError
        If the pilot is not as `compare` needs it.

    Notes
    -----
    :math:`n = \lceil (z_{1-\alpha/2} + z_\text{power})^2 V / \delta^2 \rceil` with exact normal
    quantiles (`compare` rounds its own to 1.96 and 0.84). From numbers, V is

    .. math:: \sigma_1^2 - \sigma_w^2 (1 - 1/k) + (m - 1) \rho_c \sigma_1^2 ,

    with :math:`\sigma_1` `sd_diff`, :math:`\sigma_w` `sd_seed`, k seeds, m items a cluster and
    :math:`\rho_c` the icc. From a pilot it is the squared (cluster-robust) standard error of the
    difference times the number of items, and more or fewer runs change the part between runs alone;
    what is left without that part is held at 0.

    References
    ----------
    .. [1] Miller (2024), Adding error bars to evals, arXiv:2411.00640.

    Examples
    --------
    >>> plan = sample_size(0.02, p_a=0.72, p_b=0.7, correlation=0.7, icc=0.25, cluster_size=8)
    >>> plan[["effect", "n_items", "n_clusters", "design_effect"]]
       effect  n_items  n_clusters  design_effect
    0    0.02     6667         834           2.75
    """
    frame, effect = pilot_or_number(pilot, effect, "effect")
    given = Numbers(sd_diff, sd_seed, p_a, p_b, correlation, icc, cluster_size, seeds, paired)
    check_alpha(alpha)
    check_power(power, alpha)
    effect = effect_of_means(effect, given, frame)
    check_effect(effect, given)

    def solve(spread: Spread) -> dict[str, Any]:
        check_means(effect, given)
        n = items_needed(effect or np.nan, spread.per_item, power, alpha)
        check_count(n, effect)
        return {"effect": effect, "mde": np.nan, "power": power, "n_items": n}

    source = Source(frame, baseline, value, by, cluster, missing)
    return plan(source, given, solve, alpha, {"effect": effect, "power": power})


def power(
    pilot: pd.DataFrame | float | None = None,
    baseline: object = None,
    *,
    effect: float | None = None,
    n_items: int | None = None,
    alpha: float = 0.05,
    sd_diff: float | None = None,
    sd_seed: float | None = None,
    p_a: float | None = None,
    p_b: float | None = None,
    correlation: float | None = None,
    icc: float | None = None,
    cluster_size: float | None = None,
    seeds: int | None = None,
    paired: bool = True,
    value: str | Sequence[str] = "score",
    by: str | Sequence[str] | None = None,
    cluster: bool = True,
    missing: str = "raise",
) -> pd.DataFrame:
    r"""Chance that a comparison of so many items finds an effect, from a pilot or from numbers.

    Parameters
    ----------
    pilot : DataFrame or float
        Runs of two or more arms; or, to plan from numbers, the effect itself.
    baseline : label, optional
        The arm of the pilot that the others are compared with.
    effect : float
        Difference of the arms' means to find, in units of the grade. Default: p_a - p_b, if given.
    n_items : int, optional
        Items to run (unpaired: in each arm). Default: as many as the pilot has.
    alpha : float, default 0.05
        Size of the two-sided test.
    sd_diff, sd_seed, p_a, p_b, correlation, icc, cluster_size, seeds, paired : default None, True
        The spread of the differences, as in `sample_size`.
    value, by, cluster, missing : default "score", None, True, "raise"
        What to read of a pilot, as in `compare`.

    Returns
    -------
    DataFrame
        As `sample_size`; `power` is the answer, and counts a rejection on either side.

    Raises
    ------
    ValueError, DesignError, RoleError, FrameError
        As in `sample_size`.

    Notes
    -----
    :math:`\Phi(\delta/s - z) + \Phi(-\delta/s - z)`, :math:`z = z_{1-\alpha/2}`, s = `se` [1]_.

    References
    ----------
    .. [1] Miller (2024), Adding error bars to evals, arXiv:2411.00640.

    Examples
    --------
    >>> power(0.05, n_items=400, sd_diff=0.4)[["effect", "n_items", "power"]].round(3)
       effect  n_items  power
    0    0.05      400  0.705
    """
    frame, effect = pilot_or_number(pilot, effect, "effect")
    given = Numbers(sd_diff, sd_seed, p_a, p_b, correlation, icc, cluster_size, seeds, paired)
    check_alpha(alpha)
    effect = effect_of_means(effect, given, frame)
    check_effect(effect, given)
    check_items(n_items, frame)

    def solve(spread: Spread) -> dict[str, Any]:
        check_means(effect, given)
        n = spread.n_items if n_items is None else np.full(len(spread.variance), float(n_items))
        found = power_of(effect or np.nan, _se(spread, n), alpha)
        return {"effect": effect, "mde": np.nan, "power": found, "n_items": n}

    source = Source(frame, baseline, value, by, cluster, missing)
    return plan(source, given, solve, alpha, {"effect": effect, "n_items": n_items})


def mde(
    pilot: pd.DataFrame | float | None = None,
    baseline: object = None,
    *,
    n_items: int | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    sd_diff: float | None = None,
    sd_seed: float | None = None,
    p_a: float | None = None,
    p_b: float | None = None,
    correlation: float | None = None,
    icc: float | None = None,
    cluster_size: float | None = None,
    seeds: int | None = None,
    paired: bool = True,
    value: str | Sequence[str] = "score",
    by: str | Sequence[str] | None = None,
    cluster: bool = True,
    missing: str = "raise",
) -> pd.DataFrame:
    r"""Smallest difference that a comparison of so many items finds, from a pilot or from numbers.

    Parameters
    ----------
    pilot : DataFrame or int
        Runs of two or more arms; or, to plan from numbers, `n_items` itself.
    baseline : label, optional
        The arm of the pilot that the others are compared with.
    n_items : int, optional
        Items to run (unpaired: in each arm). Default: as many as the pilot has.
    power, alpha : float, default 0.8 and 0.05
        Chance of finding it; size of the two-sided test.
    sd_diff, sd_seed, p_a, p_b, correlation, icc, cluster_size, seeds, paired : default None, True
        The spread of the differences, as in `sample_size`.
    value, by, cluster, missing : default "score", None, True, "raise"
        What to read of a pilot, as in `compare`.

    Returns
    -------
    DataFrame
        As `sample_size`; `mde` is the answer.

    Raises
    ------
    ValueError, DesignError, RoleError, FrameError
        As in `sample_size`.

    Notes
    -----
    :math:`(z_{1-\alpha/2} + z_\text{power}) s` with s = `se` [1]_: a rejection on the wrong side,
    which `power` counts, is left out.

    References
    ----------
    .. [1] Miller (2024), Adding error bars to evals, arXiv:2411.00640.

    Examples
    --------
    >>> mde(n_items=164, p_a=0.5, p_b=0.5, paired=False)[["mde", "n_items", "paired"]].round(4)
          mde  n_items  paired
    0  0.1547      164   False
    """
    frame, wanted = pilot_or_number(pilot, n_items, "n_items")
    given = Numbers(sd_diff, sd_seed, p_a, p_b, correlation, icc, cluster_size, seeds, paired)
    check_alpha(alpha)
    check_power(power, alpha)
    check_items(wanted, frame)

    def solve(spread: Spread) -> dict[str, Any]:
        n = spread.n_items if wanted is None else np.full(len(spread.variance), float(wanted))
        least = smallest_effect(_se(spread, n), power, alpha)
        return {"effect": np.nan, "mde": least, "power": power, "n_items": n}

    source = Source(frame, baseline, value, by, cluster, missing)
    return plan(source, given, solve, alpha, {"n_items": wanted, "power": power})


def _se(spread: Spread, n: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt(spread.per_item / n)
