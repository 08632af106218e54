"""What is known of a learner's exercises, in files or notebooks, without running them."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from kata.course.curriculum import Exercise
from kata.judging.at_sight import at_sight
from kata.learner.folder.notebooks import taken, texts
from kata.learner.progress import Progress, learner
from kata.terminal.board import Origin
from kata.verdict import ExerciseVerdict


def statuses(folder: Path, exercises: Mapping[str, Exercise]) -> Iterator[ExerciseVerdict]:
    """The status of every exercise of which there is a file or a notebook."""
    memory, cells = Progress(folder), texts(folder)
    for exercise in exercises.values():
        if exercise.slug in cells or (folder / exercise.filename).exists():
            yield standing(folder, exercise, memory, cells)


def standing(
    folder: Path, exercise: Exercise, memory: Progress, cells: Mapping[str, str] | None = None
) -> ExerciseVerdict:
    """The status: unreadable, not started, the last verdict, or changed since that verdict."""
    target = learner(folder, memory, cells)
    if unjudged := at_sight(exercise, target):
        return ExerciseVerdict(exercise.slug, (unjudged,))
    verdict = memory.verdict(exercise.slug, target.digest(exercise.slug))
    return verdict or ExerciseVerdict(exercise.slug, not_run=1)


def origins(folder: Path, exercises: Mapping[str, Exercise]) -> dict[str, Origin]:
    """Where the work on each exercise is, if that is not its file alone."""
    by_slug = {slug: taken(folder, exercise) for slug, exercise in exercises.items()}
    return {slug: origin for slug, origin in by_slug.items() if origin.in_cells or origin.older}
