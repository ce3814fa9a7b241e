"""Intervals by name: which one a row gets, where it is defined, and what it needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from evalframe.errors import DesignError, EvalFrameError, FrameError
from evalframe.stats.segments import Floats, Ints

Bools = NDArray[np.bool_]
Names = NDArray[np.object_]
# Lower and upper limits, standard error and degrees of freedom of the rows asked for.
Limits = tuple[Floats, Floats, Floats, Floats]


class Sample(Protocol):
    """What intervals are made of, an entry a row of the result."""

    @property
    def known(self) -> Bools:
        """Rows that an interval can be asked for: some items, and not in a single cluster."""

    @property
    def se(self) -> Floats:
        """The usual standard error, for rows in which the interval is not defined."""

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
    n_rows = len(sample.known)
    names = choose(sample) if name == "auto" else np.full(n_rows, name, dtype=object)
    low, high, df = (np.full(n_rows, np.nan) for _ in range(3))
    se, undefined = sample.se.copy(), [""] * n_rows
    for used, method in methods.items():
        rows = (names == used) & sample.known
        for need in method.needs:
            lacking = rows & ~sample.meets(need)
            for row in np.flatnonzero(lacking):
                undefined[row] = f"no {used} interval: it needs {sample.wanted(need)}"
            rows &= ~lacking
        at = np.flatnonzero(rows)
        if len(at):
            low[at], high[at], se[at], df[at] = method.limits(sample, at)
    refusal = None
    if sample.known.any() and all(undefined[row] for row in np.flatnonzero(sample.known)):
        refusal = _refusal(sample, methods, name)
    return Intervals(low, high, se, df, names, undefined, refusal)


def _refusal(sample: S, methods: Mapping[str, Method[S]], name: str) -> EvalFrameError:
    """Say what the interval needs, what the first row has, and which intervals are defined."""
    row = int(np.flatnonzero(sample.known)[0])
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
