"""Time 10,000 resamples of paired differences against scipy's and a plain blocked bootstrap.

Run it by hand: python tests/benchmarks/bootstrap.py
"""

from collections.abc import Iterator

import baselines
import numpy as np
import scipy.stats
from timing import Row, best, named, peak, show

from evalframe.stats.resample import bootstrap_interval
from evalframe.stats.statistic import MEAN, build

N_BOOT = 10_000
SIZES = (1_000, 10_000, 100_000, 1_000_000)
# Index draws take time in proportion to n * B. Beyond these draws fewer resamples are timed, and
# the time is multiplied.
DRAWS = 1e8


def ours(arm: np.ndarray, base: np.ndarray, method: str, n_boot: int = N_BOOT) -> object:
    """Return the interval of the mean paired difference."""
    statistic = build(MEAN, [arm[None], base[None]], None)
    return bootstrap_interval(statistic, method, n_boot, 0.95, np.random.default_rng(0))


def with_scipy(difference: np.ndarray, n_boot: int) -> object:
    """Return scipy's percentile interval in batches of bounded memory."""
    return scipy.stats.bootstrap(
        (difference,),
        np.mean,
        n_resamples=n_boot,
        batch=max(1, (1 << 22) // len(difference)),
        method="percentile",
        random_state=0,
    )


def scaled(n: int, most: float) -> int:
    """Return how many resamples of n values are timed."""
    return int(min(N_BOOT, max(20, most / n)))


def rows() -> Iterator[Row]:
    generator = np.random.default_rng(1)
    for n in SIZES:
        grades = [generator.integers(0, 2, n).astype(float) for _ in range(2)]
        costs = [generator.gamma(2, 1, n) for _ in range(2)]
        for name, (arm, base), method in (
            ("0/1", grades, "percentile"),
            ("continuous", costs, "percentile"),
            ("continuous", costs, "saddlepoint"),
        ):
            yield from _of(f"bootstrap, {method}, {n:,} {name} differences", arm, base, method)


def _of(case: str, arm: np.ndarray, base: np.ndarray, method: str) -> Iterator[Row]:
    """Yield the rows of one sample: time beside scipy and plain blocks, and memory."""
    difference = arm - base
    others = scaled(len(arm), DRAWS)
    # Grades have few values, and a saddlepoint draws nothing: these take no longer for more.
    drawn = method == "percentile" and "continuous" in case
    own = others if drawn else N_BOOT
    took, scipys, blocked = best(
        lambda: ours(arm, base, method, own),
        lambda: with_scipy(difference, others),
        lambda: baselines.blocked_bootstrap(difference, others, 0),
        seconds=4,
    )
    both = "both" if own < N_BOOT else "theirs"
    note = f"{both} multiplied up from {others:,} resamples" if others < N_BOOT else ""
    took *= N_BOOT / own
    factor = N_BOOT / others
    yield Row(case, named("scipy", "bootstrap"), took, scipys * factor, "ms", note=note)
    yield Row(case, named("numpy", "blocked draws"), took, blocked * factor, "ms", note=note)
    # A run of a few resamples holds as much as one of many, but for the numbers kept.
    held = peak(lambda: ours(arm, base, method, min(own, 200) if drawn else own))
    values = 2 * arm.nbytes / 1e6
    yield Row(f"{case}, peak memory", "the values themselves", held, values, "MB")


if __name__ == "__main__":
    show(rows)
