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


def records(
    path: Path, check: Callable[[dict[str, Any]], None] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file, one a line.

    Parameters
    ----------
    path : Path
        UTF-8, gzip where the name ends in ``.gz``.
    check : function of an object, optional
        Raises ValueError if the object is not what is wanted.

    Yields
    ------
    dict
        Without half surrogate pairs, so that its text fits any column.

    Raises
    ------
    RecordError
        At the first line that is not one such object. The message names file and line.
    """
    with opened(path) as file:
        yield from parse(path, read_lines(file), check=check)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file to read, as gzip where its name ends in ``.gz``."""
    packed = path.name.lower().endswith(".gz")
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
    """Yield the objects of lines, as `records` does.

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
                raise ValueError(f"longer than {LONGEST:,} bytes")
            text = (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).strip(BLANK)
            if not text:
                continue
            record = decode(text.decode())
            if SURROGATE.search(text):
                _refuse_surrogates(record)
            if type(record) is not dict:
                raise ValueError(f"it holds {json_name(record)}, not an object")
            if check is not None:
                check(record)
            yield record
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RecordError(
            f"{path}, after line {number:,}: not whole gzip data ({error}); write the file "
            "again, or rename it if it is not compressed"
        ) from error
    except (ValueError, RecursionError) as error:
        raise RecordError(_fault(path, number, line, error)) from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make the dict of an object, and refuse one that has a key twice."""
    record = dict(pairs)
    if len(record) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return record


def _refuse_surrogates(record: object) -> None:
    r"""Refuse half a character (``"\ud83d"`` alone), which no text column can hold."""
    try:
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise ValueError(f"it holds half of a surrogate pair, {half!r}, which is no text") from None


def _fault(path: Path, number: int, line: bytes, error: Exception) -> str:
    """Say which line is wrong, how, and what to do."""
    other = next((hint for start, hint in OTHER.items() if line.startswith(start)), None)
    if isinstance(error, json.JSONDecodeError):
        near = error.doc[max(error.pos - 10, 0) : error.pos + 30]
        found = f"not one JSON object: {error.msg} at column {error.colno}, near {near!r}"
    elif isinstance(error, UnicodeDecodeError):
        found = f"not UTF-8 at byte {error.start + 1} ({error.reason})"
    elif isinstance(error, RecursionError):
        found = "nested too deeply"
    else:
        found = str(error)
    if number == 1 and other:
        advice = other
    elif not line.endswith(b"\n") and isinstance(error, json.JSONDecodeError):
        advice = "it is the last line and may be cut off: complete it or take it out"
    else:
        advice = "write one complete JSON object a line, in UTF-8"
    return f"{path}, line {number:,}: {found}; {advice}"
