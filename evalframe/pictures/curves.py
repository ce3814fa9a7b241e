"""One metric of style as a picture: how an author's texts and the arms' are distributed."""

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from evalframe.errors import DesignError, FrameError
from evalframe.pictures.canvas import (
    COLOURS,
    MARKS,
    clear_ornament,
    ink,
    legend_above,
    make_room,
    new_axes,
)
from evalframe.results import check_result
from evalframe.stats.wasserstein import distance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]


def style(
    frame: pd.DataFrame, metric: str, *, reference: Hashable, ax: "Axes | None" = None
) -> "Axes":
    """Draw how a metric is distributed over an author's texts and over those of the other arms.

    A curve is the share of an arm's texts with a value up to x; the author's is dashed. The shaded
    area between it and the author's is their Wasserstein distance, which the legend gives. An arm
    has the same colour and mark for every metric of a frame.

    Parameters
    ----------
    frame : DataFrame
        What ``style`` returned, or any frame with the columns ``arm`` and `metric`. Rows with
        ``split`` "train" are left out: `voice` does not compare them either.
    metric : str
        A column of numbers. NaN is left out, and not counted in the legend's n; an arm without
        any number has no curve, which the legend says.
    reference : label
        The arm that is the author.
    ax : Axes, optional
        Where to draw; the figure is laid out so that labels are not cut off, unless it has a
        layout or margins of its own. By default a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    FrameError
        If a column is missing, or `metric` is not one of finite numbers.
    DesignError
        If the author is not there, nobody is beside him, or more than six arms are.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import evalframe
    >>> texts = evalframe.read_parquet("data/authors.parquet")
    >>> table = texts.evals.style(metrics=["punctuation.dash"])
    >>> ax = evalframe.plot.style(table, "punctuation.dash", reference="bierce")
    """
    values = _values(frame, metric, reference)
    author = values.pop(reference)
    if ax is None:
        ax = new_axes(6.4, 3.8 + 0.2 * len(values))
    else:
        make_room(ax)
    everything = np.concatenate([author, *values.values()])
    low, high = float(everything.min()), float(everything.max())
    room = 0.03 * (high - low) if high > low else 0.5
    # Ends are drawn too, so that a curve starts at 0 and ends at 1 across the whole picture.
    grid = np.unique([low - room, *everything, high + room])
    of_author = _shares(author, grid)
    name = f"{reference} (n = {len(author):,})"
    ax.step(grid, of_author, where="post", color=ink(ax), linestyle="--", linewidth=2, label=name)
    for (arm, mine), colour, mark in zip(values.items(), COLOURS, MARKS, strict=False):
        look: dict[str, Any] = {"color": colour, "marker": mark, "markersize": 5}
        if not len(mine):
            ax.plot([], [], label=f"{arm} (no values)", linestyle="", **look)
            continue
        shares = _shares(mine, grid)
        name = f"{arm} (n = {len(mine):,}), distance {distance(mine, author):.3g}"
        # As many marks however many texts.
        ax.step(grid, shares, where="post", linewidth=1.8, label=name, markevery=0.12, **look)
        ax.fill_between(grid, shares, of_author, step="post", color=colour, alpha=0.18, linewidth=0)
    ax.set_xlim(grid[0], grid[-1])
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel(metric, parse_math=False)
    ax.set_ylabel("share of texts up to x")
    clear_ornament(ax, "both")
    legend_above(ax, ax.get_legend_handles_labels()[0], 1)
    return ax


def _shares(values: Floats, grid: Floats) -> Floats:
    """Return the share of values up to each place."""
    return np.searchsorted(np.sort(values), grid, side="right") / len(values)


def _values(frame: pd.DataFrame, metric: str, reference: Hashable) -> dict[Hashable, Floats]:
    """Return each arm's known values of a metric."""
    check_result(frame, "evalframe.plot.style(df.evals.style(), METRIC, reference='author')")
    missing = [name for name in ("arm", metric) if name not in frame.columns]
    if missing:
        raise FrameError(
            f"plot.style draws the column {metric!r} arm by arm, found no column "
            f"{', '.join(missing)}; make one with df.evals.style(metrics=[METRIC])"
        )
    column = frame[metric]
    if not is_numeric_dtype(column) or is_bool_dtype(column):
        raise FrameError(
            f"plot.style draws numbers, found column {metric!r} of dtype {column.dtype}; convert "
            f"it, for example: df[{metric!r}].astype(float)"
        )
    numbers = pd.Series(column.to_numpy(dtype=np.float64, na_value=np.nan))
    n_infinite = int(np.isinf(numbers).sum())
    if n_infinite:
        raise FrameError(
            f"plot.style draws finite numbers, found {n_infinite:,} infinite in column {metric!r}; "
            f"leave them out, for example: df[np.isfinite(df[{metric!r}])]"
        )
    known = numbers.notna().to_numpy()
    if "split" in frame:
        known = known & ~(frame["split"] == "train").fillna(False).to_numpy(dtype=bool)
    arms = frame["arm"].reset_index(drop=True)
    groups = numbers.where(known).groupby(arms, sort=True, observed=True)
    values = {arm: rows.dropna().to_numpy() for arm, rows in groups}
    _check_arms(values, metric, reference)
    return values


def _check_arms(values: Mapping[Hashable, Floats], metric: str, reference: Hashable) -> None:
    """Raise DesignError unless there are the author and one to six others, one with values."""
    known = [arm for arm, numbers in values.items() if len(numbers)]
    has = ", ".join(map(repr, known[:20])) or "none"
    if reference not in known:
        raise DesignError(
            f"reference must be an arm with values of {metric!r}, found {reference!r}; arms that "
            f"have some: {has}"
        )
    n_others = len(values) - 1 if len(known) > 1 else 0
    if not 1 <= n_others <= len(COLOURS):
        raise DesignError(
            f"plot.style draws 1 to {len(COLOURS)} arms beside {reference!r}, found {n_others:,}; "
            f"arms with values of {metric!r}: {has}"
        )
