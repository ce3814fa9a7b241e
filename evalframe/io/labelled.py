"""What a command is given to read, of any format, as frames whose arms have different labels."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.api.types import is_hashable

from evalframe.errors import DesignError, RecordError, RoleError
from evalframe.io.formats import Format, format_of
from evalframe.io.harness import NAME as SAMPLES
from evalframe.io.harness import samples_files
from evalframe.io.inspect_ai import LOG, read_inspect
from evalframe.io.jsonl import read_jsonl
from evalframe.io.lm_eval import read_lm_eval
from evalframe.io.parquet import read_parquet
from evalframe.io.paths import Source, pattern_in, sources, stems
from evalframe.roles import COLUMN
from evalframe.tidy import tidy

PARQUET = (".parquet", ".pq")

# The options that each format has, and what it is called.
TABLES = ("item", "arm", "seed", "score", "cluster", "tokens", "text", "value_map")
OPTIONS: dict[str, tuple[str, ...]] = {
    "parquet": TABLES,
    "jsonl": TABLES,
    "lm_eval": ("arm", "cluster", "metric", "filter"),
    "inspect": ("arm", "cluster", "scorer", "value_map"),
}
SPELLED = {"value_map": "grade"}
# The column of a table in which each of these chooses rows, as the readers of logs name it.
CHOSEN_FROM = {"metric": "metric", "scorer": "metric", "filter": "filter"}
NAMES = {
    "parquet": "Parquet",
    "jsonl": "JSON Lines",
    "lm_eval": "samples of lm-evaluation-harness",
    "inspect": "logs of Inspect AI",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read.

    Attributes
    ----------
    roles : mapping of argument to column
        Of `tidy`; ``arm`` and ``cluster`` are keys in the logs of other tools. Those not given are
        left out.
    value_map : mapping of label to number, or None
    metric, filter, scorer : list of str or None
        As `read_lm_eval` and `read_inspect` take them.
    outputs : bool
        Whether to read what the arms wrote, where that takes longer.
    """

    roles: Mapping[str, str] = field(default_factory=dict)
    value_map: Mapping[Any, float] | None = None
    metric: list[str] | None = None
    filter: list[str] | None = None
    scorer: list[str] | None = None
    outputs: bool = False

    def given(self) -> list[str]:
        """Return the names of the options that were given."""
        others = ("value_map", "metric", "filter", "scorer")
        return [*self.roles, *(name for name in others if getattr(self, name) is not None)]


@dataclass(frozen=True, slots=True)
class Given:
    """What is read together: a table, or the logs of one path.

    Attributes
    ----------
    name : str
        How a message names it.
    stem : str
        What its arm is called where another one carries the same label.
    frame : DataFrame
        Tidy runs with the column ``arm``.
    """

    name: str
    stem: str
    frame: pd.DataFrame


def read_arms(paths: Sequence[str], reading: Reading | None = None) -> list[Given]:
    """Read files whose arms have different labels: a label that two files carry becomes a name.

    A rerun of an arm carries its label. It is another arm here, called after its file.

    Parameters
    ----------
    paths : sequence of str
        Files of any format, told by the content, patterns, and folders of logs.
    reading : Reading, optional

    Returns
    -------
    list of Given
        In the order of the paths.

    Raises
    ------
    RecordError, RoleError, FrameError, FileNotFoundError
        As the readers do, or if an option belongs to another format than those that were found.
    DesignError
        If a label is one of several in a file, and in another file too.
    """
    reading = Reading() if reading is None else reading
    each = [len(sources([path], _inside)) for path in paths]
    found = sources(paths, _inside)
    kinds = [format_of(source.path) for source in found]
    ends = [sum(each[:place]) for place in range(1, len(each) + 1)]
    words = [place for place, count in enumerate(each) for _ in range(count)]
    labels = stems([Path(path) for path in paths])
    samples = _samples(paths, found, kinds, words, labels, reading)
    given: list[Given] = []
    for place, path in enumerate(paths):
        inside = range(ends[place] - each[place], ends[place])
        given += [_table(found[at], reading) for at in inside if kinds[at] in ("parquet", "jsonl")]
        given += [samples[place]] if place in samples else []
        logs = [found[at].path for at in inside if kinds[at] == "inspect"]
        given += [Given(path, labels[place], _logs(logs, reading))] if logs else []
    columns: set[Hashable] = {column for one in given for column in one.frame.columns}
    _refuse_other_options(found, kinds, reading, columns)
    return _told_apart(given)


def arm_labels(frame: pd.DataFrame) -> list[Hashable]:
    """Return the labels of a file's arms; what no label can be is left to the methods."""
    return list(dict.fromkeys(filter(is_hashable, frame["arm"].tolist())))


def _inside(folder: str) -> list[Path]:
    """Return the logs of other tools in a folder and those inside it."""
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    found = [path for path in files if SAMPLES.fullmatch(path.name) or LOG.fullmatch(path.name)]
    if not found:
        shown = ", ".join(repr(path.name) for path in sorted(files)[:3])
        raise FileNotFoundError(
            f"{folder!r} must hold logs: samples_*.jsonl of lm-evaluation-harness (lm_eval writes "
            "them with --log_samples), or *.eval or time-named *.json of Inspect AI, found "
            f"{f'other files: {shown}' if files else 'no file'}; name the files to read, for "
            f"example {pattern_in(folder)}"
        )
    return sorted(found)


def _refuse_other_options(
    found: list[Source], kinds: list[Format], reading: Reading, columns: set[Hashable]
) -> None:
    """Refuse an option that nothing of what was read has."""
    for option in reading.given():
        column = CHOSEN_FROM.get(option)
        of_format = any(option in OPTIONS.get(kind.split()[0], ()) for kind in kinds)
        if not of_format and (column is None or column not in columns):
            owners = [NAMES[kind] for kind, options in OPTIONS.items() if option in options]
            owners += [f"tables with a column {column!r}"] if column else []
            name = NAMES[kinds[0].split()[0]]
            raise RoleError(
                f"--{SPELLED.get(option, option)} is an option of {' and '.join(owners)}, found "
                f"{name} in {found[0].path}; leave it out"
            )


def _table(source: Source, reading: Reading) -> Given:
    """Read a Parquet or JSON Lines file, and rename what was named."""
    read = read_parquet if format_of(source.path) == "parquet" else read_jsonl
    frame = _of_choice(read(source.path), source, reading)
    roles = reading.roles
    # A column that is named takes the place of the one with the role's own name.
    taken = [COLUMN[role] for role, column in roles.items() if column in frame]
    kept = frame.columns.isin(list(roles.values())) | ~frame.columns.isin(taken)
    frame = frame.loc[:, kept]
    if roles or reading.value_map is not None:
        frame = tidy(frame, **roles, value_map=reading.value_map)
    return Given(str(source.path), source.stem, frame)


def _of_choice(frame: pd.DataFrame, source: Source, reading: Reading) -> pd.DataFrame:
    """Return the rows of the metrics, scorers and filters that were asked for."""
    for option, column in CHOSEN_FROM.items():
        names = getattr(reading, option)
        if names is None or column not in frame:
            continue
        there = frame[column].astype(str)
        absent = [name for name in names if not (there == name).any()]
        if absent:
            shown = there.drop_duplicates().tolist()
            raise RoleError(
                f"--{option} must name what column {column!r} of {source.path} holds, found "
                f"{absent[0]!r} where there is {', '.join(map(repr, shown[:10]))}; "
                f"for example --{option} {shown[0]}"
            )
        frame = frame[there.isin(names).to_numpy()].reset_index(drop=True)
    return frame


def _logs(paths: list[Path], reading: Reading) -> pd.DataFrame:
    """Read the Inspect logs of one path."""
    return read_inspect(
        paths,
        scorer=reading.scorer,
        cluster=reading.roles.get("cluster"),
        value_map="default" if reading.value_map is None else reading.value_map,
        arm=reading.roles.get("arm"),
        text=reading.outputs,
    )


def _samples(
    paths: Sequence[str],
    found: list[Source],
    kinds: list[Format],
    words: list[int],
    labels: list[str],
    reading: Reading,
) -> dict[int, Given]:
    """Read all samples files at once, so that their documents are compared; return them by path."""
    files: dict[int, list[Path]] = {}
    for source, kind, word in zip(found, kinds, words, strict=True):
        if kind.startswith("lm_eval"):
            files.setdefault(word, []).append(source.path)
    arm = reading.roles.get("arm")
    runs = {word: samples_files(some, arm) for word, some in files.items()}
    twice = Counter((file.arm, file.task) for some in runs.values() for file in some)
    of_arm: dict[str, list[Path]] = {}
    first: dict[str, int] = {}
    for word, some in runs.items():
        reruns = {file.arm for file in some if twice[file.arm, file.task] > 1}
        if reruns and len({file.arm for file in some}) > 1:
            raise DesignError(_shared(paths[word], sorted({file.arm for file in some}), *reruns))
        for file in some:
            label = labels[word] if reruns else file.arm
            of_arm.setdefault(label, []).append(file.path)
            first.setdefault(label, word)
    if not of_arm:
        return {}
    frame = read_lm_eval(
        of_arm, metric=reading.metric, filter=reading.filter, cluster=reading.roles.get("cluster")
    )
    return {
        word: Given(
            paths[word],
            labels[word],
            frame[frame["arm"].map(first) == word].reset_index(drop=True),
        )
        for word in dict.fromkeys(first.values())
    }


def _told_apart(given: list[Given]) -> list[Given]:
    """Give an arm whose label another file carries too the name of its file."""
    for one in given:
        if len(one.frame) == 0:
            raise RecordError(f"{one.name} must hold records, found none; leave it out")
    carried = Counter(label for one in given for label in arm_labels(one.frame))
    apart = []
    for one in given:
        labels = arm_labels(one.frame)
        shared = [label for label in labels if carried[label] > 1]
        if shared and [other.name for other in given].count(one.name) > 1:
            raise DesignError(
                f"{one.name} holds logs of two tools, and the arm {shared[0]!r} in both; name the "
                "folder or file of one of them"
            )
        if shared and len(labels) > 1:
            raise DesignError(_shared(one.name, labels, *shared))
        apart.append(replace(one, frame=one.frame.assign(arm=one.stem)) if shared else one)
    return apart


def _shared(name: str, labels: Sequence[Hashable], *shared: Hashable) -> str:
    return (
        f"{name} holds {len(labels):,} arms, of which {shared[0]!r} is in another file too; leave "
        "one of the two out"
    )
