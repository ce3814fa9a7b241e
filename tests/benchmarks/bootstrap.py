"""Time the bootstrap of paired differences against scipy's and a plain blocked one, in one run.

Run it by hand: python tests/benchmarks/bootstrap.py
"""

import platform
import time
import tracemalloc
from collections.abc import Callable

import baselines
import numpy as np
import scipy
import scipy.stats

from evalframe.stats.resample import bootstrap_interval
from evalframe.stats.statistic import MEAN, build

N_BOOT = 10_000
SIZES = (1_000, 10_000, 100_000, 1_000_000)
# Index draws take time in proportion to n * B. Beyond these draws fewer resamples are timed, and
# the time is multiplied.
SCIPY_DRAWS, BLOCKED_DRAWS = 1e8, 1e8


def best(function: Callable[[], object], seconds: float = 3.0) -> float:
    """Return the shortest of several runs in milliseconds."""
    took: list[float] = []
    while not took or (len(took) < 9 and sum(took) < seconds):
        start = time.perf_counter()
        function()
        took.append(time.perf_counter() - start)
    return 1e3 * min(took)


def peak(function: Callable[[], object]) -> float:
    """Return the most memory that a call holds at once, in MB, beside its input."""
    tracemalloc.start()
    function()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


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


def scaled(function: Callable[[int], object], n: int, most: float) -> tuple[float, bool]:
    """Return the milliseconds of 10,000 resamples, and whether they are those of fewer."""
    n_boot = int(min(N_BOOT, max(20, most / n)))
    return best(lambda: function(n_boot)) * N_BOOT / n_boot, n_boot < N_BOOT


def main() -> None:
    print(f"numpy {np.__version__}, scipy {scipy.__version__}, Python {platform.python_version()}")
    print(f"{N_BOOT:,} resamples; ~ is multiplied up from fewer; MB is our peak; x is the ratio")
    print("of the other's time to ours")
    generator = np.random.default_rng(1)
    for n in SIZES:
        grades = [generator.integers(0, 2, n).astype(float) for _ in range(2)]
        costs = [generator.gamma(2, 1, n) for _ in range(2)]
        for name, (arm, base), method in (
            ("0/1", grades, "percentile"),
            ("continuous", costs, "percentile"),
            ("continuous", costs, "saddlepoint"),
        ):
            difference = arm - base
            scipys, few = scaled(lambda b, d=difference: with_scipy(d, b), n, SCIPY_DRAWS)
            blocked, some = scaled(
                lambda b, d=difference: baselines.blocked_bootstrap(d, b, 0), n, BLOCKED_DRAWS
            )
            own, part = scaled(
                lambda k, a=arm, b=base, m=method: ours(a, b, m, k),
                n if name == "continuous" and method == "percentile" else 1,
                BLOCKED_DRAWS,
            )
            # A row of a few resamples holds as much as one of many, but for the numbers kept.
            kept = 200 if part else N_BOOT
            held = peak(lambda a=arm, b=base, m=method, k=kept: ours(a, b, m, k))
            print(
                f"{n:>9,} {name:<10} {method:<11} {'~' * part:1}{own:9.1f} ms {held:6.1f} MB"
                f"  scipy {'~' * few}{scipys:.0f} ms {scipys / own:.0f}x"
                f"  blocked {'~' * some}{blocked:.0f} ms {own / blocked:.3f} of its time"
            )


if __name__ == "__main__":
    main()
