"""Damaged files of every format: read, or refused in the project's own words, and never worse.

Each round damages a good file a little, with bytes, tokens and pieces of the good files themselves.
FUZZ_SECONDS says for how long each loader is tried (10 by default; 600 looks longer).
"""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evalframe as ef

SECONDS = float(os.environ.get("FUZZ_SECONDS", "10"))
SEED = int(os.environ.get("FUZZ_SEED", "0"))
LOGS = Path(__file__).parents[2] / "data" / "logs"
TOKENS = [
    b"null", b"NaN", b"-Infinity", b"1e999", b"1" + b"0" * 400, b"true", b"[]", b"{}", b'""',
    b'"\\ud800"', b'"\\u0000"', b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\n\n", b"\x00",
    b"[" * 3000, b'{"a":' * 3000, b'"item_id"', b'"score"', b'"arm"', b"0", b"-1", b"9" * 19,
    b"PK\x03\x04", b"PK\x05\x06", b"PAR1", b"\xff" * 8, b"\x00" * 8, b'"id"', b'"scores"',
    b'"doc_id"', b'"filter"', b'"metrics"', b",", b":", b"}", b"]", b"2024-01-02", b'"1"',
]  # fmt: skip


def damaged(good: bytes, other: bytes, rng: np.random.Generator) -> bytes:
    """Return a file with one to four changes."""
    data = bytearray(good)
    for _ in range(rng.integers(1, 5)):
        at, size = int(rng.integers(0, len(data) + 1)), int(rng.integers(1, 60))
        kind = rng.integers(0, 6)
        if kind == 0:
            data[at : at + 1] = bytes([int(rng.integers(0, 256))])
        elif kind == 1:
            del data[at : at + size]
        elif kind == 2:
            data[at:at] = TOKENS[rng.integers(0, len(TOKENS))]
        elif kind == 3:
            data[at : at + size] = TOKENS[rng.integers(0, len(TOKENS))]
        elif kind == 4:
            start = int(rng.integers(0, len(other)))
            data[at:at] = other[start : start + int(rng.integers(1, 2000))]
        else:
            del data[int(rng.integers(0, len(data) + 1)) :]
    return bytes(data)


def swapped(good: bytes, rng: np.random.Generator) -> bytes:
    """Return JSON, or JSON Lines, with one value anywhere in it replaced by another."""
    lines = good.decode().splitlines()
    at = int(rng.integers(0, len(lines)))
    whole = json.loads(lines[at])
    place = whole
    while isinstance(place, dict | list) and place:
        keys = list(place) if isinstance(place, dict) else range(len(place))
        key = keys[int(rng.integers(0, len(keys)))]
        if not isinstance(place[key], dict | list) or rng.random() < 0.3:
            odd = [None, [], {}, "", "x", 0, -1, 1.5, True, [[1]], {"a": {}}, "1", 10**30, 1e308]
            place[key] = odd[int(rng.integers(0, len(odd)))]
            break
        place = place[key]
    lines[at] = json.dumps(whole)
    return "\n".join(lines).encode()


def records() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "item_id": np.repeat([f"q{i}" for i in range(8)], 4),
            "arm": ["a", "a", "b", "b"] * 8,
            "seed": [0, 1] * 16,
            "score": [1.0, 0.0, 0.5, 1.0] * 8,
            "cluster_id": np.repeat(list("wxyz"), 8),
            "n_output_tokens": range(32),
            "hit_cap": [True, False] * 16,
            "output": ["one two", "", "three", "four"] * 8,
        }
    )


def good_files(kind: str, tmp_path: Path, logs) -> tuple[list[bytes], str]:
    """Return good files of a format, and the name under which it is read."""
    frame = records()
    if kind == "jsonl":
        ef.write_jsonl(frame, tmp_path / "good.jsonl")
        return [(tmp_path / "good.jsonl").read_bytes()], "x.jsonl"
    if kind == "parquet":
        ef.write_parquet(frame, tmp_path / "good.parquet")
        frame.astype({"arm": "category"}).to_parquet(tmp_path / "more.parquet", row_group_size=7)
        return [(tmp_path / f"{n}.parquet").read_bytes() for n in ("good", "more")], "x.parquet"
    if kind == "lm_eval":
        return [file.read_bytes() for file in sorted(LOGS.rglob("samples_*.jsonl"))[:2]], (
            "samples_quiz_2026-01-01T00-00-00.jsonl"
        )
    samples = [logs.one(f"q{n}", scores={"match": "CIPN"[n]}) for n in range(4)]
    if kind == "inspect":
        paths = [
            logs.write_eval(tmp_path / "a.eval", logs.header(), samples),
            logs.write_eval(tmp_path / "b.eval", logs.header(), samples, method=8),
        ]
        return [path.read_bytes() for path in paths], "x.eval"
    return [logs.write_json(tmp_path / "a.json", logs.header(), samples).read_bytes()], "x.json"


LOADERS: dict[str, tuple[str, list[Callable[[Path], pd.DataFrame]]]] = {
    "read_jsonl": ("jsonl", [ef.read_jsonl, lambda path: ef.read_jsonl(path, strict=True)]),
    "read_parquet": ("parquet", [ef.read_parquet]),
    "read_lm_eval": ("lm_eval", [ef.read_lm_eval, lambda path: ef.read_lm_eval([path])]),
    "read_inspect": ("inspect", [ef.read_inspect, lambda p: ef.read_inspect(p, text=True)]),
    "read_inspect, json": ("inspect_json", [ef.read_inspect]),
    "scan, jsonl": ("jsonl", [ef.scan]),
    "scan, parquet": ("parquet", [ef.scan]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LOADERS)
def test_a_damaged_file_is_read_or_refused(name, tmp_path, logs):
    kind, readers = LOADERS[name]
    good, as_name = good_files(kind, tmp_path, logs)
    path = tmp_path / as_name
    began, rounds = time.monotonic(), 0
    while time.monotonic() - began < SECONDS:
        # Each round has its own generator: its number makes the file again.
        rng = np.random.default_rng([SEED, rounds])
        one, other = (good[int(rng.integers(0, len(good)))] for _ in range(2))
        text = kind in ("jsonl", "lm_eval", "inspect_json")
        data = swapped(one, rng) if text and rng.random() < 0.5 else damaged(one, other, rng)
        path.write_bytes(data)
        for read in readers:
            try:
                result = read(path)
            except ef.EvalFrameError:
                continue
            except Exception as error:
                raise AssertionError(f"round {rounds} of {name}: {error!r}") from error
            assert isinstance(result, pd.DataFrame), f"round {rounds} of {name}"
        rounds += 1
    assert rounds > 0
