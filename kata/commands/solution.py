"""Show the reference next to your own solution, once yours passes."""

import ast
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest

from kata.commands.common import add_folder, folder_of, source_of
from kata.course.curriculum import exercise_named
from kata.course.source import Source
from kata.learner.help import solution
from kata.learner.status import Work
from kata.terminal.style import Style, style_of
from kata.text import clean

NARROWEST = 100  # columns of a terminal that has room for two programs side by side
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
CHANGE = " | "  # between lines that differ

YOURS, REFERENCE = "yours", "the reference"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("exercise", help="ex05, or ex05_causal_masks")
    parser.add_argument("--reveal", action="store_true", help="even if yours does not pass yet")
    add_folder(parser)


def run(options: Namespace) -> int:
    """Show both programs, or refuse as long as the learner's does not pass."""
    exercise, folder = exercise_named(options.exercise), folder_of(options)
    own = source_of(folder, exercise)
    locked = "; --reveal shows the solution anyway"
    reference = solution(Work(folder), exercise, locked=locked, reveal=options.reveal)
    style = style_of(sys.stdout)
    layout = _side_by_side if style.width >= NARROWEST else _one_below_the_other
    print(*layout(_program(own), _program(reference), style), sep="\n")
    return 0


def _program(source: Source) -> list[str]:
    """Return the lines without docstrings, which are the same in both programs."""
    lines = dict(enumerate(source.text.splitlines(), start=1))
    for node in ast.walk(source.tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            for number in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1):
                del lines[number]
    code = "\n".join(map(str.rstrip, lines.values())).strip().splitlines()
    return [clean(line) for line in code]


def _side_by_side(left: list[str], right: list[str], style: Style) -> Iterator[str]:
    """Align both programs at equal lines, and mark lines that differ."""
    width = (style.width - len(CHANGE)) // 2
    yield style.paint(f"{YOURS:<{width}}   {REFERENCE}", "bold")
    for kind, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        mark = "   " if kind == "equal" else CHANGE
        for own_line, line in zip_longest(left[a:b], right[c:d], fillvalue=""):
            pieces = zip_longest(_cut(own_line, width), _cut(line, width), fillvalue="")
            yield from (f"{own:<{width}}{mark}{other}".rstrip() for own, other in pieces)


def _cut(line: str, width: int) -> list[str]:
    return [line[start : start + width] for start in range(0, len(line), width)] or [""]


def _one_below_the_other(left: list[str], right: list[str], style: Style) -> Iterator[str]:
    yield from (style.paint(YOURS, "bold"), "", *left)
    yield from ("", style.paint(REFERENCE, "bold"), "", *right)
