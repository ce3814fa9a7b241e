"""Pictures of likeness in style: what stands where in them."""

import subprocess
import sys
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from scipy.stats import wasserstein_distance

import evalframe
from evalframe import DesignError, FrameError, plot
from evalframe.pictures.canvas import COLOURS, ink

METRICS = ["rhythm.a", "rhythm.b", "words.a"]


pytestmark = pytest.mark.usefixtures("agg")


def frame(arms=("near", "far"), n=20, **columns):
    """Return an author with 3 n texts and arms that answer the first n items, as metrics."""
    rng = np.random.default_rng(5)
    parts = [("author", 0.0, 3 * n), *((arm, 0.8 * at, n) for at, arm in enumerate(arms))]
    made = [
        pd.DataFrame(rng.normal(shift, 1, (size, 3)), columns=METRICS).assign(
            item_id=range(size), arm=arm
        )
        for arm, shift, size in parts
    ]
    return pd.concat(made, ignore_index=True).assign(**columns)


def result(arms=("near", "far"), by=None, columns=None, **options):
    whole = frame(arms, **(columns or {}))
    options = {"metrics": METRICS, "n_calibration": 100, **options}
    return whole.evals.voice("author", by=by, **options)


def lines(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def marks(ax):
    """Return {(line of the plot, colour): x} of the large marks."""
    points = [line for line in ax.lines if line.get_marker() not in ("None", None)]
    return {
        (lines(ax)[round(point.get_ydata()[0])], point.get_color()): point.get_xdata()[0]
        for point in points
    }


def legend(ax):
    return [text.get_text().replace("\n", " ") for text in ax.get_legend().get_texts()]


def segments(ax):
    """Return the (x, x) of each horizontal line and the x of each vertical stroke."""
    found = [part for lines in ax.collections for part in lines.get_segments()]
    flat = [part[:, 0].tolist() for part in found if part[0, 1] == part[1, 1]]
    upright = [part[0, 0] for part in found if part[0, 0] == part[1, 0] and part[0, 1] < part[1, 1]]
    return flat, upright


def test_the_score_comes_first_and_each_group_has_a_line():
    ax = plot.voice(result())
    assert isinstance(ax, Axes)
    assert lines(ax) == ["score", "rhythm", "words"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]


def test_marks_are_the_tails_of_each_arm_in_a_colour_of_its_own():
    found = result()
    drawn = marks(plot.voice(found))
    for arm, colour in zip(("far", "near"), COLOURS, strict=False):
        mine = found[found["arm"] == arm]
        tops = mine[mine["scope"] != "metric"].to_dict("records")
        wanted = {(row["group"] or "score", colour): row["tail"] for row in tops}
        assert wanted == {key: x for key, x in drawn.items() if key[1] == colour}


def test_limits_are_lines_and_metrics_are_strokes():
    found = result(interval="jackknife_se")
    flat, upright = segments(plot.voice(found))
    tops = found[(found["scope"] != "metric") & found["conf_low"].notna()]
    assert sorted(flat) == sorted(tops[["conf_low", "conf_high"]].to_numpy().tolist())
    metrics = found[found["scope"] == "metric"]
    assert set(metrics.loc[metrics["tail"].between(0, 1), "tail"]) == set(upright)


def test_the_band_is_where_the_author_lands():
    found = result(("near",))
    bars = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in plot.voice(found).patches]
    tops = found[found["scope"] != "metric"]
    np.testing.assert_allclose(bars, tops[["self_low", "self_high"]].to_numpy())


def test_the_legend_names_arms_with_their_sizes_and_what_is_drawn():
    assert legend(plot.voice(result())) == [
        "far (n = 20)",
        "near (n = 20)",
        "a metric of the group",
        "the author against himself, 5% to 95%",
    ]


def test_without_limits_marks_are_open_and_the_legend_says_so():
    ax = plot.voice(result(("near",), interval=None))
    points = [line for line in ax.lines if line.get_marker() == "o"]
    assert {to_rgba(point.get_markerfacecolor()) for point in points} == {to_rgba("white")}
    assert legend(ax)[-1] == "open: no limits"
    assert "\n" not in ax.get_xlabel()


def test_the_axis_says_that_jackknife_quantiles_are_no_confidence_limits():
    assert "no confidence limits" in plot.voice(result()).get_xlabel()
    label = plot.voice(result(interval="jackknife_se", level=0.8)).get_xlabel()
    assert label.endswith("line: 80% confidence limits")


def test_a_group_without_a_tail_says_so_and_has_no_mark():
    found = result(("near",))
    found.loc[found["group"] == "words", ["tail", "conf_low", "conf_high"]] = np.nan
    ax = plot.voice(found)
    assert [text.get_text() for text in ax.texts] == ["no tail"]
    assert {name for name, _ in marks(ax)} == {"score", "rhythm"}


def test_groups_of_by_are_told_apart_in_the_legend():
    task = np.where(np.arange(80) % 2, "odd", "even")
    ax = plot.voice(result(("near",), by="task", columns={"task": task}))
    assert legend(ax)[:2] == ["near, task=even (n = 10)", "near, task=odd (n = 10)"]


def test_a_result_that_went_through_csv_looks_the_same(tmp_path):
    found = result(interval=None)
    found.to_csv(tmp_path / "voice.csv", index=False)
    one, other = plot.voice(found), plot.voice(pd.read_csv(tmp_path / "voice.csv"))
    assert lines(one) == lines(other)
    assert one.get_xlabel() == other.get_xlabel()
    assert marks(one).keys() == marks(other).keys()


def test_some_groups_alone_are_drawn_without_a_score():
    found = result()
    assert lines(plot.voice(found[found["group"] == "words"])) == ["words"]


def test_voice_draws_on_the_axes_given_and_leaves_the_result_alone():
    found = result()
    before = found.copy()
    _, ax = plt.subplots()
    assert plot.voice(found, ax=ax) is ax
    pd.testing.assert_frame_equal(found, before)


def test_names_with_dollar_signs_are_no_formulas():
    ax = plot.voice(result(("$a$ and $_b", "far")))
    ax.figure.canvas.draw()
    assert "$a$ and $_b (n = 20)" in legend(ax)


def test_twelve_groups_of_three_arms_do_not_overlap():
    parts = [
        result(("one", "two", "three")).assign(group=lambda rows, k=k: rows["group"] + str(k))
        for k in range(6)
    ]
    whole = pd.concat(parts)
    ax = plot.voice(whole[whole["scope"] == "group"])
    ax.figure.canvas.draw()
    boxes = [tick.get_window_extent() for tick in ax.get_yticklabels()]
    assert len(boxes) == 12
    assert all(one.y0 >= other.y1 for one, other in pairwise(boxes))
    assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1 - 1


def test_what_is_no_voice_result_is_refused():
    with pytest.raises(FrameError, match=r"no column reference, .*df\.evals\.voice\(REFERENCE\)"):
        plot.voice(pd.DataFrame({"arm": ["a"]}))
    with pytest.raises(FrameError, match="found 0 rows"):
        plot.voice(result()[:0])


def test_several_levels_are_refused():
    with pytest.raises(FrameError, match=r"found 2: 0\.8, 0\.9; .*\['level'\] == 0\.8"):
        plot.voice(result(level=[0.8, 0.9]))


def test_two_results_in_one_are_refused():
    with pytest.raises(FrameError, match="a row of an arm twice"):
        plot.voice(pd.concat([result(), result()]))


def test_more_arms_than_colours_are_refused():
    many = pd.concat([result(("a",)).assign(arm=f"arm {k}") for k in range(7)])
    with pytest.raises(FrameError, match=r"at most 6 arms apart, found 7; .*isin"):
        plot.voice(many)


def curves(ax):
    """Return {colour: (x, y)} of the curves."""
    return {line.get_color(): line.get_data() for line in ax.lines}


def test_style_shows_the_distance_of_scipy_as_the_area_between_the_curves():
    whole = frame()
    ax = plot.style(whole, "rhythm.a", reference="author")
    author, far, near = (
        whole.loc[whole["arm"] == arm, "rhythm.a"] for arm in ("author", "far", "near")
    )
    assert legend(ax) == [
        "author (n = 60)",
        f"far (n = 20), distance {wasserstein_distance(far, author):.3g}",
        f"near (n = 20), distance {wasserstein_distance(near, author):.3g}",
    ]
    x, y = curves(ax)[COLOURS[0]]
    _, of_author = curves(ax)[ink(ax)]
    area = np.sum(np.abs(y - of_author)[:-1] * np.diff(x))
    assert area == pytest.approx(wasserstein_distance(far, author), rel=1e-12)
    assert (y[0], y[-1]) == (0, 1)


def test_style_takes_the_frame_of_style_and_leaves_training_texts_and_nan_out():
    texts = pd.DataFrame(
        {
            "item_id": [1, 2, 3, 1, 2],
            "arm": ["author"] * 3 + ["model"] * 2,
            "split": ["eval", "eval", "train", None, None],
            "output": ["A b. C d.", "One two three.", "Word " * 50, "Yes.", ""],
        }
    )
    ax = plot.style(texts.evals.style(), "sentence_rhythm.mean", reference="author")
    # Texts of 2 and 3 words a sentence against one of 1; a text without a word has no sentence.
    assert legend(ax) == ["author (n = 2)", "model (n = 1), distance 1.5"]


def test_style_says_which_arm_has_no_values_and_keeps_the_colours_of_the_others():
    whole = frame(("far", "mid", "near"))
    without = whole.assign(**{"rhythm.a": whole["rhythm.a"].where(whole["arm"] != "mid")})
    ax = plot.style(without, "rhythm.a", reference="author")
    assert legend(ax)[2] == "mid (no values)"
    full = plot.style(whole, "rhythm.a", reference="author")
    for arm in ("far", "near"):
        looks = [
            (line.get_color(), line.get_marker())
            for one in (ax, full)
            for line in one.lines
            if line.get_label().startswith(arm)
        ]
        assert looks[0] == looks[1]
    nobody = whole.assign(**{"rhythm.a": whole["rhythm.a"].where(whole["arm"] == "author")})
    with pytest.raises(DesignError, match="beside 'author', found 0"):
        plot.style(nobody, "rhythm.a", reference="author")


def test_curves_of_style_differ_in_their_marks_too():
    ax = plot.style(frame(tuple("abcdef")), "words.a", reference="author")
    assert len({(line.get_marker(), line.get_linestyle()) for line in ax.lines}) == 7


def test_style_draws_one_value_that_all_texts_share():
    ax = plot.style(frame().assign(same=2), "same", reference="author")
    assert legend(ax)[1].endswith("distance 0")
    assert ax.get_xlim() == (1.5, 2.5)


def test_style_draws_on_the_axes_given():
    _, ax = plt.subplots()
    assert plot.style(frame(), "words.a", reference="author", ax=ax) is ax
    assert ax.get_xlabel() == "words.a"


def test_style_names_the_missing_column():
    with pytest.raises(FrameError, match=r"no column words\.b; .*df\.evals\.style"):
        plot.style(frame(), "words.b", reference="author")
    with pytest.raises(FrameError, match="no column arm"):
        plot.style(frame().drop(columns="arm"), "words.a", reference="author")


@pytest.mark.parametrize(
    ("values", "said"), [("many", r"of dtype .*astype\(float\)"), (np.inf, "80 infinite")]
)
def test_style_refuses_what_is_no_finite_number(values, said):
    whole = frame(("near",)).assign(metric=values)
    with pytest.raises(FrameError, match=said):
        plot.style(whole, "metric", reference="author")


def test_style_needs_the_author_and_one_to_six_arms_beside_him():
    with pytest.raises(DesignError, match=r"found 'nobody'; .*'author', 'far', 'near'"):
        plot.style(frame(), "words.a", reference="nobody")
    with pytest.raises(DesignError, match=r"1 to 6 arms beside 'author', found 0"):
        plot.style(frame(()), "words.a", reference="author")
    with pytest.raises(DesignError, match=r"found 7"):
        plot.style(frame("abcdefg"), "words.a", reference="author")


def test_without_matplotlib_the_error_names_the_extra():
    code = (
        "import sys; sys.modules['matplotlib'] = sys.modules['matplotlib.pyplot'] = None\n"
        "import pandas as pd, evalframe\n"
        "frame = pd.DataFrame({'arm': ['a', 'b'], 'm': [1.0, 2.0]})\n"
        "try:\n    evalframe.plot.style(frame, 'm', reference='a')\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "evalframe[plot]"' in done.stdout
    assert evalframe.plot is plot
