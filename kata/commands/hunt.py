"""Hunt a mistake: by its evidence (which), in a file (line), or behind a loss that falls (loss).

All hunts are made from the catalogue of wrong answers. --check judges the files of the hunts by
line.
"""

import random
import sys
from argparse import ArgumentParser, Namespace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from kata.commands.common import add_folder, ask, folder_of, no_answer
from kata.course.curriculum import Exercise, exercises
from kata.course.naming import exercise_named
from kata.errors import UserError
from kata.terminal.style import style_of
from kata.verdict import State

if TYPE_CHECKING:
    from kata.hunts.loss import Loss
    from kata.hunts.which import Which

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
    from kata.commands.line_hunts import checked, offered  # with it come numpy and torch

    folder = folder_of(options)
    named = exercise_named(options.exercise) if options.exercise else None
    if options.check:
        return checked(folder, named)
    if options.form == "line":
        return offered(folder, named, options.seed)
    return _ask(options, folder, named)


def _ask(options: Namespace, folder: Path, named: Exercise | None) -> int:
    """Ask, and say what is to be said to the answer."""
    from kata.hunts.told import answers, prompt, question, reply

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
    from kata.hunts.loss import no_loss, some_loss
    from kata.hunts.which import no_which, some_which

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
    from kata.hunts.losses import losses, not_passed
    from kata.practice.choice import passed

    done = passed(folder)
    if named and named not in done:
        raise UserError(not_passed(named))
    trained = [exercise for exercise in done if exercise.slug in losses()]
    if not (named or trained):
        raise UserError(not_passed(None))
    return named or random.Random(seed).choice(trained)


def _remember(folder: Path, hunt: "Which | Loss", *, right: bool) -> None:
    """Note an answer for practice: what was wrong returns tomorrow, what was right later."""
    from kata.hunts.which import Which
    from kata.practice.memory import Memory

    if isinstance(hunt, Which):
        memory = Memory(folder)
        memory.note_hunt(hunt.exercise.slug, hunt.bug.slug, date.today(), right=right)
        memory.save()
