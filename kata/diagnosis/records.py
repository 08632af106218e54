"""Which claims each known wrong answer fails, as `kata check --record` has written it down.

A search has to run only what this leaves open. Where the catalogue, the suite or the solution has
changed since, nothing is known, and everything is run. Where a run has random numbers of its own,
one in twenty fails other claims than here: it is only told whom to look at first.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

from kata.course.catalogue import Bug, content
from kata.course.curriculum import BUGS, Exercise, exercises
from kata.judging.case import run_seed
from kata.verdict import ClaimVerdict

FOLDER = BUGS / "records"


@dataclass(frozen=True)
class Record:
    """The ids of all claims that a wrong answer was tried with, and of those that it fails.

    `mark` stands for the evidence of the first claim that it fails.
    """

    tried: frozenset[str]
    failing: frozenset[str]
    mark: str = ""

    def holds(self, claim: str) -> bool:
        """Whether this claim is known to hold."""
        return claim in self.tried and claim not in self.failing


def record_of(exercise: Exercise, bug: Bug, form: int) -> Record | None:
    """What is known of a bug in one of its forms."""
    return None if run_seed() else usually(exercise, bug, form)


def usually(exercise: Exercise, bug: Bug, form: int) -> Record | None:
    """What it does with the numbers of learners: with others nearly always the same."""
    return _records(exercise).get((bug.slug, form))


@cache
def _records(exercise: Exercise) -> Mapping[tuple[str, int], Record]:
    path = file_of(exercise)
    table: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if table.get("of") != digest(exercise):
        return {}
    tried = frozenset(table["claims"])
    return {
        (slug, form): Record(tried, frozenset(_chosen(table["claims"], mask)), mark)
        for slug, forms in table["failing"].items()
        for form, (mask, _, mark) in enumerate(each.partition(" ") for each in forms)
        if mask
    }


def file_of(exercise: Exercise) -> Path:
    """Where the records of an exercise are."""
    return FOLDER / f"{exercise.slug}.json"


def digest(exercise: Exercise) -> str:
    """Of all that the records of an exercise depend on, but the machinery."""
    needed = [exercises()[each].solution for each in exercise.needs if each in exercises()]
    files = [exercise.suite, exercise.solution, *needed]
    texts = [content(exercise), *(each.read_bytes() for each in files)]
    return sha256(b"\0".join(texts)).hexdigest()[:16]


def mark_of(verdict: ClaimVerdict) -> str:
    """A few characters that stand for the evidence of a claim, numbers and all."""
    evidence = verdict.message.evidence if verdict.message else ""
    return f"{crc32(evidence.encode('utf-8', 'replace')):08x}"


def mask_of(claims: list[str], failing: set[str]) -> str:
    """Some of these claims as a number with a bit for each."""
    return f"{sum(1 << at for at, claim in enumerate(claims) if claim in failing):x}"


def _chosen(claims: list[str], mask: str) -> list[str]:
    return [claim for at, claim in enumerate(claims) if int(mask, 16) >> at & 1]
