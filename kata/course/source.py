"""A file of an exercise as text: what it defines, what is started, and what it never uses."""

import ast
import errno
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from kata.course.curriculum import Exercise
from kata.files import read_named
from kata.text import clean, cut

LARGEST = 1 << 15  # bytes, three times what any exercise needs; parsing takes a thousand times more
LONGEST_LINE = 200  # characters of a line, or of a reason, in a message
# The errors of Python for code that is too deep, too long or too large, whatever it does to it.
TOO_DEEP = (RecursionError, ValueError, MemoryError, OverflowError)
# The fields in which a statement holds others.
BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
# Ways to reach a name without writing it: code that goes one of them may use anything.
INDIRECT = {"getattr", "vars", "locals", "eval", "exec", "children", "named_children", "modules",
            "named_modules", "_modules", "__dict__", "get_submodule", "get_parameter"}  # fmt: skip
KINDS = (ast.Name, ast.Attribute, ast.Assign)
BASES = ({"nn.Module"}, {"Module"}, {"torch.nn.Module"})


class UnusableError(Exception):
    """A file cannot be judged; the text says why, and a stranger's words in it are made safe."""

    def __init__(self, text: str, line: int = 0) -> None:
        super().__init__(clean(text))
        self.line = line


@dataclass(frozen=True)
class Source:
    """A readable file of an exercise."""

    path: Path
    text: str
    tree: ast.Module

    def line(self, number: int) -> str:
        """Return a line without its indentation, cut if it is long; empty if there is none."""
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
    """Return the text and syntax tree of a file; raise UnusableError if it cannot be judged."""
    return parse(path, _text(path))


def parse(path: Path, text: str) -> Source:
    """Return a text that is used in place of this file, with its syntax tree."""
    try:
        return Source(path, text, tree_of(text))
    except SyntaxError as error:
        where = f"{path.name}:{error.lineno}" if error.lineno else path.name
        line = f"\n    {shortened(error.text.strip())}" if error.text else ""
        reason = f"{where} is not Python: {shortened(error.msg)}{line}"
        raise UnusableError(reason, error.lineno or 0) from None
    except (RecursionError, MemoryError):  # Python's own limits, however right the code is
        raise UnusableError(
            f"{path.name} cannot be read: Python gives up on an expression in it, "
            "which is too long or too deeply nested"
        ) from None
    except ValueError as error:
        raise UnusableError(f"{path.name} is not Python: {shortened(str(error))}") from None


def too_large(name: str) -> UnusableError:
    """Return the error about a file that is longer than any answer."""
    return UnusableError(f"{name} is larger than {LARGEST} bytes")


def shortened(text: str) -> str:
    """Return a line of somebody's code, short enough for a message and harmless in a terminal."""
    return cut(clean(text), LONGEST_LINE, "…")


@lru_cache(maxsize=64)
def tree_of(text: str) -> ast.Module:
    """Return the syntax tree of a text; several parts of a diagnosis ask for the same."""
    return ast.parse(text)


def decoded(name: str, content: bytes) -> str:
    """Return the text of a file, as Python reads it."""
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
    """Return what the exercise asks for: the public names of its solution."""
    public = {
        name: tuple(argument.arg for argument in function.args.args if argument.arg != "self")
        for name, function in functions(read(exercise.solution).tree)
        if not is_private(name)
    }
    return Contract(public)


def is_private(name: str) -> bool:
    """Return True for a helper, which is not part of the contract."""
    return any(part.startswith("_") and part != "__init__" for part in name.split("."))


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield top-level functions, and methods of top-level classes as Class.method."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef):
                    yield f"{node.name}.{part.name}", part


def not_started(source: Source, exercise: Exercise) -> bool:
    """Return True if every function still raises the stub's NotImplementedError."""
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
    """Return the line to start at in a file that is not started: the end of its first function."""
    return next((function.body[-1].lineno for _, function in functions(source.tree)), 1)


def line_of(source: Source, call: str) -> int:
    """Return the line of the called function; for `Module(8, 2)`, the line of its forward."""
    name, *arguments = call.split("(")
    lines = {path: function.lineno for path, function in functions(source.tree)}
    method = "forward" if arguments else "__init__"
    return lines.get(name) or lines.get(f"{name}.{method}") or 0


def function_at(source: Source, line: int) -> str:
    """Return the top-level function or class that contains this line; else the first one."""
    return inside(source, line) or next(iter(top_lines(source)), "")


def inside(source: Source, line: int) -> str:
    """Return the top-level function or class that contains this line; else nothing."""
    for definition in _definitions(source):
        if definition.lineno <= line <= (definition.end_lineno or 0):
            return definition.name
    return ""


def top_lines(source: Source) -> dict[str, int]:
    """Return the lines at which functions and classes begin, by their names."""
    return {definition.name: definition.lineno for definition in _definitions(source)}


def _definitions(source: Source) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    for node in source.tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node


def is_stub(function: ast.FunctionDef) -> bool:
    """Return True for the body of a stub: docstring, perhaps super().__init__(), then the raise."""
    *before, last = function.body
    return _raises_not_implemented(last) and all(map(_is_of_a_stub, before))


def _raises_not_implemented(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Raise) or node.exc is None:
        return False
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _is_of_a_stub(node: ast.stmt) -> bool:
    """Recognise a docstring, and `super().__init__()`."""
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
    """Return the code of a node; empty if it is too deep, or its numbers too long, for Python."""
    try:
        return ast.unparse(node)
    except TOO_DEEP:
        return ""


def siblings(tree: ast.Module) -> set[str]:
    """Return the modules that a file imports from its own folder: `from .ex07_heads import …`."""
    modules: set[str] = set()
    for node in statements(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            modules |= {node.module} if node.module else {alias.name for alias in node.names}
    return modules


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements, without the expressions in them, which are ten times as many.

    Not recursive: an `elif` lies in the one before.
    """
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        for block in BLOCKS:
            parts = getattr(node, block, ())
            # A lambda and a conditional expression have a body, too, which is no list.
            waiting += parts if isinstance(parts, list) else ()
        yield node


@lru_cache(maxsize=128)  # a suite asks about the same few functions again and again
def unused(source: Source, name: str) -> tuple[str, ...]:
    """Return the parameters of a function, or parts of a module, that no line of it reads."""
    for node in source.tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return tuple(_unused_in_class(node))
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return tuple(_unread(node))
    return ()


@lru_cache(maxsize=32)  # the same class and its methods are searched for several things
def _nodes(tree: ast.AST) -> dict[type[ast.AST], list[Any]]:
    """Return the nodes in a tree, by kind."""
    nodes: dict[type[ast.AST], list[Any]] = {kind: [] for kind in KINDS}
    for node in ast.walk(tree):
        if type(node) in nodes:
            nodes[type(node)].append(node)
    return nodes


def _unused_in_class(node: ast.ClassDef) -> Iterator[str]:
    methods = [function for name, function in functions(ast.Module([node], [])) if "." in name]
    yield from (name for function in methods if _is_called(function) for name in _unread(function))
    if {spelled(base) for base in node.bases} in BASES and not _is_indirect(node):
        read = {part.attr for part in _of_self(node) if isinstance(part.ctx, ast.Load)}
        yield from (name for name in dict.fromkeys(_parts(node)) if name not in read)


def _is_called(method: ast.FunctionDef) -> bool:
    return method.name in {"__init__", "forward"}


def _unread(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the parameters that are never read."""
    if _is_indirect(function):
        return
    read = {name.id for name in _nodes(function)[ast.Name] if isinstance(name.ctx, ast.Load)}
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if argument.arg != "self" and argument.arg not in read:
            yield argument.arg


def _is_indirect(node: ast.AST) -> bool:
    """Tell if code may use what it does not name: it may do so with `self` as a whole, too."""
    names = [name.id for name in _nodes(node)[ast.Name]]
    if names.count("self") > len(_of_self(node)):
        return True
    attributes = {attribute.attr for attribute in _nodes(node)[ast.Attribute]}
    return not INDIRECT.isdisjoint(attributes.union(names))


def _of_self(node: ast.AST) -> list[ast.Attribute]:
    return [attribute for attribute in _nodes(node)[ast.Attribute]
            if isinstance(attribute.value, ast.Name) and attribute.value.id == "self"]  # fmt: skip


def _parts(node: ast.ClassDef) -> Iterator[str]:
    """Yield parts that are made of a class, `self.norm2 = LayerNorm(…)`; numbers may be unused."""
    for assignment in _nodes(node)[ast.Assign]:
        if _makes_a_part(assignment.value):
            for target in assignment.targets:
                yield from (attribute.attr for attribute in _of_self(target))


def _makes_a_part(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call):
        return False
    return spelled(value.func).split(".")[-1][:1].isupper()
