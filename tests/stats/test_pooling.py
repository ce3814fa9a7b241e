"""Pooled estimates against sums over groups, and over the units that groups share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from evalframe.stats.pooling import WEIGHTINGS, Overlap, heterogeneity, pool

# Estimate, standard error and number of items of a group.
GROUPS = st.lists(
    st.tuples(st.floats(-2, 2), st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), st.integers(0, 9)),
    min_size=1,
    max_size=6,
)
UNITS = st.sampled_from([-300, -40, 0, 40, 300])


def columns(groups):
    """Return a column of all groups and one of those in reverse: (B, 2) each."""
    return [np.array([[row[k], back[k]] for row, back in zip(groups, groups[::-1], strict=True)])
            for k in range(3)]  # fmt: skip


def weights(groups, weighting):
    if weighting == "macro":
        return [1 / len(groups)] * len(groups)
    if weighting == "micro":
        return [n / sum(m for _, _, m in groups) for _, _, n in groups]
    precision = [1 / s**2 if s > 0 else np.nan for _, s, _ in groups]
    return [one / sum(precision) for one in precision]


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@given(GROUPS, UNITS)
def test_weights_that_add_up_to_1(weighting, groups, unit):
    x, s, n = columns(groups)
    df = np.maximum(n - 1.0, 1.0)
    found = pool(np.ldexp(x, unit), np.ldexp(s, unit), n, df, weighting)
    used = [group for group in groups if group[2]]
    if not used:
        assert np.isnan([found.estimate, found.se]).all()
        return
    w = weights(used, weighting)
    parts = [(a * s) ** 2 for a, (_, s, _) in zip(w, used, strict=True)]
    bound = sum(part**2 / max(n - 1, 1) for part, (_, _, n) in zip(parts, used, strict=True))
    estimate = sum(a * x for a, (x, _, _) in zip(w, used, strict=True))
    assert_allclose(np.ldexp(found.estimate, -unit), [estimate] * 2, rtol=1e-9, atol=1e-12)
    assert_allclose(np.ldexp(found.se, -unit), [sum(parts) ** 0.5] * 2, rtol=1e-9)
    if weighting == "inverse-variance":
        assert np.isinf(found.df).all()
    else:
        expected = sum(parts) ** 2 / bound if bound > 0 else np.nan
        assert_allclose(found.df, [expected] * 2, rtol=1e-9)


@given(GROUPS, UNITS)
def test_cochrans_q_is_the_weighted_sum_of_squares(groups, unit):
    x, s, n = columns(groups)
    found = heterogeneity(np.ldexp(x, unit), np.ldexp(s, unit), n)
    used = [group for group in groups if group[2]]
    if not used or any(s == 0 for _, s, _ in used):
        assert np.isnan([found.q, found.df, found.p_value, found.i_squared]).all()
        return
    w = [1 / s**2 for _, s, _ in used]
    middle = sum(a * x for a, (x, _, _) in zip(w, used, strict=True)) / sum(w)
    q = sum(a * (x - middle) ** 2 for a, (x, _, _) in zip(w, used, strict=True))
    df = len(used) - 1
    assert_allclose(found.q, [q] * 2, rtol=1e-8, atol=1e-12)
    assert (found.df == df).all()
    if df:
        assert_allclose(found.p_value, [stats.chi2.sf(q, df)] * 2, rtol=1e-7)
        assert_allclose(found.i_squared, [max(0, 1 - df / q) if q > 1e-12 else 0] * 2, atol=1e-9)


@pytest.mark.parametrize("weighting", ["macro", "micro"])
@given(st.integers(0, 2**31), st.integers(2, 4), st.integers(2, 8), UNITS)
def test_units_that_groups_share_are_added_up_unit_by_unit(weighting, seed, n_groups, n, unit):
    draw = np.random.default_rng(seed)
    values = draw.integers(-4, 5, (n_groups, n, 2)) / 4.0
    there = draw.random((n_groups, n)) < 0.7
    there[:, :2] = True
    size = there.sum(axis=1)
    estimate, se, shares = np.zeros((n_groups, 2)), np.zeros((n_groups, 2)), []
    for g in range(n_groups):
        for a in range(2):
            mine = values[g, there[g], a]
            estimate[g, a] = mine.mean()
            se[g, a] = mine.std(ddof=1) / size[g] ** 0.5
            each = (mine - mine.mean()) / size[g] * (size[g] / (size[g] - 1)) ** 0.5
            shares += [(e, u, g, a) for e, u in zip(each, np.flatnonzero(there[g]), strict=True)]
    draw.shuffle(shares)
    share, *codes = (np.array(part) for part in zip(*shares, strict=True))
    codes = [part.astype(np.int64) for part in codes]
    overlap = Overlap(np.ldexp(share.astype(float), unit), *codes, np.full(2, n))
    counts = np.stack([size, size], axis=1)
    found = pool(np.ldexp(estimate, unit), np.ldexp(se, unit), counts, counts - 1.0, weighting,
                 overlap)  # fmt: skip
    weight = np.full(n_groups, 1 / n_groups) if weighting == "macro" else size / size.sum()
    for a in range(2):
        total = [sum(weight[g] * e for e, u, g, b in shares if (u, b) == (i, a)) for i in range(n)]
        expected = sum(t**2 for t in total) ** 0.5
        assert_allclose(np.ldexp(found.se[a], -unit), expected, rtol=1e-6, atol=1e-8)
        assert np.isnan(found.df[a]) or found.df[a] <= n - 1
