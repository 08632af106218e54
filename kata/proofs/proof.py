"""A proof, which is a learner's tests of one exercise: its file, its stub, and its code."""

import ast
import linecache
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import CodeType
from typing import Any

from kata.course.curriculum import EXERCISES, Exercise, exercises
from kata.course.source import Source, UnusableError, contract, is_stub, parse, read, shortened
from kata.proofs.law import PREFIX, Function, find_tests, refusals

PACKAGE = "exercises"  # where the implementation under judgement can be imported from
NAME = "proofs"
FOLDER = EXERCISES.parent / NAME  # of a checkout
EXPLAIN = "__told__"  # called by asserts that explain themselves; no name of a learner's
WIDEST = 100  # columns
LIBRARIES = {"numpy": "import numpy as np", "torch": "import torch"}
STUB = '''\
"""Your own tests of exercise {number}: {title}. `kata prove {short}` judges them.

A test is a function `test_…` without arguments. It asserts what the contract promises, the
docstrings of exercises/{slug}.py: every answer that keeps it has to pass,
however it is written, and wrong ones have to fail. What the contract leaves free, a test leaves
free, too. Rename these, split them, add more: a few short ones are enough.
"""

if __name__ == "__main__":
    raise SystemExit("This file is judged: kata prove {short}")

{library}

{names}
'''
TEST = """

def {name}() -> None:
    raise NotImplementedError("not written yet")
"""


@dataclass(frozen=True, eq=False)
class Proof:
    """A learner's tests of one exercise.

    Args:
        exercise: that they are about.
        source: the text.
        borrowed: names of the implementation that the text uses without importing, as cells do.
        codes: the compiled text, with and without asserts that explain themselves.
    """

    exercise: Exercise
    source: Source
    borrowed: Sequence[str] = ()
    codes: dict[bool, CodeType] = field(default_factory=dict)

    @classmethod
    def of(cls, exercise: Exercise, path: Path, text: str, borrowed: Sequence[str] = ()) -> "Proof":
        """Make a proof of a text; raise UnusableError if nothing in it can be judged."""
        proof = cls(exercise, parse(path, text), borrowed)
        if "solutions" in proof.imports:
            raise UnusableError(
                f"{path.name} imports `solutions`: the reference is among the right answers "
                "that your tests are judged on, so they may not compare with it"
            )
        find_tests(proof.source.tree)
        return proof

    @cached_property
    def tests(self) -> Mapping[str, Function]:
        """The test functions, by name; of two with the same name the last one counts."""
        return find_tests(self.source.tree)

    @cached_property
    def refusals(self) -> Mapping[str, str]:
        """The reasons why some of them count for nothing, by their names."""
        return refusals(self.source.tree)

    @property
    def written(self) -> list[str]:
        """The names of the tests that are no stubs any more."""
        return [name for name, node in self.tests.items() if not _is_unwritten(node)]

    @property
    def remarks(self) -> Iterator[str]:
        """Sentences for an author who wrote it for pytest."""
        defined: set[str] = set()
        for node in self.source.tree.body:
            name = getattr(node, "name", "")
            if isinstance(node, ast.ClassDef) and name.startswith("Test"):
                yield (
                    f"line {node.lineno}: `{name}` is a class; "
                    "a test here is a function, so what is in it does not run"
                )
            if isinstance(node, Function) and name in defined and name.startswith(PREFIX):
                yield f"line {node.lineno}: `{name}` was defined before; this last one counts"
            defined.add(name)
        for name in self.written:
            yield from _slips(self.tests[name])

    @cached_property
    def imports(self) -> frozenset[str]:
        """The first parts of all absolute imports."""
        return frozenset(name.partition(".")[0] for name in self._imported)

    @cached_property
    def needs(self) -> list[str]:
        """The slugs of the other exercises that it imports."""
        parts = {part for name in self._imported for part in name.split(".")}
        return [slug for slug in exercises() if slug in parts and slug != self.exercise.slug]

    @cached_property
    def _imported(self) -> set[str]:
        """The names of all imports; relative ones begin with `exercises`."""
        names: set[str] = set()
        for node in ast.walk(self.source.tree):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                front = [PACKAGE] if node.level else []
                package = [*front, *filter(None, [node.module])]
                names |= {".".join([*package, alias.name]) for alias in node.names}
        return names

    def executed(self, names: Mapping[str, Any], *, explains: bool = False) -> dict[str, Any]:
        """Run the top level and return its names; `explains` if asserts show their values."""
        space = {"__name__": f"{PACKAGE}.proof", "__package__": PACKAGE, EXPLAIN: explained}
        space |= names
        exec(self._code(explains), space)
        return space

    def _code(self, explains: bool) -> CodeType:
        if explains not in self.codes:
            tree = explaining(ast.parse(self.source.text)) if explains else self.source.tree
            self.codes[explains] = compile(tree, self.path, "exec", dont_inherit=True)
            self._remember_lines()
        return self.codes[explains]

    @property
    def path(self) -> str:
        """The file that tracebacks name."""
        return str(self.source.path)

    def _remember_lines(self) -> None:
        """For tracebacks, and for what looks at the text of a function."""
        text = self.source.text
        linecache.cache[self.path] = (len(text), None, text.splitlines(keepends=True), self.path)


def _is_unwritten(node: Function) -> bool:
    return isinstance(node, ast.FunctionDef) and is_stub(node)


def _slips(test: Function) -> Iterator[str]:
    """Sentences about what looks like an assert and asserts nothing."""
    for node in ast.walk(test):
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Tuple):
            yield (
                f"line {node.lineno}: an assert of a pair in parentheses is always true: "
                "what stands after the comma is meant as a message"
            )
    for node in test.body:
        if isinstance(node, ast.Return) and node.value:
            yield (
                f"line {node.lineno}: `{test.name}` returns a value, "
                "which nobody looks at: `assert` it"
            )


def proofs_of(folder: Path) -> Path:
    """Return the folder of proofs that belongs to this folder of exercises."""
    return folder.parent / NAME if folder.name else folder.absolute().parent / NAME


def proof_at(exercise: Exercise, path: Path) -> Proof:
    """Read the tests in this file; raise UnusableError if it cannot be judged."""
    return Proof.of(exercise, path, read(path).text)


def begun(folder: Path) -> list[Proof]:
    """Return the proofs in which any test is written, the one that was saved last at the end."""
    proofs = []
    for exercise in exercises().values():
        path = folder / exercise.filename
        if path.is_file():
            with suppress(UnusableError):
                proofs.append(proof_at(exercise, path))
    written = [proof for proof in proofs if proof.written]
    return sorted(written, key=lambda proof: proof.source.path.stat().st_mtime)


# -- the stub that a learner begins with


def proof_stub(exercise: Exercise) -> str:
    """Return a function for every name of the contract that raises: it is not written yet."""
    return proof_stub_of(exercise, contract(exercise).names)


def proof_stub_of(exercise: Exercise, names: list[str]) -> str:
    """Return the stub for these names; the solution need not be in its folder yet."""
    head = STUB.format(
        number=exercise.short.removeprefix("ex"),
        title=exercise.title,
        short=exercise.short,
        slug=exercise.slug,
        library=LIBRARIES[exercise.library],
        names=_imports(exercise, names),
    )
    return head + "".join(TEST.format(name=name) for name in _tests(names))


def _imports(exercise: Exercise, wanted: list[str]) -> str:
    names = sorted(wanted, key=lambda name: (name.islower(), name))
    line = f"from exercises.{exercise.slug} import {', '.join(names)}"
    if len(line) <= WIDEST:
        return line
    lines = "".join(f"    {name},\n" for name in names)
    return f"from exercises.{exercise.slug} import (\n{lines})"


def _tests(names: list[str]) -> Iterator[str]:
    """The names of the tests, spelled as functions are: `test_multi_head_attention`."""
    for name in names:
        spelled = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
        is_taken = spelled != name and spelled in names  # by a function, next to this class
        yield f"test_{spelled}_module" if is_taken else f"test_{spelled}"


# -- asserts that explain themselves, for a test that refuses a right answer


def explaining(tree: ast.Module) -> ast.Module:
    """Return the same tests; their failing asserts raise the same, with the values as the text."""
    changed: ast.Module = _Asserts().visit(tree)
    return ast.fix_missing_locations(changed)


def explained(code: str, message: object, **values: object) -> str:
    """Return the text of an assert with the values of its parts, after the learner's message."""
    lines = [f"{name} is {_spelled(value)}" for name, value in values.items()]
    own = [] if message is None else [str(message)]
    return "\n".join([*own, f"assert {code}", *(f"  {line}" for line in lines)])


def _spelled(value: object) -> str:
    try:
        return shortened(" ".join(repr(value).split()))
    except Exception as error:  # the value's own __repr__
        return type(error).__name__


class _Asserts(ast.NodeTransformer):
    """Puts what an assert compares into variables, so that nothing is computed twice."""

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:  # ast prescribes the name
        """Return the parts first, and then the assert on them."""
        code = ast.unparse(node.test)
        parts = {f"__part{at}__": part for at, part in enumerate(_parts(node.test))}
        before: list[ast.stmt] = [
            ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], part), node)
            for name, part in parts.items()
        ]
        values = [
            (ast.Constant(ast.unparse(part)), ast.Name(name, ast.Load()))
            for name, part in parts.items()
            if not _is_literal(part)
        ]
        loads: list[ast.expr] = [ast.Name(name, ast.Load()) for name in parts]
        text = ast.Call(
            ast.Name(EXPLAIN, ast.Load()),
            [ast.Constant(code), node.msg or ast.Constant(None)],
            [ast.keyword(None, ast.Dict([key for key, _ in values], [v for _, v in values]))],
        )
        return [*before, ast.copy_location(ast.Assert(_with(node.test, loads), text), node)]


def _parts(test: ast.expr) -> list[ast.expr]:
    """Both sides of a comparison, or the arguments of a call."""
    match test:
        case ast.Compare(left=left, ops=[_], comparators=[right]):
            return [left, right]
        case ast.Call(func=ast.Attribute(value=ast.Compare() as all_of), args=[], keywords=[]):
            return _parts(all_of)  # (a == b).all()
        case ast.Call(args=args, keywords=[]) if not any(
            isinstance(expression, ast.Starred) for expression in args
        ):
            return list(args)
    return []


def _is_literal(part: ast.expr) -> bool:
    """Whether its code says what it is: a number, or a list of numbers."""
    kinds = (ast.Constant, ast.List, ast.Tuple, ast.UnaryOp, ast.USub, ast.Load)
    return all(isinstance(node, kinds) for node in ast.walk(part))


def _with(test: ast.expr, parts: list[ast.expr]) -> ast.expr:
    """The same test on variables."""
    match test:
        case ast.Compare(ops=[operator]) if parts:
            return ast.copy_location(ast.Compare(parts[0], [operator], parts[1:]), test)
        case ast.Call(func=ast.Attribute(value=ast.Compare() as all_of, attr=name)) if parts:
            owner = ast.Attribute(_with(all_of, parts), name, ast.Load())
            return ast.copy_location(ast.Call(owner, [], []), test)
        case ast.Call(func=func) if parts:
            return ast.copy_location(ast.Call(func, parts, []), test)
    return test
