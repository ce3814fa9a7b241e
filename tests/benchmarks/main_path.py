"""Time score and compare on 1,000,000 rows against a bare pandas groupby, in one run.

Run it by hand: python tests/benchmarks/main_path.py
"""

from collections.abc import Iterator

import baselines
import numpy as np
import pandas as pd
from timing import Row, best, named, peak, show

import evalframe

ITEMS, ARMS, SEEDS, CLUSTER, GROUPS = 100_000, ("base", "edit"), 5, 10, 5_000


def runs() -> pd.DataFrame:
    """Return 100,000 text ids x 2 arms x 5 seeds with clusters of 10 and 5,000 groups."""
    item = np.repeat(np.arange(ITEMS), len(ARMS) * SEEDS)
    generator = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "item_id": np.char.add("item-", item.astype(str)).astype(object),
            "arm": np.tile(np.repeat(np.array(ARMS, dtype=object), SEEDS), ITEMS),
            "seed": np.tile(np.arange(SEEDS), ITEMS * len(ARMS)),
            "score": generator.integers(0, 2, len(item)).astype(np.float64),
            "cluster_id": np.char.add("passage-", (item // CLUSTER).astype(str)).astype(object),
        }
    )


def rows() -> Iterator[Row]:
    frame = runs()
    grouped = frame.assign(
        task=np.char.add("task-", (np.arange(len(frame)) * GROUPS // len(frame)).astype(str))
    )
    baseline, scored, compared, by_group = best(
        lambda: baselines.groupby_mean(frame),
        lambda: evalframe.score(frame),
        lambda: evalframe.compare(frame, "base", value="score"),
        lambda: evalframe.score(grouped, by="task"),
        repeats=9,
        seconds=60,
    )
    size = f"{len(frame):,} rows"
    mean = named("pandas", "groupby mean")
    yield Row(f"score, {size}", mean, scored, baseline, "ms")
    yield Row(f"compare, {size}", mean, compared, baseline, "ms", note="of the score alone")
    yield Row(
        f"score by {GROUPS:,} groups, {size}", "evalframe score, no groups", by_group, scored, "ms"
    )
    held = peak(lambda: evalframe.score(frame))
    memory = frame.memory_usage(deep=True).sum() / 1e6
    yield Row(f"score, {size}, peak memory", "the frame itself", held, memory, "MB")


if __name__ == "__main__":
    show(rows)
