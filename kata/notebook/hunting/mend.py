"""`%%mend ex05`: a cell with a function that is wrong in one place.

Such a cell defines nothing in the notebook, so that the learner's own function stays what it is.
"""

from pathlib import Path

from kata.course.catalogue import target_of
from kata.course.curriculum import Exercise
from kata.course.naming import exercise_named
from kata.errors import UserError
from kata.hunts.mending import mending, told
from kata.judging.at_sight import at_sight
from kata.notebook.isolation import isolation
from kata.notebook.judging import findings
from kata.notebook.kernel import THIS_NOTEBOOK, offer
from kata.notebook.reply import WIDTH, Reply
from kata.notebook.request import Request
from kata.notebook.work import Work
from kata.practice.lines import begin, end, of_passed, waiting
from kata.practice.memory import Memory
from kata.terminal.style import Style
from kata.verdict import ExerciseVerdict


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
    if not offer(f"%%mend {exercise.short}\n{head}\n\n{line.shown}"):
        raise UserError(
            "this notebook takes no new cells: "
            f"`kata hunt {exercise.short} --form line` in a terminal writes a file"
        )
    task = (
        f"{exercise.slug}: `{line.name}` in the new cell below is wrong in one place. "
        "Find the line, mend it, and run the cell."
    )
    return Reply([task])


def mended(work: Work, name: str, text: str) -> Reply:
    """Judge the cell; raises UserError if nothing of this exercise waits to be mended."""
    exercise, memory = exercise_named(name), Memory(work.folder)
    hunt = waiting(memory, exercise, work.target(exercise).source(exercise.slug).text)
    outcome = mending(hunt, Path(exercise.filename), text, lambda whole: _verdict(exercise, whole))
    if outcome.is_done:
        end(memory, exercise)
    return Reply(list(told(outcome, THIS_NOTEBOOK, Style(width=WIDTH))), aligned=True)


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
