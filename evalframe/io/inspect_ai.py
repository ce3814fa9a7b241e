"""Logs of Inspect AI to one tidy frame."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from evalframe.errors import RecordError
from evalframe.io.cells import table
from evalframe.io.grades import Grader, Metric, chosen_metrics
from evalframe.io.inspect_arms import arm_labels
from evalframe.io.inspect_logs import Log, read_log
from evalframe.io.nested import check_clusters, names
from evalframe.io.paths import Paths, sources
from evalframe.io.refusals import naming
from evalframe.runs import select

# A log's name starts with the time, other JSON files that lie beside logs do not.
LOG = re.compile(r".*\.eval|\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d.*\.json")

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
    "n_output_tokens": int,
    "hit_cap": bool,
    "status": str,
    "log_status": str,
}


def read_inspect(
    paths: Paths,
    *,
    scorer: str | Iterable[str] | None = None,
    cluster: str | None = None,
    value_map: str | Mapping[Any, float] | None = "default",
    arm: str | None = None,
    text: bool = False,
) -> pd.DataFrame:
    """Read logs of Inspect AI (``.eval`` and ``.json``) into tidy rows.

    Scores come from a log's summaries, without opening its samples. What the arm wrote stands in
    the samples alone, many times the summaries in size: it is read where `text` asks for it.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of arm to either
        Logs, patterns, or log folders, which are searched to the bottom. A mapping
        (``{"base": "logs/base.eval"}``) gives the arm's label.
    scorer : str or list of str, optional
        Which scorers to read, or single keys of one (``"rubric.clarity"``). By default all, one row
        each; a statistic then needs one of them, or their own name for the column:
        ``frame.rename(columns={"metric": "measure"}).evals.score(by="measure")``.
    cluster : str, optional
        The key of a sample's metadata that dependent items share, as a dotted path.
    value_map : "default", mapping or None
        What a label is worth. "default" is the map of Inspect itself: C 1, P 0.5, I and N 0, yes
        and true 1, no and false 0 in any case, and the text of a number as that number. A mapping
        (``{"C": 1, "I": 0}``) takes its place. Numbers stay as they are.
    arm : str, optional
        Where the arm's label stands in the log's header, as a dotted path inside ``eval``
        (``"tags"``, ``"task_args.prompt"``, ``"eval_id"``) or the header itself. By default
        ``eval.metadata.arm`` where a log has that, else ``eval.model``, with the task arguments
        that differ between logs of one task and model.
    text : bool, default False
        Whether to read `output` and `hit_cap` too, for which every sample is opened.

    Returns
    -------
    DataFrame
        One row a sample and metric, in the order of the logs:

        - item_id : the sample's ``id``
        - arm, task, metric (the scorer, with ".KEY" where it gives objects)
        - seed : the epoch
        - cluster_id : with `cluster` only
        - score : NaN where there is none
        - output : the completion; missing where an error came first. With `text` only
        - n_output_tokens : what the log's model wrote, also where it graded; left out where no log
          says
        - hit_cap : whether the output stopped at its or the context's length, or at a limit of
          tokens. With `text` only
        - status : "ok", or why there is no score: "error" or "unscored"
        - log_status : "success", "error", "cancelled" or "started" of the whole log; all but the
          first lack samples

    Raises
    ------
    RecordError
        If a file is no log, damaged or unsound, or two logs hold the same samples of one arm. The
        message names the file, and the member of an archive.
    RoleError
        If a scorer, or the place of the arm's label, is not there.
    FrameError
        If a label has no number, or a sample no cluster.
    FileNotFoundError
        If a path is not there, or a folder holds no log.

    See Also
    --------
    read_lm_eval : The same for lm-evaluation-harness.
    tidy : Takes the frame of Inspect's ``samples_df()``.

    Examples
    --------
    >>> logs = read_inspect("data/logs/inspect", scorer="match", cluster="story")
    >>> logs[["item_id", "arm", "task", "cluster_id", "score"]].head(2)
      item_id       arm   task cluster_id  score
    0   f01-1  toy/base  fares        f01    1.0
    1   f01-2  toy/base  fares        f01    1.0
    """
    grader = Grader(value_map)
    wanted = names(scorer, "scorer")
    logs = [
        read_log(source.path, source.label, cluster, text) for source in sources(paths, _inside)
    ]
    _refuse_mixed_ids(logs)
    with naming([log.path for log in logs]):
        labels = arm_labels(logs, arm)
        metrics = chosen_metrics(logs, wanted)
        if cluster is not None:
            clusters = [cell for log in logs for cell in log.samples.cluster]
            check_clusters(clusters, cluster, lambda row: _about(logs, row))
        frame = _frame(logs, labels, metrics, grader, cluster is not None, text)
        select(frame, (), by=["task", "metric"])
    return frame


def _inside(folder: str) -> list[Path]:
    """Return the logs of a folder and of those inside it, sorted by path."""
    found = sorted(path for path in Path(folder).rglob("*") if LOG.fullmatch(path.name))
    found = [path for path in found if path.is_file()]
    if not found:
        raise FileNotFoundError(
            f"no log (*.eval, or *.json that starts with a time) in {folder!r}; name the files"
        )
    return found


def _refuse_mixed_ids(logs: Sequence[Log]) -> None:
    """Refuse ids that are text in one sample and integers in another: 7 is not "7"."""
    first: dict[type, tuple[Log, str | int]] = {}
    for log in logs:
        for kind in dict.fromkeys(map(type, log.samples.item)):
            if kind not in first:
                first[kind] = log, next(one for one in log.samples.item if type(one) is kind)
    if len(first) > 1:
        listed = " and ".join(f"{item!r} in {log.path}" for log, item in first.values())
        raise RecordError.of(
            "ids must be all text or all integers", listed, "read them apart", column="item_id"
        )


def _about(logs: Sequence[Log], row: int) -> str:
    """Return how a message names a sample, by its place among those of all logs."""
    for log in logs:
        if row < len(log.samples):
            break
        row -= len(log.samples)
    has = log.samples.keys.get(row, "")
    return f"id {log.samples.item[row]!r} of {log.path}, whose metadata has {has}"


def _frame(
    logs: Sequence[Log],
    labels: Sequence[str],
    metrics: Sequence[Sequence[Metric]],
    grader: Grader,
    clustered: bool,
    text: bool,
) -> pd.DataFrame:
    """Build the frame of the chosen metrics."""
    columns: dict[str, list[Any]] = {name: [] for name in DTYPES}
    for log, label, chosen in zip(logs, labels, metrics, strict=True):
        of = log.samples
        # Row by row of the log, and in each its metrics: so every column of it is repeated.
        graded = [grader.grades(metric.values(log), metric.name, log.path) for metric in chosen]
        scores = [score for row in zip(*graded, strict=True) for score in row]
        failed = _each(of.failed, len(chosen))
        columns["item_id"] += _each(of.item, len(chosen))
        columns["arm"] += [label] * len(scores)
        columns["seed"] += _each(of.epoch, len(chosen))
        columns["cluster_id"] += _each(of.cluster, len(chosen))
        columns["task"] += [log.run["task"]] * len(scores)
        columns["metric"] += [metric.name for metric in chosen] * len(of)
        columns["score"] += scores
        columns["output"] += _each(of.output, len(chosen))
        columns["n_output_tokens"] += _each(of.tokens, len(chosen))
        columns["hit_cap"] += _each(of.hit_cap, len(chosen))
        columns["status"] += [
            "ok" if not math.isnan(score) else "error" if wrong else "unscored"
            for score, wrong in zip(scores, failed, strict=True)
        ]
        columns["log_status"] += [str(log.header.get("status"))] * len(scores)
    grader.check()
    absent = set() if text else {"output", "hit_cap"}
    absent |= set() if clustered else {"cluster_id"}
    tokens = columns["n_output_tokens"]
    if tokens and tokens.count(None) == len(tokens):
        absent.add("n_output_tokens")
    return table({name: columns[name] for name in DTYPES if name not in absent}, DTYPES)


def _each(cells: list[Any], times: int) -> list[Any]:
    """Return every cell so many times, one beside the other."""
    return cells if times == 1 else [cell for cell in cells for _ in range(times)]
