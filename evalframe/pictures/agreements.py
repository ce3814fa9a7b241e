"""Two arms item by item as a picture: how often they agree, and where they do not."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from evalframe.methods.comparing.itemwise import ItemPairs, item_pairs
from evalframe.pictures.canvas import (
    COLOURS,
    LABEL_WIDTH,
    check_own_rows,
    clear_ornament,
    face,
    ink,
    legend_above,
    make_room,
    mixed,
    new_axes,
    text_colour,
)
from evalframe.pictures.pair_lines import PairLine, PairLines, pair_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, RED = COLOURS[:2]

# The baseline's side is the left one, the arm's the right one. A field is a pale shade of its
# side's colour; a field of neither side has this name for it.
_NEITHER = ""
_SHADE, _PALEST = 0.28, 0.08

# Most area of a mark, in square points, and that of an item.
_LARGEST, _MARK = 500.0, 22.0


def pairs(
    frame: pd.DataFrame,
    baseline: object,
    *,
    arm: object = None,
    value: str = "score",
    by: str | Sequence[str] | None = None,
    missing: str = "raise",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw how two arms agree item by item, and where they do not.

    Where item means are 0 or 1, four fields hold the numbers of items by which arm is right, and
    the bars below show where the others are: to the left the items that the baseline alone gets
    right, to the right those that the arm alone does. A bar is a group of `by`; without `by`, an
    item that differs, where at most 20 do; else a cluster, where there are clusters; else items
    next to one another in the order of their ids. Of more than 20 groups those with most such items
    are shown, and one bar holds the rest.

    Other means are drawn against each other, with a line where both are equal and the numbers of
    items above, on and below it; with `by`, as bars of these numbers.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs.
    baseline : label
        The arm that the other is held against.
    arm : label, optional
        The other arm; needed where there are several.
    value : str, default "score"
        A column of numbers.
    by : str or sequence of str, optional
        Columns whose groups are shown apart.
    missing : {"raise", "drop", "zero"}
        What missing values and keys that one arm lacks do, as in `compare`. How many were left out
        or counted as 0 stands below the axis.
    ax : Axes, optional
        Where to draw; the figure is laid out so that labels are not cut off, unless it has a
        layout or margins of its own. By default a figure of fitting size.

    Returns
    -------
    Axes

    Raises
    ------
    DesignError
        If an arm is not there, there are several to choose from, or the two are not paired.
    FrameError, RoleError, ValueError
        As in `compare`.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    mcnemar : The same counts as a table, with a test.

    Examples
    --------
    >>> import evalframe
    >>> runs = evalframe.read_parquet("data/reading.parquet")
    >>> one = runs[runs["seed"] == 0]
    >>> ax = evalframe.plot.pairs(one, "base", arm="edit", by="subject")
    """
    items = item_pairs(frame, baseline, arm=arm, value=value, by=by, missing=missing)
    if ax is not None:
        check_own_rows([ax])
        make_room(ax)
    if items.by_names or items.binary:
        return _draw_lines(items, ax)
    return _draw_means(items, ax)


def _draw_lines(items: ItemPairs, ax: "Axes | None") -> "Axes":
    """Draw the numbers of items in fields, and below them where the arms differ."""
    fields = _fields(items)
    found = pair_lines(items.labels, items.by_names, items.side)
    deep = 1.1 + 0.62 * max(name.count("\n") + 1 for row in fields for _, name, _ in row)
    # A line's height of room between the fields and the bars.
    top = deep * len(fields) + 0.6
    bottom = top + max(sum(line.height for line in found.lines), 1.0)
    ax = new_axes(7.4, 0.9 + 0.3 * bottom) if ax is None else ax
    # No grid behind the fields.
    _draw_field(ax, (0, 0, 1, top - 0.3), face(ax))
    for place, row in enumerate(fields):
        _draw_fields(ax, row, place * deep, deep)
    _draw_bars(ax, found.lines, top)
    ax.set_ylim(bottom, 0)
    ax.tick_params(axis="y", length=0)
    clear_ornament(ax, "x")
    ax.set_xlabel(_below(items, found), parse_math=False)
    return ax


def _fields(items: ItemPairs) -> list[list[tuple[int, str, str]]]:
    """Return rows of fields from left to right: each its number of items, name and side."""
    side, base, arm = items.side, items.baseline_label, items.arm_label
    right, wrong = ("right", "wrong") if items.metric == "score" else ("1", "0")
    left, other = int((side < 0).sum()), int((side > 0).sum())
    if not items.binary:
        names = [f"{base} {_more(items)}", "both the same", f"{arm} {_more(items)}"]
        numbers = [left, int((side == 0).sum()), other]
        row = zip(
            numbers, (_wrapped(name, 22) for name in names), (RED, _NEITHER, BLUE), strict=True
        )
        return [list(row)]
    both = int(((items.baseline == 1) & (items.arm == 1)).sum())
    neither = len(side) - both - left - other
    only_arm, only_base = (_wrapped(f"only {name} {right}", 34) for name in (arm, base))
    return [
        [(both, f"both {right}", _NEITHER), (other, only_arm, BLUE)],
        [(left, only_base, RED), (neither, f"both {wrong}", _NEITHER)],
    ]


def _more(items: ItemPairs) -> str:
    """Return what a larger mean is: of a score it is better, of a length only higher."""
    return "better" if items.metric == "score" else "higher"


def _wrapped(text: str, width: int) -> str:
    return "\n".join(textwrap.wrap(text, width)) or text


def _draw_fields(ax: "Axes", row: list[tuple[int, str, str]], top: float, height: float) -> None:
    """Draw a row of fields side by side across the whole width."""
    width = 1 / len(row)
    about: dict[str, Any] = {"ha": "center", "parse_math": False, "color": text_colour(ax)}
    about["transform"] = ax.get_yaxis_transform()
    for place, (number, name, side) in enumerate(row):
        corner = place * width + 0.004, top + 0.06
        shade = mixed(ax, side, _SHADE) if side else mixed(ax, text_colour(ax), _PALEST)
        _draw_field(ax, (*corner, width - 0.008, height - 0.12), shade)
        middle = (place + 0.5) * width
        split = top + height / 2 - 0.31 * name.count("\n") + 0.05
        ax.text(middle, split, f"{number:,}", va="bottom", fontweight="bold", **about)
        ax.text(middle, split, name, va="top", fontsize="small", linespacing=1.1, **about)


def _draw_field(ax: "Axes", box: tuple[float, float, float, float], colour: str) -> None:
    """Draw a field: left, top, width and height, across in shares of the width."""
    from matplotlib.patches import Rectangle

    left, top, width, height = box
    across = ax.get_yaxis_transform()
    ax.add_patch(
        Rectangle((left, top), width, height, transform=across, facecolor=colour, zorder=1.5)
    )


def _draw_bars(ax: "Axes", lines: Sequence[PairLine], top: float) -> None:
    """Draw a bar a line to both sides of 0, each with its number at the end."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    sizes = [max(line.baseline_only, line.arm_only) for line in lines if not line.rest]
    most = max([1, *sizes])
    numbered = most > 1 or any(line.rest for line in lines)
    places, y = [], top
    for line in lines:
        middle = y + line.height / 2
        for number, sign, colour in ((line.baseline_only, -1, RED), (line.arm_only, 1, BLUE)):
            length = 0 if line.rest else sign * number
            ax.barh(middle, length, 0.62, color=colour, linewidth=0, zorder=2)
            if numbered:
                end, ha = length + sign * 0.015 * most, "left" if sign > 0 else "right"
                ax.text(end, middle, f"{number:,}", ha=ha, va="center", fontsize="x-small")
        places.append(middle)
        y += line.height
    ax.set_yticks(places, labels=[line.label for line in lines], parse_math=False)
    ax.plot([0, 0], [top - 0.3, max(y, top + 1)], color=ink(ax), linewidth=1, zorder=3)
    # Alike on both sides, so that the fields above meet where the bars do.
    ax.set_xlim(-1.12 * most, 1.12 * most)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{abs(number):,.0f}"))


def _below(items: ItemPairs, found: PairLines) -> str:
    """Say what the bars are, and what was left out."""
    said = ["number of items that differ", f"lines: {found.what}"]
    return "\n".join([*(said if found.lines else ["no item differs"]), *_left_out(items)])


def _left_out(items: ItemPairs) -> list[str]:
    """Say how many keys were left out, and how many values were counted as 0."""
    keys = "key" if items.n_dropped == 1 else "keys"
    dropped = f"{items.n_dropped:,} (item, seed) {keys} left out" if items.n_dropped else ""
    zeros = f"{items.n_zeros:,} missing counted as 0" if items.n_zeros else ""
    return [text for text in (dropped, zeros) if text]


def _draw_means(items: ItemPairs, ax: "Axes | None") -> "Axes":
    """Draw the item means of the arms against each other."""
    ax = new_axes(5.4, 6.2) if ax is None else ax
    from matplotlib.lines import Line2D

    points = np.column_stack([items.baseline, items.arm, items.side])
    points, counts = np.unique(points, axis=0, return_counts=True)
    most = int(counts.max())
    area = np.maximum(counts * min(_MARK, _LARGEST / most), 4)
    handles = []
    names = {1: f"{items.arm_label} {_more(items)}", 0: "both the same"}
    names[-1] = f"{items.baseline_label} {_more(items)}"
    for (sign, name), colour, mark in zip(names.items(), (BLUE, ink(ax), RED), "^os", strict=True):
        mine = points[:, 2] == sign
        look: dict[str, Any] = {"color": colour, "marker": mark, "alpha": 0.65}
        x, y = points[mine, 0], points[mine, 1]
        ax.scatter(x, y, s=area[mine], linewidth=0, zorder=2, **look)
        total = int(counts[mine].sum())
        label = f"{name}: {total:,} item{'s' if total != 1 else ''}"
        handles.append(Line2D([], [], linestyle="", label=label, **look))
    _draw_diagonal(ax, items)
    legend_above(ax, handles, 1)
    said = ["area of a mark: number of items"] if most > 1 else []
    name = _wrapped(f"{items.metric} of {items.baseline_label}, item by item", LABEL_WIDTH)
    ax.set_xlabel("\n".join([name, *said, *_left_out(items)]), parse_math=False)
    ax.set_ylabel(_wrapped(f"{items.metric} of {items.arm_label}", LABEL_WIDTH), parse_math=False)
    return ax


def _draw_diagonal(ax: "Axes", items: ItemPairs) -> None:
    """Draw the line of equal means, both axes alike."""
    both = np.concatenate([items.baseline, items.arm])
    low, high = float(both.min()), float(both.max())
    room = 0.06 * (high - low) if high > low else 0.5
    ends = [low - room, high + room]
    ax.plot(ends, ends, color=ink(ax), linewidth=1, linestyle="--", zorder=1)
    ax.set_xlim(*ends)
    ax.set_ylim(*ends)
    ax.set_aspect("equal", adjustable="box")
    clear_ornament(ax, "both")
