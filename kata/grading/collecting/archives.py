"""Zips and tars of people who may mean no good: looked through, and never unpacked.

Whatever an archive says about itself may be a lie, so sizes and counts are those of what was read.
"""

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO, Protocol

from kata.course.source import LARGEST
from kata.grading.collecting.names import shown
from kata.words import say

MIB = 1 << 20
LARGEST_ARCHIVE = 100 * MIB
LARGEST_UNPACKED = 128 * MIB  # of a compressed tar, which cannot be looked through without
MOST = 5_000  # files and folders; a clone of the whole kata has half as many
UNPACK: dict[bytes, Callable[[IO[bytes]], "Readable"]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
}
FOREIGN = {b"Rar!": "rar", b"7z\xbc\xaf": "7z", b"\x28\xb5\x2f\xfd": "zstd"}
# The others come without a limit on what one piece of input becomes: 45 bytes of bzip2 are 900 kB.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
TAR = b"\0ustar"  # in the first block, but for tars older than the format
ENTRY = b"PK\1\2"  # begins each entry in the list of a zip


class RefusedError(Exception):
    """Nothing of it can be read, or no more of it; the text says why."""


@dataclass(frozen=True)
class Entry:
    """A file that is there, or something else in its place."""

    path: str  # that of a folder ends in a slash
    read: Callable[[], bytes] = bytes  # no more than one byte over what an exercise may have
    refused: str = ""  # why it is not read
    inside: str = ""  # the archive in the folder


class Readable(Protocol):
    """What a tar is read from."""

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""


class Limited(io.RawIOBase):
    """A stream that ends in an error where a bomb would go off."""

    def __init__(self, stream: Readable) -> None:
        self._stream, self._left = stream, LARGEST_UNPACKED

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        content = self._stream.read(size)
        self._left -= len(content)
        if self._left < 0:
            raise RefusedError(say("collecting.unpacked", size=LARGEST_UNPACKED // MIB))
        return content


def archived(file: IO[bytes], name: str) -> Iterator[Entry]:
    """What is in a zip or tar; its first bytes tell which it is, whatever its name says."""
    if file.seek(0, 2) > LARGEST_ARCHIVE:
        raise RefusedError(say("collecting.large", size=LARGEST_ARCHIVE // MIB))
    file.seek(0)
    head = file.read(tarfile.BLOCKSIZE)
    file.seek(0)
    for magic, kind in FOREIGN.items():
        if head.startswith(magic):
            raise RefusedError(say("collecting.foreign", kind=kind))
    if unpack := next((UNPACK[magic] for magic in UNPACK if head.startswith(magic)), None):
        return _tarred(unpack(file))
    zipped = head.startswith(b"PK") or name.casefold().endswith(".zip")
    return _zipped(file) if zipped and TAR not in head else _tarred(file)


def refusal(mode: int) -> str:
    """Why something of this kind is not read; nothing for plain files, and for unknown kinds."""
    if stat.S_ISLNK(mode):
        return say("collecting.link")
    return say("collecting.special") if stat.S_IFMT(mode) not in {0, stat.S_IFREG} else ""


@contextmanager
def _damaged() -> Iterator[None]:
    """Whatever an archive makes its library raise tells that it is no good one."""
    try:
        yield
    except RefusedError:
        raise
    except Exception as error:
        reason = shown(str(error) or type(error).__name__)
        raise RefusedError(say("collecting.damaged", reason=reason)) from None


def _zipped(file: IO[bytes]) -> Iterator[Entry]:
    if _count(file) > MOST:  # the library would first make an object of each
        raise RefusedError(say("collecting.many", count=MOST))
    with _damaged(), zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            kind = "" if info.is_dir() else refusal(info.external_attr >> 16)
            yield Entry(info.filename, partial(_of_zip, archive, info), kind)


def _count(file: IO[bytes]) -> int:
    """No fewer than the entries of a zip, whatever it says that it has."""
    count, before = 0, b""
    while chunk := file.read(MIB):
        count += (before + chunk).count(ENTRY)
        before = chunk[1 - len(ENTRY) :]
    file.seek(0)
    return count


def _of_zip(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.flag_bits & 1:
        raise RefusedError(say("collecting.encrypted"))
    if info.compress_type not in METHODS:
        raise RefusedError(say("collecting.method"))
    with _damaged(), archive.open(info) as member:
        return member.read(LARGEST + 1)


def _tarred(stream: Readable) -> Iterator[Entry]:
    limited = Limited(stream)
    with _damaged(), tarfile.open(fileobj=limited, mode="r|") as archive:
        for member in archive:
            path = f"{member.name}/" if member.isdir() else member.name
            yield Entry(path, partial(_of_tar, archive, member), _kind(member))
    with _damaged():
        while limited.read(MIB):  # to the checksum at the end
            pass


def _kind(member: tarfile.TarInfo) -> str:
    if member.issym() or member.islnk():
        return say("collecting.link")
    return "" if member.isreg() or member.isdir() else say("collecting.special")


def _of_tar(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    with _damaged():
        content = archive.extractfile(member)
        return content.read(LARGEST + 1) if content else b""
