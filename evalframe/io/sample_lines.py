"""The lines of a samples file of lm-evaluation-harness, and what is kept of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalframe.io.harness import Samples
from evalframe.io.lines import records
from evalframe.io.measures import Measure
from evalframe.io.nested import dig, keys_text
from evalframe.io.records import json_name

# The keys of a line that are no metrics. Older files do not list the metrics.
KNOWN = (
    "doc_id",
    "doc",
    "target",
    "arguments",
    "resps",
    "filtered_resps",
    "filter",
    "metrics",
    "doc_hash",
    "prompt_hash",
    "target_hash",
)

# What every line of a samples file has.
IDS = "doc_id of a samples file must be text or an integer"


@dataclass(frozen=True, slots=True)
class Line:
    """What is kept of one line: a document under one filter.

    Attributes
    ----------
    path : Path
        Of the file.
    number : int
        Of the line in it, from 1.
    doc_id : int or str
    item : str
        Task and document.
    arm, task : str
    measures : dict of Measure to value
        As they stand in the file.
    cluster, output, prompt_hash, doc_hash : object
        None where there is none.
    keys : str
        What the document has, where it has no cluster.
    """

    path: Path
    number: int
    doc_id: int | str
    item: str
    arm: str
    task: str
    measures: dict[Measure, Any]
    cluster: Any
    output: Any
    prompt_hash: Any
    doc_hash: Any
    keys: str

    @property
    def where(self) -> str:
        """How a message names the line: by file and number."""
        return f"{self.path}, line {self.number:,}"

    def about(self) -> str:
        """Return how a message names the line."""
        return f"{self.item} of arm {self.arm!r} ({self.where}), whose doc has {self.keys}"


def lines_of(file: Samples, cluster: str | None) -> Iterator[Line]:
    """Yield what is kept of each line of a samples file.

    Parameters
    ----------
    file : Samples
    cluster : str or None
        The key of the document that is its cluster, as a dotted path.

    Raises
    ------
    RecordError
        At the first line that is no line of a samples file. The message names file and line.
    """
    for place, record in records(file.path, _check):
        filtered = record.get("filter", "none")
        listed = record.get("metrics", [name for name in record if name not in KNOWN])
        doc = record.get("doc")
        group = None if cluster is None else dig(doc, cluster)
        yield Line(
            path=file.path,
            number=place,
            doc_id=record["doc_id"],
            item=f"{file.task}/{record['doc_id']}",
            arm=file.arm,
            task=file.task,
            measures={Measure(name, filtered): record.get(name) for name in listed},
            cluster=group,
            output=_response(record),
            prompt_hash=record.get("prompt_hash"),
            doc_hash=record.get("doc_hash"),
            keys=keys_text(doc) if group is None and cluster is not None else "",
        )


def _check(record: dict[str, Any]) -> None:
    """Refuse an object that is no line of a samples file."""
    if type(record.get("doc_id")) not in (int, str):
        raise ValueError(f"{IDS}, found {json_name(record.get('doc_id'))}")
    for name in ("filter", "prompt_hash", "doc_hash"):
        if type(record.get(name, "")) is not str:
            raise ValueError(f"{name} must be text, found {json_name(record[name])}")
    listed = record.get("metrics", [])
    if type(listed) is not list or not all(type(name) is str for name in listed):
        raise ValueError(f"metrics must be a list of names, found {json_name(listed)}")


def _response(record: dict[str, Any]) -> str | None:
    """Return the first response of a task that generates text, None for likelihoods.

    Likelihoods are text in these files too. A request that generates has options (an object) where
    one of likelihood has the continuation.
    """
    arguments, resps = record.get("arguments"), record.get("resps")
    requests = list(arguments.values()) if type(arguments) is dict else arguments
    if type(requests) is not list or len(requests) != 1:
        return None
    request = list(requests[0].values()) if type(requests[0]) is dict else requests[0]
    if type(request) is not list or len(request) < 2 or type(request[1]) is not dict:
        return None
    while type(resps) is list and resps:
        resps = resps[0]
    return resps if type(resps) is str else None
