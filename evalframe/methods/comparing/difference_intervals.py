"""The intervals of `compare`, which of them suits which row, and where one is known to fail."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from evalframe.methods.comparing.discordance import FourFold
from evalframe.methods.intervals import (
    Bools,
    Intervals,
    Limits,
    Method,
    Names,
    askable,
    in_clusters,
    linear_limits,
    robust_error,
)
from evalframe.methods.scoring.score_doubts import (
    FEW_DF,
    FEW_DF_UNBOUNDED,
    UNEQUAL,
    unequal_text,
)
from evalframe.results import Said
from evalframe.stats import paired
from evalframe.stats.means import Means, student_quantile
from evalframe.stats.proportions import normal_quantile
from evalframe.stats.segments import Floats, Ints

# Discordant items that a symmetric interval needs, in effect.
_FEW_DISCORDANT = 20.0


@dataclass(frozen=True, slots=True)
class DifferenceSample:
    """Paired differences of S rows and what their intervals are made of.

    Attributes
    ----------
    means : Means
        Of the differences.
    cr2, df : (S,) float64
        Standard error that holds with few or unequal clusters and its degrees of freedom; where
        items are independent the usual ones.
    table : FourFold
        Counts of the items, where both arms' item means are 0 or 1.
    shares : bool
        Whether the column's role says that its values are shares.
    clustered : bool
    level : float
    """

    means: Means
    cr2: Floats
    df: Floats
    table: FourFold
    shares: bool
    clustered: bool
    level: float

    def meets(self, need: str) -> Bools:
        """Return the rows that meet a need of an interval."""
        return ~in_clusters(self.means) if need == "independent" else self.table.defined

    def wanted(self, need: str) -> str:
        """Say what a need is."""
        return "independent items" if need == "independent" else "item scores of 0 or 1 alone"

    def found(self, need: str, row: int) -> str:
        """Say what a row has instead."""
        n = f"{self.means.n[row]:,} item(s)"
        if need == "independent":
            return f"{n} in {self.means.n_clusters[row]:,} clusters"
        table = self.table
        whole = sum(
            int(counts[row])
            for counts in (
                table.both_right,
                table.baseline_only,
                table.arm_only,
                table.both_wrong,
            )
        )
        return f"others in {self.means.n[row] - whole:,} of {n}"


def difference_sample(
    means: Means, table: FourFold, *, shares: bool, clustered: bool, level: float
) -> DifferenceSample:
    """Gather what the intervals need; the arguments are those of `DifferenceSample`."""
    cr2, df = robust_error(means)
    return DifferenceSample(means, cr2, df, table, shares, clustered, level)


def _tango(sample: DifferenceSample, rows: Ints) -> Limits:
    """Tango on items; with clusters on their effective number, with t."""
    means, table = sample.means, sample.table
    n = means.n[rows].astype(np.float64)
    dependent = in_clusters(sample.means)[rows]
    df = np.where(dependent, sample.df[rows], np.nan)
    quantile = np.where(
        dependent, student_quantile(sample.level, df), normal_quantile(sample.level)
    )
    squared, plain = sample.cr2[rows] ** 2, means.independent[rows] ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        effective = n * plain / squared
    # Clusters that all agree say as much as one item each.
    agree = ~((squared > 0) & (plain > 0))
    effective = np.where(agree, means.n_clusters[rows], effective)
    effective = np.where(dependent, effective, n)
    part = effective / n
    low, high = paired.tango(
        table.arm_only[rows] * part, table.baseline_only[rows] * part, effective, quantile
    )
    return low, high, sample.cr2[rows], df


def _newcombe(sample: DifferenceSample, rows: Ints) -> Limits:
    table = sample.table
    low, high = paired.newcombe(
        table.both_right[rows],
        table.arm_only[rows],
        table.baseline_only[rows],
        table.both_wrong[rows],
        normal_quantile(sample.level),
    )
    return low, high, sample.means.se[rows], np.full(len(rows), np.nan)


def _bonett_price(sample: DifferenceSample, rows: Ints) -> Limits:
    table, z = sample.table, normal_quantile(sample.level)
    low, high = paired.bonett_price(
        table.arm_only[rows], table.baseline_only[rows], sample.means.n[rows], z
    )
    return low, high, sample.means.se[rows], np.full(len(rows), np.nan)


METHODS: dict[str, Method[DifferenceSample]] = {
    "normal": Method(partial(linear_limits, kind="normal")),
    "t": Method(partial(linear_limits, kind="t")),
    "tango": Method(_tango, ("ends",)),
    "newcombe": Method(_newcombe, ("ends", "independent")),
    "bonett-price": Method(_bonett_price, ("ends", "independent")),
    "cr2": Method(partial(linear_limits, kind="cr2")),
}
INTERVALS = (*METHODS, "auto")


def choose(sample: DifferenceSample) -> Names:
    """Name the interval that holds its level in the regime of each row."""
    names = np.where(in_clusters(sample.means), "cr2", "t").astype(object)
    # Of other columns it is not read from the data that their values are shares.
    names[sample.table.defined & sample.shares & (sample.means.n > 0)] = "tango"
    return names


def doubts(sample: DifferenceSample, used: Intervals) -> list[Said]:
    """Return what is to be said of the interval of each row, and of which rows."""
    means = sample.means
    known = askable(sample) & ~np.isnan(used.low)
    usual = np.isin(used.name, ("normal", "t")) & known
    with np.errstate(invalid="ignore", divide="ignore"):
        effect = np.fmax(np.where(in_clusters(means), (sample.cr2 / means.independent) ** 2, 1), 1)
    discordant = (sample.table.baseline_only + sample.table.arm_only) / effect
    rare = np.isin(used.name, ("normal", "t", "cr2")) & known & sample.table.defined
    rare &= sample.shares & (discordant < _FEW_DISCORDANT)
    unequal = usual & in_clusters(means) & (sample.df < UNEQUAL * (means.n_clusters - 1))
    few = np.isin(used.name, ("t", "cr2")) & known & (sample.df < FEW_DF_UNBOUNDED)
    few |= (used.name == "tango") & known & in_clusters(means) & (sample.df < FEW_DF)
    return [
        (np.array([bool(said) for said in used.undefined], dtype=bool), used.undefined),
        (
            rare,
            lambda row: (
                f"{used.name[row]} is too short with few discordant items; "
                'interval="auto" holds there'
            ),
        ),
        (unequal, unequal_text(sample.df)),
        (
            few,
            lambda row: f"{sample.df[row]:.1f} degrees of freedom: even this interval can be short",
        ),
    ]
