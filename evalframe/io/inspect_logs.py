"""Inspect AI's logs: the header and what is kept of every sample."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalframe.errors import RecordError
from evalframe.io.archive import Archive, opened
from evalframe.io.nested import check_text, decode, decode_file, dig, keys_text
from evalframe.io.records import json_name

# What Inspect puts into a summary for metadata that is too long, and how it ends a cut text.
REMOVED, CUT, CUT_FROM = "Key removed from summary (> 1k)", "...", 1000

# Why an answer ended, where it is its length: of the output, of the context, of all tokens.
STOPPED = ("max_tokens", "model_length")
LIMITS = ("token", "context")

JOURNAL = re.compile(r"_journal/summaries/(\d+)\.json")


@dataclass(frozen=True, slots=True)
class Sample:
    """One epoch of one item.

    Attributes
    ----------
    item : str or int
    epoch : int
    scores : dict of scorer to value
        As they stand in the log.
    tokens : int or None
        What the log's model wrote.
    failed : bool
        Whether an error ended it.
    cluster : object
    keys : str
        What its metadata has, for messages.
    output : str or None
    hit_cap : bool or None
    """

    item: str | int
    epoch: int
    scores: dict[str, Any]
    tokens: Any
    failed: bool
    cluster: Any
    keys: str
    output: str | None
    hit_cap: bool | None


@dataclass(frozen=True, slots=True)
class Log:
    """One log.

    Attributes
    ----------
    path : Path
    label : str or None
        The arm that the caller gave it.
    header : dict
        ``eval``, ``status``, ``plan`` and so on.
    samples : list of Sample
    """

    path: Path
    label: str | None
    header: dict[str, Any]
    samples: list[Sample]

    @property
    def run(self) -> dict[str, Any]:
        """What was run: the header's ``eval``."""
        found: dict[str, Any] = self.header["eval"]
        return found


def read_log(path: Path, label: str | None, cluster: str | None, text: bool) -> Log:
    """Read a log of either form.

    Parameters
    ----------
    path : Path
        An archive (``.eval``) or one JSON object (``.json``), told apart by their content.
    label : str or None
        The arm that the caller gave it.
    cluster : str or None
        The metadata key of the cluster, as a dotted path.
    text : bool
        Whether to read what the arm wrote, for which every sample of an archive is opened.

    Raises
    ------
    RecordError
        If the file is no log, or damaged.
    """
    with open(path, "rb") as file:
        start = file.read(4)
    if start != b"PK\x03\x04":
        whole = decode_file(path)
        header = _header(whole, str(path))
        found = _list(whole.get("samples"), f"{path}: its samples are")
        kept = [sample(one, header, cluster, f"{path}, sample {n}") for n, one in enumerate(found)]
        return _checked(Log(path, label, header, kept))
    with opened(path) as archive:
        name, status = _first(archive)
        header = _header(decode(archive.read(name), archive.where(name)), archive.where(name))
        header.setdefault("status", status)
        kept = [sample(one, header, cluster, where) for one, where in _summaries(archive)]
        # A summary leaves out or cuts long metadata; the samples themselves have it whole.
        if text or (cluster is not None and any(_thinned(one.cluster) for one in kept)):
            count = len(kept)
            kept = [sample(one, header, cluster, where) for one, where in _samples(archive)]
            if len(kept) < count:
                raise RecordError(
                    f"{path}: holds {len(kept):,} of {count:,} samples whole, of the others the "
                    "summary alone; read it with text=False and without a cluster from long "
                    "metadata"
                )
    return _checked(Log(path, label, header, kept))


def _first(archive: Archive) -> tuple[str, str]:
    """Return the member that holds the header, and the status if it does not say."""
    for name, status in (("header.json", "unknown"), ("_journal/start.json", "started")):
        if name in archive.members:
            return name, status
    raise RecordError(f"{archive.path}: a zip archive, but no Inspect log: it has no header.json")


def _header(value: Any, where: str) -> dict[str, Any]:
    """Return the header of a log, checked."""
    run = value.get("eval") if type(value) is dict else None
    if type(run) is not dict or not all(type(run.get(k)) is str for k in ("task", "model")):
        raise RecordError(f"{where}: no header of an Inspect log (no eval.task and eval.model)")
    header: dict[str, Any] = value
    return header


def _list(value: Any, where: str) -> list[Any]:
    if type(value) is not list:
        raise RecordError(f"{where} {json_name(value)}, not a list")
    return value


def _summaries(archive: Archive) -> Iterator[tuple[Any, str]]:
    """Yield the summary of each sample, from the journal where the run was cut off."""
    names = ["summaries.json"]
    if names[0] not in archive.members:
        numbered = [(int(m[1]), m[0]) for m in map(JOURNAL.fullmatch, archive.members) if m]
        names = [name for _, name in sorted(numbered)]
    for name in names:
        where = archive.where(name)
        for summary in _list(decode(archive.read(name), where), f"{where}: it holds"):
            yield summary, where


def _samples(archive: Archive) -> Iterator[tuple[Any, str]]:
    """Yield each sample whole; its member's name, in which the id is escaped, is not read."""
    for name in archive.members:
        if name.startswith("samples/") and name.endswith(".json"):
            where = archive.where(name)
            yield decode(archive.read(name), where), where


def _thinned(cluster: Any) -> bool:
    """Return whether a summary may not hold the cluster as the sample does."""
    if type(cluster) is str:
        return cluster == REMOVED or (len(cluster) >= CUT_FROM and cluster.endswith(CUT))
    return cluster is None


def sample(record: Any, header: dict[str, Any], cluster: str | None, where: str) -> Sample:
    """Return what is kept of a sample or of its summary.

    Parameters
    ----------
    record : object
        Decoded JSON.
    header : dict
        Of the log.
    cluster : str or None
    where : str
        How a message names it.
    """
    if type(record) is not dict or type(record.get("id")) not in (str, int):
        raise RecordError(f"{where}: no sample of an Inspect log (no id)")
    about = f"{where} (id {record['id']!r})"
    epoch = record.get("epoch", 1)
    scores = record.get("scores") or {}
    if type(epoch) is not int:
        raise RecordError(f"{about}: its epoch is {json_name(epoch)}, not an integer")
    if type(scores) is not dict or not all(type(score) is dict for score in scores.values()):
        raise RecordError(f"{about}: its scores are not objects by scorer")
    metadata = record.get("metadata")
    found = None if cluster is None else dig(metadata, cluster)
    failed = record.get("error") not in (None, "")
    output, hit_cap = _answer(record, failed)
    return Sample(
        item=record["id"],
        epoch=epoch,
        scores={name: score.get("value") for name, score in scores.items()},
        tokens=_tokens(record.get("model_usage"), header["eval"]["model"]),
        failed=failed,
        cluster=found,
        keys=keys_text(metadata) if cluster is not None and found is None else "",
        output=output,
        hit_cap=hit_cap,
    )


def _tokens(usage: Any, model: str) -> int | None:
    """Return how many tokens the log's own model wrote; a grader's are not the arm's."""
    tokens = dig(usage.get(model), "output_tokens") if type(usage) is dict else None
    return tokens if type(tokens) is int else None


def _answer(record: dict[str, Any], failed: bool) -> tuple[str | None, bool | None]:
    """Return what the arm wrote, and whether its length ended it. A summary holds neither."""
    output, limit = record.get("output"), record.get("limit")
    choices = dig(output, "choices")
    choice = choices[0] if type(choices) is list and choices else None
    text = dig(output, "completion")
    if choice is None and (failed or not text):
        text = None if failed else text
    elif type(text) is not str:
        text = _content(dig(choice, "message.content"))
    capped = dig(choice, "stop_reason") in STOPPED or dig(limit, "type") in LIMITS
    unknown = failed and choice is None and not capped
    return (text if type(text) is str else None), (None if unknown else capped)


def _content(content: Any) -> Any:
    """Return the text of a message, which older logs do not repeat as the completion."""
    if type(content) is list:
        return "\n".join(str(dig(part, "text")) for part in content if dig(part, "text"))
    return content


def _checked(log: Log) -> Log:
    """Return the log, or refuse text that no column can hold and samples that stand twice."""
    for name in ("item", "cluster", "output"):
        check_text((getattr(one, name) for one in log.samples), name, log.path)
    check_text((name for one in log.samples for name in one.scores), "metric", log.path)
    keys = Counter((one.item, one.epoch) for one in log.samples)
    if len(keys) < len(log.samples):
        item, epoch = next(key for key, count in keys.items() if count > 1)
        raise RecordError(
            f"{log.path}: {len(log.samples) - len(keys):,} samples stand twice; first: id "
            f"{item!r}, epoch {epoch}"
        )
    return log
