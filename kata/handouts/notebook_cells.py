"""The cells of a notebook: figure, contracts, examples, and the code of the stub."""

import ast
import doctest
import re
import textwrap
import tomllib
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from html import escape
from pathlib import Path
from types import UnionType
from typing import Any

from kata.course.contract import Item
from kata.course.curriculum import Exercise, exercises
from kata.course.reasons import measured, reason
from kata.course.source import Source, read
from kata.handouts.contracts import Contract, question
from kata.handouts.drawing import Figure, svg_head
from kata.handouts.figures import figure
from kata.markup import CODE, pieces

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
SPECIAL = re.compile(r"([*<>\[\]|])")
GUARD = "with suppress(NotImplementedError):  # until it is written"
WIDTH = 860  # pixels, if there is room
# The attributes that differ from element to element; the others are a look that many share.
PLACES = {"x", "y", "cx", "cy", "r", "points", "transform", "fill-opacity"}
PIXELS = {"font-size", "width", "height", "rx", "stroke-width"}
PAPER = '<rect width="100%" height="100%" fill="#fff"/>'
SUPPRESS = "from contextlib import suppress"  # for the examples
SIBLING = re.compile(r"^from \.(ex\d\d)", re.MULTILINE)
TEXTS = Path(__file__).parent / "texts" / "notebooks.toml"


class Kind(Enum):
    """The purpose of a cell."""

    TEXT = "text"
    GIVEN = "given"  # code that is there from the beginning
    ANSWER = "answer"  # code that the learner writes
    EXAMPLE = "example"
    CHECK = "check"
    PICTURE = "picture"


@dataclass(frozen=True)
class Cell:
    """One cell of a notebook.

    Attributes:
        name: differs from cell to cell, and is the same in every build.
        kind: its purpose.
        text: Markdown, or code.
        about: the name of the contract that it belongs to, if it belongs to one.
    """

    name: str
    kind: Kind
    text: str
    about: str = ""


def cells_of(exercise: Exercise) -> list[Cell]:
    """The cells of the notebook of an exercise, in order."""
    return [*_beginning(exercise), *_middle(exercise), *_end(exercise)]


def _beginning(exercise: Exercise) -> Iterator[Cell]:
    """The reason and the figure of an exercise, the kata, and the imports of the stub."""
    yield Cell("title", Kind.TEXT, _title(exercise))
    yield Cell("setup-text", Kind.TEXT, SETUP_TEXT)
    yield Cell("setup", Kind.GIVEN, SETUP.rstrip())
    if before := _earlier_text(exercise):
        yield Cell("imports-text", Kind.TEXT, before)
    yield Cell("imports", Kind.GIVEN, imports(exercise))


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


def _earlier_text(exercise: Exercise) -> str:
    """The text about imports of earlier exercises, if there are any."""
    text = imports(exercise)
    return EARLIER_TEXT if any(f"kata.earlier.{name} " in text for name in exercises()) else ""


def _middle(exercise: Exercise) -> Iterator[Cell]:
    """Contract, code, check and example of every function and class."""
    contracts = question(exercise).contracts
    for name, code in definitions(exercise).items():
        own = [contract for contract in contracts if contract.name.split(".")[0] == name]
        if not own:
            yield Cell(name, Kind.GIVEN, code)
            continue
        yield Cell(f"{name}-contract", Kind.TEXT, contract_text(own), name)
        yield Cell(name, Kind.ANSWER, code, name)
        yield Cell(f"{name}-check", Kind.CHECK, f"check({name})", name)
        yield from _examples(name, own)


def _examples(name: str, contracts: list[Contract]) -> Iterator[Cell]:
    code = "\n".join(example_code(contract.example) for contract in contracts if contract.example)
    if code:
        yield Cell(f"{name}-example", Kind.EXAMPLE, code, name)


def _end(exercise: Exercise) -> Iterator[Cell]:
    """The picture, the whole exercise, and the next one."""
    if picture := _picture(exercise):
        yield Cell("picture-text", Kind.TEXT, PICTURE_TEXT)
        yield Cell("picture", Kind.PICTURE, picture)
    yield Cell("whole-text", Kind.TEXT, WHOLE_TEXT)
    yield Cell("whole", Kind.CHECK, f'check("{exercise.short}")')
    hints = (
        "Stuck? Each run of the next cell gives one more hint about what failed last, "
        "and never the code. Once all claims hold, `from kata import solution` and "
        f'`solution("{exercise.short}")` show the reference. '
        "`board()` shows how far you are, and `submit()` makes a file to hand in."
    )
    yield Cell("hint-text", Kind.TEXT, hints)
    yield Cell("hint", Kind.GIVEN, "hint()")
    yield Cell("next", Kind.TEXT, _next(exercise))


def _picture(exercise: Exercise) -> str:
    """The code that draws the learner's own result; "" if nobody has written it."""
    entry = _table().get(exercise.slug)
    if entry is None:
        return ""
    body = textwrap.indent(entry["picture"].strip("\n"), "    ")
    return f"def picture():\n{body}\n\n\ndraw(picture)"


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(TEXTS.read_text(encoding="utf-8"))


def _next(exercise: Exercise) -> str:
    after = list(exercises().values())
    at = after.index(exercise) + 1
    if at == len(after):
        return "This was the last exercise. `board()` shows what is still open."
    following = after[at]
    title = following.title
    file = f"{following.slug}.ipynb"
    return f"Next is {following.short}, {title}: [{file}]({file})."


def contract_text(contracts: Iterable[Contract]) -> str:
    """The contract of a function, or those of a class and its methods."""
    return "\n\n".join(part for contract in contracts for part in _parts(contract))


def escaped(text: str) -> str:
    """The text with code as it is, and nothing else that Markdown would take for markup."""
    return "".join(
        f"`{part}`" if kind == CODE else SPECIAL.sub(r"\\\1", part) for kind, part in pieces(text)
    )


def _parts(contract: Contract) -> Iterator[str]:
    method = "." in contract.name
    yield f"{'####' if method else '###'} `{contract.signature}`"
    yield escaped(contract.summary)
    yield from map(escaped, contract.prose)
    for name, items in contract.sections.items():
        yield f"**{name}**"
        yield "\n".join(_entry(item) for item in items)


def _entry(item: Item) -> str:
    names = ", ".join(f"`{name}`" for name in item.names)
    text = escaped(item.text)
    return f"- {names}: {text}" if names else f"- {text}"


def example_code(example: str) -> str:
    """The statements, with the output that the docstring promises below them as comments."""
    parts = [_statement(statement) for statement in doctest.DocTestParser().get_examples(example)]
    body = "\n".join(part for part in parts if part)
    return f"{GUARD}\n{textwrap.indent(body, '    ')}"


def _statement(example: doctest.Example) -> str:
    """One statement; the notebook has imported the libraries already."""
    source = example.source.rstrip()
    node = ast.parse(source).body[0]
    if isinstance(node, ast.Import):
        return ""
    if not example.want or not isinstance(node, ast.Expr):
        return source
    value = ast.get_source_segment(source, node.value) or ""
    rest = source[len(value) :]
    if isinstance(node.value, ast.Tuple) and not value.startswith("("):
        value = f"({value})"  # as Python shows it
    wanted = textwrap.indent(example.want.rstrip(), "# ")
    return f"print({value}){rest}\n{wanted}"


@cache
def inline_figure(exercise: Exercise) -> str:
    """An image with its description, and the caption below it; empty if there is no figure."""
    drawing = figure(exercise.slug)
    if drawing is None:
        return ""
    data = b64encode(_small(drawing).encode()).decode()
    source = f"data:image/svg+xml;base64,{data}"
    image = f'<img width="{WIDTH}" alt="{escape(drawing.alt)}" src="{source}">'
    return f"{image}\n\n*{drawing.caption}*"


def _small(drawing: Figure) -> str:
    """The drawing on white paper, in which equal looks are written once."""
    names: dict[str, str] = {}
    body = ""
    for element in drawing.elements:
        pairs = element.attributes.items()
        look = ";".join(f"{key}:{_unit(key, value)}" for key, value in pairs if key not in PLACES)
        place = " ".join(f'{key}="{value}"' for key, value in pairs if key in PLACES)
        name = names.setdefault(look, _short_name(len(names)))
        body += f'<{element.tag} class="{name}" {place}{element.end}'
    rules = "".join(f".{name}{{{look}}}" for look, name in names.items())
    head = f'{svg_head(drawing.width, drawing.height)} role="img">'
    return f"{head}<style>{rules}</style>{PAPER}{body}</svg>"


def _short_name(number: int) -> str:
    # Few figures have more looks than the alphabet has letters.
    return chr(97 + number) if number < 26 else f"a{number}"


def _unit(name: str, value: str) -> str:
    return f"{value}px" if name in PIXELS else value


def imports(exercise: Exercise) -> str:
    """The imports of the stub, of which siblings come from the kata, then its constants."""
    lines = [SUPPRESS, "", *_statements(exercise, ast.Import | ast.ImportFrom)]
    if constants := _statements(exercise, ast.Assign):
        lines += ["", *constants]
    return SIBLING.sub(r"from kata.earlier.\1", "\n".join(lines))


def _statements(exercise: Exercise, kinds: UnionType | type) -> list[str]:
    """The stub's own statements of these kinds, with the comments behind them."""
    source = read(exercise.stub)
    lines, statements = source.text.splitlines(), source.tree.body
    nodes = (statement for statement in statements if isinstance(statement, kinds))
    return ["\n".join(lines[statement.lineno - 1 : statement.end_lineno]) for statement in nodes]


def definitions(exercise: Exercise) -> dict[str, str]:
    """The code of the functions and classes of a stub by their names, with short docstrings."""
    source = read(exercise.stub)
    return {
        statement.name: _shortened(source, statement)
        for statement in source.tree.body
        if isinstance(statement, ast.FunctionDef | ast.ClassDef)
    }


def _shortened(source: Source, node: ast.FunctionDef | ast.ClassDef) -> str:
    """A definition with docstrings of one line, as the rest of them stands above the cell."""
    lines = source.text.splitlines()
    for definition in reversed([*_documented(node)]):
        docstring = definition.body[0]
        margin = " " * docstring.col_offset
        first = (ast.get_docstring(definition) or "").splitlines()[0]
        lines[docstring.lineno - 1 : docstring.end_lineno] = [f'{margin}"""{first}"""']
    removed = len(source.text.splitlines()) - len(lines)
    return "\n".join(lines[node.lineno - 1 : (node.end_lineno or 0) - removed])


def _documented(node: ast.FunctionDef | ast.ClassDef) -> list[ast.FunctionDef | ast.ClassDef]:
    """A definition and its methods, in file order, as far as they have docstrings."""
    methods = [statement for statement in node.body if isinstance(statement, ast.FunctionDef)]
    definitions: list[ast.FunctionDef | ast.ClassDef] = [node, *methods]
    return [definition for definition in definitions if ast.get_docstring(definition)]
