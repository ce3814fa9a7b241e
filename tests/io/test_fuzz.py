"""Damaged files of every format: read as what they hold, or refused by name, and never worse.

Each round changes a good file a little: single bytes, what the JSON of it means, or the columns and
metadata of a Parquet file. A file whose answer is one not seen before joins the good ones, so that
later rounds go on from it. `loader_twins` says what a file holds.

FUZZ_SECONDS says for how long each loader is tried. By default all of them take ten minutes on two
workers, in the slow job; longer, with other files::

    FUZZ_SECONDS=600 FUZZ_SEED=7 python -m pytest -n 2 -m slow tests/io/test_fuzz.py

The message of a failure names the file that broke it. What was found becomes a test of its loader.
"""

import gzip
import json
import logging
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import fuzzing
import loader_twins as twins
import numpy as np
import pandas as pd
import pytest
from every_loader import LOADERS
from log_files import RESULTS, header, line, one, write_eval, write_json
from pandas.testing import assert_frame_equal

import evalframe as ef
from evalframe.io import blocks
from evalframe.io.formats import format_of
from evalframe.io.labelled import read_arms

SECONDS = float(os.environ.get("FUZZ_SECONDS", "110"))
SEED = int(os.environ.get("FUZZ_SEED", "0"))
TIME = "2026-01-02T03-04-05.678901"
SAMPLES = f"samples_quiz_{TIME}.jsonl"
# Files that gave a new answer: how many are kept, and of what size.
MOST, SIZE = 300, 50_000


def attempt(read, path):
    """Return what a loader gives, or its refusal, which names the file."""
    try:
        return read(path)
    except ef.EvalFrameError as error:
        found = error
    assert path.name in str(found), f"the file is not named: {found}"
    return found


def refused(found):
    return isinstance(found, ef.EvalFrameError)


def hold_lines(path):
    """Hold `read_jsonl` to the standard library, line by line."""
    data = twins.content(path)
    for strict, fits in ((False, None), (True, twins.is_record)):
        found = attempt(lambda p, s=strict: ef.read_jsonl(p, strict=s), path)
        wanted = None if data is None else twins.objects(data, fits)
        if wanted is None:
            assert refused(found), "read, though it cannot be unpacked"
        elif isinstance(wanted, int):
            assert f"{path.name}, line {wanted}: " in str(found)
        elif wanted or not strict:
            assert not refused(found), found
            twins.assert_objects(found, wanted, "x")
    return found


def hold_parquet(path):
    """Hold `read_parquet` to Arrow, cell by cell."""
    found = attempt(ef.read_parquet, path)
    if not refused(found):
        twins.assert_parquet(found, path)
    return found


def hold_log(path):
    """Hold `read_inspect` to the samples that the standard library finds."""
    for text in (False, True):
        found = attempt(lambda p, t=text: ef.read_inspect(p, text=t), path)
        samples = None if refused(found) else twins.log_samples(path, text)
        if samples is not None:
            twins.assert_log(found, samples)
    clustered = attempt(lambda p: ef.read_inspect(p, cluster="passage"), path)
    return clustered if refused(found) else found


def hold_samples(path):
    """Hold `read_lm_eval` to the lines that the standard library finds."""
    found = attempt(ef.read_lm_eval, path)
    lines = twins.objects(path.read_bytes())
    if isinstance(lines, int):
        at = re.search(r", line ([\d,]+): ", str(found))
        assert refused(found)
        assert at, found
        assert int(at[1].replace(",", "")) <= lines
    elif not refused(found):
        twins.assert_samples(found, lines, "quiz")
    attempt(lambda p: ef.read_lm_eval(p, cluster="passage"), path)
    return found


def hold_results(path):
    """Hold the arm of a samples file to the results file beside it."""
    path.with_name(SAMPLES).write_text("\n".join(json.dumps(line(n)) for n in range(3)))
    for arm in (None, "config.model_args"):
        found = attempt(lambda p, a=arm: ef.read_lm_eval(p.with_name(SAMPLES), arm=a), path)
        if not refused(found):
            assert found["item_id"].tolist() == ["quiz/0", "quiz/1", "quiz/2"]
            assert found["arm"].nunique() == 1
            assert isinstance(found["arm"][0], str)
    return found


def hold_scan(path):
    """Hold `scan` to the frame that is read whole, and to its plain means."""
    parquet = path.suffix == ".parquet"
    whole = attempt(ef.read_parquet if parquet else ef.read_jsonl, path)
    found = attempt(ef.scan, path)
    if refused(found) or refused(whole):
        # Damage in a column that scan does not read is not its own.
        assert refused(found) or parquet, "scanned, though it cannot be read"
        return found
    whole = whole.reset_index() if whole.index.names != [None] else whole
    # Without rows there is no label that would show the type of its column.
    dtypes = len(whole) > 0
    assert_frame_equal(ef.score(found), ef.score(whole), check_exact=True, check_dtype=dtypes)
    if len(whole):
        runs = whole.assign(score=pd.to_numeric(whole["score"]).astype(float))
        plain = runs.groupby(["item_id", "arm"], observed=True)["score"].agg(["mean", "count"])
        keys = pd.MultiIndex.from_frame(found[["item_id", "arm"]])
        assert len(plain) == len(found)
        np.testing.assert_allclose(found["score"], plain["mean"].reindex(keys), rtol=1e-9)
        assert found["n_responses"].tolist() == plain["count"].reindex(keys).tolist()
    return found


READERS = {"parquet": ef.read_parquet, "jsonl": ef.read_jsonl, "lm_eval": ef.read_lm_eval}


def hold_any(path):
    """Hold the reader of the command line to that of the format, which the content tells."""
    given = attempt(lambda p: read_arms([str(p)]), path)
    kind = attempt(format_of, path)
    if refused(kind):
        assert refused(given)
        return given
    alone = attempt(READERS.get(kind, ef.read_inspect), path)
    if refused(given) or refused(alone):
        assert refused(given), "read, though the format's own reader refuses it"
        return given
    (found,) = given
    assert_frame_equal(found.frame, alone)
    return found.frame


def assert_same(again, found):
    """Fail where a file that is read again, in other blocks, is read otherwise."""
    assert refused(again) == refused(found), again
    if not refused(found):
        assert_frame_equal(again, found, check_exact=True)


@dataclass(frozen=True)
class Target:
    """A loader and a format.

    Attributes
    ----------
    kind : str
        What the files are, of `MAKERS`.
    name : str
        What they are called.
    hold : callable
        Reads a file, and fails where the answer is not what the file holds.
    """

    kind: str
    name: str
    hold: Callable[[Path], pd.DataFrame | ef.EvalFrameError]


TARGETS = {
    "read_jsonl": Target("jsonl", "x.jsonl", hold_lines),
    "read_jsonl, gzip": Target("jsonl", "x.jsonl.gz", hold_lines),
    "read_parquet": Target("parquet", "x.parquet", hold_parquet),
    "read_inspect, archive": Target("archive", "x.eval", hold_log),
    "read_inspect, json": Target("log", "x.json", hold_log),
    "read_lm_eval, samples": Target("samples", SAMPLES, hold_samples),
    "read_lm_eval, results": Target("results", f"results_{TIME}.json", hold_results),
    "scan, jsonl": Target("jsonl", "x.jsonl", hold_scan),
    "scan, gzip": Target("jsonl", "x.jsonl.gz", hold_scan),
    "scan, parquet": Target("parquet", "x.parquet", hold_scan),
    "command": Target("any", SAMPLES, hold_any),
}


def good_files(kind, tmp_path):
    """Return the files of a kind that the rounds begin with."""
    frame = fuzzing.records()
    if kind == "any":
        kinds = ("jsonl", "parquet", "archive", "log", "samples")
        return [good_files(one, tmp_path)[-1] for one in kinds]
    if kind == "parquet":
        ef.write_parquet(frame, tmp_path / "a.parquet")
        frame.astype({"arm": "category"}).to_parquet(tmp_path / "b.parquet", row_group_size=7)
        return [(tmp_path / f"{name}.parquet").read_bytes() for name in "ab"]
    if kind == "jsonl":
        ef.write_jsonl(frame, tmp_path / "a.jsonl")
        return [(tmp_path / "a.jsonl").read_bytes()]
    if kind == "samples":
        lines = [line(n, acc=n % 2) for n in range(6)]
        both = [line(n, filter=f, metrics=["f1"], f1=0.5) for n in range(4) for f in ("a", "b")]
        return ["\n".join(map(json.dumps, one)).encode() for one in (both, lines)]
    if kind == "results":
        return [json.dumps(RESULTS).encode()]
    scores = [{"match": grade, "rubric": {"tone": 1, "tact": 0.5}} for grade in "CIPN"]
    samples = [one(f"q{n // 2}", 1 + n % 2, scores[n]) for n in range(4)]
    if kind == "log":
        return [write_json(tmp_path / "a.json", header(), samples).read_bytes()]
    paths = [tmp_path / f"{method}.eval" for method in (0, 8, 93)]
    return [write_eval(p, header(), samples, method=int(p.stem)).read_bytes() for p in paths]


def next_file(target, pool, path, rng):
    """Write a changed file; return how it differs only in dress from another one, if it does."""
    good, other = fuzzing.one_of(rng, pool), fuzzing.one_of(rng, pool)
    if target.kind == "parquet" and rng.random() < 0.6:
        fuzzing.odd_parquet(path, rng)
        if rng.random() < 0.3:
            path.write_bytes(fuzzing.damaged(path.read_bytes(), good, rng))
        return
    path.write_bytes(good)
    found = twins.members(path) if good.startswith(b"PK") else None
    if found and rng.random() < 0.7:
        fuzzing.write_archive(path, fuzzing.odd_members(found.items(), rng), rng)
        return
    meant = rng.random() < 0.7
    if meant and target.kind in ("log", "results"):
        data = fuzzing.changed_json(good, rng)
    elif meant and target.kind in ("jsonl", "samples", "any"):
        data = fuzzing.changed_lines(good, other, rng)
    else:
        data = fuzzing.damaged(good, other, rng)
    packed = path.suffix == ".gz"
    data = gzip.compress(data, 1, mtime=0) if packed else data
    spoilt = packed and rng.random() < 0.1
    path.write_bytes(fuzzing.damaged(data, data, rng) if spoilt else data)


def answer_of(found):
    """Return what two files that are answered alike have in common."""
    if refused(found):
        return type(found).__name__, re.sub(r"'[^']*'|[\d,.]+|/\S+", "", str(found))[:90]
    return tuple(map(str, found.dtypes)), len(found) == 0


def test_every_loader_is_a_target():
    assert {name.partition(",")[0] for name in TARGETS} == {n.partition(",")[0] for n in LOADERS}


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_a_damaged_file_is_read_as_what_it_holds_or_refused(name, tmp_path, monkeypatch):
    target = TARGETS[name]
    pool = good_files(target.kind, tmp_path)
    path = tmp_path / target.name
    seen, began, rounds = set(), time.monotonic(), 0
    while time.monotonic() - began < SECONDS:
        rng = np.random.default_rng([SEED, rounds])
        # Small blocks, so that Arrow has its part in files of lines, and blocks meet anywhere.
        monkeypatch.setattr(blocks, "BLOCK", int(rng.choice([300, 2000, 2**24])))
        monkeypatch.setattr(blocks, "SAMPLE", int(rng.choice([250, 2**20])))
        next_file(target, pool, path, rng)
        try:
            found = target.hold(path)
            if rng.random() < 0.1:
                monkeypatch.setattr(blocks, "BLOCK", int(rng.choice([100, 700, 2**24])))
                assert_same(target.hold(path), found)
        except Exception as error:
            kept = path.rename(tmp_path / f"broke-{path.name}")
            raise AssertionError(f"{name}, round {rounds} of seed {SEED}: see {kept}") from error
        answer = answer_of(found)
        if answer not in seen and len(pool) < MOST and path.stat().st_size < SIZE:
            data = twins.content(path)
            pool += [data] if data is not None else []
            seen.add(answer)
        rounds += 1
    assert rounds > 0
    logging.getLogger(__name__).info("%s: %d rounds, %d answers", name, rounds, len(seen))
