"""Hunts by line that are begun and ended, in a file or in a cell of a notebook."""

from random import Random

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise
from kata.errors import UserError
from kata.hunts.line import Line, line_again, some_line
from kata.practice.memory import Memory, Open

NONE_WAITS = (
    "no file waits to be mended; `kata hunt ex05 --form line` makes one, "
    "of any exercise that you have passed"
)


def of_passed(named: Exercise | None, done: list[Exercise], seed: int) -> Exercise:
    """This exercise, or one of those that are passed; raises UserError if there is none."""
    if named and named not in done:
        raise UserError(
            f"{named.slug} is not passed yet: the file would show the right lines of its solution"
        )
    if not (named or done):
        raise UserError(NONE_WAITS)
    return named or Random(seed).choice(done)


def begin(memory: Memory, exercise: Exercise, own: str, seed: int) -> Line:
    """A mistake that was not mended before, in this text of the learner's if it can be made there.

    Raises UserError if there is none left.
    """
    hunt = some_line(exercise, own, seed, memory.solved(exercise.slug))
    if hunt is None:
        raise UserError(f"{exercise.slug}: there is no such file left to be mended")
    memory.begin(exercise.slug, Open(hunt.bug.slug, hunt.made_in))
    memory.save()
    return hunt


def waiting(memory: Memory, exercise: Exercise, own: str) -> Line:
    """The hunt that was begun, made anew; raises UserError if none waits to be mended."""
    file = memory.open(exercise.slug)
    bug = next((bug for bug in bugs(exercise) if file and bug.slug == file.bug), None)
    line = line_again(exercise, bug, own, file.made_in) if file and bug else None
    if line is None:
        raise UserError(NONE_WAITS)
    return line


def end(memory: Memory, exercise: Exercise) -> None:
    """Remember that the file is mended."""
    memory.solve(exercise.slug)
    memory.save()
