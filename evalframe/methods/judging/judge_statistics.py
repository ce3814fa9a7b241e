"""The statistics of `agreement`: each an estimate, an error and limits, an entry a segment."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy

from evalframe.methods.judging.judged import FEW, Judged
from evalframe.methods.remarks import no_spread
from evalframe.results import Said
from evalframe.stats import proportions
from evalframe.stats.kappas import cohen_kappa, gwet_ac1
from evalframe.stats.means import student_quantile
from evalframe.stats.rating_numbers import limits_of_agreement, mean_difference, pearson, spearman
from evalframe.stats.rating_shares import leaning_p, share_of, wilson_limits
from evalframe.stats.ratings import Bools, Errors, Ratings, linear_errors
from evalframe.stats.segments import Floats

_FEW_DF = 4.0
# With fewer disagreements a symmetric interval of kappa or AC1 was seen to cover 0.88 for 0.95.
_FEW_ERRORS = 10
Found = dict[str, Any]


def _row(
    judged: Judged,
    estimate: Floats,
    errors: Errors,
    of: Bools,
    limits: tuple[Floats, Floats],
    said: list[Said],
    interval: Any,
) -> Found:
    """Return the columns that every statistic has; what is said of NaN comes first."""
    df = np.where(errors.clustered, errors.df, np.nan)
    one = errors.clustered & (errors.n_clusters == 1)
    advice = "; cluster=False takes items as independent" if judged.clusters == "cluster" else ""
    few = errors.clustered & ~one & ~np.isnan(limits[0]) & (errors.df < _FEW_DF)
    notes: list[Said] = [
        *said,
        (one, f"1 {judged.clusters}: no standard error{advice}"),
        (~errors.clustered & (errors.n == 1), "1 response: no standard error"),
        (
            few,
            lambda row: (
                f"{errors.df[row]:.1f} degrees of freedom from {errors.n_clusters[row]:,} "
                f"{judged.clusters}s: this interval is uncertain"
            ),
        ),
    ]
    return {
        "estimate": estimate,
        "se": np.where(np.isnan(estimate), np.nan, errors.se),
        "conf_low": limits[0],
        "conf_high": limits[1],
        "p_value": np.nan,
        "df": df,
        "n_items": judged.ratings.n_items(of),
        "n_responses": errors.n,
        "n_clusters": np.where(errors.clustered, errors.n_clusters, np.nan),
        "clustered": errors.clustered,
        "said": notes,
        "interval": interval,
    }


def _all(judged: Judged) -> Bools:
    return np.ones(len(judged.ratings.count), dtype=bool)


def _empty(judged: Judged) -> Said:
    return judged.ratings.n == 0, "no row has both ratings"


def _labels(judged: Judged) -> Said:
    """Say of which gold ratings there are few."""
    return np.array([text != "" for text in judged.few], dtype=bool), judged.few


def _share(judged: Judged, counted: Bools, of: Bools, said: list[Said], interval: str) -> Found:
    shares = share_of(judged.ratings, counted, of)
    low, high = wilson_limits(shares, judged.level)
    if interval == "clopper-pearson":
        exact = proportions.clopper_pearson(shares.yes, shares.errors.n, judged.level)
        plain = ~shares.errors.clustered
        low, high = np.where(plain, exact[0], low), np.where(plain, exact[1], high)
    used = np.where(shares.errors.clustered, "wilson", interval)
    row = _row(judged, shares.share, shares.errors, of, (low, high), said, used)
    # The error of a mean of zeros and ones, as `score` has it.
    row["se"] = np.where(np.isnan(shares.share), np.nan, shares.errors.sample_se)
    row["said"].append(no_spread(row["se"]))
    return row


def _accuracy(judged: Judged) -> Found:
    equal = judged.ratings.judge == judged.ratings.gold
    return _share(judged, equal, _all(judged), [_empty(judged)], "wilson")


def _rate(judged: Judged, given: str, value: bool) -> Found:
    """Share that is right among the rows with a positive (or another) rating by one of the two."""
    ratings = judged.ratings
    judge, gold = judged.is_positive(ratings.judge), judged.is_positive(ratings.gold)
    known = ~np.isnan(judged.positive)[ratings.segment]
    of = ((gold if given == "gold" else judge) == value) & known
    n = ratings.sum(of)
    which = "positive" if value else "negative"
    said: list[Said] = [
        _empty(judged),
        _unnamed(judged),
        (
            (n == 0) & ~np.isnan(judged.positive) & (ratings.n > 0),
            f"no {which} rating in {given}: 0 of 0",
        ),
        ((n > 0) & (n < FEW), lambda row: f"{int(n[row])} {which} in {given}: fewer than {FEW}"),
    ]
    return _share(judged, (judge == gold), of, said, "wilson")


def _unnamed(judged: Judged) -> Said:
    """Say where it is not known which rating is positive."""
    unknown = np.isnan(judged.positive) & (judged.ratings.n > 0)
    return (
        unknown,
        lambda row: (
            f"{judged.n_categories[row]:,} different ratings: say which is positive, positive=..."
        ),
    )


def _leaning(judged: Judged) -> Found:
    """Share of the errors in which the judge is above gold, with McNemar's exact p."""
    ratings = judged.ratings
    judge: Floats | Bools
    gold: Floats | Bools
    judge, gold = ratings.scores
    unknown = np.zeros(ratings.n_segments, dtype=bool)
    said = [_empty(judged)]
    if judged.named or not judged.ordered:
        judge, gold = judged.is_positive(ratings.judge), judged.is_positive(ratings.gold)
        unknown = np.isnan(judged.positive)
        said.append(_unnamed(judged))
    known = ~unknown[ratings.segment]
    above, below = (judge > gold) & known, (judge < gold) & known
    of = above | below
    shares = share_of(ratings, above, of)
    n = ratings.sum(of)
    said += [
        ((n == 0) & ~unknown & (ratings.n > 0), "no error: no direction"),
        ((n > 0) & (n < FEW), lambda row: f"errors: {int(n[row])}, fewer than {FEW}"),
    ]
    row = _share(judged, above, of, said, "clopper-pearson")
    p = leaning_p(ratings, above, below, shares)
    row["p_value"] = np.where(unknown | (ratings.n == 0), np.nan, p)
    return row


def _beyond_chance(judged: Judged, kind: str) -> Found:
    ratings = judged.ratings
    if kind == "ac1":
        estimate, influence = gwet_ac1(ratings, judged.n_categories)
    else:
        estimate, influence = cohen_kappa(ratings, kind)
    n = ratings.n
    one = [judged.constant(ratings.judge), judged.constant(ratings.gold)]
    undefined = np.isnan(estimate) & (n > 0)
    said: list[Said] = [
        _empty(judged),
        (undefined, "all ratings are alike: chance agreement is certain, so there is nothing over"),
    ]
    if kind != "ac1":
        for side, who in zip(one, ("the judge", "gold"), strict=True):
            text = f"{who} gives one rating only: kappa is 0 however well they agree"
            said.append((side & ~undefined, text))
    row = _symmetric(judged, estimate, influence, [*said, _labels(judged)])
    errors = n - ratings.sum(ratings.judge == ratings.gold)
    short = (errors < _FEW_ERRORS) & ~np.isnan(row["conf_low"])
    text = f"disagreements, under {_FEW_ERRORS}: the interval is short"
    row["said"].append((short, lambda at: f"{int(errors[at])} {text}"))
    return row


def _symmetric(
    judged: Judged, estimate: Floats, influence: Floats, said: list[Said], scale: str = ""
) -> Found:
    """Estimate -+ quantile times error: normal where rows are independent, else CR2 and t."""
    errors = linear_errors(np.nan_to_num(influence), judged.ratings)
    none = (errors.se == 0) & ~np.isnan(estimate)
    normal = proportions.normal_quantile(judged.level)
    quantile = np.where(errors.clustered, student_quantile(judged.level, errors.df), normal)
    margin = np.where(none | np.isnan(estimate), np.nan, quantile * errors.se)
    limits = estimate - margin, estimate + margin
    interval = np.where(errors.clustered, "cr2", "normal")
    if scale == "fisher-z":
        with np.errstate(invalid="ignore", divide="ignore"):
            centre, wide = np.arctanh(estimate), margin / (1.0 - estimate**2)
            limits = np.tanh(centre - wide), np.tanh(centre + wide)
        interval = np.full(len(estimate), scale)
    said.append((none, "standard error 0 is not certainty: no interval"))
    return _row(judged, estimate, errors, _all(judged), limits, said, interval)


def _bias(judged: Judged) -> Found:
    estimate, influence = mean_difference(judged.ratings)
    errors = linear_errors(influence, judged.ratings)
    se = errors.sample_se
    margin = student_quantile(judged.level, errors.df) * se
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(se > 0, np.abs(estimate / se), np.nan)
    said: list[Said] = [
        _empty(judged),
        no_spread(se),
        (judged.ratings.n > 0, judged.apart),
    ]
    limits, used = (estimate - margin, estimate + margin), np.where(errors.clustered, "cr2", "t")
    row = _row(judged, estimate, errors, _all(judged), limits, said, used)
    return {**row, "se": se, "df": errors.df, "p_value": _two_sided(t, errors.df)}


def _two_sided(t: Floats, df: Floats) -> Floats:
    return np.asarray(2.0 * scipy.special.stdtr(np.where(df > 0, df, np.nan), -t))


def _together(judged: Judged, of: Callable[[Ratings], tuple[Floats, Floats]]) -> Found:
    estimate, influence = of(judged.ratings)
    undefined = np.isnan(estimate) & (judged.ratings.n > 0)
    said: list[Said] = [_empty(judged)]
    sides = (judged.ratings.judge, "the judge"), (judged.ratings.gold, "gold")
    for level, who in sides:
        text = f"{who} gives one rating only: no correlation"
        said.append((undefined & judged.constant(level), text))
    return _symmetric(judged, estimate, influence, said, "fisher-z")


def _limit(judged: Judged, side: float) -> Found:
    estimate, influence = limits_of_agreement(judged.ratings, side)
    return _symmetric(judged, estimate, influence, [_empty(judged)])


STATISTICS: dict[str, Callable[[Judged], Found]] = {
    "accuracy": _accuracy,
    "kappa": partial(_beyond_chance, kind="nominal"),
    "kappa_linear": partial(_beyond_chance, kind="absolute"),
    "kappa_quadratic": partial(_beyond_chance, kind="squared"),
    "ac1": partial(_beyond_chance, kind="ac1"),
    "sensitivity": partial(_rate, given="gold", value=True),
    "specificity": partial(_rate, given="gold", value=False),
    "precision": partial(_rate, given="judge", value=True),
    "errors_above": _leaning,
    "bias": _bias,
    "pearson": partial(_together, of=pearson),
    "spearman": partial(_together, of=spearman),
    "loa_low": partial(_limit, side=-1.0),
    "loa_high": partial(_limit, side=1.0),
}
