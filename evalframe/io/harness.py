"""The files of an lm-evaluation-harness run: which task, time and arm a samples file is of."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalframe.errors import RecordError, RoleError
from evalframe.io.nested import check_text, decode_file, dig, label_text
from evalframe.io.paths import Paths, Source, as_text, sources
from evalframe.io.records import json_name
from evalframe.io.refusals import AGAIN, refusal

NAME = re.compile(
    r"samples_(?P<task>.+?)(?:_(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?))?\.jsonl(?:\.gz)?"
)

# The harness writes this as the source of a model that was handed over as a Python object.
NAMELESS = "CUSTOM"


@dataclass(frozen=True, slots=True)
class Samples:
    """A samples file.

    Attributes
    ----------
    path : Path
    task, arm : str
    """

    path: Path
    task: str
    arm: str


def samples_files(paths: Paths, arm: str | None) -> list[Samples]:
    """Return the samples files that `paths` names, with the task and arm of each.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of arm to either
        Samples files, patterns, or folders that are searched to the bottom. Results files among
        them are passed over.
    arm : str or None
        Where the arm's label stands in the results file, as a dotted path.

    Raises
    ------
    FileNotFoundError
        If there is no such file, or no samples file in a folder.
    RecordError
        If a file's name does not say the task, or one arm has several runs of a task.
    RoleError
        If nothing stands at the path `arm`.
    """
    found = []
    given = sources(paths, _inside)
    for source in given:
        match = NAME.fullmatch(source.path.name)
        if match is not None:
            label = source.label or _arm(source, match["time"], arm)
            found.append(Samples(source.path, as_text(match["task"]), label))
        elif source.path.suffix != ".json":
            raise refusal(
                source.path,
                "the name of a samples file must say its task",
                repr(source.path.name),
                "name it samples_TASK_TIME.jsonl, as lm_eval --log_samples does",
            )
    if not found:
        raise refusal(
            given[0].path,
            "samples files must be given",
            "results files alone, which hold no answers",
            "give the samples_*.jsonl beside them, or their folder (lm_eval writes them with "
            "--log_samples)",
        )
    _refuse_runs(found)
    return found


def _inside(folder: str) -> list[Path]:
    """Return the samples files of a folder and of those inside it, sorted by path."""
    found = sorted(path for path in Path(folder).rglob("samples_*") if NAME.fullmatch(path.name))
    if not found:
        raise FileNotFoundError(
            f"no samples_*.jsonl in the folder {folder!r}; lm_eval writes them with --log_samples"
        )
    return found


def _arm(source: Source, time: str | None, key: str | None) -> str:
    """Return the arm that a samples file's results file names, or else its folder."""
    folder = Path(os.path.abspath(source.path)).parent
    beside = sorted(folder.glob(f"*_{time}.json")) if time else []
    if not beside:
        if key is not None:
            raise refusal(
                source.path,
                f"arm={key!r} must stand in the results file beside it",
                "none of the same time",
                'give the label itself: read_lm_eval({"LABEL": "samples_TASK_TIME.jsonl"})',
            )
        return as_text(folder.name)
    results = decode_file(beside[0])
    if type(results) is not dict:
        raise refusal(
            beside[0], "the results of a run must be one JSON object", json_name(results), AGAIN
        )
    if key is None:
        label = _model(results) or as_text(folder.name)
        check_text([label], "arm", beside[0])
        return label
    value = dig(results, key)
    if value is None:
        raise RoleError.of(
            f"{beside[0]}: arm={key!r} must lead to the arm's label",
            f"nothing there; the file has: {', '.join(map(repr, results))}",
            "a dotted path leads inside ('config.model_args'); for a label of your own: "
            'read_lm_eval({"LABEL": PATH})',
            column="arm",
        )
    label = label_text(value)
    check_text([label], "arm", beside[0])
    return label


def _model(results: dict[str, Any]) -> str | None:
    """Return the name of the model, None if it has none of its own."""
    name = results.get("model_name")
    named = type(name) is str and name and results.get("model_source") != NAMELESS
    return name if named else None


def _refuse_runs(found: list[Samples]) -> None:
    """Refuse several runs of one task by one arm: which of them counts is the user's choice."""
    runs: dict[tuple[str, str], list[Path]] = {}
    for file in found:
        runs.setdefault((file.arm, file.task), []).append(file.path)
    for (arm, task), files in runs.items():
        if len(files) > 1:
            raise RecordError.of(
                f"arm {arm!r} must have one run of a task",
                f"{len(files):,} runs of task {task!r}: {', '.join(map(str, files))}",
                'give one of them, or a label each: read_lm_eval({"first": PATH, "second": PATH}); '
                "or let what sets them apart name the arms, for example arm='config.model_args'",
                column="arm",
                count=len(files),
            )
