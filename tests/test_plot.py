"""Pictures of results: what stands where in them."""

import subprocess
import sys
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from rising_arms import runs

import evalframe
from evalframe import DesignError, FrameError, bradley_terry, compare, plot, score

pytestmark = pytest.mark.usefixtures("agg")


def labels(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def marks(ax):
    """Return (x, y, whether filled) of each mark, from the top."""
    points = [line for line in ax.lines if line.get_marker() == "o"]
    found = [
        (
            float(line.get_xdata()[0]),
            float(line.get_ydata()[0]),
            to_rgba(line.get_markerfacecolor()) == to_rgba(plot.BLUE),
        )
        for line in points
    ]
    return sorted(found, key=lambda mark: mark[1])


def zero_lines(ax):
    return [line for line in ax.lines if list(line.get_xdata()) == [0, 0]]


def text_boxes(ax):
    ax.figure.canvas.draw()
    return [tick.get_window_extent() for tick in ax.get_yticklabels() if tick.get_text()]


def test_scores_come_best_first_with_sizes_and_no_zero_line():
    result = score(runs())
    ax = plot.forest(result)
    assert isinstance(ax, Axes)
    assert labels(ax) == ["other (n = 20)", "edit (n = 20)", "base (n = 20)"]
    assert [x for x, _, _ in marks(ax)] == sorted(result["estimate"], reverse=True)
    assert zero_lines(ax) == []
    assert ax.get_xlabel() == "score, 95% interval"


def test_the_first_row_is_at_the_top():
    ax = plot.forest(score(runs()))
    low, high = ax.get_ylim()
    assert low > high


def test_intervals_are_those_of_the_result():
    result = score(runs()).sort_values("estimate", ascending=False)
    ax = plot.forest(result)
    drawn = [line.get_segments()[0][:, 0].tolist() for line in ax.collections]
    np.testing.assert_allclose(drawn, result[["conf_low", "conf_high"]].to_numpy())


def test_differences_have_a_zero_line_and_name_the_baseline():
    ax = plot.forest(compare(runs(), "base"))
    assert len(zero_lines(ax)) == 1
    assert ax.get_xlabel() == "score: difference from base\n95% interval"
    one = plot.forest(compare(runs(("base", "edit")), "base"))
    assert one.get_xlabel() == "score: edit minus base\n95% interval"


def test_clusters_are_in_the_label():
    frame = runs(("base",))
    ax = plot.forest(score(frame.assign(cluster_id=frame["item_id"] // 4)))
    assert labels(ax) == ["base (n = 20 in 5 clusters)"]


def test_groups_have_headings_and_sort_within():
    result = score(runs(), by="task")
    expected = []
    for task in ("even", "odd"):
        rows = result[result["task"] == task].sort_values("estimate", ascending=False)
        expected += [task, *rows["arm"]]
    ax = plot.forest(result)
    assert [label.split(" (")[0] for label in labels(ax)] == expected
    headings = [tick for tick in ax.get_yticklabels() if tick.get_fontweight() == "bold"]
    assert [tick.get_text() for tick in headings] == ["even", "odd"]


def test_groups_of_one_arm_are_sorted_as_rows():
    result = compare(runs(("base", "edit")), "base", by="task")
    ax = plot.forest(result)
    best_first = result.sort_values("diff", ascending=False)["task"].tolist()
    assert [label.split(" (")[0] for label in labels(ax)] == best_first


def test_several_metrics_are_panels_in_one_order():
    frame = runs(n_output_tokens=100.0)
    frame.loc[frame["arm"] == "edit", "n_output_tokens"] = 50.0 + np.arange(20)
    axes = plot.forest(compare(frame, "base"))
    assert [ax.get_xlabel().split(":")[0] for ax in axes] == ["score", "tokens"]
    assert labels(axes[0]) == ["other (n = 20)", "edit (n = 20)"]
    assert labels(axes[1]) == ["", ""]
    assert [x for x, _, _ in marks(axes[1])] == [0.0, -40.5]


def test_a_panel_with_other_sizes_says_them():
    frame = runs(("base",)).assign(n_output_tokens=[None, *range(19)])
    axes = plot.forest(score(frame, value=["score", "n_output_tokens"]))
    assert labels(axes[1]) == ["n = 19"]


def test_a_row_without_an_interval_has_an_open_mark_and_says_so():
    frame = pd.concat([runs(("base",)), runs(("one",), n=1)])
    ax = plot.forest(score(frame))
    assert dict(zip(labels(ax), [filled for _, _, filled in marks(ax)], strict=True)) == {
        "one (n = 1; no interval)": False,
        "base (n = 20)": True,
    }


def test_a_row_without_an_estimate_comes_last():
    frame = pd.concat([runs(("none",)).assign(score=np.nan), runs(("some",))])
    ax = plot.forest(score(frame))
    assert labels(ax) == ["some (n = 20)", "none (n = 0; no interval)"]


@pytest.mark.parametrize("by", [None, "task"])
def test_labels_do_not_overlap_however_long(by):
    long = "meta-llama/Llama-3.1-405B-Instruct-Turbo with a system prompt of many words, rerun"
    arms = [long, long.upper(), "x" * 90, *map(str, range(9))]
    boxes = text_boxes(plot.forest(score(runs(arms), by=by)))
    below = sorted(boxes, key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 for low, high in pairwise(below))


def test_labels_do_not_overlap_below_a_caption_and_above_a_long_axis_text():
    long = "meta-llama/Llama-3.1-405B-Instruct-Turbo with a system prompt of many words, {}"
    arms = [long.format(place) for place in range(4)]
    for n_shown in (1, 2):
        result = compare(runs(arms[: n_shown + 2]), arms[0], floor=arms[1])
        below = sorted(text_boxes(plot.floor(result)), key=lambda box: box.y0)
        assert len(below) == n_shown
        assert all(low.y1 <= high.y0 for low, high in pairwise(below))


def test_ticks_of_panels_do_not_overlap():
    frame = runs(("base", "edit"), n=400)
    frame["hit_cap"] = (frame["item_id"] + (frame["arm"] == "edit")) % 100 == 0
    axes = plot.forest(compare(frame.assign(n_output_tokens=frame["item_id"]), "base"))
    for ax in axes:
        ax.figure.canvas.draw()
        boxes = [tick.get_window_extent() for tick in ax.get_xticklabels() if tick.get_text()]
        assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


def test_dollar_signs_in_a_label_are_no_formula():
    ax = plot.forest(score(runs(("a$b_c$",))))
    ax.figure.canvas.draw()
    assert not ax.get_yticklabels()[0].get_parse_math()


def test_axes_that_are_given_are_drawn_on():
    _, (left, right) = plt.subplots(1, 2)
    assert plot.forest(score(runs()), ax=left) is left
    frame = runs(n_output_tokens=1.0)
    drawn = plot.forest(compare(frame, "base"), ax=[left, right])
    assert list(drawn) == [left, right]
    with pytest.raises(ValueError, match=r"result has 2, found 1.*metric'\] == 'score'"):
        plot.forest(compare(frame, "base"), ax=left)


def test_the_band_is_the_threshold_and_filled_marks_exceed_it():
    result = compare(runs(("base", "rerun", "edit", "other")), "base", floor="rerun")
    ax = plot.floor(result)
    ordered = result.sort_values("diff", ascending=False)
    assert [filled for _, _, filled in marks(ax)] == ordered["exceeds"].tolist()
    for bar, threshold in zip(ax.patches, ordered["threshold"], strict=True):
        np.testing.assert_allclose(
            [bar.get_x(), bar.get_x() + bar.get_width()], [-threshold, threshold]
        )


def test_a_floor_frame_gives_the_same_picture_as_the_floor_of_compare():
    frame = runs(("base", "rerun", "edit", "other"))
    within = plot.floor(compare(frame, "base", floor="rerun"))
    result = compare(frame[frame["arm"] != "rerun"], "base")
    beside = plot.floor(result, compare(frame[frame["arm"].isin(["base", "rerun"])], "base"))
    assert marks(within) == marks(beside)
    assert labels(within) == labels(beside)


def test_a_forest_of_a_result_with_a_floor_shows_no_band():
    ax = plot.forest(compare(runs(), "base", floor="other"))
    assert list(ax.patches) == []


def test_a_result_that_was_saved_looks_the_same(tmp_path):
    result = compare(runs(), "base", by="task", floor="other")
    evalframe.write_parquet(result, tmp_path / "x.parquet")
    back = evalframe.read_parquet(tmp_path / "x.parquet")
    assert marks(plot.floor(back)) == marks(plot.floor(result))
    assert labels(plot.forest(back)) == labels(plot.forest(result))


@pytest.mark.parametrize("baseline", [None, "base"])
def test_strengths_are_drawn_with_their_limits_and_numbers_of_games(baseline):
    found = bradley_terry(runs(), baseline).sort_values("strength", ascending=False)
    ax = plot.forest(found)
    assert [x for x, _, _ in marks(ax)] == found["strength"].tolist()
    drawn = [line.get_segments()[0][:, 0].tolist() for line in ax.collections]
    np.testing.assert_allclose(drawn, found[["conf_low", "conf_high"]].to_numpy())
    assert labels(ax) == [f"{arm} (n = 40 games)" for arm in found["arm"]]
    assert ax.get_xlabel() == "log-odds strength, 95% interval"
    clustered = bradley_terry(runs(cluster_id=list(range(5)) * 12))
    assert labels(plot.forest(clustered))[0].endswith("(n = 40 games in 5 clusters)")
    tasks = labels(plot.forest(bradley_terry(runs(), by="task")))
    assert [text for text in tasks if " " not in text] == ["even", "odd"]


def test_what_is_no_result_is_refused_with_what_to_type():
    with pytest.raises(FrameError, match=r"no column estimate.*df\.evals\.score\(\)"):
        plot.forest(runs())
    with pytest.raises(FrameError, match=r"no column diff, floor_diff.*floor=RERUN"):
        plot.floor(score(runs()))
    with pytest.raises(FrameError, match=r"found 0 rows"):
        plot.forest(score(runs().head(0)))
    with pytest.raises(FrameError, match=r"at most 150 rows.*nlargest"):
        plot.forest(score(runs(tuple(map(str, range(200))), n=2)))
    with pytest.raises(DesignError, match="same groups"):
        plot.floor(compare(runs(), "base"), compare(runs(), "base", by="task"))


def test_the_result_is_unchanged():
    result = compare(runs(), "base", floor="other")
    before = result.copy(deep=True)
    plot.forest(result)
    plot.floor(result)
    pd.testing.assert_frame_equal(result, before)


def test_without_matplotlib_the_error_names_the_extra():
    code = (
        "import sys; sys.modules['matplotlib'] = None; import evalframe as ef\n"
        "try: ef.plot.forest(ef.score([1, 0]))\n"
        "except ImportError as error: print(error)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert out == 'plots need matplotlib: pip install "evalframe[plot]"\n'
