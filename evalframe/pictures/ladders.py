"""A rank result as a picture: the limits of each arm's rank beside its score."""

import textwrap
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from evalframe.errors import FrameError
from evalframe.pictures.canvas import (
    COLOURS,
    LABEL_WIDTH,
    check_own_rows,
    clear_ornament,
    face,
    legend_above,
    make_room,
    new_panels,
    pale,
)
from evalframe.results import check_result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    Panels = Sequence[Axes]

_NEEDED = (
    *("arm", "metric", "rank", "rank_low", "rank_high", "best", "estimate", "conf_low"),
    *("conf_high", "n_items", "n_clusters", "level", "method"),
)

# More arms than this no page can show.
MOST_ROWS = 150
# So many ranks can each have a number of their own on the axis, beside long names too.
_MOST_TICKS = 12
_WIDTH = 9.0
# Height of a row, and of a line of a name that is broken into several, in inches.
_ROW, _LINE = 0.3, 0.145

Row = Mapping[Hashable, Any]


def ranks(result: pd.DataFrame, *, ax: "Panels | None" = None) -> Any:
    """Draw a leaderboard: the limits of each arm's rank, and its score with its interval.

    Arms that may be the best have a filled blue mark, the others an open orange one. A bar
    reaches over all ranks that an arm may have; arms whose bars share a rank are not told apart by
    them.

    Parameters
    ----------
    result : DataFrame
        What ``rank`` returned, of one metric and one group, or some arms of it: the axis then
        reaches over the ranks of these.
    ax : sequence of two Axes, optional
        Where to draw ranks and scores; the figure is laid out so that labels are not cut off,
        unless it has a layout or margins of its own. By default a figure of fitting size.

    Returns
    -------
    array of two Axes
        Ranks and scores.

    Raises
    ------
    FrameError
        If `result` is no rank result, has several leaderboards or more than 150 arms.
    ValueError
        If `ax` does not hold two Axes, or such as share the y axis of another picture.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import evalframe
    >>> runs = evalframe.read_parquet("data/reading.parquet")
    >>> axes = evalframe.plot.ranks(runs.evals.rank())
    """
    check_result(result, "evalframe.plot.ranks(df.evals.rank())")
    _check(result)
    rows: Sequence[Row] = (
        result.assign(arm_text=result["arm"].map(str))
        .sort_values(["rank", "rank_high", "arm_text"], kind="stable", na_position="last")
        .to_dict("records")
    )
    # Broken rather than cut: names of arms often differ at their ends alone.
    names = [textwrap.wrap(row["arm_text"], LABEL_WIDTH) or [row["arm_text"]] for row in rows]
    deepest = max(map(len, names))
    left, right = _panels(len(rows) * max(_ROW, _LINE * deepest + 0.05), ax)
    for at, row in enumerate(rows):
        _draw_rank(left, at, row)
        _draw_score(right, at, row)
    for panel in (left, right):
        panel.set_ylim(len(rows) - 0.5, -0.5)
        panel.tick_params(axis="y", length=0)
        clear_ornament(panel, "x")
    # Names of arms may hold dollar signs, which are not formulas.
    size = "medium" if deepest == 1 else "small"
    labels = ["\n".join(lines) for lines in names]
    left.set_yticks(range(len(rows)), labels=labels, parse_math=False, fontsize=size)
    if not right.get_shared_y_axes().joined(left, right):
        right.set_yticks(range(len(rows)), labels=[""] * len(rows))
    low, high = _reach(result, len(rows))
    left.set_xlim(low - 0.6, high + 0.6)
    left.set_xticks(_rank_ticks(low, high))
    right.locator_params(axis="x", nbins=5)
    right.use_sticky_edges = False
    right.margins(x=0.06)
    level = f"{100 * rows[0]['level']:.10g}%"
    joint = rows[0]["method"] == "simultaneous"
    left.set_xlabel(f"rank, {level} limits {'of all arms at once' if joint else 'of each arm'}")
    right.set_xlabel(f"{rows[0]['metric']}, {level} interval\n{_size(rows[0])}", parse_math=False)
    legend_above(left, _explained(left, rows), 2)
    return np.array([left, right], dtype=object)


def _check(result: pd.DataFrame) -> None:
    """Raise FrameError for what is no rank result, or cannot be shown in one picture."""
    missing = [name for name in _NEEDED if name not in result.columns]
    if missing:
        raise FrameError(
            f"plot.ranks draws a rank result, found no column {', '.join(missing)}; make one with "
            "df.evals.rank()"
        )
    if result.empty:
        raise FrameError("plot.ranks needs a result with rows, found 0 rows; look at what was read")
    _check_one(result)
    if len(result) > MOST_ROWS:
        raise FrameError(
            f"plot.ranks shows at most {MOST_ROWS} arms, found {len(result):,}; choose some, for "
            "example the best: result.nsmallest(50, 'rank')"
        )


def _check_one(result: pd.DataFrame) -> None:
    """Raise FrameError for several leaderboards in one frame."""
    by = list(result.columns)[: list(result.columns).index("arm")]
    apart = ["metric", *by, "level", "method"]
    several = [name for name in apart if result[name].nunique(dropna=False) > 1]
    if several:
        labels = result[several[0]].unique().tolist()
        raise FrameError(
            f"plot.ranks draws one leaderboard, found {len(labels):,}, told apart by the column "
            f"{several[0]}; choose one: result[result[{several[0]!r}] == {labels[0]!r}]"
        )
    if result["arm"].duplicated().any():
        arm = result.loc[result["arm"].duplicated(), "arm"].iloc[0]
        raise FrameError(
            f"plot.ranks draws one leaderboard, found more than one row of the arm {arm!r}; draw "
            "the results one by one"
        )


def _panels(height: float, ax: "Panels | None") -> "tuple[Axes, Axes]":
    """Return the two Axes given, or those of a figure with rows of this height together."""
    if ax is None:
        left, right = new_panels(_WIDTH, 1.7 + height, [3, 2])
        return left, right
    given = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if len(given) != 2:
        raise ValueError(
            f"ax must hold two Axes, for ranks and for scores, found {len(given)}; for example "
            "ax=plt.subplots(1, 2)[1]"
        )
    check_own_rows(list(given))
    for panel in given:
        make_room(panel)
    return given[0], given[1]


def _style(ax: "Axes", row: Row) -> dict[str, Any]:
    """Return the colours and the mark of a row."""
    colour = COLOURS[0] if row["best"] else COLOURS[1]
    return {
        "marker": "o" if row["best"] else "s",
        "color": colour,
        "markerfacecolor": colour if row["best"] else face(ax),
        "linestyle": "",
        "zorder": 3,
    }


def _draw_rank(ax: "Axes", at: int, row: Row) -> None:
    """Draw the limits of a rank, and the rank."""
    if not (pd.isna(row["rank_low"]) or pd.isna(row["rank_high"])):
        low, high = int(row["rank_low"]), int(row["rank_high"])
        colour = _style(ax, row)["color"]
        ax.barh(at, high - low + 0.7, 0.62, left=low - 0.35, color=colour, alpha=0.22, linewidth=0)
    if not pd.isna(row["rank"]):
        ax.plot([int(row["rank"])], [at], **_style(ax, row))


def _draw_score(ax: "Axes", at: int, row: Row) -> None:
    """Draw a score and its interval."""
    style = _style(ax, row)
    if not (pd.isna(row["conf_low"]) or pd.isna(row["conf_high"])):
        ax.hlines(
            at, row["conf_low"], row["conf_high"], color=style["color"], linewidth=2, zorder=2
        )
    ax.plot([row["estimate"]], [at], **style)


def _reach(result: pd.DataFrame, n: int) -> tuple[int, int]:
    """Return the first and the last rank on the axis: of a whole leaderboard all of them."""
    ranks = result[["rank", "rank_low", "rank_high"]].to_numpy(float, na_value=np.nan)
    known = ranks[~np.isnan(ranks)]
    low, high = (int(known.min()), int(known.max())) if len(known) else (1, n)
    return low, high if low > 1 else max(high, n)


def _rank_ticks(low: int, high: int) -> list[int]:
    """Return the ranks that have a number on the axis."""
    n = high - low + 1
    if n <= _MOST_TICKS:
        return list(range(low, high + 1))
    step = next((step for step in (5, 10, 20) if n <= step * _MOST_TICKS), n // _MOST_TICKS)
    # The first has its number, and the next one room beside it.
    rounded = (low + step // 2) // step * step + step if low > 1 else step
    return [low, *range(rounded, high + 1, step)]


def _size(row: Row) -> str:
    """Return the size of a leaderboard."""
    size = f"n = {row['n_items']:,.0f}"
    if not pd.isna(row["n_clusters"]):
        size += f" in {row['n_clusters']:,.0f} cluster{'s' if row['n_clusters'] != 1 else ''}"
    return size


def _explained(ax: "Axes", rows: Sequence[Row]) -> list[Any]:
    """Return what the legend names."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    found: list[Any] = []
    for best, text in ((True, "may be the best"), (False, "not among the best")):
        mine = [row for row in rows if bool(row["best"]) is best]
        if mine:
            found.append(Line2D([], [], label=text, **_style(ax, mine[0])))
    found.append(Patch(color=pale(ax), label="ranks it may have"))
    if any(pd.isna(row["rank_low"]) for row in rows):
        found.append(Line2D([], [], linestyle="", marker="", label="no bar: no limits"))
    return found
