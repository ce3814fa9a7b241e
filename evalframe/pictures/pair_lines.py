"""The lines of a picture of two arms: where the items are on which one of them is better."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe.pictures.canvas import LABEL_WIDTH

Ints = NDArray[np.int64]

# As many lines as a reader goes through; items up to this number get a line each.
MOST_LINES = 20


@dataclass(frozen=True, slots=True)
class PairLine:
    """One line: an item, or a group of items.

    Attributes
    ----------
    label : str
        Broken into lines.
    baseline_only, arm_only : int
        Items on which one of the arms alone is better.
    height : float
        In lines of one row of text.
    rest : bool
        Whether it holds what the other lines leave, which would make them look small.
    """

    label: str
    baseline_only: int
    arm_only: int
    height: float
    rest: bool = False


@dataclass(frozen=True, slots=True)
class PairLines:
    """The lines from top to bottom, and what they are.

    Attributes
    ----------
    lines : list of PairLine
        Empty where no item differs and there is nothing to group by.
    what : str
    """

    lines: list[PairLine]
    what: str


def pair_lines(labels: pd.DataFrame, by: Sequence[str], side: Ints) -> PairLines:
    """Return lines of the finest kind that a reader can take in.

    These are the groups of `by`; else the items that differ, where they are few; else the clusters;
    else runs of items in the order of their ids.

    Parameters
    ----------
    labels : DataFrame of I rows
        The `by` columns, ``item_id``, and ``cluster_id`` where there are clusters; in the order of
        groups and ids.
    by : sequence of str
    side : (I,) int64
        1 where the arm is better, -1 where the baseline is, else 0.
    """
    if by:
        codes = _group_codes(labels, by)
        return _grouped(_group_names(labels, by, codes), codes, side, ", ".join(by), "groups")
    differ = np.flatnonzero(side)
    if len(differ) <= MOST_LINES:
        order = differ[np.argsort(-side[differ], kind="stable")]
        found = [_line(_item_name(labels, row), side[[row]]) for row in order]
        return PairLines(found, "items that differ")
    if "cluster_id" in labels:
        codes = _group_codes(labels, ["cluster_id"])
        names = _group_names(labels, ["cluster_id"], codes)
        return _grouped(names, codes, side, "clusters", "clusters")
    return _blocks(labels["item_id"], side)


def _item_name(labels: pd.DataFrame, row: int) -> str:
    item = str(labels["item_id"].iloc[row])
    return f"{item} ({labels['cluster_id'].iloc[row]})" if "cluster_id" in labels else item


def _group_codes(labels: pd.DataFrame, columns: Sequence[str]) -> Ints:
    """Return the number of each row's group, in sorted order."""
    groups = labels.groupby(list(columns), sort=True, observed=True)
    return np.asarray(groups.ngroup(), dtype=np.int64)


def _group_names(labels: pd.DataFrame, columns: Sequence[str], codes: Ints) -> list[str]:
    """Return the name of each group."""
    first = np.unique(codes, return_index=True)[1]
    parts = [labels[column].iloc[first].astype(str) for column in columns]
    if len(columns) == 1:
        return list(parts[0])
    return [
        ", ".join(f"{column}={label}" for column, label in zip(columns, row, strict=True))
        for row in zip(*parts, strict=True)
    ]


def _grouped(names: list[str], codes: Ints, side: Ints, what: str, several: str) -> PairLines:
    """Return a line a group, the arm's gains first; of many those in which most items differ."""
    n_groups = len(names)
    differ = np.bincount(codes, side != 0, minlength=n_groups)
    net = np.bincount(codes, side, minlength=n_groups)
    kept = np.arange(n_groups)
    if n_groups > MOST_LINES:
        kept = np.sort(np.argsort(-differ, kind="stable")[: MOST_LINES - 1])
        what = f"{what}, the {len(kept)} in which most items differ"
    order = kept[np.argsort(-net[kept], kind="stable")]
    lines = [_line(names[code], side[codes == code], sized=True) for code in order]
    rest = side[~np.isin(codes, kept)]
    if n_groups > MOST_LINES:
        name = f"{n_groups - len(kept):,} other {several}"
        lines.append(replace(_line(name, rest, sized=True), rest=True))
    return PairLines(lines, what)


def _blocks(items: pd.Series, side: Ints) -> PairLines:
    """Return a line for each of some runs of items."""
    parts = np.array_split(np.arange(len(side)), min(MOST_LINES // 2, len(side)))
    lines = [
        _line(f"{items.iloc[rows[0]]} to {items.iloc[rows[-1]]}", side[rows], sized=True)
        for rows in parts
    ]
    return PairLines(lines, "items next to one another by id")


def _line(name: str, side: Ints, *, sized: bool = False) -> PairLine:
    text = f"{name} (n = {len(side):,})" if sized else name
    parts = textwrap.wrap(text, LABEL_WIDTH) or [text]
    baseline_only, arm_only = int((side < 0).sum()), int((side > 0).sum())
    return PairLine("\n".join(parts), baseline_only, arm_only, 1 + 0.55 * (len(parts) - 1))
