"""Time strengths of a million games beside what the same games cost to count and to minimise.

The yardsticks, in the same run: `groupby`, the bare pandas count of each (arm, arm, winner); and
`scipy minimise`, that count and BFGS on the likelihood of the arm x arm table, with the errors of
its inverse Hessian.

Run it by hand: python tests/benchmarks/bradley_terry.py
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from timing import Row, best, named, show

import evalframe

GAMES, PROMPTS = 1_000_000, 100_000


def arena(n_arms: int, ties: float, rng: np.random.Generator) -> pd.DataFrame:
    """Return games as an arena records them."""
    strength = rng.normal(0, 0.8, n_arms)
    a = rng.integers(0, n_arms, GAMES)
    b = (a + rng.integers(1, n_arms, GAMES)) % n_arms
    chance = 1 / (1 + np.exp(strength[b] - strength[a]))
    tied = rng.random(GAMES) < ties
    winner = np.where(tied, 2, (rng.random(GAMES) > chance).astype(int))
    names = np.array([f"model-{k:03d}" for k in range(n_arms)], dtype=object)
    return pd.DataFrame(
        {
            "arm_a": names[a],
            "arm_b": names[b],
            "winner": np.array(["model_a", "model_b", "tie"], dtype=object)[winner],
            "item_id": rng.integers(0, PROMPTS, GAMES),
        }
    ).astype({"arm_a": "str", "arm_b": "str", "winner": "str"})


def groupby(games: pd.DataFrame) -> pd.Series:
    return games.groupby(["arm_a", "arm_b", "winner"]).size()


def scipy_minimise(games: pd.DataFrame) -> object:
    counts = groupby(games).unstack(fill_value=0)
    arms = sorted(set(games["arm_a"].unique()) | set(games["arm_b"].unique()))
    i, j = (np.searchsorted(arms, counts.index.get_level_values(k)) for k in (0, 1))
    won = (counts["model_a"] + counts["tie"] / 2).to_numpy()
    n = counts.sum(axis=1).to_numpy()

    def loss(free: np.ndarray) -> tuple[float, np.ndarray]:
        theta = np.concatenate([[0.0], free])
        gap = theta[i] - theta[j]
        rest = won - n / (1 + np.exp(-gap))
        slope = np.bincount(j, rest, len(arms)) - np.bincount(i, rest, len(arms))
        return float((n * np.logaddexp(0, gap) - won * gap).sum()), slope[1:]

    return minimize(loss, np.zeros(len(arms) - 1), jac=True, method="BFGS").hess_inv


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    for n_arms in (20, 100):
        games = arena(n_arms, 0.2, rng)
        alone = games.drop(columns="item_id")
        coded = games.astype(dict.fromkeys(["arm_a", "arm_b", "winner"], "category"))
        calls = {
            "each game by itself": (alone, {}),
            "errors of the model": (alone, {"errors": "model"}),
            "prompts as clusters": (games, {}),
            "prompts as clusters, categories": (coded, {}),
            "side and davidson": (games, {"side": True, "ties": "davidson"}),
            "jeffreys": (games, {"penalty": "jeffreys"}),
        }
        counted, minimised, *took = best(
            lambda games=games: groupby(games),
            lambda games=games: scipy_minimise(games),
            *(lambda f=f, o=o: evalframe.bradley_terry(f, **o) for f, o in calls.values()),
            repeats=4,
            seconds=40,
        )
        size = f"{GAMES:,} games of {n_arms} arms"
        count, fit = named("pandas", "groupby size"), named("scipy", "minimize of the counts")
        for name, ours in zip(calls, took, strict=True):
            yield Row(f"bradley_terry, {size}, {name}", count, ours, counted, "ms")
        yield Row(f"bradley_terry, {size}", fit, took[0], minimised, "ms", note="no clusters")


if __name__ == "__main__":
    show(rows)
