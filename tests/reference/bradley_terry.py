"""Make bradley_terry.json: strengths of other software on small sets of games.

python tests/reference/bradley_terry.py FOLDER_WITH_cases.json_AND_data

choix gives maximum likelihood strengths, statsmodels' logit and Poisson regressions their errors,
and scipy's minimiser the models that neither has. The recorded calls are those of the R package
evaluatellm on R 4.2; where it has no finite estimate, its numbers are left out.
"""

import csv
import json
import sys
from importlib.metadata import version
from itertools import combinations
from pathlib import Path

import choix
import numpy as np
import statsmodels.api as sm
from scipy.optimize import minimize

# Stigler (1994), Citation patterns in the journals of statistics and probability, Statistical
# Science 9(1), 94-108, table of four journals as in Agresti (2002), Categorical Data Analysis,
# section 10.6, and the R package BradleyTerry2: row cited by column, the cited journal "wins".
JOURNALS = ["Biometrika", "Comm Statist", "JASA", "JRSS-B"]
CITED = np.array([[714, 730, 498, 221], [33, 425, 68, 17], [320, 813, 1072, 142],
                  [284, 276, 325, 188]])  # fmt: skip
# Results at home of seven baseball teams in 1987, home team first: Agresti (2002), section 10.6.
BASEBALL = {
    "Milwaukee": "Detroit 4-3, Toronto 4-2, New York 4-3, Boston 6-1, Cleveland 4-2, Baltimore 6-0",
    "Detroit": "Milwaukee 3-3, Toronto 4-2, New York 4-3, Boston 6-0, Cleveland 6-1, Baltimore 4-3",
    "Toronto": "Milwaukee 2-5, Detroit 4-3, New York 2-4, Boston 4-3, Cleveland 4-2, Baltimore 6-0",
    "New York": "Milwaukee 3-3, Detroit 5-1, Toronto 2-5, Boston 4-3, Cleveland 4-2, Baltimore 6-1",
    "Boston": "Milwaukee 5-1, Detroit 2-5, Toronto 3-3, New York 4-2, Cleveland 5-2, Baltimore 6-0",
    "Cleveland": "Milwaukee 2-5, Detroit 3-3, Toronto 3-4, New York 4-3, Boston 4-2, Baltimore 2-4",
    "Baltimore": "Milwaukee 2-5, Detroit 1-5, Toronto 1-6, New York 2-4, Boston 1-6, Cleveland 3-4",
}
# Davidson (1970), example 2: preferences between six chocolate puddings, with ties. Columns: the
# two brands, comparisons, first preferred, second preferred, no preference.
PUDDING = [
    [1, 2, 57, 19, 22, 16], [1, 3, 47, 16, 19, 12], [2, 3, 48, 19, 19, 10], [1, 4, 54, 18, 23, 13],
    [2, 4, 51, 23, 19, 9], [3, 4, 54, 19, 20, 15], [1, 5, 50, 13, 19, 18], [2, 5, 48, 16, 20, 12],
    [3, 5, 48, 16, 15, 17], [4, 5, 47, 17, 14, 16], [1, 6, 51, 18, 21, 12], [2, 6, 54, 22, 20, 12],
    [3, 6, 41, 13, 18, 10], [4, 6, 51, 14, 19, 18], [5, 6, 44, 11, 21, 12],
]  # fmt: skip


def games(rng, n_arms, n, tie, side, n_items):
    strength = rng.normal(0, 0.8, n_arms)
    a = rng.integers(0, n_arms, n)
    b = (a + rng.integers(1, n_arms, n)) % n_arms
    item = rng.integers(0, n_items, n)
    gap = strength[a] - strength[b] + side
    weights = np.stack([np.exp(gap / 2), np.full(n, tie), np.exp(-gap / 2)])
    end = (rng.random(n) > np.cumsum(weights / weights.sum(axis=0), axis=0)[:2]).sum(axis=0)
    return {"a": a, "b": b, "end": end, "item": item, "n_arms": n_arms}


def design(data, sided):
    rows = np.arange(len(data["a"]))
    x = np.zeros((len(rows), data["n_arms"] + sided))
    x[rows, data["a"]] += 1
    x[rows, data["b"]] -= 1
    if sided:
        x[:, -1] = 1
    return x


def centred(n_arms, values, cov):
    """Return strengths with mean 0 and their covariance, from those with the first at 0."""
    size = len(values) + 1
    lift = np.zeros((size, size - 1))
    lift[1:] = np.eye(size - 1)
    centre = np.eye(size)
    centre[:n_arms, :n_arms] -= 1 / n_arms
    turn = centre @ lift
    return turn @ values, turn @ cov @ turn.T


def logit(data, sided, half):
    """Fit by statsmodels, with the errors of the model and by item."""
    keep = np.ones(len(data["a"]), dtype=bool) if half else data["end"] != 1
    data = {k: v[keep] if k != "n_arms" else v for k, v in data.items()}
    x, y = design(data, sided)[:, 1:], 1 - data["end"] / 2
    family = sm.families.Binomial()
    plain = sm.GLM(y, x, family=family).fit(tol=1e-13, tol_criterion="params", maxiter=200)
    kinds = {"groups": data["item"], "use_correction": False}
    robust = sm.GLM(y, x, family=family).fit(
        tol=1e-13, tol_criterion="params", maxiter=200, cov_type="cluster", cov_kwds=kinds
    )
    n_clusters = len(np.unique(data["item"]))
    theta, cov = centred(data["n_arms"], plain.params, plain.cov_params())
    _, robust_cov = centred(data["n_arms"], plain.params, robust.cov_params())
    robust_cov = robust_cov * n_clusters / (n_clusters - 1)
    return {
        "theta": theta.tolist(),
        "se": np.sqrt(np.diag(cov)).tolist(),
        "robust_se": np.sqrt(np.diag(robust_cov)).tolist(),
        "diff_se": np.sqrt(np.diag(cov) + cov[0, 0] - 2 * cov[0]).tolist(),
        "robust_diff_se": np.sqrt(
            np.diag(robust_cov) + robust_cov[0, 0] - 2 * robust_cov[0]
        ).tolist(),
    }  # fmt: skip


def davidson(data, sided):
    """Fit Davidson's model as a log-linear model: statsmodels' Poisson regression.

    Counts of each pair and end are Poisson with a free total a pair; the conditional likelihood is
    the multinomial one, with the same estimates and errors (Critchlow and Fligner 1991).
    """
    n = data["n_arms"]
    pairs = sorted(set(zip(data["a"].tolist(), data["b"].tolist(), strict=True)))
    place = {pair: k for k, pair in enumerate(pairs)}
    counts = np.zeros((len(pairs), 3))
    met = [place[p] for p in zip(data["a"].tolist(), data["b"].tolist(), strict=True)]
    np.add.at(counts, (met, data["end"]), 1)
    x = np.zeros((len(pairs), 3, n + sided + 1 + len(pairs)))
    for k, (a, b) in enumerate(pairs):
        x[k, :, -len(pairs) + k] = 1
        for end, sign in ((0, 0.5), (2, -0.5)):
            x[k, end, a] += sign
            x[k, end, b] -= sign
            if sided:
                x[k, end, n] = sign
        x[k, 1, n + sided] = 1
    x = x.reshape(-1, x.shape[2])[:, 1:]
    fit = sm.GLM(counts.ravel(), x, family=sm.families.Poisson()).fit(
        tol=1e-13, tol_criterion="params", maxiter=200
    )
    inner = n - 1 + sided + 1
    theta, cov = centred(n, fit.params[:inner], fit.cov_params()[:inner, :inner])
    return {"theta": theta.tolist(), "se": np.sqrt(np.diag(cov)).tolist()}


def jeffreys(data):
    """Maximise the likelihood times Jeffreys' prior by scipy, from its definition."""
    keep = data["end"] != 1
    data = {k: v[keep] if k != "n_arms" else v for k, v in data.items()}
    x, y = design(data, False)[:, 1:], 1 - data["end"] / 2

    def loss(values):
        eta = x @ values
        p = 1 / (1 + np.exp(-eta))
        information = (x * (p * (1 - p))[:, None]).T @ x
        return -(y @ eta - np.logaddexp(0, eta).sum() + np.linalg.slogdet(information)[1] / 2)

    best = minimize(loss, np.zeros(x.shape[1]), method="BFGS", options={"gtol": 1e-10})
    best = minimize(loss, best.x, method="Nelder-Mead",
                    options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 20000})  # fmt: skip
    p = 1 / (1 + np.exp(-x @ best.x))
    cov = np.linalg.inv((x * (p * (1 - p))[:, None]).T @ x)
    theta, cov = centred(data["n_arms"], best.x, cov)
    return {"theta": theta.tolist(), "se": np.sqrt(np.diag(cov)).tolist()}


def plain(data):
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in data.items()}


def simulated():
    rng = np.random.default_rng(20)
    cases = []
    for n_arms, n, tie, side, n_items in (
        (2, 60, 0.0, 0.0, 20),
        (4, 200, 0.0, 0.4, 50),
        (5, 300, 0.6, 0.0, 40),
        (6, 500, 1.2, -0.3, 30),
        (12, 2000, 0.4, 0.2, 300),
    ):
        data = games(rng, n_arms, n, tie, side, n_items)
        wins = [
            (int(a), int(b)) if end == 0 else (int(b), int(a))
            for a, b, end in zip(data["a"], data["b"], data["end"], strict=True)
            if end != 1
        ]
        case = plain(data) | {
            "choix": choix.opt_pairwise(n_arms, wins, alpha=0.0, tol=1e-13).tolist(),
            "drop": logit(data, False, False),
            "half": logit(data, False, True),
            "drop_side": logit(data, True, False),
            "half_side": logit(data, True, True),
        }
        if tie:
            case["davidson"] = davidson(data, False)
            case["davidson_side"] = davidson(data, True)
        if n_arms <= 5:
            case["jeffreys"] = jeffreys(data)
        cases.append(case)
    # An arm that won every game.
    data = games(rng, 3, 40, 0.0, 0.0, 10)
    data["end"] = np.where(data["a"] == 0, 0, np.where(data["b"] == 0, 2, data["end"]))
    cases.append(plain(data) | {"separated": True, "jeffreys": jeffreys(data)})
    return cases


def journals():
    pairs = list(combinations(range(4), 2))
    a, b = np.array(pairs).T
    won, lost = CITED[a, b], CITED[b, a]
    x = design({"a": a, "b": b, "n_arms": 4}, False)[:, 1:]
    family = sm.families.Binomial()
    fit = sm.GLM(np.stack([won, lost], axis=1), x, family=family).fit(
        tol=1e-13, tol_criterion="params", maxiter=200
    )
    wins = [(i, j) for i in range(4) for j in range(4) if i != j for _ in range(CITED[i, j])]
    return {
        "journals": JOURNALS,
        "cited": CITED.tolist(),
        "from_first": [0.0, *fit.params.tolist()],
        "from_first_se": [0.0, *fit.bse.tolist()],
        # Coefficients and errors in the vignette of BradleyTerry2, Biometrika at 0.
        "published": [0.0, -2.94907, -0.47957, 0.26895],
        "published_se": [0.0, 0.10255, 0.06059, 0.07083],
        "choix": choix.opt_pairwise(4, wins, alpha=0.0, tol=1e-13).tolist(),
    }


def baseball():
    rows = []
    for home, results in BASEBALL.items():
        for one in results.split(", "):
            away, score = one.rsplit(" ", 1)
            rows.append([home, away, *map(int, score.split("-"))])
    teams = list(BASEBALL)
    data = {name: np.array([teams.index(row[k]) for row in rows]) for k, name in enumerate("ab")}
    x = design(data | {"n_arms": 7}, True)[:, [0, 1, 2, 3, 4, 5, 7]]
    y = np.array([row[2:] for row in rows])
    fit = sm.GLM(y, x, family=sm.families.Binomial()).fit(
        tol=1e-13, tol_criterion="params", maxiter=200
    )
    return {
        "teams": teams,
        "rows": rows,
        "from_last": fit.params[:6].tolist(),
        "from_last_se": fit.bse[:6].tolist(),
        "home": float(fit.params[6]),
        "home_se": float(fit.bse[6]),
        # Agresti (2002), section 10.6.3, and the vignette of BradleyTerry2.
        "published_home": 0.3023,
        "published_home_se": 0.1309,
    }


def pudding():
    games = [
        (i - 1, j - 1, end)
        for i, j, _, *counts in PUDDING
        for end, n in zip((0, 2, 1), counts, strict=True)
        for _ in range(n)
    ]
    a, b, end = np.array(games).T
    return {
        "statsmodels": davidson({"a": a, "b": b, "end": end, "n_arms": 6}, False),
        "rows": PUDDING,
        # Davidson (1970): worths and tie parameter after his iterations, as PlackettLuce has them
        # with maxit = 7, not yet converged.
        "worth": [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855],
        "nu": 0.7468147,
        # summary(mod, ref = NULL) and summary(mod) in the vignette of PlackettLuce 0.4.
        "strength": [-0.176581, 0.043664, -0.023617, -0.001295, -0.042726, 0.200555],
        "se": [0.121949, 0.121818, 0.126823, 0.122003, 0.127054, 0.126594],
        "from_first_se": [0.0, 0.1872168, 0.1935181, 0.1882110, 0.1927043, 0.1924059],
        "log_nu": -0.291938,
        "log_nu_se": 0.082499,
    }


def number(text):
    try:
        return float(text) if text not in ("", "NA") else None
    except ValueError:
        return text


def package(folder):
    cases = [
        case for case in json.loads((folder / "cases.json").read_text()) if case["fn"] == "ev_elo"
    ]
    names = ("case", "call", "data", "columns", "args", "expected", "exact_mle", "tolerance_rel",
             "expect_error")  # fmt: skip
    files = {}
    for name in sorted({case["data"] for case in cases}):
        rows = list(csv.reader((folder / name).open()))
        files[name] = {c: [number(row[i]) for row in rows[1:]] for i, c in enumerate(rows[0])}
    return {"data": files, "cases": [{n: c[n] for n in names if n in c} for c in cases]}


def main():
    software = {name: version(name) for name in ("choix", "statsmodels", "scipy", "numpy")}
    out = {
        "made_by": {"software": software, "package": "R package evaluatellm on R 4.2"},
        "journals": journals(),
        "baseball": baseball(),
        "pudding": pudding(),
        "simulated": simulated(),
        "package": package(Path(sys.argv[1])),
    }
    Path(__file__).with_suffix(".json").write_text(json.dumps(out) + "\n")


if __name__ == "__main__":
    main()
