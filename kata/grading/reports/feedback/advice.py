"""What a student is told of one exercise: how it stands, what went wrong, and a hint for each."""

import re
from dataclasses import dataclass

from kata.course.curriculum import Exercise, exercises
from kata.course.source import contract
from kata.grading.reports.common.costs import charged
from kata.grading.reports.remarks import DIGITS
from kata.grading.reports.tables import number
from kata.grading.reports.text import beside, failures_of, for_author, printed, tried
from kata.learner import hints
from kata.points import Mark
from kata.terminal.board import standing
from kata.terminal.message import ALONE, headline
from kata.text import cut
from kata.verdict import ClaimVerdict, Diagnosis, ExerciseVerdict, Fit, Message, Mistake, State
from kata.words import say

MOST_PRINTED = 1000  # characters


@dataclass(frozen=True)
class Row:
    """A line of the board."""

    exercise: Exercise
    state: State
    standing: str
    share: float  # of the claims that hold
    score: str
    most: str
    points: float
    stand_ins: tuple[str, ...]
    set_aside: tuple[str, ...]
    tried: bool  # whether there was tampering
    left_over: tuple[str, ...] = ()  # in the code, by accident
    charged: tuple[str, ...] = ()  # what mistakes have cost

    @property
    def begun(self) -> bool:
        """Whether the exercise was started."""
        return self.state is not State.NOT_STARTED


@dataclass(frozen=True)
class Trouble:
    """A claim that does not hold, the mistake behind it if it is known, and one hint."""

    message: Message
    cause: str
    mistakes: tuple[Mistake, ...]
    titled: bool  # whether the mistakes are named one by one, rather than in `cause`
    hint: str
    claims: int  # that do not hold by this mistake; 0 if that is not known


@dataclass(frozen=True)
class Advice:
    """Help with an exercise that was started and does not pass."""

    row: Row
    troubles: tuple[Trouble, ...]  # what costs most first
    whole: bool  # whether the message is about the file, of which no claim could be checked
    beside: int  # claims that do not hold for another reason
    printed: str


def row(verdict: ExerciseVerdict, mark: Mark) -> Row:
    """The line of one exercise."""
    return Row(
        exercises()[verdict.slug],
        State.SKIPPED if verdict.in_work else verdict.state,
        _standing(verdict),
        verdict.held / max(1, len(verdict.judged)),
        number(mark.score, DIGITS),
        number(mark.most, DIGITS),
        mark.most,
        verdict.stand_ins,
        verdict.set_aside,
        tried(verdict),
        verdict.left_over,
        tuple(charged(verdict, mark)),
    )


def advice(verdict: ExerciseVerdict, mark: Mark, *, exam: bool) -> Advice | None:
    """The advice on an exercise; none if it passes or was not started.

    After an exam it names no mistake and gives no hint.
    """
    failed = verdict.first_failure
    if failed is None or verdict.state is State.NOT_STARTED:
        return None
    pairs = [(failed, None)] if exam else failures_of(verdict)
    return Advice(
        row(verdict, mark),
        tuple(_trouble(verdict, *each, exam=exam) for each in pairs),
        verdict.is_whole or _only_raised(verdict),
        0 if exam else beside(verdict),
        cut(printed(verdict).strip(), MOST_PRINTED, say("reports.cut")),
    )


def _only_raised(verdict: ExerciseVerdict) -> bool:
    """Whether the file raised when it was imported, so that no claim could be checked."""
    first, *others = verdict.claims
    return first.state is State.ERROR and {each.state for each in others} == {State.BLOCKED}


def _trouble(
    verdict: ExerciseVerdict, claim: ClaimVerdict, named: Diagnosis | None, *, exam: bool
) -> Trouble:
    about = for_author(claim)
    return Trouble(
        about,
        "" if exam else _named(named) if named else about.cause,
        named.mistakes if named else (),
        bool(named and named.fit not in ALONE),
        "" if exam else hint(verdict, claim, named),
        len(named.explains) if named else 0,
    )


def _named(found: Diagnosis) -> str:
    """How sure the name is: beside a count of all claims, that of those that fail tells more."""
    if found.fit is not Fit.ONE:
        return headline(found)
    about = say("reports.about", name=found.about) if found.about else ""
    others = say("reports.others-fail", count=found.others) if found.others else ""
    key = "reports.named-one" if found.failing == 1 else "reports.named"
    return say(key, failing=found.failing, claims=found.claims, about=about,
               others=others, title=found.mistakes[0].title)  # fmt: skip


def hint(verdict: ExerciseVerdict, failed: ClaimVerdict, named: Diagnosis | None) -> str:
    """The first hint about the known mistake, else about the function."""
    own = [text for mistake in named.mistakes for text in mistake.hints] if named else []
    if own:
        return own[0]
    message = failed.message or Message("")
    unread = failed.state is State.ERROR and not message.inputs
    if unread or failed.state in {State.TAMPERED, State.NOT_GRADABLE}:
        return ""
    exercise = exercises()[verdict.slug]
    return next(iter(hints.general(exercise, _function(exercise, failed, message))), "")


def _function(exercise: Exercise, failed: ClaimVerdict, message: Message) -> str:
    """The function that was called or is mentioned, else the first of the exercise."""
    names = contract(exercise).names
    spoken_of = re.compile(rf"\b(?:{'|'.join(names)})\b")
    for text in (message.inputs, message.evidence, failed.name):
        if match := spoken_of.search(text):
            return match[0]
    return names[0]


def _standing(verdict: ExerciseVerdict) -> str:
    """As on the board; or that the exercise was not handed in."""
    failed = verdict.first_failure
    if failed and failed.message and verdict.state is State.NOT_STARTED and verdict.is_whole:
        return failed.message.brief
    return standing(verdict)
