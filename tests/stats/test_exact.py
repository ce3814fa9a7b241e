"""Limits of an exact law, value by value."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalframe.stats.exact import limits


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 20)), min_size=1, max_size=30),
    st.sampled_from([0.5, 0.8, 0.9, 0.95]),
)
def test_limits_are_the_first_values_that_reach_the_tails(law, level):
    whole = sum(weight for _, weight in law)
    values = np.array([x for x, _ in law], dtype=float)
    found = limits(values, np.array([weight / whole for _, weight in law]), level)
    for limit, tail in zip(found, ((1 - level) / 2, (1 + level) / 2), strict=True):
        reached = [
            x for x in sorted(values) if sum(w for y, w in law if y <= x) >= tail * whole - 1e-9
        ]
        assert limit == reached[0]
