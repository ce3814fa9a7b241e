"""Limits that hold for a whole family of estimates at once."""

import numpy as np
import scipy

from evalframe.stats.segments import Floats, Ints

# Normal draws held at once. It sets the memory used (about 30 MB) and never a number.
_BLOCK = 1 << 22


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


def max_t_quantile(
    blocks: list[tuple[Ints, Floats]],
    statistic: Floats,
    df: float,
    level: float,
    generator: np.random.Generator,
    n_draws: int,
) -> float:
    r"""Quantile of the largest absolute t of a family of correlated estimates.

    Parameters
    ----------
    blocks : list of (rows, correlation)
        From `correlations`; blocks are independent of each other.
    statistic : (n_rows,) float64
        Estimates over their standard errors. They order the rows alone, so that draws do not depend
        on labels.
    df : float
        Degrees of freedom, shared by all rows; infinite for normal limits.
    level : float
    generator : numpy.random.Generator
    n_draws : int

    Returns
    -------
    float
        Limits at this many standard errors hold for all estimates at once with chance `level`; NaN
        for an empty family.

    Notes
    -----
    Draws of a multivariate t with the estimates' own correlations [1]_: narrower than Bonferroni's
    limits, and far narrower where arms answer the same items.

    References
    ----------
    .. [1] Hothorn, Bretz and Westfall (2008), Simultaneous inference in general parametric models,
       Biometrical J. 50(3), 346-363, doi:10.1002/bimj.200810425.
    """
    if not blocks:
        return float("nan")
    ordered = []
    for rows, matrix in blocks:
        order = np.argsort(statistic[rows], kind="stable")
        ordered.append((np.round(statistic[rows][order], 9).tolist(), matrix[np.ix_(order, order)]))
    ordered.sort(key=lambda pair: pair[0])
    largest = np.zeros(n_draws)
    for _, matrix in ordered:
        values, vectors = np.linalg.eigh(matrix)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        step = max(1, _BLOCK // len(matrix))
        for start in range(0, n_draws, step):
            stop = min(start + step, n_draws)
            drawn = root @ generator.standard_normal((len(matrix), stop - start))
            np.abs(drawn, out=drawn)
            np.maximum(largest[start:stop], drawn.max(axis=0), out=largest[start:stop])
    if np.isfinite(df):
        largest /= np.sqrt(generator.chisquare(df, n_draws) / df)
    return float(np.quantile(largest, level))
