"""The hunts of a day: what is due, what this learner got wrong, and what is like it."""

from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from random import Random

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise, exercises
from kata.learner.progress import Progress
from kata.learner.status import Work, statuses
from kata.practice.loss import Loss, some_loss
from kata.practice.memory import Memory
from kata.practice.questions import Which, which
from kata.verdict import ExerciseVerdict, State

Task = tuple[Exercise, Bug]
EVERY = 4  # after so many hunts comes one about a loss, if there is one


def hunts(folder: Path, memory: Memory, today: date) -> Iterator[Which | Loss]:
    """Yield the hunts of a day, the most urgent first."""
    about_losses = _losses(folder, today)
    about_claims = filter(
        None, (which(*task, today.toordinal()) for task in _tasks(folder, memory, today))
    )
    for number, hunt in enumerate(about_claims, start=1):
        yield hunt
        if number % EVERY == 0 and (loss := next(about_losses, None)):
            yield loss


def proof(folder: Path, memory: Memory, today: date) -> Exercise | None:
    """Return the exercise of the proof to suggest: passed, and not suggested lately."""
    cards = [(exercise, memory.proof(exercise.slug)) for exercise in Work(folder).passed()]
    due = [
        (card.due if card else date.min, place, exercise)
        for place, (exercise, card) in enumerate(cards)
        if card is None or card.is_due(today)
    ]
    return min(due, key=lambda entry: entry[:2])[2] if due else None


def _losses(folder: Path, today: date) -> Iterator[Loss]:
    """Yield a hunt for every exercise that is passed and was trained."""
    for exercise in Work(folder).passed():
        if loss := some_loss(exercise, today.toordinal()):
            yield loss


def _tasks(folder: Path, memory: Memory, today: date) -> Iterator[Task]:
    """Yield no mistake twice; one that was asked returns when it is due, and not before."""
    done = set(memory.hunts())
    yield from _due(memory, today)
    for exercise, bug in _new(folder, today):
        if (exercise.slug, bug.slug) not in done:
            done.add((exercise.slug, bug.slug))
            yield exercise, bug


def _due(memory: Memory, today: date) -> Iterator[Task]:
    cards = sorted(memory.hunts().items(), key=lambda entry: (entry[1].due, entry[1].box))
    for (slug, mistake), card in cards:
        if card.is_due(today) and (task := _task(slug, mistake)):
            yield task


def _new(folder: Path, today: date) -> Iterator[Task]:
    """Yield mistakes of this learner's work, what breaks the claims that failed, and the rest."""
    progress = Progress(folder)
    begun = [
        verdict
        for verdict in statuses(folder, exercises())
        if verdict.state is not State.NOT_STARTED
    ]
    for verdict in begun:
        yield from filter(None, (_task(verdict.slug, name) for name in progress.met(verdict.slug)))
    for verdict in begun:
        yield from _failing(verdict)
    yield from _shuffled((exercises()[verdict.slug] for verdict in begun), today)


def _failing(verdict: ExerciseVerdict) -> Iterator[Task]:
    """Yield the mistakes that break a claim which failed."""
    exercise = exercises()[verdict.slug]
    claims = {claim.plain_name for claim in verdict.judged if claim.state is State.FAILED}
    yield from ((exercise, bug) for bug in bugs(exercise) if bug.claim in claims)


def _shuffled(begun: Iterable[Exercise], today: date) -> list[Task]:
    """Return all mistakes of these exercises; traps, and what really happened, come first."""
    tasks = [(exercise, bug) for exercise in begun for bug in bugs(exercise)]
    Random(today.toordinal()).shuffle(tasks)
    return sorted(tasks, key=lambda task: (task[1].level != 1, not task[1].is_real))


def _task(slug: str, mistake: str) -> Task | None:
    exercise = exercises().get(slug)
    entries = bugs(exercise) if exercise else ()
    return next(((exercise, bug) for bug in entries if exercise and bug.slug == mistake), None)
