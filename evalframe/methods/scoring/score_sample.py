"""What the intervals of `score` are made of, and the scale that scores lie on."""

from dataclasses import dataclass

import numpy as np

from evalframe.errors import FrameError, short
from evalframe.methods.arguments import is_finite
from evalframe.methods.intervals import Bools, in_clusters, robust_error
from evalframe.roles import COLUMN
from evalframe.stats.means import Means, segment_means
from evalframe.stats.segments import Floats, Ints

Bounds = tuple[float, float] | str | None


@dataclass(frozen=True, slots=True)
class ScoreSample:
    """Item means of S rows and what the intervals of their mean are made of.

    Attributes
    ----------
    value, segment, cluster
        The items, as `segment_means` takes them.
    means : Means
    cr2, df : (S,) float64
        Standard error that holds with few or unequal clusters and its degrees of freedom; where
        items are independent the usual ones.
    scale : (float, float) or None
        Ends of the scale of scores.
    inside : (S,) bool
        Rows whose scores all lie on the scale.
    n_ends, n_right : (S,) int64
        Items with a score at one of its ends, and at the upper one.
    single : (S,) bool
        Rows with one run an item.
    clustered : bool
    level : float
    """

    value: Floats
    segment: Ints
    cluster: Ints | None
    means: Means
    cr2: Floats
    df: Floats
    scale: tuple[float, float] | None
    inside: Bools
    n_ends: Ints
    n_right: Ints
    single: Bools
    clustered: bool
    level: float

    @property
    def share(self) -> Floats:
        """The mean on the scale from 0 to 1."""
        low, high = self.scale or (0.0, 1.0)
        return (self.means.mean - low) / (high - low)

    @property
    def share_se(self) -> Floats:
        """The standard error `cr2` on the scale from 0 to 1."""
        low, high = self.scale or (0.0, 1.0)
        return self.cr2 / (high - low)

    def meets(self, need: str) -> Bools:
        """Return the rows that meet a need of an interval."""
        if need == "independent":
            return ~in_clusters(self.means)
        if need == "spread":
            return np.asarray(~(self.cr2 == 0))
        ends = self.n_ends == self.means.n
        return np.asarray(self.inside & ends if need == "ends" else self.inside)

    def wanted(self, need: str) -> str:
        """Say what a need is."""
        if need == "independent":
            return "independent items"
        if need == "spread":
            return "scores that differ"
        if self.scale is None:
            return "a scale of scores, which bounds=(low, high) names"
        low, high = self.scale
        if need == "ends":
            return f"item scores of {low:g} or {high:g} alone"
        return f"scores from {low:g} to {high:g}, or their scale in bounds=(low, high)"

    def found(self, need: str, row: int) -> str:
        """Say what a row has instead."""
        n = f"{self.means.n[row]:,} item(s)"
        if need == "independent":
            return f"{n} in {self.means.n_clusters[row]:,} clusters"
        if need == "spread":
            return f"no spread among {n}"
        if self.scale is None:
            return "bounds=None"
        low, high = self.means.lowest[row], self.means.highest[row]
        if need == "ends" and self.inside[row]:
            return f"others in {self.means.n[row] - self.n_ends[row]:,} of {n}"
        return f"{low if low < self.scale[0] else high:g} among {n}"


def score_sample(
    value: Floats,
    segment: Ints,
    n_segments: int,
    cluster: Ints | None,
    *,
    single: Bools,
    scale: tuple[float, float] | None,
    level: float,
) -> ScoreSample:
    """Reduce item means to what the intervals need; the arguments are those of `ScoreSample`."""
    means = segment_means(value, segment, n_segments, cluster)
    cr2, df = robust_error(means)
    none = np.zeros(n_segments, dtype=np.int64)
    inside, n_ends, n_right = none > 0, none, none
    if scale is not None:
        inside = (means.lowest >= scale[0]) & (means.highest <= scale[1])
        at_top = value == scale[1]
        n_ends = np.bincount(segment[at_top | (value == scale[0])], minlength=n_segments)
        n_right = np.bincount(segment[at_top], minlength=n_segments)
    return ScoreSample(
        *(value, segment, cluster, means, cr2, df, scale, inside, n_ends, n_right, single),
        *(cluster is not None, level),
    )


def scale_of(bounds: Bounds, column: str, *, shares: bool) -> tuple[float, float] | None:
    """Return the scale of a column: as given, or from 0 to 1 where its role says so.

    `shares` says that an interval of shares was asked for by name, and so that the column holds
    shares: of the values alone this is not read.
    """
    if isinstance(bounds, str):
        return (0.0, 1.0) if shares or column in (COLUMN["score"], COLUMN["hit_cap"]) else None
    return bounds if bounds is None else (float(bounds[0]), float(bounds[1]))


def check_bounds(bounds: Bounds) -> None:
    """Raise ValueError where `bounds` is neither "auto", None nor two ordered numbers."""
    if bounds is None or (isinstance(bounds, str) and bounds == "auto"):
        return
    pair = isinstance(bounds, tuple | list) and len(bounds) == 2
    if pair and all(is_finite(end) for end in bounds):
        low, high = (float(end) for end in bounds)
        if low < high:
            return
    raise ValueError(
        'bounds must be "auto", None or the two ends of the scale, lowest first, for example '
        f"bounds=(0, 100), not {short(bounds)}"
    )


def refuse_outside(sample: ScoreSample, column: str) -> None:
    """Raise FrameError where a score does not lie on the scale that the user gave."""
    if sample.scale is None:
        return
    low, high = sample.scale
    outside = sample.value[(sample.value < low) | (sample.value > high)]
    if len(outside):
        raise FrameError.of(
            f"column {column!r} must lie in bounds=({low:g}, {high:g})",
            f"{len(outside):,} item mean(s) outside, first {outside[0]:g}",
            "give the ends of the scale, or bounds=None where it has none",
            column=column,
            count=len(outside),
            first=f"{outside[0]:g}",
        )
