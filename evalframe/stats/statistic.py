"""Which statistic is resampled, and how it is built from items."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalframe.stats.counted import Counted
from evalframe.stats.custom import Custom, along_last_axis
from evalframe.stats.linear import Linear, linear
from evalframe.stats.order import Order
from evalframe.stats.segments import Floats, Ints

LINEAR = ("mean", "above", "ratio")


@dataclass(frozen=True, slots=True)
class Kind:
    """A statistic of an arm.

    Attributes
    ----------
    name : {"mean", "above", "ratio", "quantile", "trimmed", "custom"}
    text : str
        What results call it.
    number : float
        The threshold, the quantile or the share cut off at each end.
    function : callable, optional
        The user's own.
    """

    name: str
    text: str
    number: float = 0.0
    function: Callable[..., Any] | None = None


MEAN = Kind("mean", "mean")


def build(kind: Kind, arms: Sequence[Floats], cluster: Ints | None) -> Counted:
    """Build a statistic of one arm, or of its difference from a baseline.

    Parameters
    ----------
    kind : Kind
    arms : sequence of one or two (c, n) float64
        The item means of the arm, and of the baseline: one row, two for a ratio. No NaN.
    cluster : (n,) int64 or None
        The cluster of each item, codes from 0 without a gap; None: items are units.
    """
    if kind.name in LINEAR:
        return _linear(kind, arms, cluster)
    values = np.concatenate(list(arms)) + 0.0
    values, copies, unit = _sorted_units(values, cluster)
    if kind.function is None:
        return Order(kind.name, kind.number, values, copies, unit)
    function, vectorised = kind.function, False
    if values.shape[1]:
        function, vectorised = along_last_axis(function, values[0])
    return Custom(function, vectorised, values, copies, unit)


def _linear(kind: Kind, arms: Sequence[Floats], cluster: Ints | None) -> Linear:
    if kind.name == "ratio":
        return linear(np.concatenate(list(arms)), cluster)
    first = [arm[0] if kind.name == "mean" else (arm[0] > kind.number) * 1.0 for arm in arms]
    scale = max((float(np.abs(values).max(initial=0)) for values in first), default=0.0)
    value = first[0] if len(first) == 1 else first[0] - first[1]
    return linear(np.stack([value, np.ones(len(value))]), cluster, scale)


def plain(kind: Kind, arms: Sequence[Floats], length: Ints) -> Floats:
    """Return the statistic of samples that stand one behind the other.

    Parameters
    ----------
    kind : Kind
    arms : sequence of one or two (c, n) float64
        As in `build`.
    length : (R,) int64
        Items of each sample, all of them n.

    Returns
    -------
    (R,) float64
        NaN where it is not defined.
    """
    with np.errstate(all="ignore"):
        found = [_plain(kind, arm, length) for arm in arms]
    value = found[0] if len(found) == 1 else found[0] - found[1]
    value[~np.isfinite(value)] = np.nan
    return value


def _plain(kind: Kind, arm: Floats, length: Ints) -> Floats:
    ends = np.cumsum(length)
    if kind.name in LINEAR:
        top = (arm[0] > kind.number) * 1.0 if kind.name == "above" else arm[0]
        total = np.add.reduceat(top, ends - length)
        bottom = np.add.reduceat(arm[1], ends - length) if kind.name == "ratio" else length
        return np.asarray(total / bottom)
    samples = np.split(arm[0], ends[:-1])
    return np.array([_of_one(kind, sample) for sample in samples], dtype=np.float64)


def _of_one(kind: Kind, sample: Floats) -> float:
    if kind.function is not None:
        return float(kind.function(sample))
    ranked, n = np.sort(sample), len(sample)
    if kind.name == "quantile":
        low = int((n - 1) * kind.number)
        below, above = ranked[low], ranked[min(low + 1, n - 1)]
        return float(below + ((n - 1) * kind.number - low) * (above - below))
    cut = int(n * kind.number)
    return float(ranked[cut : n - cut].mean())


def _sorted_units(values: Floats, cluster: Ints | None) -> tuple[Floats, Ints, Ints | None]:
    """Order units by their values, so that draws do not depend on labels or the order of rows."""
    values = values[:, np.lexsort(values[::-1])] if cluster is None else values
    n = values.shape[1]
    if cluster is None:
        new = np.concatenate([np.ones(min(n, 1), bool), (np.diff(values) != 0).any(axis=0)])
        first = np.flatnonzero(new)
        return values[:, first], np.diff(np.append(first, n)), None
    order = np.lexsort([*values[::-1], cluster])
    values, cluster = values[:, order], cluster[order]
    starts = np.flatnonzero(np.diff(cluster, prepend=-1))
    ends = np.append(starts, n)[1:]
    spans = [slice(start, end) for start, end in zip(starts, ends, strict=True)]
    # Clusters that tie in everything else are told apart by their items, and alike if those are.
    spans.sort(key=lambda span: values[:, span].tobytes())
    values = np.concatenate([values[:, span] for span in spans], axis=1) if n else values
    size = np.array([span.stop - span.start for span in spans], dtype=np.int64)
    return values, np.ones(len(size), dtype=np.int64), np.repeat(np.arange(len(size)), size)
