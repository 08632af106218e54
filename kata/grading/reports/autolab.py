"""The last lines that an autograder of Autolab prints, for each student.

The second to last is feedback by exercise and claim; the last has the scores and the scoreboard.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.grading.reports.filenames import write_each
from kata.grading.reports.text import causes, cleaned, said, title
from kata.verdict import ClaimVerdict, ExerciseVerdict
from kata.words import say


def write(found: ClassVerdict, grades: Path) -> None:
    """One file for each student."""
    write_each(found, grades / "autolab", lambda verdict: {"txt": _lines(verdict, found.points)})


def _lines(verdict: SubmissionVerdict, points: Mapping[str, float]) -> str:
    both = cleaned([_feedback(verdict), _scores(verdict, points)])
    return "".join(f"{json.dumps(each)}\n" for each in both)


def _scores(verdict: SubmissionVerdict, points: Mapping[str, float]) -> dict[str, Any]:
    marks = zip(verdict.exercises, verdict.marks, strict=True)
    scores = dict.fromkeys(points, 0.0) | {each.slug: mark.score for each, mark in marks}
    worth = verdict.proof_points
    proofs = {f"proof of {each.slug}": round(worth * each.share, 4)
              for each in verdict.begun_proofs if worth}  # fmt: skip
    return {"scores": scores | proofs, "scoreboard": [verdict.score]}


def _feedback(verdict: SubmissionVerdict) -> dict[str, Any]:
    stages = {title(each): _stage(each) for each in verdict.exercises}
    if verdict.problem:
        name = say("reports.handed-in")
        stages[name] = {name: {"passed": False, "hint": verdict.problem}}
    return {"_presentation": "semantic", "stages": list(stages), **stages}


def _stage(exercise: ExerciseVerdict) -> dict[str, Any]:
    named = causes(exercise)
    return {
        title(exercise) if exercise.is_whole else claim.in_words: _case(
            claim, named.get(claim.name, [])
        )
        for claim in exercise.judged
    }


def _case(claim: ClaimVerdict, named: list[str]) -> dict[str, Any]:
    if claim.held:
        return {"passed": True}
    return {"passed": False, "hint": said(claim, *named)}
