"""Who handed in, and where their work is, judging by names alone: no work is read."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, count, islice
from pathlib import Path
from unicodedata import normalize

from kata.course.naming import did_you_mean
from kata.grading.collecting.archives import MOST, RefusedError, archived
from kata.grading.collecting.folders import opened, unreadable
from kata.grading.collecting.names import (
    REPEATED,
    NameParts,
    fold,
    folder_name_parts,
    is_archive,
    is_file,
    is_junk,
    name_parts,
    parts_of,
    slug_of,
    submitters,
)
from kata.words import say

MOODLE = "_assignsubmission_"
CLASSROOM = "-submissions"
GRADESCOPE = "submission_metadata.yml"
GRADES = ("grades.csv", "journal.jsonl", "results.json")


class IntakeError(Exception):
    """There is nothing to grade at this path; the text says why."""


@dataclass(frozen=True)
class Location:
    """A folder, an archive or a file with work in it."""

    path: Path
    label: NameParts

    @property
    def shown(self) -> str:
        """Its name in a message about several places of one student."""
        return self.label.file or self.path.name


@dataclass(frozen=True)
class Student:
    """A student who handed in, with all places where their work is."""

    name: str
    places: tuple[Location, ...]

    @property
    def id(self) -> str:
        """The learning platform's number for the student, if it is in the names."""
        return self.places[0].label.id


def listing(path: Path) -> list[Student]:
    """All students whose work is at this path, sorted by name; no name occurs twice.

    A student with several places handed in several parts, or more than once. Two students with the
    same name are told apart by the platform's numbers, which are then part of the name.
    """
    try:
        found = path.resolve(strict=True)
        places = _in_folder(found) if found.is_dir() else [_single(found)]
    except FileNotFoundError:
        raise IntakeError(say("collecting.missing", path=path, close=_suggested(path))) from None
    except (OSError, RuntimeError) as error:  # RuntimeError if links form a circle
        raise IntakeError(f"{path}: {unreadable(error)}") from None
    if not places:
        raise IntakeError(say("collecting.empty", path=path))
    return _students(_repeated(places))


def _suggested(path: Path) -> str:
    """A path that exists and has a similar name."""
    path = path.absolute()
    with suppress(OSError, IndexError):
        missing = [each for each in (path, *path.parents) if not each.exists()][-1]
        names = [each.name for each in missing.parent.iterdir() if each != missing]
        return did_you_mean(missing.name, names)
    return ""


def _single(path: Path) -> Location:
    """A zip, a tar or a file, which is the work of one student."""
    if not path.is_file() or not (is_archive(path.name) or is_file(path.name)):
        raise IntakeError(say("collecting.other", path=path))
    if is_archive(path.name) and (students := _exported(path)) > 1:
        raise IntakeError(say("collecting.export", path=path, count=students))
    return Location(path, name_parts(path.name))


def _exported(path: Path) -> int:
    """How many students' work is in an archive, if a learning platform named all of it; else 0."""
    try:
        with opened(path) as file:
            paths = [each.path for each in islice(archived(file, path.name), MOST)]
    except (OSError, RefusedError):  # reported later, as a problem of this student's archive
        return 0
    files = [parts for each in paths if not each.endswith("/") and (parts := parts_of(each))]
    own = [each for each in files if each[-1] != GRADESCOPE and not any(map(is_junk, each))]
    owners = {_owner(each) for each in own}
    return 0 if "" in owners else len(owners)


def _owner(parts: tuple[str, ...]) -> str:
    """Whose file this is, in an export, which may have one folder around everything."""
    for part in parts[:2]:
        named = name_parts(part)
        if named.numbered:
            return f"{fold(named.student)} {named.id}"
        if part.startswith("submission_"):
            return part
    return ""


def _in_folder(folder: Path) -> list[Location]:
    entries = _listed(folder)
    if any(each.name == GRADESCOPE for each in entries):
        return [*_of_gradescope(folder, entries)]
    if MOODLE in folder.name or _is_work(folder, entries):
        return [Location(folder, folder_name_parts(folder.name))]
    if len(entries) == 1 and _is_export(entries[0]):
        return _in_folder(Path(entries[0].path))
    return [*_of_class(folder, [each for each in entries if _may_be_work(each)])]


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda each: each.name)
    return [each for each in entries if not is_junk(each.name) and not _is_grades(Path(each.path))]


def _is_grades(folder: Path) -> bool:
    """Whether an earlier run has left its grades there."""
    return all(os.path.lexists(folder / each) for each in GRADES)


def _is_work(folder: Path, entries: list[os.DirEntry[str]]) -> bool:
    """Whether this is the work of one student: exercises, or the kata with its `exercises`.

    An export of a class stays one even if an exercise lies among the files that the platform named.
    """
    if any(_parts(each).numbered for each in entries):
        return False
    kata = [each for each in entries if each.name == "exercises" and _may_be_folder(each)]
    inside = _listed(folder / "exercises") if kata and not kata[0].is_symlink() else []
    return any(slug_of(each.name) for each in (*entries, *inside))


def _is_export(entry: os.DirEntry[str]) -> bool:
    """Whether this folder is an export, unpacked into the folder that we were given."""
    if folder_name_parts(entry.name).decorated or not entry.is_dir(follow_symlinks=False):
        return False
    if entry.name.endswith(CLASSROOM):
        return True
    with suppress(OSError):  # it may be the only student's folder, and unreadable
        entries = _listed(Path(entry.path))
        return any(each.name == GRADESCOPE or _parts(each).decorated for each in entries)
    return False


def _may_be_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder, or a link, which could lead to one and is not followed."""
    return entry.is_symlink() or entry.is_dir(follow_symlinks=False)


def _parts(entry: os.DirEntry[str]) -> NameParts:
    """What the name says."""
    is_folder = entry.is_dir(follow_symlinks=False)
    return folder_name_parts(entry.name) if is_folder else name_parts(entry.name)


def _may_be_work(entry: os.DirEntry[str]) -> bool:
    """Whether a student may have handed this in, unlike a list of grades, for example."""
    suitable = is_archive(entry.name) or is_file(entry.name)
    return suitable or _may_be_folder(entry) or name_parts(entry.name).decorated


def _of_gradescope(folder: Path, entries: list[os.DirEntry[str]]) -> Iterator[Location]:
    people: dict[str, tuple[str, str]] = {}
    with suppress(OSError), (folder / GRADESCOPE).open(encoding="utf-8", errors="replace") as lines:
        people = submitters(lines)
    for each in filter(_may_be_folder, entries):
        name, number = people.get(each.name, (each.name, ""))
        yield Location(Path(each.path), NameParts(name, each.name, number))


def _of_class(folder: Path, entries: list[os.DirEntry[str]]) -> Iterator[Location]:
    prefix = _assignment(folder, entries)
    for each in entries:
        named = _parts(each)
        if _may_be_folder(each) and not named.decorated:
            named = replace(named, student=named.student.removeprefix(prefix) or named.student)
        yield Location(Path(each.path), named)


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


def _repeated(places: list[Location]) -> Iterator[Location]:
    """Take `alice (1).zip` for a later upload of `alice.zip`: browsers number them so."""
    names = {fold(each.label.student) for each in places if not each.label.decorated}
    for each in places:
        match = REPEATED.fullmatch(each.label.student)
        if match and not each.label.decorated and fold(match[1]) in names:
            later = replace(each.label, student=match[1], order=int(match[2]))
            yield replace(each, label=later)
        else:
            yield each


def _students(places: Iterable[Location]) -> list[Student]:
    groups: dict[tuple[str, str], list[Location]] = {}
    for place in places:
        groups.setdefault((fold(place.label.student), place.label.id), []).append(place)
    ordered = [groups[key] for key in sorted(groups)]
    named = zip(_names([group[0].label for group in ordered]), ordered, strict=True)
    return [Student(name, tuple(group)) for name, group in named]


def _names(labels: list[NameParts]) -> Iterator[str]:
    """Unique names, also ignoring case: if needed, with the platform's number or a counter."""
    counts, used = Counter(fold(each.student) for each in labels), set[str]()
    for each in labels:
        numbered = each.id and counts[fold(each.student)] > 1
        name = normalize("NFC", f"{each.student} ({each.id})" if numbered else each.student)
        free = chain([name], (f"{name} [{number}]" for number in count(2)))
        name = next(each for each in free if fold(each) not in used)
        used.add(fold(name))
        yield name
