"""The students who handed in, and where their work is, judging by names and by the instructor.

`run` calls `listing`, the command line `read_names`. No work is read here: `reader` counts and
unpacks the zip of a class. `--names` is a table:

```
handed_in,student
jd77,Jane Doe
final version.zip,Wei Zhang
```

The first column is the name of a folder, an archive or a file, with or without its suffix; or the
name, login or number that a platform has put into such names.
"""

import atexit
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import rmtree
from unicodedata import normalize

from kata.course.curriculum import did_you_mean
from kata.errors import UserError
from kata.grading.collecting.entries import (
    LARGEST_CLASS,
    Slice,
    class_in,
    too_large,
    unpacked,
    unreadable,
)
from kata.grading.collecting.names import (
    REPEATED,
    few,
    fold,
    is_archive,
    is_file,
    name_parts,
    unique_names,
    version_in,
    without_suffix,
)
from kata.grading.collecting.places import Location, Recognised, recognised
from kata.grading.collecting.reader import Reader, UnreadError
from kata.grading.tables import read_sheet
from kata.text import clean, shown

ZIP = ".zip"
CROWD = 5  # entries of a folder, or they need no word
TIMES = 2  # as much has to be recognised as is left, or that is over a third
HANDED_IN, STUDENT = "handed_in", "student"


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


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    number: int
    handed_in: str
    student: str


@dataclass(frozen=True)
class NamesTable:
    """The whole table, by what was handed in."""

    path: Path = Path()
    rows: dict[str, Row] = field(default_factory=dict)

    def applied_to(self, places: list[Location], notices: Notices) -> list[Location]:
        """The places with the names of the table; one line lists names of nothing."""
        rows = {place: row for place in places if (row := self._row(place))}
        numbers: dict[str, set[str]] = {}
        sharing: dict[Row, set[str]] = {}
        for place, row in rows.items():
            numbers.setdefault(fold(row.student), set()).add(place.label.id)
            if fold(row.handed_in) == fold(place.label.student):
                sharing.setdefault(row, set()).add(place.label.id)
        for row, ids in sharing.items():
            self._check_namesakes(row, ids)
        used = {*rows.values()}
        if unknown := [row.handed_in for row in self.rows.values() if row not in used]:
            notices.notes.append(clean(f"{self.path} names what was not handed in: {few(unknown)}"))
        labels = {}
        for place, row in rows.items():  # what is one person's has one number, or none
            number = place.label.id if len(numbers[fold(row.student)]) == 1 else ""
            labels[place] = replace(place.label, student=row.student, id=number)
        return [replace(place, label=labels.get(place, place.label)) for place in places]

    def _row(self, place: Location) -> Row | None:
        """The line about a place; a UserError if two lines name two people."""
        name = place.path.name
        keys = map(fold, (name, without_suffix(name), place.label.student, place.label.id))
        rows = [self.rows[key] for key in dict.fromkeys(keys) if key in self.rows]
        for row in rows[1:]:
            self._check_alike(name, rows[0], row)
        return rows[0] if rows else None

    def _check_alike(self, name: str, first: Row, second: Row) -> None:
        if fold(first.student) != fold(second.student):
            one = f"{shown(first.student)} in line {first.number}"
            other = f"{shown(second.student)} in line {second.number}"
            raise UserError(f"{self.path}: {shown(name)} is {one} and {other}")

    def _check_namesakes(self, row: Row, ids: set[str]) -> None:
        """A name that two people share does not say whose work is meant."""
        if len(ids) > 1:
            several = f"several people are called {shown(row.handed_in)}"
            text = f"{several}; name them by number: {few(sorted(filter(None, ids)))}"
            raise UserError(f"{self.path}, line {row.number}: {text}")


@dataclass(frozen=True)
class Attribution:
    """What an instructor says, beyond what the names of files and folders say."""

    names: NamesTable = field(default_factory=NamesTable)
    resubmissions: bool = False  # whether the number in `Wei Zhang (2)` counts hand-ins, not people

    def applied_to(self, places: list[Location], notices: Notices) -> list[Location]:
        """The places with the names of the table, and later uploads marked as such.

        Who may be two people is asked once. No student reads it on a page: it names another one.
        """
        namesakes: list[str] = []
        named = self.names.applied_to(places, notices)
        marked = [*_with_uploads(named, namesakes, resubmissions=self.resubmissions)]
        if namesakes:
            taken = "taken for people of their own, in spite of the number at the end"
            later = "such folders are later hand-ins of the same person"
            notices.undecided.append(f"{taken}: {few(namesakes)}; with --resubmissions {later}")
        return marked


NOBODY = Attribution()


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
    notices.recognised = _recognised(path, grades, notices)
    if not notices.recognised.places:
        expected = "expected a folder, a zip or a tar for each student, or one student's files"
        nothing = f"{path} holds nothing that could be a submission"
        raise UserError(f"{nothing}: {expected}, named like ex01_softmax.py")
    return _students(attribution.applied_to(notices.recognised.places, notices))


def _recognised(path: Path, grades: Path | None, notices: Notices) -> Recognised:
    try:
        place = path.resolve(strict=True)
        own = grades and grades.resolve()
        result = recognised(place, own) if place.is_dir() else Recognised([_single(place)])
        if len(result.places) == 1 and _is_class(result.places[0]):
            return recognised(_unpacked(result.places[0].path, notices))
    except FileNotFoundError:
        raise UserError(f"{path} does not exist{_suggested(path)}") from None
    except UnreadError as error:
        raise UserError(f"{path}: {error}") from None
    except (OSError, RuntimeError) as error:  # RuntimeError if links form a circle
        raise UserError(f"{path}: {unreadable(error)}") from None
    return result


def _suggested(path: Path) -> str:
    path = path.absolute()
    with suppress(OSError, IndexError):
        missing = [folder for folder in (path, *path.parents) if not folder.exists()][-1]
        names = [sibling.name for sibling in missing.parent.iterdir() if sibling != missing]
        return did_you_mean(missing.name, names)
    return ""


def _single(path: Path) -> Location:
    """A zip, a tar or a file, which is the work of one student."""
    if not path.is_file() or not (is_archive(path.name) or is_file(path.name)):
        raise UserError(f"{path} is neither a folder nor a zip, a tar, a Python file or a notebook")
    zipped = path.suffix.casefold() == ZIP
    if is_archive(path.name) and not zipped and (students := _count(path)) > 1:
        holds = f"{path} holds the work of {students} students"
        raise UserError(f"{holds}: unpack it, and grade the folder")
    return Location(path, name_parts(path.name))


def _is_class(place: Location) -> bool:
    """Whether it is the zip of a class, as its platform exports it."""
    path = place.path
    zipped = path.suffix.casefold() == ZIP and path.is_file() and not path.is_symlink()
    return zipped and not place.label.numbered and _count(path) > 0


def _count(path: Path) -> int:
    """How many students' work is in an archive, if a learning platform named all of it; else 0."""
    with closing(Reader(class_in)) as reader, suppress(UnreadError):  # reading it will fail, too
        students: int = reader.ask(path)
        return students
    return 0


def _unpacked(export: Path, notices: Notices) -> Path:
    """A folder with the files of a class, which is deleted when the program ends.

    Raises UnreadError if its zip cannot be unpacked.
    """
    home = Path(tempfile.mkdtemp(prefix="kata-class-"))
    atexit.register(rmtree, home, ignore_errors=True)
    folder = home / without_suffix(export.name)  # GitHub's prefix is read from the folder's name
    folder.mkdir()
    size, end, left = 0, 0, list[tuple[str, str]]()
    with closing(Reader(unpacked)) as reader:
        while True:
            part: Slice = reader.ask((export, folder, end))
            size, end, left = size + part.size, part.end, left + part.left
            if size > LARGEST_CLASS:
                raise UnreadError(str(too_large(LARGEST_CLASS)))
            if not end:
                break
    for reason in dict.fromkeys(reason for _, reason in left):
        names = few(name for name, other in left if other == reason)
        notices.notes.append(f"not unpacked from the class's zip: {names}: {reason}")
    return folder


def _students(places: Iterable[Location]) -> list[Student]:
    groups: dict[tuple[str, str], list[Location]] = {}
    for place in places:
        groups.setdefault((fold(place.label.student), place.label.id), []).append(place)
    ordered = [groups[key] for key in sorted(groups)]
    labels = [group[0].label for group in ordered]
    names = unique_names((normalize("NFC", label.student), label.id) for label in labels)
    return [Student(name, tuple(group)) for name, group in zip(names, ordered, strict=True)]


# -- what the instructor says


def _with_uploads(
    places: list[Location], namesakes: list[str], *, resubmissions: bool
) -> Iterator[Location]:
    """Take numbers in brackets, and of versions, for later uploads: `alice (1).zip`, `alice_v2`.

    Browsers write the first into names of files, and people the second. Nobody numbers folders so
    but a person who sorts them: `Wei Zhang (2)` is another Wei Zhang, unless the instructor says
    that it is a re-submission.
    """
    own = [place.label.student for place in places if not place.label.decorated]
    names, versions = {*map(fold, own)}, Counter(fold(version_in(name)[0]) for name in own)
    for place in places:
        student = place.label.student
        bracket, (base, number) = REPEATED.fullmatch(student), version_in(student)
        if bracket and fold(bracket[1]) in names:
            base, number = bracket[1], int(bracket[2])
        elif not base or versions[fold(base)] < 2:
            number = 0
        is_folder = place.label.file.endswith("/")
        if place.label.decorated or not number:
            yield place
        elif is_folder and not resubmissions:
            namesakes.append(student)
            yield place
        else:
            yield replace(place, label=replace(place.label, student=base, order=number))


def read_names(path: Path) -> NamesTable:
    """Read the table of `--names`; a UserError says what is wrong with it."""
    sheet = read_sheet(path)
    if not {HANDED_IN, STUDENT} <= {*sheet.headings}:
        raise UserError(f"{path} needs the columns {HANDED_IN} and {STUDENT}")
    table = NamesTable(path)
    for number, cells in sheet.records():
        if not cells[HANDED_IN] or not cells[STUDENT]:
            raise UserError(f"{path}, line {number}: a cell is empty")
        row = Row(number, cells[HANDED_IN].rstrip("/"), cells[STUDENT])
        table._check_alike(cells[HANDED_IN], table.rows.setdefault(fold(row.handed_in), row), row)
    return table
