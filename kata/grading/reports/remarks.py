"""What an instructor is told of a submission, in the same words in every format.

What its author may read of it is another matter: see `text`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from kata.class_verdict import SubmissionVerdict
from kata.course.curriculum import exercises
from kata.points import Adjustment
from kata.text import line
from kata.verdict import ClaimVerdict, ExerciseVerdict, Fit, State
from kata.words import say

DIGITS = 2  # of points, as pages and tables show them
ALIKE = " / "  # between mistakes that cannot be told apart


@dataclass(frozen=True)
class Remark:
    """A text, and the exercises that it is about: `ex05, ex06`."""

    places: str
    text: str

    def __str__(self) -> str:
        return f"{self.places}: {self.text}"


def mistakes(verdict: SubmissionVerdict) -> list[Remark]:
    """The known mistakes, each with the exercises in which it was recognised."""
    return _remarks(verdict, _named)


def tampering(verdict: SubmissionVerdict) -> list[Remark]:
    """What the code tried that no exercise asks for."""
    return _remarks(verdict, attempts)


def left_over(verdict: SubmissionVerdict) -> list[Remark]:
    """What was left in the code by accident; its author is told, too."""
    return _remarks(verdict, lambda exercise: exercise.left_over)


def seen(verdict: SubmissionVerdict) -> list[Remark]:
    """All that an instructor may want to look at, the gravest first."""
    return [*tampering(verdict), *left_over(verdict), *flags(verdict)]


def flags(verdict: SubmissionVerdict) -> list[Remark]:
    """What else an instructor may want to look at."""
    return _remarks(verdict, lambda exercise: exercise.flags)


def notes(verdict: SubmissionVerdict) -> list[str]:
    """Why it could not be graded, what was noticed while reading it, and which files are broken."""
    return [*on_reading(verdict), *changes(verdict, reasons=True), *broken(verdict)]


def on_reading(verdict: SubmissionVerdict) -> list[str]:
    """Of those notes the ones about the submission as a whole; its author may read them, too."""
    return [*filter(None, [verdict.problem]), *verdict.notes]


def changes(verdict: SubmissionVerdict, *, reasons: bool = False) -> list[str]:
    """Changes of marks and comments; the reasons behind them are for instructors alone."""
    return [*filter(None, (_change(each, reasons=reasons) for each in verdict.adjustments))]


def _change(made: Adjustment, *, reasons: bool) -> str:
    what = exercises()[made.slug].short if made.slug else say("reports.whole-score")
    points = {"before": number(made.before, DIGITS), "after": number(made.after, DIGITS)}
    texts = [say("reports.changed", cause=made.cause, **points)] if made.cause else []
    texts += [say("reports.comment", comment=made.comment)] if made.comment else []
    texts += [say("reports.reason", reason=made.reason)] if made.reason and reasons else []
    said = "; ".join(texts)
    return f"{what}: {said}" if said and (made.slug or made.cause) else said


def attempts(exercise: ExerciseVerdict) -> tuple[str, ...]:
    """What the code tried in one exercise; if nothing was seen, what gave it away."""
    forged = (each for each in exercise.claims if each.state is State.TAMPERED)
    signs = (each.message.evidence for each in forged if each.message)
    seen = (say("reports.tried-what", what=each) for each in exercise.tampering)
    return tuple(seen) or tuple(dict.fromkeys(filter(None, signs)))


def _remarks(
    verdict: SubmissionVerdict, told: Callable[[ExerciseVerdict], Iterable[str]]
) -> list[Remark]:
    """Each text once, with all its exercises."""
    places: dict[str, list[str]] = {}
    for exercise in verdict.exercises:
        for text in dict.fromkeys(filter(None, told(exercise))):
            places.setdefault(text, []).append(exercises()[exercise.slug].short)
    return [Remark(", ".join(shorts), text) for text, shorts in places.items()]


def _named(exercise: ExerciseVerdict) -> Iterator[str]:
    """What was named, what costs most first; nothing twice."""
    known: set[str] = set()
    for found in exercise.diagnoses:
        new = [each for each in found.mistakes if each.slug not in known]
        joint = " + " if found.fit is Fit.BOTH else ALIKE
        yield joint.join(each.title for each in new)
        known |= {each.slug for each in new}


def unread(verdict: SubmissionVerdict) -> Iterator[str]:
    """Why files of exercises were not read."""
    for first in _on_files(verdict):
        if first.state is State.NOT_GRADABLE and first.message:
            yield line(first.message.claim)


def broken(verdict: SubmissionVerdict) -> Iterator[str]:
    """Why files could not be judged at all."""
    for first in _on_files(verdict):
        if first.state is State.ERROR and first.name == State.ERROR and first.message:
            reason, _, code = first.message.claim.partition("\n")
            yield line(f"{reason} in `{code.strip()}`" if code else reason)


def _on_files(verdict: SubmissionVerdict) -> Iterator[ClaimVerdict]:
    """What is said of whole files, in the place of their claims."""
    return (each.claims[0] for each in verdict.exercises if each.is_whole and each.claims)


def number(value: float, digits: int = 4) -> str:
    """As people write it: 2 and 2.5, with at most so many digits after the point."""
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")
