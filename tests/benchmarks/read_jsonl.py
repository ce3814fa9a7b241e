"""Time read_jsonl on 200 MB of clean records against Arrow's own reader, in one run.

Run it by hand: python tests/benchmarks/read_jsonl.py [MEGABYTES]
"""

import hashlib
import json
import platform
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.json as pj

import evalframe

WORDS = ("answer", "the", "question", "about", "a", "long", "passage", "of", "history", "then")
REPEATS = 5


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


def seconds(function: object, path: Path) -> float:
    """Return how long one call takes."""
    start = time.perf_counter()
    function(path)
    return time.perf_counter() - start


def most_held() -> int:
    """Return the most memory that this process held, in bytes; Linux alone tells."""
    status = Path("/proc/self/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return 1024 * int(line.split()[1])


def measure(path: Path) -> None:
    """Print the memory of the frame and the most that the process held, beyond the imports."""
    before = most_held()
    frame = evalframe.read_jsonl(path)
    held = frame.memory_usage(deep=True).sum()
    print(f"frame {held / 1e6:,.0f} MB, most held {(most_held() - before) / 1e6:,.0f} MB")


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.jsonl"
        rows = write(path, megabytes * 10**6)
        ours, theirs = [], []
        for _ in range(REPEATS):
            theirs.append(seconds(arrow, path))
            ours.append(seconds(evalframe.read_jsonl, path))
        print(f"{platform.python_version()}, pyarrow {pa.__version__}: {rows:,} records")
        print(f"pyarrow.json.read_json().to_pandas() {min(theirs):6.2f} s")
        print(f"read_jsonl                           {min(ours):6.2f} s")
        print(f"ratio                                {min(ours) / min(theirs):6.2f}")
        # In a process of its own, as memory that was freed still counts in the peak.
        subprocess.run([sys.executable, __file__, "--memory", str(path)], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--memory"]:
        measure(Path(sys.argv[2]))
    else:
        main()
