"""The grades in a platform's own table, to be imported again: gradebook.csv.

The command line calls it; the export is only read. Canvas' gradebook is filled in as its importer
wants it (lib/gradebook_importer.rb). Moodle writes into a worksheet identifier, names, …, grade,
maximum grade, whether it can be changed, …, in this order (mod/assign/gradingtable.php). If its
headings are in a language that is not in `moodle_headings.toml`, the shape of the table tells: the
first column holds `Participant 101`, and one other the same number of points in every row. Students
read the comments: nothing about flags or other people belongs there.
"""

import html
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.errors import UserError
from kata.grading.collecting.names import few
from kata.grading.people import People, Person
from kata.grading.reports import wording
from kata.grading.reports.wording import DIGITS, number
from kata.grading.tables import Sheet, amount, harmless, read_sheet
from kata.text import line, printable

GRADEBOOK = "gradebook.csv"
TITLE = "Attention kata"  # of the assignment, if none is named
MOST_NAMED = 3  # exercises of which a mistake is named


@dataclass(frozen=True)
class Grade:
    """The entry for one student: a score, and a few words of feedback."""

    student: str
    score: float
    feedback: str


@dataclass(frozen=True)
class Table:
    """A platform's table that was recognised, ready to be filled in.

    Attributes:
        people: the students, with their rows.
        score: the column of the grades.
        worths: the points of a full score, row by row.
        feedback: the column of the comments; -1 if there is none.
        locked: why a grade stays as it is, by row.
        lines: what the instructor should know.
        takes_more: whether a score may be above the maximum.
        tells_replaced: whether to say how many existing grades are replaced.
    """

    people: list[Person]
    score: int
    worths: list[float]
    feedback: int = -1
    locked: Mapping[int, str] = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    takes_more: bool = True
    tells_replaced: bool = False


def fill_gradebook(
    export: Path, verdicts: ClassVerdict, grades: Path, column: str = ""
) -> tuple[str, ...]:
    """Write gradebook.csv, and return lines of what the instructor should know.

    Args:
        export: of Canvas' gradebook, Moodle's grading worksheet or Moodle's gradebook.
        verdicts: on the class.
        grades: the folder to write to.
        column: the title of the assignment on the platform; a new one if empty.

    Students in the export who submitted nothing stay as they are. A UserError says why an export
    cannot be used.
    """
    sheet, table = _recognised(export, verdicts.most, column)
    rows, lines = _rows(People(table.people), verdicts)
    lines += _fill(sheet, table, rows, verdicts.most)
    grades.mkdir(parents=True, exist_ok=True)
    sheet.write(grades / GRADEBOOK)
    count = len(rows.keys() - table.locked.keys())
    return (*lines, f"{count} {'grade is' if count == 1 else 'grades are'} in {grades / GRADEBOOK}")


def check_gradebook(export: Path, column: str = "") -> None:
    """Raise a UserError if an export could not be filled in, whatever the grades."""
    _recognised(export, 0.0, column)


def _recognised(export: Path, most: float, column: str) -> tuple[Sheet, Table]:
    sheet = read_sheet(export)
    for recognised in (_canvas, _worksheet, _moodle_gradebook):
        if table := recognised(sheet, most, column):
            return sheet, table
    raise UserError(
        f"{export} is not a known table: expected the gradebook of Canvas, or the grading worksheet"
        f" or gradebook of Moodle; its columns are {few(sheet.header)}. If it is Moodle's in a "
        "language that is not known here, export it in English"
    )


def _rows(people: People, verdicts: ClassVerdict) -> tuple[dict[int, Grade], list[str]]:
    """Return the grades by row, and messages about students who get none."""
    grades: dict[int, list[Grade]] = {}
    lines: list[str] = []
    for verdict in verdicts.submissions():
        matches = people.find_exactly(verdict.student, verdict.id)
        if problem := _problem(verdict, matches):
            lines.append(f"{printable(verdict.student)}: {problem}")
        else:
            grades.setdefault(matches[0].row, []).append(grade(verdict))
    for rivals in grades.values():
        if len(rivals) > 1:
            students = few(entry.student for entry in rivals)
            lines.append(f"{students} match the same row of the export: none was filled in")
    return {row: rivals[0] for row, rivals in grades.items() if len(rivals) == 1}, lines


def _problem(verdict: SubmissionVerdict, people: list[Person]) -> str:
    """Return why this grade cannot be entered; empty if it can."""
    if verdict.problem:
        return f"not graded, left unchanged: {printable(verdict.problem)}"
    if not people:
        return "nobody in the export has this name or number"
    names = few(f"{person.name} ({', '.join(person.numbers)})" for person in people)
    return f"matches more than one row, and none was filled in: {names}" if len(people) > 1 else ""


def _fill(sheet: Sheet, table: Table, grades: Mapping[int, Grade], most: float) -> list[str]:
    """Write scores and comments, and return what the instructor should know, nothing twice."""
    lines = dict.fromkeys(table.lines)
    for row, entry in grades.items():
        if row in table.locked:
            lines[f"{few([entry.student])}: {table.locked[row]}, left unchanged"] = None
    replaced = 0
    for row, entry in grades.items():
        if row in table.locked:
            continue
        if table.worths[row] != most:
            lines[_scaling(most, table.worths[row])] = None
        if entry.score > most and not table.takes_more:
            lines[f"{few([entry.student])} has more points than there are, and Moodle takes no "
                  "more: written as the maximum"] = None  # fmt: skip
        score = entry.score if table.takes_more else min(entry.score, most)
        text = number(score / most * table.worths[row] if most else 0.0, DIGITS)
        before = sheet.cell(row, table.score)
        replaced += bool(before) and amount(before) != amount(text)
        sheet.rows[row][table.score] = text
        if table.feedback >= 0:  # Moodle shows comments as HTML
            sheet.rows[row][table.feedback] = harmless(html.escape(entry.feedback, quote=False))
    if replaced and table.tells_replaced:
        grades_were = "grade was" if replaced == 1 else "grades were"
        lines[f"{replaced} existing {grades_were} replaced"] = None
    return [*lines]


def _scaling(most: float, worth: float) -> str:
    return (f"a full score of {number(most)} here is {number(worth)} there: "
            "all grades were scaled")  # fmt: skip


def _worth(cell: str, most: float, path: Path) -> float:
    """Return the points of an assignment, `most` if the cell is empty."""
    value = amount(cell)
    if cell and value is None:
        raise UserError(
            f"{path}: {printable(cell)} is not a number of points: write it like 1000.00"
        )
    return value or most


# The entry of a student


def grade(verdict: SubmissionVerdict) -> Grade:
    """Make the entry for a graded submission."""
    marks = zip(verdict.exercises, verdict.marks, strict=True)
    scores = ", ".join(
        f"{exercises()[exercise.slug].short} "
        f"{number(mark.score, DIGITS)}/{number(mark.most, DIGITS)}"
        for exercise, mark in marks
    )
    notes = [*wording.changes(verdict), *wording.unread_files(verdict),
             *wording.broken_files(verdict)]  # fmt: skip
    text = " ".join([f"{scores}.", *(f"{note}." for note in notes), *_mistakes(verdict)])
    return Grade(verdict.student, verdict.score, line(text))


def _mistakes(verdict: SubmissionVerdict) -> Iterator[str]:
    """Name the dearest mistakes of the exercises that cost most points."""
    pairs = zip(verdict.exercises, verdict.marks_by_claims, strict=True)
    wrong = [(mark, exercise) for exercise, mark in pairs if exercise.mistakes]
    dearest = sorted(wrong, key=lambda pair: pair[0].score - pair[0].most)[:MOST_NAMED]
    for mark, exercise in sorted(dearest, key=lambda pair: pair[1].slug):
        title = next(wording.charges(exercise, mark), exercise.mistakes[0].title)
        yield f"{exercises()[exercise.slug].short}: {title}."


# Canvas: `Student,ID,…,Section` or `LastName,FirstName,ID,…,Section`

OF_STUDENTS = ("Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID",
               "Integration ID", "Root Account", "Section")  # fmt: skip
NAMES = ("Student", "LastName", "FirstName")
NUMBER = "ID"  # which is in the names of files
FOREIGN_NUMBERS = ("SIS User ID", "SIS Login ID")
POINTS = "Points Possible"
EXCUSED = "EX"
ASSIGNMENT = re.compile(r"(.+?)\s*\(\d+\)", re.DOTALL)  # `Masks (4711)`


def _canvas(sheet: Sheet, most: float, title: str) -> Table | None:
    """Recognise Canvas' gradebook: one column is scaled to its points, all others are removed."""
    names = "Student" in sheet.header[0] or sheet.header[:2] == ["LastName", "FirstName"]
    if not names or not {"ID", "Section"} <= {heading.strip() for heading in sheet.header}:
        return None
    people = [*_canvas_people(sheet)]
    column = _column(sheet, title)
    assignments = _assignments(sheet)
    is_new = bool(assignments) and sheet.header[column] not in assignments
    about_students = (sheet.place(heading) for heading in OF_STUDENTS)
    sheet.keep([*sorted(place for place in about_students if place >= 0), column])
    column = len(sheet.header) - 1
    worth = _points(sheet, column, most)
    sheet.protect(*NAMES, "Section")  # Canvas identifies people by their numbers
    lines = [] if worth == most else [_scaling(most, worth)]
    if is_new:
        lines.append(f"a new assignment, {TITLE}, was made; there is {few(assignments)}: "
                     "--column names one of them")  # fmt: skip
    locked = {row: "excused on the platform" for row in range(len(sheet.rows))
              if sheet.cell(row, column).upper() == EXCUSED}  # fmt: skip
    return Table(people, column, [worth] * len(sheet.rows), locked=locked, lines=tuple(lines),
                 tells_replaced=True)  # fmt: skip


def _canvas_people(sheet: Sheet) -> Iterator[Person]:
    """Read the students, by name in both orders and as in the names of files: `doejane`."""
    number, foreign = sheet.place(NUMBER), [*map(sheet.place, FOREIGN_NUMBERS)]
    for row, cells in enumerate(sheet.rows):
        # Neither the points, nor the row about how grades are posted.
        if POINTS not in cells[0] and sheet.cell(row, number):
            first, last = _name(sheet, row)
            whole = f"{last}, {first}" if first else last
            squeezed = "".join(filter(str.isalnum, f"{last}{first}")).casefold()
            spellings = f"{first} {last}".strip(), squeezed
            foreign_ids = tuple(sheet.cell(row, column) for column in foreign)
            yield Person(whole, (sheet.cell(row, number),), spellings=spellings,
                         foreign_ids=foreign_ids, row=row)  # fmt: skip


def _name(sheet: Sheet, row: int) -> tuple[str, str]:
    """Return the first and the last name."""
    if (place := sheet.place("Student")) < 0:
        return sheet.cell(row, sheet.place("FirstName")), sheet.cell(row, sheet.place("LastName"))
    last, _, first = sheet.cell(row, place).partition(",")
    return first.strip(), last.strip()


def _assignments(sheet: Sheet) -> list[str]:
    """List the columns that can be filled in: Canvas gives them numbers."""
    return [heading for heading in sheet.header if ASSIGNMENT.fullmatch(heading.strip())]


def _points(sheet: Sheet, column: int, most: float) -> float:
    """Return the points of the assignment; if it has none yet, those of the grader."""
    points = next((row for row, cells in enumerate(sheet.rows) if POINTS in cells[0]), -1)
    if points < 0:
        sheet.rows.append([f"    {POINTS}", *[""] * (len(sheet.header) - 1)])
    if not sheet.cell(points, column):
        sheet.rows[points][column] = number(most)
    return _worth(sheet.cell(points, column), most, sheet.path)


def _column(sheet: Sheet, title: str) -> int:
    """Return the column of the assignment; a new one if none is named, about which Canvas asks."""
    wanted = title or TITLE
    headings = [heading for heading in sheet.header if heading not in OF_STUDENTS]
    fitting = [heading for heading in headings if wanted in {heading, _title(heading)}]
    if wanted in fitting or len(fitting) == 1:
        return sheet.header.index(wanted if wanted in fitting else fitting[0])
    if fitting:
        raise UserError(f"more than one assignment is called {wanted}: {few(fitting)}; name it "
                        "with its number")  # fmt: skip
    if title:
        names = few(_assignments(sheet)) or "none"
        raise UserError(f"no assignment is called {title}; there is {names}")
    return sheet.add(wanted)


def _title(heading: str) -> str:
    match = ASSIGNMENT.fullmatch(heading.strip())
    return match[1] if match else heading.strip()


# Moodle's grading worksheet: `Identifier,Full name,…,Grade,…`, without names where marking is
# anonymous

HEADINGS = Path(__file__).with_name("moodle_headings.toml")
IDENTIFIER = re.compile(r"(\D*?)\s*(\d+)")  # `Participant 101`, `Teilnehmer/in101`
FEWEST_COLUMNS = 5  # identifier, grade, maximum, whether it can be changed, and a date
FEEDBACK = "Feedback comments"


@cache
def _headings() -> dict[str, list[str]]:
    """Read the headings of columns, in several languages, by what is in them."""
    names: dict[str, list[str]] = tomllib.loads(HEADINGS.read_text(encoding="utf-8"))
    return names


def _place(sheet: Sheet, kind: str) -> int:
    """Return the first column with one of the headings of this kind; -1 if there is none."""
    places = map(sheet.place, _headings()[kind])
    return min((place for place in places if place >= 0), default=-1)


def _cells(sheet: Sheet, column: int) -> list[str]:
    return [sheet.cell(row, column) for row in range(len(sheet.rows))]


def _worksheet(sheet: Sheet, most: float, _: str) -> Table | None:
    """Recognise Moodle's worksheet: grades are scaled to the assignment, all else is kept."""
    if (columns := _worksheet_columns(sheet)) is None:
        return None
    identifier, grade, maximum, by_shape = columns
    in_english = sheet.place("Identifier") >= 0 and not by_shape
    lines: list[str] = []
    if by_shape:
        names = [printable(sheet.header[place]) for place in (grade, maximum)]
        lines.append(f"the headings of this worksheet are not known: by its shape, grades are in "
                     f"{names[0]}, and the most that can be reached in {names[1]}")  # fmt: skip
    feedback, changeable = _place(sheet, "feedback"), _place(sheet, "changeable")
    if feedback < 0 and in_english:  # Moodle reads it by its heading
        feedback = sheet.add(FEEDBACK)
    if feedback < 0:
        lines.append("no column for comments was recognised: only grades were filled in")
    if changeable < 0 and not in_english:
        lines.append("which grades are locked on the platform could not be told: they were filled "
                     "in, too")  # fmt: skip
    no = {word.casefold() for word in _headings()["locked"]}
    locked = dict.fromkeys(
        (row for row, cell in enumerate(_cells(sheet, changeable)) if cell.casefold() in no),
        "this grade is locked on the platform",
    )
    people = [*_worksheet_people(sheet, identifier)]
    sheet.protect(*(name for kind in ("full-name", "online", "mail") for name in _headings()[kind]))
    # Also of rows without a grade: one bad cell makes the export invalid.
    worths = [_worth(cell, most, sheet.path) for cell in _cells(sheet, maximum)]
    return Table(people, grade, worths, feedback, locked, tuple(lines), takes_more=False)


def _worksheet_columns(sheet: Sheet) -> tuple[int, int, int, bool] | None:
    """Return identifier, grade and maximum, and whether the shape tells them, not the headings."""
    identifier, grade = _place(sheet, "identifier"), _place(sheet, "grade")
    in_english = sheet.place("Identifier") >= 0
    if min(identifier, grade) >= 0 and (in_english or _is_identifier(sheet, identifier)):
        return identifier, grade, _place(sheet, "maximum"), False
    maxima = [*_maxima(sheet)]
    return (0, maxima[0] - 1, maxima[0], True) if len(maxima) == 1 else None


def _is_identifier(sheet: Sheet, column: int) -> bool:
    """Return whether all cells are the same word and a number of their own."""
    matches = [IDENTIFIER.fullmatch(cell) for cell in _cells(sheet, column)]
    named = [match for match in matches if match and match[1].strip()]
    words, numbers = {match[1] for match in named}, {match[2] for match in named}
    return len(named) == len(matches) == len(numbers) and len(words) == 1


def _maxima(sheet: Sheet) -> Iterator[int]:
    """Yield columns with the same points in every row, behind one with no more than that.

    There is none if the shape is not that of a worksheet.
    """
    if len(sheet.header) < FEWEST_COLUMNS or not _is_identifier(sheet, 0):
        return
    for place in range(2, len(sheet.header)):
        points = {amount(cell) for cell in _cells(sheet, place)}
        most = points.pop() if len(points) == 1 else None
        grades = [amount(cell) for cell in _cells(sheet, place - 1) if cell]
        if most and all(grade is not None and grade <= most for grade in grades):
            yield place


def _worksheet_people(sheet: Sheet, identifier: int) -> Iterator[Person]:
    """Read the students, by the number in `Participant 101`, as in the names of files."""
    names = _cells(sheet, _place(sheet, "full-name"))
    for row, (cell, name) in enumerate(zip(_cells(sheet, identifier), names, strict=True)):
        match = IDENTIFIER.fullmatch(cell)
        yield Person(name or cell, (match[2],) if match else (), spellings=(cell,), row=row)


# Moodle's gradebook: `First name,Last name,…,Email address,…`


def _moodle_gradebook(sheet: Sheet, most: float, title: str) -> Table | None:
    """Recognise Moodle's gradebook: two new columns are added, about which Moodle asks."""
    kinds = ("first", "last", "number", "username", "mail")
    columns = {kind: _place(sheet, kind) for kind in kinds}
    first, last, *numbers = columns.values()
    if first < 0 or last < 0 or max(numbers) < 0:
        return None
    people = [*_gradebook_people(sheet, [*columns.values()])]
    by_people = (columns[kind] for kind in ("first", "last", "mail"))
    names = [sheet.header[place] for place in by_people if place >= 0]
    sheet.keep(sorted({place for place in columns.values() if place >= 0}))
    wanted = title or TITLE
    score, feedback = sheet.add(wanted), sheet.add(f"{wanted} (feedback)")
    sheet.protect(*names)
    return Table(people, score, [most] * len(sheet.rows), feedback)


def _gradebook_people(sheet: Sheet, columns: list[int]) -> Iterator[Person]:
    """Read the students, by name in both orders, username and address; IDs are not Moodle's."""
    for row in range(len(sheet.rows)):
        first, last, number, login, mail = (sheet.cell(row, place) for place in columns)
        name, *spellings = f"{first} {last}".strip(), f"{last} {first}".strip(), f"{last}, {first}"
        yield Person(name, (), login, mail, spellings=tuple(spellings), foreign_ids=(number,),
                     row=row)  # fmt: skip
