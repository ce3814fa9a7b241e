"""A plan as a result: one row from numbers, or a row an arm, group and column of a pilot."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from evalframe import results
from evalframe.arms import select_arms
from evalframe.methods.arguments import MISSING, by_columns, check_choice, check_flag, value_columns
from evalframe.methods.rows import assemble, no_labels
from evalframe.methods.sizing.pilots import from_pilot
from evalframe.methods.sizing.spread import Numbers, Spread, from_numbers
from evalframe.pairing import check_prompts, refuse_none_shared
from evalframe.roles import metric_name
from evalframe.runs import select

Solve = Callable[[Spread], dict[str, Any]]

# With fewer clusters or items than this the normal quantiles of a plan are too small.
FEW = 30


@dataclass(frozen=True, slots=True)
class Source:
    """A pilot and what to read of it; no frame where a plan is made from numbers."""

    frame: pd.DataFrame | None
    baseline: object
    value: str | Sequence[str]
    by: str | Sequence[str] | None
    cluster: bool
    missing: str


def plan(
    source: Source, given: Numbers, solve: Solve, alpha: float, asked: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the plan that `solve` finds for the spread of each row."""
    check_flag("paired", given.paired)
    if source.frame is None:
        return _from_numbers(source, given, solve, alpha, asked)
    check_choice("missing", source.missing, MISSING)
    check_flag("cluster", source.cluster)
    stated = [
        name for name in ("sd_diff", "sd_seed", "p_a", "p_b", "correlation") if _said(given, name)
    ]
    if stated:
        raise ValueError(
            f"a pilot shows its own spread, found {', '.join(stated)} beside it; leave them out, "
            "or plan from numbers: evalframe.sample_size(0.02, sd_diff=0.35)"
        )
    columns, groups = value_columns(source.value, source.frame), by_columns(source.by, "plan")
    runs = select(source.frame, columns, by=groups, cluster=source.cluster, prompts=given.paired)
    arms = select_arms(runs.arms, source.baseline)
    if given.paired:
        check_prompts(runs)
    parts, shown = [], np.zeros(len(runs.by) * len(arms.others), dtype=np.bool_)
    pilots = [from_pilot(runs, column, arms, source.missing, given) for column in columns]
    if given.paired:
        shared = any(len(found.known.value) for _, found in pilots)
        refuse_none_shared(shared, runs.arms, arms)
    for column, (spread, found) in zip(columns, pilots, strict=True):
        parts.append(_columns(metric_name(column), spread, given, solve, alpha))
        there = found.shown
        if not given.paired:
            there = there.reshape(-1, max(len(runs.arms), 1))[:, arms.others].ravel()
        shown |= there
    provenance = {
        "value": columns,
        "by": groups,
        "baseline": source.baseline,
        "cluster": source.cluster,
        "missing": source.missing,
        "alpha": alpha,
        **asked,
        **_stated(given),
    }
    return assemble("plan", runs.by, runs.arms, arms, parts, shown, provenance)


def _said(given: Numbers, name: str) -> bool:
    return getattr(given, name) is not None


def _stated(given: Numbers) -> dict[str, Any]:
    return {name: getattr(given, name) for name in Numbers.__dataclass_fields__}


def _from_numbers(
    source: Source, given: Numbers, solve: Solve, alpha: float, asked: Mapping[str, Any]
) -> pd.DataFrame:
    if source.baseline is not None:
        raise ValueError(f"baseline names an arm of a pilot, found {source.baseline!r} without one")
    columns = _columns("", from_numbers(given), given, solve, alpha)
    none = no_labels(pd.Index([], dtype=str), 1)
    keys = pd.DataFrame({"arm": none, "baseline": none})
    return results.table("plan", keys, columns, {"alpha": alpha, **asked, **_stated(given)})


def _columns(
    metric: str, spread: Spread, given: Numbers, solve: Solve, alpha: float
) -> dict[str, Any]:
    """Return the columns of a plan, an entry a row."""
    solved = solve(spread)
    n = np.asarray(solved["n_items"], dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        clusters = np.ceil(n / spread.cluster_size * (1 - 1e-12))
        se = np.sqrt(spread.per_item / n)
        effective = n / spread.design_effect
    units = np.where(np.isnan(clusters), n, clusters)
    size = np.broadcast_to(np.abs(solved["mde"]), n.shape)
    notes = [
        *spread.notes,
        (units < FEW, "few items or clusters: normal quantiles are too small, take some more"),
    ]
    if given.p_a is not None:
        notes.append((size > 1, "0/1 scores cannot differ by so much: nothing can be found"))
    return {
        "metric": metric,
        **solved,
        "se": se,
        "sd_diff": np.sqrt(spread.variance),
        "design_effect": spread.design_effect,
        "icc": spread.icc,
        "n_clusters": clusters,
        "n_effective": effective,
        "seeds": spread.seeds,
        "cluster_size": spread.cluster_size,
        "alpha": alpha,
        "paired": given.paired,
        "note": results.notes(len(n), notes),
    }
