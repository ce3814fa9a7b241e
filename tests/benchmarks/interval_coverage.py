"""Simulate the coverage of every interval on the grid of tests/reference/coverage_grid.json.

Run it by hand; the full grid takes about half an hour and writes data/coverage.parquet:
python tests/benchmarks/interval_coverage.py [n_sim]
"""

import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
from simulated import Cell, Draws, cells, draw

from evalframe.methods.comparing import difference_intervals
from evalframe.methods.comparing.discordance import FourFold
from evalframe.methods.intervals import Intervals, intervals
from evalframe.methods.scoring import score_doubts, score_intervals
from evalframe.methods.scoring.score_sample import score_sample
from evalframe.stats.means import segment_means

N_SIM = 2_000
ONE_ARM = ("t", "normal", "wilson", "mid-p", "clopper-pearson", "jeffreys", "logit")
CLUSTERS = ("t", "cr2", "logit", "wilson", "beta-binomial")
PAIRED = ("normal", "t", "tango", "newcombe", "bonett-price")
METHODS = {
    "one_arm_binary": ONE_ARM,
    "one_arm_binary_clusters": CLUSTERS,
    "one_arm_binary_real_sizes": CLUSTERS,
    "one_arm_seeds": ("t", "normal", "wilson", "logit"),
    "paired_binary": PAIRED,
    "paired_binary_clusters": ("normal", "t", "cr2", "tango"),
    "unbounded": ("t", "normal"),
}
Found = dict[str, tuple[Intervals, np.ndarray]]


def name_of(cell: Cell) -> str:
    """Return the parameters of a cell as text."""
    return " ".join(f"{key}={value}" for key, value in cell.items() if key != "family")


def found(cell: Cell, n_sim: int = N_SIM, names: tuple[str, ...] | None = None) -> pd.DataFrame:
    """Return coverage, mean width and share with a note of each interval in a cell."""
    # Each cell has draws of its own, whatever other cells are simulated.
    rng = np.random.default_rng(zlib.crc32(f"{cell['family']} {name_of(cell)}".encode()))
    draws = draw(cell, n_sim, rng)
    names = METHODS[cell["family"]] if names is None else names
    limits = (_of_difference if len(draws.arms) == 2 else _of_mean)(draws, n_sim, cell, names)
    rows = []
    for name, (used, noted) in limits.items():
        covered = (used.low <= draws.truth) & (draws.truth <= used.high)
        share = covered.mean()
        rows.append(
            {
                "family": cell["family"],
                "cell": name_of(cell),
                "interval": name,
                "coverage": share,
                "mc_error": np.sqrt(share * (1 - share) / n_sim),
                "width": np.nanmean(used.high - used.low),
                "noted": noted.mean(),
                "undefined": np.isnan(used.low).mean(),
                "n_sim": n_sim,
            }
        )
    return pd.DataFrame(rows)


def _of_mean(draws: Draws, n_sim: int, cell: Cell, names: tuple[str, ...]) -> Found:
    sample = score_sample(
        draws.arms[0],
        draws.segment,
        n_sim,
        draws.cluster,
        single=np.full(n_sim, draws.runs == 1),
        scale=None if cell["family"] == "unbounded" else (0.0, 1.0),
        level=0.95,
    )
    return {
        name: (used, _said(score_doubts.doubts(sample, used, auto=name == "auto"), n_sim))
        for name, used in _each(sample, score_intervals, names).items()
    }


def _of_difference(draws: Draws, n_sim: int, cell: Cell, names: tuple[str, ...]) -> Found:
    del cell
    arm, base = draws.arms
    means = segment_means(arm - base, draws.segment, n_sim, draws.cluster, np.ones(n_sim))
    counts = [
        np.bincount(draws.segment[(base == b) & (arm == a)], minlength=n_sim)
        for b, a in ((1, 1), (1, 0), (0, 1), (0, 0))
    ]
    table = FourFold(*counts, defined=np.ones(n_sim, dtype=bool))
    sample = difference_intervals.difference_sample(
        means, table, shares=True, clustered=draws.cluster is not None, level=0.95
    )
    return {
        name: (used, _said(difference_intervals.doubts(sample, used), n_sim))
        for name, used in _each(sample, difference_intervals, names).items()
    }


def _each(sample, module, names) -> dict[str, Intervals]:
    """Return the intervals of each name, and those of "auto", which are picked from them."""
    used = {n: intervals(sample, module.METHODS, n, module.choose) for n in names}
    chosen = module.choose(sample)
    missing = set(chosen) - set(used)
    fields = {}
    for field in ("low", "high", "se", "df"):
        values = np.full(len(chosen), np.nan)
        for name in set(chosen) & set(used):
            values[chosen == name] = getattr(used[name], field)[chosen == name]
        fields[field] = values
    if missing:
        used["auto"] = intervals(sample, module.METHODS, "auto", module.choose)
    else:
        used["auto"] = Intervals(**fields, name=chosen, undefined=[""] * len(chosen), refusal=None)
    return used


def _said(said, n_sim: int) -> np.ndarray:
    return np.any([np.broadcast_to(mask, n_sim) for mask, _ in said], axis=0)


def main() -> None:
    n_sim = int(sys.argv[1]) if len(sys.argv) > 1 else N_SIM
    start, parts = time.perf_counter(), []
    for cell in cells():
        parts.append(found(cell, n_sim))
        auto = parts[-1].iloc[-1]
        took = time.perf_counter() - start
        print(f"{took:7.0f} s {cell['family']} {auto['cell']}: {auto['coverage']:.3f}", flush=True)
    result = pd.concat(parts, ignore_index=True)
    for column in ("coverage", "mc_error", "width", "noted", "undefined"):
        result[column] = result[column].round(6)
    result.to_parquet(Path(__file__).parents[2] / "data" / "coverage.parquet", index=False)


if __name__ == "__main__":
    main()
