"""The design of an evaluation, read from its runs, to be drawn again and again."""

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np

from evalframe.matrix import reduce
from evalframe.methods.noise.single_runs import Bools, Measured, measure
from evalframe.roles import COLUMN
from evalframe.runs import Runs
from evalframe.stats.means import segment_means
from evalframe.stats.segments import Floats, Ints
from evalframe.stats.simulate import Design
from evalframe.stats.variance import components


@dataclass(frozen=True, slots=True)
class Designs:
    """The designs of all rows of one column.

    Attributes
    ----------
    designs : list of Design or None
        None where a row has no item.
    scaled : bool
        Whether scores lie on the scale from 0 to 1.
    clustered : bool
    n_dropped, n_zeros : (S,) int64
        Missing values left out, and counted as 0.
    shown : (S,) bool
    edge : (S,) bool
        Rows whose items all score one end of the scale, so that the true mean is put beside it.
    icc : (S,) float64
        Of item means; NaN where items are independent.
    """

    designs: list[Design | None]
    scaled: bool
    clustered: bool
    n_dropped: Ints
    n_zeros: Ints
    shown: Bools
    edge: Bools
    icc: Floats


def read_designs(
    runs: Runs, column: str, mean: float | None, icc: float | None, missing: str
) -> Designs:
    """Read the design of each row: its items, clusters, runs and variances."""
    found = measure(runs, column, None, missing)
    known = found.known
    values = np.where(np.isnan(runs.values[column]), 0.0, runs.values[column])
    share = column in (COLUMN["score"], COLUMN["hit_cap"])
    scaled = share and bool(((values >= 0) & (values <= 1)).all())
    means = segment_means(known.value, known.segment, known.n_segments)
    binary = np.full(known.n_segments, scaled)
    home = runs.unit_group[runs.unit] * max(len(runs.arms), 1) + runs.arm
    binary[home[(values > 0) & (values < 1)]] = False
    edge = scaled & (means.n > 0) & ((means.mean <= 0) | (means.mean >= 1))
    parts = _variances(found)
    k = np.maximum(reduce(runs, column).n_values[known.known], 1)
    order = np.argsort(known.segment, kind="stable")
    ends = np.cumsum(np.bincount(known.segment, minlength=known.n_segments))[:-1]
    designs: list[Design | None] = []
    for one, rows in enumerate(np.split(order, ends)[: known.n_segments]):
        if len(rows) == 0:
            designs.append(None)
            continue
        cluster, count = _arranged(None if known.cluster is None else known.cluster[rows], k[rows])
        seen = float(means.mean[one])
        design = Design(
            cluster=cluster,
            runs=count,
            mean=(seen * len(rows) + 0.5) / (len(rows) + 1) if edge[one] else seen,
            var_cluster=float(parts[0][one]),
            var_item=float(parts[1][one]),
            var_seed=float(parts[2][one]),
            whole=bool(binary[one]),
            pool=None if scaled else np.sort(known.value[rows] - seen),
        )
        designs.append(_as_wished(design, mean, icc, bool(edge[one])))
    used = [np.nan if one is None else _icc(one) for one in designs]
    clustered = known.cluster is not None
    held = np.array(used) if clustered else np.full(known.n_segments, np.nan)
    lost = found.n_dropped, found.n_zeros
    return Designs(designs, scaled, clustered, *lost, found.shown, edge, held)


def _variances(found: Measured) -> tuple[Floats, Floats, Floats]:
    """Return the variances of clusters, items and runs; without repeats items hold the runs'."""
    known = found.known
    noise = replace(
        found.noise,
        one_run=np.nan_to_num(found.noise.one_run),
        item_mean=np.nan_to_num(found.noise.item_mean),
        of_item=np.nan_to_num(found.noise.of_item),
    )
    raw = components(known.value, known.segment, known.cluster, known.n_segments, noise)
    apart = ~np.isnan(raw.cluster)
    of_cluster = np.maximum(np.nan_to_num(raw.cluster), 0.0)
    of_item = np.maximum(np.where(apart, raw.item, raw.total), 0.0)
    return of_cluster, np.nan_to_num(of_item), noise.one_run


def _as_wished(design: Design, mean: float | None, icc: float | None, edge: bool) -> Design:
    """Move a design to another true mean or intraclass correlation."""
    of_cluster, of_item, of_seed = design.var_cluster, design.var_item, design.var_seed
    true = design.mean if mean is None else float(mean)
    if design.pool is None:
        before, after = design.mean * (1 - design.mean), true * (1 - true)
        total = of_cluster + of_item + of_seed
        if design.whole or edge:
            # Runs of 0 and 1 leave no choice: their variances add up to p (1 - p).
            factor = after / total if total > 0 else 0.0
            of_item = of_item if total > 0 else after
        else:
            factor = after / before if before > 0 else 1.0
        if total > 0:
            of_cluster, of_item, of_seed = (
                part * factor for part in (of_cluster, of_item, of_seed)
            )
    if icc is not None:
        left = float(np.mean(of_seed / design.runs))
        whole = of_cluster + of_item + left
        of_cluster = icc * whole
        of_item = max(whole - of_cluster - left, 0.0)
    return replace(design, mean=true, var_cluster=of_cluster, var_item=of_item, var_seed=of_seed)


def _icc(design: Design) -> float:
    whole = design.var_cluster + design.var_item + float(np.mean(design.var_seed / design.runs))
    return design.var_cluster / whole if whole > 0 else float("nan")


def _arranged(cluster: Ints | None, k: Ints) -> tuple[Ints, Ints]:
    """Return clusters and runs in an order that no label decides: by what they hold."""
    if cluster is None:
        return np.arange(len(k)), np.sort(k)
    inside: dict[Hashable, list[int]] = {}
    for one, count in zip(cluster.tolist(), k.tolist(), strict=True):
        inside.setdefault(one, []).append(count)
    held = sorted((len(counts), sorted(counts)) for counts in inside.values())
    sizes = [size for size, _ in held]
    count = np.array([one for _, counts in held for one in counts], dtype=np.int64)
    return np.repeat(np.arange(len(sizes)), sizes), count
