"""A notebook file: the code in its cells, and the tests among them; nothing of it is run."""

import ast
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from kata.course.cells import Cell
from kata.course.source import LARGEST
from kata.text import printable

MIB = 1 << 20
LARGEST_NOTEBOOK = 8 * MIB
LARGEST_CODE = 8 * LARGEST  # characters in all code cells: parsing takes a thousand times as much
MOST_CELLS = 2000  # of code
MOST_DIGITS = 20  # of an integer
FORM = 4  # the version of the format that every editor has written since 2015
PYTHON = ("python", "ipython")  # how the names of its kernels begin
LABEL = "kata"  # the key of the metadata that says what a cell or a notebook belongs to
TEST = re.compile(r"^def +(test\w*)", re.MULTILINE)


class NotebookError(Exception):
    """There is no Python notebook in a file; the text says why."""


@dataclass(frozen=True)
class NotebookCell(Cell):
    """A code cell; its number counts all code cells of the file from one.

    `labels` are its tags, and the names under `kata` in its metadata.
    """

    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Notebook:
    """The code cells of a file, in order.

    Attributes:
        cells: those in Python.
        labels: its tags, and the names under `kata` in its metadata.
        odd: how many entries of its list of cells are no cells.
    """

    cells: tuple[NotebookCell, ...]
    labels: tuple[str, ...] = ()
    odd: int = 0


def notebook(content: bytes) -> Notebook:
    """Return the content of a file; raise NotebookError if it is no notebook in Python."""
    if len(content) > LARGEST_NOTEBOOK:
        size = f"{LARGEST_NOTEBOOK // MIB} MiB"
        raise NotebookError(f"a notebook of more than {size}; without its outputs it is smaller")
    value = _json(content)
    table = value if isinstance(value, dict) else {}
    cells, form = table.get("cells"), table.get("nbformat")
    if isinstance(form, int) and form != FORM:
        raise NotebookError(
            f"a notebook in format {form}, where {FORM} is read; Jupyter can convert it"
        )
    if form != FORM or not isinstance(cells, list):
        raise NotebookError("not a notebook: it holds no list of cells in a known format")
    metadata = _table(table, "metadata")
    _check_language(metadata)
    code, odd = _code_cells(cells)
    return Notebook(code, tuple(_labels(metadata)), odd)


def _json(content: bytes) -> Any:
    try:
        return json.loads(content, object_pairs_hook=_unique, parse_int=_number)
    except RecursionError:
        raise NotebookError("not a notebook: its parts are too deeply nested") from None
    except ValueError as error:  # also text that is not UTF-8
        raise NotebookError(f"not a notebook: {printable(str(error))}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a name with two values: programs differ in which counts, so readers could, too."""
    table = dict(pairs)
    if len(table) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise NotebookError(f"not a notebook: one of its parts has `{printable(twice)}` twice")
    return table


def _number(digits: str) -> float:
    """Read long integers as floats: Python refuses one of thousands of digits."""
    return int(digits) if len(digits) < MOST_DIGITS else float(digits)


def _table(table: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a part that is a table itself; an empty one if it is not."""
    part = table.get(name)
    return part if isinstance(part, dict) else {}


def _check_language(metadata: dict[str, Any]) -> None:
    """Refuse other languages than Python; editors write theirs in two places, or in none."""
    pair = (_table(metadata, "language_info").get("name"),
            _table(metadata, "kernelspec").get("language"))  # fmt: skip
    names = [name for name in pair if isinstance(name, str) and name]
    if names and not any(_is_python(name) for name in names):
        raise NotebookError(f"a notebook in {printable(names[0])}, not in Python")


def _is_python(name: str) -> bool:
    return name.casefold().startswith(PYTHON)


def _code_cells(cells: list[Any]) -> tuple[tuple[NotebookCell, ...], int]:
    """Return the code cells in Python, and how many entries are no cells."""
    odd = [cell for cell in cells if not _is_cell(cell)]
    code = [cell for cell in cells if _is_cell(cell) and cell["cell_type"] == "code"]
    if len(code) > MOST_CELLS:
        raise NotebookError(f"a notebook of more than {MOST_CELLS} code cells")
    python = tuple(_cell(number, cell) for number, cell in enumerate(code, start=1) if _runs(cell))
    if sum(len(cell.text) for cell in python) > LARGEST_CODE:
        raise NotebookError(f"a notebook with more than {LARGEST_CODE >> 10} KiB of code")
    return python, len(odd)


def _is_cell(entry: Any) -> bool:
    """Recognise a cell: a table with a kind and a text, which may be a list of lines."""
    if not isinstance(entry, dict) or not isinstance(entry.get("cell_type"), str):
        return False
    source = entry.get("source")
    parts = source if isinstance(source, list) else [source]
    return all(isinstance(part, str) for part in parts)


def _runs(cell: dict[str, Any]) -> bool:
    """Tell if a cell is Python: VS Code writes another language into the cell's own metadata."""
    name = _table(_table(cell, "metadata"), "vscode").get("languageId")
    return not isinstance(name, str) or _is_python(name)


def _cell(number: int, cell: dict[str, Any]) -> NotebookCell:
    labels = tuple(_labels(_table(cell, "metadata")))
    return NotebookCell(number, "".join(cell["source"]), labels=labels)


def _labels(metadata: dict[str, Any]) -> Iterator[str]:
    """Yield the names under `kata`, one or a table of them, and all tags."""
    own, tags = metadata.get(LABEL), metadata.get("tags")
    labels = list(own.values()) if isinstance(own, dict) else [own]
    labels += tags if isinstance(tags, list) else []
    yield from (label for label in labels if isinstance(label, str))


def names_of_tests(cells: Iterable[Cell]) -> list[str]:
    """Return the names of all tests, without repetition."""
    return list(dict.fromkeys(name for cell in cells for name in TEST.findall(cell.text)))


def names_used(text: str) -> set[str]:
    """Return all names that occur in a text."""
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def without(text: str, names: Collection[str]) -> str:
    """Return the text with blank lines in place of the definitions of these names."""
    lines = text.split("\n")
    for node in ast.parse(text).body:
        if getattr(node, "name", "") in names:
            decorators: list[ast.expr] = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(expression.lineno for expression in decorators)])
            end = node.end_lineno or first
            lines[first - 1 : end] = [""] * (end - first + 1)
    return "\n".join(lines)
