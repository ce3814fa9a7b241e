"""Time read_jsonl on 200 MB of clean records against Arrow's own reader, in one run.

Run it by hand: python tests/benchmarks/read_jsonl.py
"""

import hashlib
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow.json as pj
from timing import Row, best, named, show

import evalframe

WORDS = ("answer", "the", "question", "about", "a", "long", "passage", "of", "history", "then")
MEGABYTES = 200


def write(path: Path, size: int) -> int:
    """Write `size` bytes of records as the specification has them; return their number."""
    draw = random.Random(0)
    written = rows = 0
    with path.open("w") as file:
        while written < size:
            record = {
                "item_id": f"q{rows // 5:07}",
                "seed": rows % 5,
                "arm": "base",
                "prompt_hash": hashlib.sha256(str(rows // 5).encode()).hexdigest(),
                "output": " ".join(draw.choices(WORDS, k=60)),
                "score": draw.random(),
                "n_output_tokens": draw.randint(1, 512),
                "hit_cap": draw.random() < 0.02,
                "cluster_id": f"passage-{rows // 50}",
            }
            written += file.write(json.dumps(record) + "\n")
            rows += 1
    return rows


def arrow(path: Path) -> object:
    """Read a file as the yardstick does."""
    return pj.read_json(path).to_pandas()


def most_held() -> int:
    """Return the most memory that this process held, in bytes; Linux alone tells."""
    status = Path("/proc/self/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return 1024 * int(line.split()[1])


def measure(path: Path) -> None:
    """Print the most that the process held beyond the imports, and the frame's memory, in MB."""
    before = most_held()
    frame = evalframe.read_jsonl(path)
    print((most_held() - before) / 1e6, frame.memory_usage(deep=True).sum() / 1e6)


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.jsonl"
        count = write(path, MEGABYTES * 10**6)
        size = f"{MEGABYTES} MB, {count:,} records"
        ours, theirs = best(
            lambda: evalframe.read_jsonl(path), lambda: arrow(path), repeats=5, seconds=60
        )
        yield Row(
            f"read_jsonl, {size}",
            named("pyarrow", "read_json, to_pandas"),
            ours / 1e3,
            theirs / 1e3,
            "s",
        )
        # In a process of its own, as memory that was freed still counts in the peak.
        words = [sys.executable, __file__, "--memory", str(path)]
        done = subprocess.run(words, check=True, capture_output=True, text=True)
        held, frame = map(float, done.stdout.split())
        yield Row(f"read_jsonl, {size}, peak memory", "the frame itself", held, frame, "MB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--memory"]:
        measure(Path(sys.argv[2]))
    else:
        show(rows)
