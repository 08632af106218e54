"""Who handed in, and where their work is, judging by names alone: no work is read."""

import atexit
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from shutil import rmtree
from unicodedata import normalize

from kata.course.naming import did_you_mean
from kata.grading.collecting.attribution import Attribution, Tell
from kata.grading.collecting.class_zip import LARGEST_CLASS, Slice
from kata.grading.collecting.entries import too_large, unreadable
from kata.grading.collecting.exports import name_parts
from kata.grading.collecting.names import (
    NameParts,
    few,
    fold,
    is_archive,
    is_file,
    without_suffix,
)
from kata.grading.collecting.places import Location, Recognised, recognised
from kata.grading.collecting.reader import Reader, UnreadError
from kata.text import clean

ZIP = ".zip"
NOBODY = Attribution()
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
        if any(place.label.late for place in self.places):
            yield "handed in late"
        names: dict[str, list[str]] = {}
        for place in self.places:
            for remark in place.remarks:
                names.setdefault(remark, []).append(place.path.name)
        for remark, about in names.items():
            yield remark.format(names=few(about))


@dataclass
class Notices:
    """What an instructor should know of a class as a whole."""

    recognised: Recognised = field(default_factory=lambda: Recognised([]))
    notes: list[str] = field(default_factory=list)  # what was decided, or could not be unpacked
    undecided: list[str] = field(default_factory=list)  # what the instructor has to decide

    def form(self, number: int) -> str:
        """For how many students' work it was taken, and what was left out."""
        platform, left = self.recognised.platform, self.recognised.left
        text = "the work of one student" if number == 1 else f"{number} students"
        text += f", with the names that {platform} gives to files" if platform else ""
        return text + (f"; left out: {few(left)}" if left else "")

    @property
    def doubt(self) -> str:
        """Why this may not be what is meant; empty if nothing speaks against it."""
        people, left = self.recognised.people, self.recognised.left
        if len(people) >= CROWD:
            return f"folders in it may be other people's work: {few(people)}"
        if len(left) >= max(CROWD, 1 + len(self.recognised.places) / TIMES):
            return f"{len(left)} entries are nobody's work: {few(left)}"
        return ""


def listing(
    path: Path,
    grades: Path | None = None,
    attribution: Attribution = NOBODY,
    notices: Notices | None = None,
) -> list[Student]:
    """All students whose work is at this path, sorted by name; no name occurs twice.

    The folder of the grades may lie among them. What concerns the whole class is a notice.

    A student with several places handed in several parts, or more than once. Two students with the
    same name are told apart by the platform's numbers, which are then part of the name.
    """
    notices = notices or Notices()
    notices.recognised = _recognised(path, grades, notices.notes.append)
    if not notices.recognised.places:
        expected = "expected a folder, a zip or a tar for each student, or one student's files"
        nothing = f"{path} holds nothing that could be a submission"
        raise IntakeError(clean(f"{nothing}: {expected}, named like ex01_softmax.py"))
    places = attribution.applied_to(
        notices.recognised.places, notices.notes.append, notices.undecided.append
    )
    return _students(places)


def _recognised(path: Path, grades: Path | None, tell: Tell) -> Recognised:
    try:
        place = path.resolve(strict=True)
        own = grades and grades.resolve()
        result = recognised(place, own) if place.is_dir() else Recognised([_single(place)])
        if len(result.places) == 1 and _is_class(result.places[0]):
            return recognised(_unpacked(result.places[0].path, tell))
    except FileNotFoundError:
        raise IntakeError(clean(f"{path} does not exist{_suggested(path)}")) from None
    except UnreadError as error:
        raise IntakeError(f"{path}: {error}") from None
    except (OSError, RuntimeError) as error:  # RuntimeError if links form a circle
        raise IntakeError(f"{path}: {unreadable(error)}") from None
    return result


def _suggested(path: Path) -> str:
    """A path that exists and has a similar name."""
    path = path.absolute()
    with suppress(OSError, IndexError):
        missing = [folder for folder in (path, *path.parents) if not folder.exists()][-1]
        names = [sibling.name for sibling in missing.parent.iterdir() if sibling != missing]
        return did_you_mean(missing.name, names)
    return ""


def _single(path: Path) -> Location:
    """A zip, a tar or a file, which is the work of one student."""
    if not path.is_file() or not (is_archive(path.name) or is_file(path.name)):
        text = f"{path} is neither a folder nor a zip, a tar, a Python file or a notebook"
        raise IntakeError(clean(text))
    zipped = path.suffix.casefold() == ZIP
    if is_archive(path.name) and not zipped and (students := _count(path)) > 1:
        text = f"{path} holds the work of {students} students: unpack it, and grade the folder"
        raise IntakeError(clean(text))
    return Location(path, name_parts(path.name))


def _is_class(place: Location) -> bool:
    """Whether it is the zip of a class, as its platform exports it."""
    path = place.path
    zipped = path.suffix.casefold() == ZIP and path.is_file() and not path.is_symlink()
    return zipped and not place.label.numbered and _count(path) > 0


def _count(path: Path) -> int:
    """How many students' work is in an archive, if a learning platform named all of it; else 0."""
    with closing(Reader()) as reader, suppress(UnreadError):  # reading it will fail, too
        students: int = reader.ask("count", path)
        return students
    return 0


def _unpacked(export: Path, tell: Tell) -> Path:
    """A folder with the files of a class, which is deleted when the program ends.

    Raises UnreadError if its zip cannot be unpacked.
    """
    home = Path(tempfile.mkdtemp(prefix="kata-class-"))
    atexit.register(rmtree, home, ignore_errors=True)
    folder = home / without_suffix(export.name)  # GitHub's prefix is read from the folder's name
    folder.mkdir()
    size, end, left = 0, 0, list[tuple[str, str]]()
    with closing(Reader()) as reader:
        while True:
            part: Slice = reader.ask("unpack", (export, folder, end))
            size, end, left = size + part.size, part.end, left + part.left
            if size > LARGEST_CLASS:
                raise UnreadError(str(too_large(LARGEST_CLASS)))
            if not end:
                break
    for reason in dict.fromkeys(reason for _, reason in left):
        names = few(name for name, other in left if other == reason)
        tell(f"not unpacked from the class's zip: {names}: {reason}")
    return folder


def _students(places: Iterable[Location]) -> list[Student]:
    groups: dict[tuple[str, str], list[Location]] = {}
    for place in places:
        groups.setdefault((fold(place.label.student), place.label.id), []).append(place)
    ordered = [groups[key] for key in sorted(groups)]
    names = _names([group[0].label for group in ordered])
    return [Student(name, tuple(group)) for name, group in zip(names, ordered, strict=True)]


def _names(labels: list[NameParts]) -> Iterator[str]:
    """Unique names, also ignoring case: if needed, with the platform's number or a counter."""
    counts, used = Counter(fold(label.student) for label in labels), set[str]()
    for label in labels:
        numbered = label.id and counts[fold(label.student)] > 1
        name = normalize("NFC", f"{label.student} ({label.id})" if numbered else label.student)
        free = chain([name], (f"{name} [{number}]" for number in count(2)))
        name = next(candidate for candidate in free if fold(candidate) not in used)
        used.add(fold(name))
        yield name
