"""Simulate a reading-comprehension evaluation: reading/ARM.jsonl.gz and reading.parquet.

README.md beside this file states the model in words.

Usage: python make_reading.py [FOLDER], where FOLDER is this file's own folder unless given.
"""

import gzip
import hashlib
import json
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

SEED = 20261130
N_PASSAGES = 60
SUBJECTS = ("biology", "economics", "history", "law")
RUNS = (0, 1, 2)
TOKEN_CAP = 512

Floats = NDArray[np.float64]
Record = dict[str, object]


class Setting(NamedTuple):
    """How a system differs from the base: in log-odds of a right answer, and in length."""

    shift: float
    passage_sd: float
    item_sd: float
    length: float


SETTINGS = {
    "base": Setting(shift=0.0, passage_sd=0.0, item_sd=0.0, length=1.0),
    "edit": Setting(shift=0.45, passage_sd=0.4, item_sd=0.5, length=0.85),
    "distilled": Setting(shift=-0.65, passage_sd=0.5, item_sd=0.8, length=1.1),
}
# Arm -> setting: the rerun shares the base's rates and draws its own answers.
ARMS = {"base": "base", "edit": "edit", "distilled": "distilled", "base-rerun": "base"}


class Items(NamedTuple):
    """The questions: what every arm sees of them, and how hard and long their answers are."""

    shared: list[Record]
    passage: NDArray[np.int64]
    ease: Floats
    log_tokens: Floats


def draw_items(rng: np.random.Generator) -> Items:
    """Draw passages of unequal size and their questions."""
    sizes = np.clip(np.rint(rng.lognormal(np.log(6.0), 0.5, N_PASSAGES)), 2, 15).astype(np.int64)
    subject = rng.permutation(np.arange(N_PASSAGES) % len(SUBJECTS))
    passage = np.repeat(np.arange(N_PASSAGES), sizes)
    passage_ease = rng.normal(0.0, 1.0, N_PASSAGES)
    ease = 0.7 + passage_ease[passage] + rng.normal(0.0, 1.5, len(passage))
    log_tokens = np.log(160.0) + rng.normal(0.0, 0.45, len(passage))
    shared: list[Record] = []
    for p, size in enumerate(sizes):
        for question in range(1, size + 1):
            prompt = f"Read passage {p + 1}, then answer question {question}."
            shared.append(
                {
                    "item_id": f"p{p + 1:02}-q{question:02}",
                    "prompt_hash": hashlib.sha256(prompt.encode()).hexdigest(),
                    "cluster_id": f"p{p + 1:02}",
                    "subject": SUBJECTS[subject[p]],
                }
            )
    return Items(shared, passage, ease, log_tokens)


def draw_ease(rng: np.random.Generator, items: Items, setting: Setting) -> Floats:
    """Draw each item's log-odds under a setting, which helps some passages more than others."""
    by_passage = rng.normal(0.0, setting.passage_sd, N_PASSAGES)[items.passage]
    by_item = rng.normal(0.0, setting.item_sd, len(items.passage))
    return items.ease + setting.shift + by_passage + by_item


def draw_records(
    rng: np.random.Generator, items: Items, arm: str, ease: Floats, length: float
) -> list[Record]:
    """Draw the answers of one arm: one record an item and run."""
    shape = (len(items.passage), len(RUNS))
    log_tokens = items.log_tokens[:, None] + np.log(length) + rng.normal(0.0, 0.25, shape)
    tokens = np.clip(np.rint(np.exp(log_tokens)), 1, TOKEN_CAP).astype(np.int64)
    hit_cap = tokens == TOKEN_CAP
    right = rng.random(shape) < 1.0 / (1.0 + np.exp(-ease[:, None]))
    # An output that stops at the cap never states its answer.
    right &= ~hit_cap
    return [
        {
            "item_id": shared["item_id"],
            "seed": run,
            "arm": arm,
            "prompt_hash": shared["prompt_hash"],
            "score": int(right[i, run]),
            "n_output_tokens": int(tokens[i, run]),
            "hit_cap": bool(hit_cap[i, run]),
            "cluster_id": shared["cluster_id"],
            "subject": shared["subject"],
        }
        for i, shared in enumerate(items.shared)
        for run in RUNS
    ]


def simulate(seed: int) -> dict[str, list[Record]]:
    """Return the records of each arm."""
    rng = np.random.default_rng(seed)
    items = draw_items(rng)
    ease = {name: draw_ease(rng, items, setting) for name, setting in SETTINGS.items()}
    return {
        arm: draw_records(rng, items, arm, ease[name], SETTINGS[name].length)
        for arm, name in ARMS.items()
    }


def main(folder: Path) -> None:
    """Write one compressed JSON Lines file an arm, and all arms as one Parquet file."""
    arms = simulate(SEED)
    (folder / "reading").mkdir(parents=True, exist_ok=True)
    for arm, records in arms.items():
        lines = "".join(json.dumps(row) + "\n" for row in records)
        # Without the time of writing, the same records give the same file.
        packed = gzip.compress(lines.encode(), mtime=0)
        (folder / "reading" / f"{arm}.jsonl.gz").write_bytes(packed)
    table = pa.Table.from_pylist([row for records in arms.values() for row in records])
    pq.write_table(table, folder / "reading.parquet", compression="zstd")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
