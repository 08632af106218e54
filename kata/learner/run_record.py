"""The verdicts of one pytest run so far, and what its reports carry of them."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from kata.course.curriculum import SOLUTIONS, exercises
from kata.course.target import Target
from kata.learner.progress import Progress
from kata.learner.status import outlook, statuses
from kata.plain import decode
from kata.terminal.board import Outlook
from kata.verdict import ClaimVerdict, Diagnosis, ExerciseVerdict, Message, State

Key = tuple[str, str]  # a folder, and the slug of an exercise in it
RUN_RECORD: "pytest.StashKey[RunRecord]" = pytest.StashKey()


@dataclass(frozen=True)
class JudgedClaim:
    """A verdict, and what the main process has to know of the exercise that it is about.

    Args:
        claim: the verdict.
        folder: where the exercise file lies, or the path of a file that is no exercise.
        slug: of the exercise; empty for a file that is none.
        board: whether it is a learner's own work, which the board shows.
        digest: of the content that was judged; empty if no claim was checked.
        stand_ins: the earlier exercises for which the reference stood in.
        total: how many claims of the exercise can be checked on this machine.
        line: where the claim begins in its suite.
    """

    claim: ClaimVerdict
    folder: str
    slug: str = ""
    board: bool = False
    digest: str = ""
    stand_ins: tuple[str, ...] = ()
    total: int = 1
    line: int = 0

    @property
    def key(self) -> Key:
        """The key: which exercise of which folder."""
        return self.folder, self.slug

    @property
    def message(self) -> Message:
        """The message that a learner reads."""
        return self.claim.message or Message(self.claim.name)


@dataclass(frozen=True)
class DiagnosedFile:
    """The mistake behind the claims of one exercise that failed."""

    folder: str
    slug: str
    diagnosis: Diagnosis


def judged_claim(report: pytest.TestReport) -> JudgedClaim | None:
    """The verdict in the report of a claim; none in a report of something else."""
    data = getattr(report, "kata", None)
    return data and decode(JudgedClaim, data)


def diagnosed_file(report: pytest.TestReport) -> DiagnosedFile | None:
    """The mistake in the report of a failed claim, if one was recognised in its file."""
    data = getattr(report, "kata_diagnosis", None)
    return data and decode(DiagnosedFile, data)


class RunRecord:
    """Verdicts by folder and exercise, and the digests of work that has passed its suite."""

    def __init__(self) -> None:
        self.passed: set[str] = set()
        self._memories: dict[Path, Progress] = {}
        self._claims: dict[Key, list[ClaimVerdict]] = {}
        self._latest: dict[Key, JudgedClaim] = {}
        self._diagnoses: dict[Key, Diagnosis] = {}
        self._targets: dict[Path, Target] = {}
        self._news: list[tuple[Progress, list[ExerciseVerdict]]] = []

    def target(self, folder: Path) -> Target:
        """The folder as one target, whose passed exercises serve the later ones."""
        if folder not in self._targets:
            self._targets[folder] = Target(folder, trusts=lambda slug: self.trusts(folder, slug))
        return self._targets[folder]

    def note(self, claim: JudgedClaim) -> None:
        """Add one report."""
        self._claims.setdefault(claim.key, []).append(claim.claim)
        self._latest[claim.key] = claim
        if claim.slug and self.verdict(claim.key).state is State.PASSED:
            self.passed.add(claim.digest)

    def diagnosed(self, file: DiagnosedFile) -> None:
        """Add a diagnosis; a later one may know more claims."""
        self._diagnoses[file.folder, file.slug] = file.diagnosis

    def diagnosis(self, key: Key) -> Diagnosis | None:
        """The mistake behind what failed, if one was recognised."""
        return self._diagnoses.get(key)

    def trusts(self, folder: Path, slug: str) -> bool:
        """Whether the folder's own file passes its suite, in this run or before."""
        memory = self._memories.setdefault(folder, Progress(folder))
        digest = self.target(folder).digest(slug)
        return digest in self.passed or memory.passed(digest)

    def verdict(self, key: Key) -> ExerciseVerdict:
        """The verdict on one exercise."""
        latest = self._latest[key]
        exercise_verdict = ExerciseVerdict(latest.slug, tuple(self._claims[key]), latest.stand_ins)
        not_run = max(0, latest.total - len(exercise_verdict.judged))  # a listed file has one total
        return replace(exercise_verdict, not_run=not_run, diagnosis=self.diagnosis(key))

    def boards(self) -> Iterator[tuple[Path, list[ExerciseVerdict]]]:
        """Each folder of a learner, in course order."""
        pairs = [key for key, latest in self._latest.items() if latest.board]
        for folder in dict.fromkeys(folder for folder, _ in pairs):
            slugs = [slug for slug in exercises() if (folder, slug) in pairs]
            yield Path(folder), [self.verdict((folder, slug)) for slug in slugs]

    def remember(self) -> None:
        """Save what is known of each learner's folder, for later runs."""
        now = time.time()
        for folder, verdicts in self.boards():
            memory = Progress(folder)
            for exercise_verdict in verdicts:
                if digest := self._latest[str(folder), exercise_verdict.slug].digest:
                    memory.note(exercise_verdict, digest, now)
            if folder != SOLUTIONS:
                memory.save()
                self._news.append((memory, verdicts))

    def tell(self) -> None:
        """Tell the rooms that these folders have joined, once everything has been shown."""
        for memory, verdicts in self._news:
            if line := memory.tell(verdicts):
                print(line)

    def outlook(self, folder: Path) -> Outlook:
        """What comes next in this run, or else in the learner's folder; and how much is done."""
        verdicts = dict(self.boards())[folder]
        if folder == SOLUTIONS or any(exercise_verdict.not_run for exercise_verdict in verdicts):
            return Outlook(
                next(
                    (
                        exercise_verdict
                        for exercise_verdict in verdicts
                        if not exercise_verdict.done
                    ),
                    None,
                )
            )
        left = not all(exercise_verdict.done for exercise_verdict in verdicts)
        among = verdicts if left else list(statuses(folder, exercises()))
        return outlook(folder, among, self.target(folder))

    @property
    def in_work(self) -> str:
        """The short name of the exercise that the board names next: ex05."""
        verdicts = (self.outlook(folder).next for folder, _ in self.boards())
        return next(
            (
                exercises()[exercise_verdict.slug].short
                for exercise_verdict in verdicts
                if exercise_verdict
            ),
            "",
        )

    @property
    def skipped(self) -> int:
        """How many claims could not be checked on this machine."""
        every = [claim for claims in self._claims.values() for claim in claims]
        return sum(claim.state is State.SKIPPED for claim in every)

    @property
    def work_left(self) -> bool:
        """Whether any claim that was run does not hold."""
        every = [claim for claims in self._claims.values() for claim in claims]
        return any(claim.state not in {State.PASSED, State.SKIPPED} for claim in every)
