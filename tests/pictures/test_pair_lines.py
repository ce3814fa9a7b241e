"""Which lines a picture of two arms has, and in what order."""

import numpy as np
import pandas as pd

from evalframe.pictures.pair_lines import MOST_LINES, pair_lines


def labels(n, **columns):
    return pd.DataFrame({**columns, "item_id": [f"q{i:04}" for i in range(n)]})


def shown(found):
    return [(line.label, line.baseline_only, line.arm_only) for line in found.lines]


def sums(found):
    return tuple(sum(line[place] for line in shown(found)) for place in (1, 2))


def test_few_items_that_differ_get_a_line_each_the_arms_gains_first():
    found = pair_lines(labels(5), [], np.array([-1, 0, 1, 0, 1]))
    assert shown(found) == [("q0002", 0, 1), ("q0004", 0, 1), ("q0000", 1, 0)]


def test_an_items_line_names_its_cluster():
    found = pair_lines(labels(2).assign(cluster_id=["a", "b"]), [], np.array([0, 1]))
    assert shown(found) == [("q0001 (b)", 0, 1)]


def test_where_no_item_differs_there_is_no_line():
    assert pair_lines(labels(5), [], np.zeros(5, dtype=int)).lines == []


def test_groups_have_their_size_and_come_by_the_net_gain():
    frame = labels(6, task=list("aabbcc"))
    found = pair_lines(frame, ["task"], np.array([-1, -1, 0, 0, 1, -1]))
    assert shown(found) == [("b (n = 2)", 0, 0), ("c (n = 2)", 1, 1), ("a (n = 2)", 2, 0)]


def test_groups_of_several_columns_name_them():
    frame = labels(2, task=["x", "y"], year=[1, 2])
    found = pair_lines(frame, ["task", "year"], np.array([1, 0]))
    assert [line.label for line in found.lines] == [
        "task=x, year=1 (n = 1)",
        "task=y, year=2 (n = 1)",
    ]


def test_categories_that_do_not_occur_have_no_line():
    task = pd.Categorical(["x", "y"], categories=["z", "y", "x"])
    found = pair_lines(labels(2, task=task), ["task"], np.array([0, 0]))
    assert [line.label for line in found.lines] == ["y (n = 1)", "x (n = 1)"]


def test_many_items_are_shown_by_cluster():
    frame = labels(100).assign(cluster_id=np.arange(100) // 25)
    found = pair_lines(frame, [], np.repeat([1, -1, 0, 1], 25))
    assert [line.label.split()[0] for line in found.lines] == ["0", "3", "2", "1"]
    assert sums(found) == (25, 50)


def test_of_many_groups_those_that_differ_most_are_shown_and_one_line_holds_the_rest():
    n = 50
    group = np.repeat(np.arange(n), n)
    side = (np.tile(np.arange(n), n) < group).astype(int)
    found = pair_lines(labels(n * n, task=group), ["task"], side)
    assert len(found.lines) == MOST_LINES
    assert [line.arm_only for line in found.lines[:-1]] == list(range(49, 30, -1))
    assert found.lines[-1].label == "31 other groups (n = 1,550)"
    assert [line.rest for line in found.lines] == [False] * 19 + [True]
    assert sums(found) == (0, side.sum())


def test_without_groups_items_stand_together_by_id():
    side = np.tile([1, -1, 0, 0], 500)
    found = pair_lines(labels(2_000), [], side)
    assert found.lines[0].label == "q0000 to q0199 (n = 200)"
    assert found.lines[-1].label == "q1800 to q1999 (n = 200)"
    assert len(found.lines) == 10
    assert sums(found) == (500, 500)


def test_long_labels_are_broken_and_get_the_height():
    frame = labels(2, task=["word " * 30, "short"])
    found = pair_lines(frame, ["task"], np.array([1, 0]))
    long, short = found.lines
    assert max(map(len, long.label.split("\n"))) <= 40
    assert long.height > short.height == 1
