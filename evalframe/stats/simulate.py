"""Evaluations that might have been: item means drawn under a known true mean."""

from dataclasses import dataclass

import numpy as np

from evalframe.stats.segments import Floats, Ints


@dataclass(frozen=True, slots=True)
class Design:
    """One evaluation to draw again and again.

    Attributes
    ----------
    cluster : (n,) int64
        Cluster of each item, codes 0 to G - 1 in order; every item its own where independent.
    runs : (n,) int64
        Runs of each item.
    mean : float
        True mean.
    var_cluster, var_item, var_seed : float
        Variance between clusters, between the items of one, and between runs of an item.
    whole : bool
        Whether a run scores 0 or 1.
    pool : (m,) float64 or None
        For scores without a scale: deviations of item means, of which items draw theirs. None: the
        scale from 0 to 1.
    """

    cluster: Ints
    runs: Ints
    mean: float
    var_cluster: float
    var_item: float
    var_seed: float
    whole: bool
    pool: Floats | None


def draw_items(design: Design, n_sim: int, generator: np.random.Generator) -> Floats:
    r"""Draw item means.

    Parameters
    ----------
    design : Design
    n_sim : int
    generator : numpy.random.Generator

    Returns
    -------
    (n_sim, n) float64

    Notes
    -----
    On the scale from 0 to 1 a cluster's mean is drawn from a beta distribution around the true
    mean, an item's from one around its cluster's, and a run's from one around its item's, with the
    variances of the design; a run that scores 0 or 1 is a coin with its item's chance. Without a
    scale, clusters are normal and items draw from the deviations that were seen.
    """
    if design.pool is not None:
        return _unbounded(design, n_sim, generator)
    whole = design.mean * (1 - design.mean)
    n_clusters = int(design.cluster[-1]) + 1
    mean = np.full((n_sim, n_clusters), design.mean)
    between = _beta(mean, _ratio(design.var_cluster, whole), generator)[:, design.cluster]
    left = whole - design.var_cluster
    item = _beta(between, _ratio(design.var_item, left), generator)
    if design.whole:
        counts = generator.binomial(np.broadcast_to(design.runs, item.shape), item)
        return np.asarray(counts / design.runs)
    noise = _ratio(design.var_seed, left - design.var_item) / design.runs
    return _beta(item, noise, generator)


def _ratio(part: float, whole: float) -> float:
    """Return the share of a variance, held between 0 and 1."""
    return float(np.clip(part / whole, 0.0, 1.0)) if whole > 0 else 0.0


def _beta(mean: Floats, share: float | Floats, generator: np.random.Generator) -> Floats:
    """Draw around means on the scale from 0 to 1, with a share of the largest variance."""
    share = np.broadcast_to(share, mean.shape)
    if not (share > 0).any():
        return mean
    # A share of 1 is a coin, of 0 no draw at all; neither is a beta distribution.
    size = 1.0 / np.clip(share, 1e-6, 1 - 1e-6) - 1.0
    inside = np.clip(mean, 1e-9, 1 - 1e-9)
    drawn = generator.beta(inside * size, (1 - inside) * size)
    drawn = np.where((share >= 1 - 1e-6) | (size < 1e-3), drawn.round(), drawn)
    return np.asarray(np.where((share <= 1e-6) | (mean <= 0) | (mean >= 1), mean, drawn))


def _unbounded(design: Design, n_sim: int, generator: np.random.Generator) -> Floats:
    pool = np.zeros(1) if design.pool is None else design.pool
    n, n_clusters = len(design.cluster), int(design.cluster[-1]) + 1
    of_cluster = generator.standard_normal((n_sim, n_clusters)) * np.sqrt(design.var_cluster)
    spread = float(np.sqrt(np.mean(pool**2)))
    drawn = pool[generator.integers(0, len(pool), (n_sim, n))]
    wanted = np.sqrt(design.var_item + design.var_seed / design.runs)
    scaled = drawn * (wanted / spread if spread > 0 else 0.0)
    return np.asarray(design.mean + of_cluster[:, design.cluster] + scaled)
