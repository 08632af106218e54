"""All answers that the project knows, and what becomes of them in other orders."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kata.course.catalogue import (
    applied,
    bugs,
    target_of,
    versions,
    wrong_answer,
)
from kata.course.curriculum import ROOT, Exercise
from kata.judging.attempt import Attempt
from kata.judging.judge import Claim, check, suite
from kata.verdict import Message, State

SPECIMENS = ROOT / "tests" / "specimens"
STRANGERS = ("attempts", "rewritten", "wrong", "strangers/seen", "strangers/right")
Outcome = dict[str, tuple[State, Message | None]]


@dataclass(frozen=True)
class Answer:
    """One file, of which kind it is, and whether it is known to remember something."""

    exercise: Exercise
    kind: str
    name: str
    text: str
    remembers: bool = False

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)


def answers(exercise: Exercise) -> Iterator[Answer]:
    """The solution, its versions, wrong answers in all their forms, and those of other people."""
    yield _read(exercise, "solution", exercise.solution)
    for version in versions(exercise):
        yield Answer(exercise, "version", version.slug, wrong_answer(exercise, version))
    yield from wrong_answers(exercise)
    for kind, folder in (("accepted", exercise.accepted), *_specimens(exercise)):
        for path in sorted(folder.glob("*.py")):
            yield _read(exercise, kind, path)


def wrong_answers(exercise: Exercise, which: str = "slug") -> Iterator[Answer]:
    """The mistakes of the catalogue in all their forms, if they have this field."""
    for bug in bugs(exercise):
        for form in bug.forms if getattr(bug, which) else ():
            for text in applied(exercise, form):
                yield Answer(exercise, "catalogue", bug.slug, text, bug.remembers)


def _specimens(exercise: Exercise) -> Iterator[tuple[str, Path]]:
    yield from ((kind, SPECIMENS / kind / exercise.slug) for kind in STRANGERS)


def _read(exercise: Exercise, kind: str, path: Path) -> Answer:
    return Answer(exercise, kind, path.name, path.read_text(encoding="utf-8"))


def differences(mixed: Iterable[Answer]) -> Iterator[str]:
    """What these answers do otherwise when claims come in another order, or other answers before.

    Each is judged as usual, again from its last claim to its first by the same module, and after
    all others by a new one.
    """
    judged = []
    for answer in mixed:
        claims, attempt = suite(answer.exercise), _attempt(answer)
        usual = _outcome(claims, attempt)
        yield from _compared(answer, usual, _outcome(claims[::-1], attempt), "backwards")
        judged.append((answer, usual))
    for answer, usual in reversed(judged):
        later = _outcome(suite(answer.exercise), _attempt(answer))
        yield from _compared(answer, usual, later, "after the others")


def _attempt(answer: Answer) -> Attempt:
    return Attempt(answer.exercise, target_of(answer.exercise, answer.text))


def _outcome(claims: Iterable[Claim], attempt: Attempt) -> Outcome:
    verdicts = [check(claim, attempt) for claim in claims]
    return {each.name: (each.state, each.message) for each in verdicts}


def _compared(answer: Answer, usual: Outcome, other: Outcome, how: str) -> Iterator[str]:
    for claim, outcome in usual.items():
        if repr(outcome) != repr(other[claim]):
            where = f"{answer.exercise.short} {answer.kind} {answer.name}: {claim}"
            yield f"{where} {how}: {_said(outcome)} | {_said(other[claim])}"


def _said(outcome: tuple[State, Message | None]) -> str:
    state, message = outcome
    return f"{state}: {message.evidence if message else ''}"
