"""One call of every public loader and format, and good files for them to read.

What must hold of every loader is tested for all of these calls: a loader joins by being public, as
`io/test_misuse.py` fails where one is not called here.
"""

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
from log_files import DEFLATED, dump, header, line, one, write_zip

import evalframe as ef
from evalframe.io.labelled import read_arms

TIME = "2026-01-02T03-04-05.678901"
NAMES = {
    "lines": "x.jsonl",
    "lines.gz": "x.jsonl.gz",
    "samples": f"samples_quiz_{TIME}.jsonl",
    "samples.gz": f"samples_quiz_{TIME}.jsonl.gz",
    "log": "2026-01-02T03-04-05_quiz.json",
    "archive": "x.eval",
    "parquet": "x.parquet",
}
JSON = ("lines", "lines.gz", "samples", "samples.gz", "log", "archive")
LINES = ("lines", "lines.gz", "samples", "samples.gz")


@dataclass(frozen=True)
class Loader:
    """How a loader is called.

    Attributes
    ----------
    read : callable
        The call, of a path or several.
    format : str
        What it reads, of `NAMES`.
    """

    read: Callable[[Any], pd.DataFrame]
    format: str


def by_command(paths):
    """Return what a command reads from the words that name files."""
    words = [str(path) for path in (paths if isinstance(paths, list) else [paths])]
    return pd.concat([given.frame for given in read_arms(words)], ignore_index=True)


LOADERS = {
    "read_jsonl": Loader(ef.read_jsonl, "lines"),
    "read_jsonl, strict": Loader(lambda paths: ef.read_jsonl(paths, strict=True), "lines"),
    "read_jsonl, gzip": Loader(ef.read_jsonl, "lines.gz"),
    "read_parquet": Loader(ef.read_parquet, "parquet"),
    "read_lm_eval": Loader(ef.read_lm_eval, "samples"),
    "read_lm_eval, gzip": Loader(ef.read_lm_eval, "samples.gz"),
    "read_inspect": Loader(ef.read_inspect, "archive"),
    "read_inspect, json": Loader(ef.read_inspect, "log"),
    "read_inspect, text": Loader(lambda paths: ef.read_inspect(paths, text=True), "log"),
    "scan": Loader(ef.scan, "parquet"),
    "scan, jsonl": Loader(ef.scan, "lines"),
    "scan, gzip": Loader(ef.scan, "lines.gz"),
    **{f"command, {kind}": Loader(by_command, kind) for kind in NAMES},
}


def run(item="q1", score=1.0, **more):
    """Return a run in the words of a record of the specification."""
    return {
        "item_id": item,
        "seed": 1,
        "arm": "m",
        "prompt_hash": "ab",
        "output": "four",
        "score": score,
        "n_output_tokens": 3,
        "hit_cap": False,
        **more,
    }


RUNS = [run("q1", 1.0), run("q2", 0.0), run("q3", 0.5)]


def text_of(kind, runs):
    """Return the JSON that a format has for runs: its lines, its document or its summaries."""
    if kind.startswith("lines"):
        return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in runs).encode()
    if kind.startswith("samples"):
        own = [line(r["item_id"], acc=r["score"], resps=[[r["output"]]], more=r) for r in runs]
        return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in own).encode()
    samples = [
        one(r["item_id"], r["seed"], {"match": r["score"]}, metadata=r, store=r["output"])
        for r in runs
    ]
    whole = {**header(), "samples": samples} if kind == "log" else samples
    return json.dumps(whole, ensure_ascii=False, indent=1).encode()


def write(kind, folder, runs=None, text=lambda data: data, raw=lambda data: data, name=None):
    """Write the file of a format.

    Parameters
    ----------
    kind : str
        The format.
    folder : Path
    runs : list of dict, optional
        Default: those that are good.
    text : function of bytes
        Changes its JSON, before it is packed.
    raw : function of bytes
        Changes the file.
    name : str, optional
        Default: that of the format.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name or NAMES[kind])
    runs = RUNS if runs is None else runs
    if kind == "parquet":
        path.write_bytes(pd.DataFrame(runs).to_parquet())
    elif kind == "archive":
        members = [("summaries.json", text(text_of(kind, runs))), ("header.json", dump(header()))]
        write_zip(path, members, DEFLATED)
    else:
        data = text(text_of(kind, runs))
        path.write_bytes(gzip.compress(data, mtime=0) if kind.endswith(".gz") else data)
    path.write_bytes(raw(path.read_bytes()))
    return path
