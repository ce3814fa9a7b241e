"""Every error that evalframe raises about its input.

All of them are ValueErrors, as the specification asks, so ``except ValueError`` catches every one.
None derives from KeyError, which prints its message quoted and with line breaks escaped.
"""

from typing import Self

import numpy as np
from numpy.typing import NDArray

# How many rows, keys or labels a message shows.
SHOWN = 5


def rows_text(rows: NDArray[np.int64]) -> str:
    """Say how many rows there are and which come first, counted from 0."""
    first = ", ".join(f"{row:,}" for row in rows[:SHOWN])
    more = ", ..." if len(rows) > SHOWN else ""
    return f"{len(rows):,} row{'s' if len(rows) != 1 else ''} (counted from 0: {first}{more})"


def short(value: object) -> str:
    """Return a value as a message shows it: in one line, and cut where it is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


class EvalFrameError(ValueError):
    """Something about the input is not as evalframe needs it; the message says what to type.

    Attributes
    ----------
    column : str
        The column at fault, "" where there is none.
    fault : str
        What was found.
    count : int
        Of how many rows, keys or items.
    first : str
        The first of them.
    remedy : str
        What to type.
    """

    column = ""
    fault = ""
    count = 0
    first = ""
    remedy = ""

    @classmethod
    def of(
        cls, wanted: str, found: str, remedy: str, *, column: str, count: int = 0, first: str = ""
    ) -> Self:
        """Make an error of what was wanted, what was found and what to type."""
        return cls(f"{wanted}, found {found}; {remedy}").of_parts(
            column, found, remedy, count=count, first=first
        )

    @classmethod
    def of_rows(
        cls,
        wanted: str,
        found: str,
        rows: NDArray[np.int64],
        remedy: str,
        *,
        column: str,
        first: str = "",
    ) -> Self:
        """Make an error of what was found in some rows; `first` shows the key of the first."""
        shown = f"{found} in {rows_text(rows)}" + (f"; first: {first}" if first else "")
        first = first or f"row {rows[0]:,}"
        return cls.of(wanted, shown, remedy, column=column, count=len(rows), first=first)

    def of_parts(
        self, column: str, fault: str, remedy: str, *, count: int = 0, first: str = ""
    ) -> Self:
        """Give an error with a message of its own the parts that `check` shows."""
        self.column, self.fault, self.remedy = column, fault, remedy
        self.count, self.first = count, first
        return self


class RoleError(EvalFrameError):
    """A column is missing, named twice, or plays a part it cannot play."""


class FrameError(EvalFrameError):
    """The values of a column are not what its role needs."""


class DesignError(EvalFrameError):
    """The evaluation has too few items or arms, or its arms are not paired."""


class RecordError(EvalFrameError):
    """A file cannot be read as records; the message names the file and the line."""
