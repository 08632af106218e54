"""What else a learner calls in a notebook: hint, board, solution, submit, reset."""

import io
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from kata.course.contract import stub
from kata.course.curriculum import Exercise, exercise_named, exercises
from kata.course.source import parse, read
from kata.errors import UserError, unwritable
from kata.files import write_file
from kata.learner.status import hints_for, one_more, origins, outlook, statuses
from kata.live import attending
from kata.live.attending import welcome
from kata.live.protocol import door
from kata.notebook.check import LAST, friendly
from kata.notebook.kernel import Work, cells, offer
from kata.notebook.results import NOTHING_BEGUN, WIDTH, Reply, Result
from kata.terminal.board import board as board_lines
from kata.terminal.board import standing
from kata.terminal.style import Style
from kata.verdict import ExerciseVerdict, State

if TYPE_CHECKING:
    from kata.notebook.results import ProofResult
    from kata.proofs.verdict import ProofVerdict

FIRST_DATE = (2020, 1, 1, 0, 0, 0)  # of every file: the same cells give the same zip


@friendly
def hint() -> Reply:
    """One more hint about what failed last, or about what your tests missed last."""
    if not LAST:
        raise UserError(
            "nothing has been checked in this notebook yet: hints are about what failed last"
        )
    work, result = LAST[-1]
    if isinstance(result, Result):
        return _about_check(work, result)
    return _about_proof(work, result.verdict)


def _about_check(work: Work, result: Result) -> Reply:
    exercise = result.request.exercise
    if result:
        name = result.request.name or exercise.slug
        return Reply([f"all claims about {name} hold: no hint is needed"])
    source = parse(work.folder / exercise.filename, work.text(exercise))
    hints = hints_for(exercise, result.verdict, source)
    texts, _ = one_more(work.progress, exercise, hints)
    count = len(hints.texts)
    numbered = [f"hint {at} of {count}: {text}" for at, text in enumerate(texts, start=1)]
    last = ["That was the last one."] if len(texts) == count else []
    return Reply([hints.title, *numbered, *last])


def _about_proof(work: Work, verdict: "ProofVerdict") -> Reply:
    """One more hint about one of the wrong answers that no test in the cells catches."""
    from kata.practice import survivors

    exercise = exercises()[verdict.slug]
    passed = work.progress.passed(work.target(exercise).digest(exercise.slug))
    if verdict.refuses:
        return Reply(["a test refuses a right answer: mend it first; `prove` says which"])
    hints = survivors.one_more(work.progress, exercise, verdict, passed=passed)
    if hints is None:
        return Reply([survivors.none_left(exercise, verdict)])
    return Reply([*survivors.hint_lines(hints, Style(width=WIDTH))], aligned=True)


@friendly
def board() -> Reply:
    """The board: what is done, in progress and not started, in this notebook and beside it."""
    work, style = Work(cells()), Style(width=WIDTH)
    verdicts, own = standings(work), [exercise.slug for exercise in work.begun()]
    ahead = outlook(work.folder, verdicts, work.target_of_all())
    beside = origins(work.folder, exercises()) | work.here(own)
    lines = board_lines(verdicts, exercises(), Path(), style, ahead, beside)
    return Reply(lines, aligned=True)


def standings(work: Work) -> list[ExerciseVerdict]:
    """The verdicts on what is begun in this notebook, and on what lies beside it."""
    by_slug = {verdict.slug: verdict for verdict in statuses(work.folder, exercises())}
    by_slug |= {exercise.slug: _standing(work, exercise) for exercise in work.begun()}
    return [by_slug[slug] for slug in exercises() if slug in by_slug]


def _standing(work: Work, exercise: Exercise) -> ExerciseVerdict:
    """The last verdict on these cells, if they have not changed since."""
    digest = work.target(exercise).digest(exercise.slug)
    verdict = work.progress.verdict(exercise.slug, digest)
    return verdict or ExerciseVerdict(exercise.slug, not_run=1)


@friendly
def solution(name: str) -> Reply:
    """The reference, once your own passes."""
    exercise, work = exercise_named(name), Work(cells())
    if not work.progress.passed(work.target(exercise).digest(exercise.slug)):
        raise UserError(
            f"not all claims of {exercise.slug} hold yet for these cells: "
            f'the reference can be read once `check("{exercise.short}")` passes'
        )
    return Reply(read(exercise.solution).text.splitlines(), aligned=True)


@friendly
def submit(out: str = "submission.zip") -> Reply:
    """Write one zip to hand in, from the cells of this kernel: nothing has to be saved first."""
    work = Work(cells())
    verdicts, texts = standings(work), work.all_texts()
    begun = [verdict for verdict in verdicts if verdict.state is not State.NOT_STARTED]
    if not begun:
        raise UserError(NOTHING_BEGUN)
    path = _unused(Path(out))
    names = {exercises()[verdict.slug].filename: verdict for verdict in begun}
    try:
        write_file(path, _zipped({name: texts[verdict.slug] for name, verdict in names.items()}))
    except OSError as error:
        raise unwritable(error, path) from None
    lines = [f"  {name:<32} {standing(verdict)}" for name, verdict in names.items()]
    anew = "" if path == Path(out) else f"; hand in this one: {out} is older, and stays as it is"
    return Reply([*lines, f"written: {path}{anew}"], aligned=True)


def _unused(path: Path) -> Path:
    """This path with the first number that is not taken, so that nothing is overwritten."""
    numbered = (path.with_name(f"{path.stem}.{n}{path.suffix}") for n in range(1, 10_000))
    return (
        next(candidate for candidate in (path, *numbered) if not candidate.exists())
        if path.exists()
        else path
    )


def _zipped(texts: dict[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(zipfile.ZipInfo(name, FIRST_DATE), text.encode())
    return content.getvalue()


@friendly
def reset(name: str) -> Reply:
    """Put the stub into a new cell, and forget all verdicts on the exercise."""
    exercise, work = exercise_named(name), Work(cells())
    work.progress.forget(exercise.slug)
    work.progress.save()
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


def _is_about(result: "Result | ProofResult", exercise: Exercise) -> bool:
    return isinstance(result, Result) and result.request.exercise == exercise


def _stub_cell(exercise: Exercise) -> str:
    """The functions and classes of the stub, without what stands above them in a file."""
    text = stub(exercise)
    tree = parse(exercise.stub, text).tree
    first = min(
        getattr(statement, "lineno", 1) for statement in tree.body if hasattr(statement, "name")
    )
    return "\n".join(text.splitlines()[first - 1 :])


@friendly
def join(link: str, name: str = "") -> Reply:
    """Join a room, by its link and with a name of your own."""
    work = Work(cells())
    member = attending.join(work.folder, door(link), name, standings(work))
    return Reply([*filter(None, welcome(member)), attending.sent_last(work.folder)])


@friendly
def share(what: str = "") -> Reply:
    """Show the leader your code of one exercise, as it is now; without one, show nothing more."""
    work, exercise = Work(cells()), exercise_named(what or "ex01")
    text = work.text(exercise) if what else ""
    return Reply([attending.share(work.folder, exercise.slug, text)])


@friendly
def leave() -> Reply:
    """Leave the room; it forgets you."""
    return Reply([attending.leave(Work(cells()).folder)])
