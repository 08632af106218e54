"""Where in a folder, or in the zip of a class, the work of students is, judging by names alone."""

import errno
import json
import os
import re
import stat
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

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
    unreadable,
)
from kata.grading.collecting.names import (
    BLACKBOARD,
    KATA_FOLDERS,
    LONGEST,
    MOODLE,
    Name,
    NameParts,
    Platform,
    borrowed,
    common_prefix,
    fold,
    is_archive,
    is_file,
    is_junk,
    is_leftover,
    is_plainly_short,
    name_parts,
    parts_of,
    platform_of,
    slug_of,
    split,
    unmarked,
    without_suffix,
)

GRADESCOPE = "submission_metadata.yml"
LINE = 1 << 12  # bytes; the lines of Gradescope's metadata that count are shorter
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
OF_GRADESCOPE = re.compile(r"assignment_\d+_export")
# Folders that somebody may have handed in with the whole kata.
PARTS_OF_KATA = {*KATA_FOLDERS, "exercises", "notebooks", "proofs"}
Item = os.DirEntry[str]


@dataclass(frozen=True)
class Location:
    """A folder, an archive or a file with work in it."""

    path: Path
    label: NameParts  # what its name says
    remarks: tuple[str, ...] = ()  # on its name, which belongs where they say `{names}`

    @property
    def shown(self) -> str:
        """Its name in a message about several places of one student."""
        return self.label.file or self.path.name


@dataclass(frozen=True)
class Recognised:
    """What a folder was taken for, judging by names alone."""

    places: list[Location]  # everything that somebody may have handed in
    platform: str = ""  # that named it; empty if none did
    left: tuple[str, ...] = ()  # what is beside that, and nobody's work
    people: tuple[str, ...] = ()  # folders in one person's work that look like other people's


def recognised(folder: Path, grades: Path | None = None) -> Recognised:
    """What is in a folder, of which the grades are no part."""
    items = [item for item in _listed(folder) if not _leads_to(item, grades)]
    if MOODLE.match(folder.name, folder=True) or _is_work(folder, items):
        place = Location(folder, name_parts(folder.name, folder=True))
        return Recognised([place], people=tuple(_people(items)))
    if any(item.name == GRADESCOPE for item in items):
        return Recognised([*_of_gradescope(folder, items)], "Gradescope")
    if len(items) == 1 and _is_export(items[0]):
        return recognised(Path(items[0].path))
    work = [item for item in items if _may_be_work(item)]
    platform = platform_of([*map(_named, work)])
    classroom = "GitHub Classroom" if folder.name.endswith(CLASSROOM) else ""
    left = tuple(item.name for item in items if item not in work)
    return Recognised([*_of_class(folder, work)], platform.name if platform else classroom, left)


def _listed(folder: Path) -> list[Item]:
    with os.scandir(folder) as listed:
        items = sorted(listed, key=lambda item: item.name)
    return [item for item in items if not is_leftover(item.name)]


def _leads_to(item: Item, folder: Path | None) -> bool:
    with suppress(OSError, RuntimeError):  # a link that leads to itself leads nowhere
        return item.is_dir() and Path(item.path).resolve() == folder
    return False


def _named(item: Item) -> Name:
    return item.name, item.is_dir(follow_symlinks=False)


def _names_exercise(name: str) -> bool:
    return bool(slug_of(name)) or is_plainly_short(name)


def _may_be_folder(item: Item) -> bool:
    """Whether it is a folder, or a link, which could lead to one and is not followed."""
    return item.is_symlink() or item.is_dir(follow_symlinks=False)


def _may_be_work(item: Item) -> bool:
    """Whether a student may have handed this in, unlike a list of grades, for example."""
    suitable = is_archive(item.name) or is_file(item.name)
    return suitable or _may_be_folder(item) or name_parts(item.name).decorated


def _is_work(folder: Path, items: list[Item]) -> bool:
    """Whether this is the work of one student: exercises, or the kata with its `exercises`.

    An export of a class stays one even if an exercise lies among the files that the platform named.
    """
    if platform_of([*map(_named, items)]):
        return False
    kata = [item for item in items if item.name == "exercises" and _may_be_folder(item)]
    inside = _listed(folder / "exercises") if kata and not kata[0].is_symlink() else []
    return any(_names_exercise(item.name) for item in (*items, *inside))


def _people(items: Iterable[Item]) -> Iterator[str]:
    """Folders, or archives, that may be other people's: the kata's own are none."""
    for item in items:
        if item.name in PARTS_OF_KATA:
            continue
        if is_archive(item.name):
            yield item.name
        elif item.is_dir(follow_symlinks=False):
            with suppress(OSError), os.scandir(item.path) as inside:
                if any(_names_exercise(file.name) for file in inside):
                    yield item.name


def _is_export(item: Item) -> bool:
    """Whether this folder is an export, unpacked into the folder that we were given.

    Only its own name tells: what is in it may be the work of the only student.
    """
    if not item.is_dir(follow_symlinks=False):
        return False
    metadata = os.path.lexists(Path(item.path, GRADESCOPE))
    return item.name.endswith(CLASSROOM) or bool(metadata and OF_GRADESCOPE.fullmatch(item.name))


def _of_gradescope(folder: Path, items: list[Item]) -> Iterator[Location]:
    """A folder is one submission, even if two people chose the same name."""
    people: dict[str, tuple[str, str]] = {}
    with suppress(OSError, RefusedError):
        people = submitters(gradescope_lines(folder / GRADESCOPE))
    folders = [item for item in items if _may_be_folder(item)]
    owners = [people.get(item.name, (item.name, "")) for item in folders]
    counts = Counter(owners)
    for item, (name, number) in zip(folders, owners, strict=True):
        alone = counts[name, number] == 1
        label = NameParts(name, item.name, number if alone else item.name)
        namesake = "several submissions have the same name and number: {names}"
        yield Location(Path(item.path), label, () if alone else (namesake,))


def _of_class(folder: Path, items: list[Item]) -> Iterator[Location]:
    names = [*map(_named, items)]
    platform, prefix = platform_of(names), _assignment(folder, items)
    labels = split(platform, names)
    mostly = 2 * sum(map(bool, labels)) >= len(names)
    for item, name, marked in zip(items, names, labels, strict=True):
        label = marked or unmarked(*name)
        if _may_be_folder(item) and not label.decorated:
            label = replace(label, student=label.student.removeprefix(prefix) or label.student)
        remarks = [*_on_form(name, marked, platform, mostly), *_on_rest(label, platform)]
        if len(items) == 1:
            remarks += _on_export(item)
        yield Location(Path(item.path), label, tuple(remarks))


def _assignment(folder: Path, items: list[Item]) -> str:
    """The prefix that GitHub Classroom puts before the names of students.

    `gh classroom clone` makes `masks-submissions/masks-STUDENT`. In a folder with another name,
    clones of one assignment have a common prefix.
    """
    if folder.name.endswith(CLASSROOM):
        return f"{folder.name.removesuffix(CLASSROOM)}-"
    clones = [item.name for item in items if os.path.lexists(Path(item.path, ".git"))]
    return common_prefix(clones, "-") if len(clones) > 1 else ""


# -- remarks


def _on_form(
    name: Name, marked: NameParts | None, platform: Platform | None, mostly: bool
) -> Iterator[str]:
    """If two forms of names are in one folder: on one in another platform's, or in the rarer."""
    if platform and not marked and (other := platform_of([name])):
        named = f"named as {other.name} names files, but {platform.name}"
        yield f"{named} named others here: {{names}}"
    elif platform and marked and not mostly:
        yield f"named as {platform.name} names files, as most others here are not: {{names}}"
    elif platform and mostly and not marked:
        yield f"not named by {platform.name}, as most others here are: {{names}}"


def _on_rest(label: NameParts, platform: Platform | None) -> Iterator[str]:
    """On what only an attacker or a wrong clock writes into a name."""
    if other := borrowed(label):
        looks = f"the student's own part of the name looks like a file from {other.name}"
        yield f"{looks}; it does not say whose work this is: {{names}}"
    tomorrow = datetime.now() + timedelta(days=1)  # enough for all time zones
    if platform is BLACKBOARD and label.order > int(tomorrow.strftime("%Y%m%d%H%M%S")):
        yield "its date is in the future: {names}"


def _on_export(item: Item) -> Iterator[str]:
    """If the only student's folder looks like an export of several students."""
    if not item.is_dir(follow_symlinks=False):
        return
    with suppress(OSError), os.scandir(item.path) as inside:
        names = [_named(file) for file in islice(inside, MOST)]
        platform = platform_of(names)
        people = {label.student for label in split(platform, names) if label}
        if platform and len(people) > 1:
            looks = f"{{names}} looks like an export of {platform.name} with several students"
            yield f"{looks}; if it is one, grade the folder {{names}} itself"


# -- Gradescope, which names folders by numbers, and people in a file


def submitters(lines: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Names and numbers of the students of each folder, from Gradescope's submission_metadata.yml.

    Only Gradescope's own structure is read: a folder without indentation, its sections indented by
    two spaces, a list of people in the section `:submitters:`. What students printed is indented
    further, so it cannot be mistaken for a name.
    """
    folders: dict[str, dict[str, list[str]]] = {}
    folder = section = ""
    for line in lines:
        if match := re.match(r"([^\s:#-][^:]*):\s*$", line):
            folder, section = match[1], ""
        elif match := re.match(r"  (:\w+:)", line):
            section = match[1]
        elif section == ":submitters:" and (match := re.match(r"  [ -] +:(name|sid): (.+)", line)):
            folders.setdefault(folder, {}).setdefault(match[1], []).append(_unquoted(match[2]))
    return {
        folder: (", ".join(people["name"]), ", ".join(people.get("sid", [])))
        for folder, people in folders.items()
        if any(people.get("name", []))
    }


def _unquoted(value: str) -> str:
    """A YAML string without its quotes."""
    value = value.strip()
    if value.startswith('"'):
        try:
            return str(json.loads(value))
        except ValueError:  # an escape that only YAML has
            return value.strip('"')
    return value[1:-1].replace("''", "'") if value.startswith("'") else value


def gradescope_lines(path: Path) -> Iterator[str]:
    """The lines of its metadata, cut after so many bytes: students print lines of any length."""
    with opened(path) as file:
        whole = True
        while line := file.readline(LINE):
            if whole:
                yield line.decode("utf-8", "replace")
            whole = line.endswith(b"\n")


# -- the zip of a whole class, unpacked into a folder, some files at a time
#
# Students chose parts of the names in it, and all of the content. So a process with limits looks
# whether it is one, and unpacks each slice; what cannot be unpacked is told, and ends nothing.


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
