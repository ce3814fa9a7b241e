"""Make multiple.json: adjusted p-values by statsmodels.

Run by hand with statsmodels installed: python tests/reference/multiple.py
"""

import json
from pathlib import Path

import numpy as np
import statsmodels
from statsmodels.stats.multitest import multipletests

METHODS = {
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "hommel": "hommel",
    "bonferroni": "bonferroni",
    "bh": "fdr_bh",
    "by": "fdr_by",
}


def main() -> None:
    rng = np.random.default_rng(0)
    families = {
        "one test": [0.03],
        "three tests": [0.01, 0.02, 0.2],
        "ties": [0.02, 0.02, 0.02, 0.5, 0.5],
        "zeros and ones": [0.0, 1.0, 0.0, 1.0, 0.4],
        "step-up beats step-down": [0.01, 0.02, 0.03, 0.04, 0.05],
        "Benjamini and Hochberg's 15 tests": [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324,
            0.4262, 0.5719, 0.6528, 0.759, 1.0,
        ],
        "small ones, unsorted": (rng.uniform(size=40) ** 4).tolist(),
        "uniform": rng.uniform(size=200).tolist(),
    }  # fmt: skip
    cases = [
        {"about": about, "p": p}
        | {ours: multipletests(p, method=theirs)[1].tolist() for ours, theirs in METHODS.items()}
        for about, p in families.items()
    ]
    made_by = f"statsmodels {statsmodels.__version__} multipletests(p, method=...) with {METHODS}"
    lines = ",\n".join(json.dumps(case) for case in cases)
    text = f'{{"made_by": {json.dumps(made_by)}, "cases": [\n{lines}\n]}}\n'
    Path(__file__).with_suffix(".json").write_text(text)


if __name__ == "__main__":
    main()
