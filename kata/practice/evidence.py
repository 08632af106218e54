"""Where in a file a mistake is, and what a claim shows of it, as its author would read it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from kata.course.catalogue import Bug, applied, changed, target_of
from kata.course.curriculum import Exercise
from kata.course.source import tree_of
from kata.diagnosis.observe import Finding, find
from kata.diagnosis.search import LOOSE, alike
from kata.diagnosis.suspects import record_of
from kata.judging.attempt import Attempt
from kata.judging.judge import Claim, suite
from kata.verdict import Message

CALL = "`kata call "
Top = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Evidence:
    """A claim as it was judged on a wrong answer."""

    finding: Finding

    @property
    def held(self) -> bool:
        """Whether the claim holds, so that nothing is to be seen."""
        return self.finding.verdict.held

    @property
    def message(self) -> Message:
        """Without lines of code, the cause that the claim itself names, and how to call it again:
        that would call the reader's own code.
        """
        told = self.finding.verdict.message or Message("")
        inputs = [line for line in told.inputs.splitlines() if not line.startswith(CALL)]
        return replace(told, inputs="\n".join(inputs), frames=[], line=0, file="", cause="")

    @property
    def text(self) -> str:
        """What is wrong in words; empty if the claim holds."""
        return "" if self.held else self.message.evidence

    def differs(self, other: "Evidence") -> bool:
        """Whether a reader can tell the two apart by what is said, and not by rounding alone."""
        same = alike(self.finding, other.finding, LOOSE)
        return self.text != other.text and not same


def claims_of(exercise: Exercise, bug: Bug) -> list[Claim]:
    """The claim that a mistake fails first, on the processor that everybody has."""
    return [each for each in suite(exercise) if each.name == bug.claim and each.device != "cuda"]


@lru_cache(maxsize=512)
def judged(exercise: Exercise, bug: Bug, claim: Claim) -> Evidence:
    """The claim on the mistake in its usual form."""
    return next(_judged(exercise, bug, claim, remarks=True))


@lru_cache(maxsize=512)
def compared(exercise: Exercise, bug: Bug, claim: Claim) -> Evidence:
    """The same, without what the text of the code says by itself: nobody reads its message."""
    return next(_judged(exercise, bug, claim, remarks=False))


def in_all_forms(exercise: Exercise, bug: Bug, claim: Claim) -> Iterator[Evidence]:
    """The claim on the mistake in each way of spelling it that is known."""
    yield compared(exercise, bug, claim)
    for form in bug.forms[1:]:
        yield from _judged(exercise, form, claim, remarks=False)


def always_differs(exercise: Exercise, bug: Bug, claim: Claim, evidence: Evidence) -> bool:
    """Whether a failing claim shows something else of a mistake, however that is spelled.

    One form after the other: to judge them takes the time, and the first is often enough.
    """
    return all(
        _is_known_to_hold(exercise, bug, number, claim)
        or all(each.differs(evidence) for each in _in_form(exercise, bug, number, claim))
        for number in range(len(bug.forms))
    )


def _is_known_to_hold(exercise: Exercise, bug: Bug, form: int, claim: Claim) -> bool:
    record = record_of(exercise, bug, form)
    return record is not None and record.holds(claim.id)


def _in_form(exercise: Exercise, bug: Bug, form: int, claim: Claim) -> Iterator[Evidence]:
    if form == 0:
        yield compared(exercise, bug, claim)
    else:
        yield from _judged(exercise, bug.forms[form], claim, remarks=False)


def _judged(exercise: Exercise, form: Bug, claim: Claim, *, remarks: bool) -> Iterator[Evidence]:
    for text in applied(exercise, form):
        attempt = Attempt(exercise, target_of(exercise, text), remarks=remarks)
        yield Evidence(find(claim, attempt))


def tops(text: str) -> dict[str, Top]:
    """The top-level functions and classes."""
    return {
        statement.name: statement for statement in tree_of(text).body if isinstance(statement, Top)
    }


def part(text: str, top: Top) -> str:
    """The text of one of them, with its decorators."""
    first, last = _span(top)
    return "\n".join(text.splitlines()[first:last])


@lru_cache(maxsize=4096)
def place(exercise: Exercise, bug: Bug) -> str:
    """The one function or class that a mistake is in; "" if there is no such one."""
    right = changed(exercise)
    whole = {name: _span(top) for name, top in tops(right).items()}
    touched = {_holder(whole, right, find) for find, _ in bug.change}
    return touched.pop() if len(touched) == 1 else ""


def _holder(whole: dict[str, tuple[int, int]], text: str, find: str) -> str:
    start = text.find(find)
    first = text.count("\n", 0, start)
    last = first + find.rstrip("\n").count("\n")
    return next((name for name, (a, b) in whole.items() if a <= first and last < b), "")


def replaced(text: str, name: str, instead: str) -> str:
    """The file with another text for this function or class."""
    first, last = _span(tops(text)[name])
    lines = text.splitlines()
    return "\n".join([*lines[:first], *instead.splitlines(), *lines[last:]]) + "\n"


def without_docstrings(text: str) -> str:
    """The code without what its contract says, which the exercise says anyway."""
    lines = dict(enumerate(text.splitlines(), start=1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, Top) and ast.get_docstring(node) is not None and len(node.body) > 1:
            for at in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1):
                del lines[at]
    return "\n".join(lines.values())


def _span(top: Top) -> tuple[int, int]:
    first = min([top.lineno, *(expression.lineno for expression in top.decorator_list)])
    return first - 1, top.end_lineno or top.lineno
