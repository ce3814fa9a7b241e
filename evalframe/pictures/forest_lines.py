"""The lines of a forest plot from top to bottom: their order, their labels and their sizes."""

import textwrap
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from evalframe.pictures.canvas import LABEL_WIDTH
from evalframe.pictures.forest_rows import UNKNOWN, Key, Row, Shown, label_text


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a plot, from the top: a row of the result, or the heading of a group.

    Attributes
    ----------
    key : tuple
        The labels that name the row; empty for a heading.
    label : str
        What stands before it, broken into lines.
    y, height : float
        Its middle and its height, in lines of one row of text.
    """

    key: Key
    label: str
    y: float = 0.0
    height: float = 1.0


def ordered(shown: Shown) -> list[Line]:
    """Return the lines of a plot from top to bottom, in the order of the first metric."""
    row_of: dict[Key, Row] = {}
    for rows in shown.metrics.values():
        row_of = {**rows, **row_of}
    first, by = next(iter(shown.metrics.values())), shown.by

    def place(key: Key) -> float:
        estimate = first.get(key, {}).get(shown.value)
        return np.inf if estimate is None or pd.isna(estimate) else -float(estimate)

    groups: dict[Key, list[Key]] = {}
    for key in row_of:
        groups.setdefault(key[: len(by)], []).append(key)
    arms = {key[len(by) :] for key in row_of}
    name_of = _names(list(row_of), shown)
    if by and all(len(keys) == 1 for keys in groups.values()):
        return [
            Line(key, _group(key, by) if len(arms) == 1 else f"{_group(key, by)}: {name_of[key]}")
            for key in sorted(row_of, key=place)
        ]
    lines: list[Line] = []
    for keys in groups.values():
        if by:
            lines.append(Line((), _group(keys[0], by)))
        lines += [Line(key, name_of[key]) for key in sorted(keys, key=place)]
    return lines


def _names(keys: Sequence[Key], shown: Shown) -> dict[Key, str]:
    """Return the name of each row within its group: its arm, and what tells it apart."""
    at = len(shown.by)
    named = at + 1 + shown.differs
    several = shown.differs and len({key[at + 1] for key in keys}) > 1

    def text(key: Key, write: Callable[[Hashable], str]) -> str:
        arm = " minus ".join(map(write, key[at : at + 1 + several]))
        more = zip(shown.names[named:], key[named:], strict=True)
        return ", ".join([arm, *(label_text(*told) for told in more if told[1] != UNKNOWN)])

    # Arms may be 1 and "1".
    plain = {(key[:at], text(key, str)) for key in keys}
    return {key: text(key, str if len(plain) == len(keys) else repr) for key in keys}


def _group(key: Key, by: Sequence[str]) -> str:
    """Return the name of a group."""
    if len(by) == 1:
        return str(key[0])
    return ", ".join(f"{name}={label}" for name, label in zip(by, key, strict=False))


def placed(lines: list[Line], rows: Mapping[Key, Row]) -> list[Line]:
    """Give each line its size in the first metric and its place, long labels broken."""
    found, top = [], 0.0
    for line in lines:
        parts = textwrap.wrap(line.label, LABEL_WIDTH) or [line.label]
        size = f"({_size(rows[line.key])})" if line.key in rows else ""
        if size and len(parts) == 1 and len(parts[0]) + len(size) < LABEL_WIDTH:
            parts = [f"{parts[0]} {size}"]
        elif size:
            parts.append(size)
        height = 1 + 0.55 * (len(parts) - 1)
        found.append(Line(line.key, "\n".join(parts), top + height / 2, height))
        top += height
    return found


def other_size(line: Line, rows: Mapping[Key, Row]) -> str:
    """Return the size of a row of a later metric where it is not the one in the line's label."""
    size = _size(rows[line.key]) if line.key in rows else ""
    return "" if f"({size})" in line.label else size


def _size(row: Row) -> str:
    """Return the size of a row, and whether its interval is unknown."""
    n = row["n_items"]
    size = f"n = {n:,.0f}"
    if not pd.isna(row.get("n_games")):
        size += f" game{'s' if n != 1 else ''}"
    if not pd.isna(row.get("n_labelled")):
        size = f"{row['n_labelled']:,.0f} labels, {size}"
    # Of what a bootstrap drew; of its items n alone says enough.
    drawn = {"cluster": " cluster", "hierarchical": " outer unit"}.get(row.get("unit", ""), "")
    if drawn and not pd.isna(row.get("n_units")):
        size += f"{drawn}{'s' if n != 1 else ''}"
    if not pd.isna(row["n_clusters"]):
        size += f" in {row['n_clusters']:,.0f} cluster{'s' if row['n_clusters'] != 1 else ''}"
    unknown = pd.isna(row["conf_low"]) or pd.isna(row["conf_high"])
    return f"{size}; no interval" if unknown else size
