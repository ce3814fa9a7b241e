"""Rows with a judge's and a gold rating, and what is known of their scale."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from evalframe.errors import FrameError
from evalframe.methods.judging.rating_columns import RatingColumns
from evalframe.stats.ratings import Bools, Ratings
from evalframe.stats.segments import Floats, Ints

# A class with fewer gold labels says little.
FEW = 5
# More different numbers than these are a measurement, not categories.
_MOST_CATEGORIES = 20


@dataclass(frozen=True, slots=True)
class Judged:
    """Rows with both ratings, and what is known of the scale.

    Attributes
    ----------
    ratings : Ratings
    positive : (S,) float64
        The rating that is positive; NaN where none can be.
    numbers, ordered : bool
        Whether ratings are numbers, and whether they go from low to high.
    n_categories : (S,) int64
        Different ratings: those that occur, or all there are.
    few : list of str
        For each segment the gold ratings that fewer than 5 rows have, in words.
    named : bool
        Whether the user said which rating is positive.
    apart : str
        In words, that the two ratings are not on one scale; "" where they may be.
    clusters : str
        What a sampling unit of several rows is: "cluster" or "item".
    level : float
    """

    ratings: Ratings
    positive: Floats
    numbers: bool
    ordered: bool
    n_categories: Ints
    few: list[str]
    named: bool
    apart: str
    clusters: str
    level: float

    def is_positive(self, level: Ints) -> Bools:
        """Return the (T,) cells in which a rater's rating is the positive one."""
        return np.asarray(
            self.ratings.levels.value[level] == self.positive[self.ratings.segment], dtype=bool
        )

    def constant(self, level: Ints) -> Bools:
        """Return the segments in which a rater gives one rating only."""
        there = self.ratings.at(level) > 0
        home = self.ratings.levels.segment[there]
        return np.asarray(np.bincount(home, minlength=self.ratings.n_segments) == 1)


def positive_rating(
    rated: RatingColumns, ratings: Ratings, positive: object, columns: list[str]
) -> Floats:
    """Return the rating of each group that is positive; NaN where none can be."""
    levels = ratings.levels
    if positive is None:
        return _higher_of_two(rated, ratings)
    seen = np.unique(rated.values[~np.isnan(rated.values)])
    found = np.nan
    if rated.labels is not None:
        place = rated.labels.get_indexer(pd.Index([positive], dtype=object))[0]
        found = float(place) if place >= 0 else np.nan
    elif isinstance(positive, bool | int | float | np.number | np.bool_):
        found = float(positive)
    known = seen if rated.categories is None else rated.categories
    if rated.labels is None and np.isin(seen, (0, 1)).all():
        # Right and wrong need not both occur.
        known = np.append(known, (0.0, 1.0))
    if found not in known:
        listed = ", ".join(rated.name(value) for value in seen[:_MOST_CATEGORIES])
        raise FrameError.of(
            f"positive must be a rating of {columns[0]!r} or {columns[1]!r} ({listed})",
            repr(positive),
            "name one of them",
            column=columns[1],
        )
    return np.full(levels.n_segments, found)


def _higher_of_two(rated: RatingColumns, ratings: Ratings) -> Floats:
    levels = ratings.levels
    found = np.full(levels.n_segments, np.nan)
    if not rated.ordered:
        return found
    if rated.categories is not None:
        return found if len(rated.categories) != 2 else np.full_like(found, rated.categories[1])
    two = levels.size == 2
    found[two] = levels.value[levels.start[two] + 1]
    if rated.labels is None:
        others = np.bincount(
            levels.segment[~np.isin(levels.value, (0, 1))], minlength=levels.n_segments
        )
        found[(others == 0) & (levels.size > 0)] = 1.0
    return found


def few_labels(judged: Judged, rated: RatingColumns) -> list[str]:
    """Say for each group which gold ratings fewer than 5 rows have."""
    levels, texts = judged.ratings.levels, [""] * judged.ratings.n_segments
    count = judged.ratings.at(judged.ratings.gold)
    fits = categorical(judged)
    listed: dict[int, list[str]] = {}
    for place in np.flatnonzero((count < FEW) & fits[levels.segment]):
        text = f"{rated.name(levels.value[place])} ({count[place]})"
        listed.setdefault(int(levels.segment[place]), []).append(text)
    for segment, names in listed.items():
        texts[segment] = f"fewer than {FEW} gold labels: {', '.join(names)}"
    return texts


def categorical(judged: Judged) -> Bools:
    """Return the groups whose ratings are categories, not a measurement."""
    levels = judged.ratings.levels
    if not judged.numbers:
        return np.ones(levels.n_segments, dtype=bool)
    fractions = levels.sum(levels.value != np.floor(levels.value)) > 0
    repeat = levels.size <= judged.ratings.n
    return np.asarray((levels.size <= _MOST_CATEGORIES) & (~fractions | repeat))


def suits(judged: Judged) -> dict[str, Bools]:
    """Return the groups that each statistic suits."""
    fits = categorical(judged)
    two = fits & (judged.n_categories <= 2)
    sided = two | (fits & judged.named)
    ordered, numbers = fits & ~two & judged.ordered, np.full(len(fits), judged.numbers)
    return {
        **dict.fromkeys(("accuracy", "kappa", "ac1"), fits),
        **dict.fromkeys(("kappa_linear", "kappa_quadratic"), ordered),
        **dict.fromkeys(("sensitivity", "specificity", "precision"), sided),
        "errors_above": sided | ordered,
        **dict.fromkeys(("bias", "pearson"), numbers),
        "spearman": (numbers & ~two) | ordered,
        **dict.fromkeys(("loa_low", "loa_high"), numbers & ~fits),
    }
