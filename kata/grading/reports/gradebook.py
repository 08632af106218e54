"""gradebook.csv: a platform's own export with the grades filled in, ready to import."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.errors import UserError
from kata.grading.collecting.names import few, fold
from kata.grading.reports import canvas, moodle, sheet, wording
from kata.grading.reports.sheet import Grade, Person, Sheet
from kata.grading.reports.wording import DIGITS, number
from kata.text import line, shown

NAME = "gradebook.csv"
MOST_NAMED = 3  # exercises of which a mistake is named

# How each kind of table is recognised, read and filled; what fills it returns how many grades were
# written, and what the instructor should know.
PLATFORMS = (
    (canvas.recognises, canvas.people, canvas.fill),
    (moodle.worksheet, moodle.worksheet_people, moodle.fill_worksheet),
    (moodle.is_gradebook, moodle.gradebook_people, moodle.fill_gradebook),
)


def fill(export: Path, verdicts: ClassVerdict, grades: Path, column: str = "") -> tuple[str, ...]:
    """Write gradebook.csv; returns what the instructor should know, a line each.

    Args:
        export: of Canvas' gradebook, Moodle's grading worksheet or Moodle's gradebook.
        verdicts: on the class.
        grades: the folder to write to.
        column: the title of the assignment on the platform; a new one if empty.

    Students in the export who handed in nothing stay as they are. A UserError says
    why an export cannot be used.
    """
    table, count, lines = _filled(export, verdicts, column)
    grades.mkdir(parents=True, exist_ok=True)
    table.write(grades / NAME)
    return (*lines, f"{count} {'grade is' if count == 1 else 'grades are'} in {grades / NAME}")


def check(export: Path, column: str = "") -> None:
    """Raise a UserError if it could not be filled in, whatever was handed in."""
    _filled(export, ClassVerdict(lambda: iter(()), {}), column)


def _filled(export: Path, verdicts: ClassVerdict, column: str) -> tuple[Sheet, int, list[str]]:
    """The table with the grades filled in, their number, and messages for the instructor."""
    table = sheet.read(export)
    for recognises, people, fill_in in PLATFORMS:
        if recognises(table):
            rows, lines = _rows(_Roster(people(table)), verdicts)
            count, more = fill_in(table, rows, verdicts.most, column)
            return table, count, lines + more
    raise UserError(
        f"{export} is not a known table: expected the gradebook of Canvas, or the grading worksheet"
        f" or gradebook of Moodle; its columns are {few(table.header)}. If it is Moodle's in a "
        "language that is not known here, export it in English"
    )


class _Roster:
    """The students of a table, to be looked up by number or name."""

    def __init__(self, people: Iterable[Person]) -> None:
        self._by_id: dict[str, list[Person]] = {}
        self._by_name: dict[str, list[Person]] = {}
        for person in people:
            for own in dict.fromkeys(filter(None, person.ids)):
                self._by_id.setdefault(own, []).append(person)
            for name in dict.fromkeys(map(fold, _names(person))):
                self._by_name.setdefault(name, []).append(person)

    def find(self, verdict: SubmissionVerdict) -> list[Person]:
        """Who it may be: no student, one, or several who cannot be told apart.

        A number decides between students of the same name. If number and name belong to different
        students, neither decides. A number alone is enough only if it is the platform's own: a
        number of another system may belong to somebody else.
        """
        namesakes = self._by_name.get(fold(verdict.student), [])
        both = [person for person in namesakes if verdict.id in person.numbers]
        return both or [*self._by_id.get(verdict.id, []), *namesakes]


def _names(person: Person) -> Iterator[str]:
    """Two of the same name are shown as `Jane Doe (101)`."""
    for name in filter(None, person.names):
        yield name
        yield from (f"{name} ({own})" for own in person.numbers)


def _rows(roster: _Roster, verdicts: ClassVerdict) -> tuple[dict[int, Grade], list[str]]:
    """The rows that get a grade, and messages about students who get none."""
    grades: dict[int, list[Grade]] = {}
    lines: list[str] = []
    for verdict in verdicts.submissions():
        people = roster.find(verdict)
        if problem := _problem(verdict, people):
            lines.append(f"{shown(verdict.student)}: {problem}")
        else:
            grades.setdefault(people[0].row, []).append(grade(verdict))
    for rivals in grades.values():
        if len(rivals) > 1:
            students = few(rival.student for rival in rivals)
            lines.append(f"{students} match the same row of the export: none was filled in")
    return {row: rivals[0] for row, rivals in grades.items() if len(rivals) == 1}, lines


def _problem(verdict: SubmissionVerdict, people: list[Person]) -> str:
    """Why this grade cannot be entered; empty if it can."""
    if verdict.problem:
        return f"not graded, left unchanged: {shown(verdict.problem)}"
    if not people:
        return "nobody in the export has this name or number"
    names = few(f"{person.shown} ({', '.join(person.numbers)})" for person in people)
    return f"matches more than one row, and none was filled in: {names}" if len(people) > 1 else ""


def grade(verdict: SubmissionVerdict) -> Grade:
    """The entry for a graded submission."""
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
    """Of the exercises that cost most points, what cost most in each."""
    pairs = zip(verdict.exercises, verdict.marks_by_claims, strict=True)
    wrong = [(mark, exercise) for exercise, mark in pairs if exercise.mistakes]
    dearest = sorted(wrong, key=lambda pair: pair[0].score - pair[0].most)[:MOST_NAMED]
    for mark, exercise in sorted(dearest, key=lambda pair: pair[1].slug):
        title = next(wording.charges(exercise, mark), exercise.mistakes[0].title)
        yield f"{exercises()[exercise.slug].short}: {title}."
