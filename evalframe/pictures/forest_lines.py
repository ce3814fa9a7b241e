"""The lines of a forest plot from top to bottom: their order, their labels and their sizes."""

import textwrap
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from evalframe.pictures.canvas import LABEL_WIDTH

Row = Mapping[Hashable, Any]
Key = tuple[Hashable, ...]


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


def ordered(metrics: Mapping[str, Mapping[Key, Row]], value: str, by: Sequence[str]) -> list[Line]:
    """Return the lines of a plot from top to bottom, in the order of the first metric."""
    row_of: dict[Key, Row] = {}
    for rows in metrics.values():
        row_of = {**rows, **row_of}

    def place(key: Key) -> float:
        estimate = next(iter(metrics.values())).get(key, {}).get(value)
        return np.inf if estimate is None or pd.isna(estimate) else -float(estimate)

    groups: dict[Key, list[Key]] = {}
    for key in row_of:
        groups.setdefault(key[: len(by)], []).append(key)
    arms = {key[len(by) :] for key in row_of}
    several = len({key[len(by) + 1 :] for key in row_of}) > 1

    def arm_text(key: Key) -> str:
        return " minus ".join(map(str, key[len(by) :])) if several else str(key[len(by)])

    if by and all(len(keys) == 1 for keys in groups.values()):
        return [
            Line(key, _group(key, by) if len(arms) == 1 else f"{_group(key, by)}: {arm_text(key)}")
            for key in sorted(row_of, key=place)
        ]
    lines: list[Line] = []
    for keys in groups.values():
        if by:
            lines.append(Line((), _group(keys[0], by)))
        lines += [Line(key, arm_text(key)) for key in sorted(keys, key=place)]
    return lines


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
    size = f"n = {row['n_items']:,.0f}"
    if "n_games" in row:
        size += f" game{'s' if row['n_items'] != 1 else ''}"
    if "n_labelled" in row:
        size = f"{row['n_labelled']:,.0f} labels, {size}"
    if not pd.isna(row["n_clusters"]):
        size += f" in {row['n_clusters']:,.0f} cluster{'s' if row['n_clusters'] != 1 else ''}"
    unknown = pd.isna(row["conf_low"]) or pd.isna(row["conf_high"])
    return f"{size}; no interval" if unknown else size
