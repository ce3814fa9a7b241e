"""What a file of evaluation records is, told by what it holds: names and suffixes can lie."""

import gzip
import json
import zlib
from pathlib import Path
from typing import Literal

from evalframe.errors import RecordError

Format = Literal["parquet", "jsonl", "lm_eval", "lm_eval results", "inspect"]

# Enough for the first keys of any object, also where a long document stands among them.
START = 2**20

# Keys of a line of lm-evaluation-harness, beside doc_id, and of its results file, beside results.
OF_SAMPLES = {"doc", "target", "arguments", "resps", "filtered_resps", "doc_hash"}
OF_RESULTS = {"configs", "config", "versions", "n-shot", "n-samples", "model_source", "git_hash"}
# Keys of the header of an Inspect log, beside eval.
OF_LOG = {"version", "status", "plan", "results", "stats", "samples"}

# What other files begin with.
OTHER = {
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
    b"SQLite format 3": "an SQLite database",
    b"ARROW1": "an Arrow (Feather) file",
    b"[": "a JSON list",
}


def format_of(path: Path) -> Format:
    """Return what a file holds: Parquet, JSON Lines, or the output of one of the harnesses.

    Parameters
    ----------
    path : Path
        A file. A pipe is taken as JSON Lines, as it can be read only once.

    Returns
    -------
    str
        "parquet", "inspect" (an archive or one JSON object), "lm_eval" (a samples file),
        "lm_eval results", or "jsonl". An empty file, and a first line that is no whole object, are
        left to the reader of JSON Lines, whose message names the line.

    Raises
    ------
    RecordError
        If it is none of these; the message names the file and what it begins with.
    """
    if not path.is_file():
        return "jsonl"
    start = _start(path)
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"PK\x03\x04"):
        return "inspect"
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text and not text.startswith(b"{"):
        raise RecordError(
            f"{path} must hold evaluation records: Parquet, JSON Lines, samples of "
            f"lm-evaluation-harness or a log of Inspect AI, found {_shown(text)}; write records as "
            "one JSON object a line, or a CSV as Parquet: "
            "pandas.read_csv(PATH).to_parquet('runs.parquet')"
        )
    keys = set(_keys(text.decode("utf-8", "replace")))
    if "eval" in keys and keys & OF_LOG:
        return "inspect"
    if "results" in keys and keys & OF_RESULTS:
        return "lm_eval results"
    return "lm_eval" if "doc_id" in keys and keys & OF_SAMPLES else "jsonl"


def _start(path: Path) -> bytes:
    """Return the first bytes of a file, of what it holds where it is compressed."""
    with open(path, "rb") as file:
        start = file.read(START)
    if not start.startswith(b"\x1f\x8b"):
        return start
    try:
        with gzip.open(path) as packed:
            return packed.read(START)
    except (EOFError, OSError, zlib.error):
        # Cut off: the reader says where.
        return b""


def _keys(text: str) -> list[str]:
    """Return the keys of the object that a text begins with, up to where the text is cut off."""
    decode = json.JSONDecoder().raw_decode
    keys: list[str] = []
    place = 1
    try:
        while True:
            key, place = decode(text, _after(text, place, " \t\r\n,"))
            if not isinstance(key, str):
                return keys
            keys.append(key)
            colon = text.index(":", place)
            _, place = decode(text, _after(text, colon + 1, " \t\r\n"))
    except (ValueError, RecursionError):
        return keys


def _after(text: str, place: int, skipped: str) -> int:
    """Return the next place of a text at which none of some characters stands."""
    while place < len(text) and text[place] in skipped:
        place += 1
    return place


def _shown(start: bytes) -> str:
    """Say what a file begins with."""
    for mark, name in OTHER.items():
        if start.startswith(mark):
            return name
    line = start.splitlines()[0][:40]
    try:
        return f"text that begins {line.decode()!r}"
    except UnicodeDecodeError:
        return f"bytes that begin {line[:8]!r}"
