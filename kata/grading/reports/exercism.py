"""Exercism's results.json, version 3, for each student: a test for each claim, in source order."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.grading.reports.text import (
    BROKEN,
    causes,
    each_as_json,
    number,
    printed,
    said,
    title,
)
from kata.text import clean, cut
from kata.verdict import ClaimVerdict, ExerciseVerdict, State
from kata.words import say

VERSION = 3
LONGEST_OUTPUT = 500  # Exercism's specification of test runners sets both limits
LONGEST_MESSAGE = 65_535
END = say("reports.cut")


def write(found: ClassVerdict, grades: Path) -> None:
    """One file for each student."""
    each_as_json(found, grades / "exercism", _results)


def _results(verdict: SubmissionVerdict) -> dict[str, Any]:
    """An error, without tests, if no claim at all could be checked."""
    if problem := _problem(verdict):
        message = cut(clean(problem), LONGEST_MESSAGE, END)
        return {"version": VERSION, "status": "error", "message": message, "tests": []}
    tests = [test for each in verdict.exercises for test in _tests(each)]
    status = "pass" if {each["status"] for each in tests} == {"pass"} else "fail"
    return {"version": VERSION, "status": status, "message": None, "tests": tests}


def _problem(verdict: SubmissionVerdict) -> str:
    if any(each.state is not State.ERROR or not each.is_whole for each in verdict.exercises):
        return verdict.problem
    return verdict.problem or "\n".join(
        said(claim) for each in verdict.exercises for claim in each.claims
    )


def _tests(exercise: ExerciseVerdict) -> Iterator[dict[str, Any]]:
    """Output is attached to the first failing claim, since its source is unknown."""
    at, named = exercise.first_failure, causes(exercise)
    for place, claim in enumerate(exercise.judged):
        here = claim is at if at else place == 0
        output = printed(exercise) if here else ""
        yield _test(exercise, claim, output, named.get(claim.name, []))


def _test(
    exercise: ExerciseVerdict, claim: ClaimVerdict, output: str, named: list[str]
) -> dict[str, Any]:
    about = "" if exercise.is_whole else f" > {claim.in_words}"
    return {
        "name": f"{title(exercise)}{about}",
        "status": _status(claim),
        "message": None if claim.held else cut(clean(said(claim, *named)), LONGEST_MESSAGE, END),
        "output": cut(clean(output), LONGEST_OUTPUT, END) or None,
        "test_code": _code(exercise.slug).get(claim.plain_name, ""),
        "task_id": number(exercise),
    }


def _status(claim: ClaimVerdict) -> str:
    if claim.held:
        return "pass"
    return "error" if claim.state in BROKEN else "fail"


@cache
def _code(slug: str) -> dict[str, str]:
    """The source of each claim."""
    text = exercises()[slug].suite.read_text(encoding="utf-8")
    lines = text.splitlines()
    own = (each for each in ast.parse(text).body if isinstance(each, ast.FunctionDef))
    return {each.name: "\n".join(lines[each.lineno - 1 : each.end_lineno]) for each in own}
