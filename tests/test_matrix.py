from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.matrix import cells, reduce
from evalframe.runs import select

DECIMALS = st.sampled_from([0.1, 0.7, 1 / 3, 1e8 + 0.1, -0.2, 0.0, 1.0])
ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 12), DECIMALS),
    min_size=1,
    max_size=60,
    unique_by=lambda row: row[:3],
)


def frame_of(rows, **columns):
    return pd.DataFrame(rows, columns=["item_id", "arm", "seed", "score"]).assign(**columns)


def means(frame, **arguments):
    """Return the reduction as a frame of items by arms."""
    runs = select(frame, ["score"])
    found = reduce(runs, "score", **arguments)
    item = np.zeros(runs.n_units, dtype=object)
    item[runs.unit] = frame["item_id"]
    return [
        pd.DataFrame(part, index=item, columns=runs.arms).sort_index()
        for part in (found.mean, found.n_values, found.n_missing)
    ]


def added_by_seed(frame):
    """Return each (item, arm)'s mean: one value added after the other, in the order of seeds."""
    expected = {}
    for key, rows in frame.sort_values("seed").groupby(["item_id", "arm"]):
        total = 0.0
        for value in rows["score"]:
            total += value
        expected[key] = total / len(rows)
    return expected


@given(ROWS)
def test_an_items_mean_is_over_its_own_seeds(rows):
    frame = frame_of(rows)
    mean, n_values, n_missing = means(frame)
    for (item, arm), values in frame.groupby(["item_id", "arm"])["score"]:
        exact = sum(Fraction(value) for value in values) / len(values)
        assert_allclose(mean.loc[item, arm], float(exact), rtol=1e-14, atol=1e-7)
        assert n_values.loc[item, arm] == len(values)
    assert mean.isna().to_numpy().sum() == (n_values == 0).to_numpy().sum()
    assert n_values.to_numpy().sum() == len(frame)
    assert n_missing.to_numpy().sum() == 0


@given(ROWS)
def test_seeds_are_added_one_by_one_in_their_order(rows):
    mean, _, _ = means(frame_of(rows))
    for (item, arm), expected in added_by_seed(frame_of(rows)).items():
        assert mean.loc[item, arm] == expected


@pytest.mark.parametrize("n_seeds", [1, 7, 8, 9, 16, 17, 130])
@pytest.mark.parametrize("n_items", [1, 2, 5])
@pytest.mark.parametrize("n_arms", [1, 2])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_sum_is_the_same_however_the_numbers_are_laid_out(n_seeds, n_items, n_arms, sparse):
    # numpy adds 8 and more numbers that lie side by side in pairs, which is another sum.
    rng = np.random.default_rng(n_seeds)
    index = pd.MultiIndex.from_product([range(n_items), range(n_arms), range(n_seeds)])
    frame = index.to_frame(index=False, name=["item_id", "arm", "seed"])
    frame["score"] = rng.random(len(frame)) * 10.0 ** rng.integers(-3, 4, len(frame))
    expected = added_by_seed(frame)
    if sparse:
        # So many other seeds, each of an item of its own, that a table of all would be too large.
        n = 3_000
        far = pd.DataFrame({"item_id": np.arange(n) + 1_000, "arm": 0, "score": 0.5})
        frame = pd.concat([frame, far.assign(seed=np.arange(n) * 10**12 + 10**6)])
    mean, _, _ = means(frame)
    for (item, arm), value in expected.items():
        assert mean.loc[item, arm] == value


@given(ROWS, st.randoms())
def test_row_order_does_not_change_a_bit(rows, random):
    shuffled = random.sample(rows, len(rows))
    for one, other in zip(means(frame_of(rows)), means(frame_of(shuffled)), strict=True):
        pd.testing.assert_frame_equal(one, other, check_exact=True)


def test_a_missing_value_is_left_out_and_counted():
    frame = frame_of([(0, 0, 0, 1.0), (0, 0, 1, None), (1, 0, 0, None), (1, 1, 0, 0.5)])
    mean, n_values, n_missing = means(frame)
    assert_array_equal(mean, [[1, np.nan], [np.nan, 0.5]])
    assert_array_equal(n_values, [[1, 0], [0, 1]])
    assert_array_equal(n_missing, [[1, 0], [1, 0]])


def test_a_missing_value_counts_as_0_on_request():
    frame = frame_of([(0, 0, 0, 1.0), (0, 0, 1, None), (1, 0, 0, None), (1, 1, 0, 0.5)])
    mean, n_values, n_missing = means(frame, zero=True)
    assert_array_equal(mean, [[0.5, np.nan], [0, 0.5]])
    assert_array_equal(n_values, [[1, 0], [0, 1]])
    assert_array_equal(n_missing, [[1, 0], [1, 0]])


def test_no_rows_have_no_means():
    runs = select(frame_of([]).astype({"score": float}), ["score"])
    found = reduce(runs, "score")
    assert found.mean.shape == found.n_values.shape == found.n_missing.shape == (0, 0)


def test_the_known_entries_are_listed_with_group_and_column():
    frame = frame_of(
        [(0, 0, 0, 0.1), (0, 1, 0, 0.2), (1, 0, 0, 0.3), (2, 1, 0, 0.4)],
        task=["x", "x", "y", "y"],
        cluster_id=[7, 7, 8, 7],
    )
    runs = select(frame, ["score"], by=["task"])
    known = cells(runs, reduce(runs, "score").mean)
    assert known.n_segments == 4
    assert known.known.sum() == 4
    # Segments are group by group: x has both arms, y one item of each.
    by_segment = dict(zip(known.value.tolist(), known.segment.tolist(), strict=True))
    assert by_segment == {0.1: 0, 0.2: 1, 0.3: 2, 0.4: 3}
    assert len(set(known.cluster.tolist())) == 4
    assert known.count(known.known).tolist() == [1, 1, 1, 1]
    assert known.count(np.full(known.known.shape, 5)).sum() == 5 * known.known.size


def test_a_cluster_lies_in_one_segment():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"item_id": np.arange(50), "cluster_id": rng.integers(0, 6, 50)})
    both = pd.concat([frame.assign(arm=arm, score=rng.random(50)) for arm in "ab"])
    runs = select(both.assign(task=both["item_id"] % 3), ["score"], by=["task"])
    known = cells(runs, reduce(runs, "score").mean)
    homes = pd.DataFrame({"cluster": known.cluster, "segment": known.segment})
    assert homes.groupby("cluster")["segment"].nunique().eq(1).all()
    expected = both.assign(task=both["item_id"] % 3)[["task", "arm", "cluster_id"]]
    assert homes["cluster"].nunique() == len(expected.drop_duplicates())


def test_items_without_clusters_have_none():
    runs = select(frame_of([(0, 0, 0, 0.1)]), ["score"])
    assert cells(runs, reduce(runs, "score").mean).cluster is None
