"""What is kept of the samples of an Inspect AI log, or of their summaries, as columns."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalframe.errors import RecordError
from evalframe.io.nested import check_text, dig, keys_text
from evalframe.io.records import json_name
from evalframe.io.refusals import AGAIN, refusal

# Why an answer ended, where it is its length: of the output, of the context, of all tokens.
STOPPED = ("max_tokens", "model_length")
LIMITS = ("token", "context")

NO_SCORE: dict[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Samples:
    """Epochs of items, a list a column: a log has many samples, and an object each is slow.

    Attributes
    ----------
    model : str
        The log's own, whose tokens are counted.
    path : str or None
        Where the cluster stands in the metadata, dotted. None: no cluster is read.
    text : bool
        Whether `output` and `hit_cap` are read, which no summary holds.
    item : list of str or int
    epoch : list of int
    scores : dict of scorer to list of values
        As they stand in the log, None where a sample has none.
    tokens : list of (int or None)
        What the log's model wrote.
    failed : list of bool
        Whether an error ended it.
    cluster : list
        With a path only.
    keys : dict of int to str
        By row, what the metadata of a sample without a cluster has, for messages.
    output : list of (str or None)
        With `text` only, as `hit_cap`.
    hit_cap : list of (bool or None)
    """

    model: str
    path: str | None
    text: bool
    item: list[str | int] = field(default_factory=list)
    epoch: list[int] = field(default_factory=list)
    scores: dict[str, list[Any]] = field(default_factory=dict)
    tokens: list[int | None] = field(default_factory=list)
    failed: list[bool] = field(default_factory=list)
    cluster: list[Any] = field(default_factory=list)
    keys: dict[int, str] = field(default_factory=dict)
    output: list[str | None] = field(default_factory=list)
    hit_cap: list[bool | None] = field(default_factory=list)

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.item)

    def add(self, records: list[Any], where: str) -> None:
        """Add samples or their summaries.

        Parameters
        ----------
        records : list
            Decoded JSON.
        where : str
            How a message names where they stand.

        Raises
        ------
        RecordError
            If one is no sample, or an epoch or scores are not what Inspect writes.
        """
        for one in records:
            if type(one) is not dict or type(one.get("id")) not in (str, int):
                found = json_name(one.get("id") if type(one) is dict else one)
                found = f"an id that is {found}" if type(one) is dict else found
                raise refusal(where, "a sample must have an id, text or an integer", found, AGAIN)
        epochs = [one.get("epoch", 1) for one in records]
        if set(map(type, epochs)) - {int}:
            row = next(row for row, epoch in enumerate(epochs) if type(epoch) is not int)
            raise refusal(
                _about(records[row], where),
                "its epoch must be an integer",
                json_name(epochs[row]),
                AGAIN,
            )
        self._add_scores(records, where)
        failed = [one.get("error") not in (None, "") for one in records]
        if self.path is not None:
            self._add_clusters([one.get("metadata") for one in records], self.path)
        if self.text:
            for one, wrong in zip(records, failed, strict=True):
                output, hit_cap = _answer(one, wrong)
                self.output.append(output)
                self.hit_cap.append(hit_cap)
        self.item.extend(one["id"] for one in records)
        self.epoch.extend(epochs)
        self.tokens.extend(_tokens(one.get("model_usage"), self.model) for one in records)
        self.failed.extend(failed)

    def _add_scores(self, records: list[Any], where: str) -> None:
        """Add the values of each scorer, by first appearance."""
        given = [one.get("scores") or NO_SCORE for one in records]
        for row, scores in enumerate(given):
            if type(scores) is not dict:
                raise _no_scores(records[row], where, scores)
        named = dict.fromkeys(name for scores in given for name in scores)
        for name in [*self.scores, *(name for name in named if name not in self.scores)]:
            cells = [scores.get(name, NO_SCORE) for scores in given]
            if set(map(type, cells)) - {dict}:
                row = next(row for row, cell in enumerate(cells) if type(cell) is not dict)
                raise _no_scores(records[row], where, cells[row])
            before = self.scores.setdefault(name, [None] * len(self))
            before.extend(cell.get("value") for cell in cells)

    def _add_clusters(self, metadata: list[Any], path: str) -> None:
        """Add the clusters, and say what the metadata has that lacks one."""
        found = [dig(one, path) for one in metadata]
        if None in found:
            for row, cluster in enumerate(found, len(self)):
                if cluster is None:
                    self.keys[row] = keys_text(metadata[row - len(self)])
        self.cluster.extend(found)

    def check(self, log: Path) -> None:
        """Refuse text that no column can hold, and samples that stand twice."""
        check_text(self.item, "item", log)
        check_text(self.cluster, "cluster", log)
        check_text(self.output, "output", log)
        check_text(self.scores, "metric", log)
        keys = list(zip(self.item, self.epoch, strict=True))
        if len(set(keys)) < len(keys):
            counts = Counter(keys)
            item, epoch = next(key for key, count in counts.items() if count > 1)
            raise refusal(
                log,
                "an epoch of an item must stand once",
                f"{len(keys) - len(counts):,} samples that stand twice; first: id {item!r}, epoch "
                f"{epoch}",
                AGAIN,
            )


def _about(record: dict[str, Any], where: str) -> str:
    return f"{where} (id {record['id']!r})"


def _no_scores(record: dict[str, Any], where: str, found: Any) -> RecordError:
    return refusal(
        _about(record, where), "its scores must be objects by scorer", json_name(found), AGAIN
    )


def _tokens(usage: Any, model: str) -> int | None:
    """Return how many tokens the log's own model wrote; a grader's are not the arm's."""
    own = usage.get(model) if type(usage) is dict else None
    tokens = own.get("output_tokens") if type(own) is dict else None
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
