"""Time the cluster-robust errors: CR2 beside CR1, and the beta-binomial.

Run it by hand: python tests/benchmarks/clusters.py
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import scipy.stats
from timing import Row, best, named, show

import evalframe
from evalframe.stats.betabinomial import beta_binomial_limits
from evalframe.stats.clusters import robust_errors
from evalframe.stats.means import segment_means

CLUSTERS = 100_000


def sizes(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return sizes of n clusters: log-normal around 3, 60 at most."""
    return np.clip(np.round(np.exp(rng.normal(1.2, 0.9, n))), 1, 60).astype(np.int64)


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(CLUSTERS), sizes(rng, CLUSTERS))
    values = rng.random(len(cluster))
    where = np.zeros(len(cluster), dtype=np.int64)
    means = segment_means(values, where, 1, cluster)
    cr1, more = best(
        lambda: segment_means(values, where, 1, cluster), lambda: robust_errors(means.clusters, 1)
    )
    size = f"{CLUSTERS:,} clusters, {len(values):,} items"
    yield Row(f"CR1 and CR2, {size}", "evalframe CR1 alone", cr1 + more, cr1, "ms")
    frame = pd.DataFrame(
        {"item_id": np.arange(len(values)), "score": values, "cluster_id": cluster}
    )
    t, cr2, logit = best(
        *(lambda i=i: evalframe.score(frame, interval=i) for i in ("t", "cr2", "logit")), repeats=4
    )
    yield Row(f'score("cr2"), {size}', 'evalframe score("t")', cr2, t, "ms")
    yield Row(f'score("logit"), {size}', 'evalframe score("t")', logit, t, "ms")
    for name, size in (
        ("log-normal sizes", sizes(rng, 1_000)),
        ("sizes 1 to 500", rng.integers(1, 501, 1_000)),
        ("sizes of 10", np.full(1_000, 10)),
    ):
        right = rng.binomial(size, rng.beta(4, 1, len(size)))
        ours, once = best(
            lambda right=right, size=size: beta_binomial_limits(right, size, 0.95),
            lambda right=right, size=size: scipy.stats.betabinom.logpmf(right, size, 4, 1).sum(),
        )
        likelihood = named("scipy", "betabinom.logpmf, one pair of parameters")
        yield Row(f"beta-binomial limits, 1,000 clusters, {name}", likelihood, ours, once, "ms")


if __name__ == "__main__":
    show(rows)
