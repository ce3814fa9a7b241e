"""Which rows of a result a forest plot draws, and what it calls them."""

import numpy as np
import pandas as pd
import pytest
from rising_arms import runs

from evalframe import (
    FrameError,
    bootstrap,
    compare,
    debias,
    pass_at_k,
    plot,
    pooled,
    score,
)

pytestmark = pytest.mark.usefixtures("agg")


def paired(n=40):
    """Return runs of three seeds with a judge, gold labels of some, and clusters."""
    frame = pd.concat([runs(n=n, seed=seed) for seed in range(3)], ignore_index=True)
    draw = np.random.default_rng(0)
    frame["score"] = draw.integers(0, 2, len(frame)) * 1.0
    gold = frame["score"].where(frame["item_id"] % 3 == 0)
    return frame.assign(judge=frame["score"], gold=gold, cluster_id=frame["item_id"] // 4)


def labels(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def names(ax):
    """Return the labels without their sizes."""
    return [label.replace("\n(", " (").split(" (")[0] for label in labels(ax)]


def marks(ax):
    """Return (x, y) of each mark, from the top."""
    points = [line for line in ax.lines if line.get_marker() == "o"]
    found = [(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in points]
    return sorted(found, key=lambda mark: mark[1])


def zero_lines(ax):
    return [line for line in ax.lines if list(line.get_xdata()) == [0, 0]]


# Every kind of result whose rows an arm does not tell apart, by the text that tells them.
SEVERAL_ROWS = {
    "k": (lambda d: pass_at_k(d, k=[1, 2, 3]), {"k=1", "k=2", "k=3"}),
    "weighting": (lambda d: pooled(d, "base", by="task"), {"macro", "micro"}),
    "weighting of scores": (lambda d: pooled(d, by="task"), {"macro", "micro"}),
    "level": (
        lambda d: pd.concat([score(d, interval="t"), score(d, interval="normal", level=0.5)]),
        {"95%", "50%"},
    ),
    "interval": (
        lambda d: pd.concat([score(d, interval=one) for one in ("t", "cr2")]),
        {"interval=t", "interval=cr2"},
    ),
    "margin": (
        lambda d: pd.concat([compare(d, "base", value="score", margin=one) for one in (0.1, 0.2)]),
        {"margin=0.1", "margin=0.2"},
    ),
    "statistic": (
        lambda d: pd.concat([bootstrap(d, statistic=one, n_boot=20) for one in ("mean", "median")]),
        {"mean", "median"},
    ),
    "a column of one's own": (
        lambda d: pd.concat([score(d).assign(heat=one) for one in (0.0, 0.7)]),
        {"heat=0", "heat=0.7"},
    ),
}


@pytest.mark.parametrize("kind", SEVERAL_ROWS)
def test_every_row_has_a_line_that_its_label_tells_from_the_others(kind):
    make, told = SEVERAL_ROWS[kind]
    result = make(paired())
    ax = plot.forest(result)
    value = "diff" if "diff" in result else "estimate"
    expected = result[[value, "conf_low", "conf_high"]].to_numpy()
    segments = [line.get_segments()[0] for line in ax.collections]
    x_of = {y: x for x, y in marks(ax)}
    drawn = [[x_of[ends[0, 1]], *ends[:, 0]] for ends in segments]
    np.testing.assert_allclose(sorted(drawn), sorted(expected.tolist()))
    assert len(set(labels(ax))) == len(result)
    assert {name.split(", ")[1] for name in names(ax)} == told


def test_what_all_rows_share_is_said_on_the_axis():
    some = pass_at_k(paired(), k=2)
    assert plot.forest(some).get_xlabel() == "score, k=2, 95% interval"
    macro = pooled(paired(), "base", by="task").query("weighting == 'macro'")
    assert plot.forest(macro).get_xlabel() == "score: difference from base\nmacro, 95% interval"
    both = pd.concat([score(runs()), score(runs(), level=0.5)])
    assert plot.forest(both).get_xlabel() == "score, interval"


def test_what_does_not_apply_to_a_row_is_not_in_its_label():
    frame = paired()[lambda d: d["arm"] == "base"]
    ax = plot.forest(pd.concat([score(frame), bootstrap(frame, n_boot=20)]))
    assert sorted(names(ax)) == ["base", "base, mean"]


def test_results_put_together_with_names_are_groups():
    one, two = score(runs()), score(runs(n=30))
    ax = plot.forest(pd.concat({"first": one, "second": two}, names=["run"]))
    assert names(ax)[::4] == ["first", "second"]
    assert len(marks(ax)) == 6


def test_rows_that_no_column_tells_apart_are_refused_with_what_to_type():
    one = score(runs())
    with pytest.raises(
        FrameError, match=r"found 6 rows .*\(alike in metric, arm\).*names=\['run'\]"
    ):
        plot.forest(pd.concat([one, score(runs(n=30))]))
    noisy = compare(runs(), "base", floor="other")
    with pytest.raises(FrameError, match=r"no column tells apart"):
        plot.floor(pd.concat([noisy, noisy]))


def test_labels_of_different_types_stay_different():
    result = pd.concat([score(runs(("1",))), score(runs(("2",))).assign(arm=1)])
    assert sorted(names(plot.forest(result))) == ["'1'", "1"]


DIFFERENCES = {
    "debias": lambda d, base: debias(d, base, judge="judge", gold="gold"),
    "pooled": lambda d, base: pooled(d, base, by="task").query("weighting == 'macro'"),
    "bootstrap": lambda d, base: bootstrap(d, base, n_boot=20),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_an_estimate_with_a_baseline_is_drawn_as_a_difference(name):
    frame = paired()
    ax = plot.forest(DIFFERENCES[name](frame, "base"))
    assert len(zero_lines(ax)) == 1
    assert ": difference from base\n" in ax.get_xlabel()
    two = frame[frame["arm"] != "other"]
    one = plot.forest(DIFFERENCES[name](two, "base"))
    assert ": edit minus base\n" in one.get_xlabel()


@pytest.mark.parametrize("name", DIFFERENCES)
def test_an_estimate_without_a_baseline_is_drawn_as_a_score(name):
    ax = plot.forest(DIFFERENCES[name](paired(), None))
    assert zero_lines(ax) == []
    assert "difference" not in ax.get_xlabel()
    assert len(marks(ax)) == 3


def test_differences_and_scores_in_one_frame_are_refused():
    frame = paired()
    both = pd.concat([bootstrap(frame, n_boot=20), bootstrap(frame, "base", n_boot=20)])
    with pytest.raises(FrameError, match=r"3 row\(s\) without a baseline and 2 with one.*notna"):
        plot.forest(both)
    with pytest.raises(FrameError, match=r"rows with diff and rows with estimate.*notna"):
        plot.forest(pd.concat([score(frame), compare(frame, "base", value="score")]))


@pytest.mark.parametrize(
    ("unit", "said"),
    [("item", "n = 40"), ("cluster", "n = 10 clusters"), ("hierarchical", "n = 10 outer units")],
)
def test_what_was_resampled_is_in_the_label(unit, said):
    ax = plot.forest(bootstrap(paired(), n_boot=20, unit=unit))
    assert labels(ax)[0].endswith(f"({said})")
