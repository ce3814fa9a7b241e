"""The mean of human labels, from few of them and a judge's scores of all items."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from evalframe import results
from evalframe.arms import select_arms
from evalframe.errors import short
from evalframe.methods.arguments import by_columns, check_choice, check_flag, is_finite
from evalframe.methods.judging.debias_notes import notes
from evalframe.methods.judging.labelled_gaps import gaps
from evalframe.methods.judging.labelled_items import (
    MISSING,
    LabelledItems,
    check_columns,
    labelled_arms,
    labelled_pairs,
)
from evalframe.methods.rows import assemble
from evalframe.pairing import check_prompts
from evalframe.roles import metric_name
from evalframe.runs import Runs, select
from evalframe.stats.floor import critical
from evalframe.stats.means import student_quantile
from evalframe.stats.prediction import Predicted, predicted
from evalframe.stats.proportions import normal_quantile

INTERVALS = ("t", "normal")

OWN_LAMBDA = "lambda and correlation are of each arm by itself: leave baseline out to see them"


def debias(
    frame: pd.DataFrame,
    baseline: object = None,
    *,
    judge: str,
    gold: str,
    by: str | Sequence[str] | None = None,
    strata: str | None = None,
    paired: bool = True,
    cluster: bool = True,
    level: float = 0.95,
    interval: str = "t",
    lam: float | None = None,
    clip: bool = False,
    missing: str = "raise",
) -> pd.DataFrame:
    r"""Mean human label of each arm (or difference of arms), from a judge of all items.

    A judge that scores every item is cheap and wrong; labels are right and few. Prediction-powered
    inference takes the judge's mean and corrects it by how it errs on the labelled items. The
    result has no bias however bad the judge is, and a smaller error the better it is. Which items
    have a label must be chance.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs.
    baseline : label, optional
        The arm that the others are compared with. Default: each arm by itself.
    judge : str
        The column of the judge's scores, on any scale.
    gold : str
        The column of labels, missing where there is none.
    by : str or sequence of str, optional
        Columns whose groups are taken apart.
    strata : str, optional
        Column within whose groups labels were drawn by chance, at rates of their own. The strata's
        shares of all items weigh them.
    paired : bool, default True
        With `baseline`: True takes differences on items, and uses the labels of items that are
        labelled in both arms. False debiases each arm by itself, with all of its labels.
    cluster : bool, default True
        Whether to use ``cluster_id`` where the frame has it.
    level : float, default 0.95
        Confidence level.
    interval : {"t", "normal"}
        "t" is honest with 15 labels; "normal" is the paper's, which takes lambda as known.
    lam : float, optional
        The weight of the judge. Default: the one with the smallest variance.
    clip : bool, default False
        Whether lambda is kept between 0 and 1, as if the judge were on the scale of the labels.
    missing : {"raise", "drop"}
        "raise" refuses rows without a judge's score (and unpaired keys), "drop" leaves them out.

    Returns
    -------
    DataFrame
        One row an arm (and group):

        - estimate, se : of the labels that all items would have; NaN where labels are all alike
        - conf_low, conf_high : estimate -+ quantile * inflation * se
        - estimate_judge : the judge's mean over all items, as it is
        - estimate_gold, se_gold : the labels alone
        - bias : the judge's mean less that of the labels, over labelled items
        - lambda, correlation : weight of the judge; judge and label over labelled items
        - gain, n_effective : squared ratio of `se_gold` to `se`; times the labels, the number of
          labels that would do as well without a judge
        - inflation : what few labels add to `se`; 1 for "normal"
        - n_items, n_labelled, n_unlabelled, n_dropped
        - n_conflicts : labelled items whose runs have differing labels, of which the mean is taken
        - n_strata : missing where there are none
        - n_clusters : clusters of all items, those of both arms counted once; missing where items
          are independent
        - df : labelled items (clusters with one) less 1 a stratum, less 1 for an estimated lambda
        - level, interval, clip, paired, clustered, note

    Raises
    ------
    RoleError, FrameError
        If a column is missing or not of numbers, a judge's score is missing, or an item has two
        strata.
    DesignError
        If arms are not paired.
    ValueError
        If an argument is not one of its choices.

    See Also
    --------
    label_plan : How many labels it takes.
    agreement : How well the judge agrees with the labels.

    Notes
    -----
    Items are units: the judge's scores are averaged over an item's runs, and an item has one label,
    the mean of those of its runs. A run without one does not make an item unlabelled. With f the
    judge, y the label, n labelled items L and N others U [1]_,

    .. math:: \lambda \bar f_U + \overline{(y - \lambda f)}_L, \quad
        \lambda = \frac{\mathrm{cov}_L(y, f)}{\mathrm{var}_L(f)} \frac{N}{n + N} .

    `se` is the paper's, or cluster-robust. At 15 labels it is too small: lambda is estimated from
    them, and where the judge is right on all 15 it seems to be right always. The inflation adds
    what least squares costs and the price of two more labels on which the judge says nothing.

    References
    ----------
    .. [1] Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient prediction-powered inference,
       arXiv:2311.01453.

    Examples
    --------
    >>> runs = pd.DataFrame({
    ...     "item_id": range(12),
    ...     "judge": [0.9, 0.2, 0.8, 0.4, 0.7, 0.1, 0.8, 0.9, 0.6, 0.3, 0.9, 0.7],
    ...     "gold": [1, 0, 1, 1, 0, 0] + [None] * 6,
    ... })
    >>> found = debias(runs, judge="judge", gold="gold")
    >>> found[["estimate", "se", "estimate_gold", "lambda"]].round(3)
       estimate     se  estimate_gold  lambda
    0     0.592  0.196            0.5   0.502
    """
    _check(level, interval, missing, lam, cluster=cluster, paired=paired, clip=clip)
    columns, groups = check_columns(frame, judge, gold), by_columns(by, "debias")
    runs = select(frame, columns, by=groups, cluster=cluster, prompts=baseline is not None)
    arms = None if baseline is None else select_arms(runs.arms, baseline)
    if arms is not None and paired:
        check_prompts(runs)
        items = labelled_pairs(runs, columns, arms, strata, missing)
    else:
        items = labelled_arms(runs, columns, strata, missing)
    found = _predict(items, lam, clip)
    if arms is not None and not paired:
        items, found = gaps(runs, items, found, arms)
    part = _columns(runs, items, found, level, interval, strata is not None)
    part |= {"metric": metric_name(columns[1]), "clip": clip, "paired": paired and arms is not None}
    if arms is not None and not paired:
        part["note"] = results.also(part["note"], OWN_LAMBDA, found.n > 0)
    provenance = {
        "judge": judge,
        "gold": gold,
        "baseline": baseline,
        "by": groups,
        "strata": strata,
        "paired": paired,
        "cluster": cluster,
        "level": level,
        "interval": interval,
        "lam": lam,
        "clip": clip,
        "missing": missing,
    }
    return assemble("debias", runs.by, runs.arms, arms, [part], items.shown, provenance)


def _check(
    level: float,
    interval: str,
    missing: str,
    lam: float | None,
    *,
    cluster: bool,
    paired: bool,
    clip: bool,
) -> None:
    critical(level)
    check_choice("interval", interval, INTERVALS)
    check_choice("missing", missing, MISSING)
    check_flag("cluster", cluster)
    check_flag("paired", paired)
    if not isinstance(clip, bool):
        raise ValueError(f"clip must be True or False, not {short(clip)}")
    if lam is not None and not is_finite(lam):
        raise ValueError(f"lam must be a number, the weight of the judge, not {short(lam)}")
    if lam is not None and clip:
        raise ValueError(f"clip keeps an estimated lambda between 0 and 1, found lam={lam!r} too")


def _predict(items: LabelledItems, lam: float | None, clip: bool) -> Predicted:
    known = items.judge
    return predicted(
        known.value,
        items.gold,
        known.segment,
        known.n_segments,
        cluster=known.cluster,
        stratum=items.stratum,
        lam=lam,
        clip=clip,
    )


def _columns(
    runs: Runs,
    items: LabelledItems,
    found: Predicted,
    level: float,
    interval: str,
    stratified: bool,
) -> dict[str, Any]:
    """Return the columns of the result, an entry a segment."""
    with np.errstate(invalid="ignore", divide="ignore"):
        inflation = np.sqrt(1.0 + found.extra / found.se**2)
        gain = np.where(found.se > 0, (found.gold_se / found.se) ** 2, np.nan)
    half = student_quantile(level, found.df) * np.sqrt(found.se**2 + found.extra)
    df = found.df
    if interval == "normal":
        half, df = normal_quantile(level) * found.se, np.full(len(df), np.nan)
        inflation = np.ones(len(df))
    clustered = runs.unit_cluster is not None
    return {
        "estimate": found.estimate,
        "se": found.se,
        "conf_low": found.estimate - half,
        "conf_high": found.estimate + half,
        "estimate_judge": found.judge,
        "estimate_gold": found.gold,
        "se_gold": found.gold_se,
        "bias": found.bias,
        "lambda": found.lam,
        "correlation": found.correlation,
        "gain": gain,
        "inflation": np.where(np.isfinite(inflation), inflation, np.nan),
        "n_items": found.n,
        "n_labelled": found.n_labelled,
        "n_unlabelled": found.n - found.n_labelled,
        "n_effective": found.n_labelled * gain,
        "n_dropped": items.n_dropped,
        "n_conflicts": items.n_conflicts,
        "n_strata": found.n_strata if stratified else np.nan,
        "n_clusters": found.n_clusters if clustered else np.nan,
        "df": df,
        "level": level,
        "interval": interval,
        "clustered": clustered,
        "note": results.notes(len(df), notes(items, found, clustered, interval)),
    }
