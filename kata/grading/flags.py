"""Flags: reasons for an instructor to look at a file, without any effect on its mark.

A library did the work, the file is the reference, or the code reaches what no exercise asks for:
the process that runs it, and names that it hides. These last two are searched for in the text
alone: a name that is computed can be any name. All of this can have honest reasons: a flag states a
fact, and a person decides. `judge` asks for the flags of one file at a time; nothing of the file is
executed.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, cached_property, lru_cache
from pathlib import Path

from kata.class_verdict import Work
from kata.course.curriculum import Exercise, exercises
from kata.course.source import TOO_DEEP, UnusableError, decoded, parse, read, spelled
from kata.grading.alike import LARGEST, are_alike, can_tell, digest, nearness, reference, work_of
from kata.grading.steps import DEFINITIONS, Program, dotted, imported, program
from kata.marks import PROOF
from kata.proofs.law import PREFIX
from kata.text import clean, cut, printable

MOST_LINES = 8  # that a flag lists
LONGEST_NAME = 80  # characters of a dotted name
# Powers of a file that reaches something, by the kind of flag.
CAN = {
    "reaches": "can look into the process that runs the code, and change what it reports",
    "hides": "can call what the text does not name",
}
# Modules, and what is in them, through which code can look into the process that runs it, or change
# what that process reports.
PROCESS = (
    *("__main__", "kata", "gc", "ctypes", "_ctypes", "ctypeslib", "cffi", "inspect", "linecache"),
    *("unittest.mock", "sys.modules", "sys._getframe", "sys._current_frames", "sys.settrace"),
    *("sys.setprofile", "sys.addaudithook", "sys.meta_path"),
    *("traceback.walk_tb", "traceback.walk_stack"),
)
# Attributes that lead there from any object.
INNER = {"_getframe", "_current_frames", "__traceback__", "tb_frame", "tb_next", "f_back"}
INNER |= {"f_globals", "f_locals", "f_builtins", "f_code", "gi_frame", "cr_frame", "ag_frame"}
INNER |= {"__globals__", "__builtins__", "__subclasses__", "__code__", "__closure__"}
INNER |= {"cell_contents", "__loader__", "__spec__", "__getattribute__"}
# What finds or makes code by a name that the text need not contain.
COMPUTED = (
    *("importlib", "builtins", "pickle", "_pickle", "dill", "cloudpickle", "marshal", "shelve"),
    *("pkgutil", "runpy", "pydoc", "operator.attrgetter", "operator.methodcaller"),
    *("types.FunctionType", "types.CodeType"),
)
CALLED = {"eval", "exec", "compile", "__import__", "globals"}
BY_NAME = {"getattr", "setattr", "delattr", "vars"}  # of a module; of an object they are honest
NAMESPACE = "__dict__"
FEWEST_NODES = 25  # of a syntax tree: less is a formula that everybody writes


@dataclass(frozen=True)
class Flag:
    """One line for the instructor.

    Attributes:
        kind: "delegates", "reference", "reaches", "hides" or "unread"; of tests also "model" or
            "oracle".
        text: the line.
    """

    kind: str
    text: str


def flags(exercise: Exercise, text: str, solution: Path | None = None) -> list[Flag]:
    """Flag one file by itself; `solution` is the reference, if not the kata's own."""
    mine, right = program(exercise, text), _right(exercise, solution or exercise.solution)
    if mine.unread:
        unread = Flag("unread", "too deeply nested or too large to be compared")
        return [*_reaches(exercise, text), unread]
    compared = [*_delegates(exercise, mine), *_is_reference(exercise, mine, right)]
    return [*compared, *_reaches(exercise, text)]


def _delegates(exercise: Exercise, mine: Program) -> Iterator[Flag]:
    lines: defaultdict[str, set[int]] = defaultdict(set)
    for name, line in mine.uses:
        if any(_matches(name, pattern) for pattern in exercise.delegates):
            lines[name].add(line)
    for name, numbers in lines.items():
        function = cut(printable(name), LONGEST_NAME, "…")
        text = f"`{function}` does what {exercise.short} asks for: {_where(numbers)}"
        yield Flag("delegates", clean(text))


def _reaches(exercise: Exercise, text: str) -> list[Flag]:
    """Flag what a file reaches; nothing if it cannot be read, which its verdict reports."""
    places: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    try:
        for kind, name, line in _File(parse(exercise.stub, text).tree).reaches():
            places[kind].append((f"`{name}`", line))
    except (UnusableError, *TOO_DEEP):
        return []
    return [_reach(kind, places[kind]) for kind in sorted(places)]


def _reach(kind: str, places: list[tuple[str, int]]) -> Flag:
    names = ", ".join(dict.fromkeys(name for name, _ in places))
    return Flag(kind, f"{names} {CAN[kind]}: {_where({line for _, line in places})}")


def _where(lines: set[int]) -> str:
    """List the first of these lines, in words."""
    listed = ", ".join(map(str, sorted(lines)[:MOST_LINES]))
    if (more := len(lines) - MOST_LINES) > 0:
        listed = f"{listed} and {more} more"
    return f"line{'s' * (len(lines) > 1)} {listed}"


def _matches(name: str, pattern: str) -> bool:
    """Return whether a name fits a pattern: a method as a whole, a dotted name in any part.

    Names from an earlier exercise of their own, which begin with a dot too, are no library's.
    """
    if name.startswith(".") and "." in name[1:]:
        return False
    parts = [name] if name.startswith(".") else name.split(".")
    return any(fnmatchcase(part, pattern) for part in parts)


def _is_reference(exercise: Exercise, mine: Program, right: Program) -> Iterator[Flag]:
    if mine.spelled == right.spelled:
        large = can_tell(exercise, right.letters)
        aside = "names aside" if large else "as short right answers often are"
        yield Flag("reference", f"the same program as the reference, {aside}")
    elif are_alike(exercise, mine.letters, right.letters):
        share = f"{int(100 * nearness(mine.letters, right.letters))} % the same steps"
        yield Flag("reference", f"{share} as the reference, names and order aside")


@cache
def _right(exercise: Exercise, solution: Path) -> Program:
    return program(exercise, read(solution).text)


class _File:
    def __init__(self, tree: ast.Module) -> None:
        self._nodes = [*ast.walk(tree)]
        self._imported = imported(tree)
        for node in self._nodes:  # second names of what was imported: `f = torch.nn.functional`
            if isinstance(node, ast.Assign) and (path := self._path(node.value)):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self._imported.setdefault(target.id, path)

    @cached_property
    def _own(self) -> set[str]:
        """The names that the file binds itself, and which are no builtins there."""
        bound = {node.name for node in self._nodes if isinstance(node, DEFINITIONS)}
        bound |= {node.arg for node in self._nodes if isinstance(node, ast.arg)}
        names = (name for name in self._nodes if isinstance(name, ast.Name))
        return bound | {name.id for name in names if not isinstance(name.ctx, ast.Load)}

    def reaches(self) -> Iterator[tuple[str, str, int]]:
        """Yield what leads to the process or hides a name: kind of flag, name, line."""
        for node in self._nodes:
            line = getattr(node, "lineno", 0)
            yield from (("reaches", name, line) for name in self._of_the_process(node))
            yield from (("hides", name, line) for name in self._hidden(node))

    def _of_the_process(self, node: ast.AST) -> Iterator[str]:
        yield from self._named(node, PROCESS)
        if words := _words(node):
            yield from (name for name in sorted(INNER) if name in words)

    def _hidden(self, node: ast.AST) -> Iterator[str]:
        yield from self._named(node, COMPUTED)
        if isinstance(node, ast.Name) and node.id in CALLED and node.id not in self._own:
            yield node.id
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            by_name = node.func.id in BY_NAME - self._own
            yield from [node.func.id] if by_name and self._path(node.args[0]) else []
        if isinstance(node, ast.Attribute) and node.attr == NAMESPACE and self._path(node.value):
            yield NAMESPACE

    def _named(self, node: ast.AST, wanted: Iterable[str]) -> Iterator[str]:
        """Yield the wanted names that a node imports, or spells out."""
        if paths := [f".{path}." for path in self._paths(node) if path]:
            yield from (name for name in wanted if any(f".{name}." in path for path in paths))

    def _paths(self, node: ast.AST) -> list[str]:
        if isinstance(node, ast.Attribute | ast.Name):
            return [self._path(node)]
        if isinstance(node, ast.Import):
            return [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            return [f"{node.module}.{alias.name}" for alias in node.names]
        return []

    def _path(self, node: ast.expr) -> str:
        return dotted(node, lambda name: self._imported.get(name, ""))


def _words(node: ast.AST) -> str | tuple[str, ...]:
    """Return the names in a node, or a whole text: `format` and `getattr` take names from texts."""
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return (name,)
        case ast.MatchClass(kwd_attrs=names):
            return tuple(names)
        case ast.Constant(value=str(text)):
            return text
    return ()


# -- works to compare with those of other students, and flags of tests


def works_of(
    slugs: Iterable[str], answers: Mapping[str, bytes], tests: Mapping[str, bytes]
) -> Iterator[Work]:
    """Read the works that can be read; the verdicts on the rest say why not."""
    for slug in slugs:
        for files, work in ((answers, work_of), (tests, work_of_tests)):
            if slug in files:
                with suppress(Exception):  # of any kind: a file may be made to be hard to read
                    yield work(exercises()[slug], decoded(slug, files[slug]))


@lru_cache(maxsize=1024)
def work_of_tests(exercise: Exercise, text: str) -> Work:
    """Read a student's tests, as far as they are compared, and flag them by themselves."""
    steps = program(exercise, text, PREFIX).letters
    flags = tuple((flag.kind, flag.text) for flag in flags_of_tests(exercise, text))
    return Work(PROOF + exercise.slug, steps[: LARGEST + 1], digest(text), flags)


def flags_of_tests(exercise: Exercise, text: str) -> list[Flag]:
    """Flag a proof by itself."""
    return [*_is_model(exercise, text), *_has_solution(exercise, text)]


def _is_model(exercise: Exercise, text: str) -> Iterator[Flag]:
    mine, model = program(exercise, text, PREFIX).letters, reference(PROOF + exercise.slug)
    if are_alike(exercise, mine, model):
        share = f"{int(100 * nearness(mine, model))} % the same steps"
        yield Flag("model", f"{share} as the kata's own tests, names and order aside")


def _has_solution(exercise: Exercise, text: str) -> Iterator[Flag]:
    """Flag tests that contain the solution: comparing answers with it tests nothing."""
    try:
        mine = _bodies(parse(exercise.stub, text).tree)
    except (UnusableError, *TOO_DEEP):
        return
    right = _bodies(parse(exercise.stub, read(exercise.solution).text).tree)
    lines = sorted(line for body, line in mine.items() if body in right)
    if lines:
        text = f"line {lines[0]} has a function of the reference, names aside"
        yield Flag("oracle", f"{text}: what is compared with it is compared with a copy")


def _bodies(tree: ast.Module) -> dict[str, int]:
    """Return the bodies of all functions, names aside, with the lines where they begin."""
    functions = (function for function in ast.walk(tree) if isinstance(function, ast.FunctionDef))
    return {
        _spelled(function): function.lineno
        for function in functions
        if sum(1 for node in _body(function) for _ in ast.walk(node)) >= FEWEST_NODES
    }


def _body(function: ast.FunctionDef) -> list[ast.stmt]:
    return function.body[ast.get_docstring(function) is not None :]


def _spelled(function: ast.FunctionDef) -> str:
    """Spell the statements of a function, with its own names as numbers."""
    names = [node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)]
    stored = (name for name in ast.walk(function) if isinstance(name, ast.Name))
    names += [name.id for name in stored if isinstance(name.ctx, ast.Store)]
    numbers = {name: f"_{place}" for place, name in enumerate(dict.fromkeys(names))}
    copy = ast.parse("\n".join(ast.unparse(statement) for statement in _body(function)))
    for node in ast.walk(copy):
        if isinstance(node, ast.Name):
            node.id = numbers.get(node.id, node.id)
    return spelled(copy)
