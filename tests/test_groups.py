"""What `by` may name, in every method that has it: groups as they are called, and no others."""

import numpy as np
import pandas as pd
import pytest
from apart import READERS, calls
from every_method import CALLS, clean, runs, takes
from pandas.testing import assert_frame_equal

from evalframe import RoleError

BY = [name for name in calls("groups alone") if name in READERS]
# They take groups too, and are held to names alone.
NAMED = [name for name in CALLS if takes(name, "by")]
NAMES = ["unit", "key", "row", "index", "evals", "a b"]


@pytest.mark.parametrize("name", BY)
def test_groups_may_have_any_name(name):
    expected = CALLS[name].run(runs(), by="task")
    for other in NAMES:
        if other in expected:
            # It is a column of the result: that is refused, below.
            continue
        result = CALLS[name].run(runs().rename(columns={"task": other}), by=other)
        assert_frame_equal(result, expected.rename(columns={"task": other}), check_exact=True)


@pytest.mark.parametrize("name", NAMED)
def test_by_cannot_be_a_column_of_the_result_or_name_a_column_twice(name):
    taken = [c for c in clean(name) if c not in ("arm", "task", "item_id", "baseline")][-1]
    with pytest.raises(RoleError, match=rf"by cannot name '{taken}'.*df\.rename\(columns="):
        CALLS[name].run(runs().assign(**{taken: "n"}), by=taken)
    with pytest.raises(RoleError, match=r"by must name each column once.*'task', 'task'"):
        CALLS[name].run(runs(), by=["task", "task"])


@pytest.mark.parametrize("name", BY)
def test_by_of_nothing_is_no_by(name):
    for nothing in ([], ()):
        assert_frame_equal(CALLS[name].run(runs(), by=nothing), clean(name), check_exact=True)


GROUPS = {
    "fractions": (lambda f: f["task"].map({"even": 0.5, "odd": 0.7}), [0.5, 0.7]),
    "booleans": (lambda f: f["task"] == "odd", [False, True]),
    "datetimes": (
        lambda f: pd.to_datetime(f["task"].map({"even": "2024-01-02", "odd": "2024-01-03"})),
        list(pd.to_datetime(["2024-01-02", "2024-01-03"])),
    ),
    "categories": (
        lambda f: f["task"].astype(pd.CategoricalDtype(["unused", "even", "odd"])),
        ["even", "odd"],
    ),
}


@pytest.mark.parametrize("kind", GROUPS)
@pytest.mark.parametrize("name", BY)
def test_groups_of_other_types_have_the_same_numbers(name, kind):
    change, labels = GROUPS[kind]
    expected = CALLS[name].run(runs(), by="task")
    result = CALLS[name].run(runs().assign(task=change), by="task")
    assert result["task"].drop_duplicates().tolist() == labels
    numbers = [column for column in expected if column != "task"]
    assert_frame_equal(result[numbers], expected[numbers], check_exact=True)


@pytest.mark.parametrize("name", BY)
def test_two_columns_make_no_group_that_has_no_rows(name):
    frame = runs().assign(
        lang=lambda f: pd.Categorical(
            np.where(f["task"] == "odd", "en", "de"), categories=["fr", "en", "de"]
        )
    )
    result = CALLS[name].run(frame, by=["task", "lang"])
    assert result[["task", "lang"]].drop_duplicates().values.tolist() == [
        ["even", "de"],
        ["odd", "en"],
    ]
