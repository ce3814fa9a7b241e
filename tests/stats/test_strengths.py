import numpy as np
import pytest
from hypothesis import assume, given, settings
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime, minimize

from evalframe.stats.games import LOST, TIED, WON, count_games
from evalframe.stats.separation import separation
from evalframe.stats.strengths import Model, fit_strengths
from tests.stats.test_games import played


def log_likelihood(theta, counts, sided, tied):
    """Return the log likelihood pair by pair, from the definition."""
    n, total = counts.shape[1], 0.0
    side = theta[n] if sided else 0.0
    nu = np.exp(theta[-1]) if tied else 0.0
    for i in range(n):
        for j in range(n):
            up, down = (np.exp(sign * (theta[i] - theta[j] + side) / 2) for sign in (1, -1))
            won, draws, lost = counts[:, i, j]
            whole = up + down + nu
            total += won * np.log(up / whole) + lost * np.log(down / whole)
            if tied and draws:
                total += draws * np.log(nu / whole)
            elif draws:
                total += draws * (np.log(up / whole) + np.log(down / whole)) / 2
    return total


@pytest.mark.parametrize("sided", [False, True])
@pytest.mark.parametrize("tied", [False, True])
@given(games=played(most_arms=4))
def test_the_likelihood_is_flat_at_the_fit_and_curved_as_the_information(sided, tied, games):
    counts = count_games(games)
    assume(not tied or counts[TIED].any())
    assume(separation(counts, sided=sided, tied=tied).finite)
    model = Model(games.n_arms, sided, tied)
    fit = fit_strengths(counts, model)
    assert fit.converged
    assert abs(fit.theta[: games.n_arms].sum()) < 1e-12
    slope = approx_fprime(fit.theta, log_likelihood, 1e-7, counts, sided, tied)
    assert_allclose(slope, 0, atol=1e-4 * max(1, len(games.first)))


def test_the_information_is_minus_the_second_derivative():
    rng = np.random.default_rng(4)
    counts = rng.integers(1, 9, (3, 3, 3)).astype(float) * (1 - np.eye(3))
    fit = fit_strengths(counts, Model(3, sided=True, tied=True))
    step, size = 1e-4, 5
    second = np.zeros((size, size))
    for i in range(size):
        for j in range(size):
            for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                at = fit.theta.copy()
                at[i] += s * step
                at[j] += t * step
                second[i, j] += s * t * log_likelihood(at, counts, True, True) / (4 * step**2)
    # The generalised inverse on strengths that sum to 0.
    assert_allclose(fit.inverse, np.linalg.pinv(-second, rcond=1e-5), atol=1e-5)


def test_davidsons_penalty_is_jeffreys_prior():
    rng = np.random.default_rng(5)
    counts = rng.integers(0, 4, (3, 3, 3)).astype(float) * (1 - np.eye(3))
    model = Model(3, sided=True, tied=True)

    def loss(free):
        theta = np.concatenate([[-free[0] - free[1]], free])
        gap = theta[:3, None] - theta[None, :3] + theta[3]
        ends = np.stack([np.exp(gap / 2), np.full((3, 3), np.exp(theta[4])), np.exp(-gap / 2)])
        chance = ends / ends.sum(axis=0)
        information = np.zeros((4, 4))
        for i in range(3):
            for j in range(3):
                x = np.zeros((3, 4))
                # What each end adds to (second, third, side, tie), the first strength held at 0.
                for end, sign in ((WON, 0.5), (LOST, -0.5)):
                    for arm, part in ((i, sign), (j, -sign)):
                        x[end, arm - 1 if arm else 3] += part if arm else 0.0
                    x[end, 2] = sign
                    x[end, 3] = 0.0
                x[TIED, 3] = 1.0
                p = chance[:, i, j]
                centred = x - p @ x
                information += counts[:, i, j].sum() * (centred * p[:, None]).T @ centred
        prior = np.linalg.slogdet(information)[1] / 2
        return -log_likelihood(theta, counts, True, True) - prior

    fit = fit_strengths(counts, model, jeffreys=True)
    found = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-7})
    assert_allclose(fit.theta[1:], found.x, atol=1e-5)


def test_huge_gaps_and_counts_neither_overflow_nor_fail():
    counts = np.zeros((3, 3, 3))
    counts[[0, 2], 0, 1] = 1e12, 1.0
    counts[[0, 2], 1, 2] = 1e12, 1.0
    fit = fit_strengths(counts, Model(3, sided=False, tied=False))
    assert fit.converged
    assert_allclose(np.diff(fit.theta), -np.log(1e12), rtol=1e-10)


def test_many_arms_in_a_chain_are_fitted():
    n = 60
    counts = np.zeros((3, n, n))
    counts[WON, np.arange(n - 1), np.arange(1, n)] = 9
    counts[LOST, np.arange(n - 1), np.arange(1, n)] = 1
    fit = fit_strengths(counts, Model(n, sided=False, tied=False))
    assert fit.converged
    assert_allclose(np.diff(fit.theta), -np.log(9), rtol=1e-9)


def penalised(free, counts, sided, tied):
    """Return the log likelihood and half the log determinant of the information, pair by pair."""
    n = counts.shape[1]
    theta = np.concatenate([[0.0], free])
    side, tie = theta[n] if sided else 0.0, theta[-1]
    information = np.zeros((len(free), len(free)))
    for i in range(n):
        for j in range(n):
            # The exponents of the three ends, and what each does to the unknowns.
            exponent, x = np.zeros(3), np.zeros((3, len(theta)))
            for end, sign in ((WON, 0.5), (LOST, -0.5)):
                exponent[end] = sign * (theta[i] - theta[j] + side)
                x[end, i] += sign
                x[end, j] -= sign
                if sided:
                    x[end, n] = sign
            if tied:
                exponent[TIED] = tie
                x[TIED, -1] = 1.0
            chance = np.exp(exponent) * [1, tied, 1]
            chance /= chance.sum()
            for end in range(3):
                apart = x[end] - chance @ x
                weight = counts[:, i, j].sum() * chance[end]
                information += weight * np.outer(apart, apart)[1:, 1:]
    return log_likelihood(theta, counts, sided, tied) + np.linalg.slogdet(information)[1] / 2


@pytest.mark.parametrize("sided", [False, True])
@pytest.mark.parametrize("tied", [False, True])
@settings(max_examples=25)
@given(games=played(most_arms=3, most_games=8))
def test_the_penalised_likelihood_is_flat_at_the_fit_of_a_few_games(sided, tied, games):
    counts = count_games(games)
    assume(len(games.first) and (not tied or counts[TIED].any()))
    found = separation(counts, sided=sided, tied=tied)
    assume(found.connected and found.sides_known)
    fit = fit_strengths(counts, Model(games.n_arms, sided, tied), jeffreys=True)
    assert fit.converged
    theta = fit.theta.copy()
    theta[: games.n_arms] -= theta[0]
    step = 1e-5
    for k in range(1, len(theta)):
        ahead, back = theta[1:].copy(), theta[1:].copy()
        ahead[k - 1] += step
        back[k - 1] -= step
        rise = penalised(ahead, counts, sided, tied) - penalised(back, counts, sided, tied)
        assert abs(rise / (2 * step)) < 1e-5
