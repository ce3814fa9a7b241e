"""Krippendorff's alpha and its error against sums over all pairs of ratings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from evalframe.stats.alphas import SCALES, krippendorff_alpha

# Ratings of three raters, the segment and the cluster of a row.
ROWS = st.lists(
    st.tuples(
        *[st.sampled_from([None, 0.0, 1.0, 1.0, 2.5, 7.0])] * 3,
        st.integers(0, 1),
        st.integers(0, 3),
    ),
    max_size=14,
)
SMALL = 1e-30


def distance(x, y, scale, rank):
    """Return the squared distance of two ratings."""
    if scale == "nominal":
        return float(x != y)
    if scale == "ordinal":
        return (rank[x] - rank[y]) ** 2
    if scale == "interval":
        return (x - y) ** 2
    return ((x - y) / (x + y)) ** 2 if x + y else 0.0


def alpha(rows, weight, scale):
    """Return alpha of rows that count as often as their weight says."""
    count = {}
    for row, w in zip(rows, weight, strict=True):
        for x in row:
            count[x] = count.get(x, 0) + w
    rank = {x: sum(count[y] for y in count if y < x) + count[x] / 2 for x in count}
    n = sum(count.values())
    within = 0
    for row, w in zip(rows, weight, strict=True):
        pairs = [(i, j) for i in range(len(row)) for j in range(len(row)) if i != j]
        apart = sum(distance(row[i], row[j], scale, rank) for i, j in pairs)
        within += w * apart / (len(row) - 1)
    expected = sum(count[x] * count[y] * distance(x, y, scale, rank) for x in count for y in count)
    return 1 - (n - 1) * within / expected if expected else np.nan


def error(rows, cluster, scale):
    """Return the CR2 error and its df from the derivatives of alpha to the weights of rows."""
    n, labels = len(rows), sorted(set(cluster))
    if len(labels) < 2:
        return np.nan, np.nan
    moved = []
    for i in range(n):
        # A derivative without a difference: the imaginary part of a step to the side.
        weight = [1 + 1j * SMALL * (k == i) for k in range(n)]
        moved.append(alpha(rows, weight, scale).imag / SMALL)
    middle = sum(moved) / n
    share = [cluster.count(g) / n for g in labels]
    total = [sum(m - middle for m, c in zip(moved, cluster, strict=True) if c == g) for g in labels]
    square = sum(r**2 / (1 - w) for r, w in zip(total, share, strict=True))
    pull = sum(
        (v * w) ** 2 / (1 - v) / (1 - w)
        for i, v in enumerate(share)
        for j, w in enumerate(share)
        if i != j
    )
    return square**0.5, 1 / (sum(w**2 for w in share) + pull)


@pytest.mark.parametrize("scale", SCALES)
@given(ROWS)
def test_alpha_is_that_of_all_pairs_and_its_error_that_of_the_weights_of_rows(scale, rows):
    ratings = np.array([row[:3] for row in rows], dtype=float).reshape(-1, 3)
    segment = np.array([row[3] for row in rows], dtype=np.int64)
    cluster = np.array([row[3] * 7 + row[4] for row in rows], dtype=np.int64)
    found = krippendorff_alpha(ratings, segment, cluster, 2, scale)
    for s in range(2):
        mine = [row for row in rows if row[3] == s and sum(x is not None for x in row[:3]) > 1]
        rated = [[x for x in row[:3] if x is not None] for row in mine]
        expected = alpha(rated, [1] * len(rated), scale)
        assert_allclose(found.alpha[s], expected, rtol=1e-10, atol=1e-12)
        assert found.n_ratings[s] == sum(map(len, rated))
        assert found.n_levels[s] == len({x for row in rated for x in row})
        clusters = [row[4] for row in mine]
        assert found.n_clusters[s] == len(set(clusters))
        assert found.clustered[s] == (len(set(clusters)) < len(mine))
        if np.isnan(expected):
            assert np.isnan(found.se[s])
            continue
        se, df = error(rated, clusters, scale)
        assert_allclose(found.se[s], se, rtol=1e-8, atol=1e-9)
        assert_allclose(found.df[s], df, rtol=1e-9)
