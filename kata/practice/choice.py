"""What is asked next: what is due, what this learner got wrong, and what is like it."""

from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from random import Random

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise, exercises
from kata.learner.progress import Progress, learner
from kata.learner.status import statuses
from kata.practice.loss import Loss, some_loss
from kata.practice.memory import Memory
from kata.practice.questions import Which, which
from kata.verdict import ExerciseVerdict, State

Wanted = tuple[Exercise, Bug]
EVERY = 4  # after so many hunts comes one about a loss, if there is one


def hunts(folder: Path, memory: Memory, today: date) -> Iterator[Which | Loss]:
    """The hunts of a day, the most urgent first."""
    by_loss = _losses(folder, today)
    made = (hunt for wanted in _wanted(folder, memory, today) if (hunt := _made(wanted, today)))
    for number, hunt in enumerate(made, start=1):
        yield hunt
        if number % EVERY == 0 and (loss_hunt := next(by_loss, None)):
            yield loss_hunt


def proof(folder: Path, memory: Memory, today: date) -> Exercise | None:
    """The exercise whose proof is suggested: passed, and not suggested lately."""
    cards = [(exercise, memory.proof(exercise.slug)) for exercise in passed(folder)]
    due = [
        (card.due if card else date.min, place, exercise)
        for place, (exercise, card) in enumerate(cards)
        if card is None or card.is_due(today)
    ]
    return min(due, key=lambda card: card[:2])[2] if due else None


def passed(folder: Path) -> list[Exercise]:
    """The exercises that this learner's files pass."""
    progress = Progress(folder)
    target = learner(folder, progress)
    return [
        exercise
        for exercise in exercises().values()
        if progress.passed(target.digest(exercise.slug))
    ]


def _made(wanted: Wanted, today: date) -> Which | None:
    return which(*wanted, today.toordinal())


def _losses(folder: Path, today: date) -> Iterator[Loss]:
    """The hunts of a day about losses: one for each exercise that is passed and was trained."""
    for exercise in passed(folder):
        if loss := some_loss(exercise, today.toordinal()):
            yield loss


def _wanted(folder: Path, memory: Memory, today: date) -> Iterator[Wanted]:
    """Each mistake once; what was asked already returns when it is due, and not before."""
    done = set(memory.hunts())
    yield from _due(memory, today)
    for exercise, bug in _new(folder, today):
        if (exercise.slug, bug.slug) not in done:
            done.add((exercise.slug, bug.slug))
            yield exercise, bug


def _due(memory: Memory, today: date) -> Iterator[Wanted]:
    cards = sorted(memory.hunts().items(), key=lambda pair: (pair[1].due, pair[1].box))
    for (slug, name), card in cards:
        bug = _bug(slug, name)
        if bug and card.is_due(today):
            yield bug


def _new(folder: Path, today: date) -> Iterator[Wanted]:
    """Mistakes of this learner's work, what breaks the claims that failed, and the rest."""
    progress = Progress(folder)
    begun = [
        exercise_verdict
        for exercise_verdict in statuses(folder, exercises())
        if exercise_verdict.state is not State.NOT_STARTED
    ]
    for verdict in begun:
        named = (_bug(verdict.slug, name) for name in progress.met(verdict.slug))
        yield from filter(None, named)
    for verdict in begun:
        yield from _of_failing(verdict)
    yield from _shuffled((exercises()[exercise_verdict.slug] for exercise_verdict in begun), today)


def _of_failing(verdict: ExerciseVerdict) -> Iterator[Wanted]:
    exercise = exercises()[verdict.slug]
    failing = {
        claim_verdict.plain_name
        for claim_verdict in verdict.judged
        if claim_verdict.state is State.FAILED
    }
    yield from ((exercise, bug) for bug in bugs(exercise) if bug.claim in failing)


def _shuffled(chosen: Iterable[Exercise], today: date) -> list[Wanted]:
    """All mistakes of these exercises; first those that stand for a trap, or really happened."""
    pairs = [(exercise, bug) for exercise in chosen for bug in bugs(exercise)]
    Random(today.toordinal()).shuffle(pairs)
    return sorted(pairs, key=lambda pair: (pair[1].level != 1, not pair[1].is_real))


def _bug(slug: str, name: str) -> Wanted | None:
    exercise = exercises().get(slug)
    some = bugs(exercise) if exercise else ()
    return next(((exercise, bug) for bug in some if exercise and bug.slug == name), None)
