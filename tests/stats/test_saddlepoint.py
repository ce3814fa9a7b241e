"""Saddlepoint limits against the same formula solved by bracketing."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.stats import norm

from evalframe.stats.linear import linear
from evalframe.stats.saddlepoint import limits


def normal_score(top, bottom, x):
    """Return r* of the chance that a resample's ratio is at most x."""
    n, y = len(top), top - x * bottom

    def tilted(t):
        weight = np.exp(t * y - np.max(t * y))
        return weight / weight.sum()

    def slope(t):
        return tilted(t) @ y

    # The tilt at which the sum of y has a mean of 0, whose sign is that of w.
    size = np.abs(y).max()
    t = brentq(slope, -60 / size, 60 / size, xtol=1e-14 / size, rtol=1e-14)
    top_log = np.max(t * y)
    log_mean = np.log(np.mean(np.exp(t * y - top_log))) + top_log
    second = tilted(t) @ y**2
    w = np.sign(t) * np.sqrt(-2 * n * log_mean)
    u = t * np.sqrt(n * second)
    return w + np.log(u / w) / w


@settings(max_examples=25)
@given(
    st.integers(0, 2**31),
    st.integers(8, 30),
    st.booleans(),
    st.sampled_from([0.8, 0.95]),
    st.sampled_from([1e-90, 1.0, 1e90]),
)
def test_limits_have_the_normal_score_of_their_tail(seed, n, ratio, level, unit):
    draw = np.random.default_rng(seed)
    top = draw.gamma(1.5, size=n) if seed % 2 else draw.normal(size=n)
    bottom = draw.uniform(0.5, 2, n) if ratio else np.ones(n)
    statistic = linear(np.stack([top * unit, bottom]), None)
    found = np.array(limits(statistic, level)) / unit
    estimate = top.sum() / bottom.sum()
    se = np.sqrt(np.sum((top - estimate * bottom) ** 2)) / bottom.sum()
    z = norm.ppf((1 + level) / 2)
    for limit, end in zip(found, (-z, z), strict=True):
        # r* has a hole of rounding at the estimate itself; limits lie clear of it.
        near, far = estimate + np.sign(end) * 0.1 * se, estimate + np.sign(end) * 4 * se
        each = top / bottom
        far = np.clip(far, each.min() + 1e-3 * se, each.max() - 1e-3 * se)
        try:
            expected = brentq(lambda x, z: normal_score(top, bottom, x) - z, near, far, args=(end,))
        except ValueError:
            # The tail ends before the formula reaches the level.
            continue
        assert_allclose(limit, expected, atol=2e-6 * se)
