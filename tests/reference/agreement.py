"""Make agreement.json: how well two or more raters agree, by other software.

Reads the recorded calls of the R package evaluatellm on R 4.2 (15 significant digits):
python tests/reference/agreement.py FOLDER_WITH_cases.json_AND_data
"""

import csv
import json
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
from irrCAC.table import CAC
from sklearn.metrics import cohen_kappa_score, precision_score, recall_score
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa


def number(text: str) -> float | None:
    return None if text in ("", "NA") else float(text)


def columns(file: Path) -> dict:
    rows = list(csv.reader(file.open()))
    return {name: [number(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


def package(folder: Path) -> tuple[dict, list]:
    kept = [
        {name: case[name] for name in ("case", "call", "data", "args", "expected")}
        | {"logical": case.get("logical", False)}
        for case in json.loads((folder / "cases.json").read_text())
        if case["fn"] == "ev_judge_agreement" and case["error"] is None
    ]
    return {case["data"]: columns(folder / case["data"]) for case in kept}, kept


def tables() -> list:
    """Two raters: a table of counts, and what others say of it."""
    draw = np.random.default_rng(8)
    found = []
    # The first is Gwet's example of 100 subjects, as irrCAC has it.
    shapes = [np.array([[13, 0, 0], [0, 20, 7], [0, 4, 56]])]
    for q, n in ((2, 20), (2, 300), (3, 60), (5, 200), (5, 40)):
        share = (
            np.full((q, q), 1.0)
            + 6 * np.eye(q)
            + 2 * (np.abs(np.subtract.outer(*[range(q)] * 2)) == 1)
        )
        shapes.append(draw.multinomial(n, (share / share.sum()).ravel()).reshape(q, q))
    for table in shapes:
        first, second = (
            np.repeat(one, table.ravel()) for one in np.indices(table.shape).reshape(2, -1)
        )
        case = {"table": table.tolist(), "kappa": {}, "sklearn": {}}
        for ours, theirs in (
            ("kappa", None),
            ("kappa_linear", "linear"),
            ("kappa_quadratic", "quadratic"),
        ):
            one = cohens_kappa(table, wt=theirs)
            case["kappa"][ours] = {
                "estimate": one.kappa,
                "se": one.std_kappa,
                "low": one.kappa_low,
                "high": one.kappa_upp,
            }
            case["sklearn"][ours] = cohen_kappa_score(first, second, weights=theirs)
        one = CAC(pd.DataFrame(table), digits=15).gwet()["est"]
        case["ac1"] = {"estimate": float(one["coefficient_value"]), "se": float(one["se"])}
        if len(table) == 2:
            case["sensitivity"] = recall_score(second, first)
            case["specificity"] = recall_score(second, first, pos_label=0)
            case["precision"] = precision_score(second, first)
        found.append(case)
    return found


def raters() -> list:
    draw = np.random.default_rng(9)
    found = []
    for n_raters, n, q, missing in (
        (2, 30, 3, 0.0),
        (3, 25, 4, 0.3),
        (6, 40, 5, 0.5),
        (4, 15, 2, 0.0),
    ):
        truth = draw.integers(1, q + 1, n)
        noise = np.where(
            draw.random((n_raters, n)) < 0.3, draw.integers(1, q + 1, (n_raters, n)), truth
        )
        ratings = np.where(draw.random((n_raters, n)) < missing, np.nan, noise)
        alphas = {
            scale: krippendorff.alpha(reliability_data=ratings, level_of_measurement=scale)
            for scale in ("nominal", "ordinal", "interval", "ratio")
        }
        case = {
            "ratings": [[None if np.isnan(x) else x for x in row] for row in ratings],
            "alpha": alphas,
        }
        if not missing:
            counts = np.stack([(ratings == k).sum(axis=0) for k in range(1, q + 1)], axis=1)
            case["fleiss"] = fleiss_kappa(counts)
        found.append(case)
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    data, cases = package(Path(sys.argv[1]))
    names = ("statsmodels", "scikit-learn", "irrCAC", "krippendorff", "numpy")
    made = {
        "made_by": {
            "cases": "R package evaluatellm on R 4.2, to 15 significant digits; null is NA or NULL",
            "tables, raters": ", ".join(f"{name} {version(name)}" for name in names),
        },
        "data": data,
        "cases": cases,
        "tables": tables(),
        "raters": raters(),
    }
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in made.items()]
    Path(__file__).with_suffix(".json").write_text("{" + ",\n".join(lines) + "}\n")


if __name__ == "__main__":
    main()
