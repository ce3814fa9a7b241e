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
    """
    grader = Grader(value_map)
    wanted = names(scorer, "scorer")
    logs = [
        read_log(source.path, source.label, cluster, text) for source in sources(paths, _inside)
    ]
    _refuse_mixed_ids(logs)
    labels = arm_labels(logs, arm)
    metrics = chosen_metrics(logs, wanted)
    if cluster is not None:
        samples = [(log, one) for log in logs for one in log.samples]
        check_clusters(
            [one.cluster for _, one in samples],
            cluster,
            lambda row: (
                f"id {samples[row][1].item!r} of {samples[row][0].path}, whose metadata has "
                f"{samples[row][1].keys}"
            ),
        )
    frame = _frame(logs, labels, metrics, grader, cluster is not None, text)
    select(frame, (), by=["task", "metric"])
    return frame


def _inside(folder: str) -> list[Path]:
    """Return the logs of a folder and of those inside it, sorted by path."""
    found = sorted(path for path in Path(folder).rglob("*") if LOG.fullmatch(path.name))
    found = [path for path in found if path.is_file()]
    if not found:
        raise FileNotFoundError(f"no log (*.eval, or *.json that starts with a time) in {folder!r}")
    return found


def _refuse_mixed_ids(logs: Sequence[Log]) -> None:
    """Refuse ids that are text in one sample and integers in another: 7 is not "7"."""
    first: dict[type, tuple[Log, str | int]] = {}
    for log in logs:
        for one in log.samples:
            first.setdefault(type(one.item), (log, one.item))
    if len(first) > 1:
        listed = " and ".join(f"{item!r} in {log.path}" for log, item in first.values())
        raise RecordError(f"ids must be all text or all integers, found {listed}; read them apart")


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
        kept = [(one, metric) for one in log.samples for metric in chosen]
        scores = [grader.grade(metric.value(one), metric.name) for one, metric in kept]
        columns["item_id"] += [one.item for one, _ in kept]
        columns["arm"] += [label] * len(kept)
        columns["seed"] += [one.epoch for one, _ in kept]
        columns["cluster_id"] += [one.cluster for one, _ in kept]
        columns["task"] += [log.run["task"]] * len(kept)
        columns["metric"] += [metric.name for _, metric in kept]
        columns["score"] += scores
        columns["output"] += [one.output for one, _ in kept]
        columns["n_output_tokens"] += [one.tokens for one, _ in kept]
        columns["hit_cap"] += [one.hit_cap for one, _ in kept]
        columns["status"] += [
            "ok" if not math.isnan(score) else "error" if one.failed else "unscored"
            for (one, _), score in zip(kept, scores, strict=True)
        ]
        columns["log_status"] += [str(log.header.get("status"))] * len(kept)
    grader.check()
    absent = set() if text else {"output", "hit_cap"}
    absent |= set() if clustered else {"cluster_id"}
    tokens = columns["n_output_tokens"]
    if tokens and tokens.count(None) == len(tokens):
        absent.add("n_output_tokens")
    return table({name: columns[name] for name in DTYPES if name not in absent}, DTYPES)
