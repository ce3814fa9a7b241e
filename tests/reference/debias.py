"""Make debias.json: what another package returns for judges with few labels.

Reads the recorded calls of the R package evaluatellm on R 4.2 (15 significant digits):
python tests/reference/debias.py FOLDER_WITH_cases.json_AND_data
"""

import csv
import json
import sys
from pathlib import Path

FUNCTIONS = ("ev_judge_debias", "ev_judge_power")
KEPT = ("case", "fn", "call", "data", "args", "expected", "error")


def main() -> None:
    folder = Path(sys.argv[1])
    recorded = json.loads((folder / "cases.json").read_text())
    recorded = recorded if isinstance(recorded, list) else recorded["cases"]
    cases = [{name: case[name] for name in KEPT} for case in recorded if case["fn"] in FUNCTIONS]
    data = {}
    for name in sorted({case["data"] for case in cases if case["data"]}):
        with (folder / name).open() as file:
            rows = list(csv.DictReader(file))
        data[name] = {
            column: [float(row[column]) if row[column] not in ("", "NA") else None for row in rows]
            for column in ("judge", "gold")
        }
    made_by = "the R package evaluatellm on R 4.2, recorded to 15 significant digits"
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps({"made_by": made_by, "data": data, "cases": cases}) + "\n")


if __name__ == "__main__":
    main()
