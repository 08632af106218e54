"""Write down which claims each known wrong answer fails, for a diagnosis that need not find out."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress

from kata.course.catalogue import Bug, CatalogueError, bugs, target_of, wrong_answer
from kata.course.curriculum import Exercise
from kata.diagnosis.records import digest, file_of, mark_of, mask_of
from kata.judging.attempt import Attempt
from kata.judging.judge import check, suite


def record(exercise: Exercise) -> None:
    """Judge all wrong answers of an exercise, and write down what they fail."""
    path = file_of(exercise)
    path.parent.mkdir(exist_ok=True)
    path.write_text(recorded(exercise), encoding="utf-8")


def recorded(exercise: Exercise) -> str:
    """The file as it should be, with a line for each bug."""
    lines = ",\n".join(f"  {each}" for each in _entries(exercise, bugs(exercise)))
    head = f'"of": "{digest(exercise)}",\n"claims": {json.dumps(_claims(exercise))}'
    return f'{{{head},\n"failing": {{\n{lines}\n}}}}\n'


def _claims(exercise: Exercise) -> list[str]:
    return [claim.id for claim in suite(exercise) if claim.device != "cuda"]


def _entries(exercise: Exercise, some: Sequence[Bug]) -> Iterator[str]:
    """What each of these wrong answers fails, in all of its forms."""
    claims = _claims(exercise)
    for bug in some:
        failing = [_failing(exercise, form, claims) for form in bug.forms]
        yield f"{json.dumps(bug.slug)}: {json.dumps(failing)}"


def _failing(exercise: Exercise, form: Bug, claims: list[str]) -> str:
    """The claims and a mark; empty for a form that only a version of the solution can have."""
    with suppress(CatalogueError):
        target = target_of(exercise, wrong_answer(exercise, form))
        attempt = Attempt(exercise, target, remarks=False)
        judged = (check(claim, attempt) for claim in suite(exercise) if claim.id in claims)
        failing = [each for each in judged if not each.held]
        mark = mark_of(failing[0]) if failing else ""
        return f"{mask_of(claims, {each.name for each in failing})} {mark}"
    return ""


def records_are_true(exercise: Exercise, one_in: int = 1) -> Iterator[str]:
    """What is recorded of every known wrong answer is what it does, down to the first evidence.

    Other gates rely on that. They rely on nothing that was recorded of another catalogue.
    """
    path = file_of(exercise)
    written = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    if any(f'"of": "{digest(exercise)}"' in line for line in written[:1]):
        known = {line.strip(" ,") for line in written}
        if f'"claims": {json.dumps(_claims(exercise))}' not in known:
            yield f"{path.name} has not these claims"
        for entry in _entries(exercise, bugs(exercise)[::one_in]):
            if entry not in known:
                yield f"{path.name} does not say {entry}"
