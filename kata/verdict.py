"""Verdicts as data. All output is a pure function of them.

Their texts come from strangers' code: every class says how long its texts may be.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, partial
from typing import Any, ClassVar

from kata.plain import decode, encode
from kata.text import Bounded


class State(StrEnum):
    """The state of a claim, an exercise or a submission."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_STARTED = "not started"
    ERROR = "error"
    TIMED_OUT = "timed out"
    BLOCKED = "blocked"
    SKIPPED = "skipped"
    TAMPERED = "tampered"
    NOT_GRADABLE = "not gradable"


BLOCKING = {State.ERROR, State.TIMED_OUT}  # states that may make later claims impossible
FINE = {State.PASSED, State.NOT_STARTED, State.BLOCKED}  # states in which nothing is wrong so far
# Evidence that says more than which numbers differ: an error, a shape, a type, something missing.
TELLING = re.compile(r"\w+Error: |(.*: )?(shape|dtype) |`\w+` was changed|no \w+|returned ")
MOST_IN_FULL = 3  # mistakes of an exercise that its author reads in full


@dataclass(frozen=True)
class Picture:
    """Two grids of numbers to compare, and which cells differ.

    Attributes:
        where: the index of the grids in a larger array.
        row, column: the place where the grids start, if they are a window of that array.
        shape: the shape of that array.
        worst: the cell that is furthest off.
        home: the cell where the worst number is expected, if right numbers are in wrong places.
        axis: the dimension along which they are exchanged.
        belongs: the indices along it where the numbers of `got` are expected; -1 for nowhere.
        stands: the indices along it where they are.
    """

    expected: list[list[float]]
    got: list[list[float]]
    wrong: list[list[bool]]
    where: str = ""
    row: int = 0
    column: int = 0
    shape: list[int] = field(default_factory=list)
    worst: list[int] = field(default_factory=list)
    axis: int = 0
    home: list[int] = field(default_factory=list)
    belongs: list[list[int]] = field(default_factory=list)
    stands: list[list[int]] = field(default_factory=list)


@dataclass(frozen=True)
class Message(Bounded):
    """The message for a learner: claim, inputs, evidence, and perhaps a cause.

    Attributes:
        claim: the sentence that does not hold, or a sentence about the file as a whole.
        inputs: the call, and below it the arguments in full if they are small.
        evidence: the difference between the result and the right one, or the error.
        cause: the reason, if it is certain.
        picture: a picture of weights or of a mask.
        frames: the learner's own lines, if they raised.
        line: the line of the learner's file to look at.
        file: the file of this line, if it is not that of the exercise.
        leads: whether the evidence has nothing to do with the claim, and so comes first.
        compared: the whole right result and the whole result, if they are small.
        remark: a remark about the text of the code.
        rest_right: whether a part did not come back, and the rest is right.
    """

    longest: ClassVar[dict[str, int]] = {
        **dict.fromkeys(("claim", "evidence", "cause", "remark"), 1000),
        **{"inputs": 2000, "compared": 2000, "frames": 500, "file": 100},
    }
    at_most: ClassVar[dict[str, int]] = {"frames": 12}

    claim: str
    inputs: str = ""
    evidence: str = ""
    cause: str = ""
    picture: Picture | None = None
    frames: list[str] = field(default_factory=list)
    line: int = 0
    file: str = ""
    leads: bool = False
    compared: str = ""
    remark: str = ""
    rest_right: bool = False

    @property
    def brief(self) -> str:
        """The first part: the claim, unless the evidence leads or there is no claim."""
        return self.evidence if self.leads or not self.claim else self.claim

    @property
    def rest(self) -> str:
        """The part after the inputs: the evidence, or the claim if the evidence comes first."""
        if self.leads:
            return self.claim
        return self.evidence if self.claim else ""


class Fit(StrEnum):
    """The way in which mistakes explain the results."""

    ONE = "one"  # exactly this mistake
    LIKE = "like"  # the same results as this mistake, but the code does not look like it
    EITHER = "either"  # one of two mistakes that the claims of this run cannot distinguish
    TWINS = "twins"  # one of several mistakes that no claim can distinguish
    BOTH = "both"  # two mistakes together
    NEAR = "near"  # the same result as this mistake in most of the claims that fail
    PART = "part"  # this mistake explains the first claim that fails, and perhaps not all others
    CRASH = "crash"  # an error with a text that has one cause
    KIND = "kind"  # the meaning of the evidence by itself


@dataclass(frozen=True)
class Mistake:
    """A mistake of the catalogue, in words for the learner.

    Attributes:
        explains: the claims that fail by it, as a grader counts them: a claim has one mistake.
        function: the function that loses points for it; empty for a kind of evidence.
        price: the class of mistakes that it belongs to; empty for a kind of evidence.
    """

    slug: str
    title: str
    symptom: str = ""
    why: str = ""
    hints: tuple[str, ...] = ()
    explains: tuple[str, ...] = ()
    function: str = ""
    price: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """The mistakes that explain the results.

    Attributes:
        fit: the way in which they explain them.
        mistakes: the mistakes.
        claims: the number of claims with the same result: all of them, or some of the failing
            claims if the fit is not exact.
        failing: the number of claims that fail.
        about: the function that these claims are about; empty if they are all of the exercise.
        others: the number of claims that fail and are about other functions.
    """

    fit: Fit
    mistakes: tuple[Mistake, ...]
    claims: int = 0
    failing: int = 0
    about: str = ""
    others: int = 0

    @property
    def explains(self) -> tuple[str, ...]:
        """The claims that fail by its mistakes, as a grader counts them."""
        return tuple(name for mistake in self.mistakes for name in mistake.explains)


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
        """True if the claim holds."""
        return self.state is State.PASSED

    @property
    def plain_name(self) -> str:
        """The claim, whichever device it was made on."""
        return self.name.split("[")[0]

    @property
    def in_words(self) -> str:
        """The name as a sentence: `no position may attend to a later one`."""
        return self.name.removeprefix("test_").replace("_", " ")

    @property
    def plain_words(self) -> str:
        """The name as a sentence, whichever device the claim was made on."""
        return self.in_words.partition("[")[0]

    @property
    def evidence(self) -> str:
        """The evidence in a line, if it says more than which numbers differ."""
        line = self.message.evidence.partition("\n")[0] if self.message else ""
        return line if TELLING.match(line) else ""


def telling(failing: list[ClaimVerdict]) -> list[str]:
    """Return claims in words; first the claims with evidence that says more than numbers."""
    ordered = sorted(failing, key=lambda claim: not claim.evidence)
    words = (": ".join(filter(None, [claim.plain_words, claim.evidence])) for claim in ordered)
    return list(dict.fromkeys(words))


@dataclass(frozen=True)
class ExerciseVerdict(Bounded):
    """The verdict on one exercise.

    Attributes:
        stand_ins: the earlier exercises for which the reference stood in.
        not_run: the number of claims that the run left out (`-k`, `-x`).
        diagnosis: the diagnosis that accounts for most claims.
        further: the diagnoses of other functions, where they are diagnosed one by one.
        printed, tampering, flags: what the code printed and tried, for the instructor.
        set_aside: the stand-ins for files that pass, but with which fewer claims hold.
    """

    longest: ClassVar[dict[str, int]] = {"printed": 5000, "tampering": 200, "flags": 400}
    at_most: ClassVar[dict[str, int]] = {"tampering": 5, "flags": 20}

    slug: str
    claims: tuple[ClaimVerdict, ...] = ()
    stand_ins: tuple[str, ...] = ()
    not_run: int = 0
    diagnosis: Diagnosis | None = None
    further: tuple[Diagnosis, ...] = ()
    printed: str = ""
    tampering: tuple[str, ...] = ()
    left_over: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()

    @cached_property
    def judged(self) -> tuple[ClaimVerdict, ...]:
        """The claims that count: not the claims that need a missing GPU."""
        return tuple(claim for claim in self.claims if claim.state is not State.SKIPPED)

    @property
    def is_whole(self) -> bool:
        """True if the verdict is about the file as a whole, because no claim could be checked."""
        return not any(claim.name.startswith("test_") for claim in self.claims)

    @property
    def held(self) -> int:
        """The number of claims that hold."""
        return sum(claim.held for claim in self.judged)

    def count(self, state: State) -> int:
        """Return the number of claims in this state."""
        return sum(claim.state is state for claim in self.judged)

    def lost_by(self, names: Collection[str]) -> list[str]:
        """Return these failing claims, and the claims that one of them blocks."""
        blocker = None
        blocked = []
        for claim in self.judged:
            if claim.state is State.BLOCKED and blocker in names:
                blocked.append(claim.name)
            blocker = claim.name if claim.state in BLOCKING else blocker
        return [*names, *blocked]

    @property
    def has_tampering(self) -> bool:
        """True if the code tried what no exercise asks for; an instructor reads the details."""
        return bool(self.tampering or self.count(State.TAMPERED))

    @property
    def in_work(self) -> bool:
        """True if it is started, and everything that is written so far is right."""
        unwritten = self.count(State.NOT_STARTED)
        return 0 < unwritten < len(self.judged) == unwritten + self.held

    @property
    def state(self) -> State:
        """The state: passed if all claims hold; skipped if the rest was not run."""
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
    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """All diagnoses, the dearest first."""
        return (self.diagnosis, *self.further) if self.diagnosis else ()

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The mistakes that were named, without repetition."""
        mistakes = (mistake for diagnosis in self.diagnoses for mistake in diagnosis.mistakes)
        return tuple({mistake.slug: mistake for mistake in mistakes}.values())

    def claim_of(self, diagnosis: Diagnosis) -> ClaimVerdict | None:
        """Return the first claim that fails by a diagnosis, or else the first that fails at all."""
        by_it = (claim for claim in self.judged if claim.name in diagnosis.explains)
        return next(by_it, None) or self.first_failure

    @property
    def failures(self) -> list[tuple[ClaimVerdict, Diagnosis | None]]:
        """The first claims that fail by the dearest mistakes; or else the first that fails."""
        diagnoses = self.diagnoses[:MOST_IN_FULL] or (None,)
        pairs = (
            (self.claim_of(diagnosis) if diagnosis else self.first_failure, diagnosis)
            for diagnosis in diagnoses
        )
        return [(claim, diagnosis) for claim, diagnosis in pairs if claim]

    @property
    def unexplained(self) -> list[ClaimVerdict]:
        """The claims that do not hold, and that no diagnosis explains."""
        explained = {name for diagnosis in self.diagnoses for name in diagnosis.explains}
        wrong = (claim for claim in self.judged if claim.state not in FINE)
        return [claim for claim in wrong if claim.name not in explained]

    @property
    def done(self) -> bool:
        """True if no work is left, as far as claims were run."""
        return self.state in {State.PASSED, State.SKIPPED} and bool(self.claims)

    @property
    def line(self) -> int:
        """The line to look at first in the learner's file."""
        failed = self.first_failure
        return failed.message.line if failed and failed.message and failed.message.line else 1

    @property
    def file(self) -> str:
        """The file of this line, if it is that of an earlier exercise."""
        failed = self.first_failure
        return failed.message.file if failed and failed.message else ""

    def beside(self, first: ClaimVerdict) -> list[str]:
        """Return the other claims that do not hold, in words."""
        failing = (claim for claim in self.judged if claim.state in {State.FAILED, State.ERROR})
        return telling([claim for claim in failing if claim is not first])

    @property
    def first_failure(self) -> ClaimVerdict | None:
        """The claim to look at first."""
        return next((claim for claim in self.judged if not claim.held), None)

    @property
    def first_wrong(self) -> ClaimVerdict | None:
        """The first claim that fails about a function that is written, as pytest shows it."""
        return next((claim for claim in self.judged if claim.state not in FINE), None)


def exercise_to_dict(verdict: ExerciseVerdict) -> dict[str, Any]:
    """Return plain data, with the messages that a learner looks at, and telling evidence."""
    data: dict[str, Any] = encode(lighter(verdict, _with_evidence, verdict.first_wrong))
    return data


def _with_evidence(claim: ClaimVerdict) -> ClaimVerdict:
    message = Message("", evidence=claim.evidence) if claim.evidence else None
    return replace(claim, message=message)


def lighter(
    verdict: ExerciseVerdict,
    less: Callable[[ClaimVerdict], ClaimVerdict],
    *whole: ClaimVerdict | None,
) -> ExerciseVerdict:
    """Reduce all claims but the first failure and the `whole` ones."""
    complete = {id(claim) for claim in (verdict.first_failure, *whole)}
    claims = (claim if id(claim) in complete else less(claim) for claim in verdict.claims)
    return replace(verdict, claims=tuple(claims))


exercise_from_dict = partial(decode, ExerciseVerdict)
