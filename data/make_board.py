"""Simulate a leaderboard that a judge fills: board/runs.parquet and board/games.parquet.

README.md beside this file states the model in words.

Usage: python make_board.py [FOLDER], where FOLDER is this file's own folder unless given.
"""

import itertools
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

SEED = 20261202
N_TASKS = 60
N_ITEMS = 360
# Items whose answers a person has rated, and items that are answered a second time.
N_LABELLED = 48
N_TWICE = 90
ITEMS_PER_PAIR = 30
SHARE_GAMES_LABELLED = 0.2
TYPICAL_LENGTH = 200.0
# What the judge gives for an answer twice as long, and for standing first: points of its scale.
LENGTH_WORTH = 1.0
FIRST_WORTH = 0.6

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Setting(NamedTuple):
    """How good the answers of an arm are, in points from 1 to 10, and how long."""

    quality: float
    length: float


ARMS = {
    "alder": Setting(quality=5.6, length=0.9),
    "birch": Setting(quality=6.9, length=1.0),
    "cedar": Setting(quality=7.1, length=0.9),
    "elm": Setting(quality=4.8, length=0.8),
    "hazel": Setting(quality=6.6, length=1.1),
    "larch": Setting(quality=5.2, length=1.2),
    "maple": Setting(quality=5.9, length=2.6),
    "rowan": Setting(quality=6.2, length=1.0),
}


class Answers(NamedTuple):
    """All answers, as arrays of shape (arms, items, runs)."""

    task: Ints
    quality: Floats
    tokens: Ints


def draw_answers(rng: np.random.Generator) -> Answers:
    """Draw tasks of unequal size, and two answers of each arm to each of their items."""
    sizes = 2 + rng.multinomial(N_ITEMS - 2 * N_TASKS, rng.dirichlet(np.full(N_TASKS, 3.0)))
    task = np.repeat(np.arange(N_TASKS), sizes)
    shape = (len(ARMS), N_ITEMS, 2)
    quality = np.array([arm.quality for arm in ARMS.values()])[:, None, None]
    quality = quality + rng.normal(0.0, 0.6, N_TASKS)[task][None, :, None]
    quality = quality + rng.normal(0.0, 1.0, N_ITEMS)[None, :, None]
    quality = quality + rng.normal(0.0, 0.3, (len(ARMS), N_TASKS))[:, task, None]
    quality = quality + rng.normal(0.0, 0.8, (len(ARMS), N_ITEMS))[:, :, None]
    quality = quality + rng.normal(0.0, 0.5, shape)
    length = np.array([arm.length for arm in ARMS.values()])[:, None, None]
    log_tokens = np.log(TYPICAL_LENGTH * length) + rng.normal(0.0, 0.3, N_ITEMS)[None, :, None]
    tokens = np.rint(np.exp(log_tokens + rng.normal(0.0, 0.3, shape))).astype(np.int64)
    return Answers(task, quality, tokens)


def on_scale(points: Floats) -> Ints:
    """Return the ratings that points are given: whole numbers from 1 to 10."""
    return np.clip(np.rint(points), 1, 10).astype(np.int64)


def rate(rng: np.random.Generator, answers: Answers) -> tuple[Ints, Ints]:
    """Return the ratings of the judge and of a person, of all answers."""
    shape = answers.quality.shape
    length = LENGTH_WORTH * np.log2(answers.tokens / TYPICAL_LENGTH)
    judge = 2.0 + 0.75 * answers.quality + length + rng.normal(0.0, 0.7, shape)
    human = answers.quality + rng.normal(0.0, 0.6, shape)
    return on_scale(judge), on_scale(human)


def name_items(task: Ints) -> tuple[list[str], list[str]]:
    """Return the ids of items and of their tasks."""
    first = np.searchsorted(task, task)
    number = np.arange(len(task)) - first
    clusters = [f"t{t + 1:02}" for t in task]
    return [f"{c}-{n + 1:02}" for c, n in zip(clusters, number, strict=True)], clusters


def to_runs(rng: np.random.Generator, answers: Answers, judge: Ints, human: Ints) -> pd.DataFrame:
    """Return a row an answer; ratings of people only where chance has drawn the item."""
    labelled = np.isin(np.arange(N_ITEMS), rng.choice(N_ITEMS, N_LABELLED, replace=False))
    twice = np.isin(np.arange(N_ITEMS), rng.choice(N_ITEMS, N_TWICE, replace=False))
    there = np.ones(answers.quality.shape, dtype=bool)
    there[:, ~twice, 1] = False
    arm, item, run = np.nonzero(there)
    ids, clusters = name_items(answers.task)
    # Of an item that is answered twice the first answer is rated.
    shown = labelled[item] & (run == 0)
    return pd.DataFrame(
        {
            "item_id": np.array(ids, dtype=object)[item],
            "seed": run,
            "arm": np.array(list(ARMS), dtype=object)[arm],
            "cluster_id": np.array(clusters, dtype=object)[item],
            "n_output_tokens": answers.tokens[there],
            "judge": judge[there],
            "human": pd.Series(human[there], dtype="Int64").where(shown),
        }
    )


def winners(first: list[str], second: list[str], points: Floats, tie: float) -> list[str]:
    """Return the winner of each game, a tie where less than `tie` points decide."""
    return [
        "tie" if abs(lead) < tie else (a if lead > 0 else b)
        for a, b, lead in zip(first, second, points, strict=True)
    ]


def to_games(rng: np.random.Generator, answers: Answers) -> pd.DataFrame:
    """Return judgements of two answers to an item, each pair shown in both orders."""
    names = list(ARMS)
    pairs = np.array(list(itertools.combinations(range(len(names)), 2)))
    one, two = np.repeat(pairs, ITEMS_PER_PAIR, axis=0).T
    item = np.concatenate(
        [rng.choice(N_ITEMS, ITEMS_PER_PAIR, replace=False) for _ in range(len(pairs))]
    )
    quality, tokens = answers.quality[:, :, 0], answers.tokens[:, :, 0]
    lead = quality[one, item] - quality[two, item]
    by_people = lead + rng.normal(0.0, 0.85, len(item))
    labelled = rng.random(len(item)) < SHARE_GAMES_LABELLED
    ids, clusters = name_items(answers.task)
    orders = []
    for a, b, sign in ((one, two, 1.0), (two, one, -1.0)):
        length = LENGTH_WORTH * np.log2(tokens[a, item] / tokens[b, item])
        points = 0.75 * sign * lead + length + FIRST_WORTH + rng.normal(0.0, 1.0, len(item))
        first, second = [names[k] for k in a], [names[k] for k in b]
        human = np.array(winners(first, second, sign * by_people, 0.5), dtype=object)
        human[~labelled] = None
        orders.append(
            pd.DataFrame(
                {
                    "item_id": [ids[k] for k in item],
                    "cluster_id": [clusters[k] for k in item],
                    "arm_a": first,
                    "arm_b": second,
                    "winner": winners(first, second, points, 0.4),
                    "human": human,
                    "tokens_a": tokens[a, item],
                    "tokens_b": tokens[b, item],
                }
            )
        )
    return pd.concat(orders, ignore_index=True)


def simulate(seed: int) -> tuple[dict[str, pd.DataFrame], Ints]:
    """Return the two tables, and how people would rate all answers, most of which is hidden."""
    rng = np.random.default_rng(seed)
    answers = draw_answers(rng)
    judge, human = rate(rng, answers)
    tables = {"runs": to_runs(rng, answers, judge, human), "games": to_games(rng, answers)}
    return tables, human


def main(folder: Path) -> None:
    """Write the runs and the games."""
    (folder / "board").mkdir(parents=True, exist_ok=True)
    for name, frame in simulate(SEED)[0].items():
        table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
        pq.write_table(table, folder / "board" / f"{name}.parquet", compression="zstd")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
