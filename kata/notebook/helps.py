"""The rest of what a learner calls in a notebook: hint, board, solution, submit, reset, rooms."""

from pathlib import Path

from kata.course.contract import stub
from kata.course.curriculum import Exercise, exercise_named, exercises
from kata.course.source import parse
from kata.errors import UserError
from kata.learner import help as learner_help
from kata.learner.status import origins, outlook, statuses
from kata.learner.submission import Entry
from kata.learner.submission import submit as write_submission
from kata.live import attending
from kata.live.attending import welcome
from kata.live.protocol import door
from kata.notebook.check import LAST, friendly
from kata.notebook.kernel import WorkInCells, cells, offer
from kata.notebook.results import NOTHING_BEGUN, WIDTH, Reply, Result
from kata.proofs.verdict import ProofVerdict
from kata.terminal.board import board as board_lines
from kata.terminal.style import Style
from kata.verdict import ExerciseVerdict, State


@friendly
def hint() -> Reply:
    """Give one more hint about what failed last, or about what your tests missed last."""
    if not LAST:
        raise UserError(
            "nothing has been checked in this notebook yet: hints are about what failed last"
        )
    work, result = LAST[-1]
    if isinstance(result, Result):
        return _about_answer(work, result)
    return _about_proof(work, result)


def _about_answer(work: WorkInCells, result: Result) -> Reply:
    exercise = result.request.exercise
    if result:
        name = result.request.name or exercise.slug
        return Reply([f"all claims about {name} hold: no hint is needed"])
    source = parse(work.folder / exercise.filename, work.text(exercise))
    hints = learner_help.next_hint(work.progress, exercise, result.verdict, source)
    numbered = [
        f"hint {number} of {hints.total}: {text}"
        for number, text in enumerate(hints.texts, start=1)
    ]
    last = ["That was the last one."] if hints.is_last else []
    return Reply([hints.title, *numbered, *last])


def _about_proof(work: WorkInCells, verdict: ProofVerdict) -> Reply:
    """Give one more hint about one of the wrong answers that no test in the cells catches."""
    from kata.practice import survivors

    if hints := survivors.next_hint(work, verdict):
        return Reply([*survivors.hint_lines(hints, Style(width=WIDTH))], aligned=True)
    return Reply([survivors.no_hint(verdict, prove="prove")])


@friendly
def board() -> Reply:
    """Show what is done, in progress and not started, in this notebook and beside it."""
    work, style = WorkInCells(cells()), Style(width=WIDTH)
    verdicts, own = standings(work), [exercise.slug for exercise in work.begun()]
    ahead = outlook(work.folder, verdicts, work.target_of_all())
    beside = origins(work.folder, exercises()) | work.here(own)
    lines = board_lines(verdicts, exercises(), Path(), style, ahead, beside)
    return Reply(lines, aligned=True)


def standings(work: WorkInCells) -> list[ExerciseVerdict]:
    """Return the verdicts on what is begun in this notebook, and on what lies beside it."""
    by_slug = {verdict.slug: verdict for verdict in statuses(work.folder, exercises())}
    by_slug |= {exercise.slug: _standing(work, exercise) for exercise in work.begun()}
    return [by_slug[slug] for slug in exercises() if slug in by_slug]


def _standing(work: WorkInCells, exercise: Exercise) -> ExerciseVerdict:
    """Return the last verdict on these cells, if they have not changed since."""
    digest = work.target(exercise).digest(exercise.slug)
    verdict = work.progress.verdict(exercise.slug, digest)
    return verdict or ExerciseVerdict(exercise.slug, not_run=1)


@friendly
def solution(name: str) -> Reply:
    """Show the reference, once your own passes."""
    exercise, work = exercise_named(name), WorkInCells(cells())
    locked = f' for these cells: the reference can be read once `check("{exercise.short}")` passes'
    source = learner_help.solution(work, exercise, locked=locked)
    return Reply(source.text.splitlines(), aligned=True)


@friendly
def submit(out: str = "submission.zip") -> Reply:
    """Write one zip to hand in, from the cells of this kernel: nothing has to be saved first."""
    work = WorkInCells(cells())
    texts = work.all_texts()
    begun = [verdict for verdict in standings(work) if verdict.state is not State.NOT_STARTED]
    if not begun:
        raise UserError(NOTHING_BEGUN)
    entries = [Entry.of(verdict, texts[verdict.slug].encode()) for verdict in begun]
    path = write_submission(entries, Path(out))
    anew = "" if path == Path(out) else f"; hand in this one: {out} is older, and stays as it is"
    return Reply([*(entry.line for entry in entries), f"written: {path}{anew}"], aligned=True)


@friendly
def reset(name: str) -> Reply:
    """Put the stub into a new cell, and forget all verdicts on the exercise."""
    exercise, work = exercise_named(name), WorkInCells(cells())
    work.forget(exercise.slug)
    LAST[:] = [entry for entry in LAST if not _is_about(entry[1], exercise)]
    text = _stub_cell(exercise)
    if offer(text):
        sentence = (
            f"the stub of {exercise.slug} is in a new cell below; "
            "your own cells stay, and count until you run it"
        )
        return Reply([sentence])
    head = f"the stub of {exercise.slug}, to be copied into a cell:"
    return Reply([head, *text.splitlines()], aligned=True)


def _is_about(result: Result | ProofVerdict, exercise: Exercise) -> bool:
    return isinstance(result, Result) and result.request.exercise == exercise


def _stub_cell(exercise: Exercise) -> str:
    """Return the functions and classes of the stub, without what a file has above them."""
    text = stub(exercise)
    tree = parse(exercise.stub, text).tree
    first = min(
        getattr(statement, "lineno", 1) for statement in tree.body if hasattr(statement, "name")
    )
    return "\n".join(text.splitlines()[first - 1 :])


@friendly
def join(link: str, name: str = "") -> Reply:
    """Join a room, by its link and with a name of your own."""
    work = WorkInCells(cells())
    member = attending.join(work.folder, door(link), name, standings(work))
    return Reply([*filter(None, welcome(member)), attending.sent_last(work.folder)])


@friendly
def share(what: str = "") -> Reply:
    """Show the leader your code of one exercise, as it is now; without one, show nothing more."""
    work, exercise = WorkInCells(cells()), exercise_named(what or "ex01")
    text = work.text(exercise) if what else ""
    return Reply([attending.share(work.folder, exercise.slug, text)])


@friendly
def leave() -> Reply:
    """Leave the room; it forgets you."""
    return Reply([attending.leave(WorkInCells(cells()).folder)])
