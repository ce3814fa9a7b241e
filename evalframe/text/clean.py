"""What is parsed of a text: one normal form, without fenced code, web and e-mail addresses."""

import unicodedata
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalframe.text.arrays import Bytes, Ints

# From a line that opens a fence to the line that closes it, or to the end of the text.
_TICKS = r"^[ \t]*```[^`\n]*$.*?(?:^[ \t]*```+[ \t]*$|\z)"
_TILDES = r"^[ \t]*~~~[^\n]*$.*?(?:^[ \t]*~~~+[ \t]*$|\z)"
FENCE = rf"(?ms){_TICKS}|{_TILDES}"

# The last character of an address is no punctuation, which belongs to the sentence around it.
_SCHEME = r"\b(?:(?i:https?|ftp)://|www\.)[A-Za-z0-9]"
_REST = r"(?:[^\x00-\x20<>\"“”]*[^\x00-\x20<>\"“”'’.,;:!?…)\]}])?"
_MAIL = r"[A-Za-z0-9._%+-]*[A-Za-z0-9_%+-]@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}"
ADDRESS = rf"{_SCHEME}{_REST}|{_MAIL}"

# A pattern can only match where one of these stands; looking for them is far cheaper.
_CLUES = {FENCE: ("```", "~~~"), ADDRESS: ("://", "www.", "@")}


@dataclass(frozen=True, slots=True)
class Stretch:
    """Texts as one run of bytes.

    Attributes
    ----------
    data : bytes
        UTF-8; a zero byte before the first text and after each, and some more at the end, so that
        a byte's neighbours can be read without asking where the text ends.
    bytes : (B,) uint8
        The same.
    starts : (T + 1,) int64
        Text t is ``bytes[starts[t] : starts[t + 1] - 1]``.
    """

    data: bytes
    bytes: Bytes
    starts: Ints


def clean(texts: pa.Array) -> tuple[Stretch, Stretch]:
    r"""Return texts whole and as prose.

    Both are in normal form C with ``\n`` as line end. Prose has fenced code blocks taken out and a
    space for each web and e-mail address.

    Parameters
    ----------
    texts : pyarrow.Array of large_string
        Without nulls.
    """
    whole = _one_form(texts)
    raw = _content(whole)
    prose = whole
    for pattern, space in ((FENCE, ""), (ADDRESS, " ")):
        clues = [clue for clue in _CLUES[pattern] if clue.encode() in raw]
        if clues:
            prose = _without(prose, pattern, clues, space)
    stretch = _stretch(whole)
    return stretch, stretch if prose is whole else _stretch(prose)


def _content(texts: pa.Array) -> bytes:
    """Return the bytes of all texts."""
    offsets = _offsets(texts)
    buffer = texts.buffers()[2]
    if buffer is None:
        return b""
    return bytes(buffer.slice(int(offsets[0]), int(offsets[-1] - offsets[0])).to_pybytes())


def _offsets(texts: pa.Array) -> Ints:
    whole = np.frombuffer(texts.buffers()[1], dtype=np.int64)
    return whole[texts.offset : texts.offset + len(texts) + 1]


def _one_form(texts: pa.Array) -> pa.Array:
    """Return texts in normal form C, with one kind of line end and no zero character."""
    raw = _content(texts)
    if b"\r" in raw:
        texts = pc.replace_substring(texts, pattern="\r\n", replacement="\n")
        texts = pc.replace_substring(texts, pattern="\r", replacement="\n")
    if b"\0" in raw:
        # Zero parts the texts here. To every metric it is the same as any other control character.
        texts = pc.replace_substring(texts, pattern="\0", replacement="\1")
    if raw.isascii():
        return texts
    beyond = pc.invert(pc.string_is_ascii(texts))
    # Zero composes with nothing, so that the texts can be normalised as one.
    joined = "\0".join(texts.filter(beyond).to_pylist())
    if unicodedata.is_normalized("NFC", joined):
        return texts
    normal = pa.array(unicodedata.normalize("NFC", joined).split("\0"), type=pa.large_string())
    return pc.replace_with_mask(texts, beyond, normal)


def _without(texts: pa.Array, pattern: str, clues: list[str], space: str) -> pa.Array:
    """Return texts with what the pattern matches replaced by a space."""
    chosen = pc.match_substring(texts, clues[0])
    for clue in clues[1:]:
        chosen = pc.or_(chosen, pc.match_substring(texts, clue))
    shorter = pc.replace_substring_regex(texts.filter(chosen), pattern=pattern, replacement=space)
    return pc.replace_with_mask(texts, chosen, shorter)


def _stretch(texts: pa.Array) -> Stretch:
    empty, zero = (pa.scalar(text, pa.large_string()) for text in ("", "\0"))
    ended = pc.binary_join_element_wise(texts, empty, zero)
    data = b"\0" + _content(ended) + bytes(16)
    offsets = _offsets(ended)
    return Stretch(data, np.frombuffer(data, dtype=np.uint8), offsets - offsets[0] + 1)
