"""How many labels it takes beside a judge for an estimate of a given error."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from evalframe.stats.segments import Floats

# A size this close above a target is the target, moved by rounding.
_ROUNDING = 1e-12
# With fewer labels there is no degree of freedom.
LEAST = 3


@dataclass(frozen=True, slots=True)
class Scene:
    """What a plan of labels rests on, an entry a plan.

    Attributes
    ----------
    n_items : (S,) float64
        Items with a score of the judge.
    sd_gold, sd_judge, correlation : (S,) float64
        Of labels, of the judge, and of both on one item.
    icc_rest, icc_judge : (S,) float64
        Intraclass correlation of a cluster's items in what the judge leaves open, and in the judge.
    cluster_size : (S,) float64
        Items of a cluster; 1 where items are independent.
    clip : bool
        Whether the weight of the judge is kept between 0 and 1.
    repeats : (S,) float64
        Share of labelled items whose (judge, label) another one has; 1, the default, where scores
        are few values.
    """

    n_items: Floats
    sd_gold: Floats
    sd_judge: Floats
    correlation: Floats
    icc_rest: Floats
    icc_judge: Floats
    cluster_size: Floats
    clip: bool = False
    repeats: Floats | float = 1.0

    @property
    def slope(self) -> Floats:
        """Slope of labels on the judge; 0 where the judge does not vary."""
        varies = self.sd_judge > 0
        scale = np.where(varies, self.sd_judge, 1.0)
        return np.where(varies, self.correlation * self.sd_gold / scale, 0.0)

    def lam(self, n: Floats) -> Floats:
        """Return the weight of the judge with n labels."""
        best = self.slope * (1.0 - n / self.n_items)
        return np.clip(best, 0.0, 1.0) if self.clip else best

    def units(self, n: Floats) -> Floats:
        """Return in how many clusters (or items) n labels lie that are spread over all of them."""
        return np.minimum(self.n_items / self.cluster_size, n)

    def without_judge(self) -> "Scene":
        """Return the same with a judge that says nothing."""
        shared = self.correlation**2
        icc = shared * self.icc_judge + (1.0 - shared) * self.icc_rest
        return replace(self, correlation=np.zeros_like(self.correlation), icc_rest=icc, repeats=0.0)

    def error(self, n: Floats) -> Floats:
        r"""Return the standard error of a mean with n labels, which lie in all clusters alike.

        Parameters
        ----------
        n : (S,) float64
            Labels, up to `n_items`.

        Returns
        -------
        (S,) float64

        Notes
        -----
        With T items, G clusters of m items and the weight that is best,

        .. math:: \mathrm{se}^2 = \sigma_y^2 (1 - \rho^2)
            \Big(\frac{\rho_e}{\min(G, n)} + \frac{1 - \rho_e}{n}\Big)
            + \sigma_y^2 \rho^2 \frac{1 + (m - 1) \rho_f}{T} ,

        with :math:`\rho_e` and :math:`\rho_f` the intraclass correlations; with independent items
        the first bracket is 1/n [1]_. With all items labelled it is the error of the labels' mean.

        References
        ----------
        .. [1] Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient prediction-powered inference,
           arXiv:2311.01453.
        """
        others = self.n_items - n
        weight = np.where(others > 0, self.lam(n), 0.0)
        rest = self._rest(n)
        parts = weight**2 / np.where(others > 0, others, 1.0) + (self.slope - weight) ** 2 / n
        shared = 1.0 + (self.cluster_size - 1.0) * self.icc_judge
        squared: Floats = rest + self.sd_judge**2 * parts * shared
        return np.sqrt(squared)

    def _rest(self, n: Floats) -> Floats:
        """Return the squared error of what the judge leaves open."""
        rest = self.sd_gold**2 * (1.0 - self.correlation**2)
        return np.asarray(rest * (self.icc_rest / self.units(n) + (1.0 - self.icc_rest) / n))

    def limits_error(self, n: Floats) -> Floats:
        r"""Return the error that limits are made of: `error` and what few labels add to it.

        Parameters
        ----------
        n : (S,) float64
            Labels, up to `n_items`.

        Returns
        -------
        (S,) float64
            Infinite where no degree of freedom is left.

        Notes
        -----
        The squared error of `predicted` has :math:`(V_e (1 + z^2 r) + 2 t V_y) / df` more, with df
        the labelled units less 2; here z^2 is its expectation 1, V_y the squared error of n labels
        without a judge, and r the share of items without a label.
        """
        judged = (self.n_items > n) & (self.slope != 0)
        free = self.units(n) - 2.0
        labels = self.without_judge()._rest(n)
        more = self._rest(n) * (2.0 - n / self.n_items) + 2.0 * self.repeats * labels
        with np.errstate(divide="ignore", invalid="ignore"):
            few = np.where(free > 0, more / free, np.inf)
        return np.sqrt(self.error(n) ** 2 + np.where(judged, few, 0.0))


def labels_needed(size: Callable[[Floats], Floats], target: float, most: Floats) -> Floats:
    """Return the fewest labels with which a size that falls with them is at most a target.

    Parameters
    ----------
    size : callable
        Of (S,) numbers of labels.
    target : float
    most : (S,) float64
        How many labels there can be.

    Returns
    -------
    (S,) float64
        Whole numbers of at least 3; NaN where even `most` labels do not do.

    Examples
    --------
    >>> labels_needed(lambda n: 0.5 / np.sqrt(n), 0.05, np.array([2000.0, 60.0]))
    array([100.,  nan])
    """
    low = np.full(len(most), LEAST - 1.0)
    high = np.maximum(np.floor(np.nan_to_num(most)), LEAST)
    done = size(high) <= target * (1 + _ROUNDING)
    possible = done & (most >= LEAST)
    while (high - low > 1).any():
        middle = np.maximum(np.floor((low + high) / 2), LEAST)
        done = size(middle) <= target * (1 + _ROUNDING)
        open_still = high - low > 1
        high = np.where(open_still & done, middle, high)
        low = np.where(open_still & ~done, middle, low)
    return np.where(possible, high, np.nan)
