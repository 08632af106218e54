"""The class report for the instructor: one self-contained file.

For a class of up to LARGE students the table can be read without JavaScript. For a larger class the
rows are data, of which one page is shown at a time.
"""

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kata.class_verdict import ClassVerdict, Missing, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.grading.reports.class_page import charts, sections
from kata.grading.reports.class_page.counts import SLOWEST, Counts
from kata.grading.reports.class_page.students import Cell, Student, cell, student
from kata.grading.reports.remarks import attempts
from kata.grading.reports.tables import number, replacing
from kata.grading.reports.text import failures_of, points
from kata.markup import environment, html
from kata.text import clean, cut
from kata.verdict import State

if TYPE_CHECKING:
    from jinja2 import Environment

FILE = "report.html"
TEMPLATES = Path(__file__).with_name("templates")
LARGE = 400  # students; with more, a browser takes seconds to build the table
CROWD = 2000  # students; with more, the map shows tenths of the class
ROWS = 200  # of the table on one page, if the class is large
NAMED = 40  # of those with one mistake, if the class is large
LONGEST = 2000  # characters of what a submission printed
SILENT = {State.PASSED, State.SKIPPED, State.NOT_STARTED}


@dataclass
class Read:
    """What is kept of the verdicts.

    `rows` are the rows of the table as indices into `lines`: few lines of HTML differ within a
    class, and each is kept once.
    """

    counts: Counts
    students: list[Student] = field(default_factory=list)
    rows: list[tuple[int, ...]] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)

    @property
    def large(self) -> bool:
        """Whether the table is shown a page at a time."""
        return len(self.students) > LARGE

    def add(self, verdict: SubmissionVerdict, points: Mapping[str, float]) -> None:
        """Keep what is needed of one more verdict."""
        cells = {each.slug: cell(each) for each in verdict.exercises}
        row = student(verdict, points, cells)
        macros: Any = _environment().get_template("class_parts.html.jinja").module
        html = str(macros.row(len(self.rows), row, list(_told(verdict, cells))))
        numbers = (self.lines.setdefault(each, len(self.lines)) for each in html.split("\n"))
        self.rows.append(tuple(numbers))
        self.students.append(row)
        if not verdict.absent:
            self.counts.add(verdict, cells)


def write(found: ClassVerdict, grades: Path) -> None:
    """Write the report beside the other grades."""
    with replacing(grades / FILE) as file:
        for piece in _pieces(found, timings=True):
            file.write(piece)


def render(found: ClassVerdict, *, timings: bool = True) -> str:
    """The whole page; without timings it is the same for the same verdicts."""
    return "".join(_pieces(found, timings=timings))


def _pieces(found: ClassVerdict, *, timings: bool) -> Iterator[str]:
    read = Read(Counts(found.points))
    for verdict in found.submissions():
        read.add(verdict, found.points)
    crowd = len(read.students) > CROWD
    page = _environment().get_template("class.html.jinja")
    return page.generate(
        students=read.students,
        counts=read.counts,
        most=found.most,
        seed=found.seed,
        diagnosed=found.diagnosed,
        adjusted=found.adjusted,
        missing=[*_cleaned(found.missing), *_marked_all_the_same(read.students)],
        sections=sections.table(read.students, found),
        large=read.large,
        limit=ROWS if read.large else LARGE,
        named=NAMED if read.large else LARGE,
        timings=timings,
        bars=charts.histogram(read.counts.scores, found.most),
        bands=charts.tenths(read.students) if crowd else charts.bands(read.students),
        crowd=crowd,
        slowest=sorted(read.students, key=lambda each: -each.seconds)[:SLOWEST],
        style=_text("class.css"),
        script=_text("class.js"),
        rows=() if read.large else _rows(read),
        data=_data(read),
    )


def _cleaned(people: Iterable[Missing]) -> Iterator[Missing]:
    """Names that a page can show."""
    for each in people:
        yield replace(each, student=clean(each.student), section=clean(each.section))


def _marked_all_the_same(students: Iterable[Student]) -> Iterator[Missing]:
    """Who handed in nothing and has a mark."""
    for each in students:
        if not each.handed_in:
            yield Missing(each.name, section=each.section)


def _told(verdict: SubmissionVerdict, cells: Mapping[str, Cell]) -> Iterator[Any]:
    """The exercises with something to report, and what the code tried there."""
    for each in verdict.exercises:
        mine = cells[each.slug]
        tried = attempts(each)
        if mine.state not in SILENT or each.printed or each.flags or each.left_over or tried:
            yield each, exercises()[each.slug], mine, tried, failures_of(each)


def _rows(read: Read) -> Iterator[str]:
    """The rows of the table, as HTML."""
    lines = list(read.lines)
    for row in read.rows:
        yield "\n".join(lines[each] for each in row)


def _data(read: Read) -> Iterator[str]:
    """What the script sorts and searches, and of a large class the rows themselves."""
    yield '{"students":['
    for place, (each, row) in enumerate(zip(read.students, read.rows, strict=True)):
        about = {"keys": each.keys, "kinds": each.kinds, "text": each.text}
        yield "," * (place > 0) + _json(about | ({"row": row} if read.large else {}))
    yield '],"lines":['
    for place, line in enumerate(read.lines if read.large else ()):
        yield "," * (place > 0) + _json(line)
    yield "]}"


@cache
def _environment() -> "Environment":
    made = environment(TEMPLATES)
    made.filters |= {"number": number, "points": points, "prose": _prose, "clean": clean}
    made.filters |= {
        "hash": _hash,
        "cut": partial(cut, most=LONGEST, end=" …"),
        "asis": _as_is,
        "count": "{:,}".format,
    }
    return made


def _prose(text: str) -> Any:
    """Text with code between backticks."""
    return html(clean(text))


def _as_is(text: str) -> Any:
    """HTML of this project, or of a template that has escaped everything in it."""
    from markupsafe import Markup

    return Markup(text)


def _json(data: Any) -> str:
    """Data for a script element, which no text in it can close."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _hash(text: str) -> str:
    """The hash by which a browser checks that a script is unchanged."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@cache
def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")
