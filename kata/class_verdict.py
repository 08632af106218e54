"""Verdicts on submissions, and on a class, as data.

All reports are a pure function of them.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from kata.marks import Adjustment, Mark, Proved, Scale
from kata.plain import decode, encode
from kata.text import Bounded
from kata.verdict import ClaimVerdict, ExerciseVerdict, State, lighter

# The status of a submission with a mark, and of a student without a submission.
GRADED, MISSING = "graded", "missing"
# The entries of a submission in results.json, in this order; and the entries that only some have.
WRITTEN = ("student", "id", "status", "score", "most", "problem", "notes", "marks", "exercises",
           "proofs")  # fmt: skip
SOMETIMES = ("adjustments", "section", "team")


@dataclass(frozen=True)
class Missing:
    """A student of the roster without a submission."""

    student: str
    id: str = ""
    section: str = ""
    team: str = ""


@dataclass(frozen=True)
class Work:
    """The steps of one file, as far as the files of a class are compared.

    Attributes:
        name: the exercise; for tests with `proof ` before it.
        steps: the steps as letters, sorted.
        digest: the hash of the text, whatever its line endings.
        flags: remarks about tests by themselves, with their kinds.
    """

    name: str
    steps: str
    digest: str
    flags: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class SubmissionVerdict(Bounded):
    """The verdict on one submission.

    Attributes:
        marks: the marks that count, one an exercise; `adjustments` have the former marks.
        problem: the reason why the submission could not be graded.
        id: the person's id on a learning platform.
        proofs: the verdicts on the proofs that were submitted.
        proof_points: the points for the proof of an exercise.
        upload: the name that a learning platform gave to the submission.
        by_hand: whether an instructor has marked what could not be judged.
        absent: whether there is a mark without a submission.
        works: the files, for the comparison of a class; no report has them.
    """

    longest: ClassVar[dict[str, int]] = {"problem": 1000, "notes": 500}
    at_most: ClassVar[dict[str, int]] = {"notes": 40}

    student: str
    exercises: tuple[ExerciseVerdict, ...] = ()
    marks: tuple[Mark, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = ""
    id: str = ""
    proofs: tuple[Proved, ...] = ()
    proof_points: float = 0.0
    adjustments: tuple[Adjustment, ...] = ()
    section: str = ""
    team: str = ""
    upload: str = ""
    by_hand: bool = False
    absent: bool = False
    works: tuple[Work, ...] = ()

    @property
    def score(self) -> float:
        """Points that count."""
        proven = self.proof_points * sum(proof.share for proof in self.proofs)
        whole = sum(change.points for change in self.adjustments if not change.slug)
        return round(sum(mark.score for mark in self.marks) + proven + whole, 4)

    @property
    def earned(self) -> float:
        """Points before all adjustments."""
        return round(self.score - sum(change.points for change in self.adjustments), 4)

    @property
    def marks_by_claims(self) -> tuple[Mark, ...]:
        """The marks for the claims alone, before any adjustment."""
        scores: dict[str, float] = {}
        for change in self.adjustments:
            scores.setdefault(change.slug, change.before)
        return tuple(
            replace(mark, score=scores.get(exercise.slug, mark.score))
            for exercise, mark in zip(self.exercises, self.marks, strict=True)
        )

    @property
    def most(self) -> float:
        """Points available."""
        proofs = self.proof_points * len(self.exercises)
        return round(sum(mark.most for mark in self.marks) + proofs, 4)

    @property
    def begun_proofs(self) -> tuple[Proved, ...]:
        """The proofs that are more than the stub."""
        return tuple(proof for proof in self.proofs if proof.begun)

    @property
    def seconds(self) -> float:
        """The time that the claims took."""
        return sum(claim.seconds for exercise in self.exercises for claim in exercise.claims)

    @property
    def graded(self) -> bool:
        """True if there is a mark."""
        return self.absent or not self.problem

    @property
    def status(self) -> str:
        """The status: graded, tampered, not gradable, or missing."""
        if self.absent:
            return MISSING
        if self.problem:
            return State.NOT_GRADABLE.value
        tampered = any(exercise.has_tampering for exercise in self.exercises)
        return State.TAMPERED.value if tampered else GRADED


@dataclass(frozen=True)
class ClassVerdict:
    """The verdicts on a class, sorted by name.

    Attributes:
        submissions: reads the verdicts, again on every call: a large class takes little memory.
        points: the points for an exercise, in course order.
        diagnosed: whether mistakes are named, unlike in an exam.
        proofs: the exercises of which anybody has written a proof.
        proof_points: the points for a proof.
        missing: the students of the roster without a submission, and without a mark by hand.
        sections: the sections of the roster.
        adjusted: whether any mark may have been changed.
        sealed: whether students read nothing that gives a solution away.
        scale: the names of scores, if the instructor wants any.
    """

    submissions: Callable[[], Iterator[SubmissionVerdict]]
    points: Mapping[str, float]
    seed: int = 0
    diagnosed: bool = True
    proofs: Collection[str] = ()
    proof_points: float = 0.0
    missing: tuple[Missing, ...] = ()
    sections: tuple[str, ...] = ()
    adjusted: bool = False
    sealed: bool = False
    scale: Scale | None = None

    @property
    def most(self) -> float:
        """Points available."""
        return round(sum(self.points.values()) + self.proof_points * len(self.points), 4)

    @property
    def proven(self) -> list[str]:
        """The exercises with proofs, in course order."""
        return [slug for slug in self.points if slug in self.proofs]


def submission_to_dict(verdict: SubmissionVerdict) -> dict[str, Any]:
    """Return plain data, with status and scores; pictures only of the claims to look at first."""
    exercises = tuple(
        lighter(exercise, _without_picture, *(claim for claim, _ in exercise.failures))
        for exercise in verdict.exercises
    )
    data = encode(replace(verdict, exercises=exercises))
    data |= {"status": verdict.status, "score": verdict.score, "most": verdict.most}
    for proof, proved in zip(data["proofs"], verdict.proofs, strict=True):
        proof["share"] = round(proved.share, 4)
    written = {name: data[name] for name in WRITTEN}
    written |= {name: data[name] for name in SOMETIMES if data[name]}
    return written | ({"earned": verdict.earned} if verdict.adjustments else {})


def timeless(data: dict[str, Any]) -> dict[str, Any]:
    """Return the plain data of a submission without the times, which differ from run to run."""
    for exercise in data["exercises"]:
        for claim in exercise["claims"]:
            claim["seconds"] = 0.0
    return data


def _without_picture(claim: ClaimVerdict) -> ClaimVerdict:
    return replace(claim, message=claim.message and replace(claim.message, picture=None))


submission_from_dict = partial(decode, SubmissionVerdict)
