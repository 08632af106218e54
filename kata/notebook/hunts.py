"""`hunt()`: a question about a wrong answer, or a cell with one that is to be mended."""

from datetime import date
from functools import partial
from pathlib import Path

from kata.course.catalogue import target_of
from kata.course.curriculum import Exercise, exercise_named
from kata.course.target import at_sight
from kata.errors import UserError
from kata.notebook.check import findings, friendly
from kata.notebook.isolation import isolation
from kata.notebook.kernel import THIS_NOTEBOOK, WorkInCells, cells, offer
from kata.notebook.results import WIDTH, Reply, Request
from kata.practice import FORMS
from kata.practice.hunting import (
    any_seed,
    exercise_to_mend,
    hunt_for,
    line_for,
    mended,
    note_answer,
)
from kata.practice.line import mending_lines
from kata.practice.memory import Memory
from kata.practice.questions import Hunt, answers, question, reply
from kata.terminal.style import Style
from kata.verdict import ExerciseVerdict

ANSWERS = {*"abcd", "right", "wrong"}
WAITING: list[Hunt] = []  # the question that waits for its answer


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
    work, named = WorkInCells(cells()), exercise_named(what) if what else None
    if form == "line":
        return _offer(work, named)
    return _ask(hunt_for(work, form, named, any_seed()))


def _ask(hunt: Hunt) -> Reply:
    WAITING[:] = [hunt]
    calls = ", ".join(f'hunt("{answer}")' for answer in answers(hunt))
    lines = [*question(hunt, Style(width=WIDTH)), "", f"to answer: {calls}"]
    return Reply(lines, aligned=True)


def _answer(answer: str) -> Reply:
    """Reply to an answer, which practice remembers."""
    if not WAITING:
        raise UserError("no hunt waits for an answer: `hunt()` shows one")
    hunt = WAITING[-1]
    if answer not in answers(hunt):
        raise UserError(f"an answer to this hunt is one of {', '.join(answers(hunt))}")
    WAITING.clear()
    note_answer(Memory(WorkInCells(cells()).folder), hunt, answer, date.today())
    return Reply(reply(hunt, answer, Style(width=WIDTH)), aligned=True)


def _offer(work: WorkInCells, named: Exercise | None) -> Reply:
    """Offer a new cell with the function that is to be mended, below the one that runs."""
    seed = any_seed()
    exercise = exercise_to_mend(work, named, seed)
    line = line_for(work, exercise, seed)
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


@friendly
def mend(line: str, cell: str) -> Reply:
    """Judge the function below `%%mend ex05`; a UserError if no hunt waits for it."""
    work, exercise = WorkInCells(cells()), exercise_named(line.strip())
    path, judge = Path(exercise.filename), partial(_verdict, exercise)
    outcome = mended(work, exercise, path, lambda: cell, judge)
    return Reply(list(mending_lines(outcome, THIS_NOTEBOOK, Style(width=WIDTH))), aligned=True)


def _verdict(exercise: Exercise, text: str) -> ExerciseVerdict:
    """Return the verdict of this process, like that of any other cell."""
    target = target_of(exercise, text)
    if unjudged := at_sight(exercise, target):
        return ExerciseVerdict(exercise.slug, (unjudged,))
    if exercise.library == "torch":
        import torch  # noqa: F401  # before its state is looked at
    with isolation():
        by_claim, _ = findings(Request(exercise), target)
    return ExerciseVerdict(exercise.slug, tuple(finding.verdict for finding in by_claim.values()))
