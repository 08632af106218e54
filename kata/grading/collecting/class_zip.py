"""The zip of a whole class, as a platform exports it: unpacked into a folder, some files at a time.

Students chose parts of the names in it, and all of the content. So a process with limits looks
whether it is one, and unpacks each slice; what cannot be unpacked is told, and ends nothing.
"""

import errno
import os
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
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
    too_large,
    too_many,
    unreadable,
)
from kata.grading.collecting.exports import GRADESCOPE, is_leftover, name_parts
from kata.grading.collecting.names import (
    LONGEST,
    few,
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
    count = students_in(paths)
    sure = path.name.casefold().startswith(EXPORTED) or any("_assign" in name for name in paths)
    return count if count > 1 or sure else 0


def students_in(paths: list[str]) -> int:
    """How many students' work is in an archive, if a learning platform named all of it; else 0."""
    files = [parts for path in paths if not path.endswith("/") and (parts := parts_of(path))]
    own = [parts for parts in files if parts[-1] != GRADESCOPE and not any(map(is_junk, parts))]
    owners = {parts: _owner(parts) for parts in own}
    if any(not owner and (is_archive(parts[-1]) or is_file(parts[-1]))
           for parts, owner in owners.items()):  # fmt: skip
        return 0
    return len({*filter(None, owners.values())})


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
class Unpacking:
    """How far it has come.

    Attributes:
        export: the zip.
        folder: where its files go.
        done: how many of its entries were looked at.
        size: how many bytes were written.
        left: what was not unpacked, with the reason.
        ended: whether all was looked at.
    """

    export: Path
    folder: Path
    done: int = 0
    size: int = 0
    left: tuple[tuple[str, str], ...] = ()
    ended: bool = False

    @property
    def notes(self) -> Iterator[str]:
        """A line for each reason for which something was left out."""
        for reason in dict.fromkeys(reason for _, reason in self.left):
            names = few(name for name, other in self.left if other == reason)
            yield f"not unpacked from the class's zip: {names}: {reason}"


def unpacked(so_far: Unpacking) -> Unpacking:
    """One slice more of it; a RefusedError says why there can be none."""
    try:
        with opened(so_far.export) as file, zipfile.ZipFile(file) as archive:
            return _with_slice(archive, so_far)
    except (OSError, zipfile.BadZipFile) as error:  # no room on the disk, for example
        raise RefusedError(unreadable(error)) from None


def _with_slice(archive: zipfile.ZipFile, so_far: Unpacking) -> Unpacking:
    everything = archive.infolist()
    left, size, done = list(so_far.left), so_far.size, so_far.done
    for info in everything[done : done + SLICE_FILES]:
        done += 1
        try:
            size += _unpack(archive, info, so_far.folder)
        except RefusedError as error:
            left.append((info.filename, str(error)))
        except MemoryError:  # of a hostile compression
            left.append((info.filename, NO_MEMORY))
        if size > so_far.size + SLICE:
            break
    if size > LARGEST_CLASS:
        raise too_large(LARGEST_CLASS)
    return replace(so_far, done=done, size=size, left=tuple(left), ended=done >= len(everything))


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
