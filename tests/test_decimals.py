"""How many decimals numbers are shown with."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalframe.decimals import ALIKE, MOST, decimals, grouped, least_decimals
from evalframe.tables import FLOOR, MARGIN, TABLES


@given(st.floats(1e-8, 1e12))
def test_the_largest_number_keeps_three_digits(number):
    places = decimals(np.array([number]))
    assert 0 <= places <= MOST
    shown = float(f"{number:.{places}f}")
    assert abs(shown - number) <= max(0.005 * number, 0.5 * 10.0**-MOST) * (1 + 1e-9)


@given(st.lists(st.floats(0.1, 1), min_size=1))
def test_scores_have_the_four_decimals_of_a_report(numbers):
    assert decimals(np.array(numbers)) == 4


@pytest.mark.parametrize("numbers", [[], [np.nan], [np.inf, -np.inf], [0.0], [2e-17]])
def test_what_has_no_size_has_four_decimals(numbers):
    assert decimals(np.array(numbers)) == 4


def test_signs_unknown_and_infinite_numbers_do_not_count():
    assert decimals(np.array([-185.8, 0.2, np.nan, np.inf])) == 1


def test_whole_numbers_have_no_decimals_and_others_as_few_as_show_them():
    assert least_decimals(np.array([59.0, np.nan, np.inf])) == 0
    assert least_decimals(np.array([0.95])) == 2
    assert least_decimals(np.array([51.98, 52.0])) == 2
    assert least_decimals(np.array([1 / 3])) == 4


def test_a_column_has_one_unit_and_is_in_some_table():
    names = [name for group in ALIKE for name in group]
    assert len(names) == len(set(names))
    known = set().union(*TABLES.values(), MARGIN, FLOOR)
    assert set(names) <= known
    assert grouped("se") == grouped("estimate") != grouped("distance")
    assert grouped("df") == ()
