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
from evalframe.pictures.canvas import DARK, LABEL_WIDTH, clear_ornament
from evalframe.pictures.curves import style
from evalframe.pictures.forest_lines import Key, Line, Row, ordered, other_size, placed
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

    Differences get a line at 0. A row without an interval has an open mark, and its label says so.

    Parameters
    ----------
    result : DataFrame
        What ``score``, ``compare``, ``debias`` or ``bradley_terry`` returned, or some rows of it
        (of ``bradley_terry`` the strengths are drawn). `by` groups stand below one
        another, each with its arms; groups of a single arm are sorted as rows.
    ax : Axes or sequence of Axes, optional
        Where to draw; as many as there are metrics. By default a figure of fitting size.

    Returns
    -------
    Axes, or array of Axes
        One Axes for one metric, an array of them for several. The first metric sets the order.

    Raises
    ------
    FrameError
        If `result` has no estimates with limits, or more than 150 rows a metric.
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
    shown = _strengths(shown) if {"strength", "n_games", "unit"} <= set(shown.columns) else shown
    panels = _draw(shown, _value(shown), ax)
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
    does not.

    Parameters
    ----------
    result : DataFrame
        What ``compare(..., floor=)`` returned; or, with `floor`, any compare result.
    floor : DataFrame, optional
        What ``compare`` returned for two runs of the baseline.
    ax : Axes or sequence of Axes, optional
        Where to draw; as many as there are metrics. By default a figure of fitting size.

    Returns
    -------
    Axes, or array of Axes
        One Axes for one metric, an array of them for several.

    Raises
    ------
    FrameError
        If `result` is no compare result, or has no threshold and no `floor` is given.
    DesignError
        If `floor` does not fit `result`.
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
        result = result.reset_index(drop=True).assign(**{name: noise[name] for name in FLOOR})
    missing = [name for name in ("diff", *FLOOR) if name not in result.columns]
    if missing:
        raise FrameError(
            "plot.floor draws a compare result with its noise floor, found no column "
            f"{', '.join(missing)}; make one with df.evals.compare(baseline, floor=RERUN), or give "
            "the comparison of two runs of the baseline: plot.floor(result, floor)"
        )
    panels = _draw(result, "diff", ax)
    said = "band: what a rerun may change\nfilled: beyond it, and the interval is without 0"
    panels[0].set_title(said, fontsize="small", loc="left", color=DARK)
    return panels[0] if len(panels) == 1 else panels


def _strengths(result: pd.DataFrame) -> pd.DataFrame:
    """Return the strengths of a bradley_terry result as estimates of a metric."""
    shown = result.rename(columns={"strength": "estimate"}).drop(columns=["diff"], errors="ignore")
    # The games of an item are a cluster to the errors alone.
    clusters = result["n_clusters"].where(result["unit"] == "cluster")
    return shown.assign(metric="log-odds strength", n_items=result["n_games"], n_clusters=clusters)


def _value(result: pd.DataFrame) -> str:
    """Return the column that a forest shows, once all the columns it reads are there."""
    for value, more in (("diff", ("baseline",)), ("estimate", ())):
        if {value, *more, *_NEEDED} <= set(result.columns):
            return value
    missing = [name for name in ("estimate", *_NEEDED) if name not in result.columns]
    raise FrameError(
        f"plots are of a score, compare, debias or bradley_terry result, found no column "
        f"{', '.join(missing)}; make one with df.evals.score() or df.evals.compare(baseline)"
    )


def _draw(result: pd.DataFrame, value: str, ax: "Axes | Sequence[Axes] | None") -> Any:
    """Draw a panel a metric, and return the array of their Axes."""
    _value(result)
    columns = list(result.columns)
    by = columns[: columns.index("arm")]
    names = [*by, "arm", *(["baseline"] if value == "diff" else [])]
    metrics: dict[str, dict[Key, Row]] = {}
    for row in result.to_dict("records"):
        metrics.setdefault(row["metric"], {})[tuple(row[name] for name in names)] = row
    if not metrics:
        raise FrameError("plots need a result with rows, found 0 rows; look at what was read")
    lines = placed(ordered(metrics, value, by), next(iter(metrics.values())))
    if len(lines) > MOST_ROWS:
        raise FrameError(
            f"a plot shows at most {MOST_ROWS} rows a metric, found {len(lines):,}; choose some, "
            f"for example the largest: result.nlargest(50, {value!r})"
        )
    panels = _panels(lines, len(metrics), ax)
    for place, (panel, rows) in enumerate(zip(panels, metrics.values(), strict=True)):
        labels = [other_size(line, rows) if place else line.label for line in lines]
        _draw_panel(panel, lines, rows, value, labels)
    return panels


def _panels(lines: list[Line], n: int, ax: "Axes | Sequence[Axes] | None") -> Any:
    """Return an array of n Axes: those given, or a figure's."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('plots need matplotlib: pip install "evalframe[plot]"') from error
    if ax is None:
        size = (3.2 + 3.2 * n, 1.2 + 0.32 * (lines[-1].y + lines[-1].height / 2))
        _, axes = plt.subplots(1, n, figsize=size, layout="constrained", squeeze=False)
        return axes[0]
    panels = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if len(panels) != n:
        raise ValueError(
            f"ax must hold one Axes a metric: result has {n}, found {len(panels)}; or choose a "
            "metric: result[result['metric'] == 'score']"
        )
    return panels


def _draw_panel(
    ax: "Axes", lines: list[Line], rows: Mapping[Key, Row], value: str, labels: list[str]
) -> None:
    """Draw the rows of one metric."""
    for line in lines:
        if line.key in rows:
            _draw_row(ax, line, rows[line.key], value)
    ax.set_ylim(lines[-1].y + lines[-1].height / 2, 0)
    # Names of arms may hold dollar signs, which are not formulas.
    ax.set_yticks([line.y for line in lines], labels=labels, parse_math=False)
    for line, tick in zip(lines, ax.get_yticklabels(), strict=True):
        tick.set_fontweight("normal" if line.key else "bold")
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", nbins=5)
    ax.use_sticky_edges = False
    ax.margins(x=0.06)
    clear_ornament(ax, "x")
    ax.set_xlabel(_axis_text(list(rows.values()), value), parse_math=False)
    if value == "diff":
        ax.axvline(0, color=DARK, linewidth=1, linestyle="--", zorder=1)


def _draw_row(ax: "Axes", line: Line, row: Row, value: str) -> None:
    """Draw a row's interval and estimate, and its noise floor where it has one."""
    if "threshold" in row and not pd.isna(row["threshold"]):
        far, height = row["threshold"], line.height
        ax.barh(line.y, 2 * far, height, left=-far, color=ORANGE, alpha=0.3, linewidth=0)
    known = not (pd.isna(row["conf_low"]) or pd.isna(row["conf_high"]))
    if known:
        ax.hlines(line.y, row["conf_low"], row["conf_high"], color=BLUE, linewidth=2, zorder=2)
    filled = bool(row["exceeds"]) if "threshold" in row else known
    face = BLUE if filled else "white"
    ax.plot([row[value]], [line.y], marker="o", color=BLUE, markerfacecolor=face, zorder=3)


def _axis_text(rows: Sequence[Row], value: str) -> str:
    """Say what an axis shows."""
    levels = {row["level"] for row in rows}
    interval = f"{100 * rows[0]['level']:.10g}% interval" if len(levels) == 1 else "interval"
    metric = rows[0]["metric"]
    if value == "estimate":
        return f"{metric}, {interval}"
    pairs = {(row["arm"], row["baseline"]) for row in rows}
    if len(pairs) == 1:
        what = f"{metric}: {rows[0]['arm']} minus {rows[0]['baseline']}"
    elif len({baseline for _, baseline in pairs}) == 1:
        what = f"{metric}: difference from {rows[0]['baseline']}"
    else:
        what = f"{metric}: difference"
    return "\n".join([*textwrap.wrap(what, LABEL_WIDTH), interval])
