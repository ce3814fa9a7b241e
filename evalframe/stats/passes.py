"""Chances that some, or all, of k runs succeed, unbiased from n runs."""

import numpy as np

from evalframe.stats.segments import Floats, Ints


def any_of(successes: Ints, runs: Ints, k: int) -> Floats:
    r"""Chance that at least one of k runs succeeds, unbiased (pass@k).

    Parameters
    ----------
    successes, runs : (n,) int64
        c and n of each item.
    k : int

    Returns
    -------
    (n,) float64
        :math:`1 - \binom{n-c}{k} / \binom{n}{k}`; NaN where n < k.

    Notes
    -----
    The share of the subsets of k different runs that hold a success, multiplied out factor by
    factor, so that no binomial overflows. Runs drawn with replacement would miss rare successes
    [1]_.

    References
    ----------
    .. [1] Chen et al. (2021), Evaluating large language models trained on code, arXiv:2107.03374.

    Examples
    --------
    >>> any_of(np.array([1, 2, 0]), np.array([4, 5, 2]), 3).round(4)
    array([0.75, 0.9 ,  nan])
    """
    return 1.0 - all_of(runs - successes, runs, k)


def all_of(successes: Ints, runs: Ints, k: int) -> Floats:
    r"""Chance that all of k runs succeed, unbiased (pass^k).

    Returns
    -------
    (n,) float64
        :math:`\binom{c}{k} / \binom{n}{k}`; NaN where n < k.

    References
    ----------
    .. [1] Yao et al. (2024), tau-bench: a benchmark for tool-agent-user interaction in real-world
       domains, arXiv:2406.12045.

    Examples
    --------
    >>> all_of(np.array([4, 2, 3]), np.array([4, 4, 4]), 2).round(4)
    array([1.    , 0.1667, 0.5   ])
    """
    chance = np.ones(len(runs))
    enough = runs >= k
    for drawn in range(k):
        # Once no success is left the factor is 0, and stays so.
        left = np.maximum(successes - drawn, 0)
        chance *= np.where(enough, left / np.maximum(runs - drawn, 1), 1.0)
    return np.where(enough, chance, np.nan)
