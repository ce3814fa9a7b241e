"""How good is each arm? The mean over items, with an error that says what it is worth."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pandas.api import types
from pandas.api.extensions import ExtensionArray

from evalframe import results
from evalframe.errors import FrameError
from evalframe.matrix import cells, reduce
from evalframe.methods.arguments import MISSING, by_columns, check_choice, check_flag, value_columns
from evalframe.methods.intervals import intervals, refuse_undefined
from evalframe.methods.remarks import counted_as_zero, no_spread, of_metrics, spread_notes
from evalframe.methods.rows import assemble
from evalframe.methods.scoring.score_doubts import doubts
from evalframe.methods.scoring.score_intervals import INTERVALS, METHODS, choose
from evalframe.methods.scoring.score_sample import (
    Bounds,
    check_bounds,
    refuse_outside,
    scale_of,
    score_sample,
)
from evalframe.pairing import refuse_missing
from evalframe.roles import metric_name
from evalframe.runs import Runs, select
from evalframe.stats.floor import critical
from evalframe.stats.means import Means
from evalframe.stats.segments import Ints


def score(
    frame: pd.DataFrame | pd.Series | Sequence[float] | NDArray[np.generic],
    *,
    value: str | Sequence[str] = "score",
    by: str | Sequence[str] | None = None,
    cluster: bool = True,
    level: float = 0.95,
    interval: str = "t",
    bounds: Bounds = "auto",
    missing: str = "drop",
) -> pd.DataFrame:
    r"""Mean score of each arm, with its standard error and confidence interval over items.

    An item's seeds are averaged first, and items weigh alike: n counts items, never rows. The
    interval covers the sampling of items (of clusters, where there are any), given the seeds that
    were run.

    Parameters
    ----------
    frame : DataFrame, Series, array or list
        Tidy runs: ``item_id``, a column of numbers and, where there are any, ``arm``, ``seed`` and
        ``cluster_id``. Anything but a DataFrame is taken as the scores of one arm, an item each.
    value : str or sequence of str, default "score"
        The column of numbers, or several.
    by : str or sequence of str, optional
        Columns whose groups (tasks, subjects) are scored apart.
    cluster : bool, default True
        Whether to use ``cluster_id`` where the frame has it. False takes items as independent,
        which is useful for comparison only.
    level : float, default 0.95
        Confidence level.
    interval : str, default "t"
        One of:

        - "t", "normal" : mean -+ quantile times standard error, t with n - 1 (clustered: G - 1)
          degrees of freedom
        - "cr2" : the same with an error and degrees of freedom for few or unequal clusters
        - "mid-p", "clopper-pearson", "jeffreys" : of a binomial count; independent items, right or
          wrong
        - "wilson" : scores on a scale; with clusters on their effective number
        - "logit" : "cr2" on the logit scale; scores on a scale that differ
        - "beta-binomial" : posterior of the mean over clusters; items right or wrong
        - "auto" : in each row the one that holds its level there, see Notes
    bounds : "auto", None or (low, high)
        Ends of the scale that scores lie on. "auto" is (0, 1) for ``score`` and ``hit_cap``, and
        none for other columns unless an interval of shares is asked for by name.
    missing : {"drop", "zero", "raise"}
        What a missing score does: it is left out and counted, counted as 0, or refused.

    Returns
    -------
    DataFrame
        One row an arm (and group, and column):

        - estimate : mean over items, in units of the grade
        - se : the standard error that belongs to the interval: CR2 for "cr2" and what is made of
          it; NaN where one item or one cluster shows no spread
        - conf_low, conf_high : NaN where they cannot be known
        - n_items, n_responses : items and rows with a score
        - n_missing, n_items_missing : rows without a score, items without any
        - n_clusters : clusters; missing where items are independent
        - design_effect : squared ratio of the clustered to the independent standard error
        - df : degrees of freedom of t, Satterthwaite's for "cr2" and what is made of it; NaN where
          no t is used
        - level, clustered
        - interval : the one that was used
        - note : what a reader must know, with what to use where the interval is known to fail

    Raises
    ------
    RoleError, FrameError
        If a column is missing, or its values or keys are not what its role needs.
    FrameError, DesignError
        If the interval is defined in no row of the result.
    ValueError
        If an argument is not one of its choices.

    See Also
    --------
    compare : The difference between arms, which is far better known than either score.

    Notes
    -----
    :math:`\bar x \pm t \, s / \sqrt n` over item means, and with clusters the cluster-robust
    standard error of [1]_ with factor G/(G - 1). Near 0 or 1 and with few items or clusters these
    intervals are too short, and `note` says so; their limits can pass the ends of the scale.

    "auto" takes for items right or wrong with one run each mid-p, and with clusters the
    beta-binomial; for other scores on a scale logit, and Wilson where all are alike; for scores
    without a scale t, and with clusters cr2. Clusters of one item each are independent items.

    References
    ----------
    .. [1] Miller (2024), Adding error bars to evals, arXiv:2411.00640.

    Examples
    --------
    >>> score([1, 1, 1, 0])[["estimate", "se", "conf_low", "conf_high", "n_items"]].round(4)
       estimate    se  conf_low  conf_high  n_items
    0      0.75  0.25   -0.0456     1.5456        4
    """
    critical(level)
    check_choice("interval", interval, INTERVALS)
    check_bounds(bounds)
    check_choice("missing", missing, MISSING)
    check_flag("cluster", cluster)
    columns = value_columns(value, frame)
    frame = _as_frame(frame, columns)
    groups = by_columns(by, "score")
    runs = select(frame, columns, by=groups, cluster=cluster, reduced=True)
    parts = [_score_column(runs, column, level, interval, bounds, missing) for column in columns]
    refuse_undefined([part.pop("refusal") for part in parts])
    provenance = {
        "value": columns,
        "by": groups,
        "cluster": cluster,
        "level": level,
        "interval": interval,
        "bounds": bounds,
        "missing": missing,
    }
    return assemble(
        "score",
        runs.by,
        runs.arms,
        None,
        parts,
        parts[0]["n_responses"] + parts[0]["n_missing"] > 0,
        provenance,
    )


def _as_frame(
    scores: pd.DataFrame | pd.Series | Sequence[float] | NDArray[np.generic], columns: list[str]
) -> pd.DataFrame:
    """Return bare scores as a frame of one arm, an item each."""
    if isinstance(scores, pd.DataFrame):
        return scores
    if columns != ["score"]:
        raise ValueError(f"value names columns of a DataFrame, found {type(scores).__name__}")
    if isinstance(scores, pa.Array | pa.ChunkedArray):
        scores = scores.to_pandas()
    flat = isinstance(scores, list | tuple) and not any(types.is_list_like(one) for one in scores)
    array = isinstance(scores, np.ndarray | pd.Series | pd.Index | ExtensionArray)
    records = getattr(getattr(scores, "dtype", None), "names", None) is not None
    if records or not (flat or (array and np.ndim(scores) == 1)):
        raise FrameError(
            "wanted a DataFrame or a flat sequence of scores, found "
            f"{type(scores).__name__}; for example: evalframe.score([1, 0, 1])"
        )
    column = pd.Series(scores)
    return pd.DataFrame({"item_id": np.arange(len(column)), "score": column.array})


def _score_column(
    runs: Runs, column: str, level: float, interval: str, bounds: Bounds, missing: str
) -> dict[str, Any]:
    """Score one column: an array of one entry a segment (group x arm) for each result column.

    The entry ``refusal`` is what to raise if the interval is defined in no row of the result.
    """
    if missing == "raise":
        refuse_missing(runs, column, 'leave them out with missing="drop"')
    means = reduce(runs, column, zero=missing == "zero")
    known = cells(runs, means.mean)
    n_responses, n_missing = known.count(means.n_values), known.count(means.n_missing)
    sample = score_sample(
        known.value,
        known.segment,
        known.n_segments,
        known.cluster,
        single=n_responses <= known.count(known.known),
        scale=scale_of(bounds, column, shares=interval != "auto" and bool(METHODS[interval].needs)),
        level=level,
    )
    if not isinstance(bounds, str):
        refuse_outside(sample, column)
    estimate, used = sample.means, intervals(sample, METHODS, interval, choose)
    doubted = doubts(sample, used, auto=interval == "auto")
    doubted.append(of_metrics(runs, column, len(estimate.mean)))
    return {
        "metric": metric_name(column),
        "estimate": estimate.mean,
        "se": used.se,
        "conf_low": used.low,
        "conf_high": used.high,
        "n_items": estimate.n,
        "n_responses": n_responses,
        "n_missing": n_missing,
        "n_items_missing": known.count((means.n_missing > 0) & (means.n_values == 0)),
        "n_clusters": estimate.n_clusters if sample.clustered else np.nan,
        "design_effect": estimate.design_effect,
        "df": used.df,
        "level": level,
        "interval": used.name,
        "clustered": sample.clustered,
        "note": _notes(estimate, sample.clustered, n_missing, missing, doubted),
        "refusal": used.refusal,
    }


def _notes(
    estimate: Means, clustered: bool, n_missing: Ints, missing: str, doubted: list[results.Said]
) -> list[str]:
    """Say in words what a reader of each row must know."""
    zeros = n_missing if missing == "zero" else np.zeros_like(n_missing)
    return results.notes(
        len(estimate.mean),
        [
            (estimate.n == 0, "no item has a score"),
            *spread_notes(estimate, clustered),
            no_spread(estimate.se),
            *doubted,
            counted_as_zero(zeros),
        ],
    )
