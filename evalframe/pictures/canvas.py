"""What pictures share: colours, a fresh figure, axes without ornament, a legend above."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours of Okabe and Ito (2008), which all kinds of colour vision tell apart, each with a mark
# of its own for prints in grey. Their yellow is left out: on white it can hardly be seen.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKS = ("o", "s", "D", "^", "v", "P")
DARK, PALE = "#444444", "#DDDDDD"

LABEL_WIDTH = 40


def new_axes(width: float, height: float) -> "Axes":
    """Return the Axes of a new figure, its size in inches.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('plots need matplotlib: pip install "evalframe[plot]"') from error
    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def clear_ornament(ax: "Axes", grid: Literal["both", "x", "y"]) -> None:
    """Leave a pale grid along "x", "y" or "both", and no frame."""
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.grid(axis=grid, color=PALE, linewidth=0.8)
    ax.set_axisbelow(True)


def legend_above(ax: "Axes", handles: Sequence[Any], n_columns: int) -> None:
    """Explain the handles above the Axes, long labels broken."""
    width = 2 * LABEL_WIDTH // n_columns
    labels = [textwrap.fill(str(handle.get_label()), width) for handle in handles]
    legend = ax.legend(
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=n_columns,
        frameon=False,
        fontsize="small",
    )
    # Names of arms may hold dollar signs, which are not formulas.
    for text in legend.get_texts():
        text.set_parse_math(False)
