"""Nested JSON of other tools: decoded within limits, and what stands at a dotted path of it."""

import gc
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evalframe.errors import FrameError
from evalframe.io.refusals import AGAIN, refusal

# A larger file or member is refused: JSON takes many times its size in memory.
LARGEST = 2**30


def decode(data: bytes, where: str) -> Any:
    """Return a JSON document, ``NaN`` and ``Infinity`` allowed.

    Parameters
    ----------
    data : bytes
        UTF-8.
    where : str
        How a message names it.

    Raises
    ------
    RecordError
        If it is not UTF-8, not JSON, or nested too deeply.
    """
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        found = f"bytes that are not UTF-8 at byte {error.start + 1:,} ({error.reason})"
    except json.JSONDecodeError as error:
        found = f"what is not JSON: {error.msg} at line {error.lineno:,}, column {error.colno:,}"
    except RecursionError:
        found = "it nested too deeply"
    except ValueError as error:
        found = str(error)
    raise refusal(where, "must be JSON in UTF-8", found, AGAIN)


def decode_file(path: Path) -> Any:
    """Return the JSON document that a file holds, as `decode`."""
    size = path.stat().st_size
    if size > LARGEST:
        raise refusal(
            path,
            f"JSON in one piece must be of {LARGEST:,} bytes at most",
            f"{size:,}",
            "write it as an archive: inspect log convert --to eval",
        )
    return decode(path.read_bytes(), str(path))


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep Python from looking for cycles, which JSON has none of, among all that is decoded.

    It would look at every object again and again while there are ever more of them.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def dig(value: Any, path: str) -> Any:
    """Return what stands at a dotted path inside objects, None if nothing does.

    A key that holds the dots itself comes first.
    """
    if type(value) is not dict:
        return None
    if path in value:
        return value[path]
    head, dot, rest = path.partition(".")
    return dig(value.get(head), rest) if dot else None


def label_text(value: Any) -> str:
    """Return a JSON value as the label of an arm: text as it is, a list of texts joined."""
    if type(value) is str:
        return value
    if type(value) is list and value and all(type(part) is str for part in value):
        return ",".join(value)
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def number(value: Any) -> float | None:
    """Return a number or boolean as a float, NaN for null, None for anything else."""
    if value is None:
        return float("nan")
    if type(value) is not bool and type(value) not in (int, float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def names(chosen: str | Iterable[str] | None, argument: str) -> list[str] | None:
    """Return one name or several as a list, None for no choice."""
    if chosen is None:
        return None
    found = [chosen] if isinstance(chosen, str) else list(chosen)
    if not found or not all(isinstance(name, str) for name in found):
        raise TypeError(f"{argument} must be a name or a list of names, not {chosen!r:.80}")
    return list(dict.fromkeys(found))


def keys_text(value: Any) -> str:
    """Return the keys of an object as a message shows them, and what else it is otherwise."""
    return ", ".join(map(repr, value)) if type(value) is dict and value else "no keys"


def check_clusters(cells: Sequence[Any], cluster: str, about: Callable[[int], str]) -> None:
    """Refuse clusters that are missing, or that are no labels.

    Parameters
    ----------
    cells : sequence
        The value found in each row.
    cluster : str
        The dotted path that was asked for.
    about : function of a row's position
        Returns how a message names the row.
    """
    wrong = [row for row, cell in enumerate(cells) if type(cell) not in (str, int, bool)]
    if wrong:
        value = cells[wrong[0]]
        found = "nothing" if value is None else f"the {type(value).__name__} {value!r:.60}"
        raise FrameError.of(
            f"cluster={cluster!r} must name text or an integer of every document",
            f"{found} in {len(wrong):,} of {len(cells):,}; first: {about(wrong[0])}",
            "name a key that all have, or leave cluster= out",
            column="cluster_id",
            count=len(wrong),
        )


def check_text(cells: Iterable[Any], column: str, path: Path) -> None:
    """Refuse half a surrogate pair, which no text column can hold."""
    for cell in cells:
        if type(cell) is str and not cell.isascii():
            try:
                cell.encode()
            except UnicodeEncodeError as error:
                half = error.object[error.start]
                raise refusal(
                    path,
                    f"the column {column!r} must hold whole text",
                    f"half of a surrogate pair, {half!r}, in {cell!r:.60}",
                    AGAIN,
                ) from error
