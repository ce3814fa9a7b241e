"""Intervals by name: which one a row gets, where it is defined, and what it needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from evalframe.errors import DesignError, EvalFrameError, FrameError
from evalframe.stats.clusters import robust_errors
from evalframe.stats.floor import critical
from evalframe.stats.means import Means, student_quantile
from evalframe.stats.segments import Floats, Ints

Bools = NDArray[np.bool_]
Names = NDArray[np.object_]
# Lower and upper limits, standard error and degrees of freedom of the rows asked for.
Limits = tuple[Floats, Floats, Floats, Floats]


class Sample(Protocol):
    """What intervals are made of, an entry a row of the result."""

    @property
    def means(self) -> Means:
        """Estimates and their usual standard errors."""

    @property
    def cr2(self) -> Floats:
        """Standard errors that hold with few or unequal clusters."""

    @property
    def df(self) -> Floats:
        """Degrees of freedom of `cr2`."""

    @property
    def clustered(self) -> bool:
        """Whether the evaluation has clusters."""

    @property
    def level(self) -> float:
        """Confidence level."""

    def meets(self, need: str) -> Bools:
        """Return the rows that meet a need of an interval."""

    def wanted(self, need: str) -> str:
        """Say what a need is."""

    def found(self, need: str, row: int) -> str:
        """Say what a row has instead."""


S = TypeVar("S", bound=Sample)
S_contra = TypeVar("S_contra", bound=Sample, contravariant=True)


@dataclass(frozen=True, slots=True)
class Method(Generic[S_contra]):
    """One interval.

    Attributes
    ----------
    limits : callable
        Takes a sample and the rows asked for.
    needs : tuple of str
        What a row must meet.
    """

    limits: Callable[[S_contra, Ints], Limits]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Intervals:
    """The intervals of S rows.

    Attributes
    ----------
    low, high, se, df : (S,) float64
        Limits, and the standard error and degrees of freedom that they are made with.
    name : (S,) object
        The interval used in each row.
    undefined : (S,) str
        What a row lacks for its interval; empty where it lacks nothing.
    refusal : EvalFrameError or None
        What to raise if the interval asked for is defined in no row of a whole result.
    """

    low: Floats
    high: Floats
    se: Floats
    df: Floats
    name: Names
    undefined: list[str]
    refusal: EvalFrameError | None


def askable(sample: Sample) -> Bools:
    """Return the rows that an interval can be asked for: items, and not of a single cluster."""
    return (sample.means.n > 0) & (~np.bool_(sample.clustered) | (sample.means.n_clusters > 1))


def in_clusters(means: Means) -> Bools:
    """Return the rows in which a cluster has several items; clusters of one are no clusters."""
    return means.n_clusters < means.n


def robust_error(means: Means) -> tuple[Floats, Floats]:
    """Return CR2 and its degrees of freedom; the usual ones where items are independent."""
    if means.clusters is None:
        return means.se, np.where(means.n > 1, means.n - 1.0, np.nan)
    found = robust_errors(means.clusters, len(means.n))
    return found.cr2, found.df


def linear_limits(sample: Sample, rows: Ints, kind: str) -> Limits:
    """Return mean -+ quantile times standard error: "t", "normal" or "cr2"."""
    means = sample.means
    se = (sample.cr2 if kind == "cr2" else means.se)[rows]
    df = np.where(means.n_clusters > 1, means.n_clusters - 1.0, np.nan)[rows]
    df = sample.df[rows] if kind == "cr2" else df
    quantile: Floats | float = student_quantile(sample.level, df)
    if kind == "normal":
        df, quantile = np.full(len(rows), np.nan), critical(sample.level)
    return means.mean[rows] - quantile * se, means.mean[rows] + quantile * se, se, df


def intervals(
    sample: S, methods: Mapping[str, Method[S]], name: str, choose: Callable[[S], Names]
) -> Intervals:
    """Give each row the interval asked for, or with "auto" the one that suits it.

    Parameters
    ----------
    sample : Sample
    methods : mapping of name to Method
    name : str
        One of `methods`, or "auto".
    choose : callable
        Names an interval for each row, for "auto".
    """
    there = askable(sample)
    n_rows = len(there)
    names = choose(sample) if name == "auto" else np.full(n_rows, name, dtype=object)
    low, high, df = (np.full(n_rows, np.nan) for _ in range(3))
    se, undefined = sample.means.se.copy(), [""] * n_rows
    for used, method in methods.items():
        rows = (names == used) & there
        for need in method.needs:
            lacking = rows & ~sample.meets(need)
            for row in np.flatnonzero(lacking):
                undefined[row] = f"no {used} interval: it needs {sample.wanted(need)}"
            rows &= ~lacking
        at = np.flatnonzero(rows)
        if len(at):
            low[at], high[at], se[at], df[at] = method.limits(sample, at)
    refusal = None
    if there.any() and all(undefined[row] for row in np.flatnonzero(there)):
        refusal = _refusal(sample, methods, name)
    return Intervals(low, high, se, df, names, undefined, refusal)


def _refusal(sample: S, methods: Mapping[str, Method[S]], name: str) -> EvalFrameError:
    """Say what the interval needs, what the first row has, and which intervals are defined."""
    row = int(np.flatnonzero(askable(sample))[0])
    need = next(need for need in methods[name].needs if not sample.meets(need)[row])
    defined = [
        other
        for other, method in methods.items()
        if all(sample.meets(need)[row] for need in method.needs)
    ]
    others = ", ".join(f'"{other}"' for other in ("auto", *defined))
    error = DesignError if need == "independent" else FrameError
    return error(
        f'interval="{name}" needs {sample.wanted(need)}, found {sample.found(need, row)}; '
        f"defined here are {others}"
    )


def refuse_undefined(refusals: list[EvalFrameError | None]) -> None:
    """Raise the first refusal where every column that takes an interval has one."""
    raised = [refusal for refusal in refusals if refusal is not None]
    if raised and len(raised) == len(refusals):
        raise raised[0]
