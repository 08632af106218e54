"""What platforms export around single works: Gradescope's metadata, and the zip of a class.

`places` calls `gradescope`; `reader` runs `class_in` and `unpacked` in its own process, for
`students`. Students chose parts of the names and all of the content: trust neither. What cannot be
unpacked is reported and ends nothing, unless nothing at all can be written.
"""

import errno
import json
import os
import re
import stat
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from kata.grading.collecting.entries import (
    LARGEST_ARCHIVE,
    LINK,
    MIB,
    MOST,
    NEEDS_TOO_MUCH_MEMORY,
    OUTSIDE,
    RefusedError,
    archived,
    count_of_entries,
    of_zip,
    opened,
    unreadable,
)
from kata.grading.collecting.names import (
    LONGEST,
    fold,
    is_archive,
    is_file,
    is_junk,
    is_leftover,
    name_parts,
    parts_of,
    without_suffix,
)

GRADESCOPE = "submission_metadata.yml"
LONGEST_LINE = 1 << 12  # bytes; the lines of Gradescope's metadata that count are shorter
CANVAS_ZIP = "submissions"  # how Canvas begins the name of the zip of a class
LARGEST_EXPORT = 4 << 30  # bytes, packed
LARGEST_CLASS = 8 << 30  # bytes, unpacked
MOST_FILES = 100_000  # of a class
SLICE = 128 * MIB  # unpacked in one go, or a little more
SLICE_FILES = 1_000
LONGEST_PART = 200  # bytes of a name; systems allow 255, and some add something
DEEPEST = 30  # folders
UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}
CLASSROOM_SUFFIX = "-submissions"  # how GitHub Classroom ends the name of a folder


# -- Gradescope, which names folders by numbers, and people and times in a file


@dataclass(frozen=True)
class Metadata:
    """What Gradescope says of a submission: its students, their numbers, and when it came."""

    names: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    time: str = ""


def gradescope(folder: Path) -> dict[str, Metadata]:
    """Read submission_metadata.yml, by the folders beside it; nothing if it is unreadable.

    Only Gradescope's own structure is read: a folder without indentation, its sections indented by
    two spaces, a list of people in the section `:submitters:`. What students printed is indented
    further, so it cannot be mistaken for a name or a time.
    """
    submissions: dict[str, Metadata] = {}
    name = section = ""
    with suppress(OSError, RefusedError):
        for line in _lines(folder / GRADESCOPE):
            about = submissions.get(name, Metadata())
            if match := re.match(r"([^\s:#-][^:]*):\s*$", line):
                name, section = match[1], ""
            elif match := re.match(r"  (:\w+:)(?: (.+))?", line):
                section = match[1]
                if section == ":created_at:" and match[2]:
                    submissions[name] = replace(about, time=_unquoted(match[2]))
            elif section != ":submitters:":
                continue
            elif match := re.match(r"  [ -] +:name: (.+)", line):
                submissions[name] = replace(about, names=(*about.names, _unquoted(match[1])))
            elif match := re.match(r"  [ -] +:sid: (.+)", line):
                submissions[name] = replace(about, numbers=(*about.numbers, _unquoted(match[1])))
    return submissions


def _lines(path: Path) -> Iterator[str]:
    """The lines, cut after so many bytes: students print lines of any length."""
    with opened(path) as file:
        whole = True
        while line := file.readline(LONGEST_LINE):
            if whole:
                yield line.decode("utf-8", "replace")
            whole = line.endswith(b"\n")


def _unquoted(value: str) -> str:
    """A YAML string without its quotes."""
    value = value.strip()
    if value.startswith('"'):
        try:
            return str(json.loads(value))
        except ValueError:  # an escape that only YAML has
            return value.strip('"')
    return value[1:-1].replace("''", "'") if value.startswith("'") else value


# -- the zip of a whole class, unpacked into a folder, some files at a time


def class_in(path: Path) -> int:
    """Count the students whose work is in the archive of a class; 0 if it is no such archive.

    A single student is one, too, if the names leave no doubt that a platform made them.
    """
    paths = _paths(path)
    files = [parts for path in paths if not path.endswith("/") and (parts := parts_of(path))]
    own = [parts for parts in files if parts[-1] != GRADESCOPE and not any(map(is_junk, parts))]
    named = {parts: _owner(parts) for parts in own}
    if any(not owner and (is_archive(parts[-1]) or is_file(parts[-1]))
           for parts, owner in named.items()):  # fmt: skip
        return 0  # a learning platform names all of it
    owners = {*filter(None, named.values())}
    sure = path.name.casefold().startswith(CANVAS_ZIP) or any("_assign" in name for name in paths)
    return len(owners) if len(owners) > 1 or sure else 0


def _paths(path: Path) -> list[str]:
    """All paths in an archive; none if it cannot be listed, which is reported when it is read."""
    try:
        with opened(path) as file:
            if not path.name.casefold().endswith(".zip"):
                return [entry.path for entry in islice(archived(file, path.name), MOST)]
            if not zipfile.is_zipfile(file) or file.seek(0, os.SEEK_END) > LARGEST_EXPORT:
                return []
            file.seek(0)
            if count_of_entries(file) > MOST_FILES:
                return []
            with zipfile.ZipFile(file) as archive:
                return archive.namelist()
    except (OSError, RefusedError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return []


def _owner(parts: tuple[str, ...]) -> str:
    """Whose file this is, in an export, which may have one folder around everything."""
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
    """Some files of the zip, which are in the folder now."""

    end: int  # how many of its entries were looked at; 0 if these were all
    size: int  # how many bytes were written
    left: list[tuple[str, str]]  # what was not unpacked, with the reason


def unpacked(task: tuple[Path, Path, int]) -> Slice:
    """Unpack a slice of a zip into a folder, from the entry with this number on.

    A RefusedError says why nothing can be unpacked.
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
                    left.append((info.filename, NEEDS_TOO_MUCH_MEMORY))
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
        if getattr(error, "errno", None) in UNWRITABLE:
            raise
        raise RefusedError(unreadable(error)) from None


def _shortened(part: str) -> str:
    """Its front says whose it is, and its end of what kind."""
    if len(os.fsencode(part)) <= LONGEST_PART:
        return part
    suffix = part[len(without_suffix(part)) :][:10]
    front = part.encode("utf-8", "replace")[: LONGEST_PART - 10].decode("utf-8", "ignore")
    return front + suffix
