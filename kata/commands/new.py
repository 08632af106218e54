"""Lay out all files of a new exercise; `kata check` then tells what is left to do in them.

With `--course` it is a draft in a folder of one's own, with three files, which can be graded.
"""

import re
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from keyword import iskeyword
from pathlib import Path

from kata.commands.common import need_checkout, write
from kata.course.curriculum import LIBRARIES, OWN, Exercise, exercise_named, exercises, use
from kata.errors import UserError

SLUG = re.compile(r"ex\d\d_([a-z][a-z0-9_]*)")
DRAFT = """\
Write what says TODO. Then, with this folder as the course:
  {own}={folder} pytest {folder}/exercises --solutions   every claim holds
  python grader.py SUBMISSIONS --course {folder}"""
NEXT = """\
Write what says TODO; `python -m kata check {short}` lists it and tells what else is missing.
The figure and the sheet's text are optional: delete what you do not want. The table of
exercises needs a line."""


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    parser.add_argument("slug", metavar="exNN_name", help="its name in all folders: ex29_scale")
    parser.add_argument("--title", help="what learners read; default: the name")
    parser.add_argument("--library", choices=LIBRARIES, default="torch", help="default: torch")
    parser.add_argument(
        "--needs", nargs="+", default=[], help="earlier exercises that its solution imports"
    )
    parser.add_argument("--points", type=int, default=1, help="default: 1")
    parser.add_argument("--minutes", type=int, default=25, help="default: 25")
    parser.add_argument("--core", action="store_true", help="one of the core exercises")
    parser.add_argument("--course", type=Path, metavar="DIR",
                        help="a draft in a folder of your own: stub, solution, suite")  # fmt: skip


def run(options: Namespace) -> int:
    """Write nothing unless all of it can be new."""
    from kata.upkeep.faces import additions, new_files, relative  # with them comes numpy

    if options.course:
        return _draft(options)
    need_checkout()
    exercise = _exercise(options)
    texts = new_files(exercise)
    if taken := [path for path in (*texts, exercise.accepted) if path.exists()]:
        raise UserError(f"{relative(taken[0])} is there already; nothing was written")
    exercise.accepted.mkdir(parents=True)
    for path, text in texts.items():
        write(path, text)
    for path, text in additions(exercise).items():
        write(path, path.read_text(encoding="utf-8").rstrip("\n") + f"\n{text}")
    print(*map(relative, (*texts, exercise.accepted, *additions(exercise))), sep="\n")
    print(NEXT.format(short=exercise.short))
    return 0


def _draft(options: Namespace) -> int:
    from kata.upkeep.faces import draft, draft_entry

    home = options.course.resolve()
    curriculum = home / "exercises" / "curriculum.toml"
    if curriculum.exists():
        use(home)
    exercise = replace(_exercise(options), home=home)
    texts = draft(exercise)
    if taken := [path for path in texts if path.exists()]:
        raise UserError(f"{taken[0]} is there already; nothing was written")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, text)
    there = curriculum.read_text(encoding="utf-8") if curriculum.exists() else ""
    write(curriculum, f"{there}{draft_entry(exercise)}".lstrip("\n"))
    print(*texts, curriculum, sep="\n")
    print(DRAFT.format(own=OWN, folder=options.course))
    return 0


def _exercise(options: Namespace) -> Exercise:
    """What the options say, if it can be an exercise of this course."""
    match = SLUG.fullmatch(options.slug)
    if not match or iskeyword(match[1]):
        raise UserError(f"{options.slug} cannot name an exercise; expected a name like ex29_scale")
    needs = tuple(exercise_named(need).slug for need in options.needs)
    title = options.title or match[1].replace("_", " ").capitalize()
    made = Exercise(options.slug, title, options.core, options.points, options.minutes, needs,
                    options.library, delegates=(), hints={})  # fmt: skip
    if same := [exercise.slug for exercise in exercises().values() if exercise.short == made.short]:
        raise UserError(f"there is an exercise {made.short} already: {same[0]}")
    return made
