"""What is known of a learner's exercises without running them."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from kata.course.curriculum import Exercise
from kata.judging.at_sight import at_sight
from kata.learner.progress import Progress, learner
from kata.verdict import ExerciseVerdict


def known(folder: Path, exercises: Mapping[str, Exercise]) -> Iterator[ExerciseVerdict]:
    """The status of every exercise whose file exists."""
    memory = Progress(folder)
    for exercise in exercises.values():
        if (folder / exercise.filename).exists():
            yield standing(folder, exercise, memory)


def standing(folder: Path, exercise: Exercise, memory: Progress) -> ExerciseVerdict:
    """Unreadable, not started, the last verdict, or changed since that verdict."""
    target = learner(folder, memory)
    if unjudged := at_sight(exercise, target):
        return ExerciseVerdict(exercise.slug, (unjudged,))
    found = memory.verdict(exercise.slug, target.digest(exercise.slug))
    return found or ExerciseVerdict(exercise.slug, not_run=1)
