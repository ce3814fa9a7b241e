"""On how many items is one arm right and the other wrong? McNemar's test."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe import results
from evalframe.arms import select_arms
from evalframe.errors import DesignError
from evalframe.matrix import cells
from evalframe.methods.arguments import MISSING, by_columns, check_choice, value_columns
from evalframe.methods.remarks import counted_as_zero
from evalframe.methods.rows import assemble
from evalframe.pairing import PairedMeans, check_prompts, paired_means, refuse_disjoint
from evalframe.roles import metric_name
from evalframe.runs import Runs, select
from evalframe.stats.mcnemar import METHODS, p_value
from evalframe.stats.multiple import METHODS as ADJUSTMENTS
from evalframe.stats.multiple import adjust as adjusted
from evalframe.stats.segments import Ints


@dataclass(frozen=True, slots=True)
class FourFold:
    """Items by which of two arms is right, an entry a segment.

    Attributes
    ----------
    both_right, baseline_only, arm_only, both_wrong : (S,) int64
        Counts of the items whose means are 0 or 1 in both arms.
    defined : (S,) bool
        Whether these are all items of the segment, and it has any.
    """

    both_right: Ints
    baseline_only: Ints
    arm_only: Ints
    both_wrong: Ints
    defined: NDArray[np.bool_]


def fourfold(runs: Runs, pairs: PairedMeans) -> FourFold:
    """Count the items of each segment by which arm is right."""
    known = cells(runs, pairs.arm - pairs.baseline)
    binary = np.isin(pairs.baseline, (0, 1)) & np.isin(pairs.arm, (0, 1))
    base, arm = pairs.baseline == 1, pairs.arm == 1
    return FourFold(
        both_right=known.count(base & arm & binary),
        baseline_only=known.count(base & ~arm & binary),
        arm_only=known.count(arm & ~base & binary),
        both_wrong=known.count(~base & ~arm & binary),
        defined=(known.count(known.known) > 0) & (known.count(known.known & ~binary) == 0),
    )


def mcnemar(
    frame: pd.DataFrame,
    baseline: object,
    *,
    value: str | Sequence[str] = "score",
    by: str | Sequence[str] | None = None,
    method: str = "exact",
    adjust: str | None = None,
    missing: str = "raise",
) -> pd.DataFrame:
    r"""McNemar's test of each arm against a baseline, on items that are right or wrong.

    Only items that one of the two arms alone gets right count. Items are taken as independent:
    where they share clusters, p is too small, and `compare` has the cluster-robust error.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs. An item's mean over its seeds must be 0 or 1.
    baseline : label
        The arm that the others are held against.
    value : str or sequence of str, default "score"
        The column of zeros and ones, or several.
    by : str or sequence of str, optional
        Columns whose groups are tested apart.
    method : {"exact", "mid-p", "chi2", "chi2-corrected"}
        Exact conditional test, its mid-p version, or chi squared on one degree of freedom without
        and with the continuity correction.
    adjust : {"holm", "hochberg", "hommel", "bonferroni", "bh", "by"}, optional
        Adjust p over all rows of the result. None leaves `p_adjusted` NaN.
    missing : {"raise", "drop", "zero"}
        What missing scores and keys that one arm lacks do, as in `compare`.

    Returns
    -------
    DataFrame
        One row an arm (and group, and column):

        - both_right, baseline_only, arm_only, both_wrong : items; those with other means than 0
          and 1 are in none
        - odds_ratio : arm_only / baseline_only; NaN without discordant pairs
        - statistic : the smaller discordant count, or chi squared
        - p_value, p_adjusted : two-sided; NaN where item means are not all 0 or 1
        - n_items, n_dropped : items compared, (item, seed) keys left out
        - method, note

    Raises
    ------
    DesignError
        If arms are not paired, or no row has scores of 0 and 1 alone.
    RoleError, FrameError, ValueError
        As in `compare`.

    See Also
    --------
    compare : The difference itself, with an error that allows for clusters.
    permutation : The same test for scores of any kind, by items or by clusters.

    Notes
    -----
    With b and c the items that the baseline alone, or the arm alone, gets right, "exact" is twice
    the chance of min(b, c) or less of b + c fair coins, 1 at most [1]_, and "mid-p" counts the
    observed table half [2]_. "chi2" is :math:`(b - c)^2 / (b + c)`, and "chi2-corrected" takes
    :math:`|b - c| - 1` for the difference. Where b + c = 0, p is 1.

    References
    ----------
    .. [1] McNemar (1947), Note on the sampling error of the difference between correlated
       proportions or percentages, Psychometrika 12(2), 153-157, doi:10.1007/BF02295996.
    .. [2] Fagerland, Lydersen and Laake (2013), The McNemar test for binary matched-pairs data:
       mid-p and asymptotic are better than exact conditional, BMC Medical Research Methodology 13,
       91, doi:10.1186/1471-2288-13-91.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({
    ...     "item_id": [1, 2, 3, 4] * 2,
    ...     "arm": ["base"] * 4 + ["edit"] * 4,
    ...     "score": [1, 0, 0, 0, 1, 1, 1, 0],
    ... })
    >>> mcnemar(runs, "base")[["arm", "baseline_only", "arm_only", "p_value"]]
        arm  baseline_only  arm_only  p_value
    0  edit              0         2      0.5
    """
    check_choice("method", method, METHODS)
    check_choice("missing", missing, MISSING)
    if adjust is not None:
        check_choice("adjust", adjust, ADJUSTMENTS)
    columns = value_columns(value, frame)
    groups = by_columns(by, "mcnemar")
    runs = select(frame, columns, by=groups, prompts=True, reduced=True)
    arms = select_arms(runs.arms, baseline)
    check_prompts(runs)
    pairs = [paired_means(runs, c, arms.baseline, arms.others, missing) for c in columns]
    parts = [
        _test_column(runs, column, pair, method)
        for column, pair in zip(columns, pairs, strict=True)
    ]
    refuse_disjoint(pairs, runs.arms, arms)
    shown = cells(runs, pairs[0].arm).count(pairs[0].present) > 0
    provenance = {
        "value": columns,
        "by": groups,
        "baseline": baseline,
        "method": method,
        "adjust": adjust,
        "missing": missing,
    }
    table = assemble("mcnemar", runs.by, runs.arms, arms, parts, shown, provenance)
    if len(table) and table["p_value"].isna().all():
        raise DesignError(
            f"McNemar's test needs item means of 0 or 1, found others in all {len(table):,} row(s) "
            f"of {', '.join(map(repr, columns))}; compare the means instead: "
            f"df.evals.compare({baseline!r})" + _one_run(frame)
        )
    return _with_adjusted(table, adjust)


def _one_run(frame: pd.DataFrame) -> str:
    """Say how to test one run of each item, where there are several."""
    if "seed" not in frame.columns or frame["seed"].nunique() < 2:
        return ""
    first = frame["seed"].iloc[0]
    return f", or test one seed: df[df['seed'] == {getattr(first, 'item', lambda: first)()!r}]"


def _test_column(runs: Runs, column: str, pairs: PairedMeans, method: str) -> dict[str, Any]:
    """Test one column: an entry a segment (group x arm) for each result column."""
    table = fourfold(runs, pairs)
    b, c = (np.where(table.defined, n, np.nan) for n in (table.baseline_only, table.arm_only))
    statistic, p = p_value(b, c, method)
    known = cells(runs, pairs.arm - pairs.baseline)
    n_items, n_dropped = known.count(known.known), known.count(pairs.n_dropped)
    zeros = known.count(pairs.n_zeros)
    partial = n_items - table.both_right - table.baseline_only - table.arm_only - table.both_wrong
    with np.errstate(invalid="ignore", divide="ignore"):
        odds_ratio = c / b
    return {
        "metric": metric_name(column),
        "both_right": table.both_right,
        "baseline_only": table.baseline_only,
        "arm_only": table.arm_only,
        "both_wrong": table.both_wrong,
        "odds_ratio": odds_ratio,
        "statistic": statistic,
        "p_value": p,
        "p_adjusted": np.nan,
        "n_items": n_items,
        "n_dropped": n_dropped,
        "method": method,
        "note": results.notes(
            len(p),
            [
                (n_items == 0, "no shared item"),
                (
                    ~table.defined & (n_items > 0),
                    lambda row: f"{partial[row]:,} item means are not 0 or 1: not defined",
                ),
                (b + c == 0, "no discordant pair"),
                (
                    table.defined & (runs.unit_cluster is not None),
                    "clustering is ignored: items are taken as independent",
                ),
                counted_as_zero(zeros),
            ],
        ),
    }


def _with_adjusted(table: pd.DataFrame, adjust: str | None) -> pd.DataFrame:
    """Fill in the adjusted p-values and say of how many tests."""
    family = int(table["p_value"].notna().sum())
    if adjust is None:
        said = f"p not adjusted for {family:,} tests" if family > 1 else ""
    else:
        table["p_adjusted"] = adjusted(table["p_value"].to_numpy(), adjust)
        said = f"p_adjusted: {adjust} over {family:,} test{'s' if family != 1 else ''}"
    if said:
        table["note"] = pd.Series(results.also(table["note"].tolist(), said), dtype=str)
    return table
