"""A notebook as a list of cells, whatever file they are written to."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache

from kata.course.curriculum import Exercise, exercises
from kata.handouts.contracts import Contract, question
from kata.handouts.notebooks.contract_text import contract_text, escaped
from kata.handouts.notebooks.examples_code import example_code
from kata.handouts.notebooks.inline_figure import inline_figure
from kata.handouts.notebooks.stub_code import definitions, imports
from kata.handouts.notebooks.texts import texts
from kata.why.experiment import measured
from kata.why.reasons import reason

# Where a notebook installs the kata from if it is not there, as in Colab: a file beside it, since
# the kata has no public address yet. Once it has one, it stands here.
SOURCE = "attention_kata-0.1.0-py3-none-any.whl"
SETUP = f"""\
import subprocess
import sys
from importlib import invalidate_caches
from importlib.util import find_spec

if find_spec("kata") is None:  # as in Colab
    pip = [sys.executable, "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "{SOURCE}"], check=True)
    invalidate_caches()

from kata import board, check, draw, hint, submit
"""
SETUP_TEXT = (
    "Run this first. Where the kata is installed, it only imports. Elsewhere, as in Colab, "
    f"it installs the kata from the file `{SOURCE}`, which you put beside this notebook "
    "(in Colab: upload it in the file pane at the left): the kata has no public address yet."
)
EARLIER_TEXT = (
    "What earlier exercises give comes from the reference here, so that you can go on wherever you "
    "like. When your work is judged, your own version is used instead once it has passed."
)
PICTURE_TEXT = (
    "## A picture of your result\n\n"
    "It shows what your code gives, right or wrong. Change the numbers as you like."
)
WHOLE_TEXT = "## All of it\n\n`check` runs every claim, and shows the first that does not hold."


class Kind(Enum):
    """The purpose of a cell."""

    TEXT = "text"
    GIVEN = "given"  # code that is there from the beginning
    ANSWER = "answer"  # what the learner writes
    EXAMPLE = "example"
    CHECK = "check"
    PICTURE = "picture"


@dataclass(frozen=True)
class Piece:
    """One cell.

    Attributes:
        name: tells it from the others of its notebook, in every build.
        kind: what it is for.
        text: Markdown, or code.
        about: the name of the contract that it belongs to, if it belongs to one.
    """

    name: str
    kind: Kind
    text: str
    about: str = ""


def pieces(exercise: Exercise) -> list[Piece]:
    """The cells of the notebook of an exercise, in order."""
    return [*_beginning(exercise), *_middle(exercise), *_end(exercise)]


def _beginning(exercise: Exercise) -> Iterator[Piece]:
    """The reason and the figure of an exercise, the kata, and the imports of the stub."""
    yield Piece("title", Kind.TEXT, _title(exercise))
    yield Piece("setup-text", Kind.TEXT, SETUP_TEXT)
    yield Piece("setup", Kind.GIVEN, SETUP.rstrip())
    if before := _before(exercise):
        yield Piece("imports-text", Kind.TEXT, before)
    yield Piece("imports", Kind.GIVEN, imports(exercise))


@cache
def _title(exercise: Exercise) -> str:
    number = exercise.short.removeprefix("ex")
    core = " ★" if exercise.core else ""
    head = f"# Exercise {number}: {exercise.title}{core}"
    points = "1 point" if exercise.points <= 1 else f"{exercise.points} points"
    facts = (
        f"About {exercise.minutes} minutes · {points} · "
        "write each function in its cell, and run the cell below it."
    )
    first, *more = map(escaped, question(exercise).about)
    repeated = first.lower() == f"{exercise.title.lower()}."
    about = "" if repeated else first[0].upper() + first[1:]
    figure = inline_figure(exercise)
    parts = [head, about, facts, *_reason(exercise), figure, *more]
    return "\n\n".join(part for part in parts if part)


def _reason(exercise: Exercise) -> Iterator[str]:
    """The reason of an exercise, and what breaks without it."""
    if explanation := reason(exercise):
        yield explanation.why
        yield "In numbers, computed with the reference:"
        lines = ((escaped(text), escaped(numbers)) for text, numbers in measured(exercise))
        yield "\n".join(f"- {text}: **{numbers}**" for text, numbers in lines)
        yield escaped(explanation.to_read_on)


def _before(exercise: Exercise) -> str:
    """The text about imports of earlier exercises, if there are any."""
    used = [name for name in exercises() if f"kata.earlier.{name} " in imports(exercise)]
    return EARLIER_TEXT if used else ""


def _middle(exercise: Exercise) -> Iterator[Piece]:
    """Contract, code, check and example of each function and class."""
    contracts = question(exercise).contracts
    for definition in definitions(exercise):
        own = [contract for contract in contracts if contract.name.split(".")[0] == definition.name]
        if not own:
            yield Piece(definition.name, Kind.GIVEN, definition.code)
            continue
        yield Piece(f"{definition.name}-contract", Kind.TEXT, contract_text(own), definition.name)
        yield Piece(definition.name, Kind.ANSWER, definition.code, definition.name)
        yield Piece(
            f"{definition.name}-check", Kind.CHECK, f"check({definition.name})", definition.name
        )
        yield from _examples(definition.name, own)


def _examples(name: str, contracts: list[Contract]) -> Iterator[Piece]:
    code = "\n".join(example_code(contract.example) for contract in contracts if contract.example)
    if code:
        yield Piece(f"{name}-example", Kind.EXAMPLE, code, name)


def _end(exercise: Exercise) -> Iterator[Piece]:
    """The picture, the whole exercise, and what comes next."""
    notebook_texts = texts(exercise)
    if notebook_texts:
        yield Piece("picture-text", Kind.TEXT, PICTURE_TEXT)
        yield Piece("picture", Kind.PICTURE, notebook_texts.picture)
    yield Piece("whole-text", Kind.TEXT, WHOLE_TEXT)
    yield Piece("whole", Kind.CHECK, f'check("{exercise.short}")')
    hints = (
        "Stuck? Each run of the next cell gives one more hint about what failed last, "
        "and never the code. Once all claims hold, `from kata import solution` and "
        f'`solution("{exercise.short}")` show the reference. '
        "`board()` shows how far you are, and `submit()` makes a file to hand in."
    )
    yield Piece("hint-text", Kind.TEXT, hints)
    yield Piece("hint", Kind.GIVEN, "hint()")
    yield Piece("next", Kind.TEXT, _next(exercise))


def _next(exercise: Exercise) -> str:
    after = list(exercises().values())
    at = after.index(exercise) + 1
    if at == len(after):
        return "This was the last exercise. `board()` shows what is still open."
    following = after[at]
    title = following.title
    file = f"{following.slug}.ipynb"
    return f"Next is {following.short}, {title}: [{file}]({file})."
