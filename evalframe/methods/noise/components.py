"""Where does the uncertainty come from? Clusters, items, or running the model once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe import results
from evalframe.errors import DesignError, short
from evalframe.methods.arguments import (
    MISSING,
    MOST,
    by_columns,
    check_choice,
    check_flag,
    check_once,
    is_number,
    several,
    value_columns,
)
from evalframe.methods.noise.single_runs import Measured, measure
from evalframe.methods.remarks import counted_as_zero, no_spread, spread_notes
from evalframe.methods.rows import assemble
from evalframe.roles import metric_name
from evalframe.runs import select
from evalframe.stats.means import Means, segment_means
from evalframe.stats.segments import Floats
from evalframe.stats.variance import components

Bools = NDArray[np.bool_]

# Runs per item for which a standard error is forecast; the last is the floor.
GRID = (1, 2, 4, 8, 16, np.inf)


def variance(
    frame: pd.DataFrame,
    *,
    value: str | Sequence[str] = "score",
    by: str | Sequence[str] | None = None,
    cluster: bool = True,
    seeds: Sequence[float] = GRID,
    missing: str = "drop",
) -> pd.DataFrame:
    r"""Split the uncertainty of a mean score by source, and forecast it for other numbers of runs.

    More runs of each item shrink the part that comes from running a model once; what is left at
    infinitely many is the floor that only more items (or clusters) lower.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs, some items of which have two seeds or more.
    value : str or sequence of str, default "score"
        The column of numbers, or several.
    by : str or sequence of str, optional
        Columns whose groups are taken apart.
    cluster : bool, default True
        Whether to use ``cluster_id`` where the frame has it.
    seeds : sequence of numbers, default (1, 2, 4, 8, 16, inf)
        Runs per item to forecast the standard error for.
    missing : {"drop", "zero", "raise"}
        As in `score`.

    Returns
    -------
    DataFrame
        For each arm (and group, and column) a row "observed", then one for each of `seeds`:

        - design, seeds : "observed", "planned" or "floor"; runs per item, observed on average
        - estimate, se : the mean score; its standard error with that many runs of these items
        - var_cluster, var_item, var_seed : variance between clusters, between the items of a
          cluster, and between runs of an item; a negative estimate is 0
        - share_cluster, share_item, share_seed : of the variance of an item's mean at that many
          runs; NaN where item means do not differ
        - var_cluster_raw, var_item_raw : the estimates before they were held at 0
        - n_items, n_responses, n_repeated : items, runs in all, items with two runs or more
        - n_dropped, n_clusters, clustered, note

    Raises
    ------
    RoleError, FrameError, ValueError
        As in `score`.
    DesignError
        If no item has two runs.

    See Also
    --------
    sample_size : Items that it takes, by the variance that a pilot shows.

    Notes
    -----
    With S^2 the variance of item means, v_i that of item i's k_i runs and :math:`\tau` the mean of
    v_i / k_i, the item variance is :math:`S^2 - \tau`. An item with one run is given the others'
    mean variance. With clusters, mean squares between and within them are solved for all three
    components. The observed standard error is that of `score`; at k runs an item

    .. math:: \mathrm{se}_k^2 = \mathrm{se}^2 + (\sigma_w^2 / k - \tau) / n ,

    because runs are independent whatever the clusters; the part without the runs is held at 0.

    References
    ----------
    .. [1] Miller (2024), Adding error bars to evals, arXiv:2411.00640.

    Examples
    --------
    >>> runs = pd.DataFrame({
    ...     "item_id": [1, 1, 2, 2, 3, 3, 4, 4],
    ...     "seed": [0, 1] * 4,
    ...     "score": [1, 1, 1, 0, 0, 0, 1, 1],
    ... })
    >>> variance(runs, seeds=[1, 8])[["design", "seeds", "se", "share_seed"]].round(3)
         design  seeds     se  share_seed
    0  observed    2.0  0.239       0.273
    1   planned    1.0  0.270       0.429
    2   planned    8.0  0.213       0.086
    """
    check_choice("missing", missing, MISSING)
    check_flag("cluster", cluster)
    grid = _checked_grid(seeds)
    columns, groups = value_columns(value, frame), by_columns(by, "variance")
    runs = select(frame, columns, by=groups, cluster=cluster)
    found = [measure(runs, column, None, missing) for column in columns]
    if found[0].shown.any() and not any(one.noise.n_repeated.any() for one in found):
        raise DesignError(
            "variance components need items with two seeds or more, found one run of each item; "
            "run each item again under another seed, or use df.evals.score()"
        )
    parts = [
        part
        for column, one in zip(columns, found, strict=True)
        for part in _variance_rows(column, one, grid)
    ]
    provenance = {
        "value": columns,
        "by": groups,
        "cluster": cluster,
        "seeds": [one if np.isfinite(one) else "inf" for one in grid],
        "missing": missing,
    }
    return assemble("variance", runs.by, runs.arms, None, parts, found[0].shown, provenance)


def _checked_grid(seeds: Sequence[float]) -> list[float]:
    grid = several(seeds)
    if not all(is_number(one) and (1 <= one <= MOST or one == np.inf) for one in grid):
        raise ValueError(
            f"seeds must be numbers from 1 to {MOST:,}, or infinite, for example seeds=[1, 4, 16], "
            f"not {short(seeds)}"
        )
    check_once("seeds", grid)
    return [float(one) for one in grid]


def _variance_rows(column: str, found: Measured, grid: list[float]) -> list[dict[str, Any]]:
    """Return the columns of the observed row, and of each row of the grid."""
    known, noise = found.known, found.noise
    mean = segment_means(known.value, known.segment, known.n_segments, known.cluster)
    raw = components(known.value, known.segment, known.cluster, known.n_segments, noise)
    # Clusters of one item each cannot be told from their items.
    apart = ~np.isnan(raw.cluster)
    of_cluster = np.maximum(raw.cluster, 0.0)
    of_item = np.where(apart, np.maximum(raw.item, 0.0), np.maximum(raw.total, 0.0))
    clustered = known.cluster is not None
    shared = {
        "metric": metric_name(column),
        "estimate": mean.mean,
        "var_cluster": of_cluster,
        "var_item": of_item,
        "var_seed": noise.one_run,
        "var_cluster_raw": raw.cluster,
        "var_item_raw": np.where(apart, raw.item, raw.total),
        "n_items": mean.n,
        "n_repeated": noise.n_repeated,
        "n_dropped": found.n_dropped,
        "n_clusters": mean.n_clusters if clustered else np.nan,
        "clustered": clustered,
        "note": _notes(found, mean, raw.total, clustered, apart),
    }
    forecasts = _forecasts(found, mean, grid, of_cluster, of_item)
    return [shared | row for row in forecasts]


def _forecasts(
    found: Measured, mean: Means, grid: list[float], of_cluster: Floats, of_item: Floats
) -> list[dict[str, Any]]:
    """Return what differs between the observed row and those of the grid."""
    noise, flat = found.noise, mean.se == 0
    with np.errstate(invalid="ignore", divide="ignore"):
        floor = np.maximum(mean.se**2 - noise.item_mean / mean.n, 0.0)
        observed = found.n_responses / mean.n
    rows: list[dict[str, Any]] = [
        {"design": "observed", "seeds": observed, "se": mean.se, "n_responses": found.n_responses}
        | _shares(of_cluster, of_item, noise.item_mean, flat)
    ]
    for k in grid:
        left = noise.one_run / k
        rows.append(
            {
                "design": "planned" if np.isfinite(k) else "floor",
                "seeds": k,
                "se": np.sqrt(floor + left / np.maximum(mean.n, 1)),
                "n_responses": np.round(mean.n * k) if np.isfinite(k) else np.nan,
            }
            | _shares(of_cluster, of_item, left, flat)
        )
    return rows


def _shares(of_cluster: Floats, of_item: Floats, of_seed: Floats, flat: Bools) -> dict[str, Any]:
    """Return the share of each component; NaN where item means do not differ."""
    whole = np.nan_to_num(of_cluster) + of_item + of_seed
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            f"share_{name}": np.where(flat | (whole <= 0), np.nan, part / whole)
            for name, part in (("cluster", of_cluster), ("item", of_item), ("seed", of_seed))
        }


def _notes(found: Measured, mean: Means, total: Floats, clustered: bool, apart: Bools) -> list[str]:
    """Say in words what a reader of each row must know."""
    repeated = found.noise.n_repeated
    some = (repeated > 0) & (repeated < mean.n)
    return results.notes(
        len(mean.n),
        [
            (mean.n == 0, "no item has a value"),
            no_spread(mean.se),
            *spread_notes(mean, clustered),
            ((mean.n > 0) & (repeated == 0), "one run of each item: no variance between runs"),
            (
                some,
                [
                    f"{n - r:,} of {n:,} items have one run and are given the others' mean variance"
                    for n, r in zip(mean.n, repeated, strict=True)
                ],
            ),
            (
                total < 0,
                "runs of an item differ more than item means do: no variance between items is seen",
            ),
            (
                (mean.n_clusters > 1) & (repeated > 0) & ~apart,
                "one item a cluster: clusters and items cannot be told apart",
            ),
            counted_as_zero(found.n_zeros),
        ],
    )
