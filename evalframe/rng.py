"""Random generators: the one place that makes them.

A result draws one integer and every row of it restarts from that integer. So a row's numbers do
not depend on the rows beside it, two identical arms get identical draws, and the integer, which is
kept in the result's ``attrs``, makes the result again.
"""

import numpy as np


def draw_seed(rng: int | np.random.Generator | None) -> int:
    """Return the integer from which every row of one result restarts.

    Parameters
    ----------
    rng : int, numpy.random.Generator or None
        An integer is taken as it is, a generator gives its next integer (and moves on), and None
        draws a fresh one from the operating system.

    Returns
    -------
    int
        Between 0 and 2**63 - 1, or the integer given.

    Raises
    ------
    ValueError
        If `rng` is a negative integer, a bool or of another type.
    """
    if rng is None:
        rng = np.random.default_rng()
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63 - 1))
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise ValueError(
            f"rng must be an integer of 0 or more, a numpy Generator or None, not {rng!r}; "
            "for example rng=0"
        )
    return int(rng)


def generator(seed: int) -> np.random.Generator:
    """Return a generator that starts from `seed`, as `draw_seed` returned it."""
    return np.random.default_rng(seed)
