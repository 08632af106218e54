"""`hunt()`: a question about a wrong answer, or a cell with one that is to be mended."""

import random
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from kata.course.curriculum import Exercise, exercises
from kata.course.naming import exercise_named
from kata.errors import UserError
from kata.notebook.check import friendly
from kata.notebook.kernel import cells
from kata.notebook.reply import WIDTH, Reply
from kata.notebook.work import Work
from kata.terminal.style import Style

if TYPE_CHECKING:
    from kata.hunts.told import Hunt

ANSWERS = {*"abcd", "right", "wrong"}
WAITING: "list[Hunt]" = []  # the question that waits for its answer
MOST_SEEDS = 1000


@friendly
def hunt(what: str = "", form: str = "which") -> Reply:
    """Find a mistake: behind a failing claim, in a function, or behind a loss that falls.

    Args:
        what: "ex05" to choose the exercise, or the answer to the question before.
        form: "which": a message, and four mistakes: which is behind it? "line": a cell with a
            function that is wrong in one place; mend it. "loss": the loss falls; is the code right?
    """
    if what.lower() in ANSWERS:
        return _answer(what.lower())
    if form not in FORMS:
        raise UserError(f"a hunt is of one of these forms: {', '.join(FORMS)}")
    return FORMS[form](Work(cells()), what, random.randrange(MOST_SEEDS))


def _by_evidence(work: Work, what: str, seed: int) -> Reply:
    from kata.hunts.which import no_which, some_which  # checks do not need it

    begun = [exercise.slug for exercise in work.begun()] or [*exercises()][:1]
    exercise = exercise_named(what) if what else exercises()[random.Random(seed).choice(begun)]
    if which := some_which(exercise, seed):
        return _ask(which)
    raise UserError(no_which(exercise))


def _by_loss(work: Work, what: str, seed: int) -> Reply:
    """Ask about an exercise that is passed: the code of another would show its solution."""
    from kata.hunts.loss import no_loss, some_loss
    from kata.hunts.losses import losses, not_passed

    there = [exercise_named(what)] if what else [exercises()[slug] for slug in losses()]
    done = passed(work, there)
    if not done:
        raise UserError(not_passed(there[0] if what else None))
    exercise = random.Random(seed).choice(done)
    if loss := some_loss(exercise, seed):
        return _ask(loss)
    raise UserError(no_loss(exercise))


def _by_line(work: Work, what: str, seed: int) -> Reply:
    from kata.notebook.hunting.mend import offered

    named = exercise_named(what) if what else None
    return offered(work, named, passed(work, list(exercises().values())), seed)


FORMS = {"which": _by_evidence, "line": _by_line, "loss": _by_loss}


def passed(work: Work, candidates: Sequence[Exercise]) -> list[Exercise]:
    """The exercises among these that pass, in the cells or in a file beside them."""
    return [
        exercise
        for exercise in candidates
        if work.progress.passed(work.target(exercise).digest(exercise.slug))
    ]


def _ask(hunt: "Hunt") -> Reply:
    from kata.hunts.told import answers, question

    WAITING[:] = [hunt]
    calls = ", ".join(f'hunt("{answer}")' for answer in answers(hunt))
    lines = [*question(hunt, Style(width=WIDTH)), "", f"to answer: {calls}"]
    return Reply(lines, aligned=True)


def _answer(answer: str) -> Reply:
    """Reply to an answer, which practice remembers."""
    if not WAITING:
        raise UserError("no hunt waits for an answer: `hunt()` shows one")
    from kata.hunts.told import answers, reply
    from kata.hunts.which import Which
    from kata.practice.memory import Memory

    hunt = WAITING[-1]
    if answer not in answers(hunt):
        raise UserError(f"an answer to this hunt is one of {', '.join(answers(hunt))}")
    WAITING.clear()
    if isinstance(hunt, Which):
        memory, right = Memory(Work(cells()).folder), answer == hunt.right
        memory.note_hunt(hunt.exercise.slug, hunt.bug.slug, date.today(), right=right)
        memory.save()
    return Reply(reply(hunt, answer, Style(width=WIDTH)), aligned=True)


@friendly
def mend(line: str, cell: str) -> Reply:
    """Say of `%%mend ex05` what became of the function below it."""
    from kata.notebook.hunting.mend import mended

    return mended(Work(cells()), line.strip(), cell)
