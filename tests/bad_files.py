"""Every kind of awkward or damaged file that a loader may be given, and what it has to answer.

A kind is made of the good file of a format. Its answer is the clean file's, or given runs, or a
refusal that names the file, and the line where the format has lines.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from every_loader import LINES, NAMES, RUNS, run, write
from log_files import DEFLATED, dump, header, one, write_zip

from evalframe import EvalFrameError, score

SAME = "the frame of the clean file"
EMPTY = "no rows"
OTHER = "rows of other columns, which no method takes for runs"


@dataclass(frozen=True)
class Rows:
    """The runs that are read: items and scores, None for one that is missing.

    `later` is what of the message must be there with which a method refuses them, `of` the format
    that the file really is of.
    """

    items: list
    scores: list
    later: str = ""
    of: str = ""


@dataclass(frozen=True)
class Refused:
    """A refusal, by what of its message must be there, and the line that it names."""

    words: str
    line: int | None = None
    error: type[Exception] = EvalFrameError


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes
    ----------
    make : callable
        Writes it, of a format and a folder; returns what the loader is given.
    answer : str, Rows or Refused
    formats : tuple of str
        In which it can be made.
    otherwise : str
        Why it cannot be made in the others.
    but : dict of str to answer
        Of the loaders, or formats, that answer otherwise.
    """

    make: Callable
    answer: object
    formats: tuple = tuple(NAMES)
    otherwise: str = ""
    but: dict = field(default_factory=dict)


def runs(*changes):
    """Return what writes runs, one for each set of changes."""
    return lambda kind, folder: write(kind, folder, [run(**change) for change in changes])


def text(change):
    """Return what writes the good runs with their JSON changed."""
    return lambda kind, folder: write(kind, folder, text=change)


def raw(change):
    """Return what writes the good runs with the bytes of the file changed."""
    return lambda kind, folder: write(kind, folder, raw=change)


def swapped(old, new):
    """Return a change of the second run's id in JSON."""
    return text(lambda data: data.replace(old, new, 1))


def twice(data):
    """Return JSON in which the id of the second run stands twice in its object."""
    return re.sub(rb'("(?:item_id|doc_id|id)": "q2")', rb"\1, \1", data)


def no_object(data):
    """Return JSON with a list in place of the second run, or of its sample."""
    if data.startswith(b'{"'):
        return re.sub(rb"(?m)^.*q2.*$", b"[1]", data)
    return re.sub(rb"(?s)\{\s*\"id\": \"q2\".*?\n( *)\}(?=,\n\1\{)", b"[1]", data)


def reversed_keys(kind, folder):
    """Write the second run with its keys in another order."""
    return write(kind, folder, [RUNS[0], dict(reversed(RUNS[1].items())), RUNS[2]])


def two_files(kind, folder):
    """Write a file with the id 7 and one with "7"."""
    return [write(kind, folder / str(n), [run(item)]) for n, item in enumerate([7, "7"])]


def as_parquet(change, **options):
    """Return what writes the good runs as a changed Arrow table, by a program without pandas."""

    def make(kind, folder):
        path = write(kind, folder)
        table = change(pa.Table.from_pylist(RUNS))
        pq.write_table(table, path, store_schema=True, **options)
        return path

    return make


def with_column(name, cells):
    """Return a change of a table: a column in place of another, or added."""

    def change(table):
        if name not in table.column_names:
            return table.append_column(name, cells)
        return table.set_column(table.column_names.index(name), name, cells)

    return change


def without_groups(kind, folder):
    """Write a Parquet file that has columns and no row group."""
    path = write(kind, folder)
    pq.ParquetWriter(path, pa.Table.from_pylist(RUNS).schema).close()
    return path


def metadata(text):
    """Return what writes Parquet with the given metadata of pandas."""
    return as_parquet(lambda table: table.replace_schema_metadata({b"pandas": text}))


def archive(members, **options):
    """Return what writes an archive of members."""

    def make(kind, folder):
        folder.mkdir(parents=True, exist_ok=True)
        return write_zip(folder / NAMES[kind], members, DEFLATED, **options)

    return make


HEADER = ("header.json", dump(header()))
SAMPLES = [one(r["item_id"], 1, {"match": r["score"]}) for r in RUNS]
MEMBERS = [(f"samples/{n}_epoch_1.json", dump(sample)) for n, sample in enumerate(SAMPLES)]


def given(other):
    """Return what writes a file of another format under the loader's own name."""

    def make(kind, folder):
        path = write(other, folder / "own")
        return path.rename(folder / NAMES[kind])

    return make


def odd_name(kind, folder):
    """Write a file whose name, or that of its folder, holds a byte that is no UTF-8."""
    return write(kind, folder / "m\udcff", name=NAMES[kind].replace("x.", "\udcff."))


def bytes_of(data):
    """Return what writes bytes."""

    def make(kind, folder):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / NAMES[kind]
        path.write_bytes(data)
        return path

    return make


RESULTS = json.dumps({"results": {"quiz": {"acc,none": 1}}, "configs": {}}, indent=2).encode()


def assert_refused(loader, path, wanted):
    """Fail where a loader does not refuse a file in the words, by name and by line."""
    with pytest.raises(wanted.error, match=wanted.words) as caught:
        loader.read(path)
    message = str(caught.value)
    assert (path if isinstance(path, list) else [path])[-1].name in message
    if wanted.line is not None and loader.format in LINES:
        assert f"line {wanted.line}: " in message


def assert_rows(found, wanted, form):
    """Fail where a frame does not hold the runs, or a method takes what it should refuse."""
    task = "quiz/{}" if form.startswith("samples") else None
    items = [task.format(item) for item in wanted.items] if task else wanted.items
    scores = [None if pd.isna(cell) else cell for cell in found["score"]]
    rows = [
        (item, cell, type(item))
        for item, cell in zip(found["item_id"].tolist(), scores, strict=True)
    ]
    expected = [(item, cell, type(item)) for item, cell in zip(items, wanted.scores, strict=True)]
    # `scan` sorts its rows.
    assert sorted(rows, key=str) == sorted(expected, key=str)
    if wanted.later:
        with pytest.raises(EvalFrameError, match=wanted.later):
            score(found)
