"""Resamples of nested data: clusters, then items within them, then seeds within items."""

from dataclasses import dataclass

import numpy as np

from evalframe.stats.draws import Draw
from evalframe.stats.segments import Floats, Ints
from evalframe.stats.statistic import Kind, plain


@dataclass(frozen=True, slots=True)
class Nested:
    """Values of seeds in items in clusters, each level in the order of its values.

    Attributes
    ----------
    values : (k, m) float64
        A column a seed: the arm's value, the baseline's, and for ratios both denominators.
    seeds : (I,) int64
        How many seeds each item has.
    items : (G,) int64 or None
        How many items each cluster has; None where items are drawn first.
    """

    values: Floats
    seeds: Ints
    items: Ints | None


def nest(values: Floats, item: Ints, cluster: Ints | None) -> Nested:
    """Order seeds in items in clusters by their values alone.

    Parameters
    ----------
    values : (k, m) float64
        No NaN.
    item : (m,) int64
        The item of each value, codes from 0 without a gap.
    cluster : (I,) int64 or None
        The cluster of each item, codes from 0 without a gap.
    """
    values = values + 0.0
    order = np.lexsort([*values[::-1], item])
    values, ends = values[:, order], np.cumsum(np.bincount(item))
    spans = [slice(s, e) for s, e in zip(np.append(0, ends)[:-1], ends, strict=True)]
    content = [values[:, span].tobytes() for span in spans]
    ranked = sorted(range(len(spans)), key=content.__getitem__)
    items = None
    if cluster is not None:
        held: list[list[int]] = [[] for _ in range(int(cluster.max(initial=-1)) + 1)]
        for one in ranked:
            held[cluster[one]].append(one)
        # The items' lengths come first: bytes run together could be cut in more than one way.
        held.sort(key=lambda group: [(len(content[one]), content[one]) for one in group])
        ranked = [one for group in held for one in group]
        items = np.array([len(group) for group in held], dtype=np.int64)
    seeds = np.array([spans[one].stop - spans[one].start for one in ranked], dtype=np.int64)
    columns = [values[:, spans[one]] for one in ranked]
    return Nested(np.concatenate([values[:, :0], *columns], axis=1), seeds, items)


def draw(nested: Nested, kind: Kind, n_arms: int) -> tuple[Draw, int]:
    """Return a function that draws resamples, and how many numbers one of them holds.

    Clusters are drawn with replacement, then as many items as each drawn cluster has from it, then
    as many seeds as each drawn item has from it; an item's seeds are averaged.
    """
    n_top = len(nested.seeds if nested.items is None else nested.items)

    def some(generator: np.random.Generator, rows: int) -> Floats:
        item = generator.integers(0, n_top, rows * n_top)
        length = np.full(rows, n_top)
        if nested.items is not None:
            length = nested.items[item].reshape(rows, n_top).sum(axis=1)
            item = _children(generator, item, nested.items)
        return plain(kind, np.split(_item_means(generator, item, nested), n_arms), length)

    return some, nested.values.size


def _children(generator: np.random.Generator, parent: Ints, size: Ints) -> Ints:
    """Draw as many children of each drawn parent as it has, from its own."""
    drawn = size[parent]
    start = np.repeat((np.cumsum(size) - size)[parent], drawn)
    # Faster than integers of varied bounds, and as even: 53 random bits.
    place = (generator.random(len(start)) * np.repeat(drawn, drawn)).astype(np.int64)
    return np.asarray(start + place)


def _item_means(generator: np.random.Generator, item: Ints, nested: Nested) -> Floats:
    """Return the means of drawn items after a draw of their seeds, a row a column."""
    if (nested.seeds == 1).all():
        return np.asarray(nested.values[:, item])
    seed = _children(generator, item, nested.seeds)
    n = nested.seeds[item]
    starts = np.cumsum(n) - n
    total = [np.add.reduceat(row[seed], starts) for row in nested.values]
    return np.stack(total) / n
