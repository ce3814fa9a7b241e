"""The lines of a JSON Lines file as objects, each refused by file and line if it is not one."""

import codecs
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from evalframe.errors import RecordError
from evalframe.io.records import json_name
from evalframe.io.refusals import refusal

# Only JSON's own white space: a form feed or U+2028 is no line end and no blank.
BLANK = b" \t\r\n"

# The escapes that could be half of a pair; the other way to write one is not UTF-8.
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")

# A longer line is refused before it is read whole, so that a hostile file cannot fill the memory.
LONGEST = 256 * 2**20

# What a file that is not JSON Lines may be, by its first bytes.
OTHER = {
    b"\x1f\x8b": "it is gzip: give the file a name that ends in .gz",
    b"\xff\xfe": "it is UTF-16: save it as UTF-8",
    b"\xfe\xff": "it is UTF-16: save it as UTF-8",
    b"PAR1": "it is Parquet: use read_parquet",
}

# What a line has to be.
ONE = "must be one JSON object"

Numbered = tuple[int, dict[str, Any]]


def records(
    path: Path, check: Callable[[dict[str, Any]], None] | None = None
) -> Iterator[Numbered]:
    """Yield the objects of a file, one a line, with the numbers of their lines.

    Parameters
    ----------
    path : Path
        UTF-8, gzip where the name ends in ``.gz``.
    check : function of an object, optional
        Raises ValueError if the object is not what is wanted.

    Yields
    ------
    (int, dict)
        The line, counted from 1, and its object, without half surrogate pairs, so that its text
        fits any column.

    Raises
    ------
    RecordError
        At the first line that is not one such object. The message names file and line.
    """
    with opened(path) as file:
        yield from numbered(path, read_lines(file), check=check)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file to read, as gzip where its name ends in ``.gz``."""
    packed = path.name.lower().endswith(".gz")
    # Python's gzip takes nothing at all for whole data.
    if packed and path.is_file() and path.stat().st_size == 0:
        raise refusal(
            path, "must be whole gzip data", "an empty file", "write it again, or leave it out"
        )
    with gzip.open(path) if packed else open(path, "rb") as file:
        yield cast(BinaryIO, file)


def read_lines(file: BinaryIO) -> Iterator[bytes]:
    """Return the lines of a file, a longer one than may be cut so that `parse` refuses it."""
    return iter(lambda: file.readline(LONGEST + 1), b"")


def parse(
    path: Path,
    lines: Iterable[bytes],
    *,
    above: int = 0,
    check: Callable[[dict[str, Any]], None] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the objects of lines, as `records` does, without their numbers."""
    return (record for _, record in numbered(path, lines, above=above, check=check))


def numbered(
    path: Path,
    lines: Iterable[bytes],
    *,
    above: int = 0,
    check: Callable[[dict[str, Any]], None] | None = None,
) -> Iterator[Numbered]:
    """Yield the objects of lines with their numbers.

    Parameters
    ----------
    path : Path
        The file, for the error.
    lines : iterable of bytes
        With their line ends.
    above : int
        How many lines of the file stand above them.
    check : function of an object, optional
        As in `records`.
    """
    decode = json.JSONDecoder(object_pairs_hook=_unique).decode
    number, line = above, b""
    try:
        for number, line in enumerate(lines, above + 1):
            if len(line) > LONGEST:
                raise ValueError(f"must be of {LONGEST:,} bytes at most, found a longer one")
            text = (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).strip(BLANK)
            if not text:
                continue
            record = decode(text.decode())
            if SURROGATE.search(text):
                _refuse_surrogates(record)
            if type(record) is not dict:
                raise ValueError(f"{ONE}, found {json_name(record)}")
            if check is not None:
                check(record)
            yield number, record
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise refusal(
            f"{path}, after line {number:,}",
            "must be whole gzip data",
            str(error),
            "write the file again, or rename it if it is not compressed",
        ) from error
    except (ValueError, RecursionError) as error:
        raise _fault(path, number, line, error) from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make the dict of an object, and refuse one that has a key twice."""
    record = dict(pairs)
    if len(record) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"must have each key once, found the key {twice!r} twice in one object")
    return record


def _refuse_surrogates(record: object) -> None:
    r"""Refuse half a character (``"\ud83d"`` alone), which no text column can hold."""
    try:
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise ValueError(
            f"must hold whole text, found half of a surrogate pair, {half!r}"
        ) from None


def _fault(path: Path, number: int, line: bytes, error: Exception) -> RecordError:
    """Return the error of a line: how it is wrong, and what to do."""
    other = next((hint for start, hint in OTHER.items() if line.startswith(start)), None)
    if isinstance(error, json.JSONDecodeError):
        near = error.doc[max(error.pos - 10, 0) : error.pos + 30]
        found = f"{error.msg} at column {error.colno}, near {near!r}"
    elif isinstance(error, UnicodeDecodeError):
        found = f"bytes that are not UTF-8 at byte {error.start + 1} ({error.reason})"
    elif isinstance(error, RecursionError):
        found = "one that is nested too deeply"
    else:
        found = str(error)
    # What `parse` and its checks raise says itself what was wanted.
    wanted, is_said, rest = found.partition(", found ")
    wanted, found = (wanted, rest) if is_said else (ONE, found)
    if number == 1 and other:
        advice = other
    elif not line.endswith(b"\n") and isinstance(error, json.JSONDecodeError):
        advice = "it is the last line and may be cut off: complete it or take it out"
    else:
        advice = "write one complete JSON object a line, in UTF-8"
    return refusal(f"{path}, line {number:,}", wanted, found, advice)
