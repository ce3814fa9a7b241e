"""Simulated evaluations of the cells of tests/reference/coverage_grid.json.

A cell is a dict of parameters. All its replicates are drawn at once: a replicate is a segment.
"""

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import special

GRID = json.loads((Path(__file__).parents[1] / "reference" / "coverage_grid.json").read_text())
Cell = dict[str, object]


@dataclass(frozen=True)
class Draws:
    """Replicates of a cell: item values of one arm, or of both, with segment and cluster."""

    arms: tuple[np.ndarray, ...]
    segment: np.ndarray
    cluster: np.ndarray | None
    truth: float
    runs: int = 1


def cells() -> Iterator[Cell]:
    """Yield the cells of all families."""
    for family in (name for name, grid in GRID.items() if name not in ("about", "sizes")):
        grid = dict(GRID[family])
        for values in itertools.product(*grid.values()):
            cell = {"family": family, **dict(zip(grid, values, strict=True))}
            # These are given with their own number of clusters.
            real = cell.get("sizes") in ("repositories", "subjects", "domains")
            if real and "G" in grid and cell["G"] != grid["G"][0]:
                continue
            if real:
                cell["G"] = len(GRID["sizes"][cell["sizes"]])
            yield cell


def draw(cell: Cell, n_sim: int, rng: np.random.Generator) -> Draws:
    """Draw replicates of a cell."""
    if cell["family"].startswith("paired"):
        return _paired(cell, n_sim, rng)
    if "sizes" in cell:
        size, segment = _sizes(cell, n_sim, rng)
        rate = _beta(special.ndtr(rng.standard_normal(len(size))), cell["p"], cell["icc"])
        cluster = np.repeat(np.arange(len(size)), size)
        right = rng.random(len(cluster)) < rate[cluster]
        return Draws((right.astype(float),), segment[cluster], cluster, cell["p"])
    segment = np.repeat(np.arange(n_sim), cell["n"])
    if cell["family"] == "unbounded":
        value = rng.standard_normal(len(segment))
        if cell["law"] == "normal":
            return Draws((value,), segment, None, 0.0)
        return Draws((np.exp(value),), segment, None, float(np.exp(0.5)))
    if cell["family"] == "one_arm_seeds":
        uniform = special.ndtr(rng.standard_normal(len(segment)))
        rate = _beta(uniform, cell["p"], cell["item_icc"])
        value = rng.binomial(cell["k"], rate) / cell["k"]
        return Draws((value,), segment, None, cell["p"], cell["k"])
    right = rng.random(len(segment)) < cell["p"]
    return Draws((right.astype(float),), segment, None, cell["p"])


def _paired(cell: Cell, n_sim: int, rng: np.random.Generator) -> Draws:
    """Join two arms by a Gaussian copula: over the clusters' rates, or over the outcomes."""
    shares, rho = cell["pairs"], cell["rho"]
    truth = shares[0] - shares[1]
    if "sizes" not in cell:
        segment = np.repeat(np.arange(n_sim), cell["n"])
        latent = _correlated(len(segment), rho, rng)
        arms = [z < special.ndtri(p) for z, p in zip(latent, shares, strict=True)]
        return Draws(tuple(arm.astype(float) for arm in arms), segment, None, truth)
    size, segment = _sizes(cell, n_sim, rng)
    cluster = np.repeat(np.arange(len(size)), size)
    arms = []
    for z, p in zip(_correlated(len(size), rho, rng), shares, strict=True):
        rate = _beta(special.ndtr(z), p, cell["icc"])
        arms.append((rng.random(len(cluster)) < rate[cluster]).astype(float))
    return Draws(tuple(arms), segment[cluster], cluster, truth)


def _correlated(n: int, rho: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    first, other = rng.standard_normal((2, n))
    return first, rho * first + np.sqrt(1 - rho**2) * other


def _beta(uniform: np.ndarray, mean: float, icc: float) -> np.ndarray:
    """Return quantiles of the Beta law of success rates; the mean itself where the ICC is 0."""
    if icc == 0:
        return np.full(len(uniform), mean)
    total = (1 - icc) / icc
    return special.betaincinv(mean * total, (1 - mean) * total, uniform)


def _sizes(cell: Cell, n_sim: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the size of each cluster and the replicate it belongs to."""
    kind, n_clusters = cell["sizes"], cell["G"]
    segment = np.repeat(np.arange(n_sim), n_clusters)
    if kind.startswith("equal"):
        return np.full(len(segment), int(kind.removeprefix("equal"))), segment
    if kind == "lognormal":
        size = np.round(np.exp(rng.normal(1.2, 0.9, len(segment))))
        return np.clip(size, 1, 60).astype(int), segment
    return np.tile(GRID["sizes"][kind], n_sim), segment
