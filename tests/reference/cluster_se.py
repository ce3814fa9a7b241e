"""Make cluster_se.json: the cluster-robust standard error of a mean by statsmodels.

A mean is ordinary least squares on a constant. statsmodels multiplies the variance by
G / (G - 1) * (n - 1) / (n - k); with k = 1 the second factor is 1, and what is left is the factor
of evalframe. The independent error is that of the plain fit, s / sqrt(n).

Run by hand with statsmodels installed: python tests/reference/cluster_se.py
"""

import json
from pathlib import Path

import numpy as np
import statsmodels
import statsmodels.api as sm


def case(about: str, values: np.ndarray, cluster: np.ndarray) -> dict[str, object]:
    fit = sm.OLS(values, np.ones(len(values))).fit()
    robust = fit.get_robustcov_results(cov_type="cluster", groups=cluster, use_correction=True)
    return {
        "about": about,
        "values": values.tolist(),
        "cluster": cluster.tolist(),
        "mean": float(fit.params[0]),
        "se_independent": float(fit.bse[0]),
        "se": float(robust.bse[0]),
        "n_clusters": len(np.unique(cluster)),
        "design_effect": float((robust.bse[0] / fit.bse[0]) ** 2),
    }


def main() -> None:
    rng = np.random.default_rng(0)
    balanced, unbalanced = np.repeat(np.arange(12), 5), np.repeat(np.arange(15), 1 + np.arange(15))
    shared = rng.normal(size=15)
    few = np.array([0, 1, 1, 0, 1])
    opposite = np.tile([1.0, -1.0], 20) + rng.normal(scale=0.1, size=40)
    cases = [
        case("balanced, right or wrong", rng.integers(0, 2, 60).astype(float), balanced),
        case("unbalanced, dependent", shared[unbalanced] + rng.normal(size=120), unbalanced),
        case("two clusters", np.array([0.25, 1.0, 0.5, 0.0, 0.75]), few),
        case("every item its own", rng.random(30), np.arange(30)),
        case("pairs that cancel", opposite, np.repeat(np.arange(20), 2)),
        case("shuffled", rng.normal(5, 2, size=80), rng.permutation(np.arange(80) % 9)),
        case("large mean", 1000 + rng.normal(size=50), np.arange(50) // 4),
    ]
    made_by = (
        f"statsmodels {statsmodels.__version__} OLS(values, 1).fit() and "
        ".get_robustcov_results('cluster', groups=cluster, use_correction=True)"
    )
    lines = ",\n".join(json.dumps(found) for found in cases)
    text = f'{{"made_by": {json.dumps(made_by)}, "cases": [\n{lines}\n]}}\n'
    Path(__file__).with_suffix(".json").write_text(text)


if __name__ == "__main__":
    main()
