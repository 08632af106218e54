"""Who handed in, and where their work is, judging by names alone: no work is read."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path
from unicodedata import normalize

from kata.course.naming import did_you_mean
from kata.grading.collecting.bounded import Reader, UnreadError
from kata.grading.collecting.exports import name_parts
from kata.grading.collecting.folders import unreadable
from kata.grading.collecting.names import (
    REPEATED,
    NameParts,
    few,
    fold,
    is_archive,
    is_file,
)
from kata.grading.collecting.places import Location, Remark, places_in
from kata.words import say


class IntakeError(Exception):
    """There is nothing to grade at this path; the text says why."""


@dataclass(frozen=True)
class Student:
    """A student who handed in, with all places where their work is."""

    name: str
    places: tuple[Location, ...]

    @property
    def id(self) -> str:
        """The learning platform's number for the student, if it is in the names."""
        return self.places[0].label.id

    @property
    def notes(self) -> Iterator[str]:
        """What the instructor should know, judging by the names."""
        if any(each.label.late for each in self.places):
            yield say("collecting.late")
        about: dict[Remark, list[str]] = {}
        for place in self.places:
            for remark in place.remarks:
                about.setdefault(remark, []).append(place.path.name)
        for each, names in about.items():
            key = f"collecting.{each.key}"
            yield say(key, names=few(names), platform=each.platform, other=each.other)


def listing(path: Path, grades: Path | None = None) -> list[Student]:
    """All students whose work is at this path, sorted by name; no name occurs twice.

    The folder of the grades may lie among them.

    A student with several places handed in several parts, or more than once. Two students with the
    same name are told apart by the platform's numbers, which are then part of the name.
    """
    try:
        found = path.resolve(strict=True)
        own = grades and grades.resolve()
        places = places_in(found, own) if found.is_dir() else [_single(found)]
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
    with closing(Reader()) as reader, suppress(UnreadError):  # reading it will fail, too
        found: int = reader.ask("count", path)
        return found
    return 0


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
