"""Errors of strengths that hold where games share a prompt or the model is only close."""

import numpy as np
import scipy

from evalframe.stats.games import Games
from evalframe.stats.segments import Floats, Ints
from evalframe.stats.strengths import Fit, Model, moments


def robust_covariance(games: Games, counts: Floats, fit: Fit, model: Model) -> Floats:
    r"""Sandwich covariance of strengths over clusters of games.

    Parameters
    ----------
    games : Games
        In the order of `fit`; without clusters each game is one.
    counts : (3, A, A) float64
        Of `count_games`.
    fit : Fit
    model : Model

    Returns
    -------
    (P, P) float64
        NaN with fewer than two clusters.

    Notes
    -----
    With the information I and :math:`u_g` the sum of a cluster's contributions to the gradient,

    .. math:: V = \frac{G}{G-1} \, I^{-1} \Big( \sum_g u_g u_g^\top \Big) I^{-1} .

    G/(G - 1) is the factor of Stata's maximum likelihood estimators (CR1) [1]_. Games are reduced
    to cluster x arm, sparse; clusters come in an order that follows from what they hold. Without
    clusters the sum is over the A x A table.

    References
    ----------
    .. [1] Cameron and Miller (2015), A practitioner's guide to cluster-robust inference, J. Human
       Resources 50(2), 317-372, doi:10.3368/jhr.50.2.317.
    """
    if games.cluster is None:
        total = len(games.first)
        middle = moments(counts, fit.score, fit.tie, model)
    else:
        sums = cluster_sums(games, games.cluster, fit, model)
        total = sums.shape[0]
        middle = (sums.T @ sums).toarray()
    factor = total / (total - 1.0) if total > 1 else np.nan
    matrix = factor * (fit.inverse @ middle @ fit.inverse)
    return np.asarray((matrix + matrix.T) / 2.0)


def cluster_sums(games: Games, cluster: Ints, fit: Fit, model: Model) -> "scipy.sparse.csr_array":
    """Sum what the games of each cluster add to the gradient, (G, P)."""
    rank, n_clusters = _by_content(games, cluster)
    n_cells = 3 * model.n_arms**2
    # Sorted by cluster and then by cell, so that sums do not depend on the order of games.
    row, cell = np.divmod(np.sort(rank[cluster] * n_cells + games.cell), n_cells)
    starts = np.searchsorted(row, np.arange(n_clusters + 1))
    played = scipy.sparse.csr_array((np.ones(len(cell)), cell, starts), shape=(n_clusters, n_cells))
    return played @ _of_cells(fit, model)


def clusters_of_arms(games: Games, cluster: Ints) -> Ints:
    """Return how many clusters each arm plays in, (A,)."""
    n = games.n_arms
    # A sort, as numpy's unique hashes where it need not sort, which takes ten times as long.
    met = np.sort(np.concatenate([cluster * n + games.first, cluster * n + games.second]))
    new = np.concatenate([[True], met[1:] > met[:-1]])[: len(met)]
    return np.bincount(met[new] % n, minlength=n)


def _of_cells(fit: Fit, model: Model) -> "scipy.sparse.csr_array":
    """Return what a game of each cell adds to the gradient, (3 A A, P), sparse."""
    n = model.n_arms
    first, second, _ = np.indices((n, n, 3)).reshape(3, -1)
    # A game's arms are two: an arm's with itself is never played.
    score, tie = (np.moveaxis(one, 0, 2).ravel() for one in (fit.score, fit.tie))
    columns, values = [first, second], [score, -score]
    if model.sided:
        columns, values = [*columns, np.full_like(first, n)], [*values, score]
    if model.tied:
        columns, values = [*columns, np.full_like(first, model.size - 1)], [*values, tie]
    n_each = len(columns)
    return scipy.sparse.csr_array(
        (
            np.stack(values, axis=1).ravel(),
            np.stack(columns, axis=1).ravel(),
            np.arange(len(first) + 1) * n_each,
        ),
        shape=(len(first), model.size),
    )


def _by_content(games: Games, cluster: Ints) -> tuple[Ints, int]:
    """Return the rank of each cluster by what it holds, and how many there are.

    Each kind of game has two fixed numbers of 26 bits; sums of them are exact in any order, and
    clusters that share both sums hold the same games but for a chance of 2**-52 a pair.
    """
    used = np.bincount(cluster)
    kind = games.cell.astype(np.uint64)
    sums = []
    for factor in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F):
        mixed = (kind + np.uint64(1)) * np.uint64(factor)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        weight = (mixed >> np.uint64(38)).astype(np.float64)
        sums.append(np.bincount(cluster, weights=weight))
    order = np.lexsort((*sums, used == 0))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank, int(np.count_nonzero(used))
