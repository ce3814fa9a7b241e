"""Means of series: those of `segment_means`, whatever the sign."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.stats.means import segment_means
from evalframe.stats.segments import stable_order
from evalframe.stats.series_means import series_means

draws = st.integers(0, 2**31)


@given(draws, st.integers(1, 30), st.booleans())
def test_means_and_errors_are_those_of_segments(seed, n, clustered):
    draw = np.random.default_rng(seed)
    series = draw.normal(size=(3, n)) * 10.0 ** draw.integers(-9, 9)
    series[draw.random((3, n)) < 0.2] = np.nan
    cluster = np.unique(draw.integers(0, 5, n), return_inverse=True)[1]
    size = np.bincount(cluster)
    groups = (stable_order(cluster, len(size)), np.cumsum(size) - size) if clustered else None
    scale = np.nan_to_num(np.abs(series)).max(axis=1)
    mean, se, count, n_clusters = series_means(series, scale, groups)
    for row, values in enumerate(series):
        known = ~np.isnan(values)
        found = segment_means(
            values[known],
            np.zeros(known.sum(), dtype=np.int64),
            1,
            cluster[known] if clustered else None,
        )
        assert_allclose(mean[row], found.mean[0], rtol=1e-12, atol=1e-14 * scale[row])
        assert_allclose(se[row], found.se[0], rtol=1e-9, atol=1e-14 * scale[row])
        assert (count[row], n_clusters[row]) == (found.n[0], found.n_clusters[0])
    other = series_means(-series, scale, groups)
    assert_array_equal(other[0], -mean)
    assert_array_equal(other[1], se)
