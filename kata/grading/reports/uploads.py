"""What is uploaded to a learning platform: its own table with the grades, and a zip of feedback.

The command line fills in tables, and says whose feedback is in the zips; `formats` writes the zips.
The export of the platform is only read: the filled one is gradebook.csv, beside the other grades.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.errors import UserError
from kata.files import new_file
from kata.grading.collecting.names import few
from kata.grading.people import People, Person
from kata.grading.reports import canvas, moodle
from kata.grading.reports.archives import EARLIEST, READABLE, ArchiveFile, add_to_zip
from kata.grading.reports.feedback import Content, page, text
from kata.grading.reports.gradebook import Grade, grade
from kata.grading.tables import Sheet, read_sheet
from kata.text import shown

GRADEBOOK = "gradebook.csv"
NAMES: dict[str, Callable[[SubmissionVerdict], str]] = {
    "canvas": canvas.upload_name,
    "moodle": moodle.upload_name,
}
# How each kind of table is recognised, read and filled; what fills it returns how many grades were
# written, and what the instructor should know.
GRADEBOOKS = (
    (canvas.recognises, canvas.people, canvas.fill),
    (moodle.worksheet, moodle.worksheet_people, moodle.fill_worksheet),
    (moodle.is_gradebook, moodle.gradebook_people, moodle.fill_gradebook),
)


def fill_gradebook(
    export: Path, verdicts: ClassVerdict, grades: Path, column: str = ""
) -> tuple[str, ...]:
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
    table.write(grades / GRADEBOOK)
    return (*lines, f"{count} {'grade is' if count == 1 else 'grades are'} in {grades / GRADEBOOK}")


def check_gradebook(export: Path, column: str = "") -> None:
    """Raise a UserError if it could not be filled in, whatever was handed in."""
    _filled(export, ClassVerdict(lambda: iter(()), {}), column)


def _filled(export: Path, verdicts: ClassVerdict, column: str) -> tuple[Sheet, int, list[str]]:
    """The table with the grades filled in, their number, and messages for the instructor."""
    table = read_sheet(export)
    for recognises, people_in, fill_in in GRADEBOOKS:
        if recognises(table):
            rows, lines = _rows(People(people_in(table)), verdicts)
            count, more = fill_in(table, rows, verdicts.most, column)
            return table, count, lines + more
    raise UserError(
        f"{export} is not a known table: expected the gradebook of Canvas, or the grading worksheet"
        f" or gradebook of Moodle; its columns are {few(table.header)}. If it is Moodle's in a "
        "language that is not known here, export it in English"
    )


def _rows(people: People, verdicts: ClassVerdict) -> tuple[dict[int, Grade], list[str]]:
    """The rows that get a grade, and messages about students who get none."""
    grades: dict[int, list[Grade]] = {}
    lines: list[str] = []
    for verdict in verdicts.submissions():
        rivals = people.find_exactly(verdict.student, verdict.id)
        if problem := _problem(verdict, rivals):
            lines.append(f"{shown(verdict.student)}: {problem}")
        else:
            grades.setdefault(rivals[0].row, []).append(grade(verdict))
    for several in grades.values():
        if len(several) > 1:
            students = few(entry.student for entry in several)
            lines.append(f"{students} match the same row of the export: none was filled in")
    return {row: several[0] for row, several in grades.items() if len(several) == 1}, lines


def _problem(verdict: SubmissionVerdict, people: list[Person]) -> str:
    """Why this grade cannot be entered; empty if it can."""
    if verdict.problem:
        return f"not graded, left unchanged: {shown(verdict.problem)}"
    if not people:
        return "nobody in the export has this name or number"
    names = few(f"{person.name} ({', '.join(person.numbers)})" for person in people)
    return f"matches more than one row, and none was filled in: {names}" if len(people) > 1 else ""


@contextmanager
def upload(
    platform: str, verdicts: ClassVerdict, grades: Path
) -> Iterator[Callable[[SubmissionVerdict], None]]:
    """Write the zip of a platform in one step: if anything fails, it stays as it was."""
    written: set[str] = set()
    with new_file(grades / f"upload-{platform}.zip") as file, ZipFile(file, "w") as archive:

        def add(verdict: SubmissionVerdict) -> None:
            name = NAMES[platform](verdict)
            if name and name not in written:  # of a group, all members have the same name
                written.add(name)
                content = _content(platform, name, page(verdict, verdicts))
                add_to_zip(archive, ArchiveFile(name, content, READABLE), EARLIEST)

        yield add


def _content(platform: str, name: str, feedback: Content) -> bytes:
    html = text(feedback, "html")
    if platform == "canvas" and (form := canvas.form_of(name)):
        return form(html, text(feedback, "md"))
    return html.encode()


def summary(verdicts: ClassVerdict, grades: Path, platforms: Iterable[str]) -> Iterator[str]:
    """How many pages are in each zip, and whose is not: work that the platform did not name."""
    for platform in dict.fromkeys(platforms):
        unfit: list[str] = []
        unnamed: list[str] = []
        for verdict in verdicts.submissions():
            if not verdict.absent and not NAMES[platform](verdict):
                damaged = platform == "canvas" and canvas.is_unfit(verdict)
                (unfit if damaged else unnamed).append(verdict.student)
        if unnamed:
            yield (f"not named by {platform.title()}, so without feedback to upload, "
                   f"{len(unnamed)}: {few(unnamed)}")  # fmt: skip
        if unfit:
            yield (f"handed in under a name that {platform.title()} would show as a damaged file, "
                   f"such as homework.pdf, so without feedback to upload, {len(unfit)}: "
                   f"{few(unfit)}; --report feedback writes their pages")  # fmt: skip
        path = grades / f"upload-{platform}.zip"
        with ZipFile(path) as archive:
            yield f"feedback for {len(archive.namelist())} is in {path}, ready to upload"
