import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal
from scipy.stats import norm
from scipy.stats import t as student

import evalframe as ef
from evalframe import bradley_terry
from evalframe.errors import DesignError, RoleError
from evalframe.results import DTYPE, TABLES

OPTIONS = [
    {},
    {"ties": "davidson"},
    {"ties": "drop", "errors": "model"},
    {"side": True},
    {"side": True, "ties": "davidson", "cluster": False},
    {"penalty": "jeffreys"},
]
FLIP = {"a": "b", "b": "a", "tie": "tie"}


@st.composite
def tournaments(draw, most_arms=5, most_games=60):
    """Draw games on few prompts, and an order of their rows."""
    n_arms = draw(st.integers(2, most_arms))
    n = draw(st.integers(4, most_games))
    seed = draw(st.integers(0, 2**32 - 1))
    return tournament(n_arms, n, seed, draw(st.integers(1, 20)))


def tournament(n_arms, n, seed, n_items=8):
    draw = np.random.default_rng(seed)
    a = draw.integers(0, n_arms, n)
    b = (a + draw.integers(1, n_arms, n)) % n_arms
    winner = draw.choice(["a", "b", "tie"], n, p=[0.45, 0.35, 0.2])
    item = draw.integers(0, n_items, n)
    return pd.DataFrame({"arm_a": a, "arm_b": b, "winner": winner, "item_id": item})


def answer(frame, **options):
    """Return a result, or the kind of error."""
    try:
        return bradley_terry(frame, **options)
    except DesignError as error:
        return str(error).split(";")[0].split("found ")[1].split(":")[0]


def same(one, other):
    """Say that two answers are equal, to the last bit."""
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
    else:
        assert_frame_equal(one, other, check_exact=True)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@settings(max_examples=15)
@given(frame=tournaments(), seed=st.integers(0, 1000))
def test_order_of_rows_names_of_items_and_other_columns_change_no_bit(options, frame, seed):
    other = frame.sample(frac=1, random_state=seed).assign(extra="?")
    other["item_id"] = (100 - other["item_id"]).map("item {}".format)
    same(answer(other, **options), answer(frame, **options))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@settings(max_examples=15)
@given(frame=tournaments(), random=st.randoms(use_true_random=False))
def test_names_of_arms_change_no_bit(options, frame, random):
    place = list(range(5))
    random.shuffle(place)
    other = frame.replace({"arm_a": dict(enumerate(place)), "arm_b": dict(enumerate(place))})
    found, renamed = answer(frame, **options), answer(other, **options)
    if not isinstance(renamed, str):
        back = renamed.assign(arm=[place.index(arm) for arm in renamed["arm"]])
        renamed = back.sort_values("arm", ignore_index=True)
        renamed.attrs = found.attrs if not isinstance(found, str) else {}
        free = ["note"] if options.get("penalty") else []
        same(renamed.drop(columns=free), found.drop(columns=free))
    else:
        same(renamed, found)


@pytest.mark.parametrize("options", [one for one in OPTIONS if not one.get("side")], ids=str)
@settings(max_examples=15)
@given(frame=tournaments())
def test_swapped_sides_change_no_bit(options, frame):
    other = frame.rename(columns={"arm_a": "arm_b", "arm_b": "arm_a"})
    other["winner"] = frame["winner"].map(FLIP)
    same(answer(other, **options), answer(frame, **options))


@given(frame=tournaments(), rows=st.integers(0, 2**16))
def test_some_rows_swapped_change_no_bit(frame, rows):
    swap = np.array([rows >> (k % 16) & 1 for k in range(len(frame))], dtype=bool)
    other = frame.copy()
    other.loc[swap, ["arm_a", "arm_b"]] = frame.loc[swap, ["arm_b", "arm_a"]].to_numpy()
    other.loc[swap, "winner"] = frame.loc[swap, "winner"].map(FLIP)
    same(answer(other), answer(frame))


@given(tournaments())
def test_swapped_sides_turn_the_side_effect(frame):
    other = frame.rename(columns={"arm_a": "arm_b", "arm_b": "arm_a"})
    other["winner"] = frame["winner"].map(FLIP)
    one, two = answer(frame, side=True), answer(other, side=True)
    if isinstance(one, str):
        assert one == two
        return
    assert_allclose(two["side"], -one["side"], atol=1e-9)
    assert_allclose(two["strength"], one["strength"], atol=1e-9)
    assert_allclose(two["side_se"], one["side_se"], rtol=1e-7)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@settings(max_examples=15)
@given(frame=tournaments(most_arms=4))
def test_arms_with_the_same_games_have_the_same_numbers(options, frame):
    # Arm 9 plays what arm 0 plays, on the same prompts.
    copied = frame[(frame["arm_a"] == 0) | (frame["arm_b"] == 0)].replace(
        {"arm_a": {0: 9}, "arm_b": {0: 9}}
    )
    found = answer(pd.concat([frame, copied]), **options)
    if not isinstance(found, str) and 0 in found["arm"].tolist():
        pair = found[found["arm"].isin([0, 9])].drop(columns="arm")
        assert_frame_equal(
            pair.iloc[[0]].reset_index(drop=True), pair.iloc[[1]].reset_index(drop=True)
        , check_exact=True)  # fmt: skip


@given(tournaments())
def test_errors_of_differences_do_not_depend_on_the_side_of_the_baseline(frame):
    arms = sorted({*frame["arm_a"], *frame["arm_b"]})
    if isinstance(answer(frame), str):
        return
    found = {arm: bradley_terry(frame, arm).set_index("arm") for arm in arms}
    for one in arms:
        assert np.isnan(found[one].loc[one, "diff"])
        for other in arms:
            if one != other:
                assert_allclose(
                    found[one].loc[other, "diff_se"], found[other].loc[one, "diff_se"], rtol=1e-7
                )
                assert found[one].loc[other, "diff"] == -found[other].loc[one, "diff"]


def test_every_game_twice_leaves_strengths_and_halves_variances():
    frame = tournament(4, 200, 3).drop(columns="item_id")
    once, twice = (bradley_terry(f, errors="model") for f in (frame, pd.concat([frame, frame])))
    assert_allclose(twice["strength"], once["strength"], atol=1e-12)
    assert_allclose(twice["se"] ** 2, once["se"] ** 2 / 2, rtol=1e-10)
    # On the same prompts the copies bring nothing new.
    shared = tournament(4, 200, 3)
    one, two = (bradley_terry(f) for f in (shared, pd.concat([shared, shared])))
    assert_allclose(two["se"], one["se"], rtol=1e-10)


def test_limits_elo_and_shares_are_made_of_strengths():
    frame = tournament(4, 300, 1)
    found = bradley_terry(frame, 2, level=0.9, anchor=1500, side=True, ties="davidson")
    quantile = student.ppf(0.95, found["df"])
    assert_array_equal(found["df"], found["n_clusters"] - 1)
    assert_allclose(found["conf_high"] - found["strength"], quantile * found["se"])
    assert_allclose(found["elo"].mean(), 1500)
    for elo, ours in (("elo", "strength"), ("elo_low", "conf_low"), ("elo_high", "conf_high")):
        assert_allclose(found[elo], 1500 + 400 * found[ours] / np.log(10))
    assert_array_equal(found["n_games"], found["wins"] + found["ties"] + found["losses"])
    assert_allclose(found["win_rate"], (found["wins"] + found["ties"] / 2) / found["n_games"])
    others = found[found["arm"] != 2]
    least = np.minimum(others["df"], found["df"][2])
    assert_allclose(
        others["p_value"], 2 * student.sf(abs(others["diff"] / others["diff_se"]), least)
    )
    assert_allclose(
        others["diff_high"] - others["diff"], student.ppf(0.95, least) * others["diff_se"]
    )
    total = student.ppf(0.95, frame["item_id"].nunique() - 1)
    for name in ("side", "tie"):
        assert found[name].nunique() == 1
        assert_allclose(found[f"{name}_high"] - found[name], total * found[f"{name}_se"])


def test_errors_of_the_model_are_normal():
    found = bradley_terry(tournament(3, 90, 2), errors="model", ties="drop")
    assert np.isinf(found["df"]).all()
    assert_allclose(found["conf_low"], found["strength"] - norm.ppf(0.975) * found["se"])
    halves = bradley_terry(tournament(3, 90, 2), errors="model")
    assert (halves["note"] == "ties as half wins: the model's errors are too wide").all()


def test_the_sandwich_of_two_arms_is_that_of_a_share():
    # 30 wins in 40 games: the log odds have variance 1 / 30 + 1 / 10, and G / (G - 1) of it.
    frame = pd.DataFrame({"arm_a": "x", "arm_b": "y", "winner": ["a"] * 30 + ["b"] * 10})
    found = bradley_terry(frame, "y")
    assert_allclose(found["diff"][0], np.log(3))
    assert_allclose(found["diff_se"][0], np.sqrt((1 / 30 + 1 / 10) * 40 / 39))
    assert_allclose(found["strength"], [np.log(3) / 2, -np.log(3) / 2])
    assert_allclose(found["se"], found["diff_se"][0] / 2)


def test_columns_and_dtypes_are_those_of_the_table_and_parquet_gives_them_back(tmp_path):
    frame = tournament(4, 100, 5)
    before = frame.copy(deep=True)
    result = frame.evals.bradley_terry(1)
    assert_frame_equal(result, ef.bradley_terry(frame, 1))
    assert_frame_equal(frame, before, check_exact=True)
    kinds = TABLES["bradley_terry"]
    assert list(result.columns) == list(kinds)
    for column, kind in kinds.items():
        if kind != "label":
            assert result[column].dtype == pd.Series([], dtype=DTYPE[kind]).dtype
    json.dumps(result.attrs["evalframe"], allow_nan=False)
    result.to_parquet(tmp_path / "result.parquet")
    back = pd.read_parquet(tmp_path / "result.parquet")
    assert_frame_equal(back, result, check_exact=True)
    assert back.attrs == result.attrs
    empty = bradley_terry(frame.iloc[:0])
    assert len(empty) == 0
    assert list(empty.columns) == list(kinds)


def test_one_prompt_has_no_errors():
    found = bradley_terry(tournament(3, 60, 1, n_items=1), 0, side=True, ties="davidson")
    unknown = [c for c in found if c.endswith(("se", "low", "high"))] + ["p_value"]
    assert found[unknown].isna().all(axis=None)
    assert found["note"].str.contains("1 item: no standard error").all()
    assert found["strength"].notna().all()


def test_an_arm_on_one_prompt_has_no_error_whatever_the_others_have():
    frame = tournament(3, 90, 1, n_items=12)
    more = pd.DataFrame({"arm_a": 3, "arm_b": [0, 1, 2, 0], "winner": ["a", "b", "a", "tie"]})
    found = bradley_terry(pd.concat([frame, more.assign(item_id=0)]))
    assert found["se"].isna().tolist() == [False, False, False, True]
    assert found["note"][3] == "1 item: no standard error"


def test_ties_alone_are_no_certainty():
    frame = pd.DataFrame({"arm_a": "x", "arm_b": "y", "winner": ["tie"] * 9})
    found = bradley_terry(frame)
    assert_array_equal(found["strength"], 0)
    assert_array_equal(found["se"], 0)
    assert (found["note"] == "standard error 0: no certainty either").all()
    with pytest.raises(DesignError, match="the games set no bound to the tie parameter"):
        bradley_terry(frame, ties="davidson")


def test_davidsons_model_without_ties_is_bradley_and_terrys():
    frame = tournament(3, 90, 4).query("winner != 'tie'")
    found, plain = bradley_terry(frame, ties="davidson"), bradley_terry(frame)
    other = ["note", "tie_rule"]
    assert_frame_equal(found.drop(columns=other), plain.drop(columns=other))
    assert (found["note"] == "no ties: no tie parameter").all()


def separated(task):
    """Return games in which one arm won all, in the task "lost"."""
    frame = tournament(3, 60, 8)
    if task == "lost":
        frame["winner"] = np.where(
            frame["arm_a"] == 2, "a", np.where(frame["arm_b"] == 2, "b", frame["winner"])
        )
    return frame.assign(task=task)


def test_a_separated_group_beside_others_has_no_strengths_and_says_why():
    found = bradley_terry(pd.concat([separated("fine"), separated("lost")]), 0, by="task")
    fine, lost = (found[found["task"] == task] for task in ("fine", "lost"))
    assert fine["strength"].notna().all()
    numbers = ["strength", "se", "conf_low", "elo", "diff", "p_value", "df"]
    assert lost[numbers].isna().all(axis=None)
    assert (lost["wins"] + lost["losses"] > 0).all()
    said = 'separated: 2 won every game; penalty="jeffreys" gives finite strengths'
    assert lost["note"].str.startswith(said).all()
    with pytest.raises(DesignError, match="separated: 2 won every game; penalty="):
        bradley_terry(separated("lost"))
    with pytest.raises(DesignError, match="so in each of 2 groups"):
        bradley_terry(
            pd.concat([separated("lost")] * 2).assign(task=[1] * 60 + [2] * 60), by="task"
        )


def test_the_penalty_makes_them_finite_with_errors_of_the_model():
    found = bradley_terry(separated("lost"), penalty="jeffreys")
    assert found["strength"].idxmax() == 2
    assert found["se"].notna().all()
    assert set(found["errors"]) == {"model"}
    assert set(found["penalty"]) == {"jeffreys"}
    assert found["note"].str.contains("finite by the penalty alone").all()
    fine = bradley_terry(separated("fine"), penalty="jeffreys")
    assert set(fine["errors"]) == {"robust"}
    assert (fine["note"] == "").all()


def test_a_penalty_that_was_asked_for_is_not_offered_again(monkeypatch):
    monkeypatch.setattr("evalframe.stats.strengths._MOST_STEPS", 1)
    with pytest.raises(DesignError, match=r"add games$") as error:
        bradley_terry(separated("lost"), penalty="jeffreys")
    assert "penalty=" not in str(error.value)


@pytest.mark.parametrize("winner", ["a", "ab", "aab", "ata", "aaba"])
@pytest.mark.parametrize("side", [False, True])
def test_a_few_games_have_strengths_by_the_penalty(winner, side):
    games = pd.DataFrame({"arm_a": "x", "arm_b": "y", "winner": list(winner)})
    turned = pd.DataFrame({"arm_a": "y", "arm_b": "x", "winner": ["a"]})
    frame = pd.concat([games, turned]) if side else games
    for ties in ("half", "davidson"):
        found = bradley_terry(frame.replace({"t": "tie"}), penalty="jeffreys", side=side, ties=ties)
        assert np.isfinite(found["strength"]).all()


def test_the_penalty_draws_strengths_to_the_mean():
    frame = tournament(4, 60, 11)
    plain, drawn = bradley_terry(frame), bradley_terry(frame, penalty="jeffreys")
    assert (drawn["strength"].abs() < plain["strength"].abs()).all()


def test_groups_of_arms_of_which_one_beat_the_other_are_named():
    low, high = tournament(2, 40, 1), tournament(2, 40, 2)
    high[["arm_a", "arm_b"]] += 10
    across = pd.DataFrame({"arm_a": [10, 11], "arm_b": [0, 1], "winner": "a", "item_id": 0})
    with pytest.raises(
        DesignError, match="between 0, 1 and some of the other arms, all games"
    ) as e:
        bradley_terry(pd.concat([low, high, across]))
    assert "separated" in str(e.value)
    with pytest.raises(DesignError, match="disconnected: no game joins 0, 1 / 10, 11; add games"):
        bradley_terry(pd.concat([low, high]), penalty="jeffreys")


def test_sides_that_explain_nothing_or_everything_are_named():
    ordered = tournament(2, 40, 1).assign(arm_a=0, arm_b=1)
    with pytest.raises(DesignError, match=r"side not identified.*side=False"):
        bradley_terry(ordered, side=True)
    first = tournament(3, 60, 1).assign(winner="a")
    with pytest.raises(DesignError, match="the games set no bound to the side effect"):
        bradley_terry(first, side=True)
    assert bradley_terry(first, side=True, penalty="jeffreys")["side"].gt(0).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"ties": "split"}, "ties must be one of 'half', 'davidson', 'drop'"),
        ({"errors": "hc1"}, "errors must be one of 'robust', 'model'"),
        ({"penalty": 0.5}, "penalty must be one of 'jeffreys'"),
        ({"side": 1}, "side must be True or False"),
        ({"anchor": np.nan}, "anchor must be a finite number"),
        ({"level": 95}, "level must lie between 0 and 1"),
        ({"baseline": 17}, "baseline must be the label of an arm"),
        ({"by": "wins"}, "by cannot name 'wins'"),
        ({"by": "no"}, "no column 'no'"),
    ],
)
def test_what_is_no_option_is_refused(options, said):
    with pytest.raises((ValueError, RoleError), match=said):
        bradley_terry(tournament(3, 60, 1), **options)


def test_few_prompts_are_said():
    found = bradley_terry(tournament(3, 60, 1, n_items=3))
    assert (found["note"] == "3 items: the standard error is uncertain").all()
