"""Statistics of judgements between two answers: by which stood first, and which is longer."""

from typing import Any

import numpy as np
import scipy

from evalframe.methods.judging.showings import Showings, both_orders, unbalanced
from evalframe.methods.remarks import no_spread
from evalframe.results import Said
from evalframe.stats import proportions
from evalframe.stats.games import LOST, WON
from evalframe.stats.logistic import logit_fit
from evalframe.stats.means import student_quantile
from evalframe.stats.rating_shares import leaning_p, share_of, wilson_limits
from evalframe.stats.ratings import Bools, Errors, Ratings, collect, linear_errors
from evalframe.stats.segments import Floats, Ints, stable_order

_FEW = 5
Found = dict[str, Any]


def _collected(showings: Showings, rows: Ints, one: Floats | Ints, other: Floats | Ints) -> Ratings:
    """Count rows by two codes each."""
    games = showings.games
    cluster = rows if games.cluster is None else games.cluster[rows]
    _, cluster = np.unique(cluster, return_inverse=True)
    home, cluster = games.group[rows], cluster.ravel()
    codes = one.astype(np.float64), other.astype(np.float64)
    return collect(*codes, np.arange(len(rows)), cluster, home, len(games.by))


def order_statistics(showings: Showings, level: float) -> dict[str, Found]:
    """Return what tells whether the first answer is preferred, an entry a group."""
    games = showings.games
    known = np.flatnonzero(games.outcome >= 0)
    alone = _collected(showings, known, games.outcome[known], games.outcome[known])
    end = alone.scores[0]
    tilted = unbalanced(showings)
    text = "arms do not stand first equally often: the share is theirs too"
    first = _lean(alone, end == WON, end == LOST, level, "decided judgement", [(tilted, text)])
    one, other, home = both_orders(showings)
    pairs = _collected(showings, one, games.outcome[one], games.outcome[other])
    here, there = pairs.scores
    every = np.ones(len(here), dtype=bool)
    firsts, seconds = (here == WON) & (there == WON), (here == LOST) & (there == LOST)
    n_repeats = np.bincount(home, minlength=len(games.by))
    said: list[Said] = [
        (
            np.full(len(n_repeats), showings.pair is None),
            "no column 'item_id': it is not known what was judged in both orders",
        ),
        (
            n_repeats > 0,
            lambda row: (
                f"{n_repeats[row]:,} judgements repeat others in one order and are left out: "
                "number them in a column 'seed'"
            ),
        ),
    ]
    name = "pair judged in both orders"
    return {
        "first_wins": first,
        "consistency": _share(pairs, here == LOST - there, every, level, name, said),
        "first_both": _share(pairs, firsts, every, level, name, said),
        "second_both": _share(pairs, seconds, every, level, name, said),
        "flips_to_first": _lean(pairs, firsts, seconds, level, "pair that the order decided", said),
    }


def _share(
    ratings: Ratings,
    counted: Bools,
    of: Bools,
    level: float,
    name: str,
    said: list[Said],
    interval: str = "wilson",
) -> Found:
    shares = share_of(ratings, counted, of)
    low, high = wilson_limits(shares, level)
    errors = shares.errors
    if interval == "clopper-pearson":
        exact = proportions.clopper_pearson(shares.yes, errors.n, level)
        low, high = (
            np.where(errors.clustered, w, e) for w, e in zip((low, high), exact, strict=True)
        )
    used = np.where(errors.clustered, "wilson", interval)
    return _row(shares.share, errors, errors.sample_se, (low, high), name, said) | {
        "interval": used
    }


def _lean(
    ratings: Ratings, up: Bools, down: Bools, level: float, name: str, said: list[Said]
) -> Found:
    """Share of one side among two, and whether it is 1/2."""
    of = up | down
    row = _share(ratings, up, of, level, name, said, "clopper-pearson")
    p = leaning_p(ratings, up, down, share_of(ratings, up, of))
    return row | {"p_value": np.where(row["n_games"] > 0, p, np.nan)}


def _row(
    estimate: Floats,
    errors: Errors,
    se: Floats,
    limits: tuple[Floats, Floats],
    name: str,
    said: list[Said],
) -> Found:
    n = errors.n
    one = errors.clustered & (errors.n_clusters == 1)
    notes: list[Said] = [
        (n == 0, f"no {name}"),
        (one, "1 cluster: no standard error"),
        (~errors.clustered & (n == 1), f"1 {name}: no standard error"),
        ((n > 1) & (n < _FEW), lambda row: f"fewer than {_FEW}: {n[row]}"),
        *said,
    ]
    return {
        "estimate": estimate,
        "se": np.where(np.isnan(estimate), np.nan, se),
        "conf_low": limits[0],
        "conf_high": limits[1],
        "p_value": np.full(len(n), np.nan),
        "n_games": n,
        "n_clusters": np.where(errors.clustered, errors.n_clusters, np.nan),
        "df": np.where(errors.clustered, errors.df, np.nan),
        "clustered": errors.clustered,
        "said": notes,
    }


def length_statistics(showings: Showings, level: float) -> dict[str, Found]:
    """Return what tells whether the longer answer is preferred, an entry a group."""
    games, gold = showings.games, showings.gold
    known = np.flatnonzero((games.outcome >= 0) & (np.abs(showings.longer) > 0))
    end, sign = games.outcome[known], np.sign(showings.longer[known])
    # What the longer answer got: 1, 1/2 or 0.
    got = np.where(sign > 0, LOST - end, end) / LOST
    label = np.full(len(known), -1.0) if gold is None else _of_longer(gold[known], sign)
    ratings = _collected(showings, known, 2 * got, 2 * label)
    mine, theirs = (score / 2.0 for score in ratings.scores)
    name = "decided judgement of answers of different lengths"
    found = {"longer_wins": _lean(ratings, mine == 1, mine == 0, level, name, [])}
    if gold is not None:
        found["longer_excess"] = _excess(ratings, mine, theirs, level)
    found["length_slope"] = _slopes(showings, level)
    return found


def _of_longer(label: Ints, sign: Floats) -> Floats:
    """Return what the longer answer gets by the gold label; -1 where there is none."""
    got = np.where(sign > 0, LOST - label, label) / LOST
    return np.where(label < 0, -1.0, got)


def _excess(ratings: Ratings, mine: Floats, theirs: Floats, level: float) -> Found:
    of = theirs >= 0
    n, apart = ratings.sum(of), np.where(of, mine - theirs, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = ratings.sum(apart) / n
    errors = linear_errors(np.where(of, apart - mean[ratings.segment], 0.0), ratings, of)
    se = errors.sample_se
    margin = student_quantile(level, errors.df) * se
    said: list[Said] = [no_spread(se)]
    name = "judgement of different lengths with a gold label"
    row = _row(mean, errors, se, (mean - margin, mean + margin), name, said)
    used = np.where(errors.clustered, "cr2", "t")
    return row | {"df": errors.df, "p_value": _two_sided(mean, se, errors.df), "interval": used}


def _two_sided(estimate: Floats, se: Floats, df: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(se > 0, np.abs(estimate / se), np.nan)
    return np.asarray(2.0 * scipy.special.stdtr(np.where(df > 0, df, np.nan), -t))


def _slopes(showings: Showings, level: float) -> Found:
    """Fit the slope of each group."""
    games, gold = showings.games, showings.gold
    known = np.isin(games.outcome, (WON, LOST)) & ~np.isnan(showings.longer)
    known &= True if gold is None else gold >= 0
    rows, n_groups = np.flatnonzero(known), len(games.by)
    rows = rows[stable_order(games.group[rows], n_groups)]
    columns: list[Floats] = [np.ones(len(rows)), showings.longer[rows]]
    if gold is not None:
        columns.append((1 - gold[rows]).astype(np.float64))
    design, won = np.column_stack(columns), (games.outcome[rows] == WON).astype(np.float64)
    n = np.bincount(games.group[rows], minlength=n_groups)
    slope, se, size = np.full((3, n_groups), np.nan)
    ends = np.cumsum(n)
    for group in np.flatnonzero(n):
        here = slice(ends[group] - n[group], ends[group])
        cluster = None if games.cluster is None else games.cluster[rows[here]]
        fit = logit_fit(design[here], won[here], cluster)
        slope[group], se[group], size[group] = fit.coefficient[1], fit.se[1], fit.n_clusters
    df = np.where(size > 1, size - 1.0, np.nan)
    clustered = size < n
    margin = student_quantile(level, df) * se
    errors = Errors(se, df, n, np.nan_to_num(size).astype(np.int64), clustered)
    none = np.isnan(slope) & (n > 0)
    said: list[Said] = [(none, "lengths (and gold) separate wins from losses, or do not differ")]
    row = _row(slope, errors, se, (slope - margin, slope + margin), "decided judgement", said)
    return row | {"df": df, "p_value": _two_sided(slope, se, df), "interval": np.full(len(n), "t")}
