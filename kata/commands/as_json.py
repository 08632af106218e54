"""What commands for learners print with `--json`: one document, for assistants and editors.

docs/assistants.md describes every field, and `schemas/` has a JSON Schema of each document.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kata.course.curriculum import exercises
from kata.terminal.message import headline
from kata.verdict import (
    ClaimVerdict,
    Diagnosis,
    ExerciseVerdict,
    State,
    claim_to_dict,
    diagnosis_to_dict,
)

VERSION = 1  # of all documents; increased when their readers have to change
NUMBERS = re.compile(r'\[\n([^"\[\]{}]+)\n\s*\]')  # a list of numbers, one on each line
NOT_JUDGED = "not judged"  # beside the states of verdicts
FINE = {State.PASSED, State.NOT_STARTED, State.BLOCKED}


def document(content: Mapping[str, Any]) -> str:
    """The text of one document, in characters that every terminal and pipe can encode."""
    text = json.dumps({"version": VERSION, **content}, indent=2)
    return NUMBERS.sub(lambda found: f"[{' '.join(found[1].split())}]", text)


def standing(found: ExerciseVerdict, folder: Path) -> dict[str, Any]:
    """How an exercise stands; a verdict about the file as a whole counts no claims."""
    return {
        "exercise": found.slug,
        "state": found.state.value if found.claims else NOT_JUDGED,
        "held": found.held,
        "claims": 0 if found.is_whole else len(found.judged),
        "not_written": 0 if found.is_whole else found.count(State.NOT_STARTED),
        "blocked": found.count(State.BLOCKED),
        "file": str(folder / (found.file or exercises()[found.slug].filename)),
        "line": found.line,
    }


def verdict(found: ExerciseVerdict, folder: Path) -> dict[str, Any]:
    """A new verdict: the first claim that fails, and the mistake behind it."""
    first = found.first_wrong or found.first_failure
    failing = [each.name for each in found.judged if each.state not in FINE]
    return {
        **standing(found, folder),
        **_place(first, found, folder),
        "stand_ins": list(found.stand_ins),
        "first": claim_to_dict(first),
        "others": [name for name in failing if first and name != first.name],
        "diagnosis": found.diagnosis and _diagnosis(found.diagnosis),
        "printed": found.printed,
    }


def _place(first: ClaimVerdict | None, found: ExerciseVerdict, folder: Path) -> dict[str, Any]:
    """Where to look for what the first claim is about."""
    if not (first and first.message and first.message.line):
        return {}
    name = first.message.file or exercises()[found.slug].filename
    return {"file": str(folder / name), "line": first.message.line}


def _diagnosis(found: Diagnosis) -> dict[str, Any]:
    """What is named and why, in the words of the terminal; hints are for `kata hint`.

    Which claims fail by which mistake, and what that costs, is for graders alone.
    """
    data: dict[str, Any] = diagnosis_to_dict(found)
    left_out = {"hints", "explains", "function", "price"}
    told = [{key: each[key] for key in each if key not in left_out} for each in data["mistakes"]]
    return {**data, "mistakes": told, "says": headline(found)}
