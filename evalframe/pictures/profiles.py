"""A voice result as a picture: the profile of an author's likeness, group by group."""

import textwrap
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from evalframe.errors import FrameError
from evalframe.pictures.canvas import (
    COLOURS,
    LABEL_WIDTH,
    MARKS,
    check_own_rows,
    clear_ornament,
    face,
    ink,
    legend_above,
    make_room,
    new_axes,
    pale,
)
from evalframe.results import check_result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NEEDED = (
    *("arm", "reference", "scope", "group", "metric", "tail", "conf_low", "conf_high"),
    *("self_low", "self_high", "n_items", "level", "interval"),
)

# The overall row has no group. Results that went through CSV have NaN there, so scope decides.
_OVERALL = ""


@dataclass(frozen=True, slots=True)
class _Series:
    """An arm (of one group of `by`) and how it is drawn.

    Attributes
    ----------
    label : str
        Its name and size.
    rows : DataFrame
        Its rows of the result.
    shift, height : float
        Its place within a line of the plot, from -0.4 to 0.4, and what the line leaves it.
    colour, mark : str
    """

    label: str
    rows: pd.DataFrame
    shift: float
    height: float
    colour: str
    mark: str


def voice(result: pd.DataFrame, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the profile of a voice result: the score, and below it the tail of each group.

    A mark is the score or a group's tail, the line through it its limits; the small strokes are
    the tails of the group's metrics. The grey band holds the middle 90% of what the author's own
    texts get when they are held against each other. It bounds nothing: no tail is a boundary
    between alike and not alike.

    Parameters
    ----------
    result : DataFrame
        What ``voice`` returned, or the rows of some arms, groups or scopes of it: one level, and at
        most six arms (with `by`: arms of groups).
    ax : Axes, optional
        Where to draw; the figure is laid out so that labels are not cut off, unless it has a
        layout or margins of its own. By default a figure of fitting size.

    Returns
    -------
    Axes

    Raises
    ------
    FrameError
        If `result` is no voice result, or has several levels or too many arms to tell apart.
    ValueError
        If `ax` shares the y axis of another picture.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import evalframe
    >>> texts = evalframe.read_parquet("data/authors.parquet")
    >>> ax = evalframe.plot.voice(texts.evals.voice("bierce"))
    """
    _check(result)
    series = _series(result)
    overall = result["scope"] == "overall"
    lines = [*([_OVERALL] if overall.any() else []), *result.loc[~overall, "group"].unique()]
    if ax is None:
        height = 1.3 + len(lines) * max(0.3, 0.17 * len(series)) + 0.2 * len(series)
        ax = new_axes(7.4, height)
    else:
        check_own_rows([ax])
        make_room(ax)
    for one in series:
        for at, group in enumerate(lines):
            _draw_metrics(ax, one, group, at)
            _draw_tail(ax, one, group, at)
    labels = ["score" if group == _OVERALL else str(group) for group in lines]
    ax.set_yticks(range(len(lines)), labels=labels, parse_math=False)
    if overall.any():
        ax.get_yticklabels()[0].set_fontweight("bold")
        ax.axhline(0.5, color=ink(ax), linewidth=0.8)
    ax.set_ylim(len(lines) - 0.5, -0.5)
    ax.set_xlim(-0.02, 1.02)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(_axis_text(result), parse_math=False)
    clear_ornament(ax, "x")
    legend_above(ax, _explained(ax, series), 2)
    return ax


def _check(result: pd.DataFrame) -> None:
    """Raise FrameError for what is no voice result, or cannot be shown in one picture."""
    check_result(result, "evalframe.plot.voice(df.evals.voice('author'))")
    missing = [name for name in _NEEDED if name not in result.columns]
    if missing:
        raise FrameError(
            f"plot.voice draws a voice result, found no column {', '.join(missing)}; make one with "
            "df.evals.voice(REFERENCE)"
        )
    if result.empty:
        raise FrameError("plot.voice needs a result with rows, found 0 rows; look at what was read")
    levels = result["level"].unique().tolist()
    if len(levels) > 1:
        raise FrameError(
            f"plot.voice draws limits of one level, found {len(levels):,}: "
            f"{', '.join(map(repr, levels))}; choose one: result[result['level'] == {levels[0]!r}]"
        )
    if result.duplicated([*_keys(result), "scope", "group", "metric"]).any():
        raise FrameError(
            "plot.voice draws one result, found a row of an arm twice; draw the results of several "
            "references or sizes one by one"
        )


def _keys(result: pd.DataFrame) -> list[str]:
    """Return the columns that name an arm: those of `by`, and its own."""
    columns = list(result.columns)
    return columns[: columns.index("arm") + 1]


def _series(result: pd.DataFrame) -> list[_Series]:
    """Return the arms in the order of the result, each with its place and colour."""
    keys = _keys(result)
    found = list(result.groupby(keys, sort=False, dropna=False))
    if len(found) > len(COLOURS):
        raise FrameError(
            f"plot.voice tells at most {len(COLOURS)} arms apart, found {len(found):,}; choose "
            "some, for example: result[result['arm'].isin([ARM, ...])]"
        )
    height = 0.8 / len(found)
    series = []
    for place, ((*by, arm), rows) in enumerate(found):
        group = "".join(f", {name}={label}" for name, label in zip(keys, by, strict=False))
        label = f"{arm}{group} (n = {rows['n_items'].max():,})"
        shift = height * (place + 0.5) - 0.4
        series.append(_Series(label, rows, shift, height, COLOURS[place], MARKS[place]))
    return series


def _draw_metrics(ax: "Axes", one: _Series, group: Hashable, at: int) -> None:
    """Draw the tails of the metrics behind one group."""
    mine = (one.rows["scope"] == "metric") & (one.rows["group"] == group)
    y, half = at + one.shift, 0.42 * one.height
    tails = one.rows.loc[mine, "tail"].dropna()
    ax.vlines(tails, y - half, y + half, color=one.colour, alpha=0.55, linewidth=1, zorder=2)


def _draw_tail(ax: "Axes", one: _Series, group: Hashable, at: int) -> None:
    """Draw one arm's score, or its tail in one group, with limits and the author's band."""
    y, scope = at + one.shift, one.rows["scope"]
    of_group = (scope == "group") & (one.rows["group"] == group)
    for row in one.rows[(scope == "overall") if group == _OVERALL else of_group].to_dict("records"):
        if pd.isna(row["tail"]):
            ax.text(0, y, "no tail", va="center", fontsize="x-small", color=one.colour)
            continue
        width = row["self_high"] - row["self_low"]
        ax.barh(y, width, one.height, left=row["self_low"], color=pale(ax), linewidth=0, zorder=0.5)
        known = _has_limits(row)
        if known:
            ax.hlines(y, row["conf_low"], row["conf_high"], color=one.colour, linewidth=2, zorder=3)
        ax.plot(
            [row["tail"]],
            [y],
            marker=one.mark,
            color=one.colour,
            markerfacecolor=one.colour if known else face(ax),
            markersize=7 if group == _OVERALL else 5,
            clip_on=False,
            zorder=4,
        )


def _has_limits(row: Mapping[Hashable, Any]) -> bool:
    return not (pd.isna(row["conf_low"]) or pd.isna(row["conf_high"]))


def _axis_text(result: pd.DataFrame) -> str:
    """Say what the axis shows, and what the limits are."""
    names = ", ".join(map(str, result["reference"].unique()))
    author = textwrap.shorten(names, LABEL_WIDTH, placeholder="...") or names[:LABEL_WIDTH]
    text = f"tail: share of {author}'s self-distances that exceed the arm's distance"
    level = f"{100 * result['level'].iloc[0]:.10g}%"
    said = {
        "jackknife": f"line: middle {level} of tails with one item left out, no confidence limits",
        "jackknife_se": f"line: {level} confidence limits",
    }
    limits = said.get(result["interval"].iloc[0])
    return f"{text}\n{limits}" if limits else text


def _explained(ax: "Axes", series: Sequence[_Series]) -> list[Any]:
    """Return what the legend names: the arms, the strokes and the band."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    found: list[Any] = [
        Line2D([], [], color=one.colour, marker=one.mark, linewidth=2, label=one.label)
        for one in series
    ]
    drawn = [row for one in series for row in one.rows.to_dict("records")]
    if any(row["scope"] == "metric" for row in drawn):
        stroke = "a metric of the group"
        found.append(Line2D([], [], color=ink(ax), marker="|", linestyle="", label=stroke))
    found.append(Patch(color=pale(ax), label="the author against himself, 5% to 95%"))
    tops = [row for row in drawn if row["scope"] != "metric" and not pd.isna(row["tail"])]
    if not all(map(_has_limits, tops)):
        mark = Line2D([], [], color=ink(ax), marker="o", linestyle="", label="open: no limits")
        mark.set_markerfacecolor(face(ax))
        found.append(mark)
    return found
