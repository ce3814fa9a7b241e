"""Strengths of arms as the rows of a result."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy

from evalframe import results
from evalframe.errors import DesignError
from evalframe.methods.games.matches import Group, Matches
from evalframe.methods.games.strength_faults import fault, remedy
from evalframe.methods.games.strength_fits import Rating, Settings, rate
from evalframe.methods.remarks import counted, counted_as_zero
from evalframe.methods.rows import no_labels
from evalframe.stats.games import TIED, Games
from evalframe.stats.means import student_quantile
from evalframe.stats.segments import Floats, Ints
from evalframe.stats.welch import two_sided_p

# Fewer units of an arm than this leave its error uncertain.
_FEW = 5
# Elo points a unit of strength: 400 for odds of 10 to 1.
_ELO = 400.0 / np.log(10.0)

_ESTIMATES = (
    *("strength", "se", "conf_low", "conf_high", "elo", "elo_low", "elo_high"),
    *("diff", "diff_se", "diff_low", "diff_high", "p_value", "win_rate", "df"),
    *("side", "side_se", "side_low", "side_high", "tie", "tie_se", "tie_low", "tie_high"),
)
_COUNTS = ("wins", "ties", "losses", "n_games", "n_units")


def rated(
    matches: Matches, settings: Settings, baseline: int | None, provenance: Mapping[str, Any]
) -> pd.DataFrame:
    """Rate the arms of each group, a row an arm.

    Raises
    ------
    DesignError
        If no arm of any group has a strength.
    """
    blocks, faults = [], []
    for group in matches.groups():
        block, why = _block(group, settings, baseline, provenance)
        blocks.append(block)
        faults += [why] if why else []
    if blocks and len(faults) == len(blocks):
        more = f"; so in each of {len(blocks):,} groups" if len(blocks) > 1 else ""
        raise DesignError(f"strengths need games that rank all arms, found {faults[0]}{more}")
    group = _joined([block["group"] for block in blocks]).astype(np.int64)
    arm = _joined([block["arm"] for block in blocks]).astype(np.int64)
    keys = matches.by.iloc[group].reset_index(drop=True)
    keys["arm"] = matches.arms.take(arm)
    if baseline is None or not len(matches.arms):
        keys["baseline"] = no_labels(matches.arms, len(arm))
    else:
        keys["baseline"] = matches.arms.take(np.full(len(arm), baseline))
    kinds = results.TABLES["bradley_terry"].items()
    names = [name for name, kind in kinds if kind != "label"]
    columns = {name: _joined([block[name] for block in blocks]) for name in names}
    return results.table("bradley_terry", keys, columns, provenance)


def _joined(parts: Sequence[Any]) -> Any:
    return np.concatenate([np.asarray(part) for part in parts]) if parts else np.zeros(0)


def _block(
    group: Group, settings: Settings, baseline: int | None, made: Mapping[str, Any]
) -> tuple[dict[str, Any], str]:
    """Return the columns of a group's arms, and why none has a strength."""
    games, played = _counting(group, settings)
    rating = rate(games, settings)
    one = None
    if baseline is not None and baseline in played:
        one = int(np.searchsorted(played, baseline))
    n, place = len(group.arms), np.searchsorted(group.arms, played)
    numbers = _numbers(rating, one, made["level"], made["anchor"], settings.errors == "robust")
    block: dict[str, Any] = {"group": np.full(n, group.code), "arm": group.arms}
    for name, values in numbers.items():
        block[name] = np.full(n, 0.0 if name in _COUNTS else np.nan)
        block[name][place] = values
    block["n_clusters"] = block["n_units"] if group.unit != "game" else np.full(n, np.nan)
    block |= _left_out(group)
    fit = rating.estimates
    robust = settings.errors == "robust" if fit is None else fit.robust
    block |= {
        "level": np.full(n, made["level"]),
        "unit": [group.unit] * n,
        "errors": ["robust" if robust else "model"] * n,
        "tie_rule": [settings.ties] * n,
        "penalty": [settings.penalty or ""] * n,
    }
    why = fault(rating, [group.labels[arm] for arm in played])
    block["note"] = _notes(group, block, rating, settings, why, baseline)
    what = remedy(rating, penalised=settings.penalty is not None)
    return block, f"{why}; {what}" if fit is None else ""


def _counting(group: Group, settings: Settings) -> tuple[Games, Ints]:
    """Return the games that count, among the arms that played one, and those arms."""
    games = group.games
    counted = (games.first != games.second) & (games.outcome >= 0)
    if settings.ties == "drop":
        counted &= games.outcome != TIED
    if not counted.all():
        games = games.take(np.flatnonzero(counted))
    played = np.flatnonzero(_appearances(games.first, games.second, games.n_arms))
    place = np.zeros(games.n_arms, dtype=np.int64)
    place[played] = np.arange(len(played))
    return games.renamed(place, len(played), sided=True), played


def _appearances(first: Ints, second: Ints, n_arms: int) -> Ints:
    """Return in how many games each arm stands."""
    return np.bincount(first, minlength=n_arms) + np.bincount(second, minlength=n_arms)


def _left_out(group: Group) -> dict[str, Ints]:
    """Return how many games of each arm have no winner, or no other arm."""
    games = group.games
    alone = games.first == games.second
    lacking = ~alone & (games.outcome < 0)
    n_missing = _appearances(games.first[lacking], games.second[lacking], games.n_arms)
    n_self = np.bincount(games.first[alone], minlength=games.n_arms)
    return {"n_missing": n_missing[group.arms], "n_self": n_self[group.arms]}


def _numbers(
    rating: Rating, one: int | None, level: float, anchor: float, robust: bool
) -> dict[str, Any]:
    """Return the numbers of the arms that played."""
    n_games = rating.wins + rating.ties + rating.losses
    found: dict[str, Any] = dict.fromkeys(_ESTIMATES, np.nan)
    found |= {"wins": rating.wins, "ties": rating.ties, "losses": rating.losses}
    found |= {"n_games": n_games, "n_units": rating.n_units}
    found["win_rate"] = (rating.wins + rating.ties / 2.0) / n_games
    fit = rating.estimates
    if fit is None:
        return found
    df = np.full(len(n_games), np.inf)
    if robust:
        # One cluster has no error, whatever stands in for the sandwich.
        df = rating.n_units - 1.0 if fit.robust else np.where(rating.n_units > 1, df, np.nan)
    found["df"] = df
    strength, se = fit.strengths()
    found |= _limits("strength", strength, se, df, level) | {"strength": strength}
    found["se"], found["conf_low"], found["conf_high"] = (
        found.pop(f"strength_{name}") for name in ("se", "low", "high")
    )
    for elo, ours in (("elo", "strength"), ("elo_low", "conf_low"), ("elo_high", "conf_high")):
        found[elo] = anchor + _ELO * found[ours]
    if one is not None:
        diff, se = fit.differences(one)
        least: Floats = np.minimum(df, df[one])
        found |= _limits("diff", diff, se, least, level)
        tested = np.where((found["diff_se"] > 0) & (least > 0), least, np.nan)
        with np.errstate(invalid="ignore", divide="ignore"):
            found["p_value"] = two_sided_p(diff / found["diff_se"], tested)
    n = fit.model.n_arms
    further = np.array([rating.total - 1.0 if fit.robust else np.inf])
    further = np.where(robust and rating.total == 1, np.nan, further)
    if fit.model.sided:
        found |= _limits("side", *fit.further(n), further, level)
    if fit.model.tied:
        found |= _limits("tie", *fit.further(fit.model.size - 1), further, level)
    return found


def _limits(
    name: str, value: Floats | float, se: Floats | float, df: Floats, level: float
) -> dict[str, Floats]:
    """Return an estimate with its error and limits; a single cluster has none."""
    known = np.where(df > 0, se, np.nan)
    finite = np.isfinite(df)
    quantile = np.where(
        finite,
        student_quantile(level, np.where(finite, df, 1.0)),
        scipy.special.ndtri((1 + level) / 2),
    )
    half = np.where(known == 0, 0.0, quantile * known)
    value = np.broadcast_to(value, half.shape)
    low, high = value - half, value + half
    return {name: value, f"{name}_se": known, f"{name}_low": low, f"{name}_high": high}


def _lone(n: int) -> str:
    """Say how many scores met no other."""
    items = "items" if n != 1 else "an item"
    return f"{counted(n, 'score')} of {items} no other arm has"


def _notes(
    group: Group,
    block: dict[str, Any],
    rating: Rating,
    settings: Settings,
    why: str,
    baseline: int | None,
) -> list[str]:
    """Say in words what a reader of each row must know."""
    fit, unit, units = rating.estimates, group.unit, block["n_units"]
    played, known = block["n_games"] > 0, ~np.isnan(block["strength"])
    itself = group.arms == (-1 if baseline is None else baseline)
    no_diff = np.isnan(block["diff"]) & (baseline is not None) & ~itself
    robust = fit is not None and fit.robust
    halves = settings.ties == "half" and not robust and bool(rating.ties.any())
    no_tie = settings.ties == "davidson" and not rating.ties.any()
    means = "finite by the penalty alone, errors are the model's and rough"
    if fit is None:
        means = remedy(rating, penalised=settings.penalty is not None)
    return results.notes(
        len(group.arms),
        [
            (~played, "no game with a winner"),
            (played & bool(why), f"{why}; {means}"),
            (known & np.isnan(block["se"]), f"1 {unit}: no standard error"),
            (
                known & robust & (units > 1) & (units < _FEW),
                [f"{k:.0f} {unit}s: the standard error is uncertain" for k in units],
            ),
            (known & (block["se"] == 0), "standard error 0: no certainty either"),
            (known & halves, "ties as half wins: the model's errors are too wide"),
            (known & no_tie, "no ties: no tie parameter"),
            (known & itself, "the baseline"),
            (known & no_diff, "the baseline has no game here"),
            (group.n_lone > 0, [_lone(int(k)) for k in group.n_lone]),
            counted_as_zero(group.n_zeros),
        ],
    )
