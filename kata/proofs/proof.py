"""A learner's tests of one exercise: where they are, and a text that runs on any implementation."""

import ast
import linecache
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import CodeType
from typing import Any

from kata.course.curriculum import Exercise, exercises
from kata.course.source import Source, UnusableError, is_stub, parse, read
from kata.proofs.law import PREFIX, Function, find_tests, refusals
from kata.proofs.rewriting import TOLD, rewritten, told

PACKAGE = "exercises"  # where the implementation under judgement can be imported from
NAME = "proofs"


@dataclass(frozen=True, eq=False)
class Proof:
    """The tests.

    Args:
        exercise: that they are about.
        source: the text.
        given: names of the implementation that the text uses without importing them, as cells do.
    """

    exercise: Exercise
    source: Source
    given: Sequence[str] = ()
    codes: dict[bool, CodeType] = field(default_factory=dict)

    @classmethod
    def of(cls, exercise: Exercise, path: Path, text: str, given: Sequence[str] = ()) -> "Proof":
        """From a text; raises UnusableError if nothing in it can be judged."""
        proof = cls(exercise, parse(path, text), given)
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
        """Why some of them count for nothing, by what their text says."""
        return refusals(self.source.tree)

    @property
    def written(self) -> list[str]:
        """The names of those that are no stubs any more."""
        return [name for name, node in self.tests.items() if not _is_stub(node)]

    @property
    def remarks(self) -> Iterator[str]:
        """What somebody has to know who wrote it for pytest."""
        seen: set[str] = set()
        for node in self.source.tree.body:
            name = getattr(node, "name", "")
            if isinstance(node, ast.ClassDef) and name.startswith("Test"):
                yield (
                    f"line {node.lineno}: `{name}` is a class; "
                    "a test here is a function, so what is in it does not run"
                )
            if isinstance(node, Function) and name in seen and name.startswith(PREFIX):
                yield f"line {node.lineno}: `{name}` was defined before; this last one counts"
            seen.add(name)
        for name in self.written:
            yield from _slips(self.tests[name])

    @cached_property
    def imports(self) -> frozenset[str]:
        """The first part of each absolute import."""
        return frozenset(name.partition(".")[0] for name in self._imported)

    @cached_property
    def others(self) -> list[str]:
        """The other exercises that it imports, of which it gets the reference."""
        parts = {part for name in self._imported for part in name.split(".")}
        return [slug for slug in exercises() if slug in parts and slug != self.exercise.slug]

    @cached_property
    def _imported(self) -> set[str]:
        """All that it imports, with `exercises` in front of what it imports from beside it."""
        found: set[str] = set()
        for node in ast.walk(self.source.tree):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                front = [PACKAGE] if node.level else []
                where = [*front, *filter(None, [node.module])]
                found |= {".".join([*where, alias.name]) for alias in node.names}
        return found

    def executed(self, names: Mapping[str, Any], *, explains: bool = False) -> dict[str, Any]:
        """Its names after its top level has run; `explains` if asserts are to show their values."""
        space = {"__name__": f"{PACKAGE}.proof", "__package__": PACKAGE, TOLD: told, **names}
        exec(self._code(explains), space)
        return space

    def _code(self, explains: bool) -> CodeType:
        if explains not in self.codes:
            tree = rewritten(ast.parse(self.source.text)) if explains else self.source.tree
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


def _slips(test: Function) -> Iterator[str]:
    """What looks like an assert and asserts nothing."""
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


def _is_stub(node: Function) -> bool:
    return isinstance(node, ast.FunctionDef) and is_stub(node)


def proofs_of(folder: Path) -> Path:
    """The folder of proofs that belongs to this folder of exercises."""
    return folder.parent / NAME if folder.name else folder.absolute().parent / NAME


def proof_at(exercise: Exercise, path: Path) -> Proof:
    """The tests in this file; raises UnusableError if it cannot be judged."""
    return Proof.of(exercise, path, read(path).text)


def begun(folder: Path) -> list[Proof]:
    """The proofs in which any test is written, the one that was saved last at the end."""
    there = [
        exercise for exercise in exercises().values() if (folder / exercise.filename).is_file()
    ]
    found = []
    for each in there:
        with suppress(UnusableError):
            found.append(proof_at(each, folder / each.filename))
    written = [proof for proof in found if proof.written]
    return sorted(written, key=lambda proof: proof.source.path.stat().st_mtime)
