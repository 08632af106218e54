"""The students of a class and the places of their work, judging by names and by the instructor.

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
from kata.text import clean, printable

ZIP = ".zip"
CROWD = 5  # entries of a folder, or they need no word
TIMES = 2  # as much has to be recognised as is left, or that is over a third
HANDED_IN, STUDENT = "handed_in", "student"


@dataclass(frozen=True)
class Student:
    """A student who submitted work, with all places of it."""

    name: str
    places: tuple[Location, ...]

    @property
    def id(self) -> str:
        """The learning platform's number for the student, if it is in the names."""
        return self.places[0].label.id

    @property
    def notes(self) -> Iterator[str]:
        """The notes for the instructor that the names give rise to."""
        if any(place.label.late for place in self.places):
            yield "handed in late"
        names: dict[str, list[str]] = {}
        for place in self.places:
            for remark in place.remarks:
                names.setdefault(remark, []).append(place.path.name)
        for remark, files in names.items():
            yield remark.format(names=few(files))


@dataclass
class Notices:
    """The notes and questions for an instructor about a class as a whole."""

    recognised: Recognised = field(default_factory=lambda: Recognised([]))
    notes: list[str] = field(default_factory=list)  # what was decided, or could not be unpacked
    undecided: list[str] = field(default_factory=list)  # what the instructor has to decide

    def form(self, number: int) -> str:
        """Say for how many students' work the class was taken, and what was left out."""
        platform, left_out = self.recognised.platform, self.recognised.left_out
        text = "the work of one student" if number == 1 else f"{number} students"
        text += f", with the names that {platform} gives to files" if platform else ""
        return text + (f"; left out: {few(left_out)}" if left_out else "")

    @property
    def doubt(self) -> str:
        """The doubt that this is the class that is meant; empty if nothing speaks against it."""
        people, left_out = self.recognised.people, self.recognised.left_out
        if len(people) >= CROWD:
            return f"folders in it may be other people's work: {few(people)}"
        if len(left_out) >= max(CROWD, 1 + len(self.recognised.places) / TIMES):
            return f"{len(left_out)} entries are nobody's work: {few(left_out)}"
        return ""


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    number: int
    handed_in: str
    student: str


@dataclass(frozen=True)
class NamesTable:
    """The whole table, by the names of work."""

    path: Path = Path()
    rows: dict[str, Row] = field(default_factory=dict)

    def applied_to(self, places: list[Location], notices: Notices) -> list[Location]:
        """Give places the names of the table, and note rows about nothing in one line."""
        rows = {place: row for place in places if (row := self._row(place))}
        numbers: dict[str, set[str]] = {}
        sharing: dict[Row, set[str]] = {}
        for place, row in rows.items():
            numbers.setdefault(fold(row.student), set()).add(place.label.id)
            if fold(row.handed_in) == fold(place.label.student):
                sharing.setdefault(row, set()).add(place.label.id)
        for row, ids in sharing.items():
            self._check_namesakes(row, ids)
        applied = {*rows.values()}
        if unknown := [row.handed_in for row in self.rows.values() if row not in applied]:
            notices.notes.append(clean(f"{self.path} names what was not handed in: {few(unknown)}"))
        labels = {}
        for place, row in rows.items():  # all work of one person has the same number, or none
            number = place.label.id if len(numbers[fold(row.student)]) == 1 else ""
            labels[place] = replace(place.label, student=row.student, id=number)
        return [replace(place, label=labels.get(place, place.label)) for place in places]

    def _row(self, place: Location) -> Row | None:
        """Return the row about a place; raise a UserError if two rows name two people."""
        name = place.path.name
        keys = map(fold, (name, without_suffix(name), place.label.student, place.label.id))
        rows = [self.rows[key] for key in dict.fromkeys(keys) if key in self.rows]
        for row in rows[1:]:
            self._check_alike(name, rows[0], row)
        return rows[0] if rows else None

    def _check_alike(self, name: str, first: Row, second: Row) -> None:
        if fold(first.student) != fold(second.student):
            students = [f"{printable(row.student)} in line {row.number}" for row in (first, second)]
            raise UserError(f"{self.path}: {printable(name)} is {' and '.join(students)}")

    def _check_namesakes(self, row: Row, ids: set[str]) -> None:
        """Raise a UserError on a name that two people share: it does not tell their work apart."""
        if len(ids) > 1:
            problem = f"several people are called {printable(row.handed_in)}"
            text = f"{problem}; name them by number: {few(sorted(filter(None, ids)))}"
            raise UserError(f"{self.path}, line {row.number}: {text}")


@dataclass(frozen=True)
class Attribution:
    """An instructor's word on names, beyond what those of files and folders say."""

    names: NamesTable = field(default_factory=NamesTable)
    resubmissions: bool = False  # whether the number in `Wei Zhang (2)` counts hand-ins, not people

    def applied_to(self, places: list[Location], notices: Notices) -> list[Location]:
        """Give places the names of the table, and mark later uploads.

        One question lists all possible namesakes. No student reads it on a page: it names others.
        """
        namesakes: list[str] = []
        named = self.names.applied_to(places, notices)
        marked = [*_with_uploads(named, namesakes, resubmissions=self.resubmissions)]
        if namesakes:
            reading = "taken for people of their own, in spite of the number at the end"
            option = "such folders are later hand-ins of the same person"
            notices.undecided.append(f"{reading}: {few(namesakes)}; with --resubmissions {option}")
        return marked


NOBODY = Attribution()


def listing(
    path: Path,
    grades: Path | None = None,
    attribution: Attribution = NOBODY,
    notices: Notices | None = None,
) -> list[Student]:
    """List all students with work at this path, sorted by name; no name occurs twice.

    The folder of the grades may lie among them. What concerns the whole class is a notice.

    A student with several places submitted several parts, or more than once. If two students have
    the same name, the platform's numbers become part of their names.
    """
    notices = notices or Notices()
    notices.recognised = _recognised(path, grades, notices)
    if not notices.recognised.places:
        problem = f"{path} holds nothing that could be a submission"
        expected = "expected a folder, a zip or a tar for each student, or one student's files"
        raise UserError(f"{problem}: {expected}, named like ex01_softmax.py")
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
    """Take a zip, a tar or a file for the work of one student."""
    if not path.is_file() or not (is_archive(path.name) or is_file(path.name)):
        raise UserError(f"{path} is neither a folder nor a zip, a tar, a Python file or a notebook")
    zipped = path.suffix.casefold() == ZIP
    if is_archive(path.name) and not zipped and (students := _count(path)) > 1:
        holds = f"{path} holds the work of {students} students"
        raise UserError(f"{holds}: unpack it, and grade the folder")
    return Location(path, name_parts(path.name))


def _is_class(place: Location) -> bool:
    """Return whether a place is the zip of a class, as its platform exports it."""
    path = place.path
    zipped = path.suffix.casefold() == ZIP and path.is_file() and not path.is_symlink()
    return zipped and not place.label.numbered and _count(path) > 0


def _count(path: Path) -> int:
    """Count the students in an archive, if a learning platform named all work in it; else 0."""
    with closing(Reader(class_in)) as reader, suppress(UnreadError):  # reading it will fail, too
        students: int = reader.ask(path)
        return students
    return 0


def _unpacked(export: Path, notices: Notices) -> Path:
    """Unpack the zip of a class into a folder, which is deleted when the program ends.

    Raises UnreadError if that fails.
    """
    home = Path(tempfile.mkdtemp(prefix="kata-class-"))
    atexit.register(rmtree, home, ignore_errors=True)
    folder = home / without_suffix(export.name)  # GitHub's prefix is read from the folder's name
    folder.mkdir()
    size, end, refused = 0, 0, list[tuple[str, str]]()
    with closing(Reader(unpacked)) as reader:
        while True:
            part: Slice = reader.ask((export, folder, end))
            size, end, refused = size + part.size, part.end, refused + part.refused
            if size > LARGEST_CLASS:
                raise UnreadError(str(too_large(LARGEST_CLASS)))
            if not end:
                break
    reasons: dict[str, list[str]] = {}
    for name, reason in refused:
        reasons.setdefault(reason, []).append(name)
    for reason, files in reasons.items():
        names = few(files)
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


# -- the instructor's word on names


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
