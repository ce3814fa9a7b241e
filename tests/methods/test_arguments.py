import numpy as np
import pytest

from evalframe.errors import RoleError
from evalframe.methods.arguments import (
    by_columns,
    check_choice,
    check_count,
    check_flag,
    value_columns,
)
from evalframe.results import FLOOR, TABLES


def test_a_choice_passes_and_another_value_lists_the_choices_in_their_order():
    check_choice("interval", "t", ("t", "normal"))
    with pytest.raises(ValueError, match=r"^interval must be one of 't', 'normal', not 'wald'$"):
        check_choice("interval", "wald", ("t", "normal"))


@pytest.mark.parametrize("value", [None, 1, "T", ""])
def test_a_choice_of_another_type_or_case_is_refused(value):
    with pytest.raises(ValueError, match="must be one of"):
        check_choice("interval", value, ("t", "normal"))


@pytest.mark.parametrize("value", [True, False])
def test_a_switch_takes_true_and_false(value):
    check_flag("cluster", value, "cluster")


@pytest.mark.parametrize("value", ["passage", 1, 0, None])
def test_a_switch_given_a_column_says_where_columns_are_named(value):
    with pytest.raises(ValueError, match="cluster must be True or False, not ") as caught:
        check_flag("cluster", value, "cluster")
    assert 'df.evals.tidy(cluster="YOUR_COLUMN")' in str(caught.value)


@pytest.mark.parametrize(
    ("value", "columns"),
    [
        ("score", ["score"]),
        ("tokens", ["n_output_tokens"]),
        (["hit_cap", "cost_usd", "tokens"], ["hit_cap", "cost_usd", "n_output_tokens"]),
        (("n_output_tokens",), ["n_output_tokens"]),
    ],
)
def test_value_is_a_list_of_columns_and_roles_stand_for_theirs(value, columns):
    assert value_columns(value) == columns


def test_no_value_is_refused():
    with pytest.raises(ValueError, match="value must name at least one column"):
        value_columns([])


@pytest.mark.parametrize(
    ("by", "columns"), [(None, []), ("task", ["task"]), (("task", "lang"), ["task", "lang"])]
)
def test_by_is_a_list_of_columns(by, columns):
    assert by_columns(by, "score") == columns


@pytest.mark.parametrize("table", ["score", "compare", "mcnemar"])
def test_by_cannot_name_a_column_of_the_result(table):
    for column in {**TABLES[table], **FLOOR}.keys() - {"arm"}:
        with pytest.raises(RoleError, match=f"by cannot name '{column}'") as caught:
            by_columns(["task", column], table)
        assert f"df.rename(columns={{'{column}': '{column}_group'}})" in str(caught.value)


def test_by_cannot_name_the_arm_which_has_rows_of_its_own():
    with pytest.raises(RoleError, match=r"by cannot name 'arm'.*leave it out of by"):
        by_columns("arm", "score")


def test_by_cannot_name_a_column_twice():
    with pytest.raises(RoleError, match=r"once, found \['task', 'task'\]"):
        by_columns(["task", "task"], "score")


@pytest.mark.parametrize("value", [2, 10_000, np.int64(2), np.uint8(200)])
def test_a_count_is_a_whole_number(value):
    check_count("n_boot", value, 2)


@pytest.mark.parametrize("value", [1, -5, 2.0, True, "100", None, np.int64(1)])
def test_anything_else_than_a_count_is_refused(value):
    with pytest.raises(ValueError, match="n_boot must be an integer of at least 2, not "):
        check_count("n_boot", value, 2)
