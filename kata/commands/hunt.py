"""Hunt a mistake: by its evidence (which), in a file (line), or behind a loss that falls (loss).

All hunts are made from the catalogue of wrong answers. --check judges the files of the hunts by
line.
"""

import random
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from kata.commands.common import add_folder, ask, folder_of, no_answer, unused, write
from kata.course.curriculum import Exercise, exercise_named, exercises
from kata.course.source import UnusableError, read
from kata.errors import UserError
from kata.learner.progress import Progress, learner
from kata.learner.waiting_judge import LearnerJudge
from kata.practice.choice import passed
from kata.practice.line import (
    NONE_WAITS,
    Line,
    Mending,
    begin,
    end,
    mending,
    mending_lines,
    of_passed,
    waiting,
)
from kata.practice.memory import Memory
from kata.terminal.style import style_of
from kata.text import clean
from kata.verdict import ExerciseVerdict, State

if TYPE_CHECKING:
    from kata.practice.loss import Loss
    from kata.practice.questions import Which

FORMS = ("which", "line", "loss")
MOST_SEEDS = 1000  # a hunt is repeated by a number that can be typed


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    parser.add_argument("exercise", nargs="?", help="ex05; by default one that you have begun")
    parser.add_argument("--form", choices=FORMS, default=FORMS[0], help="default: which")
    parser.add_argument("--seed", type=int, help="the same number gives the same hunt")
    parser.add_argument(
        "--answer", help="instead of being asked: a to d; of a loss, right or wrong"
    )
    parser.add_argument("--check", action="store_true", help="judge the files of hunts by line")
    add_folder(parser)


def run(options: Namespace) -> int:
    """Exit 1 if the answer is wrong, or a file is not mended yet."""

    folder = folder_of(options)
    named = exercise_named(options.exercise) if options.exercise else None
    if options.check:
        return checked(folder, named)
    if options.form == "line":
        return offered(folder, named, options.seed)
    return _ask(options, folder, named)


def _ask(options: Namespace, folder: Path, named: Exercise | None) -> int:
    """Ask, and say what is to be said to the answer."""
    from kata.practice.questions import answers, prompt, question, reply

    seed = random.randrange(MOST_SEEDS) if options.seed is None else options.seed
    hunt, style = _hunt(options.form, folder, named, seed), style_of(sys.stdout)
    if options.answer is not None and options.answer not in answers(hunt):
        raise UserError(no_answer(answers(hunt)))
    print(*question(hunt, style), sep="\n")
    answer = options.answer or ask(prompt(hunt), answers(hunt))
    if answer:
        print(*reply(hunt, answer, style), sep="\n")
        _remember(folder, hunt, right=answer == hunt.right)
    command = f"kata hunt {hunt.exercise.short} --form {options.form} --seed {seed}"
    print(style.paint(f"this hunt again: {command}", "dim"))
    return 0 if answer in {"", hunt.right} else 1


def _hunt(form: str, folder: Path, named: Exercise | None, seed: int) -> "Which | Loss":
    from kata.practice.loss import no_loss, some_loss
    from kata.practice.questions import no_which, some_which

    if form == "loss":
        exercise = _of_passed(folder, named, seed)
        hunt: Which | Loss | None = some_loss(exercise, seed)
    else:
        exercise = named or _begun(folder, seed)
        hunt = some_which(exercise, seed)
    if hunt is None:
        raise UserError(no_loss(exercise) if form == "loss" else no_which(exercise))
    return hunt


def _begun(folder: Path, seed: int) -> Exercise:
    """An exercise that the learner has begun; the first of the course if there is none."""
    from kata.learner.status import statuses

    slugs = [verdict.slug for verdict in statuses(folder, exercises())
             if verdict.state is not State.NOT_STARTED]  # fmt: skip
    return exercises()[random.Random(seed).choice(slugs or [*exercises()][:1])]


def _of_passed(folder: Path, named: Exercise | None, seed: int) -> Exercise:
    """An exercise that is passed: the code of another would show lines of its solution."""
    from kata.practice.choice import passed
    from kata.practice.loss import losses, not_passed

    done = passed(folder)
    if named and named not in done:
        raise UserError(not_passed(named))
    trained = [exercise for exercise in done if exercise.slug in losses()]
    if not (named or trained):
        raise UserError(not_passed(None))
    return named or random.Random(seed).choice(trained)


def _remember(folder: Path, hunt: "Which | Loss", *, right: bool) -> None:
    """Note an answer for practice: what was wrong returns tomorrow, what was right later."""
    from kata.practice.memory import Memory
    from kata.practice.questions import Which

    if isinstance(hunt, Which):
        memory = Memory(folder)
        memory.note_hunt(hunt.exercise.slug, hunt.bug.slug, date.today(), right=right)
        memory.save()


def offered(folder: Path, named: Exercise | None, seed: int | None) -> int:
    """Write a file to be mended, or name the one that waits."""
    memory = Memory(folder)
    exercise = of_passed(named, passed(folder), seed or 0)
    path = place_of(folder, exercise)
    if memory.open(exercise.slug) and path.exists() and seed is None:
        print(clean(f"{path} waits for you already; --seed 1 makes another one"))
        return 0
    own = learner(folder, Progress(folder)).source(exercise.slug).text
    hunt = begin(memory, exercise, own, seed or 0)
    _write(path, hunt)
    print(
        clean(
            f"{exercise.slug}: `{hunt.name}` in {path} is wrong in one place. "
            f"Find the line and mend it, then type: kata hunt {exercise.short} --check"
        )
    )
    return 0


def place_of(folder: Path, exercise: Exercise) -> Path:
    """Where the file to be mended lies."""
    return folder.parent / "hunts" / exercise.filename


def _write(path: Path, hunt: Line) -> None:
    """Write a file to be mended; what lies there is kept under a number."""
    if path.exists() and path.read_text(encoding="utf-8", errors="replace") != hunt.file:
        kept = unused(path)
        write(kept, path.read_bytes())
        print(clean(f"your version is kept as {kept}"))
    write(path, hunt.file)


def checked(folder: Path, named: Exercise | None) -> int:
    """Judge the files that wait, or the one of this exercise; 1 if one is not mended yet."""
    memory = Memory(folder)
    slugs = [named.slug] if named else memory.all_open()
    open_exercises = [
        exercises()[slug] for slug in slugs if slug in exercises() and memory.open(slug)
    ]
    there = [exercise for exercise in open_exercises if place_of(folder, exercise).exists()]
    if not there:
        raise UserError(NONE_WAITS)
    return 1 if [exercise for exercise in there if not _is_mended(folder, exercise, memory)] else 0


def _is_mended(folder: Path, exercise: Exercise, memory: Memory) -> bool:
    """Say how far the mending is, and return whether it is done."""
    path = place_of(folder, exercise)
    judged = _judged(path, waiting(memory, exercise, _own(folder, exercise)))
    print(*mending_lines(judged, str(path), style_of(sys.stdout)), sep="\n")
    if judged.is_done:
        end(memory, exercise)
    return judged.is_done


def _own(folder: Path, exercise: Exercise) -> str:
    try:
        return learner(folder, Progress(folder)).source(exercise.slug).text
    except UnusableError:  # it is gone meanwhile: the mistake is made in another file
        return ""


def _judged(path: Path, hunt: Line) -> Mending:
    try:
        text = read(path).text
    except UnusableError as error:
        return Mending(hunt, error=str(error))
    return mending(hunt, path, text, lambda whole: _verdict(hunt.exercise, whole))


def _verdict(exercise: Exercise, text: str) -> ExerciseVerdict:
    """The verdict of a process of its own: a loop that does not end keeps that one busy."""
    with tempfile.TemporaryDirectory(prefix="kata-") as home:
        (Path(home) / exercise.filename).write_text(text, encoding="utf-8")
        judge = LearnerJudge(Path(home), forks=False, warm=False)
        try:
            *_, verdict = judge.judge(exercise)
        finally:
            judge.end()
    return verdict
