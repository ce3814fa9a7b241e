"""One column's paired differences as the columns of a comparison."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from evalframe import results
from evalframe.matrix import Cells, cells
from evalframe.methods.bootstrapping.samples import paired_samples
from evalframe.methods.comparing.difference_intervals import (
    METHODS,
    choose,
    difference_sample,
    doubts,
)
from evalframe.methods.comparing.discordance import FourFold, fourfold
from evalframe.methods.intervals import Intervals, intervals
from evalframe.methods.remarks import (
    counted_as_zero,
    keys_dropped,
    no_spread,
    of_metrics,
    spread_notes,
)
from evalframe.pairing import PairedMeans
from evalframe.rng import generator
from evalframe.roles import COLUMN, metric_name
from evalframe.runs import Runs
from evalframe.stats.floor import critical
from evalframe.stats.mcnemar import exact_p
from evalframe.stats.means import Means, segment_means
from evalframe.stats.resample import bootstrap_interval
from evalframe.stats.segments import Floats
from evalframe.stats.statistic import MEAN, build

# Below this many items (or clusters) the specification calls an interval unreliable.
SMALL = 100
# The 80% quantile of the normal as the specification rounds it: the mde is 2.8 se at level 0.95.
POWER_QUANTILE = 0.84


@dataclass(frozen=True, slots=True)
class Settings:
    """How differences are estimated: the arguments of `compare` of the same names.

    Attributes
    ----------
    level : float
    interval : str
    n_boot : int
    seed : int
        Every bootstrap restarts from it.
    """

    level: float
    interval: str
    n_boot: int
    seed: int


def compare_column(
    runs: Runs, column: str, pairs: PairedMeans, settings: Settings
) -> dict[str, Any]:
    """Compare one column: an entry a segment (group x arm) for each result column.

    The entry ``shown`` says which segments have rows at all, and ``refusal`` what to raise if the
    interval is defined in no row of the result.
    """
    known = cells(runs, pairs.arm - pairs.baseline)
    base, arm = pairs.baseline[known.known], pairs.arm[known.known]
    diff = _difference(known, base, arm)
    base_mean = segment_means(base, known.segment, known.n_segments).mean
    arm_mean = segment_means(arm, known.segment, known.n_segments).mean
    clustered = known.cluster is not None
    table = fourfold(runs, pairs)
    binary = column in (COLUMN["score"], COLUMN["hit_cap"])
    used, doubted = _interval(runs, column, pairs, diff, table, settings)
    doubted.append(of_metrics(runs, column, len(diff.mean)))
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = np.where(base_mean == 0, np.nan, diff.mean / base_mean)
    tested = table.defined & binary
    b, c = (np.where(tested, n, np.nan) for n in (table.baseline_only, table.arm_only))
    return {
        "metric": metric_name(column),
        "baseline_mean": base_mean,
        "arm_mean": arm_mean,
        "diff": diff.mean,
        "diff_rel": relative,
        "se": used.se,
        "conf_low": used.low,
        "conf_high": used.high,
        "mde": (critical(settings.level) + POWER_QUANTILE) * used.se,
        "mcnemar_p": exact_p(b, c),
        "baseline_only": b,
        "arm_only": c,
        "n_items": diff.n,
        "n_dropped": known.count(pairs.n_dropped),
        "n_clusters": diff.n_clusters if clustered else np.nan,
        "df": used.df,
        "level": settings.level,
        "interval": used.name,
        "clustered": clustered,
        "significant": (used.low > 0) | (used.high < 0),
        "small_n": diff.n_clusters < SMALL,
        "shown": known.count(pairs.present) > 0,
        "note": _notes(column, pairs, known, diff, base_mean, table, used, doubted),
        "refusal": used.refusal,
    }


def _difference(known: Cells, base: Floats, arm: Floats) -> Means:
    """Return the means of differences, whose rounding is that of the numbers they came from."""
    scale = np.zeros(known.n_segments)
    np.maximum.at(scale, known.segment, np.maximum(np.abs(base), np.abs(arm)))
    return segment_means(known.value, known.segment, known.n_segments, known.cluster, scale)


def _interval(
    runs: Runs, column: str, pairs: PairedMeans, diff: Means, table: FourFold, settings: Settings
) -> tuple[Intervals, list[results.Said]]:
    """Return the interval of each row and what is to be said of it."""
    if column == COLUMN["tokens"]:
        return _percentile(runs, pairs, diff, settings), []
    sample = difference_sample(
        diff,
        table,
        shares=column in (COLUMN["score"], COLUMN["hit_cap"]),
        clustered=runs.unit_cluster is not None,
        level=settings.level,
    )
    used = intervals(sample, METHODS, settings.interval, choose)
    return used, doubts(sample, used)


def _percentile(runs: Runs, pairs: PairedMeans, diff: Means, settings: Settings) -> Intervals:
    """Return the percentile bootstrap interval that tokens have."""
    n_boot, level, seed = settings.n_boot, settings.level, settings.seed
    found = [
        bootstrap_interval(
            build(MEAN, row.arms, row.cluster), "percentile", n_boot, level, generator(seed)
        )
        for row in paired_samples(runs, [pairs]).rows
    ]
    low = np.array([one.low for one in found], dtype=np.float64)
    high = np.array([one.high for one in found], dtype=np.float64)
    n_rows = len(found)
    name = np.full(n_rows, "percentile", dtype=object)
    return Intervals(low, high, diff.se, np.full(n_rows, np.nan), name, [""] * n_rows, None)


def _notes(
    column: str,
    pairs: PairedMeans,
    known: Cells,
    diff: Means,
    base_mean: Floats,
    table: FourFold,
    used: Intervals,
    doubted: list[results.Said],
) -> list[str]:
    """Say in words what a reader of each row must know."""
    clustered = known.cluster is not None
    unit = "clusters" if clustered else "items"
    dropped, zeros = known.count(pairs.n_dropped), known.count(pairs.n_zeros)
    # Tango's interval was measured to hold with few items too.
    few = (diff.n_clusters < SMALL) & (diff.n_clusters > 1) & (used.name != "tango")
    binary = column in (COLUMN["score"], COLUMN["hit_cap"])
    return results.notes(
        known.n_segments,
        [
            (diff.n == 0, "no shared item"),
            *spread_notes(diff, clustered),
            (
                few,
                lambda row: f"only {diff.n_clusters[row]:,} {unit} (<{SMALL}): interval unreliable",
            ),
            no_spread(diff.se),
            *doubted,
            ((base_mean == 0), "diff_rel unknown: the baseline's mean is 0"),
            (
                ~table.defined & (diff.n > 0) & (column == COLUMN["score"]),
                "no McNemar p: item means are not all 0 or 1",
            ),
            (table.defined & clustered & binary, "McNemar's p ignores clustering"),
            keys_dropped(dropped),
            counted_as_zero(zeros),
        ],
    )
