"""Make proportions.json: intervals of a share by statsmodels.

Run by hand with statsmodels installed: python tests/reference/proportions.py
"""

import json
from pathlib import Path

import statsmodels
from statsmodels.stats.proportion import proportion_confint

# Names of evalframe and of statsmodels.
METHODS = {"wilson": "wilson", "clopper-pearson": "beta", "jeffreys": "jeffreys"}
TABLES = [(1, 2), (3, 9), (12, 15), (14, 15), (29, 30), (88, 100), (390, 400), (99_990, 100_000)]


def main() -> None:
    cases = []
    for count, n in TABLES:
        for level in (0.8, 0.95, 0.999):
            for name, method in METHODS.items():
                low, high = proportion_confint(count, n, alpha=1 - level, method=method)
                cases.append(
                    {
                        "count": count,
                        "n": n,
                        "level": level,
                        "interval": name,
                        "low": float(low),
                        "high": float(high),
                    }
                )
    made = f"statsmodels {statsmodels.__version__}, stats.proportion.proportion_confint"
    text = json.dumps({"made_by": made, "cases": cases}, indent=1)
    (Path(__file__).parent / "proportions.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
