"""Marks as they count, under the names they are for: the step between verdicts and reports.

`plan` decides before the grading what is adjusted, and reads the table of overrules here, which an
instructor keeps by hand: no row is skipped, and one UserError lists all rows that cannot be used.
`run` calls `adjusted` after the grading. Nothing is written or graded again.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kata.class_verdict import ClassVerdict, Missing, SubmissionVerdict
from kata.course.curriculum import exercise_named
from kata.course.target import whole
from kata.errors import UserError
from kata.grading.late import LateRule
from kata.grading.people import Person, bare
from kata.grading.reports.wording import number
from kata.grading.tables import read_sheet, read_toml
from kata.marks import Adjustment, Mark, Scale
from kata.text import line, printable
from kata.verdict import ExerciseVerdict, Message, State

LATE, OVERRULED = "late", "overruled"
FIELDS = ("student", "exercise", "points", "adjustment", "comment", "reason", "handed_in")
TABLE = "overrule"  # in TOML: [[overrule]]
MOST_LINES = 20  # about one file
Cells = Mapping[str, str]


@dataclass(frozen=True)
class Overrule:
    """One row: other points, more or fewer points, a comment, or the time of handing in."""

    place: str
    student: str
    slug: str = ""
    points: float | None = None
    adjustment: float | None = None
    comment: str = ""
    reason: str = ""
    handed_in: str = ""

    @property
    def changes(self) -> bool:
        """Whether the row is about points."""
        return self.points is not None or self.adjustment is not None


@dataclass(frozen=True)
class Entry:
    """Somebody who gets a mark, and the work that it is for."""

    source: str  # the name under which the work was graded; empty if there is none
    student: str  # who gets the mark
    number: str | None = None  # on the learning platform; none to keep that of the work
    section: str = ""  # of a roster
    team: str = ""  # of a roster, or the authors of one piece of work
    notes: tuple[str, ...] = ()  # beside those about the work
    days: int = 0  # that were started after the deadline and the time of grace
    cause: str = ""  # why these days cost something
    overrules: tuple[Overrule, ...] = ()
    upload: str = ""  # the name that the platform gave to the work


@dataclass(frozen=True)
class Adjusting:
    """The changes to the verdicts of a class; by default none."""

    entries: tuple[Entry, ...] = ()
    rule: LateRule | None = None
    missing: tuple[Missing, ...] = ()
    sections: tuple[str, ...] = ()
    sealed: bool = False
    scale: Scale | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the work that is read, in the order of the reports; a team's repeatedly."""
        return tuple(entry.source for entry in self.entries if entry.source)

    def sources_of(self, name: str) -> tuple[str, ...]:
        """Return the sources that a name means, as the reports spell it or as the platform does.

        If nobody has the name, case, accents and the order of words may differ, provided that this
        leaves one person.
        """
        works = [entry for entry in self.entries if entry.source]
        exact = [entry.source for entry in works if name in {entry.student, entry.source}]
        alike = {entry.source for entry in works
                 if bare(name) & bare(entry.student, entry.source)}  # fmt: skip
        return tuple(exact or (alike if len(alike) == 1 else ()))


def adjusted(verdicts: ClassVerdict, adjusting: Adjusting) -> ClassVerdict:
    """Return the class as it is reported; its verdicts come in the order of the entries."""
    changes = any(entry.days or entry.overrules for entry in adjusting.entries)
    head = replace(
        verdicts, missing=adjusting.missing, sections=adjusting.sections, sealed=adjusting.sealed,
        adjusted=changes, scale=adjusting.scale,
    )  # fmt: skip
    if not adjusting.entries:
        return head

    def submissions() -> Iterator[SubmissionVerdict]:
        for entry, verdict in _paired(adjusting.entries, verdicts.submissions()):
            yield _adjusted(verdict, entry, adjusting.rule, verdicts.points)

    return replace(head, submissions=submissions)


def _paired(
    entries: Iterable[Entry], verdicts: Iterable[SubmissionVerdict]
) -> Iterator[tuple[Entry, SubmissionVerdict]]:
    """Pair entries with their verdicts; after an interrupted run, some entries have none.

    Students who submitted nothing have an entry if they get a mark all the same.
    """
    rest = iter(verdicts)
    verdict = next(rest, None)
    for entry in entries:
        if not entry.source:
            problem = "nothing was handed in"
            yield entry, SubmissionVerdict(entry.student, problem=problem, absent=True)
        elif verdict and entry.source == verdict.student:
            yield entry, verdict
            verdict = next(rest, None)


def _adjusted(
    verdict: SubmissionVerdict, entry: Entry, rule: LateRule | None, points: Mapping[str, float]
) -> SubmissionVerdict:
    verdict = _with_entry(verdict, entry)
    if any(row.changes for row in entry.overrules):
        verdict = _by_hand(verdict, points)
    for row in entry.overrules:
        if row.slug:
            verdict = _overruled_exercise(verdict, row)
    if rule and entry.days and not verdict.problem:
        after = round(max(0.0, verdict.score - rule.off(entry.days, verdict.most)), 4)
        verdict = _with(verdict, Adjustment(LATE, verdict.score, after, cause=entry.cause))
    for row in entry.overrules:
        if not row.slug and (row.changes or row.comment or row.reason):
            verdict = _with(verdict, _change(row, verdict.score, verdict.most))
    return verdict


def _with_entry(verdict: SubmissionVerdict, entry: Entry) -> SubmissionVerdict:
    return replace(
        verdict,
        student=entry.student,
        id=verdict.id if entry.number is None else entry.number,
        notes=(*verdict.notes, *entry.notes),
        section=entry.section,
        team=entry.team,
        upload=entry.upload,
    )


def _by_hand(verdict: SubmissionVerdict, points: Mapping[str, float]) -> SubmissionVerdict:
    """Make work that could not be graded ready for marks that an instructor gives."""
    if not verdict.problem:
        return verdict
    claim = whole(State.NOT_STARTED, Message("not graded by claims"))
    return replace(
        verdict,
        exercises=tuple(ExerciseVerdict(slug, (claim,)) for slug in points),
        marks=tuple(Mark(0.0, most) for most in points.values()),
        notes=(*verdict.notes, verdict.problem),
        problem="",
        by_hand=True,
    )


def _overruled_exercise(verdict: SubmissionVerdict, row: Overrule) -> SubmissionVerdict:
    """Change the mark of one exercise, if that is graded here."""
    slugs = [exercise.slug for exercise in verdict.exercises]
    if row.slug not in slugs:
        return verdict
    marks, place = list(verdict.marks), slugs.index(row.slug)
    change = _change(row, marks[place].score, marks[place].most)
    marks[place] = Mark(change.after, marks[place].most)
    return _with(replace(verdict, marks=tuple(marks)), change)


def _with(verdict: SubmissionVerdict, change: Adjustment) -> SubmissionVerdict:
    return replace(verdict, adjustments=(*verdict.adjustments, change))


def _change(row: Overrule, before: float, most: float) -> Adjustment:
    """Apply an instructor's row to these points: no fewer than 0 are left, and a bonus counts."""
    texts = {"comment": row.comment, "reason": row.reason}
    if not row.changes:
        return Adjustment(OVERRULED, before, before, row.slug, **texts)
    wanted = before + (row.adjustment or 0.0) if row.points is None else row.points
    after = round(max(wanted, 0.0), 4)
    if after > most and after > before:
        cause = "a bonus of the instructor's, above what there is"
    elif after != round(wanted, 4):
        cause = f"overruled by the instructor, to {number(wanted)}; no mark is below 0"
    else:
        cause = "overruled by the instructor"
    return Adjustment(OVERRULED, before, after, row.slug, cause, **texts)


# The instructor's decisions


Decisions = dict[Person, tuple[Overrule, ...]]


class WrongRowError(Exception):
    """A row that cannot be used; the text says why."""


def read_overrules(path: Path) -> list[Overrule]:
    """Read all rows of a CSV or TOML file; one UserError lists all that cannot be used."""
    overrules: list[Overrule] = []
    wrong: list[str] = []
    for place, cells in _toml(path) if path.suffix.casefold() == ".toml" else _csv(path):
        try:
            overrules.append(_overrule(place, cells))
        except (WrongRowError, UserError) as error:
            wrong.append(f"{place}: {error}")
    _refuse(wrong)
    return overrules


def decisions(
    overrules: list[Overrule],
    most: Mapping[str, float],
    find: Callable[[str], list[Person]],
    *,
    strict: bool,
) -> Decisions:
    """Sort rows by person; one UserError lists all that ask too much or are about nobody.

    Args:
        overrules: about exercises that are graded.
        most: how many points there are, by exercise; under the empty name those of all exercises.
        find: returns the people of a name; raises a WrongRowError if the name is ambiguous.
        strict: whether a row about nobody is wrong.
    """
    decided: Decisions = {}
    wrong = [text for row in overrules for text in _too_many(row, most[row.slug])]
    for row in overrules:
        try:
            people = find(row.student)
            if not people and strict:
                raise WrongRowError(
                    f"nobody who handed in, or is on the roster, is called {printable(row.student)}"
                )
        except WrongRowError as error:
            wrong.append(f"{row.place}: {error}")
            continue
        for person in people:
            decided[person] = (*decided.get(person, ()), row)
    _refuse([*wrong, *(text for rows in decided.values() for text in _repeated(rows))])
    return decided


def _refuse(wrong: list[str]) -> None:
    if wrong:
        more = [f"and {len(wrong) - MOST_LINES} more"] if len(wrong) > MOST_LINES else []
        raise UserError("\n".join([*wrong[:MOST_LINES], *more]))


def _too_many(row: Overrule, most: float) -> Iterator[str]:
    points = abs(row.points if row.points is not None else row.adjustment or 0.0)
    if points > most:
        counts = f"{number(points)} points, and there are {number(most)}"
        yield f"{row.place}: {counts}; a bonus is written as an adjustment"


def _repeated(rows: tuple[Overrule, ...]) -> Iterator[str]:
    """Report rows that decide the same a second time: neither can be said to count."""
    subjects: set[tuple[str, bool]] = set()
    for row in rows:
        subject = (row.slug, bool(row.handed_in))
        if row.points is not None or row.handed_in:
            if subject in subjects:
                yield f"{row.place}: the same is decided twice"
            subjects.add(subject)


def _csv(path: Path) -> Iterator[tuple[str, Cells]]:
    sheet = read_sheet(path)
    _check_fields(path, sheet.headings)
    if "student" not in sheet.headings:
        raise UserError(f"{path} has no column student")
    for place, cells in sheet.records():
        yield f"{path}, line {place}", cells


def _toml(path: Path) -> Iterator[tuple[str, Cells]]:
    tables = read_toml(path)
    rows: Any = tables.get(TABLE)
    are_tables = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
    if not are_tables or len(tables) > 1:
        raise UserError(f"{path} has to consist of tables [[{TABLE}]]")
    for place, row in enumerate(rows, start=1):
        _check_fields(path, row)
        cells = {name: str(value).strip() for name, value in row.items()}
        yield f"{path}, [[{TABLE}]] number {place}", cells


def _check_fields(path: Path, names: Iterable[str]) -> None:
    if unknown := [name for name in names if name not in FIELDS]:
        raise UserError(
            f"{path}: {printable(unknown[0])} is not known here; there is {', '.join(FIELDS)}"
        )


def _overrule(place: str, row: Cells) -> Overrule:
    cells = {name: row.get(name, "") for name in FIELDS}
    if not cells["student"]:
        raise WrongRowError("no student is named")
    if not any(cells[name] for name in FIELDS[2:]):
        raise WrongRowError("neither points, adjustment, comment, reason nor handed_in is given")
    if cells["points"] and cells["adjustment"]:
        raise WrongRowError("points and adjustment cannot both be given: points replace the mark, "
                            "an adjustment is added to it")  # fmt: skip
    slug = exercise_named(cells["exercise"]).slug if cells["exercise"] else ""
    if slug and cells["handed_in"]:
        raise WrongRowError("handed_in is about all of the work: leave the exercise empty")
    if cells["points"].startswith(("+", "-")):
        raise WrongRowError(f"{printable(cells['points'])} has a sign: what is added to a mark "
                            "belongs into the column adjustment")  # fmt: skip
    points, adjustment = _number(cells["points"]), _number(cells["adjustment"])
    texts = line(cells["comment"]), line(cells["reason"]), cells["handed_in"]
    return Overrule(place, cells["student"], slug, points, adjustment, *texts)


def _number(cell: str) -> float | None:
    if not cell:
        return None
    try:
        value = float(cell if "." in cell else cell.replace(",", ".", 1))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise WrongRowError(f"{printable(cell)} is not a number of points")
    return value
