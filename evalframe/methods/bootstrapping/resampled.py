"""One column's bootstrap intervals as the columns of a result."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalframe import results
from evalframe.arms import Arms
from evalframe.methods.bootstrapping.samples import Samples, nested_samples
from evalframe.methods.remarks import counted_as_zero, keys_dropped, no_spread
from evalframe.rng import generator
from evalframe.roles import metric_name
from evalframe.runs import Runs
from evalframe.stats.draws import Draw, Tick
from evalframe.stats.hierarchy import draw
from evalframe.stats.resample import Interval, bootstrap_interval
from evalframe.stats.segments import Ints
from evalframe.stats.statistic import Kind, build


@dataclass(frozen=True, slots=True)
class Plan:
    """How rows are resampled: the arguments of `bootstrap` of the same names.

    Attributes
    ----------
    kind : Kind
        The statistic.
    unit, method : str
    n_boot : int
    level : float
    seed : int
        Every row restarts from it.
    """

    kind: Kind
    unit: str
    method: str
    n_boot: int
    level: float
    seed: int


def resample_column(
    runs: Runs,
    columns: Sequence[str],
    arms: Arms | None,
    missing: str,
    samples: Samples,
    plan: Plan,
    tick: Tick | None,
) -> dict[str, Any]:
    """Resample a column, or the ratio of two: an entry a segment for each result column."""
    own: list[tuple[Draw, int] | None] = [None] * len(samples.rows)
    if plan.unit == "hierarchical":
        n_arms = 1 if arms is None else 2
        nested = nested_samples(runs, columns, arms, missing)
        own = [draw(one, plan.kind, n_arms) for one in nested]
    n_units, found = [], []
    for row, drawn in zip(samples.rows, own, strict=True):
        statistic = build(plan.kind, row.arms, row.cluster)
        n_units.append(statistic.n_units)
        found.append(
            bootstrap_interval(
                statistic,
                plan.method,
                plan.n_boot,
                plan.level,
                generator(plan.seed),
                own=drawn,
                tick=tick,
                # The user's function may not bear two threads.
                threads=1 if plan.kind.function is not None or drawn is not None else 2,
            )
        )
    return {
        "metric": metric_name(columns[0]),
        "statistic": plan.kind.text,
        **_fields(found),
        "n_units": np.array(n_units, dtype=np.int64),
        "unit": plan.unit,
        "level": plan.level,
        "note": _notes(found, np.array(n_units, dtype=np.int64), samples, runs),
    }


def _fields(found: Sequence[Interval]) -> dict[str, Any]:
    return {
        "estimate": np.array([one.estimate for one in found], dtype=np.float64),
        "bias": np.array([one.bias for one in found], dtype=np.float64),
        "se": np.array([one.se for one in found], dtype=np.float64),
        "conf_low": np.array([one.low for one in found], dtype=np.float64),
        "conf_high": np.array([one.high for one in found], dtype=np.float64),
        "n_failed": np.array([one.n_failed for one in found], dtype=np.int64),
        "n_boot": np.array(
            [np.nan if one.n_boot is None else one.n_boot for one in found], dtype=np.float64
        ),
        "method": np.array([one.method for one in found], dtype=object),
    }


def _notes(found: Sequence[Interval], n_units: Ints, samples: Samples, runs: Runs) -> list[str]:
    """Say in words what a reader of each row must know."""
    clustered = runs.unit_cluster is not None
    alone = "cluster" if clustered else "item"
    remedy = '; unit="item" would take items as independent' if clustered else ""
    dropped, zeros = samples.n_dropped, samples.n_zeros
    se = np.array([one.se for one in found], dtype=np.float64)
    return results.notes(
        len(found),
        [
            (n_units == 0, "no item has a value"),
            (n_units == 1, f"1 {alone}: no standard error{remedy}"),
            no_spread(se),
            (n_units > -1, [one.note for one in found]),
            keys_dropped(dropped),
            counted_as_zero(zeros),
        ],
    )
