"""Make package.json: what another package returns, with the data of its calls.

Reads the recorded calls of the R package evaluatellm on R 4.2 (15 significant digits):
python tests/reference/package.py FOLDER_WITH_cases.json_AND_data
"""

import csv
import json
import sys
from pathlib import Path

FUNCTIONS = (
    "ev_icc",
    "ev_resample",
    "ev_unpaired",
    "ev_variance_reduction",
    "ev_multi",
    "ev_power",
    "ev_mde",
)


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
        {
            name: case[name]
            for name in (
                "case", "fn", "call", "data", "columns", "args", "pilot", "per_task_fn", "expected",
                "error",
            )
            if name in case
        }
        for case in json.loads((folder / "cases.json").read_text())
        if case["fn"] in FUNCTIONS
    ]  # fmt: skip
    files = {case["data"] for case in cases} | {case.get("pilot", {}).get("data") for case in cases}
    data = {name: columns(folder / name) for name in sorted(files - {None})}
    made_by = "R package evaluatellm on R 4.2, to 15 significant digits; null is NA or NULL"
    frames = ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in data.items())
    lines = ",\n".join(json.dumps(case) for case in cases)
    head = f'{{"made_by": {json.dumps(made_by)}, "data": {{\n{frames}\n}}, "cases": [\n'
    Path(__file__).with_suffix(".json").write_text(f"{head}{lines}\n]}}\n")


if __name__ == "__main__":
    main()
