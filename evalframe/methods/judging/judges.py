"""How well does a model judge agree with human labels? Statistics of two ratings a row."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from evalframe import results
from evalframe.errors import FrameError, RoleError
from evalframe.methods.arguments import by_columns, check_flag, chosen
from evalframe.methods.judging.judge_statistics import STATISTICS
from evalframe.methods.judging.judged import Judged, few_labels, positive_rating, suits
from evalframe.methods.judging.rating_columns import (
    RatingColumns,
    read_ratings,
    scales_apart,
    scales_refusal,
)
from evalframe.runs import Runs, select
from evalframe.stats.floor import critical
from evalframe.stats.ratings import Bools, collect

# They need numbers, but no common scale.
_NUMBERS_ONLY = ("bias", "pearson", "spearman", "loa_low", "loa_high")


def agreement(
    frame: pd.DataFrame,
    *,
    judge: str,
    gold: str,
    statistic: str | Sequence[str] | None = None,
    by: str | Sequence[str] | None = None,
    positive: object = None,
    categories: Sequence[object] | None = None,
    cluster: bool = True,
    level: float = 0.95,
) -> pd.DataFrame:
    r"""How well a judge's ratings agree with gold labels, on the rows that have both.

    Each rated response weighs alike, whatever its arm; responses to one item depend on each other,
    and so do those to items of one cluster: every error and interval reckons with that.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs with the two columns. Gold labels may be missing in most rows.
    judge, gold : str
        Columns of ratings on one scale: numbers, booleans, or labels.
    statistic : str or sequence of str, optional
        Which of the statistics below, in this order. None: those that suit the ratings of the
        group, see Notes.
    by : str or sequence of str, optional
        Columns whose groups are taken apart; "arm" gives each arm rows of its own.
    positive : label, optional
        The rating that sensitivity, specificity and precision are about, against all others.
        Default: 1 of 0 and 1, else the higher of two.
    categories : sequence, optional
        All ratings of the scale, from low to high. It gives labels an order, says that two raters
        are on one scale, and counts ratings that nobody gave for AC1. Default: those that occur;
        of ordered categories of pandas all.
    cluster : bool, default True
        Whether to use ``cluster_id`` where the frame has it. False takes items as independent.
    level : float, default 0.95
        Confidence level.

    Returns
    -------
    DataFrame
        One row a group and statistic:

        - judge, gold : the columns
        - statistic, estimate : "accuracy" (share of equal ratings), "kappa", "kappa_linear",
          "kappa_quadratic" (Cohen's), "ac1" (Gwet's), "sensitivity", "specificity", "precision",
          "errors_above" (share of the errors in which the judge is above gold, or with `positive`
          says positive where gold does not; 1/2 without a lean), "bias" (mean of judge - gold),
          "pearson", "spearman", "loa_low", "loa_high" (limits of agreement, bias -+ 1.96 standard
          deviations)
        - se, conf_low, conf_high : NaN where they cannot be known
        - p_value : of "bias" against 0, of "errors_above" against 1/2 (McNemar's exact test, with
          clusters by flipping their signs); NaN for the others
        - n_items, n_responses : items and rows that the statistic is computed from
        - n_judge_missing : rows of the group with a gold label that the judge did not rate
        - n_gold_missing : rows of the group without a gold label
        - n_clusters : clusters of these rows (items, where they are the sampling unit); missing
          where rows are independent
        - df : degrees of freedom of t; NaN where no t is used
        - level
        - interval : "wilson" (with clusters on their effective number), "clopper-pearson",
          "normal", "t", "cr2" (t with an error for few clusters), "fisher-z"
        - clustered : whether some sampling unit has several of the rows
        - note

    Raises
    ------
    RoleError, FrameError
        If a column is missing, the two are not on one scale, or a statistic needs numbers or an
        order that labels do not have.
    ValueError
        If an argument is not one of its choices.

    See Also
    --------
    krippendorff : Any number of raters, some ratings missing.

    Notes
    -----
    By default two ratings give "accuracy" to "errors_above", "bias" and "pearson"; more ratings the
    kappas, and where they have an order their weighted forms and "spearman"; more than 20 different
    numbers, or fractions that hardly repeat, "bias", correlations and limits of agreement. Labels
    have no bias. Weights of kappa are distances of the ratings themselves.

    Where rows are independent, kappa has the error of [1]_ and AC1 that of [2]_. All other errors
    are linearised in the same way, and with clusters sums over these take the place of rows
    (CR2 with Satterthwaite's degrees of freedom). Where nothing varies there is an interval of
    shares only. Limits of "normal" and "cr2" can pass 1.

    References
    ----------
    .. [1] Fleiss, Cohen and Everitt (1969), Large sample standard errors of kappa and weighted
       kappa, Psychological Bulletin 72(5), 323-327.
    .. [2] Gwet (2008), Computing inter-rater reliability and its variance in the presence of high
       agreement, British J. Mathematical and Statistical Psychology 61(1), 29-48.

    Examples
    --------
    >>> runs = pd.DataFrame({
    ...     "item_id": range(8),
    ...     "judge": [1, 1, 1, 0, 0, 1, 0, 1],
    ...     "human": [1, 1, 0, 0, 0, 1, None, None],
    ... })
    >>> found = agreement(runs, judge="judge", gold="human", statistic=["accuracy", "kappa"])
    >>> found[["statistic", "estimate", "conf_low", "conf_high", "n_items"]].round(3)
      statistic  estimate  conf_low  conf_high  n_items
    0  accuracy     0.833     0.436      0.970        6
    1     kappa     0.667     0.104      1.229        6
    """
    critical(level)
    check_flag("cluster", cluster)
    if judge == gold:
        raise RoleError(f"judge and gold must be two columns, found {judge!r} for both")
    named = None if statistic is None else chosen("statistic", statistic, tuple(STATISTICS))
    groups = by_columns(by, "agreement")
    runs = select(frame, (), by=groups, cluster=cluster)
    rated = read_ratings(frame, {"judge": judge, "gold": gold}, categories)
    apart = scales_apart(rated)
    if apart and (named is None or set(named) - set(_NUMBERS_ONLY)):
        raise scales_refusal(rated, frame, [judge, gold])
    _refuse_unordered(rated, named or (), [judge, gold])
    judged, home = _judged(runs, rated, positive, [judge, gold], apart, level)
    shown = np.bincount(home, minlength=len(runs.by)) > 0
    suit = suits(judged) if named is None else dict.fromkeys(named, shown)
    order = named or [name for name in STATISTICS if name in suit]
    wanted = {name: shown & suit[name] for name in order}
    rows = [
        (name, STATISTICS[name](judged), mask)
        for name, mask in wanted.items()
        if mask.any() or not len(frame)
    ]
    missing = np.isnan(rated.values)
    counts = {
        "n_judge_missing": np.bincount(home[missing[:, 0] & ~missing[:, 1]], minlength=len(shown)),
        "n_gold_missing": np.bincount(home[missing[:, 1]], minlength=len(shown)),
    }
    provenance = {
        "judge": judge,
        "gold": gold,
        "statistic": named,
        "by": groups,
        "positive": positive,
        "categories": None if categories is None else list(categories),
        "cluster": cluster,
        "level": level,
    }
    same = {"judge": judge, "gold": gold, "level": level}
    return _assemble(runs.by, rows, counts, same, provenance)


def _refuse_unordered(rated: RatingColumns, named: Sequence[str], columns: list[str]) -> None:
    """Refuse statistics that labels do not have."""
    if rated.labels is None:
        return
    numeric = [name for name in named if name in _NUMBERS_ONLY and name != "spearman"]
    ordinal = [name for name in named if name in ("kappa_linear", "kappa_quadratic", "spearman")]
    if numeric or (ordinal and not rated.ordered):
        needs = "numbers" if numeric else "ratings that go from low to high"
        remedy = "leave it out" if numeric else "list them in order: categories=[...]"
        shown = ", ".join(map(repr, rated.labels[:5].tolist()))
        raise FrameError.of(
            f"statistic {(numeric or ordinal)[0]!r} needs {needs}",
            f"labels in {columns[0]!r} and {columns[1]!r}: {shown}",
            f"say what each is worth, df[{columns[0]!r}].map({{...}}), or {remedy}",
            column=columns[0],
        )


def _judged(
    runs: Runs,
    rated: RatingColumns,
    positive: object,
    columns: list[str],
    apart: bool,
    level: float,
) -> tuple[Judged, Any]:
    """Count the rows with both ratings by pair of ratings; also return the group of every row."""
    home = runs.unit_group[runs.unit]
    both = ~np.isnan(rated.values).any(axis=1)
    unit = runs.unit[both]
    cluster = unit if runs.unit_cluster is None else runs.unit_cluster[unit]
    judge, gold = rated.values[both].T
    ratings = collect(judge, gold, unit, cluster, home[both], len(runs.by))
    size = ratings.levels.size
    n_categories = size if rated.categories is None else np.full_like(size, len(rated.categories))
    judged = Judged(
        ratings=ratings,
        positive=positive_rating(rated, ratings, positive, columns),
        numbers=rated.labels is None,
        ordered=rated.ordered,
        n_categories=n_categories,
        few=[],
        named=positive is not None,
        apart=f"{columns[0]!r} and {columns[1]!r} are on different scales" if apart else "",
        clusters="item" if runs.unit_cluster is None else "cluster",
        level=level,
    )
    judged.few.extend(few_labels(judged, rated))
    return judged, home


def _assemble(
    by: pd.DataFrame,
    rows: list[tuple[str, dict[str, Any], Bools]],
    counts: dict[str, Any],
    same: dict[str, Any],
    provenance: dict[str, Any],
) -> pd.DataFrame:
    """Put the statistics of a group below each other."""
    group, which = np.nonzero(np.stack([mask for _, _, mask in rows], axis=1))
    names = np.array([name for name, _, _ in rows], dtype=object)
    said = [results.notes(len(by), found.pop("said")) for _, found, _ in rows]
    columns: dict[str, Any] = {
        column: np.stack([np.broadcast_to(found[column], len(by)) for _, found, _ in rows])[
            which, group
        ]
        for column in rows[0][1]
    }
    columns |= {name: count[group] for name, count in counts.items()}
    columns["note"] = [said[one][row] for one, row in zip(which, group, strict=True)]
    columns["statistic"] = names[which]
    keys = by.iloc[group].reset_index(drop=True)
    return results.table("agreement", keys, {**columns, **same}, provenance)
