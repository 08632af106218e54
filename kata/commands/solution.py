"""Show the reference next to your own solution, once yours passes."""

import ast
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest

from kata.commands.common import add_folder, folder_of, source_of
from kata.course.curriculum import exercise_named
from kata.course.source import Source, read
from kata.errors import UserError
from kata.learner.progress import Progress, learner
from kata.terminal.style import Style, style_of
from kata.text import clean

NARROWEST = 100  # columns of a terminal that has room for two programs side by side
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
CHANGE = " | "  # between lines that differ

YOURS, REFERENCE = "yours", "the reference"


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    parser.add_argument("exercise", help="ex05, or ex05_causal_masks")
    parser.add_argument("--reveal", action="store_true", help="even if yours does not pass yet")
    add_folder(parser)


def run(options: Namespace) -> int:
    """Show both programs, or refuse as long as the learner's does not pass."""
    exercise, folder = exercise_named(options.exercise), folder_of(options)
    mine, progress = source_of(folder, exercise), Progress(folder)
    passed = progress.passed(learner(folder, progress).digest(exercise.slug))
    if not (passed or options.reveal):
        raise UserError(
            f"not all claims of {exercise.slug} hold yet; --reveal shows the solution anyway"
        )
    left, right = _program(mine), _program(read(exercise.solution))
    style = style_of(sys.stdout)
    beside = style.width >= NARROWEST
    print(*(_beside(left, right, style) if beside else _below(left, right, style)), sep="\n")
    return 0


def _program(source: Source) -> list[str]:
    """The lines without docstrings, which are the same in both programs."""
    lines = dict(enumerate(source.text.splitlines(), start=1))
    for node in ast.walk(source.tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            for at in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1):
                del lines[at]
    kept = "\n".join(map(str.rstrip, lines.values())).strip().splitlines()
    return [clean(line) for line in kept]


def _beside(left: list[str], right: list[str], style: Style) -> Iterator[str]:
    """Both programs side by side, aligned at equal lines; differing lines are marked."""
    width = (style.width - len(CHANGE)) // 2
    yield style.paint(f"{YOURS:<{width}}   {REFERENCE}", "bold")
    for kind, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        mark = "   " if kind == "equal" else CHANGE
        for mine, other in zip_longest(left[a:b], right[c:d], fillvalue=""):
            yield from _row(mine, other, mark, width)


def _row(mine: str, other: str, mark: str, width: int) -> Iterator[str]:
    """One line of each program, wrapped if it is too long."""
    both = (_cut(mine, width), _cut(other, width))
    for one, two in zip_longest(*both, fillvalue=""):
        yield f"{one:<{width}}{mark}{two}".rstrip()


def _cut(line: str, width: int) -> list[str]:
    return [line[at : at + width] for at in range(0, len(line), width)] or [""]


def _below(left: list[str], right: list[str], style: Style) -> list[str]:
    yours, reference = style.paint(YOURS, "bold"), style.paint(REFERENCE, "bold")
    return [yours, "", *left, "", reference, "", *right]
