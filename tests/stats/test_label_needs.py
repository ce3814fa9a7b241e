import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from evalframe.stats.label_needs import Scene, labels_needed
from evalframe.stats.prediction import predicted


def scene(n_items=1000.0, sd=0.5, rho=0.7, icc_rest=0.0, icc_judge=0.0, size=1.0, **options):
    values = (n_items, sd, 3 * sd, rho, icc_rest, icc_judge, size)
    return Scene(*(np.array([value]) for value in values), **options)


@given(st.integers(3, 999), st.floats(-1, 1))
def test_the_error_is_that_of_the_best_weight(n, rho):
    expected = 0.25 * ((1 - rho**2) / n + rho**2 / 1000)
    assert_allclose(scene(rho=rho).error(np.array([float(n)])) ** 2, expected, rtol=1e-10)


@given(st.integers(3, 998), st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_more_labels_never_make_it_larger(n, rho, rest, judge, clip):
    one = scene(rho=rho, icc_rest=rest, icc_judge=judge, size=5.0, clip=clip)
    fewer, more = one.error(np.array([float(n)])), one.error(np.array([n + 1.0]))
    assert more <= fewer * (1 + 1e-12)


def test_all_labels_are_worth_as_much_as_without_a_judge():
    one = scene(icc_rest=0.1, icc_judge=0.3, size=4.0)
    most = np.array([1000.0])
    assert_allclose(one.error(most), one.without_judge().error(most), rtol=1e-12)
    effect = 1 + 3 * (0.51 * 0.1 + 0.49 * 0.3)
    assert_allclose(one.error(most) ** 2, 0.25 * effect / 1000, rtol=1e-12)


@given(st.floats(0.001, 1), st.floats(10, 1e6))
def test_one_label_less_does_not_do(target, most):
    def size(n):
        return 0.5 / np.sqrt(n)

    found = labels_needed(size, target, np.array([most]))
    if np.isnan(found):
        assert size(max(np.floor(most), 3)) > target or size(most) > target
    else:
        assert size(found) <= target * (1 + 1e-9)
        assert found == 3 or size(found - 1) > target * (1 - 1e-9)


def test_a_plan_holds_when_it_is_simulated():
    rng, n_sim, n, total, rho = np.random.default_rng(0), 3000, 60, 400, 0.8
    judge = rng.normal(size=(n_sim, total))
    truth = rho * judge + (1 - rho**2) ** 0.5 * rng.normal(size=judge.shape)
    gold = np.where(np.arange(total) < n, truth, np.nan)
    segment = np.repeat(np.arange(n_sim), total)
    found = predicted(judge.ravel(), gold.ravel(), segment, n_sim)
    planned = scene(total, 1.0, rho).error(np.array([float(n)]))
    # The weight is estimated, which a plan leaves out: some percent at 60 labels.
    assert_allclose(found.estimate.std(), planned, rtol=0.06)
