"""Time the default style metrics against plain counting of words, in one run on one core.

Run it by hand: python tests/benchmarks/text_metrics.py

Then: 50,000 texts in a process of its own, for the most memory it held, and on one core and two.
"""

import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import baselines
import numpy as np
import pandas as pd
import pyarrow as pa

import evalframe
from evalframe.text.catalogue import DEFAULT, METRICS
from evalframe.text.extraction import extract

TEXTS, MANY, WORDS = 2_000, 50_000, 260
DATA = Path(__file__).parents[2] / "data" / "authors.parquet"


def texts(n: int) -> list[str]:
    """Return texts of about 260 words, put together from paragraphs of all authors."""
    paragraphs = pd.read_parquet(DATA)["output"].tolist()
    sizes = np.array([len(text.split()) for text in paragraphs])
    order = np.random.default_rng(0).integers(0, len(paragraphs), n * 8)
    found, at = [], 0
    while len(found) < n:
        # Whole paragraphs as long as they come nearer to the number of words.
        size = sizes[order[at]]
        parts = [paragraphs[order[at]]]
        at += 1
        while size + sizes[order[at]] / 2 < WORDS:
            size += sizes[order[at]]
            parts.append(paragraphs[order[at]])
            at = (at + 1) % (len(order) - 1)
        at %= len(order) - 1
        found.append("\n\n".join(parts))
    return found


def best(functions: Sequence[Callable[[], object]], repeats: int = 7) -> list[float]:
    """Return the least processor time of each function in seconds, run in turn."""
    took: list[list[float]] = [[] for _ in functions]
    for _ in range(repeats):
        for function, times in zip(functions, took, strict=True):
            start = time.process_time()
            function()
            times.append(time.process_time() - start)
    return [min(times) for times in took]


def peak_mb() -> float:
    """Return the most memory that this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def many(threads: int) -> None:
    """Measure many texts in this process and print time and memory."""
    frame = pd.DataFrame({"output": texts(MANY)})
    size = frame.memory_usage(deep=True).sum() / 1e6
    before = peak_mb()
    start = time.perf_counter()
    if threads:
        extract(pa.array(frame["output"]), DEFAULT, threads=threads)
    else:
        evalframe.style(frame)
    took = time.perf_counter() - start
    what = f"extract, {threads} thread(s)" if threads else "style"
    print(f"{MANY:,} texts, {what:22}{took:7.2f} s  {MANY / took:7,.0f} texts/s", end="")
    print(f"  texts {size:.0f} MB, process {before:.0f} MB before, {peak_mb():.0f} MB at most")


def main() -> None:
    few = texts(TEXTS)
    cores = sorted(os.sched_getaffinity(0))
    # One core, as the yardstick has; the larger runs get theirs back.
    os.sched_setaffinity(0, cores[-1:])
    words = np.mean([len(text.split()) for text in few])
    print(f"pandas {pd.__version__}, numpy {np.__version__}, pyarrow {pa.__version__}", end="")
    print(f", Python {platform.python_version()}")
    print(f"{TEXTS:,} texts of {words:.0f} words")
    baseline, default, every = best(
        [
            lambda: baselines.count_words(few),
            lambda: extract(few, DEFAULT, threads=1),
            lambda: extract(few, list(METRICS), threads=1),
        ]
    )
    for name, took in (
        ("count_words", baseline),
        (f"{len(DEFAULT)} default metrics", default),
        (f"all {len(METRICS)} metrics", every),
    ):
        print(f"{name:22}{1e3 * took:7.0f} ms  {took / baseline:5.2f} x  ", end="")
        print(f"{TEXTS / took:7,.0f} texts/s")
    os.sched_setaffinity(0, cores)
    for threads in (0, 1, 2):
        subprocess.run([sys.executable, __file__, str(threads)], check=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        many(int(sys.argv[1]))
    else:
        main()
