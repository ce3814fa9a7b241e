"""Time the calibration and the jackknife of VOICE against loops over scipy, in one run.

Run it by hand: python tests/benchmarks/voice_score.py
"""

import platform
import time
from collections.abc import Callable

import numpy as np
from scipy.stats import wasserstein_distance

from evalframe.stats.wasserstein import leave_one_out, self_distances

TEXTS, SIZE, DRAWS, METRICS, PAIRS = 1_000, 200, 1_000, 69, 1_000
# The loops are timed on so many draws, metrics and removals, and the rest is extrapolated.
LOOPED, REMOVED = 20, 10


def best(function: Callable[[], object], repeats: int = 7) -> float:
    """Return the shortest of several runs in milliseconds, after one to warm up."""
    function()
    took = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        took.append(time.perf_counter() - start)
    return 1e3 * min(took)


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


def main() -> None:
    generator = np.random.default_rng(1)
    train, x, y = (style(generator, n) for n in (TEXTS, PAIRS, PAIRS))
    size = np.full(METRICS, SIZE)
    ours = best(lambda: self_distances(train, size, DRAWS, np.random.default_rng(0)))
    loop = best(lambda: calibration_loop(train), 3) * DRAWS / LOOPED
    print(f"numpy {np.__version__}, Python {platform.python_version()}")
    print(f"calibration, {DRAWS:,} draws of 2 x {SIZE} of {TEXTS:,} texts, {METRICS} metrics")
    print(f"  scipy loop (extrapolated) {loop:10.1f} ms")
    print(f"  self_distances            {ours:10.1f} ms  {loop / ours:.0f} times as fast")
    print(f"jackknife of {PAIRS:,} pairs, one metric")
    for name, metric in (("rate", 0), ("continuous", METRICS - 1)):
        one, other = x[:, metric].copy(), y[:, metric].copy()
        naive = best(lambda a=one, b=other: jackknife_loop(a, b), 3) * PAIRS / REMOVED
        fast = best(lambda a=one, b=other: leave_one_out(a, b), 50)
        print(f"  {name}: scipy loop (extrapolated) {naive:8.1f} ms")
        print(f"  {name}: leave_one_out {fast:8.3f} ms  {naive / fast:,.0f} times as fast")


if __name__ == "__main__":
    main()
