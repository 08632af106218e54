"""What somebody left in the code by accident: a debugger, a plot, a file for notes, a package.

No exercise asks for these, and none of them is an attack. Only what a line of the text explains
counts as an accident: everything else that was noticed remains tampering.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kata.course.source import TOO_DEEP, tree_of
from kata.grading.verdicts.accidents import (
    Event,
    Kind,
    event,
    of_a_debugger,
    of_a_file,
    of_a_plot,
    of_a_screen,
)
from kata.inside import audit
from kata.verdict import ClaimVerdict
from kata.words import say

MISSING = re.compile(r"No module named '(\w+)[\w.]*'")
MOST_LINES = 5
# Calls, by what stands behind their last dot.
STOPPING = {"breakpoint", "set_trace", "post_mortem"}
IN_THE_MIDDLE = {"embed": "IPython", "interact": "code"}  # debuggers if this is imported
USING_FILES = {
    *("open", "save", "savez", "savetxt", "load", "loadtxt", "genfromtxt", "fromfile", "tofile"),
    *("memmap", "read_text", "write_text", "read_bytes", "write_bytes", "read_csv", "to_csv"),
    *("basicConfig", "FileHandler", "savefig", "imsave", "imread", "remove", "unlink", "rename"),
    *("mkdtemp", "mkstemp", "TemporaryFile", "NamedTemporaryFile", "TemporaryDirectory", "touch"),
    *("listdir", "scandir", "iterdir", "glob", "rglob", "walk", "SummaryWriter", "embed"),
}
DRAWING = {"show", "savefig", "plot", "imshow", "figure", "subplots", "matshow", "heatmap"}
PLOTTING = ("matplotlib", "seaborn", "plotly")


@dataclass(frozen=True)
class Found:
    """What was left in the code, for everybody to read, and what is no accident."""

    left_over: tuple[str, ...]
    tampering: tuple[str, ...]


def sorted_out(text: str, seen: Sequence[str], claims: Iterable[ClaimVerdict]) -> Found:
    """What was noticed, and what is not installed, by what the text says.

    Where so much was tried that not all of it was written down, nothing of it is an accident.
    """
    code = _Code(text)
    known = [code.explanation(event(each)) for each in seen]
    harm = [each for each, told in zip(seen, known, strict=True) if not told]
    if len(seen) >= audit.MOST:
        harm = [*seen]
    told = [*code.debuggers, *code.missing(_absent(claims)), *known]
    return Found(tuple(dict.fromkeys(filter(None, told))), tuple(harm))


def _absent(claims: Iterable[ClaimVerdict]) -> list[str]:
    """Packages that could not be imported."""
    texts = (each.message.evidence for each in claims if each.message)
    return sorted({name for text in texts for name in MISSING.findall(text)})


class _Code:
    """The text of an answer, and what in it nobody asks for."""

    def __init__(self, text: str) -> None:
        try:
            self._nodes = [*ast.walk(tree_of(text))]
        except (SyntaxError, ValueError, *TOO_DEEP):
            self._nodes = []
        self._calls = [*self._called()]
        self.debuggers = [*self._debuggers()]
        self._kinds = [*self._kinds_of_accidents()]

    def explanation(self, found: Event) -> str:
        """What this is, if it is an accident; else empty."""
        return next((said for is_it, said in self._kinds if is_it(found)), "")

    def missing(self, absent: Iterable[str]) -> Iterator[str]:
        """The packages that are imported here and were not there."""
        for name in absent:
            if lines := self._imports(name):
                yield say("verdicts.left-package", name=name, lines=_where(lines))

    def _debuggers(self) -> Iterator[str]:
        stops = [each for each in self._calls if self._stops(each[0].rpartition(".")[2])]
        for name in dict.fromkeys(name for name, _ in stops):
            lines = [line for each, line in stops if each == name]
            yield say("verdicts.left-debugger", name=name, lines=_where(lines))

    def _stops(self, name: str) -> bool:
        return name in STOPPING or bool(self._imports(IN_THE_MIDDLE.get(name, "")))

    def _kinds_of_accidents(self) -> Iterator[tuple[Kind, str]]:
        """What may happen by accident in this code, and how that is told."""
        if self.debuggers:
            yield of_a_debugger, self.debuggers[0]
        if imported := [line for each in PLOTTING for line in self._imports(each)]:
            plot = say("verdicts.left-plot", lines=_where(self._lines_of(DRAWING) or imported))
            yield from ((of_a_plot, plot), (of_a_file, plot))  # it keeps files of its own
        if cleared := self._lines_of({"system"}):
            yield of_a_screen, say("verdicts.left-clearing", lines=_where(cleared))
        if used := self._lines_of(USING_FILES):
            yield of_a_file, say("verdicts.left-file", lines=_where(used))

    def _lines_of(self, names: set[str]) -> list[int]:
        return [line for name, line in self._calls if name.rpartition(".")[2] in names]

    def _called(self) -> Iterator[tuple[str, int]]:
        """What is called by a name, with its line."""
        for node in self._nodes:
            if isinstance(node, ast.Call) and (name := _dotted(node.func)):
                yield name, node.lineno

    def _imports(self, package: str) -> list[int]:
        """The lines that import something of it."""
        imports = (each for each in self._nodes if isinstance(each, ast.Import | ast.ImportFrom))
        return [each.lineno for each in imports if package and package in _packages(each)]


def _dotted(node: ast.expr) -> str:
    """`pdb.set_trace`; of a longer expression its last name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=first), attr=name):
            return f"{first}.{name}"
        case ast.Attribute(attr=name):
            return name
    return ""


def _packages(node: ast.Import | ast.ImportFrom) -> set[str]:
    if isinstance(node, ast.ImportFrom):
        return set() if node.level else {(node.module or "").partition(".")[0]}
    return {each.name.partition(".")[0] for each in node.names}


def _where(lines: Iterable[int]) -> str:
    """The first of these lines, in words."""
    first = sorted(set(lines))[:MOST_LINES]
    key = "verdicts.lines" if len(first) > 1 else "verdicts.line"
    return say(key, lines=", ".join(map(str, first)))
