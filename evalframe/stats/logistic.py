"""Logistic regression with errors that hold for dependent rows."""

from dataclasses import dataclass

import numpy as np
import scipy

from evalframe.stats.segments import Floats, Ints

_STEPS = 30
# Log odds beyond this are those of classes that the columns separate: they have no finite fit.
_SEPARATED = 30.0


@dataclass(frozen=True, slots=True)
class LogitFit:
    """A fit of P coefficients.

    Attributes
    ----------
    coefficient, se : (P,) float64
        NaN where there is no finite fit, or no unique one; `se` also with fewer than two clusters.
    n_clusters : int
        Rows where these are independent.
    """

    coefficient: Floats
    se: Floats
    n_clusters: int


def logit_fit(design: Floats, won: Floats, cluster: Ints | None = None) -> LogitFit:
    r"""Fit the log odds of a 0 or 1 by maximum likelihood.

    Parameters
    ----------
    design : (n, P) float64
        A column a coefficient.
    won : (n,) float64
        0 or 1.
    cluster : (n,) int64, optional
        What dependent rows share. None: rows are independent.

    Returns
    -------
    LogitFit

    Notes
    -----
    The error is the sandwich [1]_ over G clusters with the factor G/(G - 1). Rows are sorted by
    their values first, so that their order changes no digit.

    References
    ----------
    .. [1] Liang and Zeger (1986), Longitudinal data analysis using generalized linear models,
       Biometrika 73(1), 13-22.

    Examples
    --------
    >>> design = np.column_stack([np.ones(8), [0, 0, 0, 0, 1, 1, 1, 1]])
    >>> logit_fit(design, np.array([1.0, 0, 0, 0, 1, 1, 1, 0])).coefficient.round(4)
    array([-1.0986,  2.1972])
    """
    none = np.full(design.shape[1], np.nan)
    order = np.lexsort((won, *design.T[::-1]))
    design, won = design[order], won[order]
    _, code = np.unique(order if cluster is None else cluster[order], return_inverse=True)
    n_clusters = int(code.max(initial=-1)) + 1
    if len(won) == 0 or won.min() == won.max() or np.linalg.matrix_rank(design) < len(none):
        return LogitFit(none, none, n_clusters)
    fit, settled = np.zeros(design.shape[1]), False
    for _ in range(_STEPS):
        chance = scipy.special.expit(np.einsum("np,p->n", design, fit))
        information = np.einsum("np,n,nq->pq", design, chance * (1.0 - chance), design)
        step = _solved(information, np.einsum("np,n->p", design, won - chance))
        fit = fit + step
        if np.isnan(step).any() or np.abs(np.einsum("np,p->n", design, fit)).max() > _SEPARATED:
            return LogitFit(none, none, n_clusters)
        settled = bool(np.abs(step).max() <= 1e-12 * max(1.0, float(np.abs(fit).max())))
        if settled:
            break
    if not settled:
        return LogitFit(none, none, n_clusters)
    pulls = np.stack(
        [np.bincount(code, column) for column in (design * (won - chance)[:, None]).T], axis=1
    )
    pulls = pulls[np.lexsort(pulls.T)]
    middle = np.einsum("gp,gq->pq", pulls, pulls)
    inverse = np.linalg.inv(information)
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.float64(n_clusters) / (n_clusters - 1.0 if n_clusters > 1 else np.nan)
        se = np.sqrt(factor * np.diag(inverse @ middle @ inverse))
    return LogitFit(fit, se, n_clusters)


def _solved(matrix: Floats, right: Floats) -> Floats:
    """Solve a linear system; NaN where it has no unique solution."""
    try:
        return np.asarray(np.linalg.solve(matrix, right))
    except np.linalg.LinAlgError:
        return np.full(len(right), np.nan)
