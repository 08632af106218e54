"""Write down which claims each known wrong answer fails, and what that and all gates depend on.

A record means that all of it was judged, and found true: it is written only if every gate holds.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from kata.course.catalogue import Bug, CatalogueError, bugs, target_of, wrong_answer
from kata.course.curriculum import Exercise
from kata.diagnosis.records import digest, digests, file_of, mark_of, mask_of, relied_on, written
from kata.judging.attempt import Attempt
from kata.judging.judge import check, suite
from kata.upkeep.work import engine, parts


def record(exercise: Exercise, text: str) -> None:
    """Write down what was judged."""
    path = file_of(exercise)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


@contextmanager
def relying(exercise: Exercise, some: Sequence[Bug]) -> Iterator[str]:
    """Judge these, and rely on that; gives what may be recorded if all gates hold."""
    text = recorded(exercise, some)
    with relied_on(exercise, text):
        yield text


def recorded(exercise: Exercise, some: Sequence[Bug] | None = None) -> str:
    """The file as it should be, with a line for each bug: these judged, or all of them.

    What the file says of the others is kept.
    """
    known: Mapping[str, Any] = written(exercise).get("entries", {}) if some is not None else {}
    kept = known.keys() - {bug.slug for bug in some or ()}
    today = digests(exercise)
    made = (
        _line(bug, known[bug.slug]) if bug.slug in kept else _entry(exercise, bug, today)
        for bug in bugs(exercise)
    )
    head = {
        "of": digest(exercise),
        "engine": engine(),
        "parts": parts(exercise),
        "claims": _claims(exercise),
    }
    lines = [f"{json.dumps(name)}: {json.dumps(each)}" for name, each in head.items()]
    entries = ",\n".join(f"  {text}" for text in made)
    return "{" + ",\n".join([*lines, f'"entries": {{\n{entries}\n}}']) + "}\n"


def _claims(exercise: Exercise) -> list[str]:
    return [claim.id for claim in suite(exercise) if claim.device != "cuda"]


def _line(bug: Bug, known: Sequence[str]) -> str:
    return f"{json.dumps(bug.slug)}: {json.dumps(known)}"


def _entry(exercise: Exercise, bug: Bug, today: Mapping[str, str]) -> str:
    """What a wrong answer fails, in all of its forms, after the digest of what that depends on."""
    claims = _claims(exercise)
    failing = [_failing(exercise, form, claims) for form in bug.forms]
    return _line(bug, [today[bug.slug], *failing])


def _failing(exercise: Exercise, form: Bug, claims: list[str]) -> str:
    """The claims and a mark; empty for a form that only a version of the solution can have."""
    with suppress(CatalogueError):
        target = target_of(exercise, wrong_answer(exercise, form))
        attempt = Attempt(exercise, target, remarks=False)
        judged = (check(claim, attempt) for claim in suite(exercise) if claim.id in claims)
        failing = [verdict for verdict in judged if not verdict.held]
        mark = mark_of(failing[0]) if failing else ""
        return f"{mask_of(claims, {verdict.name for verdict in failing})} {mark}"
    return ""


def records_are_true(exercise: Exercise, some: Sequence[Bug] | None = None) -> Iterator[str]:
    """What is recorded of every known wrong answer is what it does, down to the first evidence.

    Other gates rely on that. They rely on nothing that was recorded of another entry.
    """
    table, today = written(exercise), digests(exercise)
    value = table.get("entries", {})
    relied = [bug for bug in bugs(exercise) if value.get(bug.slug, [""])[0] == today[bug.slug]]
    if relied and table["claims"] != _claims(exercise):
        yield f"{file_of(exercise).name} has not these claims"
    for bug in relied if some is None else [each for each in some if each in relied]:
        entry = _entry(exercise, bug, today)
        if entry != _line(bug, value[bug.slug]):
            yield f"{file_of(exercise).name} does not say {entry}"
