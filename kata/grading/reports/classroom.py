"""What GitHub Classroom's reporter of results reads, for each student: a test for each exercise.

Beside each JSON file is the same in base64, as one step of a workflow hands it to the next.
"""

import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.grading.reports.filenames import write_each
from kata.grading.reports.text import BROKEN, cleaned, title, told
from kata.points import Mark
from kata.text import clean, cut
from kata.verdict import ExerciseVerdict
from kata.words import say

VERSION = 1
LONGEST = 1000  # characters; the base64 has to fit into one variable, 128 KiB on Linux


def write(found: ClassVerdict, grades: Path) -> None:
    """Two files for each student."""
    write_each(found, grades / "classroom", lambda verdict: _files(verdict, found.most))


def _files(verdict: SubmissionVerdict, most: float) -> dict[str, str]:
    text = json.dumps(cleaned(_results(verdict, most)), ensure_ascii=False)
    return {"json": f"{text}\n", "base64": f"{b64encode(text.encode()).decode()}\n"}


def _results(verdict: SubmissionVerdict, most: float) -> dict[str, Any]:
    tests = [*_problem(verdict), *map(_test, verdict.exercises, verdict.marks)]
    states = {each["status"] for each in tests}
    status = "error" if verdict.problem else "pass" if states == {"pass"} else "fail"
    return {"version": VERSION, "status": status, "max_score": most, "tests": tests}


def _problem(verdict: SubmissionVerdict) -> Iterator[dict[str, Any]]:
    """A test of its own, because the reporter shows nothing but tests."""
    if verdict.problem:
        about = {"name": say("reports.handed-in"), "status": "error", "score": 0}
        yield {**about, "message": cut(clean(verdict.problem), LONGEST, say("reports.cut"))}


def _test(exercise: ExerciseVerdict, mark: Mark) -> dict[str, Any]:
    return {
        "name": title(exercise),
        "status": _status(exercise),
        "score": mark.score,
        "max_score": mark.most,
        "message": cut(clean(told(exercise)), LONGEST, say("reports.cut")),
        "filename": f"exercises/{exercises()[exercise.slug].filename}",
        "line_no": exercise.line,
        "duration": round(sum(claim.seconds for claim in exercise.claims), 3),
    }


def _status(exercise: ExerciseVerdict) -> str:
    if exercise.done:
        return "pass"
    return "error" if exercise.state in BROKEN else "fail"
