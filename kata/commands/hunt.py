"""Hunt a mistake: by its evidence (which), in a file (line), or behind a loss that falls (loss).

All hunts are made from the catalogue of wrong answers. --check judges the files of the hunts by
line.
"""

import sys
import tempfile
from argparse import ArgumentParser, Namespace
from datetime import date
from pathlib import Path

from kata.commands.common import add_folder, ask, folder_of, no_answer
from kata.course.curriculum import Exercise, exercise_named, exercises
from kata.course.source import read
from kata.errors import UserError
from kata.learner.own_files import keep_copy, write
from kata.learner.status import Work
from kata.learner.waiting_judge import LearnerJudge
from kata.practice import FORMS
from kata.practice.memory import Memory
from kata.terminal.style import style_of
from kata.text import clean
from kata.verdict import ExerciseVerdict


def arguments(parser: ArgumentParser) -> None:
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
    work = Work(folder_of(options))
    named = exercise_named(options.exercise) if options.exercise else None
    if options.check:
        return _check(work, named)
    if options.form == "line":
        return _offer(work, named, options.seed)
    return _ask(work, named, options)


def _ask(work: Work, named: Exercise | None, options: Namespace) -> int:
    """Ask, and reply to the answer."""
    # Late, because it imports numpy.
    from kata.practice.hunting import any_seed, hunt_for, note_answer
    from kata.practice.questions import answers, prompt, question, reply

    seed = any_seed() if options.seed is None else options.seed
    hunt, style = hunt_for(work, options.form, named, seed), style_of(sys.stdout)
    if options.answer is not None and options.answer not in answers(hunt):
        raise UserError(no_answer(answers(hunt)))
    print(*question(hunt, style), sep="\n")
    answer = options.answer or ask(prompt(hunt), answers(hunt))
    if answer:
        print(*reply(hunt, answer, style), sep="\n")
        note_answer(Memory(work.folder), hunt, answer, date.today())
    command = f"kata hunt {hunt.exercise.short} --form {options.form} --seed {seed}"
    print(style.paint(f"this hunt again: {command}", "dim"))
    return 0 if answer in {"", hunt.right} else 1


def _offer(work: Work, named: Exercise | None, seed: int | None) -> int:
    """Write a file to be mended, or name the one that waits."""
    from kata.practice.hunting import exercise_to_mend, line_for

    exercise = exercise_to_mend(work, named, seed or 0)
    path = _path(work, exercise)
    if Memory(work.folder).open(exercise.slug) and path.exists() and seed is None:
        print(clean(f"{path} waits for you already; --seed 1 makes another one"))
        return 0
    hunt = line_for(work, exercise, seed or 0)
    if path.exists() and path.read_text(encoding="utf-8", errors="replace") != hunt.file:
        print(keep_copy(path.read_bytes(), path))
    write(path, hunt.file)
    print(
        clean(
            f"{exercise.slug}: `{hunt.name}` in {path} is wrong in one place. "
            f"Find the line and mend it, then type: kata hunt {exercise.short} --check"
        )
    )
    return 0


def _path(work: Work, exercise: Exercise) -> Path:
    """Return the path of the file to be mended."""
    return work.folder.parent / "hunts" / exercise.filename


def _check(work: Work, named: Exercise | None) -> int:
    """Judge the files that wait, or the one of this exercise; return 1 if one is not mended."""
    from kata.practice.line import NONE_WAITS

    memory = Memory(work.folder)
    slugs = [named.slug] if named else memory.all_open()
    waiting = [
        exercises()[slug]
        for slug in slugs
        if slug in exercises() and memory.open(slug) and _path(work, exercises()[slug]).exists()
    ]
    if not waiting:
        raise UserError(NONE_WAITS)
    outcomes = [_is_mended(work, exercise) for exercise in waiting]
    return 0 if all(outcomes) else 1


def _is_mended(work: Work, exercise: Exercise) -> bool:
    """Say how far the mending is, and return whether it is done."""
    from kata.practice.hunting import mended
    from kata.practice.line import mending_lines

    path = _path(work, exercise)
    outcome = mended(
        work, exercise, path, lambda: read(path).text, lambda text: _verdict(exercise, text)
    )
    print(*mending_lines(outcome, str(path), style_of(sys.stdout)), sep="\n")
    return outcome.is_done


def _verdict(exercise: Exercise, text: str) -> ExerciseVerdict:
    """Return the verdict of a process of its own, which a loop without end may keep busy."""
    with tempfile.TemporaryDirectory(prefix="kata-") as home:
        (Path(home) / exercise.filename).write_text(text, encoding="utf-8")
        judge = LearnerJudge(Path(home), forks=False, warm=False)
        try:
            *_, verdict = judge.judge(exercise)
        finally:
            judge.end()
    return verdict
