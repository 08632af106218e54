"""Hunts as a terminal and a notebook ask them: which one, and what becomes of the answer."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from random import Random, randrange

from kata.course.curriculum import Exercise, exercises
from kata.course.source import UnusableError
from kata.errors import UserError
from kata.learner.status import Work
from kata.practice.line import Judge, Line, Mending, begin, end, mending, of_passed, waiting
from kata.practice.loss import losses, no_loss, not_passed, some_loss
from kata.practice.memory import Memory
from kata.practice.questions import Hunt, Which, no_which, some_which

MOST_SEEDS = 1000  # a hunt is repeated by a number that can be typed


def any_seed() -> int:
    """Return a seed for a hunt that nobody has chosen."""
    return randrange(MOST_SEEDS)


def hunt_for(work: Work, form: str, named: Exercise | None, seed: int) -> Hunt:
    """Return a hunt by evidence ("which") or by loss, about this exercise or one that fits.

    Raises UserError if there is none.
    """
    hunt: Hunt | None
    if form == "loss":
        exercise = _trained(work, named, seed)
        hunt = some_loss(exercise, seed)
    else:
        exercise = named or Random(seed).choice(work.begun() or [*exercises().values()][:1])
        hunt = some_which(exercise, seed)
    if hunt is None:
        raise UserError(no_loss(exercise) if form == "loss" else no_which(exercise))
    return hunt


def _trained(work: Work, named: Exercise | None, seed: int) -> Exercise:
    """Choose an exercise that is passed: the code of another would show its solution."""
    recorded = [exercise for exercise in exercises().values() if exercise.slug in losses()]
    passed = [
        exercise for exercise in ([named] if named else recorded) if work.has_passed(exercise)
    ]
    if not passed:
        raise UserError(not_passed(named))
    return Random(seed).choice(passed)


def note_answer(memory: Memory, hunt: Hunt, answer: str, today: date) -> None:
    """Remember an answer: what was wrong is asked again tomorrow, what was right later."""
    if isinstance(hunt, Which):
        right = answer == hunt.right
        memory.note_hunt(hunt.exercise.slug, hunt.bug.slug, today, right=right)
        memory.save()


def exercise_to_mend(work: Work, named: Exercise | None, seed: int) -> Exercise:
    """Return this exercise or another one that is passed; raise UserError if there is none."""
    return of_passed(named, work.passed(), seed)


def line_for(work: Work, exercise: Exercise, seed: int) -> Line:
    """Begin a hunt by line, in the learner's own answer if the mistake can be made there."""
    return begin(Memory(work.folder), exercise, work.source(exercise).text, seed)


def mended(
    work: Work, exercise: Exercise, path: Path, text: Callable[[], str], judge: Judge
) -> Mending:
    """Judge what the learner has made of a line; raise UserError if no hunt waits for that.

    Args:
        work: the learner's own answers.
        exercise: what the hunt is about.
        path: the name of the file in messages.
        text: reads what the learner has made; raises UnusableError.
        judge: gives the verdict on a whole file.
    """
    memory = Memory(work.folder)
    hunt = waiting(memory, exercise, _own(work, exercise))
    try:
        mended_text = text()
    except UnusableError as error:
        return Mending(hunt, error=str(error))
    outcome = mending(hunt, path, mended_text, judge)
    if outcome.is_done:
        end(memory, exercise)
    return outcome


def _own(work: Work, exercise: Exercise) -> str:
    try:
        return work.source(exercise).text
    except UnusableError:
        # The answer is gone meanwhile; the mistake is made in another file.
        return ""
