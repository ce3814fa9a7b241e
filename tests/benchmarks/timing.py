"""How a benchmark measures and says what it measured: times in turn, peak memory, rows."""

import json
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version


@dataclass(frozen=True)
class Row:
    """One measurement: what evalframe needs, beside what a named baseline needs in the same run.

    Attributes
    ----------
    case : str
        What was done, with its size.
    baseline : str
        What `theirs` is of, with its version.
    ours, theirs : float
    unit : "ms", "s" or "MB"
    target : float, optional
        The most that `ratio` may be, where a limit is set.
    note : str
    """

    case: str
    baseline: str
    ours: float
    theirs: float
    unit: str
    target: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float:
        """`ours` by `theirs`: less is better."""
        return self.ours / self.theirs

    def __str__(self) -> str:
        """Return the row as a line of a table."""
        limit = "" if self.target is None else f"  at most {self.target:g}"
        note = f"  ({self.note})" if self.note else ""
        return (
            f"{self.case:<80}{self.ours:10,.1f}{self.theirs:12,.1f} {self.unit:<3}"
            f"{self.ratio:9.3g}  {self.baseline}{limit}{note}"
        )


def named(package: str, what: str) -> str:
    """Return a baseline's name, with the version of the package that it is of."""
    return f"{package} {version(package)} {what}"


def best(
    *functions: Callable[[], object],
    repeats: int = 7,
    seconds: float = 20.0,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """Return the least milliseconds of each function.

    They are called in turn, so that other work on the machine slows all of them. No round begins
    after so many `seconds`.
    """
    took: list[list[float]] = [[] for _ in functions]
    began = time.perf_counter()
    for _ in range(repeats):
        for function, times in zip(functions, took, strict=True):
            start = clock()
            function()
            times.append(clock() - start)
        if time.perf_counter() - began > seconds:
            break
    return [1e3 * min(times) for times in took]


def peak(function: Callable[[], object]) -> float:
    """Return the most memory that a call holds at once, in MB, beside its input."""
    tracemalloc.start()
    function()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def show(rows: Callable[[], Iterator[Row]]) -> None:
    """Print the rows as they come: a table, or with --json an object a line."""
    if "--json" not in sys.argv:
        print(f"{'':<80}{'ours':>10}{'theirs':>12} {'':<3}{'ratio':>9}  theirs is")
    for row in rows():
        if "--json" in sys.argv:
            print(json.dumps({**asdict(row), "ratio": row.ratio}), flush=True)
        else:
            print(row, flush=True)
