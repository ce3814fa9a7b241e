"""Two arms on different items: the difference of their means, by Welch's t."""

from typing import Any

import numpy as np

from evalframe import results
from evalframe.arms import Arms
from evalframe.matrix import ItemMeans, reduce
from evalframe.methods.arguments import check_flag
from evalframe.methods.comparing.difference import POWER_QUANTILE, SMALL
from evalframe.methods.remarks import no_spread, of_metrics
from evalframe.pairing import refuse_missing
from evalframe.roles import metric_name
from evalframe.runs import Runs
from evalframe.stats.floor import critical
from evalframe.stats.means import student_quantile
from evalframe.stats.segments import Ints
from evalframe.stats.welch import Gap, gap


def check_unpaired(paired: bool, interval: str) -> None:
    """Raise where a comparison of different items is asked for an interval of paired ones."""
    check_flag("paired", paired)
    if not paired and interval not in ("normal", "t"):
        raise ValueError(
            f"paired=False has Welch's t interval alone, not {interval!r}; leave interval out"
        )


def unpaired_column(
    runs: Runs, column: str, arms: Arms, level: float, missing: str
) -> dict[str, Any]:
    """Compare one column over each arm's own items: an entry a segment for each result column."""
    if missing == "raise":
        refuse_missing(runs, column, 'leave them out with missing="drop"')
    means = reduce(runs, column, zero=missing == "zero")
    compared = [*arms.others, *([] if arms.floor is None else [arms.floor])]
    found, shared = pair_gaps(runs, means, arms.baseline, compared)
    rows = pair_sums(runs, means.n_values + means.n_missing, arms.baseline, compared)
    lost = pair_sums(runs, means.n_missing, arms.baseline, compared)
    half = student_quantile(level, found.df) * found.se
    # Where nothing varies there are no degrees of freedom, and the limits meet at the difference.
    half = np.where(found.se == 0, 0.0, half)
    low, high = found.diff - half, found.diff + half
    clustered = runs.unit_cluster is not None
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = np.where(found.first == 0, np.nan, found.diff / found.first)
    return {
        "metric": metric_name(column),
        "baseline_mean": found.first,
        "arm_mean": found.second,
        "diff": found.diff,
        "diff_rel": relative,
        "se": found.se,
        "conf_low": low,
        "conf_high": high,
        "mde": (critical(level) + POWER_QUANTILE) * found.se,
        "mcnemar_p": np.nan,
        "baseline_only": np.nan,
        "arm_only": np.nan,
        "n_items": found.n_first + found.n_second,
        "n_dropped": lost if missing == "drop" else np.zeros_like(lost),
        "n_clusters": found.n_clusters if clustered else np.nan,
        "df": found.df,
        "level": level,
        "interval": "welch",
        "clustered": clustered,
        "significant": (low > 0) | (high < 0),
        "small_n": found.n_fewer < SMALL,
        "shown": rows > 0,
        "note": _notes(runs, column, found, shared, lost, missing),
    }


def pair_gaps(runs: Runs, means: ItemMeans, baseline: int, others: list[int]) -> tuple[Gap, Ints]:
    """Compare each arm with the baseline; also count the items that both answered."""
    known = ~np.isnan(means.mean)
    value, side, segment, cluster = [], [], [], []
    shared = np.zeros((len(runs.by), len(others)), dtype=np.int64)
    for place, other in enumerate(others):
        for one, arm in enumerate((baseline, other)):
            units = np.flatnonzero(known[:, arm])
            value.append(means.mean[units, arm])
            side.append(np.full(len(units), one))
            segment.append(runs.unit_group[units] * len(others) + place)
            if runs.unit_cluster is not None:
                cluster.append(runs.unit_cluster[units] * len(others) + place)
        both = known[:, baseline] & known[:, other]
        shared[:, place] = np.bincount(runs.unit_group[both], minlength=len(runs.by))
    none = np.zeros(0, dtype=np.int64)
    found = gap(
        np.concatenate([*value, np.zeros(0)]),
        np.concatenate([*side, none]),
        np.concatenate([*segment, none]),
        shared.size,
        None if runs.unit_cluster is None else np.concatenate([*cluster, none]),
    )
    return found, shared.ravel()


def pair_sums(runs: Runs, counts: Ints, baseline: int, others: list[int]) -> Ints:
    """Return the sums of a (U, A) matrix of counts over a baseline and each other arm."""
    total = np.zeros((len(runs.by), counts.shape[1]), dtype=np.int64)
    np.add.at(total, runs.unit_group, counts)
    if not others:
        return np.zeros(0, dtype=np.int64)
    pair: Ints = total[:, others] + total[:, [baseline]]
    return pair.ravel()


def _notes(
    runs: Runs, column: str, found: Gap, shared: Ints, lost: Ints, missing: str
) -> list[str]:
    """Say in words what a reader of each row must know."""
    unit = "items" if runs.unit_cluster is None else "clusters"
    empty = (found.n_first == 0) | (found.n_second == 0)
    alone = np.isnan(found.se) & ~empty
    few = (found.n_fewer < SMALL) & ~np.isnan(found.se)
    sizes = zip(found.n_first, found.n_second, strict=True)
    return results.notes(
        len(found.diff),
        [
            (empty, "an arm has no item with a value"),
            (
                ~empty,
                [f"unpaired: {n:,} items of the baseline, {m:,} of the arm" for n, m in sizes],
            ),
            (alone, f"1 of the {unit} in an arm: no standard error"),
            (
                few,
                lambda row: (
                    f"only {found.n_fewer[row]:,} {unit} in an arm (<{SMALL}): interval unreliable"
                ),
            ),
            no_spread(found.se),
            (found.first == 0, "diff_rel unknown: the baseline's mean is 0"),
            (
                shared > 0,
                lambda row: (
                    f"{shared[row]:,} items are in both arms: a paired comparison is sharper"
                ),
            ),
            (
                found.n_shared > 0,
                lambda row: (
                    f"{found.n_shared[row]:,} clusters are in both arms, which se allows for"
                ),
            ),
            (lost > 0, lambda row: f"{lost[row]:,} missing {_MISSING.get(missing, '')}"),
            of_metrics(runs, column, len(lost)),
        ],
    )


_MISSING = {"drop": "left out", "zero": "counted as 0"}
