"""Agreement of two raters beyond chance: Cohen's kappa, plain and weighted, and Gwet's AC1."""

import numpy as np

from evalframe.stats.levels import between
from evalframe.stats.ratings import Bools, Ratings
from evalframe.stats.segments import Floats, Ints


def cohen_kappa(ratings: Ratings, distance: str = "nominal") -> tuple[Floats, Floats]:
    r"""Cohen's kappa of each segment, and its influence function.

    Parameters
    ----------
    ratings : Ratings
    distance : {"nominal", "absolute", "squared"}
        What a disagreement counts: 1, the distance of the two ratings (linear weights) or its
        square (quadratic weights). Distances are those of the ratings themselves, not of their
        ranks: 2 and 5 are 3 apart whether or not somebody gave a 3.

    Returns
    -------
    kappa : (S,) float64
        At most 1; 0 where one rater gives one rating only. NaN where both give the same one only.
    influence : (T,) float64
        For `linear_errors`, which makes of it the error of [2]_ where rows are independent.

    Notes
    -----
    With :math:`p_{ij}` the shares of pairs and :math:`d_{ij}` the distances [1]_,

    .. math:: \kappa = 1 - \frac{\sum_{ij} d_{ij} p_{ij}}{\sum_{ij} d_{ij} p_{i.} p_{.j}}
        = 1 - D_o / D_e ,

    and with :math:`u_i = \sum_j d_{ij} p_{.j}` and :math:`v_j = \sum_i d_{ij} p_{i.}` the influence
    of a row rated i and j is

    .. math:: \psi_{ij} = -\frac{d_{ij} - D_o}{D_e} + \frac{D_o}{D_e^2} (u_i + v_j - 2 D_e) .

    References
    ----------
    .. [1] Cohen (1968), Weighted kappa, Psychological Bulletin 70(4), 213-220.
    .. [2] Fleiss, Cohen and Everitt (1969), Large sample standard errors of kappa and weighted
       kappa, Psychological Bulletin 72(5), 323-327.
    """
    n, judge, gold = ratings.n, ratings.at(ratings.judge), ratings.at(ratings.gold)
    far = between(*ratings.scores, distance)
    to_gold = ratings.levels.mean_distance(gold, distance)
    to_judge = ratings.levels.mean_distance(judge, distance)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed, chance = ratings.sum(far) / n, ratings.levels.sum(judge * to_gold) / n**2
        chance = np.where(chance > 0, chance, np.nan)
        # One rater who gives one rating only agrees as much as by chance, exactly.
        constant = _constant(ratings, judge) | _constant(ratings, gold)
        ratio = np.where(constant & ~np.isnan(chance), 1.0, observed / chance)
        at = ratings.segment
        either = (to_gold[ratings.judge] + to_judge[ratings.gold]) / n[at]
        influence = ratio[at] * (either / chance[at] - 2.0) - (far - observed[at]) / chance[at]
    return 1.0 - ratio, np.where(constant[at], 0.0, influence)


def gwet_ac1(ratings: Ratings, n_categories: Ints | None = None) -> tuple[Floats, Floats]:
    r"""Gwet's AC1 of each segment, and its influence function.

    Kappa is low where nearly all ratings are alike, however well raters agree; AC1 is not.

    Parameters
    ----------
    ratings : Ratings
    n_categories : (S,) int64, optional
        How many ratings there are to give. Default: those that occur.

    Returns
    -------
    ac1 : (S,) float64
        NaN where there is one rating only.
    influence : (T,) float64
        For `linear_errors`, which makes of it the error of [1]_ where rows are independent.

    Notes
    -----
    With :math:`p_a` the share of rows that agree, :math:`\pi_k` the mean share of rating k over the
    two raters and q the number of ratings [1]_,

    .. math:: \gamma = \frac{p_a - p_e}{1 - p_e}, \qquad
        p_e = \frac{1}{q - 1} \sum_k \pi_k (1 - \pi_k) .

    References
    ----------
    .. [1] Gwet (2008), Computing inter-rater reliability and its variance in the presence of high
       agreement, British J. Mathematical and Statistical Psychology 61(1), 29-48.
    """
    levels, at = ratings.levels, ratings.segment
    n, q = ratings.n, levels.size if n_categories is None else n_categories
    agree = (ratings.judge == ratings.gold).astype(np.float64)
    both = ratings.at(ratings.judge) + ratings.at(ratings.gold)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = both / (2.0 * n[levels.segment])
        others = np.where(q > 1, q - 1.0, np.nan)
        agreed = ratings.sum(agree) / n
        chance = levels.sum(share * (1.0 - share)) / others
        slope = 1.0 - 2.0 * share
        pull = (slope[ratings.judge] + slope[ratings.gold]) / 2.0 - levels.sum(share * slope)[at]
        missed = (1.0 - agreed) / (1.0 - chance)
        influence = (agree - agreed[at] - (missed / others)[at] * pull) / (1.0 - chance[at])
    return 1.0 - missed, influence


def _constant(ratings: Ratings, count: Ints) -> Bools:
    """Return the segments in which a rater gives one rating only."""
    used = np.bincount(ratings.levels.segment[count > 0], minlength=ratings.n_segments)
    return np.asarray(used == 1)
