"""Strengths of arms from games between them: Bradley-Terry and Davidson, by Newton's method."""

from dataclasses import dataclass

import numpy as np

from evalframe.stats.games import LOST, TIED, WON
from evalframe.stats.segments import Floats

# A Newton step this small is the last: the next one would be its square.
_LAST_STEP = 1e-9
_MOST_STEPS = 500


@dataclass(frozen=True, slots=True)
class Model:
    """The unknowns of a fit: A strengths, then those that are asked for.

    Attributes
    ----------
    n_arms : int
        A.
    sided, tied : bool
        Whether there are a side effect and a tie parameter, in this order after the strengths.
    """

    n_arms: int
    sided: bool
    tied: bool

    @property
    def size(self) -> int:
        """How many unknowns there are, P."""
        return self.n_arms + self.sided + self.tied

    def gradient(self, strength: Floats, tie: Floats) -> Floats:
        """Sum what each pair of arms adds to the two parts, (A, A) each, into (P,)."""
        parts = [strength.sum(axis=1) - strength.sum(axis=0)]
        parts += [[strength.sum()]] if self.sided else []
        parts += [[tie.sum()]] if self.tied else []
        return np.concatenate(parts)

    def square(self, strength: Floats, mixed: Floats, tie: Floats) -> Floats:
        """Sum the squares and products of the two parts, (A, A) each, into (P, P)."""
        n, size = self.n_arms, self.size
        out = np.zeros((size, size))
        out[:n, :n] = -strength - strength.T
        out[np.arange(n), np.arange(n)] += strength.sum(axis=1) + strength.sum(axis=0)
        if self.sided:
            out[n, :n] = out[:n, n] = strength.sum(axis=1) - strength.sum(axis=0)
            out[n, n] = strength.sum()
        if self.tied:
            last = size - 1
            out[last, :n] = out[:n, last] = mixed.sum(axis=1) - mixed.sum(axis=0)
            out[last, last] = tie.sum()
            if self.sided:
                out[n, last] = out[last, n] = mixed.sum()
        return out

    def gaps(self, theta: Floats) -> tuple[Floats, float]:
        """Return log odds of the first over the second, (A, A), and the log of the tie weight."""
        n = self.n_arms
        side = theta[n] if self.sided else 0.0
        return theta[:n, None] - theta[None, :n] + side, theta[-1] if self.tied else -np.inf


@dataclass(frozen=True, slots=True)
class Fit:
    """Strengths that fit games best.

    Attributes
    ----------
    theta : (P,) float64
        Strengths with mean 0, then the side effect and the log of the tie parameter.
    inverse : (P, P) float64
        Inverse of the information: the covariance where the model holds and games are independent.
    score, tie : (3, A, A) float64
        What a game of each pair and end adds to the gradient, in its strength and tie parts.
    converged : bool
        Whether the likelihood equations were solved.
    """

    theta: Floats
    inverse: Floats
    score: Floats
    tie: Floats
    converged: bool


def fit_strengths(counts: Floats, model: Model, *, jeffreys: bool = False) -> Fit:
    r"""Fit a Bradley-Terry model, or Davidson's with ties, to counts of games.

    Parameters
    ----------
    counts : (3, A, A) float64
        Of `count_games`; the maximum must be finite (`separation`), or `jeffreys` be asked for.
    model : Model
        Without a tie parameter a tie counts as half a win of each arm.
    jeffreys : bool
        Add half the log determinant of the information to the log likelihood.

    Returns
    -------
    Fit

    Notes
    -----
    With strengths :math:`\beta`, :math:`d_{ij} = \beta_i - \beta_j + \delta` and
    :math:`Z = e^{d/2} + e^{-d/2} + \nu` [1]_ [2]_,

    .. math:: P(i \text{ wins}) = e^{d/2} / Z, \quad P(\text{tie}) = \nu / Z, \quad
        P(j \text{ wins}) = e^{-d/2} / Z .

    :math:`\delta` is what the side adds for the arm that stands first; the constant
    :math:`\nu = 0` gives Bradley and Terry. Jeffreys' prior keeps strengths finite and takes away
    their bias of order 1/n [3]_. Newton's method on the A x A table: time O(A^3) a step, whatever
    the number of games.

    References
    ----------
    .. [1] Bradley and Terry (1952), Rank analysis of incomplete block designs: I. The method of
       paired comparisons, Biometrika 39(3/4), 324-345, doi:10.2307/2334029.
    .. [2] Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired
       comparison experiments, J. American Statistical Association 65(329), 317-328,
       doi:10.1080/01621459.1970.10481082.
    .. [3] Firth (1993), Bias reduction of maximum likelihood estimates, Biometrika 80(1), 27-38,
       doi:10.1093/biomet/80.1.27.

    Examples
    --------
    Three wins in four games are odds of 3 to 1:

    >>> counts = np.zeros((3, 2, 2))
    >>> counts[:, 0, 1] = 3, 0, 1
    >>> fit = fit_strengths(counts, Model(2, sided=False, tied=False))
    >>> np.exp(fit.theta[0] - fit.theta[1]).round(6)
    np.float64(3.0)
    """
    theta = _start(counts, model)
    target = _penalised(counts, model, theta, jeffreys)
    for _ in range(_MOST_STEPS):
        chance = _chances(model, theta)
        inverse = _inverse(counts.sum(axis=0), model, chance)
        slope = _slope(counts, model, chance)
        if jeffreys:
            pull, more = _jeffreys(counts, model, chance, inverse)
            slope = slope + pull
            inverse = _inverse(counts.sum(axis=0) + more, model, chance)
        step = inverse @ slope
        theta, target, length = _climb(counts, model, theta, step, target, jeffreys)
        if length <= _LAST_STEP:
            break
    theta[: model.n_arms] -= theta[: model.n_arms].mean()
    chance = _chances(model, theta)
    score, tie = _residuals(chance)
    inverse = _inverse(counts.sum(axis=0), model, chance)
    return Fit(theta, inverse, score, tie, bool(length <= _LAST_STEP))


def _start(counts: Floats, model: Model) -> Floats:
    """Return equal strengths, and the tie weight that fits them."""
    theta = np.zeros(model.size)
    if model.tied:
        ties = counts[TIED].sum()
        theta[-1] = np.log(2.0 * (ties + 0.5) / (counts.sum() - ties + 0.5))
    return theta


def _chances(model: Model, theta: Floats) -> Floats:
    """Return the chance of each end for each pair, (3, A, A)."""
    gap, tie = model.gaps(theta)
    half = gap / 2.0
    # The largest exponent is taken off, so that none overflows.
    top = np.maximum(np.abs(half), tie)
    ends = np.stack([np.exp(half - top), np.exp(tie - top), np.exp(-half - top)])
    return np.asarray(ends / ends.sum(axis=0))


def _residuals(chance: Floats) -> tuple[Floats, Floats]:
    """Return how far each end lies from what was expected, in both parts, (3, A, A) each."""
    won, tied, lost = chance
    # Written so that what is small is exact: an end that was all but certain moves little.
    score = np.stack([lost + tied / 2.0, (lost - won) / 2.0, -won - tied / 2.0])
    return score, np.stack([-tied, won + lost, -tied])


def _slope(counts: Floats, model: Model, chance: Floats) -> Floats:
    score, tie = _residuals(chance)
    return model.gradient((counts * score).sum(axis=0), (counts * tie).sum(axis=0))


def moments(weights: Floats, score: Floats, tie: Floats, model: Model) -> Floats:
    """Sum the outer products of what games add to the gradient, weighted, into (P, P)."""
    parts = [(weights * one * other).sum(axis=0) for one, other in
             ((score, score), (score, tie), (tie, tie))]  # fmt: skip
    return model.square(*parts)


def _inverse(met: Floats, model: Model, chance: Floats) -> Floats:
    """Return the inverse of the information of games met, among strengths whose sum is 0."""
    n = model.n_arms
    information = moments(met * chance, *_residuals(chance), model)
    # A common shift changes nothing: the information of the sum is made up, and taken off again.
    shift = max(float(np.trace(information)) / model.size, np.finfo(np.float64).tiny) / n
    information[:n, :n] += shift
    inverse = np.linalg.inv(information)
    inverse[:n, :n] -= 1.0 / (shift * n * n)
    return np.asarray((inverse + inverse.T) / 2.0)


def _jeffreys(
    counts: Floats, model: Model, chance: Floats, inverse: Floats
) -> tuple[Floats, Floats]:
    """Return the gradient of half the log determinant of the information, and games met.

    The prior curves the target as its leverage in further games would: without them a step from few
    games is up to twice too long, and goes to and fro for ever.
    """
    n = model.n_arms
    own = np.diag(inverse)[:n]
    spread = own[:, None] + own[None, :] - 2.0 * inverse[:n, :n]
    mixed, last = np.zeros((n, n)), np.zeros((n, n))
    if model.sided:
        towards = inverse[:n, n]
        spread = spread + 2.0 * (towards[:, None] - towards[None, :]) + inverse[n, n]
    if model.tied:
        towards = inverse[:n, -1]
        mixed = towards[:, None] - towards[None, :] + (inverse[n, -1] if model.sided else 0.0)
        last = np.full((n, n), inverse[-1, -1])
    score, tie = _residuals(chance)
    # Half the variance of each pair's two parts times the third moments of a game.
    half = counts.sum(axis=0) * chance * (spread * score**2 + 2.0 * mixed * score * tie
                                          + last * tie**2) / 2.0  # fmt: skip
    slope = model.gradient((half * score).sum(axis=0), (half * tie).sum(axis=0))
    return slope, 2.0 * half.sum(axis=0)


def _penalised(counts: Floats, model: Model, theta: Floats, jeffreys: bool) -> float:
    """Return the log likelihood, with Jeffreys' prior where it is asked for."""
    chance = _chances(model, theta)
    gap, tie = model.gaps(theta)
    top = np.maximum(np.abs(gap) / 2.0, tie)
    size = np.exp(np.abs(gap) / 2.0 - top) + np.exp(-np.abs(gap) / 2.0 - top) + np.exp(tie - top)
    likelihood = (counts[WON] - counts[LOST]) * gap / 2.0 - counts.sum(axis=0) * (
        top + np.log(size)
    )
    value = float(likelihood.sum()) + (float(counts[TIED].sum() * tie) if model.tied else 0.0)
    if not jeffreys:
        return value
    n = model.n_arms
    information = moments(counts.sum(axis=0) * chance, *_residuals(chance), model)
    information[:n, :n] += 1.0 / n
    return value + float(np.linalg.slogdet(information)[1]) / 2.0


def _climb(
    counts: Floats, model: Model, theta: Floats, step: Floats, target: float, jeffreys: bool
) -> tuple[Floats, float, float]:
    """Take a step, halved until the target does not fall; also return its length."""
    for _ in range(60):
        length = float(np.abs(step).max(initial=0.0))
        found = _penalised(counts, model, theta + step, jeffreys)
        # Close to the top the target moves by rounding alone, and Newton's step is right.
        if found >= target or length < 1e-4:
            return theta + step, found, length
        step = step / 2.0
    return theta, target, length
