"""The class report for the instructor, report.html: one self-contained file.

Written by `formats` in every run. It shows names, flags and what code printed, so it is not for
students; all of these are strangers' texts, which the templates escape. For a class of up to LARGE
students the table can be read without JavaScript. For a larger class the rows are data, of which
one page is shown at a time.
"""

import json
from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from itertools import pairwise
from math import ceil
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from kata.class_verdict import ClassVerdict, Missing, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.files import replacing
from kata.grading.reports import wording
from kata.grading.reports.counting import SLOWEST, Counts
from kata.grading.reports.wording import attempts, number, points
from kata.markup import environment, html
from kata.text import clean, cut
from kata.verdict import ExerciseVerdict, State

if TYPE_CHECKING:
    from jinja2 import Environment

FILE = "report.html"
TEMPLATES = Path(__file__).with_name("templates")
LARGE = 400  # students; with more, a browser takes seconds to build the table
CROWD = 2000  # students; with more, the map shows tenths of the class
NOT_READ = "not read"
NOT_BEGUN = -1.0  # sorts below a share of 0
ROWS = 200  # of the table on one page, if the class is large
NAMED = 40  # of those with one mistake, if the class is large
LONGEST = 2000  # characters of what a submission printed
SILENT = {State.PASSED, State.SKIPPED, State.NOT_STARTED}
BINS = 10
WIDE = 34  # pixels of a column of the map
GROUPS = 10  # of a class too large to draw student by student
STEPS = 4  # shades below "all of it"
LABELLED, SEEN = 80, 400  # up to so many students rows have names; up to so many they are thick
TALL, LOW, THIN = 16, 6, 2  # pixels of a row


@contextmanager
def page(verdicts: ClassVerdict, grades: Path) -> Iterator[Callable[[SubmissionVerdict], None]]:
    """Write the report beside the other grades."""
    class_page = ClassPage(verdicts)
    yield class_page.add
    with replacing(grades / FILE) as file:
        file.writelines(class_page.html())


class ClassPage:
    """What is kept of the verdicts, and the page that is made of it.

    `rows` are the rows of the table as indices into `lines`: few lines of HTML differ within a
    class, and each is kept once.
    """

    def __init__(self, verdicts: ClassVerdict) -> None:
        self.verdicts = verdicts
        self.counts = Counts(verdicts.points)
        self.students: list[Student] = []
        self.rows: list[tuple[int, ...]] = []
        self.lines: dict[str, int] = {}

    def add(self, verdict: SubmissionVerdict) -> None:
        """Keep what is needed of one more verdict."""
        row = Student(verdict, self.verdicts.points)
        macros: Any = _environment().get_template("class_parts.html.jinja").module
        markup = str(macros.row(len(self.rows), row, list(_parts(verdict))))
        numbers = (self.lines.setdefault(line, len(self.lines)) for line in markup.split("\n"))
        self.rows.append(tuple(numbers))
        self.students.append(row)
        if not verdict.absent:
            self.counts.add(verdict)

    def html(self) -> Iterator[str]:
        """The page, piece by piece."""
        verdicts, students = self.verdicts, self.students
        large, crowd = len(students) > LARGE, len(students) > CROWD
        lines = list(self.lines)
        by_hand = [Missing(student.name, section=student.section) for student in students
                   if not student.handed_in]  # fmt: skip
        return (
            _environment()
            .get_template("class.html.jinja")
            .generate(
                students=students,
                counts=self.counts,
                most=verdicts.most,
                seed=verdicts.seed,
                diagnosed=verdicts.diagnosed,
                adjusted=verdicts.adjusted,
                missing=[*verdicts.missing, *by_hand],
                sections=_sections(students, verdicts),
                large=large,
                limit=ROWS if large else LARGE,
                named=NAMED if large else LARGE,
                bars=histogram(self.counts.scores, verdicts.most),
                bands=tenths(students) if crowd else bands(students),
                crowd=crowd,
                slowest=sorted(students, key=lambda student: -student.seconds)[:SLOWEST],
                style=_text("class.css"),
                script=_text("class.js"),
                rows=() if large else ("\n".join(lines[at] for at in row) for row in self.rows),
                data=self._data(large=large),
            )
        )

    def _data(self, *, large: bool) -> Iterator[str]:
        """What the script sorts and searches, and of a large class the rows themselves."""
        yield '{"students":['
        for place, (student, row) in enumerate(zip(self.students, self.rows, strict=True)):
            about = {"keys": student.keys, "kinds": student.kinds, "text": student.text}
            yield "," * (place > 0) + _json(about | ({"row": row} if large else {}))
        yield '],"lines":['
        for place, line in enumerate(self.lines if large else ()):
            yield "," * (place > 0) + _json(line)
        yield "]}"


def _parts(verdict: SubmissionVerdict) -> Iterator[tuple[Any, ...]]:
    """The exercises with something to report, and what the code tried there."""
    for exercise in verdict.exercises:
        cell, tried = _cell(exercise), attempts(exercise)
        remarks = exercise.printed or exercise.flags or exercise.left_over or tried
        if remarks or cell.state not in SILENT:
            yield exercise, exercises()[exercise.slug], cell, tried, exercise.failures


@cache
def _environment() -> "Environment":
    templates = environment(TEMPLATES)
    templates.filters |= {"number": number, "points": points, "prose": _prose, "clean": clean}
    templates.filters |= {"mean": mean, "median": median, "hash": _hash, "asis": _as_is}
    templates.filters |= {"cut": partial(cut, most=LONGEST, end=" …"), "count": "{:,}".format}
    return templates


def _prose(text: str) -> Any:
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


# The table of students, and their sections.


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of an exercise; without claims if the file as a whole failed."""

    state: State
    held: int = 0
    claims: int = 0

    @property
    def begun(self) -> bool:
        """Whether the exercise was started."""
        return self.state is not State.NOT_STARTED

    @property
    def word(self) -> str:
        """Its state, as people say it of an exercise."""
        return NOT_READ if self.state is State.NOT_GRADABLE else self.state.value

    @property
    def right(self) -> bool:
        """Whether every claim holds."""
        return self.claims > 0 and self.held == self.claims

    @property
    def share(self) -> float:
        """The share of claims that hold."""
        return self.held / self.claims if self.claims else 0.0


_shared = cache(Cell)  # one object for equal cells: a large class has few different ones


def _cell(exercise: ExerciseVerdict) -> Cell:
    counts = (0, 0) if exercise.is_whole else (exercise.held, len(exercise.judged))
    return _shared(exercise.state, *counts)


class Student:
    """A row of the table, which is much smaller than a verdict, with a cell for each exercise."""

    def __init__(self, verdict: SubmissionVerdict, slugs: Iterable[str]) -> None:
        cells = {exercise.slug: _cell(exercise) for exercise in verdict.exercises}
        titles = (mistake.title for exercise in verdict.exercises for mistake in exercise.mistakes)
        self.name = clean(verdict.student)
        self.status = verdict.status
        self.graded = verdict.graded
        self.handed_in = not verdict.absent
        self.score = verdict.score
        self.earned = verdict.earned  # before changes of the mark
        self.seconds = verdict.seconds
        self.section = clean(verdict.section)
        self.cells = tuple(cells.get(slug, _shared(State.NOT_STARTED, 0, 0)) for slug in slugs)
        self.mistakes = tuple(dict.fromkeys(titles))
        self.flags = tuple(clean(remark.text) for remark in wording.all_remarks(verdict))
        self.notes = tuple(map(clean, wording.reading_notes(verdict)))
        self.changes = tuple(map(clean, wording.changes(verdict, reasons=True)))

    @property
    def keys(self) -> list[str | float]:
        """What each column is sorted by."""
        score = self.score if self.graded else NOT_BEGUN
        shares = [round(cell.share, 4) if cell.begun else NOT_BEGUN for cell in self.cells]
        return [self.name, score, self.status, *shares, len(self.mistakes), len(self.flags)]

    @property
    def kinds(self) -> list[str]:
        """The filters that this row matches."""
        kinds = {self.status, *(cell.word for cell in self.cells)}
        if self.cells and all(cell.right for cell in self.cells):
            kinds.add("right")
        names = ("mistakes", "flags", "notes", "changes")
        return sorted(kinds.union(name for name in names if getattr(self, name)))

    @property
    def text(self) -> str:
        """What a search looks at."""
        parts = [self.name, *self.mistakes, *self.flags, *self.notes, *self.changes, self.section]
        return " ".join(filter(None, parts))


def _sections(students: Sequence[Student], verdicts: ClassVerdict) -> list[dict[str, Any]]:
    """Those whom a roster puts together, and whom it puts nowhere if there are any."""
    names = [*map(clean, verdicts.sections), ""] if verdicts.sections else []
    table = (_section(name, students, verdicts) for name in names)
    return [section for section in table if section["name"] or section["everybody"]]


def _section(name: str, students: Sequence[Student], verdicts: ClassVerdict) -> dict[str, Any]:
    members = [student for student in students if student.section == name]
    present = [student for student in members if student.handed_in]
    absent = sum(clean(person.section) == name for person in verdicts.missing)
    everybody = len(members) + absent
    scores = [student.score for student in present if student.graded]
    # Who has handed in nothing is missing, with a mark all the same or without.
    missing = everybody - len(present)
    return {"name": name, "everybody": everybody, "missing": missing, "scores": scores}


# Pictures as numbers: what the template draws.


@dataclass(frozen=True)
class Bar:
    """A range of scores, and how many students are in it."""

    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Band:
    """A row of the map: a student, or a tenth of the class; `shades` are paths by shade."""

    title: str
    label: str
    top: int
    height: int
    shades: dict[int, str]
    shares: tuple[float, ...] = ()  # written into the cells


def histogram(scores: Sequence[float], most: float) -> list[Bar]:
    """Scores in at most ten ranges of whole points; a full score counts in the last."""
    width = max(1, ceil(most / BINS))
    count = max(1, ceil(most / width))
    heights = Counter(min(int(score / width), count - 1) for score in scores)
    edges = [min(at * width, most) for at in range(count + 1)]
    return [Bar(low, high, heights[at]) for at, (low, high) in enumerate(pairwise(edges))]


def bands(students: Sequence[Student]) -> list[Band]:
    """A row for each graded student, the best first."""
    ranked = _best_first(students)
    height = TALL if len(ranked) <= LABELLED else LOW if len(ranked) <= SEEN else THIN
    return [_band(student, at * height, height) for at, student in enumerate(ranked)]


def _band(student: Student, top: int, height: int) -> Band:
    label = student.name if height == TALL else ""
    gap = 1 if height > THIN else 0
    shares = {column: cell.share for column, cell in enumerate(student.cells) if cell.begun}
    return Band(student.name, label, top, height, _shades(shares, top, height - gap))


def tenths(students: Sequence[Student]) -> list[Band]:
    """The class in ten groups by score, the best first; each cell is the mean of a group."""
    ranked = _best_first(students)
    size = len(ranked) / GROUPS
    cuts = [round(at * size) for at in range(GROUPS + 1)]
    groups = [ranked[low:high] for low, high in pairwise(cuts) if high > low]
    return [_tenth(at, group) for at, group in enumerate(groups)]


def _tenth(at: int, group: Sequence[Student]) -> Band:
    columns = zip(*(student.cells for student in group), strict=True)
    shares = tuple(mean(cell.begun * cell.share for cell in column) for column in columns)
    height = 2 * TALL
    shades = _shades(dict(enumerate(shares)), at * height, height - 1)
    span = f"{at * 100 // GROUPS}–{(at + 1) * 100 // GROUPS} %"
    return Band(span, span, at * height, height, shades, shares)


def _best_first(students: Sequence[Student]) -> list[Student]:
    graded = (student for student in students if student.graded)
    return sorted(graded, key=lambda student: -student.score)


def _shades(shares: Mapping[int, float], top: int, height: int) -> dict[int, str]:
    """A box for each of these columns, collected by shade."""
    boxes: defaultdict[int, str] = defaultdict(str)
    for column, share in shares.items():
        boxes[shade(share)] += f"M{column * WIDE} {top}h{WIDE - 1}v{height}h-{WIDE - 1}z"
    return boxes


def shade(share: float) -> int:
    """The darkest for a full score, the lightest for nothing."""
    return STEPS if share >= 1 else int(share * STEPS)
