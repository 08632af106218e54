"""The documents that commands for learners print with `--json`, for assistants and editors.

docs/assistants.md describes every field, and `schemas/` has a JSON Schema of every document.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kata.course.curriculum import exercises
from kata.plain import encode
from kata.verdict import ClaimVerdict, Diagnosis, ExerciseVerdict, State

VERSION = 1  # of all documents; increased when their readers have to change
NUMBERS = re.compile(r'\[\n([^"\[\]{}]+)\n\s*\]')  # a list of numbers, one to a line
NOT_JUDGED = "not judged"  # beside the states of verdicts
FINE = {State.PASSED, State.NOT_STARTED, State.BLOCKED}


def document(content: Mapping[str, Any]) -> str:
    """Return the text of a document, in characters that every terminal and pipe can encode."""
    text = json.dumps({"version": VERSION, **content}, indent=2)
    return NUMBERS.sub(lambda match: f"[{' '.join(match[1].split())}]", text)


def standing(exercise_verdict: ExerciseVerdict, folder: Path) -> dict[str, Any]:
    """Describe how an exercise stands; a verdict about the file as a whole counts no claims."""
    return {
        "exercise": exercise_verdict.slug,
        "state": exercise_verdict.state.value if exercise_verdict.claims else NOT_JUDGED,
        "held": exercise_verdict.held,
        "claims": 0 if exercise_verdict.is_whole else len(exercise_verdict.judged),
        "not_written": 0
        if exercise_verdict.is_whole
        else exercise_verdict.count(State.NOT_STARTED),
        "blocked": exercise_verdict.count(State.BLOCKED),
        "file": str(
            folder / (exercise_verdict.file or exercises()[exercise_verdict.slug].filename)
        ),
        "line": exercise_verdict.line,
    }


def verdict(exercise_verdict: ExerciseVerdict, folder: Path) -> dict[str, Any]:
    """Describe a new verdict: the first claim that fails, and the mistake behind it."""
    first = exercise_verdict.first_wrong or exercise_verdict.first_failure
    failing = [
        claim_verdict.name
        for claim_verdict in exercise_verdict.judged
        if claim_verdict.state not in FINE
    ]
    return {
        **standing(exercise_verdict, folder),
        **_place(first, exercise_verdict, folder),
        "stand_ins": list(exercise_verdict.stand_ins),
        "first": encode(first),
        "others": [name for name in failing if first and name != first.name],
        "diagnosis": exercise_verdict.diagnosis and _diagnosis(exercise_verdict.diagnosis),
        "printed": exercise_verdict.printed,
    }


def _place(
    first: ClaimVerdict | None, exercise_verdict: ExerciseVerdict, folder: Path
) -> dict[str, Any]:
    """Return the file and the line that the first claim is about."""
    if not (first and first.message and first.message.line):
        return {}
    name = first.message.file or exercises()[exercise_verdict.slug].filename
    return {"file": str(folder / name), "line": first.message.line}


def _diagnosis(diagnosis: Diagnosis) -> dict[str, Any]:
    """Describe the mistakes in the words of the terminal; hints are for `kata hint`.

    The claims that a mistake breaks, and its price, are for graders alone.
    """
    # The board names no mistakes, and starts sooner without this.
    from kata.terminal.message import headline

    data: dict[str, Any] = encode(diagnosis)
    left_out = {"hints", "explains", "function", "price"}
    mistakes = [
        {key: mistake[key] for key in mistake if key not in left_out}
        for mistake in data["mistakes"]
    ]
    return {**data, "mistakes": mistakes, "says": headline(diagnosis)}
