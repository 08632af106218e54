"""Write down which claims each known wrong answer fails, for a diagnosis that need not find out."""

import json
from contextlib import suppress

from kata.course.catalogue import Bug, CatalogueError, bugs, target_of, wrong_answer
from kata.course.curriculum import Exercise
from kata.diagnosis.observe import observe
from kata.diagnosis.records import digest, file_of, mark_of, mask_of
from kata.judging.judge import suite


def record(exercise: Exercise) -> None:
    """Judge all wrong answers of an exercise, and write down what they fail."""
    path = file_of(exercise)
    path.parent.mkdir(exist_ok=True)
    path.write_text(recorded(exercise), encoding="utf-8")


def recorded(exercise: Exercise) -> str:
    """The file as it should be, with a line for each bug."""
    claims = [claim.id for claim in suite(exercise) if claim.device != "cuda"]
    failing = {
        bug.slug: [_failing(exercise, form, claims) for form in bug.forms] for bug in bugs(exercise)
    }
    lines = ",\n".join(
        f"  {json.dumps(slug)}: {json.dumps(each)}" for slug, each in failing.items()
    )
    head = f'"of": "{digest(exercise)}",\n"claims": {json.dumps(claims)}'
    return f'{{{head},\n"failing": {{\n{lines}\n}}}}\n'


def _failing(exercise: Exercise, form: Bug, claims: list[str]) -> str:
    """The claims and a mark; empty for a form that only a version of the solution can have."""
    with suppress(CatalogueError):
        found = observe(exercise, target_of(exercise, wrong_answer(exercise, form))).findings
        failing = [each for each in claims if not found[each].verdict.held]
        mark = mark_of(found[failing[0]].verdict) if failing else ""
        return f"{mask_of(claims, set(failing))} {mark}"
    return ""
