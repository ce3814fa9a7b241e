"""Inspect AI's logs, of either form: the header and the samples."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalframe.io.archive import Archive, opened
from evalframe.io.inspect_samples import Samples
from evalframe.io.nested import collector_paused, decode, decode_file
from evalframe.io.records import json_name
from evalframe.io.refusals import AGAIN, refusal

# What Inspect puts into a summary for metadata that is too long, and how it ends a cut text.
REMOVED, CUT, CUT_FROM = "Key removed from summary (> 1k)", "...", 1000

JOURNAL = re.compile(r"_journal/summaries/(\d+)\.json")


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
    samples : Samples
    """

    path: Path
    label: str | None
    header: dict[str, Any]
    samples: Samples

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
    with collector_paused():
        header, samples = _read(path, cluster, text)
    samples.check(path)
    return Log(path, label, header, samples)


def _read(path: Path, cluster: str | None, text: bool) -> tuple[dict[str, Any], Samples]:
    """Return the header and the samples of a log."""
    with open(path, "rb") as file:
        start = file.read(4)
    if start != b"PK\x03\x04":
        whole = decode_file(path)
        header = _header(whole, str(path))
        samples = Samples(header["eval"]["model"], cluster, text)
        for n, one in enumerate(_list(whole.get("samples"), str(path))):
            samples.add([one], f"{path}, sample {n}")
        return header, samples
    with opened(path) as archive:
        return _of_archive(archive, cluster, text)


def _of_archive(
    archive: Archive, cluster: str | None, text: bool
) -> tuple[dict[str, Any], Samples]:
    """Return the header and the samples of an archive, from their summaries where these will do."""
    name, status = _first(archive)
    header = _header(decode(archive.read(name), archive.where(name)), archive.where(name))
    header.setdefault("status", status)
    model = header["eval"]["model"]
    found = Samples(model, cluster, text=False)
    for summaries, where in _summaries(archive):
        found.add(summaries, where)
    # A summary leaves out or cuts long metadata, which the samples themselves have whole; and
    # there may be samples without one.
    if not text and not any(map(_thinned, found.cluster)) and _n_samples(archive) <= len(found):
        return header, found
    whole = Samples(model, cluster, text)
    for one, where in _samples(archive):
        whole.add([one], where)
    if len(whole) < len(found):
        raise refusal(
            archive.path,
            "samples must be whole where outputs or long metadata are read",
            f"{len(whole):,} of {len(found):,} samples whole, of the others the summary alone",
            "read it with text=False and without a cluster from long metadata",
        )
    return header, whole


def _first(archive: Archive) -> tuple[str, str]:
    """Return the member that holds the header, and the status if it does not say."""
    for name, status in (("header.json", "unknown"), ("_journal/start.json", "started")):
        if name in archive.members:
            return name, status
    raise refusal(archive.path, "must be a log of Inspect AI", "no header.json in it", AGAIN)


def _header(value: Any, where: str) -> dict[str, Any]:
    """Return the header of a log, checked."""
    run = value.get("eval") if type(value) is dict else None
    if type(run) is not dict or not all(type(run.get(k)) is str for k in ("task", "model")):
        raise refusal(
            where, "must have the texts eval.task and eval.model", "no header of a log", AGAIN
        )
    header: dict[str, Any] = value
    return header


def _list(value: Any, where: str) -> list[Any]:
    if type(value) is not list:
        raise refusal(where, "its samples must be a list", json_name(value), AGAIN)
    return value


def _summaries(archive: Archive) -> Iterator[tuple[list[Any], str]]:
    """Yield the summaries of a member, from the journal where the run was cut off."""
    names = ["summaries.json"]
    if names[0] not in archive.members:
        numbered = [(int(m[1]), m[0]) for m in map(JOURNAL.fullmatch, archive.members) if m]
        names = [name for _, name in sorted(numbered)]
    for name in names:
        where = archive.where(name)
        yield _list(decode(archive.read(name), where), where), where


def _n_samples(archive: Archive) -> int:
    """Return how many samples an archive holds whole."""
    return sum(map(_is_sample, archive.members))


def _is_sample(name: str) -> bool:
    return name.startswith("samples/") and name.endswith(".json")


def _samples(archive: Archive) -> Iterator[tuple[Any, str]]:
    """Yield each sample whole; its member's name, in which the id is escaped, is not read."""
    for name in filter(_is_sample, archive.members):
        where = archive.where(name)
        yield decode(archive.read(name), where), where


def _thinned(cluster: Any) -> bool:
    """Return whether a summary may not hold the cluster as the sample does."""
    if type(cluster) is str:
        return cluster == REMOVED or (len(cluster) >= CUT_FROM and cluster.endswith(CUT))
    return cluster is None
