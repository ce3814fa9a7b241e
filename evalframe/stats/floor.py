"""The noise floor: how far two runs of the same arm differ.

It comes from comparing an arm with a rerun of itself under the same settings. A difference between
arms means little unless it stands clear of it.
"""

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray


def critical(level: float) -> float:
    """Two-sided normal critical value of a confidence level.

    Parameters
    ----------
    level : float
        Between 0 and 1, both excluded.

    Returns
    -------
    float
        1.96 at level 0.95, as the specification has it; the exact quantile at any other.

    Raises
    ------
    ValueError
        If `level` does not lie between 0 and 1.

    Examples
    --------
    >>> critical(0.95), round(critical(0.9), 4)
    (1.96, 1.6449)
    """
    if not isinstance(level, int | float | np.floating) or not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level!r}; for 95% type level=0.95")
    if level == 0.95:
        return 1.96
    return float(scipy.special.ndtri((1.0 + level) / 2.0))


def exceeds(
    diff: ArrayLike,
    conf_low: ArrayLike,
    conf_high: ArrayLike,
    floor_diff: ArrayLike,
    floor_se: ArrayLike,
    z: ArrayLike,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    r"""Hold differences against the noise floor.

    Parameters
    ----------
    diff, conf_low, conf_high : array_like
        Differences between arms and their confidence limits.
    floor_diff, floor_se : array_like
        Difference between two runs of one arm, and its standard error, in the units of `diff`.
    z : array_like
        How many standard errors the floor is widened by, from `critical`. All arguments broadcast.

    Returns
    -------
    threshold : float64 array
        :math:`|\text{floor diff}| + z \cdot \text{floor se}`. NaN where the floor is not known.
    exceeds : bool array
        Whether the interval excludes 0 and ``|diff|`` is above the threshold. NaN anywhere gives
        False.

    Examples
    --------
    >>> threshold, above = exceeds([-50.0, 0.125], [-50.0, -0.12], [-50.0, 0.37], 0.0, 0.0, 1.96)
    >>> threshold.tolist(), above.tolist()
    ([0.0, 0.0], [True, False])
    """
    size = np.abs(np.asarray(diff, dtype=np.float64))
    low = np.asarray(conf_low, dtype=np.float64)
    high = np.asarray(conf_high, dtype=np.float64)
    spread = np.asarray(z, dtype=np.float64) * np.asarray(floor_se, dtype=np.float64)
    threshold = np.abs(np.asarray(floor_diff, dtype=np.float64)) + spread
    known = ~(np.isnan(low) | np.isnan(high))
    # A comparison with NaN is False, so an unknown difference or threshold needs no further check.
    above = known & ((low > 0) | (high < 0)) & (size > threshold)
    return np.broadcast_to(threshold, above.shape).copy(), np.asarray(above, dtype=np.bool_)
