"""Canvas: its gradebook, and the names of the feedback that it takes back.

Called by `uploads` alone; it changes the table it is given, and writes no file. The gradebook is as
Canvas' importer (lib/gradebook_importer.rb) wants it. Of an upload, Canvas finds the student by the
numbers in the name of a file, adds the file to the comments on the submission, and shows it there
under the student's own file name (app/models/assignment.rb,
`infer_comment_context_from_filename`). So the feedback takes the form that this name promises.
"""

import json
import re
from collections.abc import Callable, Iterator

from kata.class_verdict import SubmissionVerdict
from kata.errors import UserError
from kata.grading.collecting.names import ANONYMOUS, CANVAS, few
from kata.grading.people import Person
from kata.grading.reports.archives import EARLIEST, READABLE, ArchiveFile, tarred, zipped
from kata.grading.reports.gradebook import TITLE, Grade, scaled, scaling, worth_of
from kata.grading.reports.wording import number
from kata.grading.tables import Sheet, amount

OF_STUDENTS = ("Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID",
               "Integration ID", "Root Account", "Section")  # fmt: skip
NAMES = ("Student", "LastName", "FirstName")
NUMBER = "ID"  # which is in the names of files
FOREIGN_NUMBERS = ("SIS User ID", "SIS Login ID")
POINTS = "Points Possible"
EXCUSED = "EX"
ASSIGNMENT = re.compile(r"(.+?)\s*\(\d+\)", re.DOTALL)  # `Masks (4711)`
PAGE = "feedback.html"
FENCE = "```"
ESCAPED = re.compile(r"(`+[^`]*`+)|\\([!-/:-@\[-`{-~])")  # code, which stays as it is; a sign


def recognises(sheet: Sheet) -> bool:
    """`Student,ID,…,Section` or `LastName,FirstName,ID,…,Section`."""
    names = "Student" in sheet.header[0] or sheet.header[:2] == ["LastName", "FirstName"]
    return names and {"ID", "Section"} <= {heading.strip() for heading in sheet.header}


def people(sheet: Sheet) -> Iterator[Person]:
    """The students, by name in both orders and as in the names of files: `doejane`."""
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
    """First and last."""
    if (place := sheet.place("Student")) < 0:
        return sheet.cell(row, sheet.place("FirstName")), sheet.cell(row, sheet.place("LastName"))
    last, _, first = sheet.cell(row, place).partition(",")
    return first.strip(), last.strip()


def fill(sheet: Sheet, grades: dict[int, Grade], most: float, title: str) -> tuple[int, list[str]]:
    """Write the scores into one column, scaled to its points, and remove all other grades."""
    column = _column(sheet, title)
    worth = _worth(sheet, column, most)
    lines = [] if worth == most else [scaling(most, worth)]
    assignments = _assignments(sheet)
    if assignments and sheet.header[column] not in assignments:
        lines.append(f"a new assignment, {TITLE}, was made; there is {few(assignments)}: "
                     "--column names one of them")  # fmt: skip
    excused = {row for row in grades if sheet.cell(row, column).upper() == EXCUSED}
    lines += (f"{few([grades[row].student])}: excused on the platform, left unchanged"
              for row in grades if row in excused)  # fmt: skip
    scores = {row: scaled(grade.score, most, worth) for row, grade in grades.items()
              if row not in excused}  # fmt: skip
    lines += _entered(sheet, column, scores)
    sheet.protect(*NAMES, "Section")  # Canvas identifies people by their numbers
    about_students = (sheet.place(heading) for heading in OF_STUDENTS)
    sheet.keep([*sorted(place for place in about_students if place >= 0), column])
    return len(scores), lines


def _entered(sheet: Sheet, column: int, scores: dict[int, str]) -> Iterator[str]:
    """Write the scores, and say how many existing grades they replace."""
    replaced = 0
    for row, score in scores.items():
        before = sheet.cell(row, column)
        replaced += bool(before) and amount(before) != amount(score)
        sheet.rows[row][column] = score
    if replaced:
        yield f"{replaced} existing {'grade was' if replaced == 1 else 'grades were'} replaced"


def _assignments(sheet: Sheet) -> list[str]:
    """The columns that can be filled in: Canvas gives them numbers."""
    return [heading for heading in sheet.header if ASSIGNMENT.fullmatch(heading.strip())]


def _worth(sheet: Sheet, column: int, most: float) -> float:
    """The points of the assignment; if it has none yet, those of the grader."""
    points = next((row for row, cells in enumerate(sheet.rows) if POINTS in cells[0]), -1)
    if points < 0:
        sheet.rows.append([f"    {POINTS}", *[""] * (len(sheet.header) - 1)])
    if not sheet.cell(points, column):
        sheet.rows[points][column] = number(most)
    return worth_of(sheet.cell(points, column), most, sheet.path)


def _column(sheet: Sheet, title: str) -> int:
    """The column of the assignment; a new one if none is named: Canvas asks what to do with it."""
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


def upload_name(verdict: SubmissionVerdict) -> str:
    """The name of this student's feedback in an upload; empty if there is none that fits."""
    match = CANVAS.match(verdict.upload) or ANONYMOUS.match(verdict.upload)
    named = bool(match and match.groupdict().get("order"))
    return verdict.upload if named and form_of(verdict.upload) else ""


def is_unfit(verdict: SubmissionVerdict) -> bool:
    """Whether Canvas would show a page under a name like `homework.pdf`, as a damaged file."""
    return bool(CANVAS.match(verdict.upload) and not form_of(verdict.upload))


def form_of(name: str) -> Callable[[str, str], bytes] | None:
    """How feedback is written into a file of this name; None if it would be a damaged one."""
    return next((form for end, form in FORMS.items() if name.casefold().endswith(end)), None)


def _commented(text: str) -> bytes:
    """As comments of a Python file, where nothing needs the backslashes of Markdown."""
    lines, in_code = [], False
    for line in text.splitlines():
        in_code ^= line.startswith(FENCE)
        plain = line if in_code else ESCAPED.sub(lambda match: match[1] or match[2], line)
        lines.append(f"# {plain}".rstrip() + "\n")
    return "".join(lines).encode()


def _notebook(text: str) -> bytes:
    cell = {"cell_type": "markdown", "id": "feedback", "metadata": {}, "source": text}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, ensure_ascii=False, indent=1).encode()


def _page(html: str) -> ArchiveFile:
    return ArchiveFile(PAGE, html.encode(), READABLE)


FORMS: dict[str, Callable[[str, str], bytes]] = {
    # By the end of the name; the texts are a page in HTML and one in Markdown.
    ".zip": lambda html, _: zipped([_page(html)], EARLIEST),
    ".py": lambda _, text: _commented(text),
    ".txt": lambda _, text: text.encode(),
    ".ipynb": lambda _, text: _notebook(text),
    **dict.fromkeys((".html", ".htm"), lambda html, _: html.encode()),
    # Readers take a tar for any kind of tar: they look at what is in it.
    **dict.fromkeys((".tar", ".tgz", ".tar.gz", ".tbz2", ".tbz", ".tar.bz2", ".txz", ".tar.xz"),
                    lambda html, _: tarred([_page(html)])),
}  # fmt: skip
