"""A score sharpened by a reference arm whose mean is known: control variates."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from evalframe import results
from evalframe.arms import Arms, select_arms
from evalframe.errors import DesignError, short
from evalframe.keys import key_text
from evalframe.matrix import Cells, cells, reduce
from evalframe.methods.arguments import MISSING, check_choice, check_flag, is_finite, value_columns
from evalframe.methods.remarks import counted, counted_as_zero, left_out, no_spread, spread_notes
from evalframe.methods.rows import assemble
from evalframe.pairing import (
    PairedMeans,
    check_prompts,
    paired_means,
    refuse_disjoint,
    refuse_missing,
)
from evalframe.roles import metric_name
from evalframe.runs import Runs, select
from evalframe.stats.control import Controlled, control
from evalframe.stats.floor import critical
from evalframe.stats.means import student_quantile
from evalframe.stats.segments import Ints


def adjusted(
    frame: pd.DataFrame,
    reference: object,
    reference_mean: float,
    *,
    theta: float | None = None,
    value: str | Sequence[str] = "score",
    cluster: bool = True,
    level: float = 0.95,
    missing: str = "raise",
) -> pd.DataFrame:
    r"""Score of each arm, sharpened by a reference arm whose mean over all items is known.

    Where a reference arm was once run on the whole benchmark and new arms on a sample of it, how
    the sample fell out for the reference tells how it fell out for them: an easy sample is taken
    down, a hard one up. It pays as far as arms' items are correlated.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs of two or more arms on the same items.
    reference : label
        The arm whose mean is known.
    reference_mean : float
        Its mean over all items, not over this sample.
    theta : float, optional
        How much of the reference's deviation is taken off. Default: least squares.
    value : str or sequence of str, default "score"
        The column of numbers, or several.
    cluster : bool, default True
        Whether to use ``cluster_id`` where the frame has it.
    level : float, default 0.95
        Confidence level.
    missing : {"raise", "drop", "zero"}
        "raise" refuses missing values and items that one arm lacks, "drop" leaves both out and
        counts the items, "zero" counts a missing value as 0.

    Returns
    -------
    DataFrame
        One row an arm (and column):

        - estimate, se, conf_low, conf_high : adjusted; Student's t
        - estimate_raw, se_raw : the same items without it
        - theta, correlation : the slope; how items of both arms are correlated
        - reference_mean, reference_estimate : as given, and in this sample
        - variance_reduction, n_effective : squared ratio of the errors; times the items
        - n_items, n_dropped, n_clusters
        - df : items (clusters) less 2, or less 1 where theta is given
        - level, clustered, note

    Raises
    ------
    DesignError
        If the reference scores all items alike, or arms are not paired.
    RoleError, FrameError, ValueError
        As in `compare`.

    See Also
    --------
    compare : The difference of two arms, where no mean is known.

    Notes
    -----
    :math:`\bar y - \theta (\bar z - \mu)`, :math:`\theta = \mathrm{cov}(y, z) / \mathrm{var}(z)`,
    and the standard error of the mean of :math:`y - \theta z`.

    References
    ----------
    .. [1] Glasserman (2003), Monte Carlo Methods in Financial Engineering, section 4.1.

    Examples
    --------
    >>> runs = pd.DataFrame({
    ...     "item_id": [1, 2, 3, 4] * 2,
    ...     "arm": ["old"] * 4 + ["new"] * 4,
    ...     "score": [0.1, 0.4, 0.5, 0.8, 0.3, 0.5, 0.6, 0.9],
    ... })
    >>> adjusted(runs, "old", 0.5)[["arm", "estimate", "se", "estimate_raw", "se_raw"]].round(3)
       arm  estimate     se  estimate_raw  se_raw
    0  new     0.618  0.015         0.575   0.125
    """
    critical(level)
    check_choice("missing", missing, MISSING)
    check_flag("cluster", cluster)
    _check_number("reference_mean", reference_mean)
    if theta is not None:
        _check_number("theta", theta)
        theta = float(theta)
    columns = value_columns(value, frame)
    runs = select(frame, columns, cluster=cluster, prompts=True)
    arms = select_arms(runs.arms, reference)
    check_prompts(runs)
    pairs = [_shared_items(runs, column, arms, missing) for column in columns]
    refuse_disjoint(pairs, runs.arms, arms)
    lost = [
        _lost_runs(runs, column, arms, pair) for column, pair in zip(columns, pairs, strict=True)
    ]
    parts = [
        _adjust_column(runs, column, pair, one, float(reference_mean), theta, level)
        for column, pair, one in zip(columns, pairs, lost, strict=True)
    ]
    shown = cells(runs, pairs[0].arm).count(pairs[0].present) > 0
    provenance = {
        "value": columns,
        "reference": reference,
        "reference_mean": float(reference_mean),
        "theta": theta,
        "cluster": cluster,
        "level": level,
        "missing": missing,
    }
    table = assemble("adjusted", runs.by, runs.arms, arms, parts, shown, provenance)
    if len(table) and table["theta"].isna().all() and (table["n_items"] > 1).any():
        raise DesignError(
            f"an adjustment needs a reference whose items differ, found {reference!r} alike on all "
            "of them: it says nothing about the sample; use df.evals.score()"
        )
    return table


def _check_number(name: str, value: float) -> None:
    if not is_finite(value):
        raise ValueError(f"{name} must be a number in units of the grade, not {short(value)}")


def _shared_items(runs: Runs, column: str, arms: Arms, missing: str) -> PairedMeans:
    """Return item means over all runs of each arm; which seeds they share does not matter."""
    if missing == "raise":
        refuse_missing(runs, column, 'leave them out with missing="drop"')
    if len(runs.arms) == 0:
        return paired_means(runs, column, arms.baseline, arms.others, missing)
    means = reduce(runs, column, zero=missing == "zero")
    rows = means.n_values + means.n_missing > 0
    known = ~np.isnan(means.mean)
    reference, others = [arms.baseline], arms.others
    there = rows[:, others] | rows[:, reference]
    lost = there & ~(known[:, others] & known[:, reference])
    if missing != "drop" and lost.any():
        unit, place = (int(one[0]) for one in np.nonzero(lost))
        pair = (arms.baseline, others[place])
        lacking = runs.arms.tolist()[next(arm for arm in pair if not known[unit, arm])]
        first = key_text(runs.frame, int(np.flatnonzero(runs.unit == unit)[0]), ["item_id"])
        raise DesignError.of(
            "arms must be run on the same items as the reference",
            f"{int(lost.any(axis=1).sum()):,} item(s) that one of them lacks; first: {first}, "
            f"which arm {lacking!r} lacks",
            'adjust over the shared items alone with missing="drop", which reports n_dropped',
            column="item_id",
            count=int(lost.any(axis=1).sum()),
            first=first,
        )
    zeros = means.n_missing[:, reference] + means.n_missing[:, others]
    return PairedMeans(
        baseline=np.where(lost | ~there, np.nan, means.mean[:, reference]),
        arm=np.where(lost | ~there, np.nan, means.mean[:, others]),
        n_dropped=lost.astype(np.int64),
        n_zeros=zeros if missing == "zero" else np.zeros_like(zeros),
        present=there,
    )


def _lost_runs(runs: Runs, column: str, arms: Arms, pairs: PairedMeans) -> Ints:
    """Return the missing values of shared items, whose other runs are used: (S,)."""
    known = cells(runs, pairs.arm - pairs.baseline)
    if len(runs.arms) == 0:
        return np.zeros(known.n_segments, dtype=np.int64)
    n_missing = reduce(runs, column).n_missing
    lost = n_missing[:, [arms.baseline]] + n_missing[:, arms.others]
    return known.count(lost * known.known) - known.count(pairs.n_zeros)


def _adjust_column(
    runs: Runs,
    column: str,
    pairs: PairedMeans,
    lost_runs: Ints,
    mean: float,
    theta: float | None,
    level: float,
) -> dict[str, Any]:
    """Adjust one column: an entry an arm for each result column."""
    known = cells(runs, pairs.arm - pairs.baseline)
    y, z = pairs.arm[known.known], pairs.baseline[known.known]
    found = control(y, z, known.segment, known.n_segments, mean, known.cluster, theta)
    lost = 2 if theta is None else 1
    units = found.adjusted.n_clusters
    df = np.where(units > lost, units - float(lost), np.nan)
    half = student_quantile(level, df) * found.adjusted.se
    with np.errstate(invalid="ignore", divide="ignore"):
        gain = np.where(found.adjusted.se > 0, (found.raw.se / found.adjusted.se) ** 2, np.nan)
    clustered = known.cluster is not None
    return {
        "metric": metric_name(column),
        "estimate": found.adjusted.mean,
        "se": found.adjusted.se,
        "conf_low": found.adjusted.mean - half,
        "conf_high": found.adjusted.mean + half,
        "estimate_raw": found.raw.mean,
        "se_raw": found.raw.se,
        "theta": found.theta,
        "correlation": found.correlation,
        "reference_mean": mean,
        "reference_estimate": found.control.mean,
        "variance_reduction": gain,
        "n_items": found.raw.n,
        "n_dropped": known.count(pairs.n_dropped),
        "n_clusters": units if clustered else np.nan,
        "n_effective": found.raw.n * gain,
        "df": df,
        "level": level,
        "clustered": clustered,
        "note": results.also(
            _notes(known, pairs, lost_runs, found, clustered),
            f"reference_mean {mean:g} is outside of the reference's own scores",
            np.full(known.n_segments, len(z) > 0 and not z.min() <= mean <= z.max()),
        ),
    }


def _notes(
    known: Cells, pairs: PairedMeans, lost_runs: Ints, found: Controlled, clustered: bool
) -> list[str]:
    """Say in words what a reader of each row must know."""
    dropped, zeros = known.count(pairs.n_dropped), known.count(pairs.n_zeros)
    few = (found.raw.n_clusters == 2) & np.isnan(found.theta)
    return results.notes(
        known.n_segments,
        [
            (found.raw.n == 0, "no shared item"),
            *spread_notes(found.raw, clustered),
            (few, "2 items only: no degree of freedom"),
            (
                np.isnan(found.theta) & (found.raw.n > 1),
                "the reference scores all items alike: nothing to adjust by",
            ),
            no_spread(found.adjusted.se),
            (
                found.adjusted.se > found.raw.se,
                "the adjustment makes the error larger: the arms' items are hardly correlated",
            ),
            (dropped > 0, lambda row: f"{counted(dropped[row], 'item')} dropped"),
            left_out(lost_runs),
            counted_as_zero(zeros),
        ],
    )
