"""What pictures share: colours, a fresh figure, axes without ornament, a legend above.

A colour that means something is one of `COLOURS`; all others are of the style in use, so that a
picture on a dark ground can be read too.
"""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours of Okabe and Ito (2008), which all kinds of colour vision tell apart, each with a mark
# of its own for prints in grey. Their yellow is left out: on white it can hardly be seen.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKS = ("o", "s", "D", "^", "v", "P")

LABEL_WIDTH = 40


def new_axes(width: float, height: float) -> "Axes":
    """Return the Axes of a new figure, its size in inches.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    return new_panels(width, height, [1.0])[0]


def new_panels(width: float, height: float, widths: Sequence[float]) -> "Sequence[Axes]":
    """Return the Axes of a new figure side by side: its size in inches, their relative widths.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('plots need matplotlib: pip install "evalframe[plot]"') from error
    figure = plt.figure(figsize=(width, height), layout="constrained")
    panels: Sequence[Axes] = figure.subplots(1, len(widths), squeeze=False, width_ratios=widths)[0]
    return panels


def make_room(ax: "Axes") -> None:
    """Lay out the figure of Axes that were given so that no label is cut off.

    A figure that has a layout, or whose margins were set, keeps them.
    """
    from matplotlib.figure import SubplotParams

    # The canvas of a subfigure is that of the whole figure.
    figure = ax.figure.canvas.figure
    plain = vars(figure.subplotpars) == vars(SubplotParams())
    if plain and figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")


def check_own_rows(panels: "Sequence[Axes]") -> None:
    """Raise ValueError for Axes whose rows would get the names of those of another picture."""
    for panel in panels:
        shared = panel.get_shared_y_axes().get_siblings(panel)
        if any(other.has_data() for other in shared if other not in panels):
            raise ValueError(
                "ax must have a y axis of its own, found one shared with Axes that are drawn on, "
                "whose labels would be replaced; make them without sharey, for example: "
                "plt.subplots(1, 2, layout='constrained')"
            )


def face(ax: "Axes") -> str:
    """Return the colour behind what is drawn on the Axes."""
    from matplotlib.colors import to_hex, to_rgba

    behind = [to_rgba(one.get_facecolor()) for one in (ax, ax.figure.canvas.figure)]
    return to_hex(next((colour for colour in behind if colour[3] > 0), "white"))


def text_colour(ax: "Axes") -> str:
    """Return the style's colour of text or, where the Axes hide that, black or white."""
    from matplotlib import rcParams
    from matplotlib.colors import to_hex, to_rgb

    own, ground = to_hex(rcParams["text.color"]), face(ax)
    if abs(sum(to_rgb(own)) - sum(to_rgb(ground))) > 1:
        return own
    return "#000000" if sum(to_rgb(ground)) > 1.5 else "#ffffff"


def mixed(ax: "Axes", colour: str, share: float) -> str:
    """Return a colour with what is behind it shining through, all of it its own for a share of 1.

    It is not transparent: what is drawn below it stays hidden.
    """
    from matplotlib.colors import to_hex, to_rgb

    over, ground = to_rgb(colour), to_rgb(face(ax))
    red, green, blue = (
        share * one + (1 - share) * two for one, two in zip(over, ground, strict=True)
    )
    return to_hex((red, green, blue))


def ink(ax: "Axes") -> str:
    """Return the colour of lines and marks that stand for no arm: #444444 on white."""
    return mixed(ax, text_colour(ax), 187 / 255)


def pale(ax: "Axes") -> str:
    """Return the colour of the grid and of bands: #DDDDDD on white."""
    return mixed(ax, text_colour(ax), 34 / 255)


def clear_ornament(ax: "Axes", grid: Literal["both", "x", "y"]) -> None:
    """Leave a pale grid along "x", "y" or "both", and no frame."""
    ax.spines[["top", "right", "left"]].set_visible(False)
    # A style may have a grid of its own along both.
    ax.grid(visible=False)
    ax.grid(axis=grid, color=pale(ax), linewidth=0.8)
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
