"""Make ranks.json: bootstrap ranks by another package, with the data of its calls.

Reads the recorded calls of the R package evaluatellm on R 4.2 (means of 5 seeds at 20,000 resamples
with their Monte Carlo tolerances): python tests/reference/ranks.py FOLDER_WITH_cases.json_AND_data
"""

import csv
import json
import sys
from pathlib import Path

FIELDS = ("case", "call", "data", "columns", "args", "expected", "error")


def number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def columns(file: Path) -> dict:
    rows = list(csv.reader(file.open()))
    return {name: [number(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


def main() -> None:
    folder = Path(sys.argv[1])
    cases = [
        {name: case[name] for name in FIELDS if name in case}
        for case in json.loads((folder / "cases.json").read_text())
        if case["fn"] == "ev_rank"
    ]
    data = {name: columns(folder / name) for name in sorted({case["data"] for case in cases})}
    made_by = "R package evaluatellm on R 4.2, ev_rank; random: means of 5 seeds at R = 20,000"
    frames = ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in data.items())
    lines = ",\n".join(json.dumps(case) for case in cases)
    head = f'{{"made_by": {json.dumps(made_by)}, "data": {{\n{frames}\n}}, "cases": [\n'
    Path(__file__).with_suffix(".json").write_text(f"{head}{lines}\n]}}\n")


if __name__ == "__main__":
    main()
