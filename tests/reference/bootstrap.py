"""Make bootstrap.json from the recorded calls of an R package for inference on evaluations (R 4.2).

Run by hand: python tests/reference/bootstrap.py CASES_FOLDER
CASES_FOLDER holds cases.json and data/, as that package's run wrote them.
"""

import csv
import json
import sys
from pathlib import Path


def main(folder: Path) -> None:
    cases = []
    for case in json.loads((folder / "cases.json").read_text()):
        if case["fn"] != "ev_bootstrap" or case["error"]:
            continue
        with (folder / case["data"]).open() as file:
            rows = list(csv.DictReader(file))
        columns = case["columns"]
        data = {"item_id": [row[columns["item"]] for row in rows]}
        data["score"] = [float(row[columns["score"]]) for row in rows]
        if "cluster" in columns:
            data["cluster_id"] = [row[columns["cluster"]] for row in rows]
        if len(set(data["item_id"])) < len(rows):
            seen: dict[str, int] = {}
            data["seed"] = [seen.setdefault(i, 0) for i in data["item_id"]]
            for place, item in enumerate(data["item_id"]):
                data["seed"][place] = seen[item]
                seen[item] += 1
        cases.append(
            {
                "about": case["case"],
                "call": case["call"],
                "args": case["args"],
                "data": data,
                "expected": case["expected"],
            }
        )
    made_by = "an R package for inference on language-model evaluations, R 4.2; each value is the "
    made_by += "mean of 5 seeds at R = 20,000, with the tolerance that its own spread gives"
    out = Path(__file__).with_suffix(".json")
    out.write_text(json.dumps({"made_by": made_by, "cases": cases}, indent=None) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
