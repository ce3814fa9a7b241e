import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from evalframe import bradley_terry
from evalframe.errors import FrameError

RECORD = ["wins", "ties", "losses", "n_games", "n_missing", "n_self"]


def games(winner, a=("x", "y", "z", "x", "z", "y"), b=("y", "z", "x", "z", "y", "x"), **columns):
    return pd.DataFrame({"arm_a": list(a), "arm_b": list(b), "winner": winner, **columns})


LABELS = ["x", "z", "x", "z", "tie", "y"]
SIDES = ["a", "b", "b", "b", "tie", "a"]
RESULTS = [1, 0, 0, 0, 0.5, 1]

SAME = {
    "labels": LABELS,
    "sides": SIDES,
    "columns": ["arm_a", "arm_b", "arm_b", "arm_b", "tie", "arm_a"],
    "arena": ["model_a", "model_b", "model_b", "model_b", "tie (bothbad)", "model_a"],
    "arena 2": ["model_a", "model_b", "model_b", "model_b", "both_bad", "model_a"],
    "upper case": ["A", "B", "B", "B", "Draw", "A"],
    "results": RESULTS,
    "results as objects": pd.Series(RESULTS, dtype=object),
    "categories": pd.Categorical(LABELS, ["unused", "z", "tie", "x", "y"]),
    "arrow": pd.Series(LABELS, dtype="string[pyarrow]"),
    "Float64": pd.Series(RESULTS, dtype="Float64"),
}


@pytest.mark.parametrize("kind", SAME)
def test_winners_are_read_in_any_of_the_ways(kind):
    expected = bradley_terry(games(LABELS), "x")
    assert_array_equal(expected["wins"], [2, 1, 2])
    assert_array_equal(expected["ties"], [0, 1, 1])
    assert_array_equal(expected["losses"], [2, 2, 1])
    pd.testing.assert_frame_equal(bradley_terry(games(SAME[kind]), "x"), expected, check_exact=True)


def test_booleans_say_whether_the_first_arm_won():
    found = bradley_terry(games([True, False, False, False, True, True]))
    assert_array_equal(found["wins"], [2, 1, 3])


def test_columns_of_other_names_are_named():
    frame = games(["left", "right", "right", "right", "tie", "left"])
    frame.columns = ["left", "right", "vote"]
    found = bradley_terry(frame, arm_a="left", arm_b="right", winner="vote")
    assert_array_equal(found["wins"], bradley_terry(games(LABELS))["wins"])


def test_arms_that_are_numbers_are_labels_where_that_fits_alone():
    a, b = (1, 0, 2, 1, 2, 0), (0, 2, 1, 2, 0, 1)
    found = bradley_terry(games([1, 2, 1, 2, 2, 0], a, b))
    assert_array_equal(found["arm"], [0, 1, 2])
    assert_array_equal(found["wins"], [1, 2, 3])


def test_arms_named_as_sides_are_read_as_arms_where_that_fits_alone():
    a, b = ("a", "b", "c", "a", "c", "b"), ("b", "c", "a", "c", "b", "a")
    found = bradley_terry(games(["a", "c", "a", "c", "tie", "b"], a, b))
    assert_array_equal(found["wins"], [2, 1, 2])


@pytest.mark.parametrize(
    ("a", "b", "winner"),
    [
        (("a", "b", "b"), ("b", "a", "a"), ["a", "a", "b"]),
        ((1, 0, 1), (0, 1, 0), [1, 1, 0]),
        ((True, False, True), (False, True, False), [True, True, False]),
    ],
)
def test_two_readings_that_disagree_are_refused(a, b, winner):
    with pytest.raises(
        FrameError, match=r"'winner' must have one meaning.*arm that won.*1 row|2 r"
    ):
        bradley_terry(games(winner, a, b))


def test_two_readings_that_agree_are_one():
    found = bradley_terry(games(["a", "b", "tie"], ("a", "a", "a"), ("b", "b", "b")))
    assert_array_equal(found["wins"], [1, 1])


@pytest.mark.parametrize(
    ("winner", "shown"),
    [
        (["x", "z", "x", "w", "w", "y"], r"'w' \(2\); the arms are 'x', 'y', 'z'"),
        (["x", "x", "x", "z", "tie", "y"], r"others in 1 row.*: 1\): 'x' \(1\)"),
        (["a", "b", "b", "b", "x", "a"], r"'x' \(1\)"),
        ([1, 0, 0, 0, 0.25, 1], r"0.25 \(1\)"),
        ([1, 2, 2, 2, 3, 1], r"others in 4 rows"),
        (["a", "b", "b", "b", "?", ""], r"'\?' \(1\), '' \(1\)"),
    ],
)
def test_what_cannot_be_read_is_shown_with_what_can(winner, shown):
    with pytest.raises(FrameError, match=shown) as error:
        bradley_terry(games(winner))
    assert "a side ('a', 'b', 'arm_a', 'arm_b')" in str(error.value)
    assert "'tie (bothbad)'" in str(error.value)
    assert "df.assign(winner=df['winner'].replace(" in str(error.value)
    assert error.value.column == "winner"


@pytest.mark.parametrize("word", ["tie", "draw", "Draw", "both bad"])
@pytest.mark.parametrize(
    ("a", "b", "winner"),
    [
        # The arm's own games alone, those of others, and a column that nothing else fits.
        ("xx", "TT", "xT"),
        ("xyxT", "yxTy", "xTxT"),
        ("xyT", "yxx", "TTT"),
        ("xyT", "yx?", "xyT"),
    ],
)
def test_a_winner_that_is_an_arm_and_a_tie_word_is_refused(word, a, b, winner):
    a, b, winner = ([word if one == "T" else one for one in texts] for texts in (a, b, winner))
    said = (
        rf"{word!r} in \d row.*, which is an arm and a word for a tie; rename the arm.*"
        rf"replace\(\{{{word!r}: 'arm {word}'\}}\).*sides 'a', 'b'"
    )
    with pytest.raises(FrameError, match=said) as error:
        bradley_terry(games(winner, a, b))
    assert error.value.column == "winner"


def test_sides_and_ties_are_clear_whatever_arms_are_called():
    a, b = ("x", "tie", "x", "tie"), ("tie", "x", "tie", "x")
    found = bradley_terry(games(["a", "a", "tie", "b"], a, b))
    assert_array_equal(found["arm"], ["tie", "x"])
    assert_array_equal(found[["wins", "ties", "losses"]], [[1, 1, 2], [2, 1, 1]])


def test_an_arm_with_the_name_of_a_tie_is_an_arm_where_it_wins_nothing():
    a, b = ("x", "x", "x", "x", "tie", "tie"), ("y", "y", "y", "tie", "x", "y")
    found = bradley_terry(games(["x", "draw", "y", "x", "x", "y"], a, b), penalty="jeffreys")
    assert_array_equal(found[["wins", "ties"]], [[0, 0], [3, 1], [2, 1]])


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("winner", [LABELS, SIDES, RESULTS])
def test_games_without_a_winner_are_counted_and_left_out(winner, missing):
    frame = games(
        [*winner, missing], (*games(LABELS)["arm_a"], "x"), (*games(LABELS)["arm_b"], "y")
    )
    found, expected = bradley_terry(frame), bradley_terry(games(winner))
    assert_array_equal(found["n_missing"], [1, 1, 0])
    pd.testing.assert_frame_equal(
        found.drop(columns="n_missing"), expected.drop(columns="n_missing"), check_exact=True
    )


@pytest.mark.parametrize("won", ["x", "tie", "nobody"])
def test_games_of_an_arm_with_itself_are_counted_and_left_out(won):
    frame = games([*LABELS, won], (*games(LABELS)["arm_a"], "x"), (*games(LABELS)["arm_b"], "x"))
    found, expected = bradley_terry(frame), bradley_terry(games(LABELS))
    assert_array_equal(found["n_self"], [1, 0, 0])
    pd.testing.assert_frame_equal(
        found.drop(columns="n_self"), expected.drop(columns="n_self"), check_exact=True
    )
