"""Which metrics and filters of lm-evaluation-harness to read: chosen, never guessed."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from evalframe.errors import RoleError


class Measure(NamedTuple):
    """A metric under one filter of the responses."""

    name: str
    filter: str

    def __str__(self) -> str:
        """Return the name that results files give it."""
        return f"{self.name},{self.filter}"


def choose(
    found: Mapping[str, Mapping[Measure, list[Any]]],
    metric: list[str] | None,
    filtered: list[str] | None,
) -> dict[str, list[Measure]]:
    """Return the measures of each task to read.

    Parameters
    ----------
    found : mapping of task to mapping of measure to values
        What the files hold.
    metric : list of str or None
        Names of metrics, with the filter or without. None: a task must have one only.
    filtered : list of str or None
        Names of filters. None: a chosen metric must have one only.

    Raises
    ------
    RoleError
        If a choice is missing, matches nothing in a task, or is a metric of the corpus.
    """
    _refuse_unknown(found, metric, filtered)
    chosen = {}
    faults = []
    for task, measures in found.items():
        kept = [
            measure
            for measure in measures
            if (metric is None or measure.name in metric or str(measure) in metric)
            and (filtered is None or measure.filter in filtered)
        ]
        corpus = [m for m in kept if any(type(value) in (list, dict) for value in measures[m])]
        if metric is None and len(corpus) < len(kept):
            kept = [measure for measure in kept if measure not in corpus]
            corpus = []
        faults += _faults(task, kept, corpus, list(measures), metric, filtered)
        chosen[task] = kept
    if faults:
        raise RoleError("\n".join(faults))
    return chosen


def _faults(
    task: str,
    kept: list[Measure],
    corpus: list[Measure],
    all_of_it: list[Measure],
    metric: list[str] | None,
    filtered: list[str] | None,
) -> list[str]:
    """Say what is wrong with the choice in one task."""
    has = ", ".join(map(repr, map(str, all_of_it)))
    if corpus:
        shown = ", ".join(repr(measure.name) for measure in corpus)
        return [
            f"task {task!r} must have a score for each document, found {shown}, a metric of the "
            f"whole corpus, which stands as a list; it has: {has}; choose another"
        ]
    if not kept:
        return [
            f"task {task!r} must have a chosen measure, found none of metric={metric} and "
            f"filter={filtered}; it has: {has}; add one of its own, for example "
            f"metric={str(all_of_it[0])!r}, or give the files of the other tasks only"
        ]
    if metric is None and len({measure.name for measure in kept}) > 1:
        return [
            f"one metric of task {task!r} must be chosen, found several metrics: {has}; for "
            f"example metric={kept[0].name!r}"
        ]
    by_name = [measure for measure in kept if metric is None or str(measure) not in metric]
    if filtered is None and len({measure.name for measure in by_name}) < len(by_name):
        return [
            f"one filter of task {task!r} must be chosen, found several filters: {has}; for "
            f"example filter={kept[0].filter!r}"
        ]
    return []


def _refuse_unknown(
    found: Mapping[str, Mapping[Measure, list[Any]]],
    metric: list[str] | None,
    filtered: list[str] | None,
) -> None:
    """Refuse a name that no task has."""
    measures = list(dict.fromkeys(m for measures in found.values() for m in measures))
    if not measures:
        return
    known_metrics = [*dict.fromkeys(m.name for m in measures), *map(str, measures)]
    known_filters = list(dict.fromkeys(m.filter for m in measures))
    for argument, asked, known in (
        ("metric", metric, known_metrics),
        ("filter", filtered, known_filters),
    ):
        missing = [name for name in asked or () if name not in known]
        if missing:
            raise RoleError(
                f"{argument} must be one that the files have, found {missing[0]!r}; they have: "
                f"{', '.join(map(repr, known))}"
            )
