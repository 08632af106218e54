"""The zip of a whole class, as a platform exports it: unpacked into a folder, some files at a time.

Students chose parts of the names in it, and all of the content. Each slice is unpacked by a process
with limits; what cannot be unpacked is told, and ends nothing.
"""

import errno
import os
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from kata.grading.collecting.archives import (
    LARGEST_ARCHIVE,
    MIB,
    RefusedError,
    count_of_entries,
    of_zip,
)
from kata.grading.collecting.exports import is_leftover
from kata.grading.collecting.folders import opened, unreadable
from kata.grading.collecting.names import few, is_junk, parts_of, without_suffix
from kata.words import say

LARGEST_EXPORT = 4 << 30  # bytes, packed
LARGEST_CLASS = 8 << 30  # bytes, unpacked
MOST_FILES = 100_000  # of a class
SLICE = 128 * MIB  # unpacked in one go, or a little more
SLICE_FILES = 1_000
LONGEST_PART = 200  # bytes of a name; systems allow 255, and some add something
DEEPEST = 30  # folders
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}


@dataclass(frozen=True)
class Unpacking:
    """How far it has come.

    Attributes:
        export: the zip.
        folder: where its files go.
        done: how many of its entries were looked at.
        size: how many bytes were written.
        left: what was not unpacked, by reason.
        ended: whether all was looked at.
    """

    export: Path
    folder: Path
    done: int = 0
    size: int = 0
    left: tuple[tuple[str, str], ...] = ()
    ended: bool = False

    @property
    def told(self) -> Iterator[str]:
        """A line for each reason for which something was left out."""
        for reason in dict.fromkeys(reason for _, reason in self.left):
            names = few(name for name, each in self.left if each == reason)
            yield say("collecting.not-unpacked", names=names, reason=reason)


def listed(path: Path) -> list[zipfile.ZipInfo]:
    """Everything in the zip of a class; a RefusedError says why it cannot be listed."""
    with opened(path) as file:
        if not zipfile.is_zipfile(file) or file.seek(0, 2) > LARGEST_EXPORT:
            raise RefusedError(say("collecting.large", size=LARGEST_EXPORT // MIB))
        file.seek(0)
        if count_of_entries(file) > MOST_FILES:
            raise RefusedError(say("collecting.many", count=MOST_FILES))
        with zipfile.ZipFile(file) as archive:
            return archive.infolist()


def unpacked(so_far: Unpacking) -> Unpacking:
    """One slice more of it; a RefusedError says why there can be none."""
    try:
        with opened(so_far.export) as file, zipfile.ZipFile(file) as archive:
            return _slice(archive, so_far)
    except (OSError, zipfile.BadZipFile) as error:  # no room on the disk, for example
        raise RefusedError(unreadable(error)) from None


def _slice(archive: zipfile.ZipFile, so_far: Unpacking) -> Unpacking:
    entries = archive.infolist()
    left, size, done = list(so_far.left), so_far.size, so_far.done
    for info in entries[done : done + SLICE_FILES]:
        done += 1
        try:
            size += _written(archive, info, so_far.folder)
        except RefusedError as error:
            left.append((info.filename, str(error)))
        if size > so_far.size + SLICE:
            break
    if size > LARGEST_CLASS:
        raise RefusedError(say("collecting.unpacked", size=LARGEST_CLASS // MIB))
    return replace(so_far, done=done, size=size, left=tuple(left), ended=done >= len(entries))


def _written(archive: zipfile.ZipFile, info: zipfile.ZipInfo, folder: Path) -> int:
    """Unpack one file; returns its size."""
    parts = parts_of(info.filename)
    if parts is None or len(parts) > DEEPEST:
        raise RefusedError(say("collecting.outside"))
    if not parts or is_leftover(parts[0]) or any(map(is_junk, parts[1:])):
        return 0
    if stat.S_ISLNK(info.external_attr >> 16):
        raise RefusedError(say("collecting.link"))
    path = folder.joinpath(*map(_shortened, parts))
    content = b"" if info.is_dir() else of_zip(archive, info, LARGEST_ARCHIVE)
    _write(path, content, is_folder=info.is_dir())
    return len(content)


def _write(path: Path, content: bytes, *, is_folder: bool) -> None:
    """Never into what is there already: a second file of the same name is told."""
    try:
        (path if is_folder else path.parent).mkdir(parents=True, exist_ok=True)
        if not is_folder:
            with path.open("xb") as file:
                file.write(content)
    except FileExistsError:
        raise RefusedError(say("collecting.same-name")) from None
    except OSError as error:
        if error.errno in FULL:
            raise
        raise RefusedError(unreadable(error)) from None
    except ValueError as error:  # a name that no system knows, with a NUL in it
        raise RefusedError(unreadable(error)) from None


def _shortened(part: str) -> str:
    """Its front says whose it is, and its end of what kind."""
    if len(os.fsencode(part)) <= LONGEST_PART:
        return part
    suffix = part[len(without_suffix(part)) :][:10]
    front = part.encode("utf-8", "replace")[: LONGEST_PART - 10].decode("utf-8", "ignore")
    return front + suffix
