import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.stats.label_pairs import correlation, rarest, repeated

pairs = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3) | st.none()), min_size=1, max_size=30
)


def arrays(items):
    judge = np.array([float(f) for f, _ in items])
    gold = np.array([np.nan if y is None else float(y) for _, y in items])
    return judge, gold, np.zeros(len(items), dtype=np.int64)


@given(pairs)
def test_repeats_are_counted(items):
    judge, gold, segment = arrays(items)
    seen = [pair for pair in items if pair[1] is not None]
    expected = 1 - len(set(seen)) / len(seen) if seen else 0.0
    assert_allclose(repeated(judge, gold, segment, 1), expected, atol=1e-15)


@given(pairs)
def test_the_correlation_is_numpys(items):
    judge, gold, segment = arrays(items)
    seen = ~np.isnan(gold)
    f, y = judge[seen], gold[seen]
    found = correlation(judge, gold, segment, 1)
    if len(f) < 2 or np.ptp(f) == 0 or np.ptp(y) == 0:
        assert np.isnan(found).all()
    else:
        assert_allclose(found, np.corrcoef(f, y)[0, 1], atol=1e-12)


def test_a_class_is_the_rarer_of_two_values():
    values, segment = np.array([1.0, 0, 1, 1, 1, 1, 1, 2, 3, 4]), np.repeat([0, 1, 2], [4, 3, 3])
    assert_array_equal(rarest(values, segment, 4), [1, 0, np.nan, 0])


def test_few_fractions_are_no_classes():
    values, segment = np.array([0.21, 0.83, 0.5, 0, 0.5, 0.5]), np.array([0, 0, 1, 1, 1, 1])
    assert_array_equal(rarest(values, segment, 2), [np.nan, 1])


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 1.0, 0.5, 2.0, 0.25]), st.integers(0, 1)), max_size=12)
)
def test_the_rarer_of_two_is_counted(rows):
    values, segment = (np.array([row[k] for row in rows]) for k in (0, 1))
    found = rarest(values.astype(float), segment.astype(np.int64), 2)
    for s in range(2):
        mine = [x for x, where in rows if where == s]
        counts = [mine.count(x) for x in set(mine)]
        whole = all(x == int(x) for x in mine)
        if len(counts) > 2 or (0 < len(mine) < 4 and not whole):
            assert np.isnan(found[s])
        else:
            assert found[s] == (min(counts) if len(counts) == 2 else 0)
