"""Verdicts on what one person handed in, and on a class, as data.

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

GRADED = "graded"  # what is said of a submission as a whole
MISSING = "missing"  # and of somebody who handed in nothing
# What is written down of a submission, in this order; and what only some have.
WRITTEN = ("student", "id", "status", "score", "most", "problem", "notes", "marks", "exercises",
           "proofs")  # fmt: skip
SOMETIMES = ("adjustments", "section", "team")


@dataclass(frozen=True)
class Missing:
    """Somebody of the roster who has handed in nothing."""

    student: str
    id: str = ""
    section: str = ""
    team: str = ""


@dataclass(frozen=True)
class Work:
    """What one file does, as far as the works of a class are compared with each other.

    Attributes:
        name: its exercise; of tests with `proof ` before it.
        steps: a letter for each step, sorted.
        digest: of its text, whatever its line endings.
        flags: what is to be said of tests by themselves, each with its kind.
    """

    name: str
    steps: str
    digest: str
    flags: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class SubmissionVerdict(Bounded):
    """What one person handed in; `problem` says why it could not be graded.

    Marks are those that count: `adjustments` say what they were before. `upload` is the name that
    a learning platform gave to what was handed in.
    """

    longest: ClassVar[dict[str, int]] = {"problem": 1000, "notes": 500}
    at_most: ClassVar[dict[str, int]] = {"notes": 40}

    student: str
    exercises: tuple[ExerciseVerdict, ...] = ()
    marks: tuple[Mark, ...] = ()  # one for each exercise
    notes: tuple[str, ...] = ()
    problem: str = ""
    id: str = ""  # of this person on a learning platform
    proofs: tuple[Proved, ...] = ()  # of those exercises of which one was handed in
    proof_points: float = 0.0  # what the proof of each exercise is worth
    adjustments: tuple[Adjustment, ...] = ()
    section: str = ""
    team: str = ""
    upload: str = ""
    by_hand: bool = False  # whether an instructor has marked what could not be judged
    absent: bool = False  # whether nothing was handed in, and there is a mark all the same
    works: tuple[Work, ...] = ()  # for the comparison of a class; no report has them

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
        """What the claims have brought: the marks before anybody changed one."""
        first: dict[str, float] = {}
        for change in self.adjustments:
            first.setdefault(change.slug, change.before)
        pairs = zip(self.exercises, self.marks, strict=True)
        return tuple(replace(mark, score=first.get(exercise.slug, mark.score))
                     for exercise, mark in pairs)  # fmt: skip

    @property
    def most(self) -> float:
        """Points available."""
        proofs = self.proof_points * len(self.exercises)
        return round(sum(mark.most for mark in self.marks) + proofs, 4)

    @property
    def begun_proofs(self) -> tuple[Proved, ...]:
        """Those that are more than the stub."""
        return tuple(proof for proof in self.proofs if proof.begun)

    @property
    def seconds(self) -> float:
        """How long the claims took."""
        return sum(claim.seconds for exercise in self.exercises for claim in exercise.claims)

    @property
    def graded(self) -> bool:
        """Whether there is a mark."""
        return self.absent or not self.problem

    @property
    def status(self) -> str:
        """Graded, tampered, not gradable, or missing."""
        if self.absent:
            return MISSING
        if self.problem:
            return State.NOT_GRADABLE.value
        tampered = any(exercise.has_tampering for exercise in self.exercises)
        return State.TAMPERED.value if tampered else GRADED


@dataclass(frozen=True)
class ClassVerdict:
    """The verdicts on a class, sorted by name.

    `submissions()` reads them again on every call, so that a large class takes no more memory than
    a small one. `points` is what each exercise is worth, in course order. `diagnosed` is false if
    mistakes are not named, as in an exam; if it is `sealed`, students read nothing that gives a
    solution away. `proofs` are the exercises of which anybody has written one, and `proof_points`
    what each of them is worth. `missing` are those of a roster who have handed in nothing, without
    those to whom an instructor gives a mark all the same, and
    `sections` those that it names; `adjusted` is true if any mark may have been changed. `scale`
    says what scores are called, if that was asked for.
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
    """Plain data, with what follows from it; pictures only of the claims that are shown first."""
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
    """A submission as plain data without what differs from one run to the next."""
    for exercise in data["exercises"]:
        for claim in exercise["claims"]:
            claim["seconds"] = 0.0
    return data


def _without_picture(claim: ClaimVerdict) -> ClaimVerdict:
    return replace(claim, message=claim.message and replace(claim.message, picture=None))


submission_from_dict = partial(decode, SubmissionVerdict)
