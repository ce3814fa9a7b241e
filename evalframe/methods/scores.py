"""How good is each arm? The mean over items, with an error that says what it is worth."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import ArrayLike
from pandas.api import types
from pandas.api.extensions import ExtensionArray

from evalframe import results
from evalframe.errors import FrameError
from evalframe.matrix import cells, reduce
from evalframe.methods.arguments import MISSING, by_columns, check_choice, check_flag, value_columns
from evalframe.methods.rows import assemble, spread_notes
from evalframe.pairing import refuse_missing
from evalframe.roles import metric_name
from evalframe.runs import Runs, select
from evalframe.stats.floor import critical
from evalframe.stats.means import Means, segment_means, student_quantile
from evalframe.stats.segments import Ints

INTERVALS = ("t", "normal")


def score(
    frame: pd.DataFrame | pd.Series | ArrayLike,
    *,
    value: str | Sequence[str] = "score",
    by: str | Sequence[str] | None = None,
    cluster: bool = True,
    level: float = 0.95,
    interval: str = "t",
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
    interval : {"t", "normal"}
        Quantiles of Student's t with n - 1 (clustered: G - 1) degrees of freedom, or of the normal.
    missing : {"drop", "zero", "raise"}
        What a missing score does: it is left out and counted, counted as 0, or refused.

    Returns
    -------
    DataFrame
        One row an arm (and group, and column):

        - estimate : mean over items, in units of the grade
        - se, conf_low, conf_high : NaN where one item or one cluster shows no spread
        - n_items, n_responses : items and rows with a score
        - n_missing, n_items_missing : rows without a score, items without any
        - n_clusters : clusters; missing where items are independent
        - design_effect : squared ratio of the clustered to the independent standard error
        - df : degrees of freedom of t; NaN where no t is used
        - level, interval, clustered, note

    Raises
    ------
    RoleError, FrameError
        If a column is missing, or its values or keys are not what its role needs.
    ValueError
        If an argument is not one of its choices.

    See Also
    --------
    compare : The difference between arms, which is far better known than either score.

    Notes
    -----
    :math:`\bar x \pm t \, s / \sqrt n` over item means, and with clusters the cluster-robust
    standard error of [1]_ with factor G/(G - 1). Near 0 or 1 and with few items or clusters these
    intervals are too short; their limits can pass the ends of the scale.

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
    check_choice("missing", missing, MISSING)
    check_flag("cluster", cluster, "cluster")
    columns = value_columns(value)
    frame = _as_frame(frame, columns)
    groups = by_columns(by, "score")
    runs = select(frame, columns, by=groups, cluster=cluster)
    parts = [_score_column(runs, column, level, interval, missing) for column in columns]
    provenance = {
        "value": columns,
        "by": groups,
        "cluster": cluster,
        "level": level,
        "interval": interval,
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


def _as_frame(scores: pd.DataFrame | pd.Series | ArrayLike, columns: list[str]) -> pd.DataFrame:
    """Return bare scores as a frame of one arm, an item each."""
    if isinstance(scores, pd.DataFrame):
        return scores
    if columns != ["score"]:
        raise ValueError(f"value names columns of a DataFrame, found {type(scores).__name__}")
    if isinstance(scores, pa.Array | pa.ChunkedArray):
        scores = scores.to_pandas()
    flat = isinstance(scores, list | tuple) and not any(types.is_list_like(one) for one in scores)
    array = isinstance(scores, np.ndarray | pd.Series | pd.Index | ExtensionArray)
    if not flat and not (array and np.ndim(scores) == 1):
        raise FrameError(
            "wanted a DataFrame or a flat sequence of scores, found "
            f"{type(scores).__name__}; for example: evalframe.score([1, 0, 1])"
        )
    column = pd.Series(scores)
    return pd.DataFrame({"item_id": np.arange(len(column)), "score": column.array})


def _score_column(
    runs: Runs, column: str, level: float, interval: str, missing: str
) -> dict[str, Any]:
    """Score one column: an array of one entry a segment (group x arm) for each result column."""
    if missing == "raise":
        refuse_missing(runs, column, 'leave them out with missing="drop"')
    means = reduce(runs, column, zero=missing == "zero")
    known = cells(runs, means.mean)
    estimate = segment_means(known.value, known.segment, known.n_segments, known.cluster)
    clustered = runs.unit_cluster is not None
    df = np.where(estimate.n_clusters > 1, estimate.n_clusters - 1.0, np.nan)
    quantile = student_quantile(level, df) if interval == "t" else critical(level)
    n_missing = known.count(means.n_missing)
    return {
        "metric": metric_name(column),
        "estimate": estimate.mean,
        "se": estimate.se,
        "conf_low": estimate.mean - quantile * estimate.se,
        "conf_high": estimate.mean + quantile * estimate.se,
        "n_items": estimate.n,
        "n_responses": known.count(means.n_values),
        "n_missing": n_missing,
        "n_items_missing": known.count((means.n_missing > 0) & (means.n_values == 0)),
        "n_clusters": estimate.n_clusters if clustered else np.nan,
        "design_effect": estimate.design_effect,
        "df": df if interval == "t" else np.nan,
        "level": level,
        "interval": interval,
        "clustered": clustered,
        "note": _notes(estimate, clustered, n_missing, missing),
    }


def _notes(estimate: Means, clustered: bool, n_missing: Ints, missing: str) -> list[str]:
    """Say in words what a reader of each row must know."""
    zeros = n_missing > 0 if missing == "zero" else np.zeros(len(n_missing), dtype=bool)
    return results.notes(
        len(estimate.mean),
        [
            (estimate.n == 0, "no item has a score"),
            *spread_notes(estimate, clustered),
            (
                estimate.se == 0,
                "standard error 0: no spread in the sample is not certainty about the mean",
            ),
            (zeros, [f"{count:,} missing counted as 0" for count in n_missing]),
        ],
    )
