"""Time the calibration and the jackknife of VOICE against loops over scipy, in one run.

Run it by hand: python tests/benchmarks/voice_score.py
"""

from collections.abc import Iterator

import numpy as np
from scipy.stats import wasserstein_distance
from timing import Row, best, named, show

from evalframe.stats.wasserstein import leave_one_out, self_distances

TEXTS, SIZE, DRAWS, METRICS, PAIRS = 1_000, 200, 1_000, 69, 1_000
# The loops are timed on so many draws, metrics and removals, and the rest is extrapolated.
LOOPED, REMOVED = 20, 10


def style(generator: np.random.Generator, n: int) -> np.ndarray:
    """Return metrics of texts: half of them rates with ties, half continuous."""
    words = generator.integers(100, 400, (n, 1))
    rates = generator.binomial(words, generator.uniform(0.001, 0.2, METRICS // 2)) / words
    return np.hstack([rates, generator.normal(size=(n, METRICS - METRICS // 2))])


def calibration_loop(train: np.ndarray) -> None:
    """Draw and measure as the plain loop does."""
    generator = np.random.default_rng(0)
    for _ in range(LOOPED):
        order = generator.permutation(TEXTS)
        first, second = train[order[:SIZE]], train[order[SIZE : 2 * SIZE]]
        for metric in range(METRICS):
            wasserstein_distance(first[:, metric], second[:, metric])


def jackknife_loop(x: np.ndarray, y: np.ndarray) -> None:
    """Leave pairs out one by one."""
    for i in range(REMOVED):
        wasserstein_distance(np.delete(x, i), np.delete(y, i))


def rows() -> Iterator[Row]:
    generator = np.random.default_rng(1)
    train, x, y = (style(generator, n) for n in (TEXTS, PAIRS, PAIRS))
    size = np.full(METRICS, SIZE)
    ours, loop = best(
        lambda: self_distances(train, size, DRAWS, np.random.default_rng(0)),
        lambda: calibration_loop(train),
        repeats=5,
    )
    yield Row(
        f"calibration, {DRAWS:,} draws of 2 x {SIZE} of {TEXTS:,} texts, {METRICS} metrics",
        named("scipy", "wasserstein_distance in a loop"),
        ours,
        loop * DRAWS / LOOPED,
        "ms",
        note=f"theirs multiplied up from {LOOPED} draws",
    )
    for name, metric in (("a rate", 0), ("continuous", METRICS - 1)):
        one, other = x[:, metric].copy(), y[:, metric].copy()
        fast, naive = best(
            lambda a=one, b=other: leave_one_out(a, b),
            lambda a=one, b=other: jackknife_loop(a, b),
            repeats=50,
        )
        yield Row(
            f"jackknife of {PAIRS:,} pairs, one metric, {name}",
            named("scipy", "wasserstein_distance in a loop"),
            fast,
            naive * PAIRS / REMOVED,
            "ms",
            note=f"theirs multiplied up from {REMOVED} removals",
        )


if __name__ == "__main__":
    show(rows)
