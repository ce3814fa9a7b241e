"""How each game ended, from a column that names its winner in one of three ways."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe.errors import SHOWN, FrameError, rows_text
from evalframe.labels import Codes, to_codes
from evalframe.stats.games import LOST, TIED, WON
from evalframe.stats.segments import Ints

# Words that mean a tie, and either side, whatever their case.
TIES = ("tie", "tie (bothbad)", "tie (both bad)", "both_bad", "bothbad", "both bad", "draw")
SIDES = (("a", "arm_a", "model_a"), ("b", "arm_b", "model_b"))

# What no way of reading accepts, and a game without a result.
_WRONG, MISSING = -2, -1


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to read a column of winners.

    Attributes
    ----------
    name : str
        What the values are then, as a message says it.
    outcome : (n,) int64
        `WON`, `TIED` or `LOST` by the arm of the first column, `MISSING`, or `_WRONG`.
    """

    name: str
    outcome: Ints

    def n_wrong(self, rows: NDArray[np.bool_]) -> int:
        """Return how many of the rows cannot be read so."""
        return int(np.count_nonzero(self.outcome[rows] == _WRONG))


def outcomes(
    frame: pd.DataFrame, names: tuple[str, str, str], arms: pd.Index, first: Ints, second: Ints
) -> Ints:
    """Read how each game ended for the arm of the first column.

    Parameters
    ----------
    frame : DataFrame
    names : tuple of str
        The columns of the two arms, and of the winner.
    arms : Index
        Labels of the arms.
    first, second : (n,) int64
        The arms of each row.

    Returns
    -------
    (n,) int64
        `WON`, `TIED`, `LOST`, or `MISSING`.

    Raises
    ------
    FrameError
        If no one way of reading fits all rows, or two fit that do not agree.
    """
    labels = to_codes(frame[names[2]], names[2], sort=False, fractions=True)
    readings = [
        _Reading("the label of the arm that won", _as_arms(labels, arms, first, second)),
        _Reading("the side that won", _by_label(labels, lambda label: _side(label, names))),
        _Reading(f"the result of {names[0]!r}", _by_label(labels, _result)),
    ]
    # A game of an arm with itself says nothing of how the column is to be read.
    rows = first != second
    _refuse_tie_arms(labels, names, readings, rows, arms)
    wrong = [one.n_wrong(rows) for one in readings]
    fitting = [one for one, n in zip(readings, wrong, strict=True) if n == 0]
    if not fitting:
        raise _unreadable(labels, names, readings[int(np.argmin(wrong))].outcome, rows, arms)
    for other in fitting[1:]:
        differ = np.flatnonzero(rows & (fitting[0].outcome != other.outcome))
        if len(differ):
            raise _ambiguous(labels, names, fitting[0], other, differ)
    return np.where(rows, fitting[0].outcome, MISSING)


def _by_label(labels: Codes, outcome: Callable[[object], int]) -> Ints:
    """Return what each row's label means, whoever plays."""
    meaning = [outcome(label) for label in labels.labels.tolist()]
    return np.array([*meaning, MISSING], dtype=np.int64)[labels.codes]


def _tie(label: object) -> int:
    return TIED if isinstance(label, str) and label.strip().lower() in TIES else _WRONG


def _side(label: object, names: tuple[str, str, str]) -> int:
    if isinstance(label, str):
        for outcome, words, name in ((WON, SIDES[0], names[0]), (LOST, SIDES[1], names[1])):
            if label == name or label.strip().lower() in words:
                return outcome
    return _tie(label)


def _result(label: object) -> int:
    if isinstance(label, bool | int | float):
        return {1.0: WON, 0.5: TIED, 0.0: LOST}.get(float(label), _WRONG)
    return _WRONG


def _as_arms(labels: Codes, arms: pd.Index, first: Ints, second: Ints) -> Ints:
    known = {(type(label), label): code for code, label in enumerate(arms.tolist())}
    code = [known.get((type(label), label), -1) for label in labels.labels.tolist()]
    # -1 is no arm, so that a missing winner, the last place, is that of no game.
    winner = np.array([*code, -1], dtype=np.int64)[labels.codes]
    outcome = np.where(winner == first, WON, np.where(winner == second, LOST, _WRONG))
    return np.where(outcome == _WRONG, _by_label(labels, _tie), outcome)


def _refuse_tie_arms(
    labels: Codes,
    names: tuple[str, str, str],
    readings: list[_Reading],
    rows: NDArray[np.bool_],
    arms: pd.Index,
) -> None:
    """Refuse winners that are an arm and a word for a tie, unless the column holds sides."""
    known = {label for label in arms.tolist() if _tie(label) == TIED}
    if not known:
        return
    open_label = np.array([*(label in known for label in labels.labels.tolist()), False])
    unclear = np.flatnonzero(rows & open_label[labels.codes])
    as_arms, as_sides = readings[0].outcome, readings[1]
    sides = rows & (as_arms == _WRONG) & np.isin(as_sides.outcome, (WON, LOST))
    if len(unclear) == 0 or (sides.any() and as_sides.n_wrong(rows) == 0):
        return
    label = labels.labels.tolist()[labels.codes[unclear[0]]]
    first, second, winner = names
    raise FrameError.of(
        f"column {winner!r} must say who won, or that it was a tie",
        f"{label!r} in {rows_text(unclear)}, which is an arm and a word for a tie",
        f"rename the arm where it is one, in {first!r}, {second!r} and {winner!r}, for example: "
        f"df.replace({{{label!r}: 'arm {label}'}}); or give each winner as one of the sides 'a', "
        f"'b' and ties as {TIES[0]!r}",
        column=winner,
        count=len(unclear),
        first=f"row {unclear[0]:,}",
    )


def _unreadable(
    labels: Codes,
    names: tuple[str, str, str],
    outcome: Ints,
    rows: NDArray[np.bool_],
    arms: pd.Index,
) -> FrameError:
    wrong = np.flatnonzero(rows & (outcome == _WRONG))
    seen = np.bincount(labels.codes[wrong], minlength=len(labels.labels))
    order = np.argsort(-seen, kind="stable")[: np.count_nonzero(seen)]
    texts = labels.labels.tolist()
    shown = [f"{texts[label]!r} ({seen[label]:,})" for label in order[:SHOWN]]
    several = ", ..." if len(order) > SHOWN else ""
    known = ", ".join(map(repr, arms[:SHOWN].tolist())) + (", ..." if len(arms) > SHOWN else "")
    first, second, winner = names
    example = texts[order[0]]
    return FrameError.of(
        f"column {winner!r} must say who won, in one way in all rows: the label of one of the "
        f"row's two arms, a side ('a', 'b', {first!r}, {second!r}), or the result of {first!r} "
        f"(1, 0.5, 0); ties are {', '.join(map(repr, TIES))}",
        f"others in {rows_text(wrong)}: {', '.join(shown)}{several}; the arms are {known}",
        f"say what each means, for example: "
        f"df.assign({winner}=df[{winner!r}].replace({{{example!r}: ...}}))",
        column=winner,
        count=len(wrong),
        first=f"row {wrong[0]:,}",
    )


def _ambiguous(
    labels: Codes, names: tuple[str, str, str], one: _Reading, other: _Reading, differ: Ints
) -> FrameError:
    row = int(differ[0])
    label = labels.labels.tolist()[labels.codes[row]]
    first, second, winner = names
    return FrameError.of(
        f"column {winner!r} must have one meaning",
        f"two: as {one.name} or as {other.name}, which disagree in {rows_text(differ)}, "
        f"first value {label!r}",
        "give the arms names that no side has, for example: "
        f"df.assign({first}='arm ' + df[{first!r}].map(str), "
        f"{second}='arm ' + df[{second!r}].map(str)), and do so for {winner!r} if it holds arms",
        column=winner,
        count=len(differ),
        first=f"row {row:,}",
    )
