"""What an instructor sees at the end of a run, and how one mark came about."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from kata.grading.results import number
from kata.grading.run import Report
from kata.style import Style
from kata.verdict import GRADED, ClaimVerdict, ExerciseVerdict, Mark, SubmissionVerdict
from kata.words import say

MOST_ROWS = 40
WIDEST_NAME = 32


def table(report: Report, grades: Path, style: Style) -> Iterator[str]:
    """A line for each submission; of a large class the beginning."""
    names = [_short(each["student"], style) for each in report.rows[:MOST_ROWS]]
    wide = max(map(_width, [*names, say("grading.student")]), default=0)
    yield style.paint(f"{_padded(say('grading.student'), wide)}  {say('grading.score'):>13}", "dim")
    for name, row in zip(names, report.rows, strict=False):
        told = "; ".join(filter(None, [_status(row), row["problem"], *row["notes"]]))
        first, *rest = style.wrap(_plain(told, style), wide + 17)
        yield f"{_padded(name, wide)}  {_score(row):>13}  {first.strip()}".rstrip()
        yield from rest
    if more := len(report.rows) - MOST_ROWS:
        yield from [say("grading.more", count=more)] if more > 0 else []
    yield ""
    yield say("grading.done", count=len(report.rows), graded=report.graded, path=grades)
    if report.lost:
        yield say("grading.lost", count=report.lost)


def _score(row: dict[str, Any]) -> str:
    return "-" if row["problem"] else f"{number(row['score'])} / {number(row['most'])}"


def _status(row: dict[str, Any]) -> str:
    return "" if row["status"] == GRADED or row["problem"] else str(row["status"])


def explained(verdict: SubmissionVerdict, style: Style) -> Iterator[str]:
    """Claim by claim, with what was expected and what came."""
    yield style.paint(_short(verdict.student, style), "bold")
    if verdict.problem:
        yield from style.wrap(_plain(verdict.problem, style), 2)
    for exercise, mark in zip(verdict.exercises, verdict.marks, strict=True):
        yield from _exercise(exercise, mark, style)


def _exercise(exercise: ExerciseVerdict, mark: Mark, style: Style) -> Iterator[str]:
    held, claims = exercise.held, len(exercise.claims)
    yield ""
    yield say("grading.earned", slug=exercise.slug, score=number(mark.score),
              most=number(mark.most), held=held, claims=claims)  # fmt: skip
    for claim in exercise.claims:
        yield from _claim(claim, style)
    for each in exercise.stand_ins:
        yield f"  {say('grading.stood-in', slug=each)}"
    for mistake in exercise.mistakes:
        yield from style.wrap(say("grading.mistake", title=mistake.title, why=mistake.why), 2)
    for each in exercise.tampering:
        yield from style.wrap(_plain(say("grading.seen", what=each), style), 2)
    for each in exercise.flags:
        yield from style.wrap(_plain(each, style), 2)


def _claim(claim: ClaimVerdict, style: Style) -> Iterator[str]:
    mark = style.marks.get(claim.state, style.marks[type(claim.state).FAILED])
    yield f"  {mark} {claim.name}"
    if claim.message:
        for text in filter(None, [claim.message.inputs, claim.message.evidence]):
            yield from style.wrap(_plain(text, style), 6)


def _plain(text: str, style: Style) -> str:
    """What others have written, without anything that a terminal would obey."""
    line = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    return line if style.unicode else line.encode("ascii", "replace").decode()


def _short(name: str, style: Style) -> str:
    plain = _plain(name, style)
    return plain if len(plain) <= WIDEST_NAME else plain[: WIDEST_NAME - 3] + "..."


def _width(text: str) -> int:
    return sum(2 if east_asian_width(each) in "WF" else 1 for each in text)


def _padded(text: str, wide: int) -> str:
    return text + " " * (wide - _width(text))
