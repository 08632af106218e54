"""The verdicts of one pytest run so far, and the form in which reports carry them."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path

import pytest

from kata.course.curriculum import SOLUTIONS, exercises
from kata.course.target import Target
from kata.learner.progress import Progress
from kata.learner.status import outlook, statuses
from kata.plain import decode
from kata.terminal.board import Outlook
from kata.verdict import ClaimVerdict, Diagnosis, ExerciseVerdict, Message, State

Key = tuple[str, str]  # a folder, and the slug of one of its exercises
RUN_RECORD: "pytest.StashKey[RunRecord]" = pytest.StashKey()


@dataclass(frozen=True)
class JudgedClaim:
    """A verdict on a claim, with what the main process has to know about the exercise.

    Attributes:
        claim: the verdict.
        folder: the folder of the exercise file, or the path of a file that is no exercise.
        slug: the exercise; empty for a file that is none.
        board: whether the file is a learner's own work, which the board shows.
        digest: the hash of the content that was judged; empty if no claim was checked.
        stand_ins: the earlier exercises for which the reference stood in.
        total: the number of the exercise's claims that can be checked on this machine.
        line: the line of the suite where the claim begins.
        diagnosis: the mistake behind the exercise's claims that fail, once it is recognised.
    """

    claim: ClaimVerdict
    folder: str
    slug: str = ""
    board: bool = False
    digest: str = ""
    stand_ins: tuple[str, ...] = ()
    total: int = 1
    line: int = 0
    diagnosis: Diagnosis | None = None

    @property
    def key(self) -> Key:
        """The exercise, and its folder."""
        return self.folder, self.slug

    @property
    def message(self) -> Message:
        """The message that a learner reads."""
        return self.claim.message or Message(self.claim.name)


# Pytest asks about a report twice in a row.
@lru_cache(maxsize=1)
def judged_claim(report: pytest.TestReport) -> JudgedClaim | None:
    """Return the verdict in the report of a claim; None for any other report."""
    data = getattr(report, "kata", None)
    return data and decode(JudgedClaim, data)


class RunRecord:
    """Verdicts by folder and exercise, and the digests of work that has passed its suite."""

    def __init__(self) -> None:
        self.passed: set[str] = set()
        self._progress: dict[Path, Progress] = {}
        self._claims: dict[Key, list[ClaimVerdict]] = {}
        self._latest: dict[Key, JudgedClaim] = {}
        self._diagnoses: dict[Key, Diagnosis] = {}
        self._targets: dict[Path, Target] = {}
        self._news: list[tuple[Progress, list[ExerciseVerdict]]] = []

    def target(self, folder: Path) -> Target:
        """Return the folder as one target, whose passed exercises serve the later ones."""
        if folder not in self._targets:
            self._targets[folder] = Target(folder, trusts=lambda slug: self.trusts(folder, slug))
        return self._targets[folder]

    def trusts(self, folder: Path, slug: str) -> bool:
        """Return whether the folder's own file passes its suite, in this run or before."""
        progress = self._progress.setdefault(folder, Progress(folder))
        digest = self.target(folder).digest(slug)
        return digest in self.passed or progress.passed(digest)

    def note(self, claim: JudgedClaim) -> None:
        """Add the verdict of one report."""
        self._claims.setdefault(claim.key, []).append(claim.claim)
        self._latest[claim.key] = claim
        # A later diagnosis is based on more claims.
        if claim.diagnosis:
            self._diagnoses[claim.key] = claim.diagnosis
        # Only an exercise whose claims were checked has a digest, and can have passed.
        if claim.digest and self.verdict(claim.key).state is State.PASSED:
            self.passed.add(claim.digest)

    def diagnosis(self, key: Key) -> Diagnosis | None:
        """Return the mistake behind the claims that fail, if one was recognised."""
        return self._diagnoses.get(key)

    def verdict(self, key: Key) -> ExerciseVerdict:
        """Return the verdict on one exercise."""
        latest = self._latest[key]
        verdict = ExerciseVerdict(
            latest.slug,
            tuple(self._claims[key]),
            latest.stand_ins,
            diagnosis=self.diagnosis(key),
        )
        # The claims that are listed under a file, before it is begun, have a total of one.
        not_run = max(0, latest.total - len(verdict.judged))
        return replace(verdict, not_run=not_run) if not_run else verdict

    @property
    def folders(self) -> list[Path]:
        """The folders with a board."""
        return [
            *dict.fromkeys(Path(claim.folder) for claim in self._latest.values() if claim.board)
        ]

    def board(self, folder: Path) -> list[ExerciseVerdict]:
        """Return the verdicts on a folder, in course order."""
        keys = ((str(folder), slug) for slug in exercises())
        return [
            self.verdict(key) for key in keys if key in self._latest and self._latest[key].board
        ]

    def remember(self) -> None:
        """Save the verdicts on the learners' folders, for later runs."""
        now = time.time()
        for folder in self.folders:
            progress, verdicts = Progress(folder), self.board(folder)
            for verdict in verdicts:
                if digest := self._latest[str(folder), verdict.slug].digest:
                    progress.note(verdict, digest, now)
            if folder != SOLUTIONS:
                progress.save()
                self._news.append((progress, verdicts))

    def tell(self) -> None:
        """Tell the rooms that these folders have joined, once everything is on the screen."""
        for progress, verdicts in self._news:
            if line := progress.tell(verdicts):
                print(line)

    def outlook(self, folder: Path) -> Outlook:
        """Return how much is done, and what comes next: in this run, or else in the folder."""
        verdicts = self.board(folder)
        left = [verdict for verdict in verdicts if not verdict.done]
        if folder == SOLUTIONS or any(verdict.not_run for verdict in verdicts):
            return Outlook(left[0] if left else None)
        among = verdicts if left else list(statuses(folder, exercises()))
        return outlook(folder, among, self.target(folder))

    @property
    def in_work(self) -> str:
        """The short name of the exercise that the board names next: ex05."""
        upcoming = (self.outlook(folder).next for folder in self.folders)
        return next((exercises()[verdict.slug].short for verdict in upcoming if verdict), "")

    @property
    def skipped(self) -> int:
        """The number of claims that could not be checked on this machine."""
        return sum(claim.state is State.SKIPPED for claim in self._all_claims())

    @property
    def work_left(self) -> bool:
        """True if any claim that was run does not hold."""
        return any(claim.state not in {State.PASSED, State.SKIPPED} for claim in self._all_claims())

    def _all_claims(self) -> Iterator[ClaimVerdict]:
        return chain.from_iterable(self._claims.values())
