"""Limits that hold for a whole family of estimates at once."""

import numpy as np
import scipy

from evalframe.stats.rays import Rays, drawn_each, root_of, two_sided
from evalframe.stats.segments import Floats, Ints


def correlations(
    unit: Ints, row: Ints, share: Floats, n_rows: int, block: Ints
) -> list[tuple[Ints, Floats]]:
    """Correlate estimates that are sums over the same sampled units.

    Parameters
    ----------
    unit : (n,) int64
        The item or cluster that was sampled, codes from 0.
    row : (n,) int64
        The estimate that a unit adds to, codes 0 to n_rows - 1.
    share : (n,) float64
        What it adds to the estimate's deviation from its expectation.
    n_rows : int
    block : (n_rows,) int64
        Estimates of different blocks share no unit.

    Returns
    -------
    list of (rows, correlation)
        For each block its rows with any spread, and their (k, k) correlations.
    """
    n_units = int(unit.max()) + 1 if len(unit) else 0
    table = scipy.sparse.coo_matrix((share, (unit, row)), shape=(n_units, n_rows)).tocsc()
    gram = (table.T @ table).tocsr()
    found = []
    for one in np.unique(block):
        rows = np.flatnonzero(block == one)
        inner = gram[rows][:, rows].toarray()
        spread = np.sqrt(np.diag(inner))
        kept = spread > 0
        rows, spread = rows[kept], spread[kept]
        # Rounded, so that the order in which units are added up cannot move a number.
        matrix = np.round(inner[np.ix_(kept, kept)] / np.outer(spread, spread), 10)
        if len(rows):
            found.append((rows, matrix))
    return found


def families(
    blocks: list[tuple[Ints, Floats]],
    statistic: Floats,
    df: float,
    generator: np.random.Generator,
    n_draws: int,
) -> list[Rays]:
    r"""Return how far out the largest absolute t of each block of correlated estimates lies.

    Parameters
    ----------
    blocks : list of (rows, correlation)
        From `correlations`; blocks are independent of each other.
    statistic : (n_rows,) float64
        Estimates over their standard errors. They order the rows alone, so that draws do not depend
        on labels.
    df : float
        Degrees of freedom of all rows; infinite for normal limits.
    generator : numpy.random.Generator
    n_draws : int
        Directions, shared by the blocks.

    Notes
    -----
    A multivariate t with the estimates' own correlations [1]_, each with its own standard error:
    narrower than Bonferroni's limits, and far narrower where arms answer the same items.

    References
    ----------
    .. [1] Hothorn, Bretz and Westfall (2008), Simultaneous inference in general parametric models,
       Biometrical J. 50(3), 346-363, doi:10.1002/bimj.200810425.
    """
    ordered = []
    for rows, matrix in blocks:
        order = np.argsort(statistic[rows], kind="stable")
        ordered.append((np.round(statistic[rows][order], 9).tolist(), matrix[np.ix_(order, order)]))
    ordered.sort(key=lambda pair: pair[0])
    each = drawn_each(n_draws, len(ordered))
    return [two_sided(root_of(matrix), df, generator, each) for _, matrix in ordered]
