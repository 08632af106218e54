"""The evidence of a mistake: what a claim shows of it, and the function that it is in."""

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
        """Whether the claim holds, so that there is no evidence."""
        return self.finding.verdict.held

    @property
    def message(self) -> Message:
        """The message of the claim, without lines of code and without the cause that it names.

        Nor does it say how to make the call again, which would call the reader's own code.
        """
        message = self.finding.verdict.message or Message("")
        inputs = [line for line in message.inputs.splitlines() if not line.startswith(CALL)]
        return replace(message, inputs="\n".join(inputs), frames=[], line=0, file="", cause="")

    @property
    def text(self) -> str:
        """The evidence in words; empty if the claim holds."""
        return "" if self.held else self.message.evidence

    def differs(self, other: "Evidence") -> bool:
        """Return whether a reader can tell the two apart, and not by rounding alone."""
        same = alike(self.finding, other.finding, LOOSE)
        return self.text != other.text and not same


def claims_of(exercise: Exercise, bug: Bug) -> list[Claim]:
    """Return the claim that a mistake fails first, if it needs no GPU."""
    claims = (claim for claim in suite(exercise) if claim.device != "cuda")
    return [claim for claim in claims if claim.name == bug.claim]


@lru_cache(maxsize=512)
def judged(exercise: Exercise, bug: Bug, claim: Claim) -> Evidence:
    """Judge the claim on the mistake in its usual form."""
    return next(_judged(exercise, bug, claim, remarks=True))


@lru_cache(maxsize=512)
def compared(exercise: Exercise, bug: Bug, claim: Claim) -> Evidence:
    """Judge the same without remarks on the text of the code: nobody reads the message."""
    return next(_judged(exercise, bug, claim, remarks=False))


def in_all_forms(exercise: Exercise, bug: Bug, claim: Claim) -> Iterator[Evidence]:
    """Judge the claim on the mistake in all of its forms."""
    yield compared(exercise, bug, claim)
    for form in bug.forms[1:]:
        yield from _judged(exercise, form, claim, remarks=False)


def always_differs(exercise: Exercise, bug: Bug, claim: Claim, evidence: Evidence) -> bool:
    """Return whether a failing claim shows something else of a mistake, in all its forms.

    They are judged one after the other: that takes the time, and the first is often enough.
    """
    return all(
        _is_recorded_to_hold(exercise, bug, number, claim)
        or all(other.differs(evidence) for other in _in_form(exercise, bug, number, claim))
        for number in range(len(bug.forms))
    )


def _is_recorded_to_hold(exercise: Exercise, bug: Bug, form: int, claim: Claim) -> bool:
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
    """Return the top-level functions and classes by name."""
    return {
        statement.name: statement for statement in tree_of(text).body if isinstance(statement, Top)
    }


def part(text: str, top: Top) -> str:
    """Return the text of a function or class, with its decorators."""
    first, last = _span(top)
    return "\n".join(text.splitlines()[first:last])


@lru_cache(maxsize=4096)
def place(exercise: Exercise, bug: Bug) -> str:
    """Return the name of the function or class that a mistake is in; "" if it is in several."""
    right = changed(exercise)
    spans = {name: _span(top) for name, top in tops(right).items()}
    touched = {_holder(spans, right, find) for find, _ in bug.change}
    return touched.pop() if len(touched) == 1 else ""


def _holder(spans: dict[str, tuple[int, int]], text: str, find: str) -> str:
    start = text.find(find)
    first = text.count("\n", 0, start)
    last = first + find.rstrip("\n").count("\n")
    return next((name for name, (a, b) in spans.items() if a <= first and last < b), "")


def replaced(text: str, name: str, instead: str) -> str:
    """Return the file with another text for this function or class."""
    first, last = _span(tops(text)[name])
    lines = text.splitlines()
    return "\n".join([*lines[:first], *instead.splitlines(), *lines[last:]]) + "\n"


def without_docstrings(text: str) -> str:
    """Return the code without its docstrings, which the exercise shows anyway."""
    lines = dict(enumerate(text.splitlines(), start=1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, Top) and ast.get_docstring(node) is not None and len(node.body) > 1:
            for at in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1):
                del lines[at]
    return "\n".join(lines.values())


def _span(top: Top) -> tuple[int, int]:
    first = min([top.lineno, *(expression.lineno for expression in top.decorator_list)])
    return first - 1, top.end_lineno or top.lineno
