"""Control variates against least squares and sums over clusters."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from evalframe.stats.control import control

tenths = st.integers(-5, 5).map(lambda k: k / 10)
ITEMS = st.lists(st.tuples(tenths, tenths, st.integers(0, 1), st.integers(0, 3)), max_size=14)


@given(
    ITEMS,
    st.one_of(st.none(), st.floats(-2, 2)),
    st.booleans(),
    st.sampled_from([-300, -40, 0, 40, 300]),
)
def test_means_are_moved_along_the_slope_of_least_squares(items, theta, clustered, unit):
    y, z = (np.array([row[k] for row in items], dtype=float) for k in (0, 1))
    segment = np.array([row[2] for row in items], dtype=np.int64)
    cluster = np.array([row[2] * 4 + row[3] for row in items], dtype=np.int64)
    known = 0.3
    found = control(
        np.ldexp(y, unit),
        np.ldexp(z, unit),
        segment,
        2,
        float(np.ldexp(known, unit)),
        cluster if clustered else None,
        theta,
    )
    for s in range(2):
        here = segment == s
        n, varies = here.sum(), here.any() and np.ptp(z[here]) > 0
        slope = theta
        if theta is None:
            slope = np.polyfit(z[here], y[here], 1)[0] if varies else np.nan
        assert_allclose(found.theta[s], slope, rtol=1e-8, atol=1e-12)
        if varies and np.ptp(y[here]) > 0:
            r = np.corrcoef(y[here], z[here])[0, 1]
            assert_allclose(found.correlation[s], r, rtol=1e-8, atol=1e-12)
        else:
            assert np.isnan(found.correlation[s])
        if not n or np.isnan(slope):
            assert np.isnan([found.adjusted.mean[s], found.adjusted.se[s]]).all()
            continue
        estimate = y[here].mean() - slope * (z[here].mean() - known)
        assert_allclose(np.ldexp(found.adjusted.mean[s], -unit), estimate, rtol=1e-9, atol=1e-12)
        rest = y[here] - slope * z[here]
        labels = cluster[here] if clustered else np.arange(n)
        g = len(set(labels))
        if g < 2:
            assert np.isnan(found.adjusted.se[s])
            continue
        sums = [(rest - rest.mean())[labels == c].sum() for c in set(labels)]
        se = (g / (g - 1) * np.sum(np.square(sums))) ** 0.5 / n
        assert_allclose(np.ldexp(found.adjusted.se[s], -unit), se, rtol=1e-7, atol=1e-12)
