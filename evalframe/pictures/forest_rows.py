"""What a forest plot reads of a result: its rows by metric, and which columns tell them apart."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_hashable, is_numeric_dtype

from evalframe.errors import FrameError
from evalframe.results import FLOOR, MARGIN, TABLES

Row = Mapping[Hashable, Any]
Key = tuple[Hashable, ...]

# Stands in a key for a label that is missing: NaN is no key.
UNKNOWN = "n/a"

_NEEDED = ("arm", "metric", "conf_low", "conf_high", "level")

# Keys of single tables beside arm and baseline: of adjusted, pooled, bootstrap and passes.
_KEYS = ("reference", "weighting", "statistic", "k")
# How results are made that stand in one frame, in the order in which a reader looks for it.
_HOW = (
    *("interval", "method", "unit", "paired", "clustered", "margin", "adjust", "simultaneous"),
    *("clip", "n_boot", "errors", "tie_rule", "penalty", "higher_better"),
)
# Texts that say what they are without the name of their column.
_PLAIN = ("weighting", "statistic", "method", "errors")

# Columns of the tables that have estimates with limits; others in such a result are the user's.
_ESTIMATES = {"diff", "estimate", "strength"}
_OWN = {
    name
    for kinds in TABLES.values()
    if {"arm", "conf_low"} <= set(kinds) and _ESTIMATES & set(kinds)
    for name in [*kinds, *MARGIN, *FLOOR]
}


@dataclass(frozen=True, slots=True)
class Shown:
    """The rows that a forest shows.

    Attributes
    ----------
    metrics : dict of str to dict of tuple to row
        The rows of each panel by their keys: labels of `names`.
    by, names : list of str
        Columns of groups; they, arm, baseline of differences, and what else tells rows apart.
    value : str
        The column of estimates.
    differs : bool
        Whether estimates are differences from a baseline.
    common : list of str
        What is said of all rows at once, of the columns that tell rows of other results apart.
    """

    metrics: dict[str, dict[Key, Row]]
    by: list[str]
    names: list[str]
    value: str
    differs: bool
    common: list[str]


def read_rows(result: pd.DataFrame) -> Shown:
    """Return the rows of a result, each with a key of its own.

    Raises
    ------
    FrameError
        If a column is missing, there is no row, scores and differences stand in one frame, or rows
        are told apart by no column.
    """
    result = _indexed(result)
    value = value_column(result)
    shown = _sized(result)
    if shown.empty:
        raise FrameError("plots need a result with rows, found 0 rows; look at what was read")
    differs = _differs(shown, value)
    by = list(shown.columns)[: list(shown.columns).index("arm")]
    keys = [*by, "arm", *(["baseline"] if differs else [])]
    told = [name for name in _KEYS if _is_key(shown, name) and name not in by]
    vary = [name for name in (*told, "level") if shown[name].nunique(dropna=False) > 1]
    names = _telling(shown, [*keys, *vary])
    common = [label_text(name, shown[name].iloc[0]) for name in told if name not in names]
    metrics: dict[str, dict[Key, Row]] = {}
    for row in shown.to_dict("records"):
        rows = metrics.setdefault(row["metric"], {})
        rows[tuple(UNKNOWN if pd.isna(row[name]) else row[name] for name in names)] = row
    if sum(map(len, metrics.values())) < len(shown):
        raise _alike(shown, names)
    return Shown(metrics, by, names, value, differs, common)


def label_text(name: str, label: Any) -> str:
    """Return what a column says of a row."""
    if isinstance(label, float):
        label = f"{100 * label:.10g}%" if name == "level" else f"{label:.10g}"
    return str(label) if name in (*_PLAIN, "level") else f"{name}={label}"


def value_column(result: pd.DataFrame) -> str:
    """Return the column that a forest shows, once all the columns it reads are there."""
    if {"strength", "n_games", "unit"} <= set(result.columns):
        return "strength"
    sizes = ("n_units", "unit") if "n_units" in result.columns else ("n_items", "n_clusters")
    needed = (*_NEEDED, *sizes)
    for value, more in (("diff", ("baseline",)), ("estimate", ())):
        if {value, *more, *needed} <= set(result.columns):
            return value
    missing = [name for name in ("estimate", *needed) if name not in result.columns]
    raise FrameError(
        "a forest plot draws estimates of arms with their limits (of score, compare, contrasts, "
        "pairs, bootstrap, pooled, debias, adjusted, pass_at_k or bradley_terry), found no column "
        f"{', '.join(missing)}; make one with df.evals.score() or df.evals.compare(baseline)"
    )


def _indexed(result: pd.DataFrame) -> pd.DataFrame:
    """Return the result with the named levels of its index as columns."""
    named = [name for name in result.index.names if name is not None]
    inside = [name for name in named if name not in result.columns]
    return result.reset_index(level=inside) if inside else result


def _sized(result: pd.DataFrame) -> pd.DataFrame:
    """Return strengths with a metric, and every result with numbers of items and clusters."""
    columns = set(result.columns)
    if "strength" in columns:
        # The games of an item are a cluster to the errors alone.
        clusters = result["n_clusters"].where(result["unit"] == "cluster")
        return result.assign(
            metric="log-odds strength", n_items=result["n_games"], n_clusters=clusters
        )
    if "n_units" in columns:
        n_items = result["n_items"].fillna(result["n_units"]) if "n_items" in columns else None
        n_items = result["n_units"] if n_items is None else n_items
        n_clusters = result["n_clusters"] if "n_clusters" in columns else np.nan
        return result.assign(n_items=n_items, n_clusters=n_clusters)
    return result


def _differs(shown: pd.DataFrame, value: str) -> bool:
    """Return whether estimates are differences, which all are or none is."""
    others = [name for name in _ESTIMATES if name != value and name in shown.columns]
    against = shown["baseline"].notna() if "baseline" in shown.columns else pd.Series(dtype=bool)
    if (shown[value].isna() & shown[others].notna().any(axis=1)).any():
        raise FrameError(
            f"a forest plot draws estimates of one kind, found rows with {value} and rows with "
            f"{', '.join(others)}; choose: result[result[{value!r}].notna()]"
        )
    if value != "estimate":
        return value == "diff"
    if against.any() and not against.all():
        n = int(against.sum())
        raise FrameError(
            f"a forest plot draws scores or differences, found {len(shown) - n:,} row(s) without a "
            f"baseline and {n:,} with one; choose: result[result['baseline'].notna()]"
        )
    return bool(against.any())


def _is_key(shown: pd.DataFrame, name: str) -> bool:
    """Return whether a column is there and a key: `statistic` may be the number of a test."""
    return name in shown.columns and (name == "k" or not is_numeric_dtype(shown[name]))


def _telling(shown: pd.DataFrame, keys: list[str]) -> list[str]:
    """Return the keys with the columns that tell rows of equal keys apart."""
    own = [name for name in shown.columns if name not in _OWN and is_hashable(shown[name].iloc[0])]
    found = list(keys)
    there = [name for name in (*_HOW, *own) if name in shown.columns and name not in keys]
    for name in there:
        same = shown.groupby(["metric", *found], sort=False, dropna=False, observed=True)
        if len(same) < len(shown) and same[name].nunique(dropna=False).max() > 1:
            found.append(name)
    return found


def _alike(shown: pd.DataFrame, names: Sequence[str]) -> FrameError:
    """Return the error for rows that no column tells apart."""
    n = int(shown.duplicated(["metric", *names], keep=False).sum())
    return FrameError(
        f"a forest plot draws every row as a line of its own, found {n:,} rows that no column "
        f"tells apart (alike in {', '.join(['metric', *names])}); draw the results one by one, or "
        "name each: pd.concat({'one': result, 'two': other}, names=['run']).reset_index('run')"
    )
