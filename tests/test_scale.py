"""Scores in other units: what is huge, tiny or far from 0 has the numbers of what is not.

Times a power of two, no digit is lost: every number in the unit of the scores is times as much, its
square times the square, and every other number is the same, bit for bit.
"""

import numpy as np
import pytest
from apart import calls
from every_method import CALLS, runs
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal, assert_series_equal

import evalframe as ef
from evalframe import FrameError

IN_UNITS = """
    estimate se conf_low conf_high sim_low sim_high diff baseline_mean arm_mean mde effect sd_diff
    bias estimate_raw se_raw reference_mean reference_estimate threshold floor_diff floor_se mean
    width margin half_width sd_gold sd_judge estimate_judge estimate_gold se_gold se_best
"""
SQUARED = ["var_cluster", "var_item", "var_seed", "var_cluster_raw", "var_item_raw"]
# Arguments that are in the unit of the scores.
GIVEN = {
    "compare, margin": {"margin": 0.5},
    "sample_size": {"effect": 0.5},
    "power": {"effect": 0.5},
    "label_plan": {"half_width": 8.0},
    "label_plan, paired": {"se": 5.2},
}
# What draws decide, and draws take items, or arms, in an order that the scores decide.
DRAWN = {
    "rank": ["share_top", "share_first"],
    "pairs": ["sim_low", "sim_high", "sim_quantile"],
}


def spread(unit=1.0, shift=0.0):
    """Return runs whose scores, and labels, lie between -2 and 10 units on a grid of 1/64."""
    draw = np.random.default_rng(8)
    frame = runs()
    score = draw.integers(-128, 640, len(frame)) / 64
    near = score + draw.integers(-9, 9, len(frame)) / 64
    gold = frame["gold"].where(frame["gold"].isna(), near)
    return frame.assign(score=(score + shift) * unit, gold=(gold + shift) * unit)


def answer(name, unit=1.0, shift=0.0):
    """Return the result of a call whose arguments are in the same unit as the scores."""
    frame = spread(unit, shift)
    if name.startswith("adjusted"):
        options = {"theta": 1.0} if "theta" in name else {}
        return ef.adjusted(frame, "base", (0.5 + shift) * unit, **options)
    given = {option: value * unit for option, value in GIVEN.get(name, {}).items()}
    return CALLS[name].run(frame, **given)


def in_unit(result, unit):
    """Return a result as it is in another unit of the scores."""
    result = result.copy()
    rows = slice(None)
    if "metric" in result:
        rows = result["metric"].isin(["score", "gold"])
    for columns, factor in ((IN_UNITS.split(), unit), (SQUARED, unit**2)):
        for column in [c for c in columns if c in result]:
            result.loc[rows, column] *= factor
    return result


@pytest.mark.parametrize("power", [60, -60, 300, -300])
@pytest.mark.parametrize("name", calls("units"))
def test_scores_in_another_unit_have_the_numbers_in_that_unit(name, power):
    unit = 2.0**power
    drawn = DRAWN.get(name.partition(",")[0], [])
    result, expected = answer(name, unit), in_unit(answer(name), unit)
    assert_frame_equal(result.drop(columns=drawn), expected.drop(columns=drawn), check_exact=True)


# Numbers that move with the scores, where they are no difference of two arms.
PLACED = """
    estimate conf_low conf_high estimate_raw reference_mean reference_estimate estimate_judge
    estimate_gold mean
"""


@pytest.mark.parametrize("name", calls("units", "places"))
def test_a_small_spread_around_a_large_number_is_not_cancelled(name):
    shift = 2.0**27
    drawn = {"diff_rel", *DRAWN.get(name.partition(",")[0], [])}
    result, expected = answer(name, shift=shift), answer(name)
    rows = result["metric"].isin(["score", "gold"])
    placed = PLACED.split() if "baseline" not in result or result["baseline"].isna().all() else []
    for column in {*placed, "baseline_mean", "arm_mean"} & set(result):
        result.loc[rows, column] -= shift
    for column in set(expected) - drawn:
        if expected[column].dtype == np.float64:
            assert_allclose(result[column], expected[column], rtol=1e-6, atol=1e-6, err_msg=column)
        else:
            assert_series_equal(result[column], expected[column])


@pytest.mark.parametrize("size", [1e101, -1e101, 1e300])
@pytest.mark.parametrize("name", calls("missing"))
def test_scores_that_cannot_be_squared_are_refused_by_column(name, size):
    large = runs().assign(score=lambda f: f["score"] * size, passed=lambda f: f["passed"] * size)
    with pytest.raises(FrameError, match=r"column '(score|passed)' must hold numbers of at most"):
        CALLS[name].run(large)


# What holds arms against each other item by item; of other calls there is no constant difference.
ITEM_BY_ITEM = ("compare", "contrasts", "pairs", "permutation", "bootstrap", "pooled")
DIFFERENCES = [
    name
    for name in calls("constant differences")
    if CALLS[name].pairs and CALLS[name].table in ITEM_BY_ITEM
]


@pytest.mark.parametrize("name", DIFFERENCES)
def test_an_arm_that_is_better_on_every_item_is_never_at_chance(name):
    worth = {"base": 0.0, "x": 0.25, "y": 0.5}
    frame = runs().assign(score=lambda f: f["arm"].map(worth) + f["item_id"] % 5 / 8)
    result = CALLS[name].run(frame)
    rows = result[result["metric"] == "score"]
    found = rows["diff" if "diff" in rows else "estimate"]
    assert_allclose(found, rows["arm"].map(worth) - rows["baseline"].map(worth), rtol=1e-12)
    if "se" in rows:
        assert rows["se"].eq(0).all()
        assert (rows["note"] != "").all()
    for column in ["p_value", "p_adjusted", "mcnemar_p"]:
        assert not (rows.get(column, found * 0) > 0.1).any()
