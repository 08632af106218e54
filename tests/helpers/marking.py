"""The mark of an answer, as a grader gives it, without a class and its processes."""

from dataclasses import replace

from kata.course.catalogue import target_of
from kata.course.curriculum import Exercise
from kata.diagnosis.diagnose import diagnose_each
from kata.diagnosis.observe import observe
from kata.diagnosis.suspects import Suspects
from kata.grading.marks import mark
from kata.points import Mark


def mark_of(exercise: Exercise, text: str) -> Mark:
    """What this answer earns of the points of its exercise."""
    seen = observe(exercise, target_of(exercise, text))
    first, *further = diagnose_each(exercise, seen.findings, Suspects(exercise), text) or (None,)
    found = replace(seen.verdict, diagnosis=first, further=tuple(further))
    return mark(found, exercise.points)
