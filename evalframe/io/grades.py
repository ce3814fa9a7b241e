"""The grades of Inspect AI as numbers: labels through a declared map, objects one metric a key."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalframe.errors import FrameError, RoleError
from evalframe.io.inspect_logs import Log
from evalframe.io.nested import check_text, dig, number
from evalframe.io.records import json_name

# As Inspect's own value_to_float does. It also takes any other label for 0, which is not done here.
LABELS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


@dataclass(frozen=True, slots=True)
class Metric:
    """One number of a scorer.

    Attributes
    ----------
    scorer : str
    key : str or None
        Which of the scorer's values, where it gives an object.
    """

    scorer: str
    key: str | None

    @property
    def name(self) -> str:
        """The scorer's name, and the key after a dot."""
        return self.scorer if self.key is None else f"{self.scorer}.{self.key}"

    def values(self, log: Log) -> list[Any]:
        """Return what each sample of a log has for it, None if nothing."""
        found = log.samples.scores.get(self.scorer, [None] * len(log.samples))
        if self.key is None:
            return found
        return [value.get(self.key) if type(value) is dict else None for value in found]


def metrics_of(log: Log) -> list[Metric]:
    """Return the metrics of a log, by first appearance.

    A scorer that gives objects has a metric for each key. A log in which no sample was scored has
    those that its header names.

    Raises
    ------
    FrameError
        If a scorer gives objects and single values, or a list.
    """
    keys: dict[str, dict[str, None]] = {}
    for scorer, values in log.samples.scores.items():
        found = dict.fromkeys(key for value in values if type(value) is dict for key in value)
        if found:
            for value in values:
                if type(value) is not dict and value is not None and value == value:
                    raise FrameError.of(
                        f"{log.path}: scorer {scorer!r} must give objects to all samples or none",
                        f"objects with {', '.join(found)}, and {json_name(value)}",
                        "choose another with scorer=",
                        column="score",
                    )
        keys[scorer] = found
    if not keys:
        named = log.run.get("scorers")
        names = [dig(one, "name") for one in named] if type(named) is list else []
        keys = {name.rpartition("/")[2]: {} for name in names if type(name) is str}
    return [Metric(scorer, key) for scorer, found in keys.items() for key in found or (None,)]


def chosen_metrics(logs: Sequence[Log], scorer: list[str] | None) -> list[list[Metric]]:
    """Return the metrics to read of each log.

    Parameters
    ----------
    logs : sequence of Log
    scorer : list of str or None
        Names of scorers or of metrics. None: all.

    Raises
    ------
    RoleError
        If a log has none of them, or no log has one of them.
    """
    found = [metrics_of(log) for log in logs]
    for log, metrics in zip(logs, found, strict=True):
        check_text([metric.name for metric in metrics], "metric", log.path)
    known = list(dict.fromkeys(metric.name for metrics in found for metric in metrics))
    scorers = {metric.scorer for metrics in found for metric in metrics}
    missing = [name for name in scorer or () if name not in known and name not in scorers]
    if missing:
        raise RoleError.of(
            "scorer must be one that the logs have",
            repr(missing[0]),
            f"they have: {', '.join(map(repr, known))}",
            column="metric",
        )
    chosen = []
    for log, metrics in zip(logs, found, strict=True):
        kept = [m for m in metrics if scorer is None or m.name in scorer or m.scorer in scorer]
        if not kept and log.samples:
            has = ", ".join(repr(metric.name) for metric in metrics)
            raise RoleError.of(
                f"{log.path}: a log must have a score to read",
                f"others alone: {has}" if has else "none",
                "add one of these to scorer=, or leave the log out"
                if has
                else "score it first: inspect score LOG",
                column="score",
            )
        chosen.append(kept)
    return chosen


class Grader:
    """Turns grades into numbers, and collects the labels that it does not know.

    Parameters
    ----------
    value_map : "default", mapping of label to number, or None
        "default" is the map of Inspect itself. A mapping names every label; numbers stay as they
        are. None: there are only numbers.
    """

    def __init__(self, value_map: str | Mapping[Any, float] | None) -> None:
        if isinstance(value_map, str) and value_map != "default":
            raise ValueError(
                f"value_map must be 'default', a mapping of label to number, or None, not "
                f"{value_map!r}"
            )
        self._words = value_map == "default"
        given: Any = LABELS if isinstance(value_map, str) else value_map or {}
        self._map = {label: float(worth) for label, worth in given.items()}
        self._unknown: dict[str, dict[str, Path]] = {}
        self._labels: list[str] = []

    def grades(self, values: list[Any], metric: str, path: Path) -> list[float]:
        """Return what each value of a log is worth, NaN if it is missing or not known."""
        if set(map(type, values)) <= {str, type(None)}:
            # There are few labels, and many values.
            known = {label: self._grade(label, metric, path) for label in dict.fromkeys(values)}
            return [known[value] for value in values]
        return [self._grade(value, metric, path) for value in values]

    def _grade(self, value: Any, metric: str, path: Path) -> float:
        if type(value) is str:
            worth = self._map.get(value)
            worth = _word(value) if worth is None and self._words else worth
        else:
            worth = number(value)
        if worth is None:
            text = type(value) is str
            self._unknown.setdefault(metric, {}).setdefault(
                f"{value!r:.60}" if text else json_name(value), path
            )
            self._labels += [value] if text and not self._labels else []
            return math.nan
        return worth

    def check(self) -> None:
        """Raise one FrameError that names every label without a number."""
        if self._unknown:
            seen = "\n".join(
                f"  - {metric}: {', '.join(list(labels)[:10])}{', ...' * (len(labels) > 10)}"
                f" (first in {next(iter(labels.values()))})"
                for metric, labels in self._unknown.items()
            )
            # Only a label can be given a worth: of a list, say, there is none to type.
            worth = (
                f"Say what each label is worth, for example value_map={{{self._labels[0]!r}: 1, "
                "...}, or choose"
                if self._labels
                else "Choose"
            )
            raise FrameError(
                f"every grade must be a number or a label of value_map, found others:\n{seen}\n"
                f"{worth} other metrics with scorer=."
            ).of_parts("score", "grades of unknown worth", "value_map=", count=len(self._unknown))


def _word(value: str) -> float | None:
    """Return what yes, no, true, false or the text of a finite number is worth."""
    lower = value.lower()
    if lower in WORDS:
        return WORDS[lower]
    try:
        worth = float(lower)
    except ValueError:
        return None
    return worth if math.isfinite(worth) else None
