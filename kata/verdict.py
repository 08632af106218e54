"""Verdicts as data. All output is a pure function of them.

Their texts come from strangers' code: each kind of verdict says how long they may be.
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


BLOCKING = {State.ERROR, State.TIMED_OUT}  # what may make later claims impossible
FINE = {State.PASSED, State.NOT_STARTED, State.BLOCKED}  # nothing wrong is known
# Evidence that says more than which numbers differ: an error, a shape, a type, something missing.
TELLING = re.compile(r"\w+Error: |(.*: )?(shape|dtype) |`\w+` was changed|no \w+|returned ")
MOST_SHOWN = 3  # mistakes of an exercise that its author is shown in full


@dataclass(frozen=True)
class Picture:
    """Two grids of numbers to compare, and which cells differ.

    `where` is the index of the grids in a larger array; they may be a window of it that starts at
    `row` and `column`. `worst` is the cell that is furthest off. Where right numbers stand in the
    wrong places, `home` is where the worst one is expected, `belongs` says at which index of
    dimension `axis` each of `got` is expected (-1: nowhere), and `stands` at which one it is.
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
    """What a learner reads: claim, inputs, evidence, and a cause where one is known.

    Attributes:
        claim: the sentence that does not hold; or what is to be said of the file as a whole.
        inputs: the call, and below it the arguments in full if they are small.
        evidence: what is wrong.
        cause: where one is known.
        picture: of weights or a mask.
        frames: the learner's own lines, if they raised.
        line: of the learner's file, where to look.
        file: the one that the line is in, if it is not that of the exercise.
        leads: whether the evidence has nothing to do with the claim, and so comes first.
        compared: all that was expected, and all that came back, if that is little.
        remark: what the text of the code says by itself.
        rest_right: whether a part did not come back, and all of the rest is right.
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
        """What comes first: the claim, unless the evidence leads or there is no claim."""
        return self.evidence if self.leads or not self.claim else self.claim

    @property
    def rest(self) -> str:
        """What comes after the inputs: the evidence, or the claim if the evidence came first."""
        if self.leads:
            return self.claim
        return self.evidence if self.claim else ""


class Fit(StrEnum):
    """How known mistakes explain what was seen."""

    ONE = "one"  # exactly this one
    LIKE = "like"  # the same results as this one, but the code does not look like it
    EITHER = "either"  # the claims that were run cannot tell these two apart
    TWINS = "twins"  # no claim could
    BOTH = "both"  # two of them together
    NEAR = "near"  # this one, with the same result in most of the claims that fail
    PART = "part"  # this one explains the claim that fails first, and perhaps not all of the others
    CRASH = "crash"  # an error whose text has one cause
    KIND = "kind"  # what the evidence means by itself


@dataclass(frozen=True)
class Mistake:
    """A known way to be wrong, in words for the learner.

    `explains` are the claims of an exercise that fail by it, as a grader counts them: each claim
    stands at one mistake alone. `price` says in which class of mistakes it is, and `function` of
    which function it takes that; both are empty for what the evidence means by itself.
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
    """The known mistakes that reproduce what was seen.

    Args:
        fit: how they explain it.
        mistakes: the known mistakes.
        claims: how many claims have the same result: all of them, or for a fit that is not exact
            some of those that fail.
        failing: how many claims fail.
        about: the function that these claims are about; empty if they are all of the exercise.
        others: how many claims fail that are not about it.
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
        """Whether it counts."""
        return self.state is State.PASSED

    @property
    def plain_name(self) -> str:
        """The claim, whichever device it was made on."""
        return self.name.split("[")[0]

    @property
    def in_words(self) -> str:
        """Its name as a sentence: `no position may attend to a later one`."""
        return self.name.removeprefix("test_").replace("_", " ")

    @property
    def plain_words(self) -> str:
        """The same, whichever device it was made on."""
        return self.in_words.partition("[")[0]

    @property
    def evidence(self) -> str:
        """What is wrong in a line, if it says more than which numbers differ."""
        line = self.message.evidence.partition("\n")[0] if self.message else ""
        return line if TELLING.match(line) else ""


def telling(failing: list[ClaimVerdict]) -> list[str]:
    """Claims in words; first those whose evidence says more than which numbers differ, with it."""
    ordered = sorted(failing, key=lambda claim: not claim.evidence)
    words = (": ".join(filter(None, [claim.plain_words, claim.evidence])) for claim in ordered)
    return list(dict.fromkeys(words))


@dataclass(frozen=True)
class ExerciseVerdict(Bounded):
    """The claims of one exercise, and the earlier exercises for which the reference stood in.

    `not_run` counts claims that the run left out (`-k`, `-x`), about which nothing is known. Where
    each function was diagnosed by itself, `diagnosis` is what accounts for most claims, and
    `further` what accounts for others. What the code printed, its tampering and other flags are for
    the instructor. `set_aside` are those of the `stand_ins` that pass themselves, but under which
    fewer claims hold.
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
        """The claims that count; those that need a missing GPU do not."""
        return tuple(claim for claim in self.claims if claim.state is not State.SKIPPED)

    @property
    def is_whole(self) -> bool:
        """Whether the verdict is about the file as a whole, because no claim could be checked."""
        return not any(claim.name.startswith("test_") for claim in self.claims)

    @property
    def held(self) -> int:
        """How many claims hold."""
        return sum(claim.held for claim in self.judged)

    def count(self, state: State) -> int:
        """How many claims ended like this."""
        return sum(claim.state is state for claim in self.judged)

    def lost_by(self, names: Collection[str]) -> list[str]:
        """These claims, which fail, and those that one of them blocks."""
        at = None
        blocked = []
        for claim in self.judged:
            if claim.state is State.BLOCKED and at in names:
                blocked.append(claim.name)
            at = claim.name if claim.state in BLOCKING else at
        return [*names, *blocked]

    @property
    def has_tampering(self) -> bool:
        """Whether the code tried what no exercise asks for; what it was, an instructor reads."""
        return bool(self.tampering or self.count(State.TAMPERED))

    @property
    def in_work(self) -> bool:
        """Started, and everything written so far is right."""
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
    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """All that was named, what costs most first."""
        return (self.diagnosis, *self.further) if self.diagnosis else ()

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The known mistakes that were named, each once."""
        mistakes = (mistake for diagnosis in self.diagnoses for mistake in diagnosis.mistakes)
        return tuple({mistake.slug: mistake for mistake in mistakes}.values())

    def claim_of(self, diagnosis: Diagnosis) -> ClaimVerdict | None:
        """The first claim that fails by what was named; the first of all if none is known."""
        by_it = (claim for claim in self.judged if claim.name in diagnosis.explains)
        return next(by_it, None) or self.first_failure

    @property
    def failures(self) -> list[tuple[ClaimVerdict, Diagnosis | None]]:
        """What to look at: the first claim of each of the dearest mistakes; else the first."""
        pair = self.diagnoses[:MOST_SHOWN] or (None,)
        pairs = ((self.claim_of(named) if named else self.first_failure, named) for named in pair)
        return [(claim, diagnosis) for claim, diagnosis in pairs if claim]

    @property
    def unexplained(self) -> list[ClaimVerdict]:
        """The claims that were tried and do not hold, and that no named mistake explains."""
        explained = {name for diagnosis in self.diagnoses for name in diagnosis.explains}
        wrong = (claim for claim in self.judged if claim.state not in FINE)
        return [claim for claim in wrong if claim.name not in explained]

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
    def file(self) -> str:
        """The file that this line is in, if it is that of an earlier exercise."""
        failed = self.first_failure
        return failed.message.file if failed and failed.message else ""

    def beside(self, first: ClaimVerdict) -> list[str]:
        """The other claims that were made and do not hold."""
        failing = (claim for claim in self.judged if claim.state in {State.FAILED, State.ERROR})
        return telling([claim for claim in failing if claim is not first])

    @property
    def first_failure(self) -> ClaimVerdict | None:
        """What to look at first."""
        return next((claim for claim in self.judged if not claim.held), None)

    @property
    def first_wrong(self) -> ClaimVerdict | None:
        """The first claim about something that is written, as pytest shows it."""
        return next((claim for claim in self.judged if claim.state not in FINE), None)


def exercise_to_dict(verdict: ExerciseVerdict) -> dict[str, Any]:
    """Plain data; of all messages only those that a learner looks at, and telling evidence."""
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
    """Take less of all claims but the one to look at first, and these."""
    kept = {id(claim) for claim in (verdict.first_failure, *whole)}
    claims = (claim if id(claim) in kept else less(claim) for claim in verdict.claims)
    return replace(verdict, claims=tuple(claims))


claim_to_dict = diagnosis_to_dict = encode
exercise_from_dict = partial(decode, ExerciseVerdict)
