"""Time score and compare on 1,000,000 rows against a bare pandas groupby, in one run.

Run it by hand: python tests/benchmarks/main_path.py
"""

import platform
import time
import tracemalloc
from collections.abc import Callable

import baselines
import numpy as np
import pandas as pd

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


def best(function: Callable[[], object], repeats: int = 7) -> float:
    """Return the shortest of several runs in milliseconds, after one to warm up."""
    function()
    took = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        took.append(time.perf_counter() - start)
    return 1e3 * min(took)


def peak(function: Callable[[], object]) -> float:
    """Return the most memory that a call holds at once, in MB."""
    tracemalloc.start()
    function()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def main() -> None:
    frame = runs()
    grouped = frame.assign(
        task=np.char.add("task-", (np.arange(len(frame)) * GROUPS // len(frame)).astype(str))
    )
    baseline = best(lambda: baselines.groupby_mean(frame))
    scored = best(lambda: evalframe.score(frame))
    compared = best(lambda: evalframe.compare(frame, "base", value="score"))
    by_group = best(lambda: evalframe.score(grouped, by="task"))
    size = frame.memory_usage(deep=True).sum() / 1e6
    held = peak(lambda: evalframe.score(frame))
    print(f"pandas {pd.__version__}, numpy {np.__version__}, Python {platform.python_version()}")
    print(f"{len(frame):,} rows, {size:.0f} MB")
    print(f"groupby_mean                {baseline:7.1f} ms  1.00")
    print(f"score                       {scored:7.1f} ms  {scored / baseline:.2f} x groupby_mean")
    print(
        f"compare, score alone        {compared:7.1f} ms  {compared / baseline:.2f} x groupby_mean"
    )
    print(f"score by {GROUPS:,} groups       {by_group:7.1f} ms  {by_group / scored:.2f} x score")
    print(f"score, peak memory          {held:7.1f} MB  {held / size:.2f} x the frame")


if __name__ == "__main__":
    main()
