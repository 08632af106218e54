"""What a gradebook gets for one student."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kata.class_verdict import SubmissionVerdict
from kata.course.curriculum import exercises
from kata.errors import UserError
from kata.grading.reports import remarks
from kata.grading.reports.common.costs import charged
from kata.grading.reports.tables import number
from kata.text import line, shown
from kata.words import say

COLUMN = "Attention kata"
DIGITS = 2  # gradebooks show as many
MOST_NAMED = 3  # exercises of which a mistake is named
BLANK = re.compile(r"(?<=\d)[\s'\u2019](?=\d{3})")  # between thousands: 1 000
POINT = re.compile(r"\d+(?:\.\d+)?|\d{1,3}(?:,\d{3})+\.\d+")  # 50, 50.00 and 1,000.00
# 50,0 and 1.000,00, but not 1,000, which is ambiguous: one or a thousand.
COMMA = re.compile(r"\d+,(?!\d{3}$)\d+|\d{1,3}(?:\.\d{3})+,\d+")


@dataclass(frozen=True)
class Given:
    """A score, and a few words of feedback."""

    student: str
    score: float
    feedback: str


def given(verdict: SubmissionVerdict) -> Given:
    """The entry for a graded submission."""
    marks = zip(verdict.exercises, verdict.marks, strict=True)
    scores = ", ".join(
        f"{exercises()[each.slug].short} {number(mark.score, DIGITS)}/{number(mark.most, DIGITS)}"
        for each, mark in marks
    )
    notes = [*remarks.changes(verdict), *remarks.unread(verdict), *remarks.broken(verdict)]
    told = " ".join([f"{scores}.", *(f"{each}." for each in notes), *_mistakes(verdict)])
    return Given(verdict.student, verdict.score, line(told))


def _mistakes(verdict: SubmissionVerdict) -> Iterator[str]:
    """Of the exercises that cost most points, what cost most in each."""
    pairs = zip(verdict.exercises, verdict.marks_by_claims, strict=True)
    lost = [(mark, each) for each, mark in pairs if each.mistakes]
    dearest = sorted(lost, key=lambda pair: pair[0].score - pair[0].most)[:MOST_NAMED]
    for mark, each in sorted(dearest, key=lambda pair: pair[1].slug):
        title = next(charged(each, mark), each.mistakes[0].title)
        yield say("gradebooks.mistake", short=exercises()[each.slug].short, title=title)


def scaled(score: float, most: float, worth: float) -> str:
    """The score scaled from `most` points to `worth` points."""
    return number(score / most * worth if most else 0.0, DIGITS)


def worth_of(cell: str, most: float, path: Path) -> float:
    """The points of an assignment, `most` if the cell is empty; a UserError if it is no number."""
    value = amount(cell)
    if cell and value is None:
        raise UserError(say("gradebooks.no-amount", path=path, cell=shown(cell)))
    return value or most


def amount(text: str) -> float | None:
    """The number in a cell, with a decimal point or comma; None if it is ambiguous."""
    digits = BLANK.sub("", text)
    if POINT.fullmatch(digits):
        value = float(digits.replace(",", ""))
    elif COMMA.fullmatch(digits):
        value = float(digits.replace(".", "").replace(",", "."))
    else:
        return None
    return value if math.isfinite(value) else None
