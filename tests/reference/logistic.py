"""Make logistic.json: logistic regressions with sandwich errors by statsmodels."""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import statsmodels.api as sm


def main() -> None:
    draw = np.random.default_rng(6)
    cases = []
    for n, n_columns, n_clusters in ((40, 1, 40), (200, 2, 200), (120, 2, 15), (300, 3, 60)):
        design = np.column_stack([np.ones(n), draw.normal(size=(n, n_columns))]).round(3)
        cluster = np.arange(n) % n_clusters
        pull = draw.normal(size=n_clusters)[cluster] * (n_clusters < n)
        chance = 1 / (1 + np.exp(-(design @ draw.normal(size=n_columns + 1) + pull)))
        won = (draw.random(n) < chance).astype(float)
        fit = sm.Logit(won, design).fit(
            disp=0, method="newton", tol=1e-14, maxiter=100, cov_type="cluster",
            cov_kwds={"groups": cluster, "use_correction": False},
        )  # fmt: skip
        cases.append(
            {
                "design": design.tolist(),
                "won": won.tolist(),
                "cluster": cluster.tolist(),
                "coefficient": fit.params.tolist(),
                # Without its factor (n - 1)/(n - P) G/(G - 1).
                "se": fit.bse.tolist(),
            }
        )
    made = {
        "made_by": f"statsmodels {version('statsmodels')}, Logit, cov_type cluster",
        "cases": cases,
    }
    Path(__file__).with_suffix(".json").write_text(json.dumps(made) + "\n")


if __name__ == "__main__":
    main()
