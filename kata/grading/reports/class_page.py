"""Two self-contained pages for the instructor: report.html and alike.html.

`formats` writes the class report in every run, and `run` the works that are most alike if asked.
They show names, flags, code and what it printed, so they are not for students; all of these are
strangers' texts, which the templates escape. For a class of up to LARGE students the table can be
read without JavaScript. For a larger class the rows are data, and a script shows them page by page.
"""

import json
import re
from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, partial
from hashlib import sha256
from itertools import chain, compress, pairwise, zip_longest
from keyword import iskeyword
from math import ceil
from pathlib import Path
from statistics import mean, median
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from kata.class_verdict import ClassVerdict, Missing, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.course.source import UnusableError, decoded
from kata.files import replacing
from kata.grading.alike import TwoWorks
from kata.grading.reports.counting import SLOWEST, Counts, Student, cell_of
from kata.grading.reports.wording import attempts, number, points
from kata.markup import environment, html
from kata.text import clean, cut
from kata.verdict import State

FILE, FILE_ALIKE = "report.html", "alike.html"
TEMPLATES = Path(__file__).with_name("templates")
LARGE = 400  # students; with more, a browser takes seconds to build the table
CROWD = 2000  # students; with more, the map shows tenths of the class
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
NAME = re.compile(r"[^\W\d]\w*")
COMMENT = re.compile(r"\s*#.*")
MOST_LINES = 1000  # of a work beside another one


@contextmanager
def page(
    verdicts: ClassVerdict, counts: Counts, grades: Path
) -> Iterator[Callable[[SubmissionVerdict], None]]:
    """Write the report on a class that was counted beside the other grades."""
    rows: list[tuple[int, ...]] = []  # of the table, as numbers of lines
    lines: dict[str, int] = {}  # with their numbers, as few lines of a class differ
    macros: Any = _environment().get_template("class_parts.html.jinja").module

    def add(verdict: SubmissionVerdict) -> None:
        markup = str(macros.row(len(rows), counts.students[len(rows)], list(_parts(verdict))))
        rows.append(tuple(lines.setdefault(line, len(lines)) for line in markup.split("\n")))

    yield add
    with replacing(grades / FILE) as file:
        file.writelines(_html(verdicts, counts, rows, [*lines]))


def _html(
    verdicts: ClassVerdict, counts: Counts, rows: Sequence[Sequence[int]], lines: Sequence[str]
) -> Iterator[str]:
    """Yield the page, piece by piece."""
    students = counts.students
    large, crowd = len(students) > LARGE, len(students) > CROWD
    by_hand = [Missing(student.name, section=student.section) for student in students
               if not student.handed_in]  # fmt: skip
    template = _environment().get_template("class.html.jinja")
    return template.generate(
        students=students,
        counts=counts,
        most=verdicts.most,
        seed=verdicts.seed,
        diagnosed=verdicts.diagnosed,
        adjusted=verdicts.adjusted,
        missing=[*verdicts.missing, *by_hand],
        sections=_sections(students, verdicts),
        large=large,
        limit=ROWS if large else LARGE,
        named=NAMED if large else LARGE,
        bars=histogram(counts.scores, verdicts.most),
        bands=tenths(students) if crowd else bands(students),
        crowd=crowd,
        slowest=sorted(students, key=lambda student: -student.seconds)[:SLOWEST],
        style=_text("class.css"),
        script=_text("class.js"),
        rows=() if large else ("\n".join(lines[at] for at in row) for row in rows),
        data=_data(students, rows if large else (), lines if large else ()),
    )


def _data(
    students: Sequence[Student], rows: Sequence[Sequence[int]], lines: Sequence[str]
) -> Iterator[str]:
    """Yield the data that the script sorts and searches; for a large class the rows as well."""
    yield '{"students":['
    for place, (student, row) in enumerate(zip_longest(students, rows)):
        yield "," * (place > 0) + _json(_searched(student) | ({"row": row} if rows else {}))
    yield '],"lines":['
    for place, line in enumerate(lines):
        yield "," * (place > 0) + _json(line)
    yield "]}"


def _searched(student: Student) -> dict[str, Any]:
    """Return the sort keys of a row, the filters that match, and the text for searches."""
    score = student.score if student.graded else NOT_BEGUN
    shares = [round(cell.share, 4) if cell.begun else NOT_BEGUN for cell in student.cells]
    counts = len(student.mistakes), len(student.flags)
    kinds = {student.status, *(cell.word for cell in student.cells)}
    if student.cells and all(cell.right for cell in student.cells):
        kinds.add("right")
    names = ("mistakes", "flags", "notes", "changes")
    remarks = [getattr(student, name) for name in names]
    texts = [student.name, *chain(*remarks), student.section]
    return {
        "keys": [student.name, score, student.status, *shares, *counts],
        "kinds": sorted(kinds.union(compress(names, remarks))),
        "text": " ".join(filter(None, texts)),
    }


def _parts(verdict: SubmissionVerdict) -> Iterator[tuple[Any, ...]]:
    """Yield the exercises with something to report, and what the code tried there."""
    for exercise in verdict.exercises:
        cell, tried = cell_of(exercise), attempts(exercise)
        remarks = exercise.printed or exercise.flags or exercise.left_over or tried
        if remarks or cell.state not in SILENT:
            yield exercise, exercises()[exercise.slug], cell, tried, exercise.failures


@cache
def _environment() -> Environment:
    templates = environment(TEMPLATES)
    templates.filters |= {"number": number, "points": points, "prose": _prose, "clean": clean}
    templates.filters |= {"mean": mean, "median": median, "hash": _hash}
    templates.filters |= {"cut": partial(cut, most=LONGEST, end=" …"), "count": "{:,}".format}
    # HTML of this project, or of a template that has escaped everything in it.
    templates.filters["asis"] = Markup
    return templates


def _prose(text: str) -> Markup:
    return html(clean(text))


def _json(data: Any) -> str:
    """Write data for a script element, which no text in it can close."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _hash(text: str) -> str:
    """Return the hash by which a browser checks that a script is unchanged."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@cache
def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _sections(students: Sequence[Student], verdicts: ClassVerdict) -> list[dict[str, Any]]:
    """List the sections of a roster, and the students in none if there are any."""
    names = [*map(clean, verdicts.sections), ""] if verdicts.sections else []
    table = (_section(name, students, verdicts) for name in names)
    return [section for section in table if section["name"] or section["everybody"]]


def _section(name: str, students: Sequence[Student], verdicts: ClassVerdict) -> dict[str, Any]:
    members = [student for student in students if student.section == name]
    present = [student for student in members if student.handed_in]
    absent = sum(clean(person.section) == name for person in verdicts.missing)
    everybody = len(members) + absent
    scores = [student.score for student in present if student.graded]
    # Students who submitted nothing are missing, whether they have a mark or not.
    missing = everybody - len(present)
    return {"name": name, "everybody": everybody, "missing": missing, "scores": scores}


# Pictures as numbers: what the template draws.


@dataclass(frozen=True)
class Band:
    """A row of the map: a student, or a tenth of the class; `shades` are paths by shade."""

    title: str
    label: str
    top: int
    height: int
    shades: dict[int, str]
    shares: tuple[float, ...] = ()  # written into the cells


def histogram(scores: Sequence[float], most: float) -> list[tuple[float, float, int]]:
    """Count scores in at most ten ranges of whole points; a full score is in the last one."""
    width = max(1, ceil(most / BINS))
    count = max(1, ceil(most / width))
    heights = Counter(min(int(score / width), count - 1) for score in scores)
    edges = [min(at * width, most) for at in range(count + 1)]
    return [(low, high, heights[at]) for at, (low, high) in enumerate(pairwise(edges))]


def bands(students: Sequence[Student]) -> list[Band]:
    """Make a row for every graded student, the best first."""
    ranked = _best_first(students)
    height = TALL if len(ranked) <= LABELLED else LOW if len(ranked) <= SEEN else THIN
    return [_band(student, at * height, height) for at, student in enumerate(ranked)]


def _band(student: Student, top: int, height: int) -> Band:
    label = student.name if height == TALL else ""
    gap = 1 if height > THIN else 0
    shares = {column: cell.share for column, cell in enumerate(student.cells) if cell.begun}
    return Band(student.name, label, top, height, _shades(shares, top, height - gap))


def tenths(students: Sequence[Student]) -> list[Band]:
    """Make a row for every tenth of the class by score, the best first, with means as cells."""
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
    """Draw a box for every column, collected by shade."""
    boxes: defaultdict[int, str] = defaultdict(str)
    for column, share in shares.items():
        boxes[shade(share)] += f"M{column * WIDE} {top}h{WIDE - 1}v{height}h-{WIDE - 1}z"
    return boxes


def shade(share: float) -> int:
    """Choose the shade of a share: the darkest for a full score, the lightest for nothing."""
    return STEPS if share >= 1 else int(share * STEPS)


# Works that are alike, two by two


def write_alike(
    pairs: Sequence[TwoWorks], files: Callable[[str], Mapping[str, bytes]], grades: Path
) -> None:
    """Write the page, or one that says that nobody is alike.

    Args:
        pairs: of students, with the exercise.
        files: returns a student's files.
        grades: the folder to write to.
    """
    template = _environment().get_template("alike.html.jinja")
    people = [(pair.first, pair.second) for pair in pairs]
    with replacing(grades / FILE_ALIKE) as file:
        file.writelines(template.generate(pairs=[
            _side_by_side(pair, people.count((pair.first, pair.second)), files) for pair in pairs
        ]))  # fmt: skip


def _side_by_side(
    pair: TwoWorks, count: int, files: Callable[[str], Mapping[str, bytes]]
) -> dict[str, object]:
    """Return the content for the template; `count` is in how many exercises the two are alike."""
    exercise = exercises()[pair.exercise]
    names = pair.first, pair.second
    left, right = (clean(_work(pair.exercise, files(name))) for name in names)
    table = rows(left, right)
    return {
        "title": f"{exercise.short}: {exercise.title}",
        "names": tuple(map(clean, names)),
        "percent": int(100 * pair.near),
        "again": count,
        "rows": table,
        "same": sum(row.same for row in table),
        "lines": sum(bool(_bare(row.left) or _bare(row.right)) for row in table),
    }


def _work(slug: str, files: Mapping[str, bytes]) -> str:
    try:
        return decoded(slug, files[slug])
    except (KeyError, UnusableError):  # changed since it was compared
        return ""


@dataclass(frozen=True)
class Row:
    """A line of both texts, or of one; `same` if they differ in names and spaces alone."""

    left: str
    right: str
    same: bool


def rows(left: str, right: str) -> list[Row]:
    """Align two texts: lines that do the same under other names stand side by side."""
    a, b = (text.splitlines()[:MOST_LINES] for text in (left, right))
    matcher = SequenceMatcher(None, [*map(_bare, a)], [*map(_bare, b)], autojunk=False)
    return [
        Row(*pair, same=kind == "equal" and bool(_bare(pair[0])))
        for kind, a_start, a_end, b_start, b_end in matcher.get_opcodes()
        for pair in zip_longest(a[a_start:a_end], b[b_start:b_end], fillvalue="")
    ]


def _bare(line: str) -> str:
    """Strip a line of names, spaces and comments."""
    code = COMMENT.sub("", line)
    return "".join(NAME.sub(_word, code).split())


def _word(name: re.Match[str]) -> str:
    return f" {name[0]} " if iskeyword(name[0]) else "x"
