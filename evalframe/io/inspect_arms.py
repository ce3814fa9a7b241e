"""What the arms of Inspect AI's logs are called, and that no two logs are the same run."""

from collections.abc import Iterator, Sequence
from typing import Any

from evalframe.errors import RecordError, RoleError
from evalframe.io.inspect_logs import Log
from evalframe.io.nested import check_text, dig, keys_text, label_text

# Where a user sets what tells two runs apart; other parts of the header differ in every log.
SETTINGS = (
    "tags",
    "metadata",
    "task_args",
    "model_args",
    "model_generate_config",
    "model_roles",
    "solver",
    "solver_args",
    "task_version",
)


def arm_labels(logs: Sequence[Log], key: str | None) -> list[str]:
    """Return the arm of each log.

    Parameters
    ----------
    logs : sequence of Log
    key : str or None
        Where the label stands in the header, as a dotted path.

    Raises
    ------
    RoleError
        If nothing stands at that path of a log.
    RecordError
        If two logs hold the same epoch of the same item of one arm.
    """
    labels = [log.label or _named(log, key) for log in logs]
    if key is None:
        labels = _with_arguments(logs, labels)
    for log, label in zip(logs, labels, strict=True):
        check_text([label], "arm", log.path)
        check_text([log.run["task"]], "task", log.path)
        check_text([str(log.header.get("status"))], "log_status", log.path)
    _refuse_same(logs, labels)
    return labels


def _named(log: Log, key: str | None) -> str:
    """Return what a log's header says of its arm."""
    if key is None:
        own = dig(log.run, "metadata.arm")
        return label_text(log.run["model"] if own is None else own)
    value = dig(log.run, key)
    value = dig(log.header, key) if value is None else value
    if value is None:
        raise RoleError.of(
            f"{log.path}: arm={key!r} must lead to the arm's label in the header",
            f"nothing there; its eval has: {keys_text(log.run)}",
            "a dotted path leads inside ('metadata.prompt'); for a label of your own: "
            'read_inspect({"LABEL": PATH})',
            column="arm",
        )
    return label_text(value)


def _with_arguments(logs: Sequence[Log], labels: list[str]) -> list[str]:
    """Add the task arguments that differ to the labels of logs that are of one task and arm."""
    groups: dict[tuple[str, str], list[int]] = {}
    for place, (log, label) in enumerate(zip(logs, labels, strict=True)):
        if log.label is None:
            groups.setdefault((log.run["task"], label), []).append(place)
    labels = list(labels)
    for group in groups.values():
        found = [logs[place].run.get("task_args") for place in group]
        arguments = [given if type(given) is dict else {} for given in found]
        names = sorted({name for given in arguments for name in given})
        told = [name for name in names if len({repr(given.get(name)) for given in arguments}) > 1]
        for place, given in zip(group, arguments, strict=True):
            parts = [f"{name}={label_text(given[name])}" for name in told if name in given]
            labels[place] = " ".join([labels[place], *parts])
    return labels


def _refuse_same(logs: Sequence[Log], labels: Sequence[str]) -> None:
    """Refuse two logs that hold the same epoch of the same item of one arm."""
    arms: dict[tuple[str, str], list[Log]] = {}
    for log, label in zip(logs, labels, strict=True):
        arms.setdefault((log.run["task"], label), []).append(log)
    for (_, label), alike in arms.items():
        first: dict[tuple[str | int, int], Log] = {}
        for log in alike if len(alike) > 1 else ():
            keys = list(zip(log.samples.item, log.samples.epoch, strict=True))
            same = next((key for key in keys if key in first), None)
            if same is not None:
                raise _same(first[same], log, label, *same)
            first.update(dict.fromkeys(keys, log))


def _same(other: Log, log: Log, label: str, item: str | int, epoch: int) -> RecordError:
    """Return the error of two logs that hold the same samples, with how to tell them apart."""
    differ = _differences(other, log)
    remedy = (
        f"they differ in {', '.join(map(repr, differ))}: arm={differ[0]!r} names the arms so"
        if differ
        else 'give one of them, or a label each: read_inspect({"first": PATH, ...})'
    )
    return RecordError.of(
        f"{other.path} and {log.path} must differ in arm, task or samples",
        f"arm {label!r} of task {log.run['task']!r} in both, and the same samples, first id "
        f"{item!r}, epoch {epoch}",
        remedy,
        column="arm",
        first=repr(item),
    )


def _differences(one: Log, other: Log) -> list[str]:
    """Return the dotted paths of the settings in which both logs have something, but not alike."""
    found = dict(_settings(one))
    return [
        path
        for path, value in _settings(other)
        if path in found and label_text(found[path]) != label_text(value)
    ]


def _settings(log: Log) -> Iterator[tuple[str, Any]]:
    """Yield each setting of a log with its dotted path."""
    for name in SETTINGS:
        value = log.run.get(name)
        if type(value) is dict:
            yield from ((f"{name}.{part}", inner) for part, inner in value.items())
        elif value is not None:
            yield name, value
