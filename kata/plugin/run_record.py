"""What one pytest run has found so far, folder by folder."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kata.course.curriculum import SOLUTIONS, exercises
from kata.course.target import Target
from kata.learner.progress import Progress
from kata.verdict import (
    ClaimVerdict,
    Diagnosis,
    ExerciseVerdict,
    State,
    claim_from_dict,
    diagnosis_from_dict,
)

RUN_RECORD: "pytest.StashKey[RunRecord]" = pytest.StashKey()


class RunRecord:
    """Verdicts by folder and exercise, and the digests of work that has passed its suite."""

    def __init__(self) -> None:
        self.passed: set[str] = set()
        self.collected = False
        self._memories: dict[Path, Progress] = {}
        self._claims: dict[tuple[str, str], list[ClaimVerdict]] = {}
        self._about: dict[tuple[str, str], dict[str, Any]] = {}
        self._diagnoses: dict[tuple[str, str], Diagnosis] = {}
        self._targets: dict[Path, Target] = {}

    def target(self, folder: Path) -> Target:
        """The folder as one target, whose passed exercises serve the later ones."""
        if folder not in self._targets:
            self._targets[folder] = Target(folder, trusts=lambda slug: self.trusts(folder, slug))
        return self._targets[folder]

    def note(self, found: dict[str, Any]) -> None:
        """Write down one report."""
        key = (found["folder"], found["slug"])
        self._claims.setdefault(key, []).append(claim_from_dict(found["claim"]))
        self._about[key] = found
        if found["slug"] and self.verdict(key).state is State.PASSED:
            self.passed.add(found["digest"])

    def diagnosed(self, found: dict[str, Any]) -> None:
        """Write down what was named; workers that share an exercise may each name something."""
        key = (found["folder"], found["slug"])
        self._diagnoses.setdefault(key, diagnosis_from_dict(found["found"]))

    def diagnosis(self, key: tuple[str, str]) -> Diagnosis | None:
        """The mistake behind what failed, if it is known."""
        return self._diagnoses.get(key)

    def trusts(self, folder: Path, slug: str) -> bool:
        """Whether the folder's own file passes its suite, in this run or before."""
        memory = self._memories.setdefault(folder, Progress(folder))
        digest = self.target(folder).digest(slug)
        return digest in self.passed or memory.passed(digest)

    def verdict(self, key: tuple[str, str]) -> ExerciseVerdict:
        """What is known of one exercise."""
        claims, about = self._claims[key], self._about[key]
        found = ExerciseVerdict(key[1], tuple(claims), tuple(about["stand_ins"]))
        not_run = about["total"] - len(found.judged)
        return replace(found, not_run=not_run, diagnosis=self.diagnosis(key))

    def boards(self) -> Iterator[tuple[Path, list[ExerciseVerdict]]]:
        """Each folder of a learner, in course order."""
        shown = [key for key, about in self._about.items() if about["board"]]
        for folder in dict.fromkeys(folder for folder, _ in shown):
            slugs = [slug for slug in exercises() if (folder, slug) in shown]
            yield Path(folder), [self.verdict((folder, slug)) for slug in slugs]

    def remember(self) -> None:
        """Write down for other runs what is known of each learner's folder."""
        for folder, verdicts in self.boards():
            memory = Progress(folder)
            for each in verdicts:
                if digest := self._about[str(folder), each.slug].get("digest"):
                    memory.note(each, digest)
            if folder != SOLUTIONS:
                memory.save()

    @property
    def skipped(self) -> int:
        """How many claims could not be made here."""
        every = [claim for claims in self._claims.values() for claim in claims]
        return sum(claim.state is State.SKIPPED for claim in every)

    @property
    def work_left(self) -> bool:
        """Whether anything that was run does not hold."""
        every = [claim for claims in self._claims.values() for claim in claims]
        return any(claim.state not in {State.PASSED, State.SKIPPED} for claim in every)
