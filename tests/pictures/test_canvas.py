"""What all pictures keep to: grounds of any colour, figures of any layout."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.text import Text

import evalframe as ef
from evalframe import plot
from evalframe.pictures.canvas import COLOURS, face, ink, pale, text_colour

pytestmark = pytest.mark.usefixtures("agg")


def runs(arms=("base", "edit", "other"), n=20):
    """Return n items by each arm, drawn at random, in two runs."""
    keys = pd.MultiIndex.from_product([arms, range(n), (0, 1)], names=["arm", "item_id", "seed"])
    frame = keys.to_frame(index=False)
    draw = np.random.default_rng(0)
    return frame.assign(
        score=draw.integers(0, 2, len(frame)) * 1.0,
        words=draw.random(len(frame)),
    )


def measured():
    """Return an author's 60 texts and another's 20 as values of a metric."""
    draw = np.random.default_rng(0)
    items = [*range(60), *range(20)]
    frame = pd.DataFrame({"item_id": items, "arm": ["base"] * 60 + ["edit"] * 20})
    return frame.assign(**{"rhythm.a": draw.normal(size=80)})


def once(frame):
    return frame[frame["seed"] == 0]


PICTURES = {
    "forest": lambda ax: plot.forest(ef.score(runs()), ax=ax),
    "forest, open marks": lambda ax: plot.forest(ef.score(runs(n=1)), ax=ax),
    "differences": lambda ax: plot.forest(ef.compare(runs(), "base"), ax=ax),
    "floor": lambda ax: plot.floor(ef.compare(runs(), "base", floor="other"), ax=ax),
    "pairs": lambda ax: plot.pairs(once(runs()), "base", arm="edit", ax=ax),
    "pairs of means": lambda ax: plot.pairs(runs(), "base", arm="edit", ax=ax),
    "style": lambda ax: plot.style(runs(), "words", reference="base", ax=ax),
    "voice": lambda ax: plot.voice(ef.voice(measured(), "base", metrics=["rhythm.a"]), ax=ax),
    "ranks": lambda ax: plot.ranks(ef.rank(runs(), n_boot=100), ax=ax),
}


def given(name):
    """Return plain Axes to draw a picture on."""
    panels = plt.subplots(1, 2, figsize=(11, 4))[1]
    return panels if name == "ranks" else panels[0]


def light(colour):
    """Return the relative luminance of WCAG 2."""
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot(parts, [0.2126, 0.7152, 0.0722]))


def contrast(one, other):
    low, high = sorted([light(one), light(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("style", ["default", "dark_background", "ggplot"])
@pytest.mark.parametrize("name", PICTURES)
def test_all_text_can_be_read_on_the_ground_of_the_style(name, style):
    with plt.style.context(style):
        ax = np.ravel(PICTURES[name](None))[0]
        ground = ax.figure.get_facecolor()
        texts = [text for text in ax.figure.findobj(Text) if text.get_text().strip()]
        # Of ggplot the labels of the axes are grey on white.
        assert all(contrast(text.get_color(), ground) >= 4.5 for text in texts), name


@pytest.mark.parametrize("name", PICTURES)
def test_on_a_dark_ground_nothing_is_white_but_text(name):
    with plt.style.context("dark_background"):
        ax = np.ravel(PICTURES[name](None))[0]
        fills = [patch.get_facecolor() for patch in ax.patches]
        fills += [line.get_markerfacecolor() for line in ax.lines if line.get_marker() != "None"]
        if ax.get_legend() is not None:
            fills += [patch.get_facecolor() for patch in ax.get_legend().get_patches()]
        assert all(contrast(colour, "black") < 14 for colour in fills)
        lines = [line.get_color() for line in ax.lines if line.get_linestyle() != "None"]
        assert all(contrast(colour, "black") > 3 for colour in lines)


def test_open_marks_show_what_is_behind_them():
    for style in ("default", "dark_background", "ggplot"):
        with plt.style.context(style):
            ax = PICTURES["forest, open marks"](None)
            mark = ax.lines[0]
            assert to_rgba(mark.get_markerfacecolor()) == to_rgba(ax.get_facecolor())
            assert to_rgba(mark.get_color()) == to_rgba(COLOURS[0])


def test_colours_without_a_meaning_are_between_ground_and_text():
    ax = plt.subplots()[1]
    assert (face(ax), ink(ax), pale(ax)) == ("#ffffff", "#444444", "#dddddd")
    ax.set_facecolor("black")
    assert (face(ax), text_colour(ax), ink(ax)) == ("#000000", "#ffffff", "#bbbbbb")
    ax.set_facecolor("none")
    assert face(ax) == "#ffffff"


@pytest.mark.parametrize("name", PICTURES)
def test_nothing_is_cut_off_in_a_figure_without_a_layout(name):
    ax = given(name)
    PICTURES[name](ax)
    figure = np.ravel(ax)[0].figure
    figure.canvas.draw()
    # In inches, without what cannot be seen.
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert box.x0 >= 0
    assert box.y0 >= 0
    assert box.x1 <= width
    assert box.y1 <= height


def label_boxes(ax):
    ax.figure.canvas.draw()
    return [tick.get_window_extent() for tick in ax.get_yticklabels()]


def test_labels_do_not_run_into_the_next_panel():
    long = "meta-llama/Llama-3.1-405B-Instruct-Turbo with a system prompt"
    axes = plt.subplots(1, 2, figsize=(10, 4))[1]
    for ax in axes:
        plot.forest(ef.score(runs((long, "edit"))), ax=ax)
    first, second = (label_boxes(ax) for ax in axes)
    assert all(box.x0 >= 0 for box in first)
    assert all(box.x0 > axes[0].get_window_extent().x1 for box in second)


@pytest.mark.parametrize("mine", ["tight", "margins"])
def test_a_layout_of_ones_own_is_kept(mine):
    figure, ax = plt.subplots(layout="tight" if mine == "tight" else None)
    if mine == "margins":
        figure.subplots_adjust(left=0.4)
    before = figure.get_layout_engine()
    plot.forest(ef.score(runs()), ax=ax)
    assert figure.get_layout_engine() is before


def test_panels_of_a_subfigure_are_laid_out():
    figure = plt.figure()
    ax = figure.subfigures(1, 2)[0].subplots()
    plot.forest(ef.score(runs()), ax=ax)
    assert all(box.x0 >= 0 for box in label_boxes(ax))


@pytest.mark.parametrize("name", ["forest", "pairs", "voice", "ranks"])
def test_rows_do_not_get_the_names_of_another_picture(name):
    panels = plt.subplots(1, 3, sharey=True)[1]
    panels[0].plot([1, 2])
    with pytest.raises(ValueError, match=r"shared with Axes that are drawn on.*without sharey"):
        PICTURES[name](panels[1:] if name == "ranks" else panels[1])


def test_panels_of_one_picture_may_share_their_rows():
    panels = plt.subplots(1, 2, sharey=True)[1]
    plot.ranks(ef.rank(runs(), n_boot=100), ax=panels)
    assert {tick.get_text() for tick in panels[0].get_yticklabels()} == {"base", "edit", "other"}
    panels = plt.subplots(1, 2, sharey=True)[1]
    plot.forest(ef.score(runs(), value=["score", "words"]), ax=panels)
    assert all(tick.get_text() for tick in panels[0].get_yticklabels())
    missing = runs().assign(words=lambda frame: frame["words"].where(frame["item_id"] > 3))
    result = ef.score(missing, value=["score", "words"])
    with pytest.raises(ValueError, match=r"other sizes.*without sharey"):
        plot.forest(result, ax=plt.subplots(1, 2, sharey=True)[1])
