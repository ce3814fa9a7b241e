"""Draws with replacement: their law, and that neither threads nor what follows changes them."""

import numpy as np
import pytest
import scipy.stats
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.stats import draws
from evalframe.stats.draws import counts, in_blocks, sums

SIZES = [1, 2, 3, 7, 16, 31, 100, 1_000]


@pytest.mark.parametrize("n", [*SIZES, 70_000, 200_000])
def test_a_resample_has_as_many_draws_as_there_are_units(n):
    assert_array_equal(counts(np.random.default_rng(0), 3, n).sum(axis=1), [n] * 3)


@pytest.mark.parametrize("n", SIZES[1:])
def test_counts_are_multinomial(n):
    found = counts(np.random.default_rng(1), 20_000, n)
    # A unit's count is binomial: the first, the last, and one in the middle.
    for unit in (0, n // 2, n - 1):
        often = np.bincount(np.minimum(found[:, unit], 4), minlength=5)
        law = scipy.stats.binom.pmf(np.arange(4), n, 1 / n)
        expected = 20_000 * np.append(law, 1 - law.sum())
        used = expected > 1e-6
        assert scipy.stats.chisquare(often[used], expected[used]).pvalue > 1e-4
        assert often[~used].sum() == 0
    # Two counts have the covariance -1/n of a multinomial.
    product = (found[:, 0] - 1) * (found[:, -1] - 1)
    assert abs(product.mean() + 1 / n) < 5 * product.std() / np.sqrt(20_000)


def test_every_unit_of_a_large_sample_is_drawn_alike():
    n = 150_001
    total = counts(np.random.default_rng(2), 40, n).sum(axis=0)
    parts = np.array([part.sum() for part in np.array_split(total, 50)])
    expected = np.array([len(part) for part in np.array_split(total, 50)]) * 40
    assert scipy.stats.chisquare(parts, expected).pvalue > 1e-4
    # The variance of Poisson counts is their mean.
    assert_allclose(total.var() / total.mean(), 1, atol=5 * np.sqrt(2 / n))


@pytest.mark.parametrize("n", [*SIZES, 70_000, 140_000])
def test_sums_are_those_of_the_units_counted(n):
    values = np.random.default_rng(3).integers(0, 1_000, (2, n)).astype(float)
    often = counts(np.random.default_rng(4), 5, n)
    found = sums(np.random.default_rng(4), 5, list(values))
    for column, total in zip(values, found, strict=True):
        assert_array_equal(total, often @ column)


def means(n_boot, n=300, threads=1, seed=0):
    values = np.random.default_rng(5).random(n)
    return in_blocks(
        lambda generator, rows: sums(generator, rows, [values])[0] / n,
        n_boot,
        n,
        np.random.default_rng(seed),
        threads=threads,
    )[:, 0]


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_change_no_number(threads):
    assert_array_equal(means(20_000, threads=threads), means(20_000))


@pytest.mark.parametrize("n_boot", [1, 873, 874, 13_983, 13_984, 20_000])
def test_blocks_that_are_full_do_not_depend_on_how_many_follow(n_boot):
    block = draws._HELD // 300 * draws._REPEATS
    full = n_boot // block * block
    found = means(n_boot)
    assert len(found) == n_boot
    assert_array_equal(found[:full], means(30_000)[:full])


def test_blocks_are_not_alike():
    found = means(20_000)
    assert len(np.unique(found)) > 19_000
    assert_array_equal(found, means(20_000))
    assert (found != means(20_000, seed=1)).all()


def test_more_blocks_than_a_round_are_all_made(monkeypatch):
    monkeypatch.setattr(draws, "_HELD", 10)
    monkeypatch.setattr(draws, "_REPEATS", 1)
    found = means(500)
    assert len(np.unique(found)) == 500
    assert_array_equal(found, means(500, threads=2))


def test_progress_is_told_of_every_resample():
    told = []
    in_blocks(
        lambda generator, rows: generator.random(rows),
        1_234,
        100_000,
        np.random.default_rng(0),
        tick=told.append,
    )
    assert sum(told) == 1_234
