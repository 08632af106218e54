"""What goes into a gradebook about one student."""

import math
from dataclasses import dataclass

from kata.curriculum import exercises
from kata.grading.reports.text import line
from kata.grading.results import number
from kata.verdict import SubmissionVerdict
from kata.words import say

COLUMN = "Attention kata"
DIGITS = 2  # as many as gradebooks show


@dataclass(frozen=True)
class Given:
    """A score, and a few words on how it came about."""

    student: str
    score: float
    feedback: str


def given(verdict: SubmissionVerdict) -> Given:
    """Of a verdict on somebody who can be graded."""
    marks = zip(verdict.exercises, verdict.marks, strict=True)
    scores = ", ".join(
        f"{exercises()[each.slug].short} {number(mark.score, DIGITS)}/{number(mark.most, DIGITS)}"
        for each, mark in marks
    )
    return Given(verdict.student, verdict.score, line(f"{scores}. {_mistake(verdict)}".strip()))


def _mistake(verdict: SubmissionVerdict) -> str:
    for each in verdict.exercises:
        if each.mistakes:
            short, title = exercises()[each.slug].short, each.mistakes[0].title
            return say("reports.mistake", short=short, title=title)
    return ""


def scaled(score: float, most: float, worth: float) -> str:
    """Of `most` points, as a share of what it is worth there."""
    return number(score / most * worth if most else 0.0, DIGITS)


def amount(text: str) -> float:
    """The number in a cell, with a point or a comma; 0 if it is none, or none that counts."""
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return 0.0
    return value if math.isfinite(value) and value > 0 else 0.0
