import numpy as np
import pytest

from evalframe.rng import draw_seed, generator


@pytest.mark.parametrize("rng", [0, 7, 2**40, 2**63 - 1, np.int64(5), np.uint8(3)])
def test_an_integer_is_taken_as_it_is_and_plain(rng):
    assert draw_seed(rng) == rng
    assert type(draw_seed(rng)) is int


def test_a_generator_gives_its_next_integer_and_moves_on():
    rng, same = (np.random.default_rng(1) for _ in range(2))
    first, second = draw_seed(rng), draw_seed(rng)
    assert first == draw_seed(same)
    assert first != second
    assert type(first) is int
    assert 0 <= first < 2**63


def test_none_draws_another_seed_each_time():
    assert len({draw_seed(None) for _ in range(20)}) == 20


def test_an_integer_beyond_64_bits_still_makes_a_generator():
    assert generator(draw_seed(2**100)).random() == generator(2**100).random()


@pytest.mark.parametrize("rng", [-1, np.int64(-1), True, False, 1.0, "0", [0]])
def test_anything_else_is_refused(rng):
    with pytest.raises(ValueError, match=r"rng must be an integer of 0 or more, .* not .*rng=0"):
        draw_seed(rng)


def test_generators_restart_from_the_seed():
    first, second = generator(3), generator(3)
    assert first is not second
    assert first.random(5).tolist() == second.random(5).tolist()
    assert generator(4).random() != generator(3).random()
