"""Make mcnemar.json: McNemar's test by other software and by exact integer arithmetic.

Run by hand with scipy and statsmodels installed: python tests/reference/mcnemar.py
"""

import json
from fractions import Fraction
from pathlib import Path

import scipy
import statsmodels
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar


def by_integers(b: int, c: int) -> tuple[float, float]:
    """Exact and mid-p values, from the binomial coefficients themselves."""
    total = b + c
    term, at_most = 1, 0
    for k in range(min(b, c) + 1):
        at_most += term
        point = term
        term = term * (total - k) // (k + 1)
    if b == c:
        return 1.0, 1.0
    return float(Fraction(2 * at_most, 2**total)), float(Fraction(2 * at_most - point, 2**total))


def case(b: int, c: int) -> dict[str, int | float]:
    integers, mid_p = by_integers(b, c)
    table = [[0, b], [c, 0]]
    plain = mcnemar(table, exact=False, correction=False)
    found = {
        "baseline_only": b,
        "arm_only": c,
        "binomtest": float(binomtest(b, b + c, 0.5).pvalue),
        "exact": integers,
        "mid_p": mid_p,
        "chi2": float(plain.statistic),
        "chi2_p": float(plain.pvalue),
    }
    if b != c:  # statsmodels corrects equal counts beyond 0
        corrected = mcnemar(table, exact=False, correction=True)
        found |= {"corrected": float(corrected.statistic), "corrected_p": float(corrected.pvalue)}
    return found


def main() -> None:
    pairs = [(b, total - b) for total in range(1, 13) for b in range(total + 1)]
    pairs += [(15, 4), (1, 11), (25, 2), (6, 16), (0, 19), (0, 50), (30, 20), (0, 1000), (400, 600)]
    pairs += [(499, 501), (100, 900), (500, 500), (3000, 7000), (4900, 5100), (5000, 5000)]
    lows = (44_200, 45_000, 48_000, 49_000, 49_500, 49_690, 49_999, 50_000)
    pairs += [(low, 100_000 - low) for low in lows]
    made_by = (
        f"scipy {scipy.__version__} scipy.stats.binomtest(b, b + c, 0.5); "
        f"statsmodels {statsmodels.__version__} mcnemar(table, exact=False, correction=...); "
        "exact and mid_p: Python integers and fractions.Fraction"
    )
    cases = ",\n".join(json.dumps(case(b, c)) for b, c in pairs)
    text = f'{{"made_by": {json.dumps(made_by)}, "cases": [\n{cases}\n]}}\n'
    Path(__file__).with_suffix(".json").write_text(text)


if __name__ == "__main__":
    main()
