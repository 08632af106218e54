"""The parts of a model: the learner's own where all of their claims hold, else the reference's."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from kata.course.curriculum import Exercise, exercises
from kata.course.source import read
from kata.course.target import Target
from kata.learner.progress import Progress, learner


@dataclass(frozen=True)
class Parts:
    """The exercises that a model is made of.

    Attributes:
        target: where they are; each uses the others as they are there.
        own: those that are the learner's.
        borrowed: those for which the reference stands in.
    """

    target: Target
    own: tuple[Exercise, ...]
    borrowed: tuple[Exercise, ...]

    def of(self, short: str) -> ModuleType:
        """The names of an exercise."""
        return self.target.module(_named(short).slug)


def parts(folder: Path, shorts: Sequence[str]) -> Parts:
    """These exercises of a learner's folder, and all that they need."""
    needed = [*dict.fromkeys(need for short in shorts for need in _with_needs(_named(short)))]
    needed.sort(key=lambda exercise: exercise.slug)
    progress = Progress(folder)
    files = learner(folder, progress)
    own = tuple(exercise for exercise in needed if progress.passed(files.digest(exercise.slug)))
    borrowed = tuple(exercise for exercise in needed if exercise not in own)
    instead = {exercise.slug: read(exercise.solution).text for exercise in borrowed}
    return Parts(Target(folder, instead, trusts=lambda _: True), own, borrowed)


def _named(short: str) -> Exercise:
    return next(exercise for exercise in exercises().values() if exercise.short == short)


def _with_needs(exercise: Exercise) -> Iterator[Exercise]:
    for slug in exercise.needs:
        yield from _with_needs(exercises()[slug])
    yield exercise
