import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.stats.double_samples import double_sample, moments, n_groups


def sample(cluster=None):
    judge = np.array([1.0, 2, 4, 5, 1, 3, 3])
    gold = np.array([0.0, 1, np.nan, np.nan, 1, 0, np.nan])
    segment, stratum = np.array([0, 0, 0, 0, 1, 1, 1]), np.array([3, 3, 3, 3, 3, 3, 0])
    return double_sample(judge, gold, segment, 2, cluster, stratum)


def test_a_stratum_lies_in_one_segment():
    found = sample()
    assert found.home.tolist() == [0, 1, 1]
    assert found.stratum.tolist() == [0, 0, 0, 0, 2, 2, 1]


def test_moments_are_those_of_each_stratum():
    found = moments(sample())
    assert_allclose(found.weight, [1, 1 / 3, 2 / 3])
    assert_array_equal(found.n, [2, 0, 2])
    assert_array_equal(found.rest, [2, 1, 0])
    assert_allclose(found.gold, [0.5, 0, 0.5])
    assert_allclose(found.judge_rest, [4.5, 3, 0])
    assert_allclose(found.variance, [0.5, 0, 2])
    assert_allclose(found.covariance, [0.5, 0, -1])
    # The judge has a shift only where there are items without a label.
    assert_allclose(found.shift, [3, 3, 0])


def test_clusters_are_counted_once_a_stratum():
    found = sample(cluster=np.array([0, 0, 0, 1, 2, 2, 3]))
    everyone = np.ones(7, dtype=bool)
    assert n_groups(found, everyone, found.stratum, 3).tolist() == [2, 1, 1]
    assert n_groups(found, found.labelled, found.segment, 2).tolist() == [1, 1]
