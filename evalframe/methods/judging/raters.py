"""How well do several raters agree, some ratings missing? Krippendorff's alpha."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from evalframe import results
from evalframe.errors import FrameError, RoleError
from evalframe.methods.arguments import by_columns, check_choice, check_flag, several
from evalframe.methods.judging.rating_columns import RatingColumns, read_ratings
from evalframe.runs import select
from evalframe.stats.alphas import SCALES, Alphas, krippendorff_alpha
from evalframe.stats.floor import critical
from evalframe.stats.means import student_quantile
from evalframe.stats.segments import Ints

_FEW_DF = 4.0


def krippendorff(
    frame: pd.DataFrame,
    *,
    raters: Sequence[str],
    scale: str = "nominal",
    by: str | Sequence[str] | None = None,
    categories: Sequence[object] | None = None,
    cluster: bool = True,
    level: float = 0.95,
) -> pd.DataFrame:
    r"""Krippendorff's alpha: agreement of any number of raters beyond chance.

    Each rater is a column, and may have rated some rows only. Rows with a single rating say nothing
    about agreement and are left out. Responses to one item, and items of one cluster, may depend on
    each other: the interval reckons with that. It takes raters as fixed.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs with the columns of ratings, missing where a rater did not rate.
    raters : sequence of str
        Two columns or more: numbers, booleans, or labels.
    scale : {"nominal", "ordinal", "interval", "ratio"}
        What the distance of two ratings is: none but equal or not, that of their ranks, of the
        numbers, or of the numbers relative to their sum.
    by : str or sequence of str, optional
        Columns whose groups are taken apart; "arm" gives each arm a row of its own.
    categories : sequence, optional
        All ratings of the scale, from low to high: the order of labels on an ordinal scale.
    cluster : bool, default True
        Whether to use ``cluster_id`` where the frame has it. False takes items as independent.
    level : float, default 0.95
        Confidence level.

    Returns
    -------
    DataFrame
        One row a group:

        - scale
        - estimate : alpha, 1 for perfect agreement and 0 for chance; NaN where all ratings are
          alike
        - se, conf_low, conf_high : t intervals; NaN where they cannot be known
        - n_raters : columns with a rating that is paired
        - n_categories : different ratings
        - n_items, n_responses : items and rows with two ratings or more
        - n_ratings : ratings of these rows
        - n_unpaired : rows with one rating, left out
        - n_missing : rows without a rating
        - n_clusters : clusters of the rows (items, where they are the sampling unit); missing where
          rows are independent
        - df : degrees of freedom of t, Satterthwaite's
        - level
        - clustered : whether some sampling unit has several of the rows
        - note

    Raises
    ------
    RoleError, FrameError
        If a column is missing, or ratings do not have the scale: labels without an order, negative
        numbers on a ratio scale.
    ValueError
        If an argument is not one of its choices.

    See Also
    --------
    agreement : A judge against gold labels.

    Notes
    -----
    Alpha as in [1]_. Its standard error is an infinitesimal jackknife over rows, or over clusters
    with the CR2 correction. Ratings in long form, a row a rater, become columns with
    ``df.pivot(index="item_id", columns="rater", values="rating").reset_index()``.

    References
    ----------
    .. [1] Krippendorff (2011), Computing Krippendorff's alpha-reliability, University of
       Pennsylvania, repository.upenn.edu/asc_papers/43.

    Examples
    --------
    >>> rated = pd.DataFrame({
    ...     "item_id": range(5),
    ...     "ann": [1, 2, 3, 3, None],
    ...     "bob": [1, 2, 3, 2, 1],
    ...     "judge": [1, 2, 2, None, 1],
    ... })
    >>> found = krippendorff(rated, raters=["ann", "bob", "judge"], scale="ordinal")
    >>> found[["estimate", "n_raters", "n_items", "n_ratings"]].round(3)
       estimate  n_raters  n_items  n_ratings
    0     0.815         3        5         13
    """
    critical(level)
    check_choice("scale", scale, tuple(SCALES))
    check_flag("cluster", cluster)
    names = _raters(raters)
    groups = by_columns(by, "krippendorff")
    runs = select(frame, (), by=groups, cluster=cluster)
    rated = read_ratings(frame, {f"raters={name!r}": name for name in names}, categories)
    _check_scale(rated, scale, names)
    home, n_groups = runs.unit_group[runs.unit], len(runs.by)
    clusters = runs.unit if runs.unit_cluster is None else runs.unit_cluster[runs.unit]
    found = krippendorff_alpha(rated.values, home, clusters, n_groups, scale)
    columns = _columns(found, level, "item" if runs.unit_cluster is None else "cluster")
    columns |= _counts(rated, home, runs.unit, runs.unit_group, n_groups)
    shown = np.bincount(home, minlength=n_groups) > 0
    provenance = {
        "raters": names,
        "scale": scale,
        "by": groups,
        "categories": None if categories is None else list(categories),
        "cluster": cluster,
        "level": level,
    }
    columns = {name: np.asarray(value, dtype=None)[shown] for name, value in columns.items()}
    keys = runs.by[shown].reset_index(drop=True)
    same = {"scale": scale, "level": level}
    return results.table("krippendorff", keys, {**columns, **same}, provenance)


def _raters(raters: Sequence[str]) -> list[str]:
    """Return the raters' columns as a list of two or more different names."""
    names = several(raters)
    if len(names) < 2 or len(set(names)) < len(names):
        raise RoleError(
            f"raters must name two or more different columns, found {names!r}; for example "
            'raters=["ann", "bob", "judge"]'
        )
    return names


def _check_scale(rated: RatingColumns, scale: str, names: list[str]) -> None:
    """Refuse ratings that do not have the scale."""
    labels = rated.labels is not None
    if labels and (scale in ("interval", "ratio") or (scale == "ordinal" and not rated.ordered)):
        shown = ", ".join(map(repr, rated.labels[:5].tolist())) if rated.labels is not None else ""
        needs = "ratings that go from low to high" if scale == "ordinal" else "numbers"
        remedy = "list them in order: categories=[...]" if scale == "ordinal" else 'or "nominal"'
        raise FrameError.of(
            f'scale="{scale}" needs {needs}',
            f"labels in {names[0]!r}: {shown}",
            f"say what each is worth, df[{names[0]!r}].map({{...}}), {remedy}",
            column=names[0],
        )
    if scale == "ratio":
        rows = np.flatnonzero((rated.values < 0).any(axis=1))
        if len(rows):
            raise FrameError.of_rows(
                'scale="ratio" needs numbers of at least 0',
                "negative ones",
                rows,
                'use scale="interval"',
                column=names[0],
            )


def _columns(found: Alphas, level: float, unit: str) -> dict[str, Any]:
    """Return the estimates as columns of the result."""
    none = (found.se == 0) & ~np.isnan(found.alpha)
    margin = np.where(none, np.nan, student_quantile(level, found.df) * found.se)
    one, several = found.n_clusters == 1, found.n_ratings > 0
    advice = "; cluster=False takes items as independent" if unit == "cluster" else ""
    few = found.clustered & ~one & ~np.isnan(margin) & (found.df < _FEW_DF)
    said: list[results.Said] = [
        (~several, "no row has two ratings"),
        (several & np.isnan(found.alpha), "all ratings are alike: alpha is not defined"),
        (one & ~found.clustered, "1 response: no standard error"),
        (one & found.clustered, f"1 {unit}: no standard error{advice}"),
        (none, "standard error 0 is not certainty: no interval"),
        (
            few,
            lambda row: (
                f"{found.df[row]:.1f} degrees of freedom from {found.n_clusters[row]:,} {unit}s: "
                "this interval is uncertain"
            ),
        ),
    ]
    return {
        "estimate": found.alpha,
        "se": found.se,
        "conf_low": found.alpha - margin,
        "conf_high": found.alpha + margin,
        "n_categories": found.n_levels,
        "n_ratings": found.n_ratings,
        "n_clusters": np.where(found.clustered, found.n_clusters, np.nan),
        "df": found.df,
        "clustered": found.clustered,
        "note": results.notes(len(found.alpha), said),
    }


def _counts(
    rated: RatingColumns, home: Ints, unit: Ints, unit_group: Ints, n_groups: int
) -> dict[str, Any]:
    """Count raters, items and rows of each group."""
    there = ~np.isnan(rated.values)
    number = there.sum(axis=1)
    paired = number > 1
    used = np.bincount(unit[paired], minlength=len(unit_group)) > 0
    raters = [np.bincount(home[paired & one], minlength=n_groups) > 0 for one in there.T]
    return {
        "n_raters": np.sum(raters, axis=0),
        "n_items": np.bincount(unit_group[used], minlength=n_groups),
        "n_responses": np.bincount(home[paired], minlength=n_groups),
        "n_unpaired": np.bincount(home[number == 1], minlength=n_groups),
        "n_missing": np.bincount(home[number == 0], minlength=n_groups),
    }
