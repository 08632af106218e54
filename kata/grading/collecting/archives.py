"""Zips and tars, which may be hostile: read in memory, never unpacked to disk.

What an archive states about itself may be false, so limits apply to what was actually read.
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
from typing import IO

from kata.grading.collecting.packed import methods
from kata.text import shown
from kata.words import say

MIB = 1 << 20
LARGEST_ARCHIVE = 100 * MIB
LARGEST_UNPACKED = 128 * MIB  # of a compressed tar, which has to be unpacked to be listed
MOST = 5_000  # files and folders in one archive; a clone of the whole kata has half as many
WITH_PACKAGES = 10  # times as many, if most of them are a virtual environment or the like
UNPACK: dict[bytes, Callable[[IO[bytes]], io.BufferedIOBase]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
}
FOREIGN = {b"Rar!": "rar", b"7z\xbc\xaf": "7z", b"\x28\xb5\x2f\xfd": "zstd"}
# What `zipfile` unpacks bit by bit.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
TAR = b"\0ustar"  # in the first block, except in tars older than this format
ENTRY = b"PK\1\2"  # starts each entry in the central directory of a zip


class RefusedError(Exception):
    """An archive or folder cannot be read, or not to its end; the text says why."""


@dataclass(frozen=True)
class Entry:
    """Something found in a folder or an archive: a file, a folder, a link, …"""

    path: str  # ends in a slash if it is a folder
    read: Callable[[int], bytes] = lambda _: b""  # its content, cut one byte over this limit
    refused: str = ""  # why it is not read
    inside: str = ""  # the archive that contains it, if that lies in a folder


class LimitedStream(io.RawIOBase):
    """A stream that raises an error after too many bytes, so that a tar bomb stays harmless."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read, self._left = read, LARGEST_UNPACKED

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        content = self._read(size)
        self._left -= len(content)
        if self._left < 0:
            raise RefusedError(say("collecting.unpacked", size=LARGEST_UNPACKED // MIB))
        return content


def archived(file: IO[bytes], name: str) -> Iterator[Entry]:
    """The entries of a zip or a tar: its first bytes tell which it is, not its name."""
    if file.seek(0, 2) > LARGEST_ARCHIVE:
        raise RefusedError(say("collecting.large", size=LARGEST_ARCHIVE // MIB))
    file.seek(0)
    head = file.read(tarfile.BLOCKSIZE)
    file.seek(0)
    for magic, kind in FOREIGN.items():
        if head.startswith(magic):
            raise RefusedError(say("collecting.foreign", kind=kind))
    if unpack := next((UNPACK[magic] for magic in UNPACK if head.startswith(magic)), None):
        return _tarred(unpack(file).read)
    zipped = head.startswith(b"PK") or name.casefold().endswith(".zip")
    return _zipped(file) if zipped and TAR not in head else _tarred(file.read)


def refusal(mode: int) -> str:
    """Why something with this mode is not read; empty for plain files and unknown modes."""
    if stat.S_ISLNK(mode):
        return say("collecting.link")
    return say("collecting.special") if stat.S_IFMT(mode) not in {0, stat.S_IFREG} else ""


@contextmanager
def _damaged() -> Iterator[None]:
    """Refuse the archive as damaged, whatever error the library raises."""
    try:
        yield
    except (
        RefusedError,
        methods.UnsupportedError,
        MemoryError,
    ):  # where memory is limited, the archive is not to blame
        raise
    except Exception as error:
        reason = shown(str(error) or type(error).__name__)
        raise RefusedError(say("collecting.damaged", reason=reason)) from None


def _zipped(file: IO[bytes]) -> Iterator[Entry]:
    # Counted here because the library makes an object of each; packages are skipped later.
    if count_of_entries(file) > WITH_PACKAGES * MOST:
        raise RefusedError(say("collecting.many", count=MOST))
    with _damaged(), zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            kind = "" if info.is_dir() else refusal(info.external_attr >> 16)
            yield Entry(info.filename, partial(of_zip, archive, info), kind)


def count_of_entries(file: IO[bytes]) -> int:
    """At least the number of entries of a zip, whatever number it states."""
    count, carried = 0, b""
    while chunk := file.read(MIB):
        count += (carried + chunk).count(ENTRY)
        carried = chunk[1 - len(ENTRY) :]
    file.seek(0)
    return count


def of_zip(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    """The content of a file in a zip, cut one byte over the limit."""
    if info.flag_bits & 1:
        raise RefusedError(say("collecting.encrypted"))
    if info.compress_type not in METHODS:
        return _otherwise(archive, info, limit)
    with _damaged(), archive.open(info) as member:
        return member.read(limit + 1)


def _otherwise(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    """The content of a file in a zip that is not compressed as nearly all are."""
    try:
        with _damaged():
            return methods.unpacked(archive, info, limit)
    except methods.UnsupportedError as error:
        raise RefusedError(str(error)) from None


def _tarred(read: Callable[[int], bytes]) -> Iterator[Entry]:
    limited = LimitedStream(read)
    with _damaged(), tarfile.open(fileobj=limited, mode="r|") as archive:
        for member in archive:
            path = f"{member.name}/" if member.isdir() else member.name
            yield Entry(path, partial(_of_tar, archive, member), _kind(member))
    with _damaged():
        while limited.read(MIB):  # up to the checksum at the end
            pass


def _kind(member: tarfile.TarInfo) -> str:
    if member.issym() or member.islnk():
        return say("collecting.link")
    return "" if member.isreg() or member.isdir() else say("collecting.special")


def _of_tar(archive: tarfile.TarFile, member: tarfile.TarInfo, limit: int) -> bytes:
    with _damaged():
        content = archive.extractfile(member)
        return content.read(limit + 1) if content else b""
