"""Samples files of lm-evaluation-harness to one tidy frame."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from evalframe.errors import FrameError
from evalframe.io.cells import table
from evalframe.io.harness import samples_files
from evalframe.io.measures import Measure, choose
from evalframe.io.nested import check_clusters, names, number
from evalframe.io.paths import Paths
from evalframe.io.records import json_name
from evalframe.io.refusals import naming
from evalframe.io.sample_lines import Line, lines_of
from evalframe.runs import select

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

    Tasks may have different metrics (``acc`` here, ``f1`` there). A mean over all rows would be one
    over both: ``by="task"`` keeps them apart.

    Examples
    --------
    >>> samples = read_lm_eval("data/logs/lm_eval", filter="strict-match", cluster="story")
    >>> samples[["item_id", "arm", "metric", "cluster_id", "score"]].head(2)
        item_id       arm                    metric cluster_id  score
    0  crates/0  toy/base  exact_match,strict-match        c01    1.0
    1  crates/1  toy/base  exact_match,strict-match        c01    0.0
    """
    files = samples_files(paths, arm)
    lines = [line for file in files for line in lines_of(file, cluster)]
    measures: dict[str, dict[Measure, list[Any]]] = {}
    for line in lines:
        for measure, value in line.measures.items():
            measures.setdefault(line.task, {}).setdefault(measure, []).append(value)
    with naming([file.path for file in files]):
        chosen = choose(measures, names(metric, "metric"), names(filter, "filter"))
        _check_documents(lines)
        _refuse_mixed_ids(lines)
        _refuse_twice(lines)
        if cluster is not None:
            clusters = [line.cluster for line in lines]
            check_clusters(clusters, cluster, lambda row: lines[row].about())
        frame = _frame(lines, chosen, cluster is not None)
        select(frame, (), by=["metric"])
    return frame


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
        one = first[item]
        raise FrameError.of(
            "an item must be the same document in every arm",
            f"another doc_hash for {len(differ):,} of {len(first):,} items; first: {item!r} in arm "
            f"{one.arm!r} ({one.where}) and arm {other.arm!r} ({other.where})",
            "the arms were run on different data: run one of them again",
            column="item_id",
            count=len(differ),
            first=item,
        )


def _refuse_mixed_ids(lines: list[Line]) -> None:
    """Refuse ids of a task that are text in one line and integers in another: 7 is not "7"."""
    first: dict[str, Line] = {}
    for line in lines:
        one = first.setdefault(line.task, line)
        if type(one.doc_id) is not type(line.doc_id):
            raise FrameError.of(
                f"doc_id must be all text or all integers in task {line.task!r}",
                f"{one.doc_id!r} in {one.where} and {line.doc_id!r} in {line.where}",
                "write them in one type",
                column="item_id",
                count=1,
                first=line.item,
            )


def _refuse_twice(lines: list[Line]) -> None:
    """Refuse a document that an arm answers twice under one metric and filter."""
    first: dict[tuple[str, str, Measure], Line] = {}
    for line in lines:
        for measure in line.measures:
            one = first.setdefault((line.item, line.arm, measure), line)
            if one is not line:
                raise FrameError.of(
                    "(item, arm, metric, filter) must be unique",
                    f"{line.item!r} of arm {line.arm!r} under {str(measure)!r} twice: {one.where} "
                    f"and {line.where}",
                    "lm_eval appends to a samples file that is there: keep the lines of one run",
                    column="item_id",
                    count=1,
                    first=line.item,
                )


def _frame(lines: list[Line], chosen: dict[str, list[Measure]], clustered: bool) -> pd.DataFrame:
    """Build the frame of the chosen measures."""
    columns: dict[str, list[Any]] = {name: [] for name in DTYPES}
    for line in lines:
        for measure, value in line.measures.items():
            if measure in chosen[line.task]:
                score = number(value)
                if score is None:
                    raise FrameError.of(
                        f"{line.where}: metric {measure.name!r} must hold numbers",
                        f"{json_name(value)} in {line.item} of arm {line.arm!r}",
                        "choose another with metric=, or score the run again",
                        column="score",
                        count=1,
                        first=line.item,
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
