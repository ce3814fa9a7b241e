"""`plot.ranks`: what stands where in the picture of a leaderboard."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba

from evalframe import FrameError, plot, rank
from evalframe.pictures.canvas import COLOURS

pytestmark = pytest.mark.usefixtures("agg")


def board(n_arms=5, n=60, **columns):
    """Return the ranks of arms that become worse."""
    draw = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "item_id": np.tile(np.arange(n), n_arms),
            "arm": np.repeat([f"m{a:02}" for a in range(n_arms)], n),
            "score": (draw.random(n * n_arms) < np.repeat(np.linspace(0.9, 0.2, n_arms), n)) * 1.0,
        }
    )
    return rank(frame.assign(**columns), n_boot=200)


def labels(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def marks(ax):
    return [float(line.get_xdata()[0]) for line in ax.lines]


def test_arms_come_best_first_with_their_ranks_and_scores():
    result = board().sort_values("rank")
    left, right = plot.ranks(result.sample(frac=1, random_state=0))
    assert isinstance(left, Axes)
    assert labels(left) == result["arm"].tolist()
    assert marks(left) == result["rank"].tolist()
    np.testing.assert_allclose(marks(right), result["estimate"])
    low, high = left.get_ylim()
    assert low > high
    assert left.get_xlabel() == "rank, 95% limits of all arms at once"
    assert right.get_xlabel() == "score, 95% interval\nn = 60"


def test_bars_reach_over_all_ranks_that_an_arm_may_have():
    result = board().sort_values("rank")
    left, right = plot.ranks(result)
    for bar, row in zip(left.patches, result.to_dict("records"), strict=True):
        assert row["rank_low"] - 0.5 < bar.get_x() < row["rank_low"]
        assert row["rank_high"] < bar.get_x() + bar.get_width() < row["rank_high"] + 0.5
    drawn = [line.get_segments()[0][:, 0].tolist() for line in right.collections]
    np.testing.assert_allclose(drawn, result[["conf_low", "conf_high"]].to_numpy())


def test_the_possible_best_differ_in_colour_and_in_mark():
    result = board().sort_values("rank")
    left, _ = plot.ranks(result)
    for line, best in zip(left.lines, result["best"], strict=True):
        assert to_rgba(line.get_color()) == to_rgba(COLOURS[0] if best else COLOURS[1])
        assert line.get_marker() == ("o" if best else "s")
    said = [text.get_text() for text in left.get_legend().get_texts()]
    assert said == ["may be the best", "not among the best", "ranks it may have"]


LONG = "meta-llama/Llama-3.1-8B-Instruct-temperature-{}-fewshot"


@pytest.mark.parametrize("name", ["m{}", LONG, LONG + "-" + "x" * 60])
@pytest.mark.parametrize("n_arms", [2, 8, 12, 20, 25, 60])
def test_names_and_ranks_do_not_overlap(n_arms, name):
    result = board(n_arms, n=20)
    result["arm"] = [name.format(place) for place in range(n_arms)]
    left, _ = plot.ranks(result)
    left.figure.canvas.draw()
    names = [tick.get_window_extent() for tick in left.get_yticklabels()]
    assert all(a.y0 >= b.y1 for a, b in pairwise(names))
    ticks = [tick.get_window_extent() for tick in left.get_xticklabels()]
    assert all(a.x1 <= b.x0 for a, b in pairwise(ticks))


def test_names_with_dollars_and_of_great_length_are_drawn_as_they_are():
    result = board(3)
    result["arm"] = ["$a_b$", "x" * 90, "m"]
    left, _ = plot.ranks(result)
    left.figure.canvas.draw()
    assert "$a_b$" in labels(left)
    assert "x" * 90 in [label.replace("\n", "") for label in labels(left)]
    assert max(len(line) for label in labels(left) for line in label.split("\n")) <= 40


def test_long_names_that_differ_at_their_ends_stay_different():
    result = board(3)
    result["arm"] = [LONG.format(t) for t in (0.0, 0.5, 1.0)]
    left, _ = plot.ranks(result)
    assert {label.replace("\n", "") for label in labels(left)} == set(result["arm"])


def test_arms_without_limits_have_no_bar_and_the_legend_says_so():
    left, _ = plot.ranks(board(3, n=1))
    assert len(left.patches) == 0
    assert "no bar: no limits" in [text.get_text() for text in left.get_legend().get_texts()]


def test_clusters_are_in_the_label():
    result = board(3, cluster_id=np.tile(np.arange(60) // 4, 3))
    assert plot.ranks(result)[1].get_xlabel().endswith("n = 60 in 15 clusters")


def test_axes_are_those_given():
    _, given = plt.subplots(1, 2)
    assert list(plot.ranks(board(), ax=given)) == list(given)
    with pytest.raises(ValueError, match="ax must hold two Axes, for ranks and for scores"):
        plot.ranks(board(), ax=given[0])


@pytest.mark.parametrize("kept", [slice(20, 30), slice(27, 28), slice(0, 1), slice(5, 30, 8)])
def test_of_some_arms_all_marks_and_bars_are_on_the_axis(kept):
    result = board(30, n=200).sort_values("rank").iloc[kept]
    left, _ = plot.ranks(result)
    low, high = left.get_xlim()
    assert all(low < mark < high for mark in marks(left))
    assert all(low < bar.get_x() and bar.get_x() + bar.get_width() < high for bar in left.patches)
    ticks = left.get_xticks()
    assert len(ticks) >= 1
    assert all(low < tick < high for tick in ticks)


def test_a_whole_leaderboard_has_all_ranks_on_the_axis():
    left, _ = plot.ranks(board())
    assert left.get_xticks().tolist() == [1, 2, 3, 4, 5]
    assert plot.ranks(board(3, n=1))[0].get_xlim() == (0.4, 3.6)


def test_ranks_of_several_levels_are_refused():
    result = board(4)
    mixed = pd.concat([result.iloc[:2], result.iloc[2:].assign(level=0.5)])
    with pytest.raises(FrameError, match=r"column level; .*result\['level'\] == 0\.95"):
        plot.ranks(mixed)
    with pytest.raises(FrameError, match=r"more than one row of the arm 'm00'.*one by one"):
        plot.ranks(pd.concat([result, result]))


def test_what_is_no_single_leaderboard_is_refused():
    result = board()
    with pytest.raises(FrameError, match=r"no column rank, .*df\.evals\.rank\(\)"):
        plot.ranks(result.drop(columns=["rank", "best"]))
    with pytest.raises(FrameError, match="found 0 rows"):
        plot.ranks(result.iloc[:0])
    both = pd.concat([result.assign(metric="score"), result.assign(metric="cost")])
    with pytest.raises(FrameError, match=r"result\[result\['metric'\] == 'score'\]"):
        plot.ranks(both)
    tasks = pd.concat([result, result], keys=["a", "b"], names=["task"]).reset_index("task")
    with pytest.raises(FrameError, match=r"result\[result\['task'\] == 'a'\]"):
        plot.ranks(tasks)
    many = pd.concat([result.assign(arm=result["arm"] + str(i)) for i in range(40)])
    with pytest.raises(FrameError, match="at most 150 arms, found 200"):
        plot.ranks(many)
