"""Who handed in, and where their work is, judging by names alone: no work is read."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from unicodedata import normalize

from kata.course.naming import did_you_mean
from kata.grading.collecting.bounded import Reader, UnreadError
from kata.grading.collecting.exports import name_parts
from kata.grading.collecting.folders import unreadable
from kata.grading.collecting.names import (
    NameParts,
    few,
    fold,
    is_archive,
    is_file,
)
from kata.grading.collecting.packed.unpacking import unpacked_class
from kata.grading.collecting.places import Location, Recognised, Remark, recognised
from kata.grading.collecting.whose.options import Whose
from kata.grading.collecting.whose.repeated import repeated
from kata.words import say

ZIP = ".zip"
NOBODY = Whose()
CROWD = 5  # entries of a folder, or they need no word
TIMES = 2  # as much has to be recognised as is left, or that is over a third


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


@dataclass
class Notices:
    """What an instructor should know of a class as a whole.

    Attributes:
        recognised: what it was taken for.
        told: what was decided, or could not be unpacked.
        undecided: what the instructor has to decide.
    """

    recognised: Recognised | None = None
    told: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)

    def form(self, count: int) -> str:
        """For how many students' work it was taken, and what was left out."""
        found = self.recognised or Recognised([])
        key = "one" if count == 1 else "students"
        parts = [say(f"collecting.form.{key}", count=count)]
        parts += [say("collecting.form.platform", name=found.platform)] if found.platform else []
        parts += [say("collecting.form.left", names=few(found.left))] if found.left else []
        return "".join(parts)

    @property
    def doubt(self) -> str:
        """Why this may not be what is meant; empty if nothing speaks against it."""
        found = self.recognised or Recognised([])
        if len(found.people) >= CROWD:
            return say("collecting.form.crowd", names=few(found.people))
        if len(found.left) >= max(CROWD, 1 + len(found.places) / TIMES):
            return say("collecting.form.rest", names=few(found.left), count=len(found.left))
        return ""


def listing(
    path: Path,
    grades: Path | None = None,
    whose: Whose = NOBODY,
    notices: Notices | None = None,
) -> list[Student]:
    """All students whose work is at this path, sorted by name; no name occurs twice.

    The folder of the grades may lie among them. What concerns the whole class is a notice.

    A student with several places handed in several parts, or more than once. Two students with the
    same name are told apart by the platform's numbers, which are then part of the name.
    """
    notices = notices or Notices()
    notices.recognised = _recognised(path, grades, notices.told.append)
    places = notices.recognised.places
    if not places:
        raise IntakeError(say("collecting.empty", path=path))
    named = whose.names.given_to(places, notices.told.append)
    ask = notices.undecided.append
    return _students(repeated(named, ask, resubmissions=whose.resubmissions))


def _recognised(path: Path, grades: Path | None, tell: Callable[[str], object]) -> Recognised:
    try:
        place = path.resolve(strict=True)
        own = grades and grades.resolve()
        found = recognised(place, own) if place.is_dir() else Recognised([_single(place)])
        if len(found.places) == 1 and _is_class(found.places[0]):
            return recognised(unpacked_class(found.places[0].path, tell))
    except FileNotFoundError:
        raise IntakeError(say("collecting.missing", path=path, close=_suggested(path))) from None
    except UnreadError as error:
        raise IntakeError(f"{path}: {error}") from None
    except (OSError, RuntimeError) as error:  # RuntimeError if links form a circle
        raise IntakeError(f"{path}: {unreadable(error)}") from None
    return found


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
    zipped = path.suffix.casefold() == ZIP
    if is_archive(path.name) and not zipped and (students := _exported(path)) > 1:
        raise IntakeError(say("collecting.export", path=path, count=students))
    return Location(path, name_parts(path.name))


def _is_class(place: Location) -> bool:
    """Whether it is the zip of a class, as its platform exports it."""
    zipped = place.path.suffix.casefold() == ZIP and place.path.is_file()
    return (
        zipped
        and not place.path.is_symlink()
        and not place.label.numbered
        and (_exported(place.path) > 0)
    )


def _exported(path: Path) -> int:
    """How many students' work is in an archive, if a learning platform named all of it; else 0."""
    with closing(Reader()) as reader, suppress(UnreadError):  # reading it will fail, too
        found: int = reader.ask("count", path)
        return found
    return 0


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
