"""A student's entry in a platform's own table: points as they count there, and a few words.

`uploads` makes the entries, `canvas` and `moodle` fill them in. Students read the words: nothing
about flags or other people belongs there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kata.class_verdict import SubmissionVerdict
from kata.course.curriculum import exercises
from kata.errors import UserError
from kata.grading.reports import wording
from kata.grading.reports.wording import DIGITS, number
from kata.grading.tables import amount
from kata.text import line, shown

TITLE = "Attention kata"  # of the assignment, if none is named
MOST_NAMED = 3  # exercises of which a mistake is named


@dataclass(frozen=True)
class Grade:
    """What a gradebook gets for one student: a score, and a few words of feedback."""

    student: str
    score: float
    feedback: str


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


def scaled(score: float, most: float, worth: float) -> str:
    """The score scaled from `most` points to `worth` points."""
    return number(score / most * worth if most else 0.0, DIGITS)


def scaling(most: float, worth: float) -> str:
    """That other points count on the platform."""
    return (f"a full score of {number(most)} here is {number(worth)} there: "
            "all grades were scaled")  # fmt: skip


def worth_of(cell: str, most: float, path: Path) -> float:
    """The points of an assignment, `most` if the cell is empty; a UserError if it is no number."""
    value = amount(cell)
    if cell and value is None:
        raise UserError(f"{path}: {shown(cell)} is not a number of points: write it like 1000.00")
    return value or most
