"""Pictures of two arms item by item: their numbers, their bars, and what they say."""

import subprocess
import sys
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba

from evalframe import mcnemar, plot
from evalframe.pictures.agreements import BLUE, RED

LONG = "meta-llama/Llama-3.1-405B-Instruct-Turbo with a system prompt of many words $x$"


pytestmark = pytest.mark.usefixtures("agg")


def runs(n, seeds=1, arms=("base", "edit"), partial=False, **columns):
    """Return n items by each arm, drawn at random."""
    rng = np.random.default_rng(n)
    keys = pd.MultiIndex.from_product(
        [arms, range(n), range(seeds)], names=["arm", "item_id", "seed"]
    )
    frame = keys.to_frame(index=False)
    frame["score"] = rng.random(len(frame)) if partial else rng.integers(0, 2, len(frame))
    return frame.assign(**{name: of(frame["item_id"]) for name, of in columns.items()})


def clustered(n, size=7, **more):
    return runs(n, cluster_id=lambda item: "p" + (item // size).astype(str), **more)


def numbers(ax):
    """Return the number in each field by its name."""
    texts = [
        text.get_text() for text in ax.texts if text.get_transform() == ax.get_yaxis_transform()
    ]
    return {
        name: int(number.replace(",", ""))
        for number, name in zip(texts[::2], texts[1::2], strict=True)
    }


def bars(ax):
    """Return the length of each bar by its colour."""
    found = {"left": [], "right": []}
    for bar in (bar for container in ax.containers for bar in container):
        side = "left" if to_rgba(bar.get_facecolor()) == to_rgba(RED) else "right"
        assert to_rgba(bar.get_facecolor()) == to_rgba(RED if side == "left" else BLUE)
        found[side].append(bar.get_width())
    return found


def labels(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_fields_hold_the_counts_of_mcnemar():
    frame = runs(300)
    ax = plot.pairs(frame, "base")
    assert isinstance(ax, Axes)
    row = mcnemar(frame, "base").iloc[0]
    assert numbers(ax) == {
        "both right": row["both_right"],
        "only edit right": row["arm_only"],
        "only base right": row["baseline_only"],
        "both wrong": row["both_wrong"],
    }


def test_bars_add_up_to_the_items_that_differ_the_arm_on_the_right():
    frame = clustered(140)
    ax = plot.pairs(frame, "base")
    row = mcnemar(frame, "base").iloc[0]
    assert sum(bars(ax)["right"]) == row["arm_only"]
    assert sum(bars(ax)["left"]) == -row["baseline_only"]
    low, high = ax.get_xlim()
    assert low == -high
    assert ax.get_xlabel() == "number of items that differ\nlines: clusters"


def test_few_items_are_named():
    frame = runs(12)
    wide = frame.pivot(index="item_id", columns="arm", values="score")
    differ = wide.index[wide["base"] != wide["edit"]].astype(str)
    assert sorted(labels(plot.pairs(frame, "base"))) == sorted(differ)


def test_groups_have_bars_of_their_own():
    frame = runs(100, task=lambda item: np.where(item % 2, "odd", "even"))
    ax = plot.pairs(frame, "base", by="task")
    assert sorted(labels(ax)) == ["even (n = 50)", "odd (n = 50)"]
    assert ax.get_xlabel().endswith("lines: task")


def test_a_column_that_is_no_score_is_not_called_right():
    frame = runs(50).rename(columns={"score": "hit_cap"})
    assert list(numbers(plot.pairs(frame, "base", value="hit_cap"))) == [
        *("both 1", "only edit 1", "only base 1", "both 0"),
    ]


def test_other_means_are_drawn_against_each_other_and_counted():
    frame = runs(200, seeds=3)
    means = frame.pivot_table(index="item_id", columns="arm", values="score")
    ax = plot.pairs(frame, "base")
    assert legend(ax) == [
        f"edit better: {(means['edit'] > means['base']).sum()} items",
        f"both the same: {(means['edit'] == means['base']).sum()} items",
        f"base better: {(means['edit'] < means['base']).sum()} items",
    ]
    drawn = np.concatenate([part.get_offsets() for part in ax.collections])
    expected = means[["base", "edit"]].drop_duplicates().to_numpy()
    np.testing.assert_array_equal(np.unique(drawn, axis=0), np.unique(expected, axis=0))
    assert ax.get_xlim() == ax.get_ylim()


def test_the_area_of_a_mark_grows_with_its_items():
    frame = runs(3, seeds=2)
    frame["score"] = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0]
    ax = plot.pairs(frame, "base")
    area = {
        tuple(part.get_offsets()[i]): size
        for part in ax.collections
        for i, size in enumerate(part.get_sizes())
    }
    assert area[(0, 1)] == 2 * area[(0.5, 0.5)]
    assert "area of a mark: number of items" in ax.get_xlabel()


def test_lengths_are_higher_not_better():
    frame = runs(30, partial=True).rename(columns={"score": "n_output_tokens"})
    ax = plot.pairs(frame, "base", value="tokens")
    assert [text.split(":")[0] for text in legend(ax)] == [
        "edit higher",
        "both the same",
        "base higher",
    ]
    assert ax.get_ylabel() == "tokens of edit"


def test_other_means_in_groups_are_bars_and_three_fields():
    frame = runs(200, seeds=3, task=lambda item: item % 4)
    means = frame.pivot_table(index="item_id", columns="arm", values="score")
    ax = plot.pairs(frame, "base", by="task")
    assert numbers(ax) == {
        "base better": (means["edit"] < means["base"]).sum(),
        "both the same": (means["edit"] == means["base"]).sum(),
        "edit better": (means["edit"] > means["base"]).sum(),
    }
    assert sum(bars(ax)["right"]) == numbers(ax)["edit better"]


def test_what_was_left_out_or_counted_as_0_is_said():
    frame = runs(50).astype({"score": float})
    frame.loc[:2, "score"] = np.nan
    assert (
        plot.pairs(frame, "base", missing="drop")
        .get_xlabel()
        .endswith("3 (item, seed) keys left out")
    )
    assert plot.pairs(frame, "base", missing="zero").get_xlabel().endswith("3 missing counted as 0")
    seeds = runs(50, seeds=2).astype({"score": float})
    seeds.loc[:2, "score"] = np.nan
    assert "keys left out" in plot.pairs(seeds, "base", missing="drop").get_xlabel()


def test_arms_that_agree_everywhere_have_no_bars():
    frame = runs(30)
    frame.loc[frame["arm"] == "edit", "score"] = frame.loc[
        frame["arm"] == "base", "score"
    ].to_numpy()
    ax = plot.pairs(frame, "base")
    assert labels(ax) == []
    assert ax.get_xlabel() == "no item differs"


def test_the_order_of_rows_does_not_matter():
    frame = clustered(140)
    one, other = (plot.pairs(f, "base") for f in (frame, frame.sample(frac=1, random_state=1)))
    assert (labels(one), bars(one), numbers(one)) == (labels(other), bars(other), numbers(other))


def test_the_rest_of_many_clusters_has_numbers_and_no_bar():
    frame = clustered(700)
    ax = plot.pairs(frame, "base")
    assert labels(ax)[-1] == "81 other clusters (n = 567)"
    assert bars(ax)["right"][-1] == bars(ax)["left"][-1] == 0
    row = mcnemar(frame, "base").iloc[0]
    rest = [int(text.get_text()) for text in ax.texts[-2:]]
    assert rest[0] - sum(bars(ax)["left"]) == row["baseline_only"]
    assert rest[1] + sum(bars(ax)["right"]) == row["arm_only"]


@pytest.mark.parametrize("arms", [("base", "edit"), (LONG, LONG.upper()), ("a" * 90, "b" * 90)])
@pytest.mark.parametrize("n", [12, 300])
def test_labels_and_fields_do_not_overlap_however_long(arms, n):
    ax = plot.pairs(clustered(n, arms=arms), arms[0])
    ax.figure.canvas.draw()
    ticks = [tick.get_window_extent() for tick in ax.get_yticklabels()]
    below = sorted(ticks, key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(below))
    fields = [text for text in ax.texts if text.get_transform() == ax.get_yaxis_transform()]
    for left, right in ((fields[::4], fields[2::4]), (fields[1::4], fields[3::4])):
        for one, other in zip(left, right, strict=True):
            assert one.get_window_extent().x1 < other.get_window_extent().x0
    for column in (0, 2):
        tops = [
            fields[place].get_window_extent()
            for place in (column, column + 1, column + 4, column + 5)
        ]
        assert all(high.y0 >= low.y1 - 2 for high, low in pairwise(tops))
    assert not any(text.get_parse_math() for text in fields)


def test_numbers_on_the_axis_do_not_overlap():
    ax = plot.pairs(runs(5_000), "base")
    ax.figure.canvas.draw()
    boxes = [tick.get_window_extent() for tick in ax.get_xticklabels() if tick.get_text()]
    assert len(boxes) >= 3
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
    assert all(tick.get_text().isdigit() for tick in ax.get_xticklabels())


def test_axes_that_are_given_are_drawn_on():
    _, (left, right) = plt.subplots(1, 2)
    assert plot.pairs(runs(12), "base", ax=left) is left
    assert plot.pairs(runs(12, partial=True), "base", ax=right) is right


def test_one_item_makes_a_picture():
    frame = runs(1)
    frame["score"] = [0, 1]
    ax = plot.pairs(frame, "base")
    assert labels(ax) == ["0"]
    assert isinstance(plot.pairs(frame.assign(score=[0.5, 0.5]), "base"), Axes)


def test_without_matplotlib_the_error_names_the_extra():
    code = (
        "import sys; sys.modules['matplotlib'] = None; import pandas as pd, evalframe as ef\n"
        "frame = pd.DataFrame({'item_id': [1, 1], 'arm': ['a', 'b'], 'score': [SCORES]})\n"
        "try: ef.plot.pairs(frame, 'a')\n"
        "except ImportError as error: print(error)"
    )
    for scores in ("0, 1", "0.5, 1"):
        words = [sys.executable, "-c", code.replace("SCORES", scores)]
        out = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert out == 'plots need matplotlib: pip install "evalframe[plot]"\n'
