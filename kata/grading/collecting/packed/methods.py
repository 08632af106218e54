"""What Python unpacks of a zip in one go, unpacked bit by bit: a bomb never gets any memory.

45 bytes of bzip2 become 900 kB at once in Python's own `zipfile`, which asks for no limit.
"""

import bz2
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Protocol

from kata.words import say

MIB = 1 << 20
STEP = 1 << 14  # compressed bytes that are read at a time
LOCAL = struct.Struct("<4s5H3L2H")  # the header before each file in a zip
LOCAL_MAGIC = b"PK\3\4"
LZMA_HEAD = struct.Struct("<2sH")  # a version, and how long its settings are
LZMA_SETTINGS = struct.Struct("<BL")
LARGEST_DICTIONARY = 64 * MIB  # of LZMA, whose reader takes as much memory; 7-Zip's best has that
NAMES = {9: "deflate64", 93: "Zstandard", 95: "xz", 98: "PPMd", 12: "bzip2", 14: "LZMA"}


class UnsupportedError(Exception):
    """A file in a zip cannot be unpacked; the text says why."""


class Unpacker(Protocol):
    """What the libraries bz2 and lzma have in common."""

    @property
    def eof(self) -> bool:
        """Whether it has seen the end."""

    @property
    def needs_input(self) -> bool:
        """Whether more can only come from more input."""

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """At most so many bytes more."""


def unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    """The content of a file in a zip, cut one byte over the limit, whatever its sizes say."""
    if info.compress_type not in UNPACKERS:
        name = NAMES.get(info.compress_type, str(info.compress_type))
        raise UnsupportedError(say("collecting.method", name=name))
    start = _start(archive, info)
    packed = _Packed(archive, start, info.compress_size)
    content = _bit_by_bit(UNPACKERS[info.compress_type](packed), packed, limit + 1)
    if len(content) <= limit and zlib.crc32(content) != info.CRC:
        raise zipfile.BadZipFile(f"Bad CRC-32 for file {info.filename!r}")
    return content


def _start(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> int:
    """Where its bytes begin, behind a header of its own."""
    assert archive.fp
    archive.fp.seek(info.header_offset)
    head = archive.fp.read(LOCAL.size)
    if len(head) < LOCAL.size or not head.startswith(LOCAL_MAGIC):
        raise zipfile.BadZipFile("Bad magic number for file header")
    *_, name, extra = LOCAL.unpack(head)
    return info.header_offset + LOCAL.size + int(name) + int(extra)


class _Packed:
    """The compressed bytes of one file."""

    def __init__(self, archive: zipfile.ZipFile, start: int, size: int) -> None:
        self._archive, self._at, self._end = archive, start, start + size

    def read(self, size: int) -> bytes:
        """The next bytes; empty at the end."""
        assert self._archive.fp
        self._archive.fp.seek(self._at)
        content = self._archive.fp.read(max(0, min(size, self._end - self._at)))
        self._at += len(content)
        return content


def _bit_by_bit(unpacker: Unpacker, packed: _Packed, most: int) -> bytes:
    parts, left = [], most
    while left > 0 and not unpacker.eof:
        more = packed.read(STEP) if unpacker.needs_input else b""
        part = unpacker.decompress(more, left)
        if not part and not more and unpacker.needs_input:
            break  # LZMA in a zip need not mark its end
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _bzip2(_: _Packed) -> Unpacker:
    return bz2.BZ2Decompressor()


def _lzma(packed: _Packed) -> Unpacker:
    _, size = LZMA_HEAD.unpack(packed.read(LZMA_HEAD.size))
    settings, dictionary = LZMA_SETTINGS.unpack(packed.read(size))
    if dictionary > LARGEST_DICTIONARY:
        raise UnsupportedError(say("collecting.dictionary", size=LARGEST_DICTIONARY // MIB))
    rest, lc = divmod(settings, 9)
    pb, lp = divmod(rest, 5)
    way = {"id": lzma.FILTER_LZMA1, "dict_size": dictionary, "lc": lc, "lp": lp, "pb": pb}
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[way])


UNPACKERS: dict[int, Callable[[_Packed], Unpacker]] = {
    zipfile.ZIP_BZIP2: _bzip2,
    zipfile.ZIP_LZMA: _lzma,
}
