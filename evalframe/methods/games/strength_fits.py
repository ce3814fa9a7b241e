"""The strengths of one group's arms and their errors, back in the order of the arms."""

from dataclasses import dataclass, replace

import numpy as np

from evalframe.stats.arm_order import ArmOrder, arm_order
from evalframe.stats.game_clusters import clusters_of_arms, robust_covariance
from evalframe.stats.games import TIED, Games, count_games, records
from evalframe.stats.segments import Floats, Ints
from evalframe.stats.separation import Separation, separation
from evalframe.stats.strengths import Model, fit_strengths

TIE_RULES = ("half", "davidson", "drop")
ERRORS = ("robust", "model")
PENALTIES = ("jeffreys",)


@dataclass(frozen=True, slots=True)
class Settings:
    """How strengths are fitted.

    Attributes
    ----------
    ties : {"half", "davidson", "drop"}
    side : bool
        Whether to estimate what standing first is worth.
    penalty : {"jeffreys"} or None
    errors : {"robust", "model"}
    """

    ties: str
    side: bool
    penalty: str | None
    errors: str


@dataclass(frozen=True, slots=True)
class Estimates:
    """A fit and its covariance, with arms in the order that their games give.

    Attributes
    ----------
    order : ArmOrder
    model : Model
    theta : (P,) float64
    covariance : (P, P) float64
    robust : bool
        Whether the covariance is a sandwich.
    """

    order: ArmOrder
    model: Model
    theta: Floats
    covariance: Floats
    robust: bool

    def strengths(self) -> tuple[Floats, Floats]:
        """Return the strength of each arm and its standard error, (K,) each."""
        n = self.model.n_arms
        variance = np.diag(self.covariance)[:n]
        return self._of_arms(self.theta[:n], 1.0), self._errors(variance)

    def differences(self, arm: int) -> tuple[Floats, Floats]:
        """Return how far each arm is above one, and the standard errors; NaN for itself."""
        n, one = self.model.n_arms, int(self.order.place[arm])
        strength = self.strengths()[0]
        variance = np.diag(self.covariance)[:n]
        variance = variance + variance[one] - 2.0 * self.covariance[:n, one]
        diff, se = strength - strength[arm], self._errors(variance)
        diff[arm] = se[arm] = np.nan
        return diff, se

    def further(self, place: int) -> tuple[float, float]:
        """Return an unknown that is no strength, and its standard error."""
        variance = max(float(self.covariance[place, place]), 0.0)
        return float(self.theta[place]), float(np.sqrt(variance))

    def _of_arms(self, values: Floats, scale: float) -> Floats:
        return self.order.settled(values, scale)[self.order.place]

    def _errors(self, variance: Floats) -> Floats:
        scale = float(np.abs(np.diag(self.covariance)).max(initial=0.0))
        # Rounding alone leaves a variance like this.
        none = variance <= 1e-14 * scale
        return np.sqrt(self._of_arms(np.where(none, 0.0, variance), scale))


@dataclass(frozen=True, slots=True)
class Rating:
    """What the games of a group tell of its K arms that played.

    Attributes
    ----------
    wins, ties, losses, n_units : (K,) int64
        Games by how they ended, and the clusters (or games) that each arm plays in.
    total : int
        Of all clusters (or games).
    found : Separation
        Whether strengths exist; in the order of the arms.
    estimates : Estimates or None
    """

    wins: Ints
    ties: Ints
    losses: Ints
    n_units: Ints
    total: int
    found: Separation
    estimates: Estimates | None


def rate(games: Games, settings: Settings) -> Rating:
    """Fit the strengths of arms that all played.

    Parameters
    ----------
    games : Games
        Of one group.
    settings : Settings

    Returns
    -------
    Rating
    """
    n, sided = games.n_arms, settings.side
    if games.cluster is not None and np.bincount(games.cluster).max(initial=0) < 2:
        games = replace(games, cluster=None)
    counts = count_games(games)
    wins, ties, losses = records(counts)
    n_units, total = wins + ties + losses, len(games.first)
    if games.cluster is not None:
        n_units = clusters_of_arms(games, games.cluster)
        total = int(np.count_nonzero(np.bincount(games.cluster)))
    order = arm_order(counts, games, sided=sided)
    ordered = games.renamed(order.place, n, sided=sided)
    counts = count_games(ordered)
    model = Model(n, sided, settings.ties == "davidson" and bool(counts[TIED].any()))
    found = separation(counts, sided=sided, tied=model.tied)
    estimates = _estimates(ordered, counts, order, model, found, settings)
    return Rating(wins, ties, losses, n_units, total, _of_arms(found, order), estimates)


def _estimates(
    games: Games,
    counts: Floats,
    order: ArmOrder,
    model: Model,
    found: Separation,
    settings: Settings,
) -> Estimates | None:
    """Fit the model where there are finite strengths or the penalty makes them so."""
    known = found.connected and found.sides_known
    if not games.n_arms or not (found.finite or (settings.penalty and known)):
        return None
    fit = fit_strengths(counts, model, jeffreys=settings.penalty == "jeffreys")
    if not fit.converged:
        return None
    # An arm that won everything leaves hardly a residual, from which a sandwich would be made.
    robust = settings.errors == "robust" and found.finite
    matrix = robust_covariance(games, counts, fit, model) if robust else fit.inverse
    return Estimates(order, model, fit.theta, matrix, robust)


def _of_arms(found: Separation, order: ArmOrder) -> Separation:
    """Return what was found with arms in their own order."""
    place, direction = order.place, found.direction
    if direction is not None:
        n = len(place)
        direction = np.concatenate([direction[:n][place], direction[n:]])
    return replace(
        found,
        component=found.component[place],
        level=found.level[place],
        direction=direction,
    )
