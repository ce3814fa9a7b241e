"""Draws of every method that has some: the same from the same seed, which the result keeps."""

import numpy as np
import pytest
from every_method import CALLS, clean, runs, takes
from pandas.testing import assert_frame_equal

DRAWING = [name for name in CALLS if takes(name, "rng")]


def seed_of(result):
    return result.attrs["evalframe"]["rng"]


@pytest.mark.parametrize("name", DRAWING)
def test_a_seed_gives_its_numbers_again(name):
    assert_frame_equal(CALLS[name].run(runs(), rng=0), clean(name), check_exact=True)
    assert CALLS[name].run(runs(), rng=0).attrs == clean(name).attrs


@pytest.mark.parametrize("name", DRAWING)
def test_a_fresh_seed_is_kept_and_makes_the_result_again(name):
    fresh = CALLS[name].run(runs(), rng=None)
    again = CALLS[name].run(runs(), rng=seed_of(fresh))
    assert_frame_equal(fresh, again, check_exact=True)


@pytest.mark.parametrize("name", DRAWING)
def test_a_generator_moves_on_and_its_draw_is_kept(name):
    rng = np.random.default_rng(1)
    first, second = (CALLS[name].run(runs(), rng=rng) for _ in range(2))
    assert seed_of(first) != seed_of(second)
    assert_frame_equal(CALLS[name].run(runs(), rng=seed_of(first)), first, check_exact=True)
