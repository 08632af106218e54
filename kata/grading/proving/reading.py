"""What the text of a proof says, without executing it: its tests, the exercises it imports."""

import ast
from dataclasses import dataclass
from pathlib import Path

from kata.course.curriculum import exercises
from kata.course.source import UnusableError, decoded, is_stub, parse
from kata.proofs.law import Function, find_tests, refusals
from kata.words import say

FOLDER, IMPORTED = "proofs", "exercises"


@dataclass(frozen=True)
class Test:
    """One function of a proof.

    Attributes:
        name: of the function.
        line: where it begins.
        written: whether it is more than a stub.
        problem: why it cannot be called.
    """

    name: str
    line: int
    written: bool
    problem: str = ""


@dataclass(frozen=True)
class Proof:
    """The text of a proof.

    Attributes:
        slug: of its exercise.
        text: of the file.
        tests: in file order.
        others: the exercises that it imports beside its own.
    """

    slug: str
    text: str
    tests: tuple[Test, ...]
    others: tuple[str, ...]

    @property
    def path(self) -> str:
        """Where it lies, in tracebacks."""
        return f"{FOLDER}/{self.slug}.py"


def proof(slug: str, content: bytes) -> Proof:
    """The tests of a proof; raises UnusableError if it cannot be judged."""
    path = Path(FOLDER, f"{slug}.py")
    source = parse(path, decoded(path.name, content))
    refused = refusals(source.tree)
    tests = [
        Test(name, node.lineno, not _is_stub(node), refused.get(name, ""))
        for name, node in find_tests(source.tree).items()
    ]
    if not tests:
        raise UnusableError(say("proving.no-tests"))
    return Proof(slug, source.text, (*tests,), (*sorted(_others(source.tree, slug)),))


def _is_stub(test: Function) -> bool:
    return isinstance(test, ast.FunctionDef) and is_stub(test)


def _others(tree: ast.Module, own: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            first, _, rest = node.module.partition(".")
            if first == IMPORTED:
                found |= {rest} if rest else {each.name for each in node.names}
        if isinstance(node, ast.Import):
            found |= {each.name.removeprefix(f"{IMPORTED}.") for each in node.names}
    return (found & exercises().keys()) - {own}
