"""What is asked next: what is due, what this learner got wrong, and what is like it."""

from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from random import Random

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise, exercises
from kata.hunts.loss import Loss, some_loss
from kata.hunts.which import Which, which
from kata.learner.progress import Progress, learner
from kata.learner.status import known
from kata.practice.memory import Memory
from kata.verdict import ExerciseVerdict, State

Wanted = tuple[Exercise, Bug]
EVERY = 4  # after so many hunts comes one about a loss, if there is one


def hunts(folder: Path, memory: Memory, today: date) -> Iterator[Which | Loss]:
    """The hunts of a day, the most urgent first."""
    by_loss = _losses(folder, today)
    made = (each for wanted in _wanted(folder, memory, today) if (each := _made(wanted, today)))
    for number, each in enumerate(made, start=1):
        yield each
        if number % EVERY == 0 and (other := next(by_loss, None)):
            yield other


def proof(folder: Path, memory: Memory, today: date) -> Exercise | None:
    """The exercise whose proof is suggested: passed, and not suggested lately."""
    cards = [(each, memory.proof(each.slug)) for each in passed(folder)]
    due = [(card.due if card else date.min, at, each) for at, (each, card) in enumerate(cards)
           if card is None or card.is_due(today)]  # fmt: skip
    return min(due, key=lambda each: each[:2])[2] if due else None


def passed(folder: Path) -> list[Exercise]:
    """The exercises that this learner's files pass."""
    progress = Progress(folder)
    target = learner(folder, progress)
    return [each for each in exercises().values() if progress.passed(target.digest(each.slug))]


def _made(wanted: Wanted, today: date) -> Which | None:
    return which(*wanted, today.toordinal())


def _losses(folder: Path, today: date) -> Iterator[Loss]:
    """One a day for each exercise that is passed and was trained."""
    for exercise in passed(folder):
        if found := some_loss(exercise, today.toordinal()):
            yield found


def _wanted(folder: Path, memory: Memory, today: date) -> Iterator[Wanted]:
    """Each mistake once; what was asked already returns when it is due, and not before."""
    done = set(memory.hunts())
    yield from _due(memory, today)
    for exercise, bug in _new(folder, today):
        if (exercise.slug, bug.slug) not in done:
            done.add((exercise.slug, bug.slug))
            yield exercise, bug


def _due(memory: Memory, today: date) -> Iterator[Wanted]:
    cards = sorted(memory.hunts().items(), key=lambda each: (each[1].due, each[1].box))
    for (slug, name), card in cards:
        found = _bug(slug, name)
        if found and card.is_due(today):
            yield found


def _new(folder: Path, today: date) -> Iterator[Wanted]:
    """What was named in this learner's work, what breaks the claims that failed, and the rest."""
    progress = Progress(folder)
    begun = [each for each in known(folder, exercises()) if each.state is not State.NOT_STARTED]
    for verdict in begun:
        named = (_bug(verdict.slug, name) for name in progress.met(verdict.slug))
        yield from filter(None, named)
    for verdict in begun:
        yield from _of_failing(verdict)
    yield from _shuffled((exercises()[each.slug] for each in begun), today)


def _of_failing(verdict: ExerciseVerdict) -> Iterator[Wanted]:
    exercise = exercises()[verdict.slug]
    failing = {each.plain_name for each in verdict.judged if each.state is State.FAILED}
    yield from ((exercise, bug) for bug in bugs(exercise) if bug.claim in failing)


def _shuffled(some: Iterable[Exercise], today: date) -> list[Wanted]:
    """All mistakes of these exercises; first those that stand for a trap, or really happened."""
    found = [(exercise, bug) for exercise in some for bug in bugs(exercise)]
    Random(today.toordinal()).shuffle(found)
    return sorted(found, key=lambda each: (each[1].level != 1, not each[1].is_real))


def _bug(slug: str, name: str) -> Wanted | None:
    exercise = exercises().get(slug)
    some = bugs(exercise) if exercise else ()
    return next(((exercise, bug) for bug in some if exercise and bug.slug == name), None)
