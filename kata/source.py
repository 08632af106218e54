"""A learner's file as text: readable or not, started or not, importing only what it may.

Nothing here runs the file, and nothing here imports torch.
"""

import ast
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from kata.curriculum import Exercise, everything

LARGEST = 1 << 20  # bytes; a hundred times what any exercise needs


class UnusableError(Exception):
    """The file cannot be judged at all; the text says why, in words for the learner."""

    def __init__(self, text: str, line: int = 0) -> None:
        super().__init__(text)
        self.line = line


@dataclass(frozen=True)
class Source:
    """One readable file of an exercise."""

    path: Path
    text: str
    tree: ast.Module


@dataclass(frozen=True)
class Contract:
    """The public names of an exercise and their parameters, as its solution has them."""

    functions: dict[str, tuple[str, ...]]  # "split_heads", "EncoderLayer.forward" → parameters

    @property
    def names(self) -> list[str]:
        """The top-level names."""
        return list(dict.fromkeys(name.split(".")[0] for name in self.functions))


def read(path: Path) -> Source:
    """The file's text and tree, or one clear sentence."""
    return parse(path, _text(path))


def parse(path: Path, text: str) -> Source:
    """The tree of a text that stands for this file."""
    try:
        return Source(path, text, ast.parse(text, str(path)))
    except SyntaxError as error:
        where = f"{path.name}:{error.lineno}" if error.lineno else path.name
        line = f"\n    {error.text.strip()}" if error.text else ""
        text = f"{where} is not Python: {error.msg}{line}"
        raise UnusableError(text, error.lineno or 0) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnusableError(f"{path.name} is not Python: {error}") from None


def _text(path: Path) -> str:
    if path.is_dir():
        raise UnusableError(f"{path.name} is a folder, expected a Python file")
    try:
        if path.stat().st_size > LARGEST:
            raise UnusableError(f"{path.name} is larger than {LARGEST} bytes")
        with tokenize.open(path) as file:
            return file.read()
    except (UnicodeDecodeError, SyntaxError) as error:  # a wrong encoding cookie is a SyntaxError
        raise UnusableError(f"{path.name} is not UTF-8 text: {error}") from None
    except OSError as error:
        raise UnusableError(f"{path.name} cannot be read: {error.strerror}") from None


@cache
def contract(exercise: Exercise) -> Contract:
    """What the exercise asks for: the public names of its solution."""
    return Contract(dict(_public(read(exercise.solution).tree)))


def _public(tree: ast.Module) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, function in functions(tree):
        if not is_private(name):
            yield name, tuple(each.arg for each in function.args.args if each.arg != "self")


def is_private(name: str) -> bool:
    """A helper that no contract speaks of."""
    return any(part.startswith("_") and part != "__init__" for part in name.split("."))


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Top-level functions, and methods of top-level classes as Class.method."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        if isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef):
                    yield f"{node.name}.{each.name}", each


def not_started(source: Source, exercise: Exercise) -> bool:
    """Whether every function still raises the stub's NotImplementedError."""
    written = dict(functions(source.tree))
    return all(name in written and is_stub(written[name]) for name in contract(exercise).functions)


def first_line(source: Source) -> int:
    """Where to begin in a file that is not started: the first function's last line."""
    return next((each.body[-1].lineno for _, each in functions(source.tree)), 1)


def line_of(source: Source, call: str) -> int:
    """Where a function lies that was called; `Kind(8, 2)` is a module, whose forward was called."""
    name, *arguments = call.split("(")
    lines = {each: function.lineno for each, function in functions(source.tree)}
    method = "forward" if arguments else "__init__"
    return lines.get(name) or lines.get(f"{name}.{method}") or 0


def is_stub(function: ast.FunctionDef) -> bool:
    """Docstring, perhaps super().__init__(), then the raise."""
    *before, last = function.body
    return _raises_not_implemented(last) and all(_says_nothing(each) for each in before)


def _raises_not_implemented(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Raise) or node.exc is None:
        return False
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _says_nothing(node: ast.stmt) -> bool:
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return docstring or ast.unparse(node) == "super().__init__()"


def siblings(tree: ast.Module) -> set[str]:
    """The modules beside this file that it imports: `from .ex07_heads import …`."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            found |= {node.module} if node.module else {each.name for each in node.names}
    return found


def check_imports(source: Source, exercise: Exercise) -> None:
    """Refuse the reference, and earlier exercises that this one does not need."""
    imported = _absolute(source.tree)
    if "solutions" in imported:
        raise UnusableError(
            f"{source.path.name} imports `solutions`. The reference judges nobody's own work: "
            "read it, close it, write yours (`pytest exercises --solutions` runs the reference)"
        )
    if absolute := imported & set(everything()):
        name = min(absolute)
        raise UnusableError(
            f"{source.path.name} imports `{name}`; as its sibling write `from .{name} import …`"
        )
    for name in sorted(siblings(source.tree) - set(exercise.needs)):
        raise UnusableError(_refused(source, exercise, name))


def _absolute(tree: ast.Module) -> set[str]:
    """Every part of every dotted name: `exercises.ex01_softmax` names ex01_softmax too."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {part for each in node.names for part in each.name.split(".")}
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {*node.module.split("."), *(each.name for each in node.names)}
    return found


def _refused(source: Source, exercise: Exercise, name: str) -> str:
    if name not in everything() and not (close := did_you_mean(name, list(everything()))):
        return (
            f"{source.path.name} imports `.{name}`; an exercise is one file: "
            "what it needs of your own belongs into it"
        )
    needs = ", ".join(exercise.needs) or "no earlier exercise"
    close = did_you_mean(name, exercise.needs)
    return f"{source.path.name} imports `.{name}`; {exercise.short} may import {needs}{close}"


def misspelled(name: str, candidates: list[str]) -> str:
    """A half-sentence about the name that is there instead, or nothing."""
    close = get_close_matches(name, candidates, n=1, cutoff=0.6)
    return f"; did you mean `{name}` where it says `{close[0]}`?" if close else ""


def did_you_mean(name: str, candidates: list[str] | tuple[str, ...]) -> str:
    """A half-sentence, or nothing."""
    close = get_close_matches(name, candidates, n=1, cutoff=0.6)
    return f"; did you mean `{close[0]}`?" if close else ""
