import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal

from evalframe.errors import DesignError, FrameError
from evalframe.floor import exceeds_floor
from evalframe.results import DTYPE, TABLES

# compare(base, edit) of the specification: 8 items, one more right, 50 tokens fewer on each.
RESULT = pd.DataFrame(
    {
        "arm": ["edit", "edit"],
        "baseline": ["base", "base"],
        "metric": ["score", "tokens"],
        "diff": [0.125, -50.0],
        "se": [0.125, 0.0],
        "conf_low": [-0.12, -50.0],
        "conf_high": [0.37, -50.0],
        "level": [0.95, 0.95],
    }
)
# compare(base, rerun): the same scores, one token more on every second item.
FLOOR = RESULT.assign(
    arm="rerun",
    diff=[0.0, 0.5],
    se=[0.0, np.sqrt(8 / 7 * 0.25 / 8)],
    conf_low=[0.0, 0.125],
    conf_high=[0.0, 0.875],
)


def by_task(frame, tasks=("code", "math")):
    return pd.concat([frame.assign(task=task) for task in tasks], ignore_index=True)[
        ["task", *frame.columns]
    ]


def test_the_documents_example():
    found = exceeds_floor(RESULT, FLOOR)
    assert dict(zip(found["metric"], found["exceeds"], strict=True)) == {
        "score": False,
        "tokens": True,
    }
    # 0.5 + 1.96 * 0.189 = 0.87
    assert_allclose(found["threshold"], [0.0, 0.8704], atol=5e-5)


def test_columns_and_dtypes_are_those_of_the_table():
    found = exceeds_floor(by_task(RESULT), by_task(FLOOR))
    assert list(found.columns) == ["task", *TABLES["exceeds_floor"]]
    for column, kind in TABLES["exceeds_floor"].items():
        if kind in ("float", "bool"):
            assert found[column].dtype == DTYPE[kind]


def test_no_rows_give_no_rows_with_the_same_columns_and_dtypes():
    found = exceeds_floor(by_task(RESULT).head(0), by_task(FLOOR))
    assert len(found) == 0
    assert_frame_equal(found, exceeds_floor(by_task(RESULT), by_task(FLOOR)).head(0))


def test_each_group_meets_its_own_floor_whatever_the_order():
    floor = by_task(FLOOR)
    floor.loc[floor["task"] == "math", "se"] = [0.01, 100.0]
    found = exceeds_floor(by_task(RESULT), floor.sample(frac=1, random_state=1))
    assert_array_equal(found["task"], ["code", "code", "math", "math"])
    assert_array_equal(found["exceeds"], [False, True, False, False])
    assert_allclose(found["floor_se"], [0.0, FLOOR["se"][1], 0.01, 100.0])


def test_every_arm_meets_the_one_floor():
    result = pd.concat([RESULT, RESULT.assign(arm="long")], ignore_index=True)
    found = exceeds_floor(result, FLOOR)
    assert_array_equal(found["arm"], ["edit", "edit", "long", "long"])
    assert_array_equal(found["exceeds"], [False, True, False, True])


def test_a_row_without_a_floor_is_unknown_and_does_not_exceed():
    found = exceeds_floor(RESULT, FLOOR[FLOOR["metric"] == "score"])
    assert_array_equal(np.isnan(found["threshold"]), [False, True])
    assert_array_equal(np.isnan(found["floor_diff"]), [False, True])
    assert not found["exceeds"].any()


def test_another_level_widens_the_floor_by_its_own_quantile():
    found = exceeds_floor(RESULT.assign(level=0.9), FLOOR)
    assert_allclose(found["threshold"][1], 0.5 + 1.644854 * FLOOR["se"][1], rtol=1e-6)


def test_results_of_several_levels_keep_theirs():
    found = exceeds_floor(RESULT.assign(level=[0.95, 0.9]), FLOOR.assign(se=1.0, diff=0.0))
    assert_allclose(found["threshold"], [1.96, 1.644854], rtol=1e-6)


def test_a_group_label_matches_as_category_as_well_as_text():
    result = by_task(RESULT)
    categories = result.assign(task=result["task"].astype("category"))
    found = exceeds_floor(categories, by_task(FLOOR))
    assert_array_equal(found["exceeds"], exceeds_floor(result, by_task(FLOOR))["exceeds"])


def test_missing_numbers_read_back_as_objects_are_unknown():
    found = exceeds_floor(RESULT, FLOOR.assign(se=pd.Series([None, 0.2], dtype=object)))
    assert_array_equal(np.isnan(found["threshold"]), [True, False])


def test_the_index_of_the_frames_does_not_matter_and_neither_changes():
    result, floor = RESULT.set_axis([7, 7]), FLOOR.set_axis(["a", "a"])
    before = result.copy(), floor.copy()
    assert_frame_equal(exceeds_floor(result, floor), exceeds_floor(RESULT, FLOOR))
    assert_frame_equal(result, before[0])
    assert_frame_equal(floor, before[1])


def test_the_table_survives_parquet_with_its_attrs(tmp_path):
    found = exceeds_floor(by_task(RESULT), by_task(FLOOR))
    found.to_parquet(tmp_path / "floor.parquet")
    back = pd.read_parquet(tmp_path / "floor.parquet")
    assert_frame_equal(back, found)
    assert back.attrs == found.attrs


def test_a_floor_of_several_arms_is_refused():
    floor = pd.concat([FLOOR, FLOOR.assign(arm="edit")], ignore_index=True)
    with pytest.raises(DesignError, match=r"score: arms 'rerun' and 'edit'") as caught:
        exceeds_floor(RESULT, floor)
    assert """floor[floor["arm"] == 'rerun']""" in str(caught.value)


def test_a_floor_of_other_groups_is_refused():
    with pytest.raises(DesignError, match=r"with by=\['task'\]"):
        exceeds_floor(by_task(RESULT), FLOOR)


def test_a_floor_that_fits_no_row_is_refused():
    with pytest.raises(DesignError, match=r"result starts with \[\('code', 'score'\)\]"):
        exceeds_floor(by_task(RESULT), by_task(FLOOR, ["chat"]))


@pytest.mark.parametrize("column", ["arm", "diff", "conf_low", "level"])
def test_a_result_that_is_not_of_compare_is_refused(column):
    with pytest.raises(FrameError, match=rf"^result .* no column {column}\.") as caught:
        exceeds_floor(RESULT.drop(columns=column), FLOOR)
    assert "df.evals.compare(baseline)" in str(caught.value)


def test_a_floor_that_is_not_of_compare_is_refused():
    with pytest.raises(FrameError, match=r"^floor .* no column diff, se\."):
        exceeds_floor(RESULT, FLOOR.drop(columns=["diff", "se"]))
