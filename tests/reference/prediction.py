"""Make prediction.json: prediction-powered means by ppi_py.

Run by hand with ppi-python installed: python tests/reference/prediction.py
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate


def main() -> None:
    rng = np.random.default_rng(8)
    cases = []
    for about, n, rest in (
        ("few labels", 15, 60),
        ("many labels", 120, 200),
        ("few others", 40, 7),
    ):
        for kind in ("0/1", "numbers"):
            gold = rng.normal(size=n + rest).round(3)
            judge = (3 + 2 * gold + rng.normal(size=n + rest)).round(3)
            if kind == "0/1":
                gold = (gold > 0).astype(float)
                judge = np.where(rng.random(n + rest) < 0.8, gold, 1 - gold)
            parts = gold[:n], judge[:n], judge[n:]
            for lam in (0.0, 0.4, 1.0, 2.5):
                low, high = ppi_mean_ci(*parts, alpha=0.05, lam=lam)
                cases.append(
                    {
                        "about": f"{about}, {kind}, lambda {lam}",
                        "gold": parts[0].tolist(),
                        "judge": judge.tolist(),
                        "lam": lam,
                        "estimate": float(np.squeeze(ppi_mean_pointestimate(*parts, lam=lam))),
                        "conf_low": float(np.squeeze(low)),
                        "conf_high": float(np.squeeze(high)),
                    }
                )
    made_by = f"ppi-python {version('ppi-python')}: ppi_mean_pointestimate, ppi_mean_ci with lam="
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps({"made_by": made_by, "cases": cases}) + "\n")


if __name__ == "__main__":
    main()
