"""Clusters, or items, that several groups of a suite have in common."""

import numpy as np

from evalframe.labels import to_codes
from evalframe.matrix import Cells
from evalframe.runs import Runs
from evalframe.stats.means import Means
from evalframe.stats.pooling import Overlap
from evalframe.stats.segments import Ints, arrange


def sampled_column(runs: Runs) -> str:
    """Return the column of what was sampled: clusters, or items where they are independent."""
    return "item_id" if runs.unit_cluster is None else "cluster_id"


def repeated_labels(runs: Runs) -> Ints | None:
    """Return the label of each unit's item or cluster; None where no label is in two groups."""
    name = sampled_column(runs)
    codes = to_codes(runs.frame[name], name, sort=False)
    label = np.zeros(runs.n_units, dtype=np.int64)
    label[runs.unit] = codes.codes
    inside = np.arange(runs.n_units) if runs.unit_cluster is None else runs.unit_cluster
    apart = len(np.unique(inside))
    return label if apart > len(codes.labels) else None


def overlap_of(known: Cells, part: Means, sampled: Ints | None, runs: Runs) -> Overlap | None:
    """Return what each item or cluster adds to the mean of each group and arm."""
    if sampled is None:
        return None
    unit, column = np.nonzero(known.known)
    n_columns, size = known.known.shape[1], part.n_clusters[known.segment]
    small = np.sqrt(size / np.maximum(size - 1.0, 1.0))
    share = (known.value - part.mean[known.segment]) / part.n[known.segment] * small
    # Rounding around a mean that does not vary is no share; one unit shows no spread.
    share = np.where(part.se[known.segment] > 0, share, 0.0)
    label, group = sampled[unit], runs.unit_group[unit]
    n_units = np.bincount(np.unique(label * n_columns + column) % n_columns, minlength=n_columns)
    if known.cluster is not None:
        n_codes = int(known.cluster.max(initial=-1)) + 1
        clusters = arrange(share, known.cluster, n_codes)
        first = np.zeros(n_codes, dtype=np.int64)
        first[known.cluster] = np.arange(len(share))
        used = clusters.size > 0
        share, first = clusters.sum(share[clusters.order])[used], first[used]
        label, group, column = label[first], group[first], column[first]
    return Overlap(share, label, group, column, n_units)


def repeated_note(runs: Runs, *, shared: bool) -> str:
    """Say what was made of labels that stand in several groups."""
    return f"labels of {sampled_column(runs)} stand in several groups: " + (
        "the groups' covariance is in the error, and Q takes groups as independent"
        if shared
        else "taken as different ones; where they are the same, shared=True is right"
    )
