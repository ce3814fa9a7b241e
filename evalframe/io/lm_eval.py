"""Samples files of lm-evaluation-harness to one tidy frame."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from evalframe.errors import FrameError
from evalframe.io.cells import table
from evalframe.io.harness import Samples, samples_files
from evalframe.io.lines import records
from evalframe.io.measures import Measure, choose
from evalframe.io.nested import check_clusters, dig, keys_text, names, number
from evalframe.io.paths import Paths
from evalframe.io.records import json_name
from evalframe.runs import select

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

# The columns of the frame, with the dtypes that they have without rows.
DTYPES: dict[str, type] = {
    "item_id": str,
    "arm": str,
    "seed": int,
    "cluster_id": str,
    "task": str,
    "metric": str,
    "score": float,
    "output": str,
    "prompt_hash": str,
    "status": str,
}


@dataclass(frozen=True, slots=True)
class Line:
    """What is kept of one line: a document under one filter.

    Attributes
    ----------
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

    item: str
    arm: str
    task: str
    measures: dict[Measure, Any]
    cluster: Any
    output: Any
    prompt_hash: Any
    doc_hash: Any
    keys: str

    def about(self) -> str:
        """Return how a message names the line."""
        return f"{self.item} of arm {self.arm!r}, whose doc has {self.keys}"


def read_lm_eval(
    paths: Paths,
    *,
    metric: str | Iterable[str] | None = None,
    filter: str | Iterable[str] | None = None,
    cluster: str | None = None,
    arm: str | None = None,
) -> pd.DataFrame:
    """Read the samples files of lm-evaluation-harness (``lm_eval --log_samples``) into tidy rows.

    One row is a document's score under one metric and filter. The harness writes a document once
    for every filter; a frame of all of them would count each item several times, so that a task of
    several filters or metrics needs a choice.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of arm to either
        Samples files, patterns, or output folders, which are searched to the bottom. A mapping
        (``{"base": "out/base"}``) gives the arm's label.
    metric : str or list of str, optional
        Which metrics to read, as ``"exact_match"`` or with the filter, as results files name them:
        ``"exact_match,strict-match"``. By default a task's only one.
    filter : str or list of str, optional
        Which filters to read. By default a task's only one.
    cluster : str, optional
        The key of ``doc`` that dependent documents share, as a dotted path (``"meta.passage"``).
    arm : str, optional
        Where the arm's label stands in the results file, as a dotted path
        (``"config.model_args"``). By default ``model_name``; the samples file's folder names the
        arm where there is no results file of the same time, or where the model was handed over as a
        Python object and has no name.

    Returns
    -------
    DataFrame
        One row a document, metric and filter, in the order of the files:

        - item_id : "TASK/DOC_ID"; a document is the same item in every arm
        - arm, task, metric ("NAME,FILTER")
        - seed : 0; the harness scores a document once a run, over all of its repeats
        - cluster_id : with `cluster` only
        - score : NaN where the file has NaN or null
        - output : the first response as the model wrote it; missing where the task compares
          likelihoods, left out where all do
        - prompt_hash : left out where no file has it
        - status : "ok", or "unscored" where the score is missing

        There is no count of tokens in these files.

    Raises
    ------
    RecordError
        If a line is not one such record, or one arm has several runs of a task.
    RoleError
        If a task has several metrics or filters and none is chosen, the chosen one is not there, or
        it is one of the corpus, which gives a document no score.
    FrameError
        If a document differs between arms (``doc_hash``), occurs twice, or has no cluster.
    FileNotFoundError
        If a path or its samples files are not there.

    See Also
    --------
    read_inspect : The same for Inspect AI.

    Notes
    -----
    Runs of the harness with ``limit`` hold the first documents of a task, no random ones.
    """
    lines = [line for file in samples_files(paths, arm) for line in _read(file, cluster)]
    measures: dict[str, dict[Measure, list[Any]]] = {}
    for line in lines:
        for measure, value in line.measures.items():
            measures.setdefault(line.task, {}).setdefault(measure, []).append(value)
    chosen = choose(measures, names(metric, "metric"), names(filter, "filter"))
    _check_documents(lines)
    if cluster is not None:
        check_clusters([line.cluster for line in lines], cluster, lambda row: lines[row].about())
    frame = _frame(lines, chosen, cluster is not None)
    select(frame, (), by=["metric"])
    return frame


def _read(file: Samples, cluster: str | None) -> Iterator[Line]:
    """Yield what is kept of each line of a samples file."""
    for record in records(file.path, _check):
        filtered = record.get("filter", "none")
        listed = record.get("metrics", [name for name in record if name not in KNOWN])
        doc = record.get("doc")
        group = None if cluster is None else dig(doc, cluster)
        yield Line(
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
        raise ValueError(f"no samples file: doc_id is {json_name(record.get('doc_id'))}")
    for name in ("filter", "prompt_hash", "doc_hash"):
        if type(record.get(name, "")) is not str:
            raise ValueError(f"no samples file: {name} is {json_name(record[name])}, not text")
    listed = record.get("metrics", [])
    if type(listed) is not list or not all(type(name) is str for name in listed):
        raise ValueError(f"no samples file: metrics is {json_name(listed)}, not a list of names")


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


def _check_documents(lines: list[Line]) -> None:
    """Refuse an item that is not the same document in every line."""
    first: dict[str, Line] = {}
    differ: dict[str, Line] = {}
    for line in lines:
        if line.doc_hash is not None:
            one = first.setdefault(line.item, line)
            if one.doc_hash != line.doc_hash:
                differ.setdefault(line.item, line)
    if differ:
        item, other = next(iter(differ.items()))
        raise FrameError(
            f"an item must be the same document in every arm, found another doc_hash for "
            f"{len(differ):,} of {len(first):,} items; first: {item!r} in arm {first[item].arm!r} "
            f"and arm {other.arm!r}; the arms were run on different data: run one of them again"
        )


def _frame(lines: list[Line], chosen: dict[str, list[Measure]], clustered: bool) -> pd.DataFrame:
    """Build the frame of the chosen measures."""
    columns: dict[str, list[Any]] = {name: [] for name in DTYPES}
    for line in lines:
        for measure, value in line.measures.items():
            if measure in chosen[line.task]:
                score = number(value)
                if score is None:
                    raise FrameError(
                        f"metric {measure.name!r} must hold numbers, found {json_name(value)} in "
                        f"{line.item} of arm {line.arm!r}"
                    )
                row = (
                    *(line.item, line.arm, 0, line.cluster, line.task, str(measure), score),
                    *(line.output, line.prompt_hash, "unscored" if score != score else "ok"),
                )
                for cells, cell in zip(columns.values(), row, strict=True):
                    cells.append(cell)
    empty = {"cluster_id"} if not clustered else set()
    empty |= {name for name in ("output", "prompt_hash") if not any(map(_known, columns[name]))}
    return table({name: columns[name] for name in DTYPES if name not in empty}, DTYPES)


def _known(cell: Any) -> bool:
    return cell is not None
