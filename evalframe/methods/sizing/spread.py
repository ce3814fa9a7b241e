"""The variance that a plan rests on, said in numbers."""

from dataclasses import dataclass

import numpy as np

from evalframe.methods.arguments import check_within
from evalframe.numbers import LARGEST
from evalframe.results import Said
from evalframe.stats.power import correlation_bounds
from evalframe.stats.segments import Floats


@dataclass(frozen=True, slots=True)
class Spread:
    """Variance of an item's difference, an entry a plan.

    Attributes
    ----------
    variance : (S,) float64
        At the planned number of runs per item, items taken as independent.
    design_effect : (S,) float64
        By which clusters multiply it, counted once.
    icc, cluster_size : (S,) float64
        Of items in a cluster; mean number of items in one. NaN where items are independent.
    seeds : (S,) float64
        Runs per item and arm.
    n_items : (S,) float64
        Items of the pilot; NaN without one.
    notes : list of (mask, text)
    """

    variance: Floats
    design_effect: Floats
    icc: Floats
    cluster_size: Floats
    seeds: Floats
    n_items: Floats
    notes: list[Said]

    @property
    def per_item(self) -> Floats:
        """Variance of the estimate times the number of items."""
        return self.variance * self.design_effect


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a user may say of the variance; None is what is not said."""

    sd_diff: float | None
    sd_seed: float | None
    p_a: float | None
    p_b: float | None
    correlation: float | None
    icc: float | None
    cluster_size: float | None
    seeds: int | None
    paired: bool

    def check(self) -> None:
        """Raise ValueError where a number cannot be."""
        for name in ("sd_diff", "sd_seed"):
            check_within(name, getattr(self, name), 0, LARGEST, open_low=name != "sd_seed")
        for name in ("p_a", "p_b"):
            check_within(name, getattr(self, name), 0, 1, open_low=True, open_high=True)
        check_within("correlation", self.correlation, -1, 1)
        check_within("icc", self.icc, 0, 1)
        check_within("cluster_size", self.cluster_size, 1, LARGEST)
        check_within("seeds", self.seeds, 1, LARGEST)


def from_numbers(given: Numbers) -> Spread:
    """Return the variance that numbers alone say."""
    given.check()
    if (given.icc is None) != (given.cluster_size is None):
        raise ValueError(
            "icc and cluster_size go together: clusters cost as much as items are alike times how "
            f"many share one; found icc={given.icc!r}, cluster_size={given.cluster_size!r}"
        )
    one_run, notes = _one_run(given)
    variance = one_run
    if given.seeds is not None and given.seeds > 1:
        variance = one_run - _of_runs(given, one_run) * (1 - 1 / given.seeds)
    if variance <= 0:
        raise ValueError(
            "the difference has no variance with these numbers, so that any number of items finds "
            "it; give p_a and p_b that differ, a correlation below 1, or sd_diff"
        )
    icc = 0.0 if given.icc is None else given.icc
    size = 1.0 if given.cluster_size is None else float(given.cluster_size)
    # Runs are independent within clusters too: only the part between items is multiplied.
    effect = (variance + (size - 1) * icc * one_run) / variance
    none = given.icc is None
    return Spread(
        variance=np.array([variance]),
        design_effect=np.array([effect]),
        icc=np.array([np.nan if none else icc]),
        cluster_size=np.array([np.nan if none else size]),
        seeds=np.array([1.0 if given.seeds is None else float(given.seeds)]),
        n_items=np.array([np.nan]),
        notes=[(np.array([True]), note) for note in notes],
    )


def _one_run(given: Numbers) -> tuple[float, list[str]]:
    """Return the variance of an item's difference with one run of each arm."""
    if (given.sd_diff is None) == (given.p_a is None) or (given.p_a is None) != (given.p_b is None):
        raise ValueError(
            "a plan needs the spread of the differences, said once: sd_diff=, or p_a= and p_b= of "
            "0/1 scores (with correlation=)"
        )
    if not given.paired and given.correlation:
        raise ValueError(
            "paired=False takes the arms' items as different, so that their scores are not "
            f"correlated; found correlation={given.correlation!r}"
        )
    if given.sd_diff is not None:
        if given.correlation is not None:
            raise ValueError("sd_diff holds the correlation already; give one of the two")
        return float(given.sd_diff) ** 2, []
    rho = 0.0 if given.correlation is None else float(given.correlation)
    unsaid = given.paired and given.correlation is None
    notes = ["correlation 0 taken: arms on the same items are correlated as a rule"] * unsaid
    a, b = float(given.p_a or 0), float(given.p_b or 0)
    low, high = correlation_bounds(a, b)
    if not low - 1e-12 <= rho <= high + 1e-12:
        raise ValueError(
            f"two 0/1 scores with means {a:g} and {b:g} can have correlations from {low:.4f} to "
            f"{high:.4f}, not {rho:g}"
        )
    both = rho * float(np.sqrt(a * (1 - a) * b * (1 - b)))
    return max(a * (1 - a) + b * (1 - b) - 2 * both, 0.0), notes


def _of_runs(given: Numbers, one_run: float) -> float:
    """Return the part of the variance that repeated runs average away."""
    if given.sd_seed is None:
        raise ValueError(
            f"seeds={given.seeds} needs sd_seed=, the standard deviation of the difference between "
            "runs of one item, to know what runs average away; df.evals.variance() estimates it, "
            "or plan from a frame with seeds"
        )
    of_runs = float(given.sd_seed) ** 2
    if of_runs > one_run:
        raise ValueError(
            f"sd_seed={given.sd_seed:g} is more than the whole spread of a difference with one run "
            f"({one_run**0.5:.4g}), of which it is a part"
        )
    return of_runs
