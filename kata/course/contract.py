"""The contract of an exercise: its docstrings as data, and the stub that shows them."""

import ast
import re
from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache

from kata.course.curriculum import Exercise
from kata.course.source import Source, functions, is_private, read

SECTION = re.compile(r"^(Args|Returns|Raises|Attributes):$")
NAMED = re.compile(r"^(\w+(?:, \w+)*): (.*)")
LIBRARY = "import torch"
# Before the imports: those of earlier exercises cannot work in a program.
AS_A_PROGRAM = """\
if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

"""


@dataclass(frozen=True)
class Item:
    """An entry of a section: its name, if it has one, and its description."""

    name: str
    text: str

    @property
    def names(self) -> list[str]:
        """The names of an entry that is about several."""
        return self.name.split(", ") if self.name else []


Sections = Mapping[str, tuple[Item, ...]]


@cache
def sections_of(exercise: Exercise) -> Mapping[str, Sections]:
    """Return the promises of the solution by function, class and method: `Encoder.forward`."""
    tree = read(exercise.solution).tree
    classes = {node.name: _sections(node) for node in tree.body if isinstance(node, ast.ClassDef)}
    return classes | {name: _sections(function) for name, function in functions(tree)}


def _sections(node: ast.FunctionDef | ast.ClassDef) -> Sections:
    text, _, _ = (ast.get_docstring(node) or "").partition("\n>>> ")
    return dict(section(part) for part in text.split("\n\n") if is_section(part))


def is_section(paragraph: str) -> bool:
    """Return True if a paragraph of a docstring is `Args:` or the like."""
    lines = paragraph.strip("\n").splitlines()
    return bool(lines and SECTION.match(lines[0]))


def section(paragraph: str) -> tuple[str, tuple[Item, ...]]:
    """Return the name of a section, and its entries."""
    head, *lines = paragraph.strip("\n").splitlines()
    items: list[Item] = []
    for line in lines:
        named, deeper = NAMED.match(line.strip()), line.startswith(" " * 8)
        if items and (deeper or not named):
            items[-1] = Item(items[-1].name, f"{items[-1].text} {line.strip()}")
        else:
            items.append(Item(*named.groups()) if named else Item("", line.strip()))
    return head.removesuffix(":"), tuple(items)


def stub(exercise: Exercise) -> str:
    """Return the file that a learner gets: names, docstrings, and raises in place of the bodies."""
    return stub_of(exercise, read(exercise.solution))


def stub_of(exercise: Exercise, source: Source) -> str:
    """Return the stub for this solution, which need not be in its folder yet."""
    lines = source.text.splitlines()
    for name, function in reversed(list(functions(source.tree))):
        start, end = _body(function)
        lines[start:end] = _raise(exercise, name, function)
        if is_private(name):
            del lines[function.lineno - 1 : start + 1]
    start = source.tree.body[0].end_lineno or 0  # of the docstring
    head, rest = "\n".join(lines[: start + 1]), "\n".join(lines[start + 1 :])
    text = f"{head}\n{AS_A_PROGRAM}{rest.rstrip()}\n"
    if LIBRARY in lines:
        return text
    return text.replace("\nfrom torch import", f"\n{LIBRARY}\nfrom torch import", 1)


def _body(function: ast.FunctionDef) -> tuple[int, int]:
    """Return the lines after the docstring, as a slice."""
    documented = ast.get_docstring(function) is not None
    docstring, *rest = function.body
    start = (docstring.end_lineno or 0) if documented else docstring.lineno - 1
    return start, (rest or [docstring])[-1].end_lineno or 0


def _raise(exercise: Exercise, name: str, function: ast.FunctionDef) -> list[str]:
    margin = " " * function.body[0].col_offset
    before = [f"{margin}super().__init__()"] if name.endswith(".__init__") else []
    text = f"{exercise.short} {name}: not written yet"
    return [*before, f'{margin}raise NotImplementedError("{text}")']


def unwritten(exercise: Exercise, names: Collection[str]) -> str:
    """Return stubs of these names without annotations and bases, so that they need nothing else."""
    nodes = (node for node in read(exercise.stub).tree.body if getattr(node, "name", "") in names)
    return "".join(f"\n\n{_bare(node)}\n" for node in nodes)


def _bare(stub: ast.stmt) -> str:
    copy = deepcopy(stub)
    for node in ast.walk(copy):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.ClassDef):
            node.bases = []
            node.body = [part for part in node.body if isinstance(part, ast.FunctionDef)]
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
            node.body = node.body[ast.get_docstring(node) is not None :]
    return ast.unparse(copy)
