"""Time the cluster-robust errors: CR2 beside CR1, and the beta-binomial.

Run it by hand: python tests/benchmarks/clusters.py
"""

import time
from collections.abc import Callable

import numpy as np
import pandas as pd

import evalframe
from evalframe.stats.betabinomial import beta_binomial_limits
from evalframe.stats.clusters import robust_errors
from evalframe.stats.means import segment_means

CLUSTERS = 100_000


def best(function: Callable[[], object], repeats: int = 7) -> float:
    """Return the shortest of several runs in milliseconds, after one to warm up."""
    function()
    took = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        took.append(time.perf_counter() - start)
    return 1e3 * min(took)


def sizes(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return sizes of n clusters: log-normal around 3, 60 at most."""
    return np.clip(np.round(np.exp(rng.normal(1.2, 0.9, n))), 1, 60).astype(np.int64)


def main() -> None:
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(CLUSTERS), sizes(rng, CLUSTERS))
    values = rng.random(len(cluster))
    where = np.zeros(len(cluster), dtype=np.int64)
    means = segment_means(values, where, 1, cluster)
    cr1 = best(lambda: segment_means(values, where, 1, cluster))
    more = best(lambda: robust_errors(means.clusters, 1))
    print(f"{CLUSTERS:,} clusters, {len(values):,} items")
    print(f"  CR1            {cr1:7.1f} ms")
    print(f"  CR1 and CR2    {cr1 + more:7.1f} ms  ({(cr1 + more) / cr1:.2f}x)")
    frame = pd.DataFrame(
        {"item_id": np.arange(len(values)), "score": values, "cluster_id": cluster}
    )
    for interval in ("t", "cr2", "logit"):
        took = best(lambda interval=interval: evalframe.score(frame, interval=interval), 3)
        print(f"  score({interval!r:7}) {took:7.1f} ms")
    for name, size in (
        ("log-normal sizes", sizes(rng, 1_000)),
        ("sizes 1 to 500", rng.integers(1, 501, 1_000)),
        ("sizes of 10", np.full(1_000, 10)),
    ):
        right = rng.binomial(size, rng.beta(4, 1, len(size)))
        took = best(lambda right=right, size=size: beta_binomial_limits(right, size, 0.95))
        print(f"beta-binomial, 1,000 clusters, {name}: {took:.1f} ms")


if __name__ == "__main__":
    main()
