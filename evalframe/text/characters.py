"""What each character is: flags for finding words, kinds of marks, symbols of a small alphabet.

All is said byte by byte, so that texts need not be decoded: a character of several bytes has its
flags on each of them, and CONTINUED on all but the first. ASCII is one table; other characters are
looked up once each, however often they occur.
"""

import unicodedata
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from evalframe.text.arrays import Bools, Bytes, Ints
from evalframe.text.clean import Stretch

# What a word W+(?:['’-]W+)* is made of. Letters of scripts that write no spaces are EACH instead.
WORD = 1
SPACE = 2
# Whatever else is visible: punctuation, symbols, controls.
MARK = 4
LETTER = 8
UPPER = 16
LOWER = 32
# A word by itself, or (without LETTER) a sign that belongs to the one before it.
EACH = 64
CONTINUED = 128

# Han, Kana, Thai, Lao, Myanmar and Khmer, by Unicode block.
_EACH_BLOCKS = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x19E0, 0x19FF),
    (0x2E80, 0x2FDF),
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3038, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x1AFF0, 0x1B16F),
    (0x20000, 0x3FFFF),
)
_EMOJI_BLOCKS = (
    (0x231A, 0x231B),
    (0x23E9, 0x23FA),
    (0x2600, 0x27BF),
    (0x2B1B, 0x2B1C),
    (0x2B50, 0x2B50),
    (0x2B55, 0x2B55),
    (0x1F000, 0x1F1E5),
    (0x1F200, 0x1F3FA),
    (0x1F400, 0x1FAFF),
)
# Two of these letters make one flag.
_FLAG_LETTERS = ((0x1F1E6, 0x1F1FF),)


class Kind(IntEnum):
    """Kinds of marks that a metric counts or a sentence ends with."""

    OTHER = 0
    COMMA = 1
    SEMICOLON = 2
    COLON = 3
    QUESTION = 4
    EXCLAMATION = 5
    PERIOD = 6
    ELLIPSIS = 7
    DASH = 8
    HYPHEN = 9
    PARENTHESIS = 10
    QUOTE = 11
    EMOJI = 12
    FLAG_LETTER = 13
    # These three end a sentence whatever follows.
    FULL_STOP = 14
    FULL_QUESTION = 15
    FULL_EXCLAMATION = 16
    APOSTROPHE = 17


_KINDS = {
    Kind.COMMA: ",，、",
    Kind.SEMICOLON: ";；",
    Kind.COLON: ":：",
    Kind.QUESTION: "?",
    Kind.EXCLAMATION: "!",
    Kind.PERIOD: ".",
    Kind.ELLIPSIS: "…",
    Kind.DASH: "—–",
    Kind.HYPHEN: "-",
    Kind.PARENTHESIS: "(（",
    Kind.QUOTE: '"“”„‟«»〝〞〟＂',
    Kind.FULL_STOP: "。",
    Kind.FULL_QUESTION: "？",
    Kind.FULL_EXCLAMATION: "！",
    Kind.APOSTROPHE: "'’",
}
_KIND_OF = {ord(character): kind for kind, these in _KINDS.items() for character in these}
CLOSING = "\"'”’»›)]}」』）】》〉］｝〕"
# Added to the kind of a mark that may close a quotation or bracket after a sentence's end.
CLOSES = 64

# Symbols of the alphabet of 29: a to z are 0 to 25.
BLANK, DIGIT, ELSE, SKIPPED = 26, 27, 28, 31


def _within(code: int, blocks: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in blocks)


def _flags(code: int) -> int:
    """Return the flags of a character."""
    character = chr(code)
    category = unicodedata.category(character)
    case = {"Lu": UPPER, "Ll": LOWER}.get(category, 0)
    if _within(code, _EACH_BLOCKS):
        if category[0] == "L":
            return EACH | LETTER | case
        return EACH | MARK if category[0] == "M" else MARK
    if category[0] == "L":
        return WORD | LETTER | case
    if category[0] in "MN" or character == "_":
        return WORD
    return SPACE if character.isspace() else MARK


def _kind(code: int) -> int:
    """Return the kind of a mark."""
    if _within(code, _FLAG_LETTERS):
        kind = Kind.FLAG_LETTER
    elif _within(code, _EMOJI_BLOCKS):
        kind = Kind.EMOJI
    else:
        kind = _KIND_OF.get(code, Kind.OTHER)
    return kind + CLOSES if chr(code) in CLOSING else kind


def _symbol(code: int) -> int:
    """Return the symbol of a character in the alphabet of 29."""
    character = chr(code)
    if character.isascii() and character.isalpha():
        return ord(character.lower()) - ord("a")
    if character.isspace():
        return BLANK
    return DIGIT if unicodedata.category(character) == "Nd" else ELSE


_ASCII = range(128)
# Zero is no character of a text: it parts them.
_FLAG_TABLE = bytes([0, *map(_flags, _ASCII[1:])]) + bytes([CONTINUED]) * 128
_KIND_TABLE = bytes(map(_kind, _ASCII)) + bytes(128)
_SYMBOL_TABLE = bytes([SKIPPED, *map(_symbol, _ASCII[1:])]) + bytes([SKIPPED]) * 128


@dataclass(frozen=True, slots=True)
class Characters:
    """What the bytes of a stretch are.

    Attributes
    ----------
    flags : (B,) uint8
        WORD, SPACE, ... of the character a byte belongs to.
    leads : (n,) int64
        Where each character beyond ASCII begins.
    sizes : (n,) int64
        Its bytes.
    which, distinct : (n,) and (d,) int64
        The characters themselves: code points ``distinct[which]``.
    """

    flags: Bytes
    leads: Ints
    sizes: Ints
    which: Ints
    distinct: Ints


def classify(data: bytes, codes: Bytes) -> Characters:
    """Return what the bytes of valid UTF-8 are."""
    flags = np.frombuffer(bytearray(data.translate(_FLAG_TABLE)), dtype=np.uint8)
    if data.isascii():
        none = np.zeros(0, dtype=np.int64)
        return Characters(flags, none, none, none, none)
    leads = np.flatnonzero(codes >= 0xC0)
    points, sizes = _decode(codes, leads)
    distinct, which = np.unique(points, return_inverse=True)
    table = np.array([_flags(code) for code in distinct.tolist()], dtype=np.uint8)
    found = table[which]
    flags[leads] = found
    for step in (1, 2, 3):
        longer = sizes > step
        flags[leads[longer] + step] = found[longer] | CONTINUED
    return Characters(flags, leads, sizes, which, distinct)


def _decode(codes: Bytes, leads: Ints) -> tuple[Ints, Ints]:
    """Return the code points and sizes of characters of two to four bytes."""
    first = codes[leads].astype(np.int64)
    sizes = 2 + (first >= 0xE0).astype(np.int64) + (first >= 0xF0)
    points = first & (0x7F >> sizes)
    for step in (1, 2, 3):
        more = codes[leads + step].astype(np.int64) & 0x3F
        points = np.where(sizes > step, points << 6 | more, points)
    return points, sizes


def symbols(stretch: Stretch, characters: Characters) -> Bytes:
    """Return each character's symbol in the alphabet of 29; SKIPPED on bytes that begin none."""
    found = np.frombuffer(bytearray(stretch.data.translate(_SYMBOL_TABLE)), dtype=np.uint8)
    if len(characters.leads):
        table = np.array([_symbol(code) for code in characters.distinct.tolist()], dtype=np.uint8)
        found[characters.leads] = table[characters.which]
    return found


@dataclass(frozen=True, slots=True)
class Marks:
    """All marks in their order.

    Attributes
    ----------
    at, end : (m,) int64
        The bytes of each mark.
    kind : (m,) uint8
        A `Kind`.
    closes : (m,) bool
        Whether it may close a quotation or a bracket.
    offsets : (T + 1,) int64
        The marks of text t are ``offsets[t]`` to ``offsets[t + 1]``.
    """

    at: Ints
    end: Ints
    kind: Bytes
    closes: Bools
    offsets: Ints


def find_marks(stretch: Stretch, characters: Characters) -> Marks:
    """Return the marks of all texts."""
    at = np.flatnonzero((characters.flags & (MARK | CONTINUED)) == MARK)
    kind = np.frombuffer(_KIND_TABLE, dtype=np.uint8)[stretch.bytes[at]]
    end = at + 1
    beyond = np.flatnonzero(stretch.bytes[at] >= 0xC0)
    if len(beyond):
        table = np.array([_kind(code) for code in characters.distinct.tolist()], dtype=np.uint8)
        position = np.searchsorted(characters.leads, at[beyond])
        kind[beyond] = table[characters.which[position]]
        end[beyond] = at[beyond] + characters.sizes[position]
    closes = kind >= CLOSES
    offsets = np.searchsorted(at, stretch.starts)
    return Marks(at, end, kind & np.uint8(CLOSES - 1), closes, offsets)
