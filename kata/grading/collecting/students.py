"""Who has handed in, and where their work lies: by names alone, without reading any of it."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, count, islice, takewhile
from pathlib import Path
from unicodedata import normalize

from kata.course.naming import did_you_mean
from kata.grading.collecting.archives import MOST, RefusedError, archived
from kata.grading.collecting.folders import opened, unreadable
from kata.grading.collecting.names import (
    REPEATED,
    NameParts,
    fold,
    is_archive,
    is_file,
    is_junk,
    label,
    label_of_folder,
    parts_of,
    slug_of,
    submitters,
)
from kata.words import say

MOODLE = "_assignsubmission_"
CLASSROOM = "-submissions"
GRADESCOPE = "submission_metadata.yml"
OURS = ("grades.csv", "journal.jsonl", "results.json")


class IntakeError(Exception):
    """There is nothing to grade where it was looked for; the text says why."""


@dataclass(frozen=True)
class Location:
    """A folder, an archive or a file with work in it."""

    path: Path
    label: NameParts

    @property
    def shown(self) -> str:
        """Its name for a line in which it stands beside others of the same student."""
        return self.label.file or self.path.name


@dataclass(frozen=True)
class Student:
    """Somebody who has handed in."""

    name: str
    places: tuple[Location, ...]

    @property
    def id(self) -> str:
        """By which the learning platform knows them, if it has put that into the names."""
        return self.places[0].label.id


def listing(path: Path) -> list[Student]:
    """Everybody whose work lies here, in the order of their names, each name but once.

    One whose work lies in several places has handed in in parts, or again. Two who have the same
    name, which their numbers tell, are shown with these.
    """
    try:
        there = path.resolve(strict=True)
        places = _in_folder(there) if there.is_dir() else [_alone(there)]
    except FileNotFoundError:
        raise IntakeError(say("collecting.missing", path=path, close=_close(path))) from None
    except (OSError, RuntimeError) as error:  # the latter for links in a circle
        raise IntakeError(f"{path}: {unreadable(error)}") from None
    if not places:
        raise IntakeError(say("collecting.empty", path=path))
    return _students(_again(places))


def _close(path: Path) -> str:
    """What is there instead, if it is called much the same."""
    path = path.absolute()
    with suppress(OSError, IndexError):
        missing = [each for each in (path, *path.parents) if not each.exists()][-1]
        names = [each.name for each in missing.parent.iterdir() if each != missing]
        return did_you_mean(missing.name, names)
    return ""


def _alone(path: Path) -> Location:
    """A zip, a tar or one file, of one student."""
    if not path.is_file() or not (is_archive(path.name) or is_file(path.name)):
        raise IntakeError(say("collecting.other", path=path))
    if is_archive(path.name) and (students := _exported(path)) > 1:
        raise IntakeError(say("collecting.export", path=path, count=students))
    return Location(path, label(path.name))


def _exported(path: Path) -> int:
    """Of how many students an archive holds the work, if an LMS has made all of it."""
    try:
        with opened(path) as file:
            paths = [each.path for each in islice(archived(file, path.name), MOST)]
    except (OSError, RefusedError):  # it will be said of the student whose archive it is
        return 0
    files = [parts for each in paths if not each.endswith("/") and (parts := parts_of(each))]
    own = [each for each in files if each[-1] != GRADESCOPE and not any(map(is_junk, each))]
    owners = {_owner(each) for each in own}
    return 0 if "" in owners else len(owners)


def _owner(parts: tuple[str, ...]) -> str:
    """Whose file this is, in an export; Gradescope has one folder around all, others may."""
    for part in parts[:2]:
        said = label(part)
        if said.numbered:
            return f"{fold(said.student)} {said.id}"
        if part.startswith("submission_"):
            return part
    return ""


def _in_folder(folder: Path) -> list[Location]:
    there = _listed(folder)
    if any(each.name == GRADESCOPE for each in there):
        return [*_of_gradescope(folder, there)]
    if MOODLE in folder.name or _is_work(folder, there):
        return [Location(folder, label_of_folder(folder.name))]
    if len(there) == 1 and _is_export(there[0]):
        return _in_folder(Path(there[0].path))
    return [*_of_class(folder, [each for each in there if _may_be_work(each)])]


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        there = sorted(found, key=lambda each: each.name)
    return [each for each in there if not is_junk(each.name) and not _is_grades(Path(each.path))]


def _is_grades(folder: Path) -> bool:
    """Whether an earlier run has left its grades there."""
    return all(os.path.lexists(folder / each) for each in OURS)


def _is_work(folder: Path, there: list[os.DirEntry[str]]) -> bool:
    """Whether this is the work of one student: exercises, or the kata with its `exercises`.

    A class is one even if somebody has left an exercise among the files that an LMS has named.
    """
    if any(_said(each).numbered for each in there):
        return False
    kata = [each for each in there if each.name == "exercises" and _is_folder(each)]
    inside = _listed(folder / "exercises") if kata and not kata[0].is_symlink() else []
    return any(slug_of(each.name) for each in (*there, *inside))


def _is_export(entry: os.DirEntry[str]) -> bool:
    """Whether this folder is what an LMS's zip became when it was unpacked in a folder."""
    if label_of_folder(entry.name).decorated or not entry.is_dir(follow_symlinks=False):
        return False
    if entry.name.endswith(CLASSROOM):
        return True
    with suppress(OSError):  # it may be that of a student, too
        there = _listed(Path(entry.path))
        return any(each.name == GRADESCOPE or _said(each).decorated for each in there)
    return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """A folder, or a link, which may be to one: that cannot be told without following it."""
    return entry.is_symlink() or entry.is_dir(follow_symlinks=False)


def _said(entry: os.DirEntry[str]) -> NameParts:
    """What its name says."""
    is_folder = entry.is_dir(follow_symlinks=False)
    return label_of_folder(entry.name) if is_folder else label(entry.name)


def _may_be_work(entry: os.DirEntry[str]) -> bool:
    """Whether somebody may have handed this in; a list of grades, say, nobody has."""
    named = is_archive(entry.name) or is_file(entry.name)
    return named or _is_folder(entry) or label(entry.name).decorated


def _of_gradescope(folder: Path, there: list[os.DirEntry[str]]) -> Iterator[Location]:
    people: dict[str, tuple[str, str]] = {}
    with suppress(OSError), (folder / GRADESCOPE).open(encoding="utf-8", errors="replace") as lines:
        people = submitters(lines)
    for each in filter(_is_folder, there):
        name, number = people.get(each.name, (each.name, ""))
        yield Location(Path(each.path), NameParts(name, each.name, number))


def _of_class(folder: Path, there: list[os.DirEntry[str]]) -> Iterator[Location]:
    prefix = _assignment(folder, there)
    for each in there:
        said = _said(each)
        if _is_folder(each) and not said.decorated:
            said = replace(said, student=said.student.removeprefix(prefix) or said.student)
        yield Location(Path(each.path), said)


def _assignment(folder: Path, there: list[os.DirEntry[str]]) -> str:
    """What GitHub Classroom puts before the names of students: `gh classroom clone` makes
    `masks-submissions/masks-STUDENT`; others leave clones with one beginning.
    """
    if folder.name.endswith(CLASSROOM):
        return f"{folder.name.removesuffix(CLASSROOM)}-"
    clones = [each.name for each in there if os.path.lexists(Path(each.path, ".git"))]
    return _beginning(clones) if len(clones) > 1 else ""


def _beginning(names: list[str]) -> str:
    """What all of them begin with, up to a hyphen."""
    pairs = zip(min(names), max(names), strict=False)
    same = "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return same[: same.rfind("-") + 1]


def _again(places: list[Location]) -> Iterator[Location]:
    """`alice (1).zip` beside `alice.zip` is a browser's way to say that it came later."""
    names = {fold(each.label.student) for each in places if not each.label.decorated}
    for each in places:
        match = REPEATED.fullmatch(each.label.student)
        if match and not each.label.decorated and fold(match[1]) in names:
            again = replace(each.label, student=match[1], order=int(match[2]))
            yield replace(each, label=again)
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
    """Names of which no two are equal, nor by case; one that has a number shows it if need be."""
    often, used = Counter(fold(each.student) for each in labels), set[str]()
    for each in labels:
        numbered = each.id and often[fold(each.student)] > 1
        name = normalize("NFC", f"{each.student} ({each.id})" if numbered else each.student)
        free = chain([name], (f"{name} [{number}]" for number in count(2)))
        name = next(each for each in free if fold(each) not in used)
        used.add(fold(name))
        yield name
