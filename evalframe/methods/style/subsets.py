"""Tails averaged over random subsets of one size, and the chance that the subsets bring in."""

from dataclasses import dataclass

import numpy as np

from evalframe.methods.style.textpairs import Floats
from evalframe.rng import generator
from evalframe.stats.likeness import (
    debiased_variance,
    exceeding,
    jackknife_se,
    logit_slopes,
    monte_carlo_variance,
)
from evalframe.stats.segments import Ints
from evalframe.stats.wasserstein import Bools, subset_distances


@dataclass(frozen=True, slots=True)
class Settings:
    """How likeness is scored: the arguments of `voice` of the same names, and the metrics' groups.

    Attributes
    ----------
    group : (M,) int64
        Group of each metric.
    n_groups : int
    n_calibration : int
    n_subsets : int
    seed : int
        Every draw restarts from it.
    size : int or None
    ties : {"strict", "mid"}
    floor : float
    jackknife : bool
        Whether pairs are left out in turn.
    """

    group: Ints
    n_groups: int
    n_calibration: int
    n_subsets: int
    seed: int
    size: int | None
    ties: str
    floor: float
    jackknife: bool

    def streams(self) -> list[np.random.Generator]:
        """Return fresh generators of calibration pairs, self pairs and subsets."""
        return generator(self.seed).spawn(3)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Random subsets of one run's pairs, with the counts of k metrics that share them.

    Attributes
    ----------
    held : (B, U) bool
        Which pairs each subset holds.
    metrics : (k,) int64
    count : (B, k) float64
        Self-distances that exceed each subset's.
    apart : (B, k) float64
        The same of other subsets, each disjoint from that in the same row; NaN where there are too
        few pairs.
    """

    held: Bools
    metrics: Ints
    count: Floats
    apart: Floats


@dataclass(frozen=True, slots=True)
class Run:
    """One run of an arm: how many self-distances exceed, with what the jackknife needs.

    Attributes
    ----------
    distance, count : (M,) float64
    without : (U, M) float64
        Counts with each pair left out.
    drawn : list of Drawn
    """

    distance: Floats
    count: Floats
    without: Floats
    drawn: list[Drawn]


def add_subsets(
    run: Run, x: Floats, y: Floats, part: Ints, own: Floats, spread: Floats, settings: Settings
) -> None:
    """Average over random subsets of pairs, for the metrics that know more than a subset holds."""
    size, n_subsets = settings.size or 0, settings.n_subsets
    x, y, own, spread = x[:, part], y[:, part], own[:, part], spread[part]
    found, drawn = subset_distances(x, y, size, n_subsets, settings.streams()[2])
    run.distance[part] = found.mean(axis=0)
    count = _counts(own, found, spread, settings.ties)
    run.count[part] = count.mean(axis=0)
    if not settings.jackknife:
        return
    far, _ = subset_distances(x, y, size, n_subsets, settings.streams()[2], skip=size)
    apart = _counts(own, far, spread, settings.ties)
    for held, places in drawn:
        left = (~held).astype(np.float64)
        n_left = left.sum(axis=0)[:, None]
        # Counts are whole or half numbers, so that these sums are exact in any order.
        total = np.where(n_left > 0, left.T @ count[:, places], np.nan)
        run.without[:, part[places]] = total / np.maximum(n_left, 1)
        run.drawn.append(Drawn(held, part[places], count[:, places], apart[:, places]))


def _counts(own: Floats, found: Floats, spread: Floats, ties: str) -> Floats:
    columns = zip(own.T, found.T, spread, strict=True)
    return np.stack([exceeding(*column, ties) for column in columns], axis=1)


def standard_error(replicates: Floats, runs: list[Run], tail: Floats, settings: Settings) -> Floats:
    """Jackknife standard errors on the logit scale, without the chance of the subsets drawn."""
    se = jackknife_se(replicates)
    drawn = [(run, part) for run in runs for part in run.drawn]
    if not drawn:
        return se
    slopes = logit_slopes(tail, settings.group, settings.n_groups, settings.floor)
    # An average over runs hears each of them so much less.
    slopes = slopes / np.maximum(np.sum([~np.isnan(run.count) for run in runs], axis=0), 1)
    slopes /= settings.n_calibration
    one = [_added(run, part, part.count, slopes) for run, part in drawn]
    apart = [_added(run, part, part.apart, slopes) for run, part in drawn]
    surplus, of_estimate = monte_carlo_variance(one, [part.held for _, part in drawn])
    variance = np.maximum(se**2 - surplus, 0.0)
    both = np.sum(one, axis=0)[:, :1], np.sum(apart, axis=0)[:, :1]
    # For the score alone: one group or metric by itself has too few pairs to tell the bias.
    if not np.isnan(both[1]).any():
        variance[:1] = debiased_variance(variance[:1], *both)
    # The average over the subsets drawn is what is reported, so its own chance stays in.
    return np.sqrt(variance + of_estimate)


def _added(run: Run, part: Drawn, counts: Floats, slopes: Floats) -> Floats:
    """Return what each subset adds to the logit of each scope, as a deviation from the mean."""
    added: Floats = (counts - run.count[part.metrics]) @ slopes[:, part.metrics].T
    return added
