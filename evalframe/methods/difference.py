"""One column's paired differences as the columns of a comparison."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from evalframe import results
from evalframe.matrix import Cells, cells
from evalframe.methods.discordance import FourFold, fourfold
from evalframe.methods.rows import spread_notes
from evalframe.pairing import PairedMeans
from evalframe.rng import generator
from evalframe.roles import COLUMN, metric_name
from evalframe.runs import Runs
from evalframe.stats.floor import critical
from evalframe.stats.mcnemar import exact_p
from evalframe.stats.means import Means, segment_means, student_quantile
from evalframe.stats.resample import percentile_limits, unit_totals
from evalframe.stats.segments import Floats

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
    interval : {"normal", "t"}
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

    The entry ``shown`` says which segments have rows at all.
    """
    known = cells(runs, pairs.arm - pairs.baseline)
    base, arm = pairs.baseline[known.known], pairs.arm[known.known]
    # Rounding in a difference is that of the numbers it came from.
    scale = np.zeros(known.n_segments)
    np.maximum.at(scale, known.segment, np.maximum(np.abs(base), np.abs(arm)))
    diff = segment_means(known.value, known.segment, known.n_segments, known.cluster, scale)
    base_mean = segment_means(base, known.segment, known.n_segments).mean
    arm_mean = segment_means(arm, known.segment, known.n_segments).mean
    clustered = known.cluster is not None
    interval, df, low, high = _limits(column, known, diff, settings)
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = np.where(base_mean == 0, np.nan, diff.mean / base_mean)
    table = fourfold(runs, pairs)
    tested = table.defined & (column in (COLUMN["score"], COLUMN["hit_cap"]))
    b, c = (np.where(tested, n, np.nan) for n in (table.baseline_only, table.arm_only))
    return {
        "metric": metric_name(column),
        "baseline_mean": base_mean,
        "arm_mean": arm_mean,
        "diff": diff.mean,
        "diff_rel": relative,
        "se": diff.se,
        "conf_low": low,
        "conf_high": high,
        "mde": (critical(settings.level) + POWER_QUANTILE) * diff.se,
        "mcnemar_p": exact_p(b, c),
        "baseline_only": b,
        "arm_only": c,
        "n_items": diff.n,
        "n_dropped": known.count(pairs.n_dropped),
        "n_clusters": diff.n_clusters if clustered else np.nan,
        "df": df,
        "level": settings.level,
        "interval": interval,
        "clustered": clustered,
        "significant": (low > 0) | (high < 0),
        "small_n": diff.n_clusters < SMALL,
        "shown": known.count(pairs.present) > 0,
        "note": _notes(column, pairs, known, diff, base_mean, table),
    }


def _limits(
    column: str, known: Cells, diff: Means, settings: Settings
) -> tuple[str, Floats, Floats, Floats]:
    """Return the interval's name, its degrees of freedom and its limits."""
    unknown = np.full(known.n_segments, np.nan)
    if column == COLUMN["tokens"]:
        units = unit_totals(known.value, known.segment, known.cluster, known.n_segments)
        limits = [
            percentile_limits(
                total, size, settings.n_boot, settings.level, generator(settings.seed)
            )
            for total, size in units
        ]
        low, high = np.array(limits).reshape(-1, 2).T
        return "percentile", unknown, low, high
    df, quantile = unknown, np.full(known.n_segments, critical(settings.level))
    if settings.interval == "t":
        df = np.where(diff.n_clusters > 1, diff.n_clusters - 1.0, np.nan)
        quantile = student_quantile(settings.level, df)
    return settings.interval, df, diff.mean - quantile * diff.se, diff.mean + quantile * diff.se


def _notes(
    column: str,
    pairs: PairedMeans,
    known: Cells,
    diff: Means,
    base_mean: Floats,
    table: FourFold,
) -> list[str]:
    """Say in words what a reader of each row must know."""
    clustered = known.cluster is not None
    unit = "clusters" if clustered else "items"
    dropped, zeros = known.count(pairs.n_dropped), known.count(pairs.n_zeros)
    few = (diff.n_clusters < SMALL) & (diff.n_clusters > 1)
    binary = column in (COLUMN["score"], COLUMN["hit_cap"])
    return results.notes(
        known.n_segments,
        [
            (diff.n == 0, "no shared item"),
            *spread_notes(diff, clustered),
            (few, [f"only {n:,} {unit} (<{SMALL}): interval unreliable" for n in diff.n_clusters]),
            (
                diff.se == 0,
                "standard error 0: no spread in the sample is not certainty about the difference",
            ),
            ((base_mean == 0), "diff_rel unknown: the baseline's mean is 0"),
            (
                ~table.defined & (diff.n > 0) & (column == COLUMN["score"]),
                "no McNemar p: item means are not all 0 or 1",
            ),
            (table.defined & clustered & binary, "McNemar's p ignores clustering"),
            (dropped > 0, [f"{n:,} (item, seed) keys dropped" for n in dropped]),
            (zeros > 0, [f"{n:,} missing counted as 0" for n in zeros]),
        ],
    )
