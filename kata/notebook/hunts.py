"""`hunt()`: a question about a wrong answer, or a cell with one that is to be mended."""

import random
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from kata.course.catalogue import target_of
from kata.course.curriculum import Exercise, exercise_named, exercises
from kata.course.target import at_sight
from kata.errors import UserError
from kata.notebook.check import findings, friendly
from kata.notebook.isolation import isolation
from kata.notebook.kernel import THIS_NOTEBOOK, Work, cells, offer
from kata.notebook.results import WIDTH, Reply, Request
from kata.practice.line import begin, end, mending, mending_lines, of_passed, waiting
from kata.practice.memory import Memory
from kata.terminal.style import Style
from kata.verdict import ExerciseVerdict

if TYPE_CHECKING:
    from kata.practice.questions import Hunt

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
    from kata.practice.questions import no_which, some_which  # checks do not need it

    begun = [exercise.slug for exercise in work.begun()] or [*exercises()][:1]
    exercise = exercise_named(what) if what else exercises()[random.Random(seed).choice(begun)]
    if which := some_which(exercise, seed):
        return _ask(which)
    raise UserError(no_which(exercise))


def _by_loss(work: Work, what: str, seed: int) -> Reply:
    """Ask about an exercise that is passed: the code of another would show its solution."""
    from kata.practice.loss import losses, no_loss, not_passed, some_loss

    there = [exercise_named(what)] if what else [exercises()[slug] for slug in losses()]
    done = passed(work, there)
    if not done:
        raise UserError(not_passed(there[0] if what else None))
    exercise = random.Random(seed).choice(done)
    if loss := some_loss(exercise, seed):
        return _ask(loss)
    raise UserError(no_loss(exercise))


def _by_line(work: Work, what: str, seed: int) -> Reply:

    named = exercise_named(what) if what else None
    return offered(work, named, passed(work, list(exercises().values())), seed)


def passed(work: Work, candidates: Sequence[Exercise]) -> list[Exercise]:
    """The exercises among these that pass, in the cells or in a file beside them."""
    return [
        exercise
        for exercise in candidates
        if work.progress.passed(work.target(exercise).digest(exercise.slug))
    ]


def _ask(hunt: "Hunt") -> Reply:
    from kata.practice.questions import answers, question

    WAITING[:] = [hunt]
    calls = ", ".join(f'hunt("{answer}")' for answer in answers(hunt))
    lines = [*question(hunt, Style(width=WIDTH)), "", f"to answer: {calls}"]
    return Reply(lines, aligned=True)


def _answer(answer: str) -> Reply:
    """Reply to an answer, which practice remembers."""
    if not WAITING:
        raise UserError("no hunt waits for an answer: `hunt()` shows one")
    from kata.practice.memory import Memory
    from kata.practice.questions import Which, answers, reply

    hunt = WAITING[-1]
    if answer not in answers(hunt):
        raise UserError(f"an answer to this hunt is one of {', '.join(answers(hunt))}")
    WAITING.clear()
    if isinstance(hunt, Which):
        memory, right = Memory(Work(cells()).folder), answer == hunt.right
        memory.note_hunt(hunt.exercise.slug, hunt.bug.slug, date.today(), right=right)
        memory.save()
    return Reply(reply(hunt, answer, Style(width=WIDTH)), aligned=True)


def offered(work: Work, named: Exercise | None, done: list[Exercise], seed: int) -> Reply:
    """Offer a new cell with the function, below the one that runs."""
    exercise = of_passed(named, done, seed)
    own = work.target(exercise).source(exercise.slug).text
    line = begin(Memory(work.folder), exercise, own, seed)
    head = (
        f"# `{line.name}` is wrong in one place. "
        "Mend it with as few changes as you can, then run this cell.\n"
        f"# It does not replace your own `{line.name}`."
    )
    if not offer(f"%%mend {exercise.short}\n{head}\n\n{line.code}"):
        raise UserError(
            "this notebook takes no new cells: "
            f"`kata hunt {exercise.short} --form line` in a terminal writes a file"
        )
    task = (
        f"{exercise.slug}: `{line.name}` in the new cell below is wrong in one place. "
        "Find the line, mend it, and run the cell."
    )
    return Reply([task])


FORMS = {"which": _by_evidence, "line": _by_line, "loss": _by_loss}


@friendly
def mend(line: str, cell: str) -> Reply:
    """Say of `%%mend ex05` what became of the function below it."""

    return mended(Work(cells()), line.strip(), cell)


def mended(work: Work, name: str, text: str) -> Reply:
    """Judge the cell; raises UserError if nothing of this exercise waits to be mended."""
    exercise, memory = exercise_named(name), Memory(work.folder)
    hunt = waiting(memory, exercise, work.target(exercise).source(exercise.slug).text)
    outcome = mending(hunt, Path(exercise.filename), text, lambda whole: _verdict(exercise, whole))
    if outcome.is_done:
        end(memory, exercise)
    return Reply(list(mending_lines(outcome, THIS_NOTEBOOK, Style(width=WIDTH))), aligned=True)


def _verdict(exercise: Exercise, text: str) -> ExerciseVerdict:
    """The verdict of this process, like that of any other cell."""
    target = target_of(exercise, text)
    if unjudged := at_sight(exercise, target):
        return ExerciseVerdict(exercise.slug, (unjudged,))
    if exercise.library == "torch":
        import torch  # noqa: F401  # before its state is looked at
    with isolation():
        by_claim, _ = findings(Request(exercise), target)
    return ExerciseVerdict(exercise.slug, tuple(finding.verdict for finding in by_claim.values()))
