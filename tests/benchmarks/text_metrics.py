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
from collections.abc import Iterator
from pathlib import Path

import baselines
import numpy as np
import pandas as pd
import pyarrow as pa
from timing import Row, best, show

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


def peak_mb() -> float:
    """Return the most memory that this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def many(threads: int) -> None:
    """Measure many texts in this process; print seconds, and MB held before, of texts, at most."""
    frame = pd.DataFrame({"output": texts(MANY)})
    size = frame.memory_usage(deep=True).sum() / 1e6
    before = peak_mb()
    start = time.perf_counter()
    if threads:
        extract(pa.array(frame["output"]), DEFAULT, threads=threads)
    else:
        evalframe.style(frame)
    print(time.perf_counter() - start, before, size, peak_mb())


def measured(threads: int) -> list[float]:
    """Return what `many` prints in a process of its own."""
    words = [sys.executable, __file__, str(threads)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()]


def rows() -> Iterator[Row]:
    few = texts(TEXTS)
    cores = sorted(os.sched_getaffinity(0))
    # One core, as the yardstick has; the larger runs get theirs back.
    os.sched_setaffinity(0, cores[-1:])
    baseline, default, every = best(
        lambda: baselines.count_words(few),
        lambda: extract(few, DEFAULT, threads=1),
        lambda: extract(few, list(METRICS), threads=1),
        clock=time.process_time,
    )
    os.sched_setaffinity(0, cores)
    size = f"{TEXTS:,} texts of {np.mean([len(text.split()) for text in few]):.0f} words"
    counting = f"Python {platform.python_version()} Counter of words"
    one_core = "processor time on one core"
    for name, took in (
        (f"style, {len(DEFAULT)} default metrics, {size}", default),
        (f"style, all {len(METRICS)} metrics, {size}", every),
    ):
        yield Row(name, counting, took, baseline, "ms", note=one_core)
    _, before, held, most = measured(0)
    one, two = measured(1)[0], measured(2)[0]
    case = f"style, {MANY:,} texts"
    yield Row(f"{case}, peak memory beside them", "the texts", most - before, held, "MB")
    yield Row(f"{case}, 2 threads", "evalframe extract, 1 thread", two, one, "s")


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1].isdigit():
        many(int(sys.argv[1]))
    else:
        show(rows)
