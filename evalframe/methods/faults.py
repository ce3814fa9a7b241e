"""Every fault of a frame at once, found by the rules that the methods themselves follow."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe import results
from evalframe.arms import select_arms
from evalframe.errors import EvalFrameError
from evalframe.methods.arguments import by_columns, value_columns
from evalframe.methods.comparing.comparisons import DEFAULT_COLUMNS
from evalframe.methods.comparing.difference import SMALL
from evalframe.methods.remarks import metrics_of
from evalframe.methods.scoring.scores import score
from evalframe.pairing import check_prompts, paired_means, refuse_disjoint, refuse_missing
from evalframe.roles import RUNS, check_names, metric_name, need
from evalframe.runs import Runs, select
from evalframe.tidy import flags

_COLUMNS = ("severity", "column", "fault", "count", "first", "remedy")

_DROP = 'leave them out with missing="drop"'

# A score of outputs that stop at the cap more often than this measures the cap too.
OFTEN = 0.05


def check(
    frame: pd.DataFrame,
    *,
    value: str | Sequence[str] | None = None,
    by: str | Sequence[str] | None = None,
) -> pd.DataFrame:
    r"""Every fault of a frame as a row, with what to type.

    Parameters
    ----------
    frame : DataFrame
        Any; it is not changed.
    value : str or sequence of str, optional
        Columns of numbers to look at; what makes numbers weak is asked of the first. Default:
        ``score``, and ``n_output_tokens`` and ``hit_cap`` where the frame has them.
    by : str or sequence of str, optional
        Columns whose groups will be taken apart: an item id may stand for another item in each.

    Returns
    -------
    DataFrame
        One row a fault, errors first; without rows where nothing was found:

        - severity : "error" is what ``score`` or ``compare`` (with the first arm as baseline, and
          the same `value` and `by`) refuses whatever `missing` is; "warning" is what ``compare``
          refuses until `missing` is chosen, or what makes numbers weak: few items or clusters,
          clusters of very unequal size, no spread in the scores, a length cap that is hit often
        - column : the column at fault, "" where there is none
        - fault, remedy : what was found, and what to type
        - count, first : how many rows, keys, items, arms or columns it concerns, and the first

    Raises
    ------
    RoleError
        If `value` or `by` cannot name columns; of the frame itself nothing is raised.

    See Also
    --------
    overview : How many items, seeds and clusters each arm has.

    Notes
    -----
    Rules build on one another: while ids are at fault, keys and pairs are not looked at, so check
    again after mending. A cap is hit often where it is in more than 5% of an arm's runs. Clusters
    are very unequal where the effective number :math:`n^2 / \sum n_g^2` of their sizes is below
    half of their number.

    Examples
    --------
    >>> runs = pd.DataFrame({"item_id": [1, 2, 2], "score": ["C", "I", "C"]})
    >>> check(runs)[["severity", "column", "remedy"]].iloc[0].tolist()
    ['error', 'score', "say what each is worth: df.evals.tidy(value_map={'C': 1, 'I': 0})"]
    """
    groups = by_columns(by, "check")
    asked = None if value is None else value_columns(value, frame)
    found = _Found()
    if found.holds("error", lambda: check_names(frame)):
        _look(frame, asked, groups, found)
    rows = sorted(found.rows, key=lambda row: row[0] != "error")
    columns = {name: [row[place] for row in rows] for place, name in enumerate(_COLUMNS)}
    provenance = {"value": asked, "by": groups}
    return results.table("check", pd.DataFrame(index=range(len(rows))), columns, provenance)


class _Found:
    """The faults found so far."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, str, int, str, str]] = []

    def warn(self, column: str, fault: str, remedy: str, count: int, first: str = "") -> None:
        """Add what makes numbers weak."""
        self.rows.append(("warning", column, fault, count, first, remedy))

    def holds(self, severity: str, rule: Callable[[], object]) -> bool:
        """Say whether a rule of the methods holds, and keep what it refused."""
        try:
            rule()
        except EvalFrameError as error:
            fault = error.fault or str(error)
            row = (severity, error.column, fault, error.count, error.first, error.remedy)
            self.rows.append(row)
            return False
        return True


def _look(frame: pd.DataFrame, asked: list[str] | None, by: list[str], found: _Found) -> None:
    """Find the faults of a frame whose column names are plain."""
    complete = found.holds("error", lambda: need(frame, {"item": "item_id"}))
    for column in asked or ["score"]:
        found.holds("error", partial(need, frame, {metric_name(column): column}))
    for name in by:
        complete &= found.holds("error", partial(need, frame, {f"by={name!r}": name}))
    for name in dict.fromkeys(["item_id", "arm", "seed", *by]):
        complete &= _sound(frame, [name], [], found, by=[name] if name in by else [])
    clustered = _sound(frame, ["cluster_id"], [], found)
    if "item_id" in frame and "cluster_id" in frame and complete and clustered:
        clustered = _sound(frame, ["item_id", "cluster_id", *by], [], found, by=by)
    prompts = _sound(frame, ["prompt_hash"], [], found)
    wanted = DEFAULT_COLUMNS if asked is None else asked
    values = [c for c in wanted if c in frame and _sound(frame, [], [c], found)]
    caps = (
        "hit_cap" in values
        and RUNS not in frame
        and found.holds("warning", lambda: flags(frame["hit_cap"]))
    )
    if not complete or not found.holds("error", lambda: _keyed(frame, by)):
        return
    runs = select(frame, values, by=by, cluster=clustered, prompts=prompts, reduced=True)
    found.holds("error", lambda: check_prompts(runs))
    for column in values:
        found.holds("warning", partial(refuse_missing, runs, column, _DROP))
    if len(runs.arms) > 1 and values:
        _look_at_pairs(runs, values, found)
    _look_at_strength(frame, runs, (asked or ["score"])[0], found)
    if caps:
        _look_at_caps(score(frame, value="hit_cap", by=by, cluster=False), found)


def _sound(
    frame: pd.DataFrame,
    labels: Sequence[str],
    values: Sequence[str],
    found: _Found,
    by: Sequence[str] = (),
) -> bool:
    """Say whether columns keep the rules in which no other column has a part, if they are there."""
    if not {*labels, *values} <= set(frame.columns):
        return True
    alone = frame[list(dict.fromkeys([*labels, *values]))]
    # Every row an item, or a run, of its own: then no key repeats.
    own = "seed" if "item_id" in labels else "item_id"
    alone = alone.assign(**{own: np.arange(len(frame))})
    return found.holds("error", lambda: select(alone, values, by=by, prompts=True))


def _keyed(frame: pd.DataFrame, by: Sequence[str]) -> Runs:
    """Read the keys alone."""
    return select(frame, (), by=by, cluster=False, reduced=True)


def _look_at_pairs(runs: Runs, values: Sequence[str], found: _Found) -> None:
    """Find what keeps the arms from being compared with the first of them."""
    arms = select_arms(runs.arms, runs.arms[0])
    paired = partial(paired_means, runs, baseline=arms.baseline, others=arms.others)
    if runs.counts is not None:
        # Of means over runs it cannot be known what missing="drop" would leave.
        found.holds("warning", lambda: paired(column=values[0], missing="zero"))
        return
    pairs = [paired(column=column, missing="drop") for column in values]
    if found.holds("error", lambda: refuse_disjoint(pairs, runs.arms, arms)):
        found.holds("warning", lambda: paired(column=values[0], missing="zero"))


def _look_at_strength(frame: pd.DataFrame, runs: Runs, column: str, found: _Found) -> None:
    """Find what makes the numbers of a column weak that can be computed."""
    if len(frame) == 0:
        found.warn("", "no rows", "look at what was read, or at what was filtered out", 0)
    clusters = runs.unit_cluster is not None
    if column in runs.values:
        table = score(frame, value=column, by=runs.by_names, cluster=clusters)
        _look_at_sizes(table, column, found)
        flat = table[(table["se"] == 0) & (table["n_items"] > 1)]
        said = "no spread: a standard error of 0 is no certainty about the mean"
        _warn_of_arms(flat, column, said, "look at the outputs and at the grader", found)
    for names in list(metrics_of(runs).values())[:1]:
        said = f"{len(names):,} metrics, over which a mean is taken: {', '.join(map(repr, names))}"
        remedy = f"keep one, df[df['metric'] == {names[0]!r}], or by= what has one each"
        found.warn("metric", said, remedy, len(names), repr(names[0]))
    if runs.unit_cluster is not None and len(frame):
        _look_at_clusters(np.bincount(runs.unit_cluster), found)


def _look_at_caps(table: pd.DataFrame, found: _Found) -> None:
    """Warn of arms whose outputs stop at the length cap often."""
    often = table[table["estimate"] > OFTEN]
    said = f"the length cap is hit in up to {often['estimate'].max():.1%} of runs"
    remedy = "raise the cap and run again, or report the rate beside the score"
    _warn_of_arms(often, "hit_cap", said, remedy, found)


def _look_at_sizes(table: pd.DataFrame, value: str, found: _Found) -> None:
    """Warn of arms with too few items, or clusters, for an interval to be relied on."""
    clustered = bool(table["clustered"].any())
    unit, column = ("cluster", "cluster_id") if clustered else ("item", "item_id")
    size = table["n_clusters" if clustered else "n_items"]
    none = table[table["n_items"] == 0]
    said = f"no item has a {'score' if value == 'score' else 'value'}"
    _warn_of_arms(none, value, said, "leave the arm out", found)
    one, few = table[size == 1], table[(size > 1) & (size < SMALL)]
    remedy = f"add {unit}s, or report no interval"
    _warn_of_arms(one, column, f"1 {unit}: no standard error", remedy, found)
    said = f"only {size[few.index].min()} {unit}s (<{SMALL}): intervals are unreliable"
    remedy = f"add {unit}s, or read intervals as rough"
    _warn_of_arms(few, column, said, remedy, found)


def _look_at_clusters(size: NDArray[np.int64], found: _Found) -> None:
    """Warn of clusters so unequal that a few of them decide the standard error."""
    effective = size.sum() ** 2 / (size**2).sum()
    if effective < len(size) / 2:
        said = (
            f"{len(size):,} clusters of very unequal size: the largest has {size.max():,} of "
            f"{size.sum():,} items, which leaves {effective:.1f} effective ones"
        )
        remedy = "read intervals as rough, or split the largest if its items are independent"
        found.warn("cluster_id", said, remedy, len(size))


def _warn_of_arms(rows: pd.DataFrame, column: str, fault: str, remedy: str, found: _Found) -> None:
    """Warn of the arms (of groups) in some rows of a result."""
    if len(rows):
        names = list(rows.columns[: rows.columns.get_loc("arm")])
        first = [f"{name}={rows[name].tolist()[0]!r}" for name in names]
        first.append(f"arm {rows['arm'].tolist()[0]!r}")
        found.warn(column, fault, remedy, len(rows), ", ".join(first))
