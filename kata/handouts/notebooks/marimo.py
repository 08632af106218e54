"""A notebook as marimo keeps it: a Python file in which each cell is a function.

A name may be defined in one cell only, so examples are functions that keep their names to
themselves.
"""

import ast
import re
import textwrap
from collections.abc import Iterable

from kata.course.curriculum import Exercise
from kata.course.notebooks.names_in_code import effects, uses
from kata.handouts.notebooks.pieces import Kind, Piece, pieces

HEAD = "import marimo\n\napp = marimo.App()\n"
OWN = Piece("marimo", Kind.GIVEN, "import marimo as mo")
LINK = re.compile(r"\[(\w+)\.ipynb\]\(\w+\.ipynb\)")
TAIL = 'if __name__ == "__main__":\n    app.run()\n'


def marimo(exercise: Exercise) -> str:
    """The notebook of an exercise as the code of a Python file."""
    cells = [OWN, *map(_for_marimo, pieces(exercise))]
    names = {name for cell in cells for name in _defined(cell)}
    return "\n\n".join([HEAD, *(_cell(cell, names) + "\n" for cell in cells), TAIL])


def _for_marimo(piece: Piece) -> Piece:
    if piece.kind is Kind.TEXT:
        text = LINK.sub(r"`marimo_\1.py`", piece.text)
        code = f'mo.md(r"""\n{text}\n""")'
    elif piece.kind is Kind.EXAMPLE:
        code = f"def _example():\n{textwrap.indent(piece.text, '    ')}\n\n\n_example()"
    else:
        code = piece.text
    return Piece(piece.name, piece.kind, code, piece.about)


def _defined(piece: Piece) -> list[str]:
    """The names that other cells see: those without an underscore in front."""
    statements = ast.parse(piece.text).body
    names = dict.fromkeys(
        name for statement in statements for name in sorted(effects(statement).binds)
    )
    return [name for name in names if not name.startswith("_")]


def _used(piece: Piece) -> set[str]:
    names = uses(piece.text)
    return names.at_once | names.later


def _cell(piece: Piece, names: Iterable[str]) -> str:
    """A cell as a function: names of other cells are its arguments, its own ones its result."""
    defined = _defined(piece)
    taken = sorted(_used(piece) & set(names) - set(defined))
    hidden = "(hide_code=True)" if piece.kind is Kind.TEXT else ""
    listed = ", ".join(defined) + ("," if len(defined) == 1 else "")
    result = f"    return ({listed})" if defined else "    return"
    body = textwrap.indent(piece.text, "    ", lambda line: bool(line.strip()))
    return f"@app.cell{hidden}\ndef _({', '.join(taken)}):\n{body}\n{result}"
