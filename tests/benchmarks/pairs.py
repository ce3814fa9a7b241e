"""Time all pairs of 20 arms beside plain numpy, and the whole call beside pandas and numpy.

Run it by hand: python tests/benchmarks/pairs.py
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from baselines import all_pairs, groupby_mean
from timing import Row, best, named, show

import evalframe
from evalframe.stats.arm_pairs import _complete, arm_pairs
from evalframe.stats.item_table import ItemTable

ARMS, ITEMS, SEEDS = 20, 2_000, 5


def runs() -> pd.DataFrame:
    """Return right and wrong answers of arms to items under several seeds."""
    draw = np.random.default_rng(0)
    index = pd.MultiIndex.from_product(
        [
            [f"q{i:04}" for i in range(ITEMS)],
            [f"arm {a:02}" for a in range(ARMS)],
            range(SEEDS),
        ],
        names=["item_id", "arm", "seed"],
    )
    frame = index.to_frame(index=False)
    return frame.assign(score=(draw.random(len(frame)) < 0.6).astype(float))


def table(series: np.ndarray, cluster: np.ndarray | None = None) -> ItemTable:
    none = np.zeros(0, dtype=np.int64)
    return ItemTable(np.ascontiguousarray(series.T), cluster, none, np.zeros((0, ARMS, 0)))


def rows() -> Iterator[Row]:
    frame = runs()
    matrix = groupby_mean(frame).unstack().to_numpy()
    holes = np.where(np.random.default_rng(1).random(matrix.shape) < 0.1, np.nan, matrix)
    cluster = np.arange(ITEMS) // 20
    size = f"{ARMS} arms x {ITEMS:,} items"
    bare = named("numpy", "differences and errors of all pairs")
    calls = {
        "the same, in any order of rows": lambda: _complete(
            table(matrix), *np.triu_indices(ARMS, 1)
        ),
        "arm_pairs, with wins and losses": lambda: arm_pairs(table(matrix)),
        "arm_pairs, in 100 clusters": lambda: arm_pairs(table(matrix, cluster)),
        "arm_pairs, a tenth missing": lambda: arm_pairs(table(holes)),
        "arm_pairs, a tenth missing, clusters": lambda: arm_pairs(table(holes, cluster)),
    }
    yardstick, *took = best(lambda: all_pairs(matrix), *calls.values(), repeats=50)
    for name, ours in zip(calls, took, strict=True):
        yield Row(f"{name}, {size}", bare, ours, yardstick, "ms")
    whole, *took = best(
        lambda: all_pairs(groupby_mean(frame).unstack().to_numpy()),
        lambda: evalframe.pairs(frame, simultaneous=False),
        lambda: evalframe.pairs(frame),
        lambda: evalframe.rank(frame),
        lambda: evalframe.rank(frame, method="bootstrap"),
    )
    bare = f"{named('pandas', 'groupby mean')}, {named('numpy', 'all pairs')}"
    names = ("pairs, no simultaneous limits", "pairs", "rank", "rank, bootstrap")
    for name, ours in zip(names, took, strict=True):
        yield Row(f"{name}, {size} x {SEEDS} seeds", bare, ours, whole, "ms")


if __name__ == "__main__":
    show(rows)
