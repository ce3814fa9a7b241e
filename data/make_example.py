"""Write the records of the specification's example to example/, one JSON object a line.

Usage: python make_example.py [FOLDER], where FOLDER is this file's own folder unless given.
"""

import hashlib
import json
import sys
from pathlib import Path

N_ITEMS = 8


def record(index: int, arm: str, n_right: int, tokens: int) -> dict[str, object]:
    """Return the record of one question, right when it is among the first `n_right`."""
    return {
        "item_id": f"q{index}",
        "seed": 0,
        "arm": arm,
        "prompt_hash": hashlib.sha256(f"question {index}".encode()).hexdigest(),
        "output": "...",
        "score": 1.0 if index < n_right else 0.0,
        "n_output_tokens": tokens,
        "hit_cap": False,
    }


def clustered(records: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return the records with two questions to a cluster: q0 and q1 in c0, and so on."""
    return [{**row, "cluster_id": f"c{index // 2}"} for index, row in enumerate(records)]


def main(folder: Path) -> None:
    """Write the five files."""
    base = [record(i, "base", 5, 300) for i in range(N_ITEMS)]
    edit = [record(i, "edit", 6, 250) for i in range(N_ITEMS)]
    # The rerun is the base arm again, so it keeps the label; half its counts differ by one token.
    rerun = [record(i, "base", 5, 300 + i % 2) for i in range(N_ITEMS)]
    files = {
        "base": base,
        "edit": edit,
        "rerun": rerun,
        "clustered_base": clustered(base),
        "clustered_edit": clustered(edit),
    }
    (folder / "example").mkdir(parents=True, exist_ok=True)
    for stem, records in files.items():
        lines = "".join(json.dumps(row) + "\n" for row in records)
        (folder / "example" / f"{stem}.jsonl").write_bytes(lines.encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
