"""Outcomes of `voice` as the rows of its results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from evalframe import results
from evalframe.methods.style.author import Ints, Sides
from evalframe.methods.style.subsets import Settings
from evalframe.methods.style.tails import Outcome
from evalframe.methods.style.textpairs import Floats, Pairs
from evalframe.stats.likeness import logit_limits, percentile_limits

_NARROW = (
    "limits show how far one item moves the tail; as a confidence interval they are far too "
    'narrow, interval="jackknife_se" is one'
)


@dataclass(frozen=True, slots=True)
class Labels:
    """What the K rows of an arm are called.

    Attributes
    ----------
    group_of, metrics : list of str
        The group and the name of each of M metrics.
    """

    group_of: list[str]
    metrics: list[str]

    @property
    def groups(self) -> list[str]:
        """The G groups, in the order of their first metrics."""
        return list(dict.fromkeys(self.group_of))

    def codes(self) -> Ints:
        """Return the group of each metric as a code."""
        return np.array([self.groups.index(group) for group in self.group_of], dtype=np.int64)

    def columns(self) -> dict[str, list[str]]:
        """Return the columns that name the rows."""
        n_groups, n_metrics = len(self.groups), len(self.metrics)
        return {
            "scope": ["overall", *["group"] * n_groups, *["metric"] * n_metrics],
            "group": ["", *self.groups, *self.group_of],
            "metric": ["", *[""] * n_groups, *self.metrics],
        }

    def spread(self, overall: int, of_metrics: Ints) -> Ints:
        """Return a number for the overall and group rows, and one for each metric."""
        return np.concatenate([np.full(1 + len(self.groups), overall), of_metrics])


def voice_rows(
    sides: Sides,
    pairs: Sequence[Pairs],
    outcomes: Sequence[Outcome],
    labels: Labels,
    settings: Settings,
    provenance: Mapping[str, Any],
) -> pd.DataFrame:
    """Return the result of `voice`: for each level a block of rows, arm by arm."""
    blocks = [
        _block(pair, found, labels, settings, level, provenance["interval"])
        for level in provenance["level"]
        for pair, found in zip(pairs, outcomes, strict=True)
    ]
    keys = _keys(sides, [*pairs] * len(provenance["level"]), len(labels.columns()["scope"]))
    names = [name for name, kind in results.TABLES["voice"].items() if kind != "label"]
    columns = {name: _joined([block[name] for block in blocks]) for name in names}
    return results.table("voice", keys, columns, provenance)


def replicate_rows(
    sides: Sides,
    pairs: Sequence[Pairs],
    outcomes: Sequence[Outcome],
    labels: Labels,
    provenance: Mapping[str, Any],
) -> pd.DataFrame:
    """Return the tails with each item left out, row of the result by row, sorted by item."""
    names = labels.columns()
    n_rows = len(names["scope"])
    items, tails = [], []
    for pair, found in zip(pairs, outcomes, strict=True):
        order = np.argsort(pair.item)
        items.append(np.tile(pair.item[order], n_rows))
        if found.replicates is not None:
            tails.append(found.replicates[order].T.ravel())
    keys = _keys(sides, pairs, n_rows * np.array([len(pair.item) for pair in pairs], dtype=int))
    keys["item_id"] = sides.items.take(_joined([np.zeros(0, dtype=np.int64), *items]))
    columns: dict[str, Any] = {
        name: _joined([np.repeat(values, len(pair.item)) for pair in pairs])
        for name, values in names.items()
    }
    columns["tail"] = _joined(tails)
    return results.table("voice_replicates", keys, columns, provenance)


def _joined(parts: Sequence[Any]) -> Any:
    """Return parts one after the other; nothing where there are none."""
    return np.concatenate([np.asarray(part) for part in parts]) if parts else []


def _keys(sides: Sides, pairs: Sequence[Pairs], n_rows: int | Ints) -> pd.DataFrame:
    """Return the labels that each pair's rows start with."""
    group, arm = (
        np.repeat(np.array([getattr(pair, name) for pair in pairs], dtype=np.int64), n_rows)
        for name in ("group", "arm")
    )
    keys = sides.by.iloc[group].reset_index(drop=True)
    keys["arm"] = sides.arms.take(arm)
    keys["reference"] = sides.reference_labels.take(np.zeros(len(arm), dtype=np.int64))
    return keys


def _block(
    pair: Pairs,
    found: Outcome,
    labels: Labels,
    settings: Settings,
    level: float,
    interval: str | None,
) -> dict[str, Any]:
    """Return the columns of one arm at one level, an entry a row."""
    n = len(found.tail)
    low, high = _limits(found, level, interval)
    self_low, self_high = np.quantile(found.own, [0.05, 0.95], axis=0)
    dropped = pair.n_dropped + pair.n_paired - found.n_pairs
    block = labels.columns() | {
        "distance": np.concatenate([np.full(n - len(found.distance), np.nan), found.distance]),
        "tail": found.tail,
        "conf_low": low,
        "conf_high": high,
        "self_tail": found.own.mean(axis=0),
        "self_low": self_low,
        "self_high": self_high,
        "n_items": labels.spread(len(pair.item), found.n_items),
        "n_dropped": labels.spread(pair.n_dropped, dropped),
        "n_train": labels.spread(found.n_training, found.n_train),
        "n_calibration": np.full(n, settings.n_calibration),
        "size": np.full(n, np.nan if settings.size is None else settings.size),
        "level": np.full(n, level),
        "interval": [interval or ""] * n,
    }
    block["note"] = _notes(pair, found, labels, settings, low, interval)
    return block


def _limits(found: Outcome, level: float, interval: str | None) -> tuple[Floats, Floats]:
    if found.replicates is None:
        return np.full(len(found.tail), np.nan), np.full(len(found.tail), np.nan)
    if interval == "jackknife_se":
        return logit_limits(found.tail, found.se, level)
    low, high = percentile_limits(found.replicates, level)
    unknown = np.isnan(found.tail)
    return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)


def _notes(
    pair: Pairs,
    found: Outcome,
    labels: Labels,
    settings: Settings,
    low: Floats,
    interval: str | None,
) -> list[str]:
    """Say in words what a reader of each row must know."""
    n, n_groups, n_items = len(found.tail), len(labels.groups), len(pair.item)
    groups, metrics = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    groups[1 : 1 + n_groups], metrics[1 + n_groups :] = True, True
    overall = ~(groups | metrics)
    unknown = np.isnan(found.tail)
    lost = unknown[1 + n_groups :]
    of_group = [np.array(labels.group_of) == group for group in labels.groups]
    partly = ["", *[_left_out(int(lost[mine].sum()), len(lost[mine])) for mine in of_group]]
    empty = [g for g, none in zip(labels.groups, unknown[1 : 1 + n_groups], strict=True) if none]
    no_limits = np.isnan(low) & ~unknown & (interval is not None)
    no_note = [""] * (1 + n_groups)
    return results.notes(
        n,
        [
            (metrics & unknown, [*no_note, *_why(found, settings)]),
            (groups, partly + [""] * len(lost)),
            (groups & (found.tail < settings.floor), f"counts as {settings.floor:g} in the score"),
            (overall & unknown, "no metric says anything of any pair" if n_items else "no pair"),
            (overall & ~unknown & bool(empty), f"groups left out: {', '.join(empty)}"),
            (overall & (pair.n_skipped > 0), f"{pair.n_skipped:,} training rows not scored"),
            (no_limits & (n_items == 1), "1 item: no limits"),
            (no_limits & (n_items > 1), _no_limits(interval, settings.size)),
            (~np.isnan(low) & (interval == "jackknife"), _NARROW),
        ],
    )


def _left_out(lost: int, n: int) -> str:
    """Say how many metrics of a group have no tail."""
    if lost == n:
        return "no metric has a tail; left out of the score"
    return f"{lost:,} of {n:,} metrics left out" if lost else ""


def _why(found: Outcome, settings: Settings) -> list[str]:
    """Say why a metric has no tail."""
    said = []
    for m in range(len(found.constant)):
        wanted = settings.size or found.n_most[m]
        if found.constant[m]:
            why = "the same for all texts"
        elif found.n_items[m] == 0:
            why = "known of no pair"
        elif found.n_train[m] < 2 * wanted:
            why = f"known of {found.n_train[m]:,} training texts, fewer than 2 x {wanted:,}"
        else:
            why = f"known of {found.n_most[m]:,} pairs, fewer than {wanted:,}"
        said.append(f"{why}; left out of its group")
    return said


def _no_limits(interval: str | None, size: int | None) -> str:
    if interval == "jackknife_se":
        return "no limits: all tails with an item left out are equal, or one is not known"
    return "no limits: a tail with an item left out is not known" + (
        "; a pair is in every subset, lower size or raise n_subsets" if size else ""
    )
