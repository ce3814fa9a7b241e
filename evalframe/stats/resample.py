"""One bootstrap interval: which law, which limits, and what to do where a method fails."""

from dataclasses import dataclass, replace

import numpy as np

from evalframe.stats import bootstrap_limits, exact, saddlepoint
from evalframe.stats.counted import Counted
from evalframe.stats.draws import Draw, Tick, in_blocks
from evalframe.stats.linear import Linear
from evalframe.stats.segments import ROUNDING, Floats

METHODS = ("percentile", "basic", "bca", "studentized", "saddlepoint", "exact")


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and what the bootstrap says of it.

    Attributes
    ----------
    estimate : float
    bias, se : float
        Mean of the resamples minus the estimate, and their standard deviation.
    low, high : float
    n_boot : int or None
        None where nothing was resampled at random.
    n_failed : int
        Resamples in which the statistic is not defined; they are left out.
    method : str
        What made the limits.
    note : str
    """

    estimate: float
    bias: float
    se: float
    low: float
    high: float
    n_boot: int | None
    n_failed: int
    method: str
    note: str


def bootstrap_interval(
    statistic: Counted,
    method: str,
    n_boot: int,
    level: float,
    generator: np.random.Generator,
    *,
    own: tuple[Draw, int] | None = None,
    tick: Tick | None = None,
    threads: int = 2,
) -> Interval:
    """Return the bootstrap interval of a statistic.

    Parameters
    ----------
    statistic : Counted
    method : str
        One of `METHODS`. "saddlepoint" needs one ratio of sums, "studentized" a `Linear`.
    n_boot : int
        Resamples, where the method draws any.
    level : float
        Confidence level.
    generator : numpy.random.Generator
        A fresh one: resamples come from its children.
    own : (draw, size), optional
        How resamples are drawn, if not from the statistic's units.
    tick : callable, optional
        Told how many resamples were made.
    threads : int
        It changes no number.

    Returns
    -------
    Interval
        NaN where there is no spread to see (fewer than two units) or no estimate.
    """
    unknown = Interval(np.nan, np.nan, np.nan, np.nan, np.nan, n_boot, 0, method, "")
    if method in ("saddlepoint", "exact"):
        unknown = replace(unknown, n_boot=None)
    if statistic.n_units == 0:
        return unknown
    estimate = statistic.estimate
    unknown = replace(unknown, estimate=estimate)
    if np.isnan(estimate):
        return replace(unknown, note="the statistic is not defined on the sample")
    if statistic.n_units < 2:
        return unknown
    if statistic.constant and own is None:
        return replace(unknown, bias=0.0, se=0.0, low=estimate, high=estimate)
    if method == "exact" and exact.feasible(statistic):
        return _exact(statistic, level, unknown)
    if method == "saddlepoint" and isinstance(statistic, Linear):
        return _saddlepoint(statistic, level, unknown) or _fallback(
            statistic, n_boot, level, generator, threads, tick, unknown
        )
    if method == "exact":
        note = f"more than {exact.MOST:,} different resamples: percentile limits of random ones"
        unknown = replace(unknown, n_boot=n_boot, method="percentile", note=note)
    return _resampled(statistic, level, generator, own, threads, tick, unknown)


def _exact(statistic: Counted, level: float, unknown: Interval) -> Interval:
    values, probability = exact.law(statistic)
    failed = np.isnan(values)
    note = unknown.note
    if failed.any():
        share = probability[failed].sum()
        said = f"statistic not defined in {share:.2g} of resamples, which are left out"
        note = f"{note}; {said}" if note else said
        values, probability = values[~failed], probability[~failed] / (1 - share)
    mean = float((probability * values).sum())
    low, high = exact.limits(values, probability, level)
    return replace(
        unknown,
        bias=mean - unknown.estimate,
        se=float(np.sqrt((probability * (values - mean) ** 2).sum())),
        low=low,
        high=high,
        n_failed=int(failed.sum()),
        n_boot=None,
        method="exact",
        note=note,
    )


def _saddlepoint(statistic: Linear, level: float, unknown: Interval) -> Interval | None:
    """Return the interval without resampling; None where the approximation does not hold."""
    if not (statistic.units[1] > 0).all():
        return None
    low, high = saddlepoint.limits(statistic, level)
    if np.isnan([low, high]).any():
        return None
    influence, bottom = statistic.influence(), statistic.units[1]
    # A ratio's bias to second order; a mean has none.
    bias = -float((statistic.copies * influence * bottom).sum())
    bias /= float((statistic.copies * bottom).sum())
    se = float(np.sqrt((statistic.copies * influence**2).sum()))
    fixed = bool((bottom == bottom[0]).all())
    return replace(unknown, bias=0.0 if fixed else bias, se=se, low=low, high=high)


def _fallback(
    statistic: Linear,
    n_boot: int,
    level: float,
    generator: np.random.Generator,
    threads: int,
    tick: Tick | None,
    unknown: Interval,
) -> Interval:
    """Return exact limits where a saddlepoint has none, or else those of random resamples."""
    said = "no saddlepoint reaches the level: "
    if exact.feasible(statistic):
        return _exact(statistic, level, replace(unknown, note=f"{said}exact limits"))
    instead = replace(unknown, n_boot=n_boot, method="percentile", note=f"{said}percentile limits")
    return _resampled(statistic, level, generator, None, threads, tick, instead)


def _resampled(
    statistic: Counted,
    level: float,
    generator: np.random.Generator,
    own: tuple[Draw, int] | None,
    threads: int,
    tick: Tick | None,
    unknown: Interval,
) -> Interval:
    n_boot = unknown.n_boot or 0
    with_errors = unknown.method == "studentized" and isinstance(statistic, Linear)
    draw, size = (
        statistic.draw_with_errors()
        if with_errors and isinstance(statistic, Linear)
        else own or statistic.draw()
    )
    width = 2 if with_errors else 1
    drawn = in_blocks(draw, n_boot, size, generator, width=width, threads=threads, tick=tick)
    failed = np.isnan(drawn[:, 0])
    n_failed = int(failed.sum())
    if n_failed:
        drawn = drawn[~failed]
        said = f"statistic not defined in {n_failed:,} of {n_boot:,} resamples, which are left out"
        note = f"{unknown.note}; {said}" if unknown.note else said
        unknown = replace(unknown, n_failed=n_failed, note=note)
    if len(drawn) < 2:
        return unknown
    replicates = np.ascontiguousarray(drawn[:, 0]) if with_errors else drawn[:, 0]
    errors = drawn[:, 1] if with_errors else replicates
    estimate = unknown.estimate
    # Taken from the estimate, so that equal resamples have a spread of exactly 0.
    moved = float((replicates - estimate).mean())
    known = replace(unknown, bias=moved, se=float(replicates.std(ddof=1)))
    if float(replicates.min()) == float(replicates.max()):
        equal = float(replicates[0])
        return replace(known, se=0.0, low=equal, high=equal)
    return _limits(statistic, replicates, errors, level, known)


def _near(statistic: Counted) -> float:
    """Return how far apart rounding may set two equal values of a statistic."""
    # Errors of so many additions grow as the root of their number.
    return float(ROUNDING * np.sqrt(statistic.n_units)) * statistic.scale


def _limits(
    statistic: Counted, replicates: Floats, errors: Floats, level: float, known: Interval
) -> Interval:
    """Add the limits of the method, or percentile limits and a note where it has none."""
    estimate = known.estimate
    if known.method == "basic":
        low, high = bootstrap_limits.basic(replicates, estimate, level)
    elif known.method == "bca":
        without, copies = statistic.jackknife()
        low, high = bootstrap_limits.bca(
            replicates, estimate, without, copies, level, near=_near(statistic)
        )
    elif known.method == "studentized" and isinstance(statistic, Linear):
        influence, n = statistic.influence(), statistic.n_units
        error = float(np.sqrt((statistic.copies * influence**2).sum() * n / (n - 1)))
        low, high = bootstrap_limits.studentized(
            replicates, errors, estimate, error, level, near=_near(statistic)
        )
    else:
        low, high = bootstrap_limits.percentile(replicates, level)
    if np.isnan([low, high]).any():
        reason = {
            "bca": "all resamples lie on one side, or the acceleration has no meaning",
            "studentized": "too many resamples have no spread of their own",
        }[known.method]
        said = f"{known.method} limits are not defined ({reason}): percentile limits"
        note = f"{known.note}; {said}" if known.note else said
        low, high = bootstrap_limits.percentile(replicates, level)
        known = replace(known, method="percentile", note=note)
    return replace(known, low=low, high=high)
