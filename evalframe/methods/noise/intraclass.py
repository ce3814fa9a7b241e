"""How alike are the items of a cluster? The intraclass correlation."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from evalframe import results
from evalframe.arms import Arms, select_arms
from evalframe.errors import DesignError
from evalframe.methods.arguments import MISSING, by_columns, check_choice, value_columns
from evalframe.methods.noise.single_runs import Measured, measure
from evalframe.methods.remarks import counted_as_zero
from evalframe.methods.rows import assemble
from evalframe.pairing import check_prompts, refuse_none_shared
from evalframe.roles import check_names, metric_name
from evalframe.runs import Runs, select
from evalframe.stats.variance import intraclass, layout


def icc(
    frame: pd.DataFrame,
    baseline: object = None,
    *,
    value: str | Sequence[str] = "score",
    by: str | Sequence[str] | None = None,
    missing: str = "drop",
) -> pd.DataFrame:
    r"""Intraclass correlation of items that share a cluster.

    It says how alike the items of one cluster are: 0 where a cluster tells nothing about its items,
    1 where all items of a cluster score the same. With a baseline it is that of the paired
    differences, which decides what clustering costs a comparison and is smaller as a rule.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs with ``cluster_id``.
    baseline : label, optional
        The arm whose runs are taken from the other arms' runs of the same (item, seed).
    value : str or sequence of str, default "score"
        The column of numbers, or several.
    by : str or sequence of str, optional
        Columns whose groups are taken apart.
    missing : {"drop", "zero", "raise"}
        As in `score`; with a baseline, "drop" also leaves out keys that one arm lacks.

    Returns
    -------
    DataFrame
        One row an arm (and group, and column):

        - icc, icc_raw : by one-way analysis of variance of item means; `icc` is held to 0 to 1
        - design_effect : 1 + (m - 1) icc, with m the mean size of the cluster that an item is in:
          how much larger clustering makes the variance of the mean
        - cluster_size : items a cluster
        - n_items, n_dropped, n_clusters, note

    Raises
    ------
    RoleError
        If the frame has no clusters.
    DesignError
        If an arm is not there, arms are not paired, or share no item.

    See Also
    --------
    variance : What runs of an item add to the variance of clusters and items.

    Notes
    -----
    With mean squares :math:`M_b` between and :math:`M_w` within G clusters of :math:`m_g` of the n
    items [1]_,

    .. math:: \frac{M_b - M_w}{M_b + (m_0 - 1) M_w}, \quad
        m_0 = \frac{n - \sum m_g^2 / n}{G - 1} .

    NaN with one cluster, one item a cluster, or scores all alike; `note` says which.

    References
    ----------
    .. [1] Donner (1986), A review of inference procedures for the intraclass correlation
       coefficient in the one-way random effects model, Int. Statistical Review 54(1), 67-82.

    Examples
    --------
    >>> runs = pd.DataFrame({
    ...     "item_id": range(6), "cluster_id": list("aabbcc"), "score": [1, 1, 0, 0, 1, 0],
    ... })
    >>> icc(runs)[["icc", "design_effect", "n_clusters"]].round(3)
       icc  design_effect  n_clusters
    0  0.5            1.5           3
    """
    check_choice("missing", missing, MISSING)
    columns, groups = value_columns(value, frame), by_columns(by, "icc")
    need_clusters(frame)
    runs = select(frame, columns, by=groups, prompts=baseline is not None)
    arms = _arms(runs, baseline)
    found = [measure(runs, column, arms, missing) for column in columns]
    if arms is not None:
        refuse_none_shared(any(len(one.known.value) for one in found), runs.arms, arms)
    parts = [_icc_column(column, one) for column, one in zip(columns, found, strict=True)]
    provenance = {"value": columns, "by": groups, "baseline": baseline, "missing": missing}
    return assemble("icc", runs.by, runs.arms, arms, parts, found[0].shown, provenance)


def need_clusters(frame: pd.DataFrame) -> None:
    """Raise where a frame has no clusters."""
    check_names(frame)
    if "cluster_id" not in frame.columns:
        raise DesignError(
            "an intraclass correlation needs clusters, found no column 'cluster_id'; name yours "
            'once, for example: df.evals.tidy(cluster="passage")'
        )


def _arms(runs: Runs, baseline: object) -> Arms | None:
    if baseline is None:
        return None
    check_prompts(runs)
    return select_arms(runs.arms, baseline)


def _icc_column(column: str, found: Measured) -> dict[str, Any]:
    """Correlate one column: an entry a segment for each result column."""
    known = found.known
    # A frame whose cluster labels are all missing has no clusters to tell apart.
    cluster = np.arange(len(known.value)) if known.cluster is None else known.cluster
    parts = layout(known.value, known.segment, cluster, known.n_segments)
    raw = intraclass(parts)
    held = np.clip(raw, 0.0, 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        size = parts.n / parts.n_clusters
    alone = (parts.n_clusters == parts.n) & (parts.n > 0)
    same = np.isnan(raw) & (parts.n_clusters > 1) & ~alone
    return {
        "metric": metric_name(column),
        "icc": held,
        "icc_raw": raw,
        "design_effect": 1 + (parts.size_squares - 1) * held,
        "cluster_size": size,
        "n_items": parts.n,
        "n_dropped": found.n_dropped,
        "n_clusters": parts.n_clusters,
        "note": results.notes(
            known.n_segments,
            [
                (parts.n == 0, "no item has a value"),
                ((parts.n_clusters == 1), "1 cluster: nothing to compare it with"),
                (alone & (parts.n > 1), "one item a cluster: no item to correlate it with"),
                (same, "all items alike: no variance to share"),
                (raw < 0, "clusters differ less than chance would have it: icc_raw below 0"),
                (
                    (parts.n_clusters > 1) & (parts.n_clusters < 10) & ~alone,
                    lambda row: f"only {parts.n_clusters[row]:,} clusters: a rough estimate",
                ),
                counted_as_zero(found.n_zeros),
            ],
        ),
    }
