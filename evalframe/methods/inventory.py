"""What is there: items, runs, seeds and clusters of each arm."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from evalframe.counts import count_runs
from evalframe.matrix import cells, reduce
from evalframe.methods.arguments import by_columns
from evalframe.methods.rows import assemble
from evalframe.runs import Runs, select
from evalframe.stats.means import segment_means
from evalframe.stats.segments import Floats, Ints

# Larger than any number of seeds: the start of a minimum.
_MOST = np.iinfo(np.int64).max


def overview(frame: pd.DataFrame, *, by: str | Sequence[str] | None = None) -> pd.DataFrame:
    """Items, runs, seeds and clusters of each arm, and what an arm lacks that others have.

    Look at it before any comparison: arms that ran other items, or other numbers of seeds, show
    here at once.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs: ``item_id`` and, where there are any, ``arm``, ``seed``, ``cluster_id`` and
        ``score``.
    by : str or sequence of str, optional
        Columns whose groups (tasks, subjects) are counted apart.

    Returns
    -------
    DataFrame
        One row an arm (and group), for arms without a row in the group too:

        - n_items, n_responses : items it has rows of; rows with a score (without a column
          ``score``: rows)
        - seeds_min, seeds_max : fewest and most rows of one item; 0 where it has no item
        - n_clusters : clusters of its items; missing where items are independent
        - n_missing : rows without a score
        - n_items_absent : items that other arms have in the group, and it does not
        - mean : mean over items of the mean over seeds, the estimate of `score`; NaN without scores

    Raises
    ------
    RoleError, FrameError
        If a column is missing, or its values or keys are not what its role needs.

    See Also
    --------
    check : Every fault of a frame at once.

    Examples
    --------
    >>> runs = pd.DataFrame({
    ...     "item_id": [1, 2, 3, 1, 2],
    ...     "arm": ["base"] * 3 + ["edit"] * 2,
    ...     "score": [1, 0, 0, 1, None],
    ... })
    >>> overview(runs)[["arm", "n_items", "n_responses", "n_missing", "n_items_absent"]]
        arm  n_items  n_responses  n_missing  n_items_absent
    0  base        3            3          0               0
    1  edit        2            1          1               1
    """
    groups = by_columns(by, "overview")
    scored = ["score"] if isinstance(frame, pd.DataFrame) and "score" in frame.columns else []
    runs = select(frame, scored, by=groups, reduced=True)
    n_rows = _rows(runs)
    has = cells(runs, np.where(n_rows > 0, 1.0, np.nan))
    fewest, most = np.full(has.n_segments, _MOST), np.zeros(has.n_segments, dtype=np.int64)
    np.minimum.at(fewest, has.segment, n_rows[has.known])
    np.maximum.at(most, has.segment, n_rows[has.known])
    there = segment_means(has.value, has.segment, has.n_segments, has.cluster)
    n_responses, n_missing, mean = _scores(runs, n_rows, bool(scored))
    part = {
        "n_items": there.n,
        "n_responses": has.count(n_responses),
        "seeds_min": np.where(there.n > 0, fewest, 0),
        "seeds_max": most,
        "n_clusters": there.n_clusters if runs.unit_cluster is not None else np.nan,
        "n_missing": has.count(n_missing),
        "n_items_absent": has.count(n_rows == 0),
        "mean": mean,
    }
    everywhere = np.ones(has.n_segments, dtype=np.bool_)
    return assemble("overview", runs.by, runs.arms, None, [part], everywhere, {"by": groups})


def _rows(runs: Runs) -> Ints:
    """Return the (U, A) numbers of runs."""
    n_cells = runs.n_units * len(runs.arms)
    many = count_runs(runs.frame) if runs.counts is not None else None
    rows = np.bincount(runs.key % max(n_cells, 1), many, minlength=n_cells)
    return rows.astype(np.int64).reshape(runs.n_units, len(runs.arms))


def _scores(runs: Runs, n_rows: Ints, scored: bool) -> tuple[Ints, Ints, Floats]:
    """Return the (U, A) rows with and without a score, and each segment's mean."""
    n_segments = len(runs.by) * len(runs.arms)
    if not scored:
        return n_rows, np.zeros_like(n_rows), np.full(n_segments, np.nan)
    means = reduce(runs, "score")
    known = cells(runs, means.mean)
    mean = segment_means(known.value, known.segment, known.n_segments).mean
    return means.n_values, means.n_missing, mean
