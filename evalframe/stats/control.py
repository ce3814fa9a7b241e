"""A mean sharpened by another one that is known: a control variate."""

from dataclasses import dataclass, replace

import numpy as np

from evalframe.stats.means import Means, segment_means
from evalframe.stats.segments import Floats, Ints, totals


@dataclass(frozen=True, slots=True)
class Controlled:
    """Means with and without the control, an entry a segment.

    Attributes
    ----------
    raw, adjusted, control : Means
        Of y, of y - theta (z - mu), and of z.
    theta, correlation : (S,) float64
        Slope of y on z, NaN where z does not vary and no slope was given.
    """

    raw: Means
    adjusted: Means
    control: Means
    theta: Floats
    correlation: Floats


def control(
    y: Floats,
    z: Floats,
    segment: Ints,
    n_segments: int,
    mean: float,
    cluster: Ints | None = None,
    theta: float | None = None,
) -> Controlled:
    r"""Adjust the means of y for how far the mean of z in the sample is from the one that is known.

    Parameters
    ----------
    y, z : (n,) float64
        Paired values. No NaN.
    segment : (n,) int64
    n_segments : int
    mean : float
        The mean of z over all items there are.
    cluster : (n,) int64, optional
    theta : float, optional
        Slope. Default: that of least squares, cov(y, z) / var(z).

    Returns
    -------
    Controlled

    Notes
    -----
    :math:`\bar y - \theta (\bar z - \mu)`, with the standard error of the mean of
    :math:`y - \theta z` (cluster-robust with clusters) [1]_.

    References
    ----------
    .. [1] Glasserman (2003), Monte Carlo Methods in Financial Engineering, section 4.1.

    Examples
    --------
    >>> y, z = np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0])
    >>> control(y, z, np.zeros(3, dtype=np.int64), 1, 2.5).adjusted.mean.round(4)
    array([3.0833])
    """
    of_y = segment_means(y, segment, n_segments, cluster)
    of_z = segment_means(z, segment, n_segments, cluster)
    from_y, from_z = y - of_y.mean[segment], z - of_z.mean[segment]
    # Equal values leave residuals of rounding where their mean is not exact; the error is then 0.
    varies = segment_means(z, segment, n_segments).se > 0
    both = totals(from_y * from_z, segment, n_segments)
    of_both = totals(from_z**2, segment, n_segments), totals(from_y**2, segment, n_segments)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.where(varies, both / of_both[0], np.nan)
        size = np.sqrt(of_both[0]) * np.sqrt(of_both[1])
        alike = np.where(varies & (of_both[1] > 0), both / size, np.nan)
    if theta is not None:
        slope = np.full(n_segments, theta)
    used = slope[segment]
    known = ~np.isnan(used)
    size = np.zeros(n_segments)
    np.maximum.at(size, segment, np.nan_to_num(np.maximum(np.abs(y), np.abs(used * z))))
    values = np.where(known, y - used * (z - mean), 0.0)
    found = segment_means(values, segment, n_segments, cluster, size)
    unknown = np.isnan(slope)
    adjusted = replace(
        found,
        mean=np.where(unknown, np.nan, found.mean),
        se=np.where(unknown, np.nan, found.se),
    )
    return Controlled(of_y, adjusted, of_z, slope, alike)
