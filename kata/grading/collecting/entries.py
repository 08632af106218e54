"""The entries of a folder or an archive, archives in it included: all may be hostile.

`submissions` reads a place with `entries`; `students` counts and unpacks the zip of a class. A run
of the grader does both in the process of `reader`, within limits of memory and time. No link is
followed, no pipe is waited for, and only the zip of a class is unpacked to disk. What an archive
states about itself may be false, so limits apply to what was actually read. What cannot be unpacked
is reported and ends nothing, unless nothing at all can be written.
"""

import bz2
import errno
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO

from kata.files import PLAIN
from kata.grading.collecting.names import (
    LONGEST,
    fold,
    is_archive,
    is_container,
    is_file,
    is_foreign,
    is_junk,
    is_leftover,
    name_parts,
    parts_of,
    without_suffix,
)
from kata.grading.collecting.reader import NEEDS_TOO_MUCH_MEMORY, UnreadError
from kata.text import clean, printable

MIB = 1 << 20
LARGEST_ARCHIVE = 100 * MIB
LARGEST_UNPACKED = 128 * MIB  # of a compressed tar, which has to be unpacked to be listed
MOST = 5_000  # files and folders in one archive; a clone of the whole kata has half as many
WITH_PACKAGES = 10  # times as many, if most of them are a virtual environment or the like
DEEPEST = 5  # folders above a file: one for an archive, those of the kata, and one more
DEEPEST_IN_CLASS = 30  # folders
DEEPEST_NESTED = 3  # archives around an archive: hand-in.zip/submission.zip/kata.zip/…
MOST_ARCHIVES = 10  # in one folder or archive, with all that is in them
FOLDER = -1  # how many archives are around what lies in a folder
UNPACK: dict[bytes, Callable[[IO[bytes]], io.BufferedIOBase]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
}
FOREIGN = {b"Rar!": "rar", b"7z\xbc\xaf": "7z", b"\x28\xb5\x2f\xfd": "zstd"}
METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA}
OTHER_METHODS = {9: "deflate64", 93: "Zstandard", 95: "xz", 98: "PPMd"}
TAR = b"\0ustar"  # in the first block, except in tars older than this format
ENTRY = b"PK\1\2"  # starts an entry in the central directory of a zip
LINK = "a link, which is not followed"
OUTSIDE = "its path leads out of the archive"
SPECIAL = "not a plain file"

GRADESCOPE = "submission_metadata.yml"
CANVAS_ZIP = "submissions"  # how Canvas begins the name of the zip of a class
CLASSROOM_SUFFIX = "-submissions"  # how GitHub Classroom ends the name of a folder
LARGEST_EXPORT = 4 << 30  # bytes, packed
LARGEST_CLASS = 8 << 30  # bytes, unpacked
MOST_FILES = 100_000  # of a class
SLICE = 128 * MIB  # unpacked in one go, or a little more
SLICE_FILES = 1_000
LONGEST_PART = 200  # bytes of a name; systems allow 255, and some add something
UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}


class RefusedError(UnreadError):
    """An archive or folder cannot be read, or not to its end; the text says why."""


@dataclass(frozen=True)
class Entry:
    """An entry of a folder or an archive: a file, a folder, a link, …"""

    path: str  # ends in a slash if it is a folder
    read: Callable[[int], bytes] = lambda _: b""  # its content, cut one byte over this limit
    refused: str = ""  # why it is not read
    inside: str = ""  # the archive that contains it, if that lies in a folder
    file: Path | None = None  # if it lies on the disk


@dataclass
class Budget:
    """The archives that may still be opened in one student's work."""

    archives: int = MOST_ARCHIVES
    size: int = LARGEST_UNPACKED  # of archives in archives


def entries(path: Path, name: str) -> Iterator[Entry]:
    """Yield everything in a folder or an archive; for a plain file, itself under this name."""
    try:
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode):
            yield from with_archives(_walk(path, ()), Budget(), FOLDER)
        elif reason := _refusal(mode):
            raise RefusedError(reason)
        elif is_archive(name):
            with opened(path) as file:
                yield from with_archives(archived(file, name), Budget())
        else:
            yield Entry(name, partial(_content, path))
    except OSError as error:
        raise RefusedError(unreadable(error)) from None


def with_archives(everything: Iterator[Entry], budget: Budget, depth: int = 0) -> Iterator[Entry]:
    """Yield the entries of a folder or an archive, with those of the archives in it."""
    for entry in everything:
        if entry.refused or not _is_opened(entry.path, depth):
            yield entry
        elif depth == DEEPEST_NESTED:
            reason = f"an archive inside more than {DEEPEST_NESTED} others is not opened"
            yield replace(entry, refused=reason)
        elif budget.archives < 1:
            yield replace(entry, refused=f"more than {MOST_ARCHIVES} archives in one hand-in")
        else:
            budget.archives -= 1
            yield from _inner(entry, budget, depth + 1)


def _is_opened(path: str, depth: int) -> bool:
    if depth == FOLDER:  # what is foreign there was left out
        return is_archive(path)
    parts = parts_of(path) or ()
    return bool(parts) and is_container(path) and not any(map(is_foreign, parts))


def _inner(outer: Entry, budget: Budget, depth: int) -> Iterator[Entry]:
    try:
        with _stream(outer, budget) as file:
            for entry in with_archives(archived(file, outer.path), budget, depth):
                inside = f"{outer.path}/{entry.inside}" if entry.inside else outer.path
                yield replace(entry, inside=inside)
    except OSError as error:
        yield Entry(outer.path, refused=unreadable(error))
    except RefusedError as error:
        yield Entry(outer.path, refused=str(error))


def _stream(archive: Entry, budget: Budget) -> IO[bytes]:
    if archive.file:
        return opened(archive.file)
    content = archive.read(budget.size)
    if len(content) > budget.size:
        raise too_large(LARGEST_UNPACKED)
    budget.size -= len(content)
    return io.BytesIO(content)


def too_many(most: int) -> RefusedError:
    """Make the error for more files than these."""
    return RefusedError(f"it holds more than {most} files")


def too_large(size: int) -> RefusedError:
    """Make the error for an archive that unpacks to more bytes than these."""
    return RefusedError(f"it unpacks to more than {size // MIB} MiB")


# -- folders and files


def opened(path: Path) -> IO[bytes]:
    """Open a plain file; raise an error at once for anything else."""
    file = os.fdopen(os.open(path, PLAIN), "rb")
    # It may have changed since it was listed.
    if reason := _refusal(os.fstat(file.fileno()).st_mode):
        file.close()
        raise RefusedError(reason)
    return file


def unreadable(error: Exception) -> str:
    """Put the operating system's error into a message of ours."""
    reason = getattr(error, "strerror", None) or error
    return f"cannot be read: {clean(str(reason))}"


def _refusal(mode: int) -> str:
    """Return why an entry with this mode is not read; empty for plain files and unknown modes."""
    if stat.S_ISLNK(mode):
        return LINK
    return SPECIAL if stat.S_IFMT(mode) not in {0, stat.S_IFREG} else ""


def _content(path: Path, limit: int) -> bytes:
    with opened(path) as file:
        return file.read(limit + 1)


def _walk(folder: Path, above: tuple[str, ...]) -> Iterator[Entry]:
    with os.scandir(folder) as listing:
        items = sorted(islice(listing, MOST + 1), key=lambda entry: entry.name)
    for entry in items:
        if is_foreign(entry.name):
            continue
        path, file = "/".join((*above, entry.name)), Path(entry.path)
        if not entry.is_dir(follow_symlinks=False):
            reason = _refusal(entry.stat(follow_symlinks=False).st_mode)
            yield Entry(path, partial(_content, file), reason, file=file)
        elif len(above) < DEEPEST:
            yield Entry(f"{path}/")
            try:
                yield from _walk(file, (*above, entry.name))
            except OSError as error:
                yield Entry(path, refused=unreadable(error))


# -- zips and tars


def archived(file: IO[bytes], name: str) -> Iterator[Entry]:
    """Yield the entries of a zip or a tar: its first bytes tell which it is, not its name."""
    if file.seek(0, os.SEEK_END) > LARGEST_ARCHIVE:
        raise RefusedError(f"the archive is larger than {LARGEST_ARCHIVE // MIB} MiB")
    file.seek(0)
    head = file.read(tarfile.BLOCKSIZE)
    file.seek(0)
    for magic, kind in FOREIGN.items():
        if head.startswith(magic):
            raise RefusedError(f"a {kind} archive cannot be read; a zip or a tar can")
    for magic, unpack in UNPACK.items():
        if head.startswith(magic):
            return _tarred(unpack(file).read)
    is_zip = head.startswith(b"PK") or name.casefold().endswith(".zip")
    return _zipped(file) if is_zip and TAR not in head else _tarred(file.read)


@contextmanager
def _damaged() -> Iterator[None]:
    """Refuse the archive as damaged, whatever error the library raises."""
    try:
        yield
    except (RefusedError, MemoryError):  # where memory is limited, the archive is not to blame
        raise
    except Exception as error:
        reason = printable(str(error) or type(error).__name__)
        raise RefusedError(f"the archive is damaged: {reason}") from None


def _zipped(file: IO[bytes]) -> Iterator[Entry]:
    # Counted here because the library makes objects of all entries; packages are skipped later.
    if _count_of_entries(file) > WITH_PACKAGES * MOST:
        raise too_many(MOST)
    with _damaged(), zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            reason = "" if info.is_dir() else _refusal(info.external_attr >> 16)
            yield Entry(info.filename, partial(_of_zip, archive, info), reason)


def _count_of_entries(file: IO[bytes]) -> int:
    """Count at least the entries of a zip, whatever number it states."""
    count, carried = 0, b""
    while chunk := file.read(MIB):
        count += (carried + chunk).count(ENTRY)
        carried = chunk[1 - len(ENTRY) :]
    file.seek(0)
    return count


def _of_zip(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    if info.flag_bits & 1:
        raise RefusedError("the archive is encrypted")
    if info.compress_type not in METHODS:
        name = OTHER_METHODS.get(info.compress_type, str(info.compress_type))
        text = f"the zip is compressed with {name}, which cannot be read"
        raise RefusedError(f"{text}: make it with the defaults of your system")
    with _damaged(), archive.open(info) as member:
        return member.read(limit + 1)


class LimitedStream(io.RawIOBase):
    """A stream that raises an error after too many bytes, so that a tar bomb stays harmless."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read, self._left = read, LARGEST_UNPACKED

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes."""
        content = self._read(size)
        self._left -= len(content)
        if self._left < 0:
            raise too_large(LARGEST_UNPACKED)
        return content


def _tarred(read: Callable[[int], bytes]) -> Iterator[Entry]:
    limited = LimitedStream(read)
    with _damaged(), tarfile.open(fileobj=limited, mode="r|") as archive:
        for member in archive:
            path = f"{member.name}/" if member.isdir() else member.name
            plain = member.isreg() or member.isdir()
            reason = LINK if member.issym() or member.islnk() else "" if plain else SPECIAL
            yield Entry(path, partial(_of_tar, archive, member), reason)
    with _damaged():
        while limited.read(MIB):  # up to the checksum at the end
            pass


def _of_tar(archive: tarfile.TarFile, member: tarfile.TarInfo, limit: int) -> bytes:
    with _damaged():
        content = archive.extractfile(member)
        return content.read(limit + 1) if content else b""


# -- the zip of a whole class, unpacked into a folder, some files at a time


def class_in(path: Path) -> int:
    """Count the students in the archive of a class; 0 if it is no such archive.

    A single student is a class if the names leave no doubt that a platform made them.
    """
    paths = _paths(path)
    files = [parts for path in paths if not path.endswith("/") and (parts := parts_of(path))]
    work = [parts for parts in files if parts[-1] != GRADESCOPE and not any(map(is_junk, parts))]
    owner_of = {parts: _owner(parts) for parts in work}
    if any(not owner and (is_archive(parts[-1]) or is_file(parts[-1]))
           for parts, owner in owner_of.items()):  # fmt: skip
        return 0  # a learning platform names all of it
    owners = {*filter(None, owner_of.values())}
    sure = path.name.casefold().startswith(CANVAS_ZIP) or any("_assign" in name for name in paths)
    return len(owners) if len(owners) > 1 or sure else 0


def _paths(path: Path) -> list[str]:
    """List all paths in an archive; none if that fails, which is reported when it is read."""
    try:
        with opened(path) as file:
            if not path.name.casefold().endswith(".zip"):
                return [entry.path for entry in islice(archived(file, path.name), MOST)]
            if not zipfile.is_zipfile(file) or file.seek(0, os.SEEK_END) > LARGEST_EXPORT:
                return []
            file.seek(0)
            if _count_of_entries(file) > MOST_FILES:
                return []
            with zipfile.ZipFile(file) as archive:
                return archive.namelist()
    except (OSError, RefusedError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return []


def _owner(parts: tuple[str, ...]) -> str:
    """Return the owner of a file in an export, which may have one folder around everything."""
    if len(parts) > 2 and parts[0].endswith(CLASSROOM_SUFFIX):
        return fold(parts[1])
    for part in parts[:2]:
        name = name_parts(part[:LONGEST])  # students choose how long it gets
        if name.numbered:
            return f"{fold(name.student)} {name.id}"
        if part.startswith("submission_"):
            return part
    return ""


@dataclass(frozen=True)
class Slice:
    """A number of files of the zip, which are in the folder now."""

    end: int  # how many entries of the zip were looked at; 0 if these were all
    size: int  # how many bytes were written
    refused: list[tuple[str, str]]  # names of files that were not unpacked, with reasons


def unpacked(task: tuple[Path, Path, int]) -> Slice:
    """Unpack a slice of a zip into a folder, from the entry with this number on.

    A RefusedError says why nothing can be unpacked.
    """
    export, folder, end = task
    size, refused = 0, []
    try:
        with opened(export) as file, zipfile.ZipFile(file) as archive:
            everything = archive.infolist()
            for info in everything[end : end + SLICE_FILES]:
                end += 1
                try:
                    size += _unpack(archive, info, folder)
                except RefusedError as error:
                    refused.append((info.filename, str(error)))
                except MemoryError:  # of a hostile compression
                    refused.append((info.filename, NEEDS_TOO_MUCH_MEMORY))
                if size > SLICE:
                    break
    except (OSError, zipfile.BadZipFile) as error:  # no room on the disk, for example
        raise RefusedError(unreadable(error)) from None
    return Slice(end if end < len(everything) else 0, size, refused)


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, folder: Path) -> int:
    """Unpack one file, never over another one, and return its size."""
    parts = parts_of(info.filename)
    if parts is None or len(parts) > DEEPEST_IN_CLASS:
        raise RefusedError(OUTSIDE)
    if not parts or is_leftover(parts[0]) or any(map(is_junk, parts[1:])):
        return 0
    if stat.S_ISLNK(info.external_attr >> 16):
        raise RefusedError(LINK)
    path = folder.joinpath(*map(_shortened, parts))
    try:
        if info.is_dir():
            path.mkdir(parents=True, exist_ok=True)
            return 0
        content = _of_zip(archive, info, LARGEST_ARCHIVE)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            return file.write(content)
    except FileExistsError:
        raise RefusedError("another file there has the same name") from None
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL in it
        if getattr(error, "errno", None) in UNWRITABLE:
            raise
        raise RefusedError(unreadable(error)) from None


def _shortened(part: str) -> str:
    """Shorten a name, but keep its front, which names the owner, and its suffix."""
    if len(os.fsencode(part)) <= LONGEST_PART:
        return part
    suffix = part[len(without_suffix(part)) :][:10]
    front = part.encode("utf-8", "replace")[: LONGEST_PART - 10].decode("utf-8", "ignore")
    return front + suffix
