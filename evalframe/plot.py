"""Results as pictures: a score or a compare result in, matplotlib Axes out.

Everything is read from the frame's columns, so that a result read back from a file looks the same.
"""

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from evalframe.errors import FrameError
from evalframe.floor import exceeds_floor
from evalframe.pictures.agreements import pairs
from evalframe.pictures.canvas import (
    LABEL_WIDTH,
    check_own_rows,
    clear_ornament,
    face,
    ink,
    make_room,
    new_panels,
)
from evalframe.pictures.curves import style
from evalframe.pictures.forest_lines import Line, ordered, other_size, placed
from evalframe.pictures.forest_rows import Key, Row, Shown, read_rows
from evalframe.pictures.ladders import ranks
from evalframe.pictures.profiles import voice
from evalframe.results import FLOOR, check_result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["floor", "forest", "pairs", "ranks", "style", "voice"]

# Blue and orange of Okabe and Ito (2008), which all kinds of colour vision tell apart.
BLUE, ORANGE = "#0072B2", "#E69F00"

# More rows than this no page can show.
MOST_ROWS = 150

_NEEDED = ("arm", "metric", "conf_low", "conf_high", "n_items", "n_clusters", "level")


def forest(result: pd.DataFrame, *, ax: "Axes | Sequence[Axes] | None" = None) -> Any:
    """Draw estimates with their intervals, best first: of scores, differences or strengths.

    Every row of the result is a line, and its label tells it from the others. A row without an
    interval has an open mark, and its label says so. Differences get a line at 0, and the axis
    says from what they are.

    Parameters
    ----------
    result : DataFrame
        What one of these returned, or some rows of it:

        - ``score``, ``rank``, ``adjusted`` : mean scores
        - ``pass_at_k``, ``pass_hat_k`` : the chances, a line a k
        - ``compare``, ``contrasts``, ``pairs`` : differences
        - ``pooled``, ``debias``, ``bootstrap`` : differences where there is a baseline, else
          scores; a line a weighting or statistic
        - ``bradley_terry`` : strengths

        `by` groups stand below one another, each with its arms; groups of a single arm are sorted
        as rows. Several results of one kind may be put together with ``pd.concat``: what tells
        their rows apart (level, interval, a column of your own) is then in the labels. With
        ``keys=`` and ``names=`` they become groups.
    ax : Axes or sequence of Axes, optional
        Where to draw; as many as there are metrics. Their figure is laid out so that labels are
        not cut off, as by ``plt.subplots(layout="constrained")``, unless it has a layout or
        margins of its own. By default a figure of fitting size.

    Returns
    -------
    Axes, or array of Axes
        One Axes for one metric, an array of them for several. The first metric sets the order.

    Raises
    ------
    FrameError
        If `result` has no estimates with limits, has scores and differences, has rows that no
        column tells apart, or more than 150 rows a metric.
    ValueError
        If `ax` holds more or fewer Axes than there are metrics, or such as share the y axis of
        another picture.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import evalframe
    >>> runs = evalframe.read_parquet("data/reading.parquet")
    >>> ax = evalframe.plot.forest(runs.evals.score())
    """
    check_result(result, "evalframe.plot.forest(df.evals.score())")
    # The floor has a picture of its own.
    shown = result.drop(columns=[name for name in FLOOR if name in result.columns])
    panels = _draw(read_rows(shown), ax)
    return panels[0] if len(panels) == 1 else panels


def floor(
    result: pd.DataFrame,
    floor: pd.DataFrame | None = None,
    *,
    ax: "Axes | Sequence[Axes] | None" = None,
) -> Any:
    """Draw the differences of a compare result against the noise floor.

    The band is what rerunning the baseline may change: no further from 0 than the threshold
    abs(floor diff) + z floor SE. A filled mark exceeds it and its interval excludes 0; an open one
    does not. Lines, their order and their labels are those of `forest`.

    Parameters
    ----------
    result : DataFrame
        What ``compare(..., floor=)`` returned; or, with `floor`, any compare result.
    floor : DataFrame, optional
        What ``compare`` returned for two runs of the baseline.
    ax : Axes or sequence of Axes, optional
        Where to draw; as many as there are metrics. Their figure is laid out as by `forest`. By
        default a figure of fitting size.

    Returns
    -------
    Axes, or array of Axes
        One Axes for one metric, an array of them for several.

    Raises
    ------
    FrameError
        If `result` is no compare result, or has no threshold and no `floor` is given; if it has
        rows that no column tells apart, or more than 150 rows a metric.
    DesignError
        If `floor` does not fit `result`.
    ValueError
        If `ax` holds more or fewer Axes than there are metrics.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import evalframe
    >>> runs = evalframe.read_parquet("data/reading.parquet")
    >>> axes = evalframe.plot.floor(runs.evals.compare("base", floor="base-rerun"))
    """
    check_result(result, "evalframe.plot.floor(df.evals.compare('A', floor='A-rerun'))")
    if floor is not None:
        noise = exceeds_floor(result, floor)
        result = result.assign(**{name: noise[name].to_numpy() for name in FLOOR})
    missing = [name for name in ("diff", *FLOOR) if name not in result.columns]
    if missing:
        raise FrameError(
            "plot.floor draws a compare result with its noise floor, found no column "
            f"{', '.join(missing)}; make one with df.evals.compare(baseline, floor=RERUN), or give "
            "the comparison of two runs of the baseline: plot.floor(result, floor)"
        )
    said = "band: what a rerun may change\nfilled: beyond it, and the interval is without 0"
    panels = _draw(read_rows(result), ax, said)
    return panels[0] if len(panels) == 1 else panels


def _draw(shown: Shown, ax: "Axes | Sequence[Axes] | None", title: str = "") -> Any:
    """Draw a panel a metric, and return the array of their Axes."""
    first, *_ = shown.metrics.values()
    lines = placed(ordered(shown), first)
    if len(lines) > MOST_ROWS:
        raise FrameError(
            f"a plot shows at most {MOST_ROWS} rows a metric, found {len(lines):,}; choose some, "
            f"for example the largest: result.nlargest(50, {shown.value!r})"
        )
    below = [_axis_text(list(rows.values()), shown) for rows in shown.metrics.values()]
    around = max(text.count("\n") for text in below) + title.count("\n") + bool(title)
    panels = _panels(lines, len(below), around, ax)
    for place, (panel, rows) in enumerate(zip(panels, shown.metrics.values(), strict=True)):
        sizes = [other_size(line, rows) if place else line.label for line in lines]
        # One y axis for all panels has the labels of the first.
        joined = panel.get_shared_y_axes().joined(panels[0], panel)
        labels = [line.label for line in lines] if joined else sizes
        if joined and place and any(sizes):
            raise ValueError(
                "panels of metrics with other sizes need labels of their own, found Axes that "
                "share y; make them without sharey"
            )
        _draw_panel(panel, lines, rows, shown, labels)
        panel.set_xlabel(below[place], parse_math=False)
    if title:
        panels[0].set_title(title, fontsize="small", loc="left")
    return panels


def _panels(lines: list[Line], n: int, around: int, ax: "Axes | Sequence[Axes] | None") -> Any:
    """Return an array of n Axes: those given, or a figure's with room for more lines of text."""
    if ax is None:
        height = 1.05 + 0.17 * around + 0.32 * (lines[-1].y + lines[-1].height / 2)
        return new_panels(3.2 + 3.2 * n, height, [1.0] * n)
    panels = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if len(panels) != n:
        raise ValueError(
            f"ax must hold one Axes a metric: result has {n}, found {len(panels)}; or choose a "
            "metric: result[result['metric'] == 'score']"
        )
    check_own_rows(list(panels))
    for panel in panels:
        make_room(panel)
    return panels


def _draw_panel(
    ax: "Axes", lines: list[Line], rows: Mapping[Key, Row], shown: Shown, labels: list[str]
) -> None:
    """Draw the rows of one metric."""
    for line in lines:
        if line.key in rows:
            _draw_row(ax, line, rows[line.key], shown.value)
    ax.set_ylim(lines[-1].y + lines[-1].height / 2, 0)
    # Names of arms may hold dollar signs, which are not formulas.
    ax.set_yticks([line.y for line in lines], labels=labels, parse_math=False)
    # A panel that shares the labels of another has none.
    for line, tick in zip(lines, ax.get_yticklabels(), strict=False):
        tick.set_fontweight("normal" if line.key else "bold")
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", nbins=5)
    ax.use_sticky_edges = False
    ax.margins(x=0.06)
    clear_ornament(ax, "x")
    if shown.differs:
        ax.axvline(0, color=ink(ax), linewidth=1, linestyle="--", zorder=1)


def _draw_row(ax: "Axes", line: Line, row: Row, value: str) -> None:
    """Draw a row's interval and estimate, and its noise floor where it has one."""
    if "threshold" in row and not pd.isna(row["threshold"]):
        far, height = row["threshold"], line.height
        ax.barh(line.y, 2 * far, height, left=-far, color=ORANGE, alpha=0.3, linewidth=0)
    known = not (pd.isna(row["conf_low"]) or pd.isna(row["conf_high"]))
    if known:
        ax.hlines(line.y, row["conf_low"], row["conf_high"], color=BLUE, linewidth=2, zorder=2)
    exceeds = "exceeds" in row and not pd.isna(row["exceeds"]) and bool(row["exceeds"])
    filled = exceeds if "threshold" in row else known
    inside = BLUE if filled else face(ax)
    ax.plot([row[value]], [line.y], marker="o", color=BLUE, markerfacecolor=inside, zorder=3)


def _axis_text(rows: Sequence[Row], shown: Shown) -> str:
    """Say what an axis shows."""
    level = "" if "level" in shown.names else f"{100 * rows[0]['level']:.10g}% "
    said = ", ".join([*shown.common, f"{level}interval"])
    metric = rows[0]["metric"]
    if not shown.differs:
        return "\n".join(textwrap.wrap(f"{metric}, {said}", LABEL_WIDTH))
    pairs = {(row["arm"], row["baseline"]) for row in rows}
    if len(pairs) == 1:
        what = f"{metric}: {rows[0]['arm']} minus {rows[0]['baseline']}"
    elif len({baseline for _, baseline in pairs}) == 1:
        what = f"{metric}: difference from {rows[0]['baseline']}"
    else:
        what = f"{metric}: difference"
    return "\n".join([*textwrap.wrap(what, LABEL_WIDTH), said])


def __dir__() -> list[str]:
    """Return the pictures, without what draws them: what an editor offers."""
    return __all__
