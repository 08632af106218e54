"""What was found, as data. All output is a pure function of these."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any


class State(StrEnum):
    """How a claim, an exercise or a submission stands."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_STARTED = "not started"
    ERROR = "error"
    TIMED_OUT = "timed out"
    BLOCKED = "blocked"
    SKIPPED = "skipped"
    TAMPERED = "tampered"
    NOT_GRADABLE = "not gradable"


GRIDS = ("expected", "got")  # of a picture
GRADED = "graded"  # what is said of a submission as a whole


@dataclass(frozen=True)
class Picture:
    """Two grids of numbers to be held against each other, and which cells differ.

    `where` is the place of the grids in a larger array; they may be a window of it that begins at
    `row` and `column`.
    """

    expected: list[list[float]]
    got: list[list[float]]
    wrong: list[list[bool]]
    where: str = ""
    row: int = 0
    column: int = 0


@dataclass(frozen=True)
class Message:
    """What a learner reads: claim, inputs, evidence, and a cause where one is known."""

    claim: str
    inputs: str = ""
    evidence: str = ""
    cause: str = ""
    picture: Picture | None = None
    frames: list[str] = field(default_factory=list)
    line: int = 0  # of the learner's file, where to look

    @property
    def brief(self) -> str:
        """The claim; or what is to be written, where nothing is wrong yet."""
        return self.claim or self.evidence


class Fit(StrEnum):
    """How known mistakes explain what was seen."""

    ONE = "one"  # exactly this one
    EITHER = "either"  # the claims that were run cannot tell these two apart
    TWINS = "twins"  # no claim could
    BOTH = "both"  # the sum of two
    PART = "part"  # this one, and something unknown
    CRASH = "crash"  # an error whose text has one cause


@dataclass(frozen=True)
class Mistake:
    """A known way to be wrong, in words for the learner."""

    slug: str
    title: str
    symptom: str = ""
    why: str = ""
    hints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Diagnosis:
    """The known mistakes that give exactly what was seen in so many claims."""

    fit: Fit
    mistakes: tuple[Mistake, ...]
    claims: int = 0


@dataclass(frozen=True)
class ClaimVerdict:
    """One claim about one submission."""

    name: str
    state: State
    message: Message | None = None
    seconds: float = 0.0
    device: str = ""

    @property
    def held(self) -> bool:
        """Whether it counts."""
        return self.state is State.PASSED

    @property
    def plain_name(self) -> str:
        """The claim, whichever device it was made on."""
        return self.name.split("[")[0]


@dataclass(frozen=True)
class ExerciseVerdict:
    """The claims of one exercise, and the earlier exercises for which the reference stood in.

    `not_run` counts claims that the run left out (`-k`, `-x`): nothing is known of them. What is
    for an instructor to know: what the code printed, tampering that was seen, and other flags.
    """

    slug: str
    claims: tuple[ClaimVerdict, ...] = ()
    stand_ins: tuple[str, ...] = ()
    not_run: int = 0
    diagnosis: Diagnosis | None = None
    printed: str = ""
    tampering: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    @property
    def judged(self) -> tuple[ClaimVerdict, ...]:
        """The claims that count: a GPU that is not there costs nobody anything."""
        return tuple(claim for claim in self.claims if claim.state is not State.SKIPPED)

    @property
    def is_whole(self) -> bool:
        """Whether no claim was made, because of what is to be said of the file as a whole."""
        return not any(claim.name.startswith("test_") for claim in self.claims)

    @property
    def held(self) -> int:
        """How many claims hold."""
        return sum(claim.held for claim in self.judged)

    def count(self, state: State) -> int:
        """How many claims ended like this."""
        return sum(claim.state is state for claim in self.judged)

    @property
    def in_work(self) -> bool:
        """Begun, and nothing that is written is wrong."""
        unwritten = self.count(State.NOT_STARTED)
        return 0 < unwritten < len(self.judged) == unwritten + self.held

    @property
    def state(self) -> State:
        """Passed if all claims hold; skipped if those that were run do, and some were not run."""
        states = [claim.state for claim in self.judged]
        if all(state is State.NOT_STARTED for state in states):
            return State.SKIPPED if self.not_run and not states else State.NOT_STARTED
        broken = {State.ERROR, State.TIMED_OUT, State.TAMPERED, State.NOT_GRADABLE}
        if self.held == 0 and (whole := [state for state in states if state in broken]):
            return whole[0]
        if self.held < len(states):
            return State.FAILED
        return State.SKIPPED if self.not_run else State.PASSED

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The known mistakes that were named."""
        return self.diagnosis.mistakes if self.diagnosis else ()

    @property
    def done(self) -> bool:
        """Whether nothing is left to do, as far as is known."""
        return self.state in {State.PASSED, State.SKIPPED} and bool(self.claims)

    @property
    def line(self) -> int:
        """Where to look first in the learner's file."""
        failed = self.first_failure
        return failed.message.line if failed and failed.message and failed.message.line else 1

    @property
    def first_failure(self) -> ClaimVerdict | None:
        """What to look at first."""
        return next((claim for claim in self.judged if not claim.held), None)


@dataclass(frozen=True)
class Mark:
    """What an exercise is worth, and how much of it was earned."""

    score: float
    most: float


@dataclass(frozen=True)
class SubmissionVerdict:
    """What one person handed in; `problem` says why it cannot be graded."""

    student: str
    exercises: tuple[ExerciseVerdict, ...] = ()
    marks: tuple[Mark, ...] = ()  # one for each exercise
    notes: tuple[str, ...] = ()
    problem: str = ""
    id: str = ""  # by which a learning platform knows this person

    @property
    def score(self) -> float:
        """All that was earned."""
        return round(sum(each.score for each in self.marks), 4)

    @property
    def most(self) -> float:
        """All that could be."""
        return round(sum(each.most for each in self.marks), 4)

    @property
    def seconds(self) -> float:
        """How long the claims took."""
        return sum(claim.seconds for each in self.exercises for claim in each.claims)

    @property
    def status(self) -> str:
        """Graded, tampered, or not gradable."""
        if self.problem:
            return State.NOT_GRADABLE.value
        seen = any(each.tampering or each.count(State.TAMPERED) for each in self.exercises)
        return State.TAMPERED.value if seen else GRADED


@dataclass(frozen=True)
class ClassVerdict:
    """What everybody handed in, in the order of their names.

    `submissions()` reads them anew each time, so that a large class takes no more room than a small
    one. `points` is what each exercise is worth, in course order. `diagnosed` tells whether
    mistakes were to be named.
    """

    submissions: Callable[[], Iterator[SubmissionVerdict]]
    points: Mapping[str, float]
    seed: int = 0
    diagnosed: bool = True

    @property
    def most(self) -> float:
        """All the points that there are."""
        return round(sum(self.points.values()), 4)


def claim_to_dict(verdict: ClaimVerdict) -> dict[str, Any]:
    """Plain data, to cross a process border."""
    message = verdict.message and _message_to_dict(verdict.message)
    return {**asdict(verdict), "state": verdict.state.value, "message": message}


def claim_from_dict(data: Mapping[str, Any]) -> ClaimVerdict:
    """The other side of that border."""
    message = data["message"] and _message(data["message"])
    return ClaimVerdict(**{**data, "state": State(data["state"]), "message": message})


def exercise_to_dict(verdict: ExerciseVerdict, *, whole: bool = False) -> dict[str, Any]:
    """Plain data; of messages only the first that a learner looks at, or all, without pictures."""
    first = verdict.first_failure
    claims = [each if each is first else _shorter(each, whole) for each in verdict.claims]
    return {
        "slug": verdict.slug,
        "claims": [claim_to_dict(each) for each in claims],
        "stand_ins": list(verdict.stand_ins),
        "not_run": verdict.not_run,
        "diagnosis": verdict.diagnosis and diagnosis_to_dict(verdict.diagnosis),
        "printed": verdict.printed,
        "tampering": list(verdict.tampering),
        "flags": list(verdict.flags),
    }


def _shorter(claim: ClaimVerdict, whole: bool) -> ClaimVerdict:
    told = claim.message and replace(claim.message, picture=None)
    return replace(claim, message=told if whole else None)


def exercise_from_dict(data: Mapping[str, Any]) -> ExerciseVerdict:
    """The other side of that border."""
    return ExerciseVerdict(
        data["slug"],
        tuple(claim_from_dict(each) for each in data["claims"]),
        tuple(data["stand_ins"]),
        data["not_run"],
        data["diagnosis"] and diagnosis_from_dict(data["diagnosis"]),
        data["printed"],
        tuple(data["tampering"]),
        tuple(data["flags"]),
    )


def submission_to_dict(verdict: SubmissionVerdict) -> dict[str, Any]:
    """Plain data, with everything that follows from it."""
    return {
        "student": verdict.student,
        "id": verdict.id,
        "status": verdict.status,
        "score": verdict.score,
        "most": verdict.most,
        "problem": verdict.problem,
        "notes": list(verdict.notes),
        "marks": [asdict(each) for each in verdict.marks],
        "exercises": [exercise_to_dict(each, whole=True) for each in verdict.exercises],
    }


def submission_from_dict(data: Mapping[str, Any]) -> SubmissionVerdict:
    """The other side of that border."""
    return SubmissionVerdict(
        data["student"],
        tuple(exercise_from_dict(each) for each in data["exercises"]),
        tuple(Mark(**each) for each in data["marks"]),
        tuple(data["notes"]),
        data["problem"],
        data.get("id", ""),  # journals of before have none
    )


def diagnosis_to_dict(found: Diagnosis) -> dict[str, Any]:
    """Plain data, to cross a process border."""
    mistakes = [{**asdict(each), "hints": list(each.hints)} for each in found.mistakes]
    return {"fit": found.fit.value, "mistakes": mistakes, "claims": found.claims}


def diagnosis_from_dict(data: Mapping[str, Any]) -> Diagnosis:
    """The other side of that border."""
    mistakes = [Mistake(**{**each, "hints": tuple(each["hints"])}) for each in data["mistakes"]]
    return Diagnosis(Fit(data["fit"]), tuple(mistakes), data["claims"])


def _message_to_dict(message: Message) -> dict[str, Any]:
    """What is no finite number goes as text: JSON has no other way."""
    picture = message.picture
    if not picture:
        return asdict(message)
    grids = {name: _each(_written, getattr(picture, name)) for name in GRIDS}
    return {**asdict(message), "picture": {**asdict(picture), **grids}}


def _message(data: Mapping[str, Any]) -> Message:
    if not data["picture"]:
        return Message(**data)
    grids = {name: _each(float, data["picture"][name]) for name in GRIDS}
    return Message(**{**data, "picture": Picture(**{**data["picture"], **grids})})


def _each(change: Callable[[Any], Any], grid: list[list[Any]]) -> list[list[Any]]:
    return [[change(value) for value in row] for row in grid]


def _written(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
