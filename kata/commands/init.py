"""Make a folder to work in: the exercises, and what pytest and editors need to know.

Nothing is ever overwritten. Run again, it adds what is missing and says what is there.
"""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from kata.course.curriculum import CODE, exercises
from kata.errors import UserError, unwritable
from kata.learner.layout import PYTEST_INI, Outcome, lay_out
from kata.text import clean

STUBS = ("exercises", "proofs")  # folders


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help="this one without it")


def run(options: Namespace) -> int:
    """Lay out the folder, and say what to type next."""
    home: Path = options.folder
    if home.resolve() == CODE:
        own = os.path.relpath(CODE / "exercises")
        raise UserError(
            f"{home.resolve()} is the kata itself: its exercises are in {own}; type `pytest`"
        )
    try:
        outcome = lay_out(home)
    except OSError as error:
        raise unwritable(error) from None
    print(*_report(home, outcome), sep="\n")
    return 0


def _report(home: Path, outcome: Outcome) -> Iterator[str]:
    for head, paths in (
        ("made", outcome.made),
        ("already there, and left as it is", outcome.there),
    ):
        if paths:
            yield f"{head}: {', '.join(_in_brief(paths))}"
    configured = PYTEST_INI not in (*outcome.made, *outcome.there)
    if configured:
        yield (
            "pytest has settings of your own here, so pytest.ini was left out: "
            "type `pytest exercises`"
        )
    enter = [] if home.resolve() == Path.cwd() else [f"cd {home}"]
    commands = [*enter, "pytest exercises" if configured else "pytest"]
    yield clean(f"next: {' && '.join(commands)}")


def _in_brief(paths: list[str]) -> Iterator[str]:
    """Yield a word for all stubs of a folder, and the other paths."""
    left = paths
    for folder in STUBS:
        stubs = {f"{folder}/{exercise.filename}" for exercise in exercises().values()} & {*paths}
        if stubs:
            yield f"{folder}/ex*.py ({len(stubs)})"
        left = [path for path in left if path not in stubs]
    yield from left
