"""64-bit numbers that stand for things: equal for equal ones, and else only by chance."""

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]


def scattered(values: Hashes) -> Hashes:
    """Scatter 64-bit integers, so that sums of them tell their parts apart (splitmix64 [1]_).

    References
    ----------
    .. [1] Steele, Lea and Flood (2014), Fast splittable pseudorandom number generators, OOPSLA,
       453-472, doi:10.1145/2660193.2660195.
    """
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(values ^ (values >> np.uint64(31)))
