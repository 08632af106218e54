"""The zip of a whole class, as a platform exports it: unpacked into a folder, some files at a time.

Students chose parts of the names in it, and all of the content. So a process with limits looks
whether it is one, and unpacks each slice; what cannot be unpacked is told, and ends nothing.
"""

import errno
import os
import stat
import zipfile
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

from kata.grading.collecting.entries import (
    LARGEST_ARCHIVE,
    LINK,
    MIB,
    MOST,
    NO_MEMORY,
    OUTSIDE,
    RefusedError,
    archived,
    count_of_entries,
    of_zip,
    opened,
    too_many,
    unreadable,
)
from kata.grading.collecting.exports import GRADESCOPE, is_leftover, name_parts
from kata.grading.collecting.names import (
    LONGEST,
    fold,
    is_archive,
    is_file,
    is_junk,
    parts_of,
    without_suffix,
)

CLASSROOM = "-submissions"  # how GitHub Classroom ends the name of a folder
EXPORTED = "submissions"  # how Canvas calls the zip of a class
LARGEST_EXPORT = 4 << 30  # bytes, packed
LARGEST_CLASS = 8 << 30  # bytes, unpacked
MOST_FILES = 100_000  # of a class
SLICE = 128 * MIB  # unpacked in one go, or a little more
SLICE_FILES = 1_000
LONGEST_PART = 200  # bytes of a name; systems allow 255, and some add something
DEEPEST = 30  # folders
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}
UNLISTED = (OSError, RefusedError, zipfile.BadZipFile, ValueError, NotImplementedError)


def class_in(path: Path) -> int:
    """How many students' work is in the archive of a class; 0 if it is none.

    One student is a class, too, if the platform's marks are plain.
    """
    paths = _paths(path)
    files = [parts for path in paths if not path.endswith("/") and (parts := parts_of(path))]
    own = [parts for parts in files if parts[-1] != GRADESCOPE and not any(map(is_junk, parts))]
    named = {parts: _owner(parts) for parts in own}
    if any(not owner and (is_archive(parts[-1]) or is_file(parts[-1]))
           for parts, owner in named.items()):  # fmt: skip
        return 0  # a learning platform names all of it
    owners = {*filter(None, named.values())}
    sure = path.name.casefold().startswith(EXPORTED) or any("_assign" in name for name in paths)
    return len(owners) if len(owners) > 1 or sure else 0


def _paths(path: Path) -> list[str]:
    """All paths in an archive; none if it cannot be listed, which is reported when it is read."""
    try:
        with opened(path) as file:
            if path.name.casefold().endswith(".zip"):
                return [info.filename for info in _listed(file)]
            return [entry.path for entry in islice(archived(file, path.name), MOST)]
    except UNLISTED:
        return []


def _listed(file: IO[bytes]) -> list[zipfile.ZipInfo]:
    if not zipfile.is_zipfile(file) or file.seek(0, os.SEEK_END) > LARGEST_EXPORT:
        raise RefusedError(f"the archive is larger than {LARGEST_EXPORT // MIB} MiB")
    file.seek(0)
    if count_of_entries(file) > MOST_FILES:
        raise too_many(MOST_FILES)
    with zipfile.ZipFile(file) as archive:
        return archive.infolist()


def _owner(parts: tuple[str, ...]) -> str:
    """Whose file this is, in an export, which may have one folder around everything."""
    if len(parts) > 2 and parts[0].endswith(CLASSROOM):
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
    """Some files of the zip, which are in the folder now."""

    end: int  # how many of its entries were looked at; 0 if these were all
    size: int  # how many bytes were written
    left: list[tuple[str, str]]  # what was not unpacked, with the reason


def unpacked(task: tuple[Path, Path, int]) -> Slice:
    """A slice of a zip, put into this folder, from the entry with this number on.

    A RefusedError says why there can be none.
    """
    export, folder, end = task
    size, left = 0, []
    try:
        with opened(export) as file, zipfile.ZipFile(file) as archive:
            everything = archive.infolist()
            for info in everything[end : end + SLICE_FILES]:
                end += 1
                try:
                    size += _unpack(archive, info, folder)
                except RefusedError as error:
                    left.append((info.filename, str(error)))
                except MemoryError:  # of a hostile compression
                    left.append((info.filename, NO_MEMORY))
                if size > SLICE:
                    break
    except (OSError, zipfile.BadZipFile) as error:  # no room on the disk, for example
        raise RefusedError(unreadable(error)) from None
    return Slice(end if end < len(everything) else 0, size, left)


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, folder: Path) -> int:
    """Unpack one file, never into one that is there already; returns its size."""
    parts = parts_of(info.filename)
    if parts is None or len(parts) > DEEPEST:
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
        content = of_zip(archive, info, LARGEST_ARCHIVE)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            return file.write(content)
    except FileExistsError:
        raise RefusedError("another file there has the same name") from None
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL in it
        if getattr(error, "errno", None) in FULL:
            raise
        raise RefusedError(unreadable(error)) from None


def _shortened(part: str) -> str:
    """Its front says whose it is, and its end of what kind."""
    if len(os.fsencode(part)) <= LONGEST_PART:
        return part
    suffix = part[len(without_suffix(part)) :][:10]
    front = part.encode("utf-8", "replace")[: LONGEST_PART - 10].decode("utf-8", "ignore")
    return front + suffix
