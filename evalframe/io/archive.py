"""Members of a zip archive, Zstandard ones too, decompressed within limits and never to disk."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from evalframe.io.nested import LARGEST
from evalframe.io.refusals import AGAIN, refusal

STORED, DEFLATED, ZSTANDARD = 0, 8, 93

# Text shrinks to a tenth, repeated text to a hundredth. What claims to have shrunk further and is
# large was made to fill the memory.
RATIO, SMALL = 200, 64 * 2**20

# A member's own header: a fixed part that ends in the lengths of its name and extra field.
HEADER = struct.Struct("<4s22xHH")

# What zipfile raises for bytes that are no archive, or one that it does not know.
UNREADABLE = (
    zipfile.BadZipFile,
    NotImplementedError,
    ValueError,
    IndexError,
    struct.error,
    OverflowError,
)


@dataclass(frozen=True, slots=True)
class Archive:
    """An open archive.

    Attributes
    ----------
    path : Path
        For messages.
    file : binary file
    size : int
        Of the file, in bytes.
    members : dict of str to ZipInfo
        By name; of two with one name the later one, which the writer put in its place.
    """

    path: Path
    file: BinaryIO
    size: int
    members: dict[str, zipfile.ZipInfo]

    def where(self, name: str) -> str:
        """Return how a message names a member."""
        return f"{self.path}, member {name!r:.200}"

    def read(self, name: str) -> bytes:
        """Return a member's bytes.

        Parameters
        ----------
        name : str
            One of `members`. A name is only ever looked up: nothing is written anywhere.

        Returns
        -------
        bytes

        Raises
        ------
        RecordError
            If the member is cut, damaged, encrypted, larger than it says or than is sound, or
            compressed in another way than with deflate or Zstandard.
        """
        info = self.members[name]
        if info.flag_bits & 1:
            raise refusal(self.where(name), "a log must be readable", "it encrypted", AGAIN)
        limit = min(LARGEST, max(SMALL, RATIO * info.compress_size))
        if info.file_size > limit:
            raise refusal(
                self.where(name),
                f"{info.compress_size:,} bytes must hold {limit:,} at most",
                f"{info.file_size:,} declared, as in a zip bomb",
                AGAIN,
            )
        try:
            data = _expand(self._raw(info), info)
        except (OSError, ValueError, zlib.error, pa.ArrowException) as error:
            raise refusal(
                self.where(name), "a member must be whole", f"it damaged ({error})", AGAIN
            ) from error
        return data

    def _raw(self, info: zipfile.ZipInfo) -> bytes:
        """Return the bytes of a member as they stand in the file."""
        self.file.seek(info.header_offset)
        header = self.file.read(HEADER.size)
        if len(header) < HEADER.size or not header.startswith(b"PK\x03\x04"):
            raise ValueError("its header is not where the archive says")
        _, name, extra = HEADER.unpack(header)
        start = info.header_offset + HEADER.size + name + extra
        # Asked before reading: Python makes room for as many bytes as it is asked to read.
        if start + info.compress_size > self.size:
            raise ValueError("it is cut off")
        self.file.seek(start)
        return self.file.read(info.compress_size)


def _expand(raw: bytes, info: zipfile.ZipInfo) -> bytes:
    """Decompress a member to the size it declares, and check that it is that."""
    size = info.file_size
    if info.compress_type == STORED:
        data = raw
    elif info.compress_type == DEFLATED:
        # One byte more than declared: what goes on after it is not decompressed.
        data = zlib.decompressobj(-zlib.MAX_WBITS).decompress(raw, size + 1)
    elif info.compress_type == ZSTANDARD:
        # Into a buffer of the declared size; several frames one after another are one content.
        data = pa.Codec("zstd").decompress(raw, decompressed_size=size, asbytes=True)
    else:
        raise ValueError(f"compressed with zip method {info.compress_type}, which no log uses")
    if len(data) != size:
        raise ValueError(f"it is not of the {size:,} bytes that the archive says")
    if zlib.crc32(data) != info.CRC:
        raise ValueError("its checksum is wrong")
    return data


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """Open an archive to read its members.

    Parameters
    ----------
    path : Path

    Yields
    ------
    Archive

    Raises
    ------
    RecordError
        If the file is no zip archive, or a cut one.
    """
    with open(path, "rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                members = archive.NameToInfo
        except UNREADABLE as error:
            raise refusal(
                path, "must be a whole zip archive", f"it cut or damaged ({error})", AGAIN
            ) from error
        yield Archive(path, file, path.stat().st_size, members)
