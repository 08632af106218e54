"""Where in a folder the work of students is, and whose it is, judging by names alone."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import IO

from kata.grading.collecting.archives import MOST, RefusedError
from kata.grading.collecting.exports import (
    BLACKBOARD,
    MOODLE,
    Name,
    Platform,
    borrowed,
    is_leftover,
    name_parts,
    platform_of,
    split,
    unmarked,
)
from kata.grading.collecting.folders import opened
from kata.grading.collecting.handed_text.short_names import is_plainly_short
from kata.grading.collecting.names import NameParts, is_archive, is_file, slug_of, submitters

CLASSROOM = "-submissions"
GRADESCOPE = "submission_metadata.yml"
OF_GRADESCOPE = re.compile(r"assignment_\d+_export")
GRADESCOPES, GITHUB = "Gradescope", "GitHub Classroom"
# Folders of the kata itself, which somebody may have handed in as a whole.
OURS = {
    "benchmarks",
    "bugs",
    "docs",
    "exercises",
    "kata",
    "notebooks",
    "proofs",
    "solutions",
    "tests",
}
LINE = 1 << 12  # bytes; the lines of Gradescope's metadata that count are shorter


@dataclass(frozen=True)
class Remark:
    """What an instructor should know of a name: the key of its text, and whom the text names."""

    key: str
    platform: str = ""
    other: str = ""


@dataclass(frozen=True)
class Location:
    """A folder, an archive or a file with work in it."""

    path: Path
    label: NameParts
    remarks: tuple[Remark, ...] = ()

    @property
    def shown(self) -> str:
        """Its name in a message about several places of one student."""
        return self.label.file or self.path.name


@dataclass(frozen=True)
class Recognised:
    """What a folder was taken for, judging by names alone.

    Attributes:
        places: everything that somebody may have handed in.
        platform: that named it; empty if none did.
        left: what is beside that, and nobody's work.
        people: of one person's work, the folders in it that look like several people's.
    """

    places: list[Location]
    platform: str = ""
    left: tuple[str, ...] = ()
    people: tuple[str, ...] = ()


def recognised(folder: Path, grades: Path | None = None) -> Recognised:
    """What is in a folder, of which the grades are no part."""
    entries = [each for each in _listed(folder) if not grades or not _leads_to(each, grades)]
    if MOODLE.match(folder.name, folder=True) or _is_work(folder, entries):
        place = Location(folder, name_parts(folder.name, folder=True))
        return Recognised([place], people=tuple(_people(entries)))
    if any(each.name == GRADESCOPE for each in entries):
        return Recognised([*_of_gradescope(folder, entries)], GRADESCOPES)
    if len(entries) == 1 and _is_export(entries[0]):
        return recognised(Path(entries[0].path))
    work = [each for each in entries if _may_be_work(each)]
    platform = platform_of([*map(_named, work)])
    name = platform.name if platform else GITHUB if folder.name.endswith(CLASSROOM) else ""
    left = tuple(each.name for each in entries if each not in work)
    return Recognised([*_of_class(folder, work)], name, left)


def _people(entries: Iterable[os.DirEntry[str]]) -> Iterator[str]:
    """Folders, or archives, that may be other people's: the kata's own are none."""
    for each in entries:
        if each.name in OURS:
            continue
        if is_archive(each.name):
            yield each.name
        elif each.is_dir(follow_symlinks=False):
            with suppress(OSError), os.scandir(each.path) as found:
                if any(slug_of(one.name) or is_plainly_short(one.name) for one in found):
                    yield each.name


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda each: each.name)
    return [each for each in entries if not is_leftover(each.name)]


def _leads_to(entry: os.DirEntry[str], folder: Path) -> bool:
    with suppress(OSError, RuntimeError):  # a link that leads to itself leads nowhere
        return entry.is_dir() and Path(entry.path).resolve() == folder
    return False


def _named(entry: os.DirEntry[str]) -> Name:
    return entry.name, entry.is_dir(follow_symlinks=False)


def _may_be_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder, or a link, which could lead to one and is not followed."""
    return entry.is_symlink() or entry.is_dir(follow_symlinks=False)


def _may_be_work(entry: os.DirEntry[str]) -> bool:
    """Whether a student may have handed this in, unlike a list of grades, for example."""
    suitable = is_archive(entry.name) or is_file(entry.name)
    return suitable or _may_be_folder(entry) or name_parts(entry.name).decorated


def _is_work(folder: Path, entries: list[os.DirEntry[str]]) -> bool:
    """Whether this is the work of one student: exercises, or the kata with its `exercises`.

    An export of a class stays one even if an exercise lies among the files that the platform named.
    """
    if platform_of([*map(_named, entries)]):
        return False
    kata = [each for each in entries if each.name == "exercises" and _may_be_folder(each)]
    inside = _listed(folder / "exercises") if kata and not kata[0].is_symlink() else []
    return any(slug_of(each.name) or is_plainly_short(each.name) for each in (*entries, *inside))


def _is_export(entry: os.DirEntry[str]) -> bool:
    """Whether this folder is an export, unpacked into the folder that we were given.

    Only its own name tells: what is in it may be the work of the only student.
    """
    if not entry.is_dir(follow_symlinks=False):
        return False
    metadata = os.path.lexists(Path(entry.path, GRADESCOPE))
    return entry.name.endswith(CLASSROOM) or bool(metadata and OF_GRADESCOPE.fullmatch(entry.name))


def _of_class(folder: Path, entries: list[os.DirEntry[str]]) -> Iterator[Location]:
    names = [*map(_named, entries)]
    platform, prefix = platform_of(names), _assignment(folder, entries)
    labels = split(platform, names)
    mostly = 2 * sum(map(bool, labels)) >= len(names)
    for each, name, marked in zip(entries, names, labels, strict=True):
        label = marked or unmarked(*name)
        if _may_be_folder(each) and not label.decorated:
            label = replace(label, student=label.student.removeprefix(prefix) or label.student)
        remarks = [*_on_form(name, marked, platform, mostly), *_on_rest(label, platform)]
        if len(entries) == 1:
            remarks += _on_export(each)
        yield Location(Path(each.path), label, tuple(remarks))


def _on_form(
    name: Name, marked: NameParts | None, platform: Platform | None, mostly: bool
) -> Iterator[Remark]:
    """If two forms of names are in one folder: on one in another platform's, or in the rarer."""
    if platform and not marked and (other := platform_of([name])):
        yield Remark("other-form", platform.name, other.name)
    elif platform and bool(marked) is not mostly:
        yield Remark("marked" if marked else "unmarked", platform.name)


def _on_rest(label: NameParts, platform: Platform | None) -> Iterator[Remark]:
    """On what only an attacker or a wrong clock writes into a name."""
    if other := borrowed(label):
        yield Remark("borrowed", other=other.name)
    tomorrow = datetime.now() + timedelta(days=1)  # enough for all time zones
    if platform is BLACKBOARD and label.order > int(tomorrow.strftime("%Y%m%d%H%M%S")):
        yield Remark("future")


def _on_export(entry: os.DirEntry[str]) -> Iterator[Remark]:
    """If the only student's folder looks like an export of several students."""
    if not entry.is_dir(follow_symlinks=False):
        return
    with suppress(OSError), os.scandir(entry.path) as found:
        names = [_named(each) for each in islice(found, MOST)]
        platform = platform_of(names)
        people = {each.student for each in split(platform, names) if each}
        if platform and len(people) > 1:
            yield Remark("wrapped", platform.name)


def _assignment(folder: Path, entries: list[os.DirEntry[str]]) -> str:
    """The prefix that GitHub Classroom puts before the names of students.

    `gh classroom clone` makes `masks-submissions/masks-STUDENT`. In a folder with another name,
    clones of one assignment have a common prefix.
    """
    if folder.name.endswith(CLASSROOM):
        return f"{folder.name.removesuffix(CLASSROOM)}-"
    clones = [each.name for each in entries if os.path.lexists(Path(each.path, ".git"))]
    return _common_prefix(clones) if len(clones) > 1 else ""


def _common_prefix(names: list[str]) -> str:
    """The longest common prefix that ends in a hyphen."""
    same = os.path.commonprefix(names)  # noqa: RUF071  # letter by letter, as wanted here
    return same[: same.rfind("-") + 1]


def _of_gradescope(folder: Path, entries: list[os.DirEntry[str]]) -> Iterator[Location]:
    """A folder is one submission, even if two people chose the same name."""
    people: dict[str, tuple[str, str]] = {}
    with suppress(OSError, RefusedError), opened(folder / GRADESCOPE) as file:
        people = submitters(_lines(file))
    folders = [each for each in entries if _may_be_folder(each)]
    named = [people.get(each.name, (each.name, "")) for each in folders]
    counts = Counter(named)
    for each, (name, number) in zip(folders, named, strict=True):
        alone = counts[name, number] == 1
        label = NameParts(name, each.name, number if alone else each.name)
        yield Location(Path(each.path), label, () if alone else (Remark("namesake"),))


def _lines(file: IO[bytes]) -> Iterator[str]:
    """The lines, cut after so many bytes: what students printed can be of any length."""
    whole = True
    while line := file.readline(LINE):
        if whole:
            yield line.decode("utf-8", "replace")
        whole = line.endswith(b"\n")
