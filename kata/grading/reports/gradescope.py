"""Gradescope's results.json for each student: a row for each exercise.

What is for the instructor only is in a row that is hidden from the student.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.grading.reports import proofs, remarks
from kata.grading.reports.text import each_as_json, number, title, told
from kata.points import Mark
from kata.proved import Proved
from kata.verdict import ExerciseVerdict
from kata.words import say

FORM = 1  # of `extra_data`
CORE = "core"
SHOWN, HIDDEN = {"visibility": "visible"}, {"visibility": "hidden"}


def write(found: ClassVerdict, grades: Path) -> None:
    """One file for each student."""
    each_as_json(found, grades / "gradescope", lambda verdict: _results(verdict, found.most))


def _results(verdict: SubmissionVerdict, most: float) -> dict[str, Any]:
    return {
        "score": verdict.score,
        "execution_time": round(verdict.seconds, 3),
        "output": "\n".join(remarks.on_reading(verdict)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        **SHOWN,
        "stdout_visibility": "hidden",
        "extra_data": {"form": FORM, "max_score": most},
        "tests": [
            *map(_row, verdict.exercises, verdict.marks),
            *(_proof(each, verdict.proof_points) for each in verdict.begun_proofs),
            *_for_instructors(verdict),
        ],
    }


def _row(exercise: ExerciseVerdict, mark: Mark) -> dict[str, Any]:
    return {
        "score": mark.score,
        "max_score": mark.most,
        "status": "passed" if exercise.done else "failed",
        "name": title(exercise),
        "number": str(number(exercise)),
        "output": told(exercise),
        "tags": [CORE] if exercises()[exercise.slug].core else [],
        **SHOWN,
    }


def _proof(proved: Proved, points: float) -> dict[str, Any]:
    marked = {"score": round(points * proved.share, 4), "max_score": points} if points else {}
    name, output = proofs.title(proved), "\n".join(proofs.told(proved))
    return {**marked, "name": name, "output": output, **SHOWN}


def _for_instructors(verdict: SubmissionVerdict) -> Iterator[dict[str, Any]]:
    if seen := remarks.seen(verdict):
        output = "\n".join(map(str, seen))
        yield {"name": say("reports.instructors"), "output": output, **HIDDEN}
