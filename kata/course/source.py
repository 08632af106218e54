"""A learner's file as text: is it readable, is it started, what does it import and never use?"""

import ast
import errno
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from kata.course.curriculum import Exercise, did_you_mean, earlier, exercises
from kata.files import read_named
from kata.text import clean, cut

LARGEST = 1 << 15  # bytes, three times what any exercise needs; parsing takes a thousand times more
LONGEST_LINE = 200  # characters of a line, or of a reason, in a message
# What Python raises for code that it finds too deep, too long or too large, whatever it does to it.
TOO_DEEP = (RecursionError, ValueError, MemoryError, OverflowError)
# Where a statement holds others.
BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
# What reaches names without writing them: where it is in the code, nothing is said.
INDIRECT = {"getattr", "vars", "locals", "eval", "exec", "children", "named_children", "modules"}
KINDS = (ast.Name, ast.Attribute, ast.Assign)
BASES = ({"nn.Module"}, {"Module"}, {"torch.nn.Module"})


class UnusableError(Exception):
    """The file cannot be judged; the text says why, and a stranger's words in it are made safe."""

    def __init__(self, text: str, line: int = 0) -> None:
        super().__init__(clean(text))
        self.line = line


@dataclass(frozen=True)
class Source:
    """One readable file of an exercise."""

    path: Path
    text: str
    tree: ast.Module

    def line(self, number: int) -> str:
        """One line without its indentation, cut if it is long; empty if there is no such line."""
        lines = self.text.splitlines()
        return shortened(lines[number - 1].strip()) if 0 < number <= len(lines) else ""


@dataclass(frozen=True)
class Contract:
    """The public names of an exercise and their parameters, taken from its solution."""

    functions: dict[str, tuple[str, ...]]  # "split_heads", "EncoderLayer.forward" → parameters

    @property
    def names(self) -> list[str]:
        """The top-level names."""
        return list(dict.fromkeys(name.split(".")[0] for name in self.functions))


def read(path: Path) -> Source:
    """The text and syntax tree of a file; raises UnusableError if it cannot be judged."""
    return parse(path, _text(path))


def parse(path: Path, text: str) -> Source:
    """The syntax tree of a text that is used in place of this file."""
    try:
        return Source(path, text, tree_of(text))
    except SyntaxError as error:
        where = f"{path.name}:{error.lineno}" if error.lineno else path.name
        line = f"\n    {shortened(error.text.strip())}" if error.text else ""
        text = f"{where} is not Python: {shortened(error.msg)}{line}"
        raise UnusableError(text, error.lineno or 0) from None
    except (RecursionError, MemoryError):  # Python's own limits, however right the code is
        raise UnusableError(
            f"{path.name} cannot be read: Python gives up on an expression in it, "
            "which is too long or too deeply nested"
        ) from None
    except ValueError as error:
        raise UnusableError(f"{path.name} is not Python: {shortened(str(error))}") from None


def too_large(name: str) -> UnusableError:
    """What is raised about a file that is longer than any answer."""
    return UnusableError(f"{name} is larger than {LARGEST} bytes")


def shortened(text: str) -> str:
    """A line of somebody's code, short enough for a message, which no terminal obeys."""
    return cut(clean(text), LONGEST_LINE, "…")


@lru_cache(maxsize=64)
def tree_of(text: str) -> ast.Module:
    """The syntax tree of a text that several parts of a diagnosis look at."""
    return ast.parse(text)


def decoded(name: str, content: bytes) -> str:
    """The text of a file, as Python reads it."""
    if len(content) > LARGEST:
        raise too_large(name)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return io.TextIOWrapper(io.BytesIO(content), encoding).read()
    except (UnicodeError, SyntaxError, LookupError) as error:  # wrong bytes, or a wrong cookie
        reason = shortened(str(error))
        raise UnusableError(f"{name} is not UTF-8 text: {reason}") from None


def _text(path: Path) -> str:
    if path.is_dir():
        raise UnusableError(f"{path.name} is a folder, expected a Python file")
    try:
        return decoded(path.name, read_named(path, LARGEST))
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise too_large(path.name) from None
        raise UnusableError(f"{path.name} cannot be read: {error.strerror}") from None


@cache
def contract(exercise: Exercise) -> Contract:
    """What the exercise asks for: the public names of its solution."""
    public = {
        name: tuple(argument.arg for argument in function.args.args if argument.arg != "self")
        for name, function in functions(read(exercise.solution).tree)
        if not is_private(name)
    }
    return Contract(public)


def is_private(name: str) -> bool:
    """Whether this is a helper that is not part of the contract."""
    return any(part.startswith("_") and part != "__init__" for part in name.split("."))


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Top-level functions, and methods of top-level classes as Class.method."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        if isinstance(node, ast.ClassDef):
            for statement in node.body:
                if isinstance(statement, ast.FunctionDef):
                    yield f"{node.name}.{statement.name}", statement


def not_started(source: Source, exercise: Exercise) -> bool:
    """Return whether every function still raises the stub's NotImplementedError."""
    written = dict(functions(source.tree))
    if all(map(is_stub, written.values())) and _is_copy_of_stub(source, exercise):
        return True
    return all(name in written and is_stub(written[name]) for name in contract(exercise).functions)


def _is_copy_of_stub(source: Source, exercise: Exercise) -> bool:
    """Spare a start with nothing written the solutions, which take longest to parse.

    In a checkout, learners may write into the stub itself, which then says nothing.
    """
    return source.path.absolute() != exercise.stub and source.text == _text(exercise.stub)


def first_line(source: Source) -> int:
    """The line to start at in a file that is not started: the last of its first function."""
    return next((function.body[-1].lineno for _, function in functions(source.tree)), 1)


def line_of(source: Source, call: str) -> int:
    """The line of the function that was called; for `Module(8, 2)`, the line of its forward."""
    name, *arguments = call.split("(")
    lines = {each: function.lineno for each, function in functions(source.tree)}
    method = "forward" if arguments else "__init__"
    return lines.get(name) or lines.get(f"{name}.{method}") or 0


def function_at(source: Source, line: int) -> str:
    """The top-level function or class that contains this line; else the first one."""
    return inside(source, line) or next((definition.name for definition in _tops(source)), "")


def inside(source: Source, line: int) -> str:
    """The top-level function or class that contains this line; else ""."""
    at = (
        definition
        for definition in _tops(source)
        if definition.lineno <= line <= (definition.end_lineno or 0)
    )
    return next((definition.name for definition in at), "")


def _tops(source: Source) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    return (
        statement
        for statement in source.tree.body
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef))
    )


def is_stub(function: ast.FunctionDef) -> bool:
    """Whether the body is a stub: docstring, perhaps super().__init__(), then the raise."""
    *before, last = function.body
    return _raises_not_implemented(last) and all(_is_given(statement) for statement in before)


def _raises_not_implemented(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Raise) or node.exc is None:
        return False
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _is_given(node: ast.stmt) -> bool:
    """A docstring, or `super().__init__()`."""
    match node:
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(
                    value=ast.Call(func=ast.Name(id="super"), args=[], keywords=[]),
                    attr="__init__",
                ),
                args=[],
                keywords=[],
            )
        ):
            return True
    return False


def spelled(node: ast.AST) -> str:
    """The code of a node; empty if it is too deep, or its numbers too long, to be written out."""
    try:
        return ast.unparse(node)
    except TOO_DEEP:
        return ""


def siblings(tree: ast.Module) -> set[str]:
    """The modules that it imports from its own folder: `from .ex07_heads import …`."""
    found: set[str] = set()
    for node in statements(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            found |= {node.module} if node.module else {alias.name for alias in node.names}
    return found


def check_imports(source: Source, exercise: Exercise) -> None:
    """Refuse imports of the reference, and of everything but earlier exercises."""
    imported = _absolute(source.tree)
    if "solutions" in imported:
        raise UnusableError(
            f"{source.path.name} imports `solutions`, which your own work may not use: "
            "read the reference, close it, write yours "
            "(`pytest exercises --solutions` runs the reference)"
        )
    if absolute := imported & set(exercises()):
        name = min(absolute)
        raise UnusableError(
            f"{source.path.name} imports `{name}`; write `from .{name} import …`, "
            "which imports it from the same folder"
        )
    for name in sorted(siblings(source.tree) - set(earlier(exercise))):
        raise UnusableError(_refused(source, exercise, name))


def _absolute(tree: ast.Module) -> set[str]:
    """Every part of all absolute imports: `exercises.ex01_softmax` contains ex01_softmax."""
    found: set[str] = set()
    for node in statements(tree):
        if isinstance(node, ast.Import):
            found |= {part for alias in node.names for part in alias.name.split(".")}
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {*node.module.split("."), *(alias.name for alias in node.names)}
    return found


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements, without the expressions in them, which are ten times as many.

    Not recursive: each `elif` lies in the one before.
    """
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        for block in BLOCKS:
            inside = getattr(node, block, ())
            # A lambda and a conditional expression have a body, too, which is no list.
            waiting += inside if isinstance(inside, list) else ()
        yield node


def _refused(source: Source, exercise: Exercise, name: str) -> str:
    file = source.path.name
    if name not in exercises() and not did_you_mean(name, list(exercises())):
        return f"{file} imports `.{name}`; an exercise is one file: put helpers of your own into it"
    before = earlier(exercise)
    if not before:
        return f"{file} imports `.{name}`; {exercise.short} may import no earlier exercise"
    close = did_you_mean(name, before)
    return (
        f"{file} imports `.{name}`; "
        f"{exercise.short} may import only exercises that come before it{close}"
    )


INDIRECT |= {"named_modules", "_modules", "__dict__", "get_submodule", "get_parameter"}


@lru_cache(maxsize=128)  # a suite asks about the same few functions again and again
def unused(source: Source, name: str) -> tuple[str, ...]:
    """Parameters of a function, or parts of a module, that no line of it reads."""
    for node in source.tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return tuple(_unused_in_class(node))
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return tuple(_unread(node))
    return ()


@lru_cache(maxsize=32)  # the same class and its methods are looked through for several things
def _nodes(node: ast.AST) -> dict[type[ast.AST], list[Any]]:
    """What is in it, by kind."""
    found: dict[type[ast.AST], list[Any]] = {each: [] for each in KINDS}
    for each in ast.walk(node):
        if type(each) in found:
            found[type(each)].append(each)
    return found


def _unused_in_class(node: ast.ClassDef) -> Iterator[str]:
    methods = [function for name, function in functions(ast.Module([node], [])) if "." in name]
    yield from (name for function in methods if _is_called(function) for name in _unread(function))
    if {spelled(base) for base in node.bases} in BASES and not _is_indirect(node):
        read = {
            attribute.attr for attribute in _of_self(node) if isinstance(attribute.ctx, ast.Load)
        }
        yield from (name for name in dict.fromkeys(_parts(node)) if name not in read)


def _is_called(method: ast.FunctionDef) -> bool:
    return method.name in {"__init__", "forward"}


def _unread(function: ast.FunctionDef) -> Iterator[str]:
    """Parameters that are never read."""
    if _is_indirect(function):
        return
    loaded = {value.id for value in _nodes(function)[ast.Name] if isinstance(value.ctx, ast.Load)}
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if argument.arg != "self" and argument.arg not in loaded:
            yield argument.arg


def _is_indirect(node: ast.AST) -> bool:
    """Whether something may be used that is not named: `self` as a whole is such a thing, too."""
    names = [value.id for value in _nodes(node)[ast.Name]]
    if names.count("self") > len(_of_self(node)):
        return True
    parts = {value.attr for value in _nodes(node)[ast.Attribute]}
    return not INDIRECT.isdisjoint(parts.union(names))


def _of_self(node: ast.AST) -> list[ast.Attribute]:
    return [
        each
        for each in _nodes(node)[ast.Attribute]
        if isinstance(each.value, ast.Name) and each.value.id == "self"
    ]


def _parts(node: ast.ClassDef) -> Iterator[str]:
    """What is made of a class, like `self.norm2 = LayerNorm(…)`; a number need not be used."""
    for value in _nodes(node)[ast.Assign]:
        if _makes_a_part(value.value):
            for target in value.targets:
                yield from (attribute.attr for attribute in _of_self(target))


def _makes_a_part(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call):
        return False
    return spelled(value.func).split(".")[-1][:1].isupper()
