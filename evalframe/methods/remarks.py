"""What several methods say of a row, in the same words."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe.results import Said
from evalframe.roles import COLUMN
from evalframe.runs import Runs
from evalframe.stats.means import Means

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# With fewer clusters (or items) the correlations of several estimates are hardly known.
FEW = 20


def counted(n: int | np.integer, one: str, several: str | None = None) -> str:
    """Return a number with its noun, in the singular where it is 1."""
    return f"{n:,} {one}" if n == 1 else f"{n:,} {several or one + 's'}"


def spread_notes(estimate: Means, clustered: bool) -> list[Said]:
    """Say why a standard error cannot be known."""
    if not clustered:
        return [(estimate.n == 1, "1 item: no standard error")]
    alone = (estimate.n_clusters == 1) & (estimate.n > 0)
    return [(alone, "1 cluster: no standard error; cluster=False would take items as independent")]


def no_spread(se: Floats) -> Said:
    """Say of a standard error of 0 what it is not."""
    return se == 0, "standard error 0: no spread in the sample is not certainty"


def keys_dropped(n: Ints) -> Said:
    """Say how many keys of one arm the other lacks."""
    return n > 0, lambda row: f"{counted(n[row], '(item, seed) key')} dropped"


def counted_as_zero(n: Ints) -> Said:
    """Say how many missing values were made 0."""
    return n > 0, lambda row: f"{n[row]:,} missing counted as 0"


def left_out(n: Ints) -> Said:
    """Say how many values (of paired arms: keys) are missing and were left out."""
    return n > 0, lambda row: f"{n[row]:,} missing left out"


def few_units(n_units: Ints, tested: Bools, unit: str) -> list[Said]:
    """Say where there are so few items or clusters that no limits for all rows are certain."""
    return [
        (
            tested & (n_units < FEW),
            lambda row: f"{n_units[row]:,} {unit}s: limits for all rows at once are uncertain",
        )
    ]


def of_metrics(runs: Runs, column: str, n_rows: int) -> Said:
    """Say where a score is a mean over several metrics, as the readers of logs name them."""
    mixed = metrics_of(runs) if column == COLUMN["score"] else {}
    group = np.arange(n_rows) // max(n_rows // max(len(runs.by), 1), 1)

    def text(row: int) -> str:
        names = mixed[int(group[row])]
        shown = ", ".join(map(repr, names[:3])) + (", ..." if len(names) > 3 else "")
        return f"mean over {len(names):,} metrics ({shown}): choose one, or by= what has one each"

    return np.isin(group, list(mixed)), text


def metrics_of(runs: Runs) -> dict[int, list[str]]:
    """Return the metrics of each `by` group of a frame that has several."""
    try:
        code, labels = pd.factorize(runs.frame.get("metric", pd.Series(dtype=object)))
    except TypeError:
        # Lists, in a column of the user's own.
        return {}
    if len(labels) < 2:
        return {}
    pairs = pd.DataFrame({"group": runs.unit_group[runs.unit], "code": code}).drop_duplicates()
    groups = pairs[pairs["code"] >= 0].groupby("group")["code"]
    found = {int(str(group)): sorted(str(labels[one]) for one in codes) for group, codes in groups}
    return {group: names for group, names in found.items() if len(names) > 1}
