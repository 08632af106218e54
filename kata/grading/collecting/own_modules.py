"""Modules of a student's own: `from masks import causal_mask`, and helpers in `utils.py`.

An answer that imports them is put together with them, as the cells of one notebook are: only what
it needs is taken, and an earlier exercise that they hold is imported as such. Every line is still
known by the file that it came from.
"""

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kata.course.curriculum import LIBRARIES, exercises
from kata.course.source import TOO_DEEP, spelled, statements
from kata.grading.collecting.handed_text.plots import without_plots
from kata.grading.collecting.handed_text.scripts import cells_of, own_imports, text_of
from kata.grading.collecting.names import few, without_suffix
from kata.grading.collecting.notebooks import earlier_imports, named_exercise
from kata.grading.collecting.one_place.files import File, own_name
from kata.words import say

MOST_MODULES = 50  # that one answer imports
INSTALLED = {*sys.stdlib_module_names, *LIBRARIES}  # a file so called takes no library's place
NAMESPACE = "from types import SimpleNamespace as _Module; "
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)


@dataclass(frozen=True)
class Whole:
    """An answer with the modules that it imports.

    Attributes:
        content: of all of it, as one file.
        places: of each line, the number of the file and the line in it; the answer's number is 0.
        modules: the files that it imports; their numbers begin at 1.
        note: what became of them.
    """

    content: bytes
    places: Mapping[int, tuple[int, int]]
    modules: tuple[str, ...]
    note: str


def with_modules(answer: File, others: Sequence[File]) -> Whole | None:
    """The answer put together with what it imports of these; None if it imports none of them."""
    reading = _Reading(others)
    text = reading.read(answer)
    if not reading.modules:
        return None
    exercise = exercises()[answer.slug]
    numbers = [(0, 0)]  # of a cell: the file, and the line before the cell's first
    cells = []
    for number, module in enumerate((*reading.modules, None), 1):
        own = [*cells_of(module.text if module else text)]
        for cell in [*own, *earlier_imports(exercise, own if module else [])]:
            cells.append(replace(cell, number=len(numbers)))
            numbers.append((number if module else 0, cell.number - 1))
    found = named_exercise(exercise, cells)
    places = {}
    for at, (which, line) in found.places.items():
        number, before = numbers[which]
        places[at] = (number, before + line)
    names = tuple(each.name for each in reading.modules)
    return Whole(found.text, places, names, _note(answer, reading, text))


@dataclass(frozen=True)
class _Module:
    name: str  # of its file
    text: str
    names: tuple[str, ...]  # that others may import


@dataclass
class _Reading:
    """Reads modules, each before what imports it."""

    files: Sequence[File]
    modules: list[_Module] = field(default_factory=list)
    _begun: list[File] = field(default_factory=list)

    def read(self, file: File) -> str:
        """The text without imports of modules, which are read first."""
        text = text_of(without_plots(own_imports(file.content, file.slug)))
        tree = _tree(text)
        for node in reversed([*_imports(tree)]):
            if bound := self._bound(node, file):
                text = _replaced(text, node, "; ".join(bound))
        return text

    def _bound(self, node: ast.stmt, file: File) -> list[str]:
        """What stands in the place of an import; nothing if it imports no module."""
        if isinstance(node, ast.ImportFrom):
            return self._names(node, file)
        assert isinstance(node, ast.Import)
        found = [(each, self._module(each.name, file)) for each in node.names]
        if not any(module for _, module in found):
            return []
        return [_namespace(each.asname or each.name, module) if module
                else f"import {spelled(each)}" for each, module in found]  # fmt: skip

    def _names(self, node: ast.ImportFrom, file: File) -> list[str]:
        if self._module(node.module or "", file):
            pairs = [(each.asname or each.name, each.name) for each in node.names]
            return [f"{new} = {name}" for new, name in pairs if new != name] or ["pass"]
        if node.module not in {None, "exercises"}:
            return []
        found = [(each, self._module(each.name, file)) for each in node.names]
        return [_namespace(each.asname or each.name, module) for each, module in found if module]

    def _module(self, dotted: str, file: File) -> _Module | None:
        """The module of this name, read; None if no file is called so, or several are."""
        *_, name = dotted.split(".")
        if not name or dotted.partition(".")[0] in INSTALLED:
            return None
        named = [each for each in self.files if each is not file and _stem(each) == name]
        near = [each for each in named if each.parts[:-1] == file.parts[:-1]] or named
        if len({each.content for each in near}) != 1 or len(self._begun) >= MOST_MODULES:
            return None
        return self._read_once(near[0])

    def _read_once(self, file: File) -> _Module | None:
        known = {each.name: each for each in self.modules}
        name = "/".join([*file.parts[:-1], own_name(file.parts[-1])])
        if name in known or file in self._begun:
            return known.get(name) or _Module(name, "", ())  # which imports itself in a circle
        self._begun.append(file)
        text = self.read(file)
        self.modules.append(_Module(name, text, tuple(_defined(_tree(text)))))
        return self.modules[-1]


def _stem(file: File) -> str:
    return without_suffix(own_name(file.parts[-1]))


def _tree(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, *TOO_DEEP):
        return ast.Module([], [])


def _imports(tree: ast.Module) -> list[ast.stmt]:
    found = [each for each in statements(tree) if isinstance(each, IMPORTS)]
    return sorted(found, key=lambda each: (each.lineno, each.col_offset))


def _defined(tree: ast.Module) -> Iterator[str]:
    """The names that it gives to functions, classes and constants."""
    for node in tree.body:
        if isinstance(node, DEFINITIONS):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (each.id for each in targets if isinstance(each, ast.Name))


def _namespace(name: str, module: _Module) -> str:
    """What gives a module its name: `import lib.utils` gives one to the package around it."""
    names = ", ".join(f"{each}={each}" for each in dict.fromkeys(module.names))
    outer, *inner = name.split(".")
    made = f"_Module({names})"
    for part in reversed(inner):
        made = f"_Module({part}={made})"
    return f"{NAMESPACE}{outer} = {made}"


def _replaced(text: str, node: ast.stmt, other: str) -> str:
    """The text with this in the place of a statement; every line keeps its number."""
    lines = text.split("\n")
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    head = lines[first].encode()[: node.col_offset].decode()
    tail = lines[last].encode()[node.end_col_offset :].decode()
    lines[first : last + 1] = [f"{head}{other}{tail}", *[""] * (last - first)]
    return "\n".join(lines)


def _note(answer: File, reading: _Reading, text: str) -> str:
    """Which files are used, and what two of them define differently."""
    name = own_name(answer.parts[-1])
    files = [(each.name, each.text) for each in reading.modules] + [(name, text)]
    twice: dict[str, str] = {}
    known: dict[str, tuple[str, str]] = {}
    for file, code in files:
        for each in _tree(code).body:
            if isinstance(each, DEFINITIONS):
                body = spelled(each)
                if known.get(each.name, (body, ""))[0] != body:
                    twice[each.name] = file
                known[each.name] = (body, file)
    used = say("collecting.modules", name=name, names=few(each.name for each in reading.modules))
    clash = (say("collecting.clash", name=each, file=file) for each, file in twice.items())
    return "; ".join([used, *clash])
