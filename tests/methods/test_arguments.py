from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from evalframe.errors import RoleError
from evalframe.methods.arguments import (
    by_columns,
    check_choice,
    check_count,
    check_flag,
    check_once,
    check_within,
    chosen,
    is_finite,
    is_number,
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
    check_flag("cluster", value)


@pytest.mark.parametrize("value", ["passage", 1, 0, None])
def test_a_switch_refuses_all_else(value):
    with pytest.raises(ValueError, match=r"paired must be True or False, not ['\w]{1,9}$"):
        check_flag("paired", value)


def test_a_switch_given_a_column_says_where_columns_are_named():
    with pytest.raises(ValueError, match="cluster must be True or False, not 'passage'") as caught:
        check_flag("cluster", "passage")
    assert 'df.evals.tidy(cluster="passage")' in str(caught.value)


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
    assert value_columns(value, pd.DataFrame()) == columns


def test_no_value_is_refused():
    with pytest.raises(ValueError, match="value must name at least one column"):
        value_columns([], pd.DataFrame())


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


@pytest.mark.parametrize("value", [0, -1.5, np.float32(2), np.int8(3), 1e300, 10**300])
def test_what_float64_holds_is_a_number(value):
    assert is_number(value)
    assert is_finite(value) == (abs(float(value)) < 1e200)
    check_within("sd_diff", np.float32(2), 0, 1e100)


ODD = [True, np.True_, 10**400, -(10**400), Fraction(1, 2), Decimal("0.5"), 1j, np.complex128(1)]
ODD += ["1", None, pd.NA, [1], np.array(1.0), np.datetime64("2020")]


@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:20])
def test_what_is_no_number_that_float64_holds_is_none(value):
    assert not is_number(value)
    assert not is_finite(value)
    with pytest.raises(ValueError, match="seeds must be a number of at least 1, not "):
        # None is what was not given.
        check_within("seeds", "no" if value is None else value, 1, np.inf)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, np.float64("nan")])
def test_what_is_not_finite_is_no_finite_number(value):
    assert is_number(value)
    assert not is_finite(value)


def test_a_count_has_a_most_and_a_long_number_is_cut():
    check_count("n_boot", np.int64(10_000_000), 2)
    with pytest.raises(ValueError, match=r"^n_boot must be 10,000,000 at most, not 1000+\.\.\.$"):
        check_count("n_boot", 10**400, 2)
    with pytest.raises(ValueError, match=r"^k must be 5 at most, not 6$"):
        check_count("k", 6, 1, 5)


def test_choices_keep_their_order_and_come_once():
    assert chosen("interval", ["t", "auto"], ("auto", "t")) == ["t", "auto"]
    assert chosen("interval", np.array(["t"]), ("auto", "t")) == ["t"]
    assert chosen("interval", "t", ("auto", "t")) == ["t"]
    with pytest.raises(ValueError, match=r"each once, found \['t', 't'\]"):
        chosen("interval", ["t", "t"], ("auto", "t"))
    with pytest.raises(ValueError, match="interval must be one of 'auto', 't', not ''"):
        chosen("interval", [], ("auto", "t"))
    with pytest.raises(ValueError, match="k must name at least one, and each once, found none"):
        check_once("k", [])
    with pytest.raises(ValueError, match="interval must be one of 'auto', 't', not 'wald'"):
        chosen("interval", ["t", "wald"], ("auto", "t"))


@pytest.mark.parametrize("value", [pd.NA, np.array(["t", "t"]), pd.DataFrame(), object()])
def test_a_choice_that_compares_with_nothing_is_refused(value):
    with pytest.raises(ValueError, match="interval must be one of 't', 'normal', not "):
        check_choice("interval", value, ("t", "normal"))


def test_a_role_s_name_is_its_column_but_for_one_that_only_the_frame_has():
    canonical = pd.DataFrame(columns=["n_output_tokens", "tokens"])
    assert value_columns("tokens", canonical) == ["n_output_tokens"]
    assert value_columns("tokens", pd.DataFrame(columns=["tokens"])) == ["tokens"]
    assert value_columns("tokens", pd.DataFrame(columns=["score"])) == ["n_output_tokens"]
    assert value_columns(["cluster", "score"], pd.DataFrame(columns=["cluster", "score"])) == [
        "cluster",
        "score",
    ]
