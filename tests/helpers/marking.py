"""The mark of an answer, as a grader gives it, without a class and its processes."""

from kata.course.catalogue import target_of
from kata.course.curriculum import Exercise
from kata.course.target import Target
from kata.diagnosis.diagnose import diagnose_each
from kata.diagnosis.observe import observe
from kata.diagnosis.suspects import Suspects
from kata.grading.rubric import mark
from kata.marks import Mark
from kata.verdict import ExerciseVerdict


def mark_of(exercise: Exercise, text: str) -> Mark:
    """What this answer earns of the points of its exercise."""
    return mark(judged(exercise, target_of(exercise, text)), exercise.points)


def judged(exercise: Exercise, target: Target, *, diagnosed: bool = True) -> ExerciseVerdict:
    """The verdict on an exercise, with the mistakes that explain each function."""
    seen = observe(exercise, target)
    findings = {name: each for name, each in seen.findings.items() if each.verdict.device != "cuda"}
    claims = tuple(each.verdict for each in findings.values())
    if not diagnosed:
        return ExerciseVerdict(exercise.slug, claims)
    text = target.source(exercise.slug).text
    first, *further = diagnose_each(exercise, findings, Suspects(exercise), text) or (None,)
    return ExerciseVerdict(exercise.slug, claims, diagnosis=first, further=tuple(further))
