"""Memory and time of scan on 5,000,000 rows against a bare read and groupby, in one run.

Run it by hand: python tests/benchmarks/scan.py
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from timing import Row, named, show

ROWS, ARMS, SEEDS, CLUSTER = 5_000_000, ("base", "edit"), 25, 10
PART, REPEATS = 200_000, 2


def write(path: str, rows: int) -> None:
    """Write text ids x 2 arms x 25 seeds, in an order in which items are spread over the file."""
    generator = np.random.default_rng(0)
    n_items = max(rows // (len(ARMS) * SEEDS), 1)
    with pq.ParquetWriter(path, schema()) as writer:
        for start in range(0, rows, PART):
            run = np.arange(start, min(start + PART, rows))
            item = run % n_items
            columns = {
                "item_id": np.char.add("item-", item.astype(str)),
                "arm": np.array(ARMS)[run // n_items % len(ARMS)],
                "seed": run // (n_items * len(ARMS)),
                "score": generator.random(len(run)),
                "n_output_tokens": generator.integers(1, 512, len(run)),
                "hit_cap": generator.random(len(run)) < 0.02,
                "cluster_id": np.char.add("passage-", (item // CLUSTER).astype(str)),
                "prompt_hash": np.char.add("0" * 56, np.char.zfill(item.astype(str), 8)),
                "output": np.char.add("The answer is ", run.astype(str)),
            }
            writer.write_table(pa.table(columns).cast(schema()))


def schema() -> pa.Schema:
    """Return the columns of the specification."""
    text, number = pa.string(), pa.int64()
    return pa.schema(
        {
            "item_id": text,
            "arm": text,
            "seed": number,
            "score": pa.float64(),
            "n_output_tokens": number,
            "hit_cap": pa.bool_(),
            "cluster_id": text,
            "prompt_hash": text,
            "output": text,
        }
    )


def scanned(path: str) -> object:
    """Reduce the file and compare its arms."""
    import evalframe

    return evalframe.compare(evalframe.scan(path), "base", value="score")


def whole(path: str) -> object:
    """Read the columns and take the means, with no check of anything."""
    frame = pd.read_parquet(path, columns=["item_id", "arm", "score", "cluster_id"])
    return frame.groupby(["item_id", "arm", "cluster_id"])["score"].mean()


def nothing(path: str) -> object:
    """Import evalframe alone."""
    import evalframe

    return evalframe, path


def measured(name: str, path: Path) -> tuple[float, float]:
    """Return seconds and peak memory in MB of a process of its own, interpreter included."""
    done = subprocess.run(
        [sys.executable, __file__, name, str(path)], capture_output=True, text=True, check=True
    )
    seconds, peak = done.stdout.split()
    return float(seconds), float(peak)


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.parquet"
        # A process of its own: the peak of a process counts that of the one which began it.
        subprocess.run([sys.executable, __file__, "write", str(path), str(ROWS)], check=True)
        found = {
            name: np.min([measured(name, path) for _ in range(REPEATS)], axis=0) for name in CASES
        }
    (ours, held), (theirs, most), (_, alone) = (found[k] for k in ("scanned", "whole", "nothing"))
    case, mean = f"scan and compare, {ROWS:,} rows", named("pandas", "read_parquet, groupby mean")
    yield Row(case, mean, ours, theirs, "s")
    note = f"of the whole process; {alone:.0f} MB are the imports alone"
    yield Row(f"{case}, peak memory", mean, held, most, "MB", note=note)


CASES = {"nothing": nothing, "whole": whole, "scanned": scanned}

if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        write(sys.argv[2], int(sys.argv[3]))
    elif sys.argv[1:2] and sys.argv[1] in CASES:
        began = time.perf_counter()
        CASES[sys.argv[1]](sys.argv[2])
        took = time.perf_counter() - began
        print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    else:
        show(rows)
