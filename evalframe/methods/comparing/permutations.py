"""Is the difference between two arms more than chance? The sign-flip permutation test."""

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
    value_columns,
)
from evalframe.methods.bootstrapping.samples import Samples, read_samples, unit_name
from evalframe.methods.remarks import counted_as_zero
from evalframe.methods.rows import assemble
from evalframe.pairing import check_prompts
from evalframe.rng import draw_seed, generator
from evalframe.roles import metric_name
from evalframe.runs import select
from evalframe.stats.linear import Linear
from evalframe.stats.segments import Floats
from evalframe.stats.signflips import ALTERNATIVES, sign_flips
from evalframe.stats.statistic import MEAN, build

UNITS = ("auto", "item", "cluster")
# Where even the most extreme signs have a larger p, the test cannot tell anything.
_TELLING = 0.05


def permutation(
    frame: pd.DataFrame,
    baseline: object,
    *,
    value: str | Sequence[str] = "score",
    unit: str = "auto",
    n_perm: int = 10_000,
    rng: int | np.random.Generator | None = 0,
    by: str | Sequence[str] | None = None,
    alternative: str = "two-sided",
    missing: str = "raise",
) -> pd.DataFrame:
    r"""Sign-flip test of each arm's mean difference from a baseline, over the items both answered.

    If the arms do not differ, an item's difference (a cluster's, where there are any) is as likely
    to have one sign as the other. All sign patterns are counted where that can be done, which for
    scores of 0 and 1 is always and gives McNemar's exact test; otherwise some are drawn.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs of two or more arms.
    baseline : label
        The arm that the others are compared with.
    value : str or sequence of str, default "score"
        The column of numbers, or several.
    unit : {"auto", "item", "cluster"}
        Whose sign is flipped. "auto" is clusters where the frame has ``cluster_id``, else items.
    n_perm : int, default 10_000
        Sign patterns drawn, where all of them are too many to count.
    rng : int, Generator or None, default 0
        Where draws come from. None takes a fresh seed and records it in ``attrs``.
    by : str or sequence of str, optional
        Columns whose groups (tasks, subjects) are taken apart.
    alternative : {"two-sided", "greater", "less"}
        "greater" asks whether the arm is better than the baseline.
    missing : {"raise", "drop", "zero"}
        "raise" refuses missing values and keys that one arm lacks. "drop" leaves both out and
        counts them in `n_dropped`. "zero" counts a missing value as 0, and refuses unpaired keys.

    Returns
    -------
    DataFrame
        One row an arm (and group, and column):

        - diff : mean over items of arm - baseline
        - p_value : NaN without a shared item
        - n_units : items or clusters
        - n_dropped : (item, seed) keys left out
        - n_perm : missing where all patterns were counted
        - unit, method : method is "exact" or "monte carlo"
        - alternative, note

    Raises
    ------
    RoleError, FrameError
        If a column is missing, or its values or keys are not what its role needs.
    DesignError
        If an arm is not there, arms are not paired, or there are no clusters to flip.
    ValueError
        If an argument is not one of its choices.

    See Also
    --------
    mcnemar : The fourfold table of scores of 0 and 1, and other tests of it.

    Notes
    -----
    p is the share of the :math:`2^n` sign patterns of the n units' sums of differences whose total
    is as far from 0 as the observed one [1]_. Of B drawn patterns, b of them as far, it is
    (b + 1) / (B + 1) [2]_: never 0.

    References
    ----------
    .. [1] Fisher (1935), The Design of Experiments, section 21.
    .. [2] Phipson and Smyth (2010), Permutation p-values should never be zero, Stat. Appl. Genet.
       Mol. Biol. 9(1), article 39, doi:10.2202/1544-6115.1585.

    Examples
    --------
    >>> runs = pd.DataFrame({
    ...     "item_id": list(range(6)) * 2,
    ...     "arm": ["base"] * 6 + ["edit"] * 6,
    ...     "score": [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0],
    ... })
    >>> permutation(runs, "base")[["arm", "diff", "p_value", "n_units", "method"]].round(4)
        arm    diff  p_value  n_units method
    0  edit  0.6667   0.2188        6  exact
    """
    check_choice("unit", unit, UNITS)
    check_choice("alternative", alternative, ALTERNATIVES)
    check_choice("missing", missing, MISSING)
    check_count("n_perm", n_perm, 1)
    columns, groups, seed = (
        value_columns(value, frame),
        by_columns(by, "permutation"),
        draw_seed(rng),
    )
    clusters = unit != "item"
    runs = select(frame, columns, by=groups, cluster=clusters, prompts=True, reduced=True)
    arms = select_arms(runs.arms, baseline)
    check_prompts(runs)
    used = unit_name(unit, runs)
    samples = read_samples(runs, [[column] for column in columns], arms, missing)
    parts = [
        {"metric": metric_name(column), "unit": used, "alternative": alternative}
        | _test(sample, alternative, n_perm, seed)
        for column, sample in zip(columns, samples, strict=True)
    ]
    provenance = {
        "value": columns,
        "by": groups,
        "baseline": baseline,
        "unit": unit,
        "n_perm": n_perm,
        "rng": seed,
        "alternative": alternative,
        "missing": missing,
    }
    return assemble("permutation", runs.by, runs.arms, arms, parts, samples[0].present, provenance)


def _test(samples: Samples, alternative: str, n_perm: int, seed: int) -> dict[str, Any]:
    """Test one column: an entry a segment for each result column."""
    diff, p, n_units, exact = [], [], [], []
    for row in samples.rows:
        statistic = build(MEAN, row.arms, row.cluster)
        totals = _totals(statistic) if isinstance(statistic, Linear) else np.zeros(0)
        found = sign_flips(totals, alternative, n_perm, generator(seed))
        diff.append(statistic.estimate)
        n_units.append(statistic.n_units)
        p.append(found.p_value)
        exact.append(found.exact)
    n, counted = np.array(n_units, dtype=np.int64), np.array(exact, dtype=np.bool_)
    dropped, zeros = samples.n_dropped, samples.n_zeros
    least = 0.5 ** (n - (1.0 if alternative == "two-sided" else 0.0))
    return {
        "diff": np.array(diff, dtype=np.float64),
        "p_value": np.array(p, dtype=np.float64),
        "n_units": n,
        "n_dropped": dropped,
        "n_perm": np.where(counted | (n == 0), np.nan, float(n_perm)),
        "method": np.where(counted | (n == 0), "exact", "monte carlo").astype(object),
        "note": results.notes(
            len(n),
            [
                (n == 0, "no shared item"),
                (
                    (n > 0) & (least > _TELLING),
                    lambda row: f"{n[row]:,} to flip: p cannot be below {least[row]:.4g}",
                ),
                counted_as_zero(zeros),
            ],
        ),
    }


def _totals(statistic: Linear) -> Floats:
    """Return the difference summed over each unit."""
    total = statistic.units[0] + statistic.shift * statistic.units[1]
    return np.asarray(np.repeat(total, statistic.copies))
