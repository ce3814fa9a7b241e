import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal

from evalframe import bradley_terry
from evalframe.errors import DesignError, FrameError, RoleError


def games(n=60, seed=0, arms=("x", "y", "z"), **columns):
    """Return games of arms by sides, some of them ties."""
    draw = np.random.default_rng(seed)
    a = draw.integers(0, len(arms), n)
    b = (a + draw.integers(1, len(arms), n)) % len(arms)
    winner = draw.choice(["a", "b", "tie"], n, p=[0.4, 0.4, 0.2])
    label = np.array(arms, dtype=object)
    frame = {"arm_a": label[a].tolist(), "arm_b": label[b].tolist(), "winner": winner}
    return pd.DataFrame(frame | {name: make(draw, n) for name, make in columns.items()})


def prompts(most):
    return lambda draw, n: draw.integers(0, most, n)


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        (["arm_a"], "arm_a: no column 'arm_a'"),
        (["winner"], "winner: no column 'winner'"),
        (["arm_a", "arm_b", "winner"], "no column 'item_id'"),
    ],
)
def test_a_missing_column_is_named(missing, said):
    with pytest.raises(RoleError, match=said):
        bradley_terry(games().drop(columns=missing))


def test_the_columns_of_an_arena_are_recognised_and_must_be_named():
    frame = games().rename(columns={"arm_a": "model_a", "arm_b": "model_b"})
    with pytest.raises(RoleError, match=r'bradley_terry\(arm_a="model_a", arm_b="model_b"'):
        bradley_terry(frame)
    named = bradley_terry(frame, arm_a="model_a", arm_b="model_b")
    assert_frame_equal(named, bradley_terry(games()), check_exact=True)


def test_a_column_cannot_play_two_parts():
    with pytest.raises(RoleError, match=r"three columns, found .'arm_a', 'arm_a', 'winner'."):
        bradley_terry(games(), arm_b="arm_a")


@pytest.mark.parametrize("column", ["arm_a", "arm_b"])
def test_a_missing_arm_is_refused_with_its_rows(column):
    frame = games()
    frame.loc[[3, 8], column] = None
    with pytest.raises(
        FrameError, match=f"'{column}' must have a label in every row.*2 rows.*3, 8"
    ):
        bradley_terry(frame)


@pytest.mark.parametrize(
    ("column", "change", "said"),
    [
        ("arm_b", lambda c: pd.Series([1] * len(c)), r"str \('z'\) and int \(1\)"),
        ("arm_b", lambda c: [7, *c[1:]], "column 'arm_b' must hold labels of one type"),
        ("arm_a", lambda c: [(one,) for one in c], "column 'arm_a' must hold labels"),
        ("arm_a", lambda c: [0.5] * len(c), "column 'arm_a' must hold labels"),
    ],
)
def test_arms_of_two_types_are_refused(column, change, said):
    frame = games()
    with pytest.raises(FrameError, match=said):
        bradley_terry(frame.assign(**{column: change(frame[column])}))


def test_arms_keep_the_order_of_their_categories():
    kind = pd.CategoricalDtype(["unused", "z", "x", "y"])
    frame = games()
    found = bradley_terry(frame.astype({"arm_a": kind, "arm_b": kind}))
    assert found["arm"].tolist() == ["z", "x", "y"]
    plain = bradley_terry(frame).set_index("arm").loc[["z", "x", "y"]]
    assert_array_equal(found["strength"], plain["strength"])
    other = bradley_terry(frame.astype({"arm_a": kind, "arm_b": "category"}))
    assert other["arm"].tolist() == ["x", "y", "z"]


@pytest.mark.parametrize(
    "arms", [(1, 2, 30), (False, True), tuple(pd.date_range("2024", periods=3))]
)
def test_arms_may_be_other_labels(arms):
    found = bradley_terry(games(arms=arms))
    assert found["arm"].tolist() == list(arms)
    assert_array_equal(
        found["strength"], bradley_terry(games(arms=("x", "y", "z")[: len(arms)]))["strength"]
    )


def test_groups_are_rated_apart():
    frame = games(120, task=lambda draw, n: draw.choice(["math", "code"], n), item_id=prompts(20))
    frame["day"] = 1 + frame.index % 2
    whole = bradley_terry(frame, "x", by=["task", "day"])
    assert len(whole) == 12
    for (task, day), part in whole.groupby(["task", "day"]):
        rows = frame[(frame["task"] == task) & (frame["day"] == day)]
        alone = bradley_terry(rows, "x")
        assert_frame_equal(
            part.drop(columns=["task", "day"]).reset_index(drop=True), alone, check_exact=True
        )


def test_arms_have_rows_in_groups_that_they_play_in():
    frame = pd.concat([games(task=lambda _, n: ["one"] * n),
                       games(arms=("x", "w"), task=lambda _, n: ["two"] * n)])  # fmt: skip
    found = bradley_terry(frame, "y", by="task")
    assert found[["task", "arm"]].to_numpy().tolist() == [
        *(["one", arm] for arm in "xyz"), ["two", "w"], ["two", "x"],
    ]  # fmt: skip
    assert found["note"].tolist()[-1] == "the baseline has no game here"
    assert found["diff"].isna().tolist() == [False, True, False, True, True]


@pytest.mark.parametrize(
    ("columns", "options", "unit"),
    [
        ({}, {}, "game"),
        ({"item_id": prompts(15)}, {}, "item"),
        ({"cluster_id": prompts(15)}, {}, "cluster"),
        ({"cluster_id": prompts(15)}, {"cluster": False}, "game"),
        ({"cluster_id": lambda _, n: [None] * n}, {}, "game"),
    ],
)
def test_what_games_share_is_the_unit(columns, options, unit):
    frame = games(**columns)
    found = bradley_terry(frame, **options)
    assert set(found["unit"]) == {unit}
    assert found["n_clusters"].isna().all() == (unit == "game")
    assert_array_equal(found["strength"], bradley_terry(games())["strength"])
    if unit != "game":
        column = next(iter(columns))
        mine = (frame["arm_a"] == "x") | (frame["arm_b"] == "x")
        assert found["n_clusters"][0] == frame.loc[mine, column].nunique()
        assert found["df"][0] == found["n_clusters"][0] - 1
        assert not np.allclose(found["se"], bradley_terry(games())["se"], rtol=1e-6)


def test_clusters_of_one_game_are_no_clusters():
    own = bradley_terry(games(item_id=lambda _, n: np.arange(n)), "x")
    none = bradley_terry(games(), "x")
    other = ["unit", "n_clusters", "note"]
    assert_frame_equal(own.drop(columns=other), none.drop(columns=other), check_exact=True)
    assert_array_equal(own["n_clusters"], none["n_games"])


def test_an_item_lies_in_one_cluster():
    frame = games(item_id=prompts(15), cluster_id=prompts(3))
    with pytest.raises(FrameError, match="'cluster_id' must be the same in all games of an item"):
        bradley_terry(frame)
    assert set(bradley_terry(frame, cluster=False)["unit"]) == {"item"}


def test_a_cluster_in_some_rows_only_is_refused():
    frame = games(cluster_id=prompts(5)).astype({"cluster_id": "Int64"})
    frame.loc[4, "cluster_id"] = pd.NA
    with pytest.raises(FrameError, match="column 'cluster_id' must have a label in every row"):
        bradley_terry(frame)


def test_missing_winners_can_be_refused():
    frame = games()
    frame.loc[5, "winner"] = None
    with pytest.raises(FrameError, match=r"'winner' must say who won each game.*1 row.*5"):
        bradley_terry(frame, missing="raise")
    with pytest.raises(ValueError, match='missing="zero" is for scores'):
        bradley_terry(frame, missing="zero")


@pytest.mark.parametrize("winner", [None, "tie"])
def test_no_game_that_counts_is_refused_with_what_was_there(winner):
    frame = games().assign(winner=winner)
    with pytest.raises(DesignError, match="strengths need games"):
        bradley_terry(frame, ties="drop")


def test_games_of_arms_with_themselves_alone_are_refused():
    frame = games().assign(arm_b=lambda f: f["arm_a"])
    with pytest.raises(DesignError, match="60 of an arm with itself"):
        bradley_terry(frame)
