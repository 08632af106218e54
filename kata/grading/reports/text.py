"""What the author of a submission is told, and what several formats have in common."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.grading.reports.filenames import write_each
from kata.terminal.message import ALONE, headline, message
from kata.terminal.style import Style
from kata.text import clean
from kata.verdict import FINE, MOST_SHOWN, ClaimVerdict, Diagnosis, ExerciseVerdict, Message, State
from kata.words import say

PLAIN = Style(width=100)
BROKEN = {State.ERROR, State.TIMED_OUT, State.TAMPERED, State.NOT_GRADABLE}  # no result
UNTRIED = {State.NOT_STARTED, State.BLOCKED, State.SKIPPED}  # not known to be wrong


def cleaned(data: Any) -> Any:
    """Plain data in which every text is clean."""
    if isinstance(data, str):
        return clean(data)
    if isinstance(data, dict):
        return {name: cleaned(each) for name, each in data.items()}
    return [cleaned(each) for each in data] if isinstance(data, list) else data


def title(exercise: ExerciseVerdict) -> str:
    """The title people know: `ex05 Masks`."""
    about = exercises()[exercise.slug]
    return f"{about.short} {about.title}"


def points(count: str) -> str:
    """In words: `1 point`, `2 points`."""
    return say("reports.point" if count == "1" else "reports.points", count=count)


def number(exercise: ExerciseVerdict) -> int:
    """Its place in the course."""
    return int(exercises()[exercise.slug].short.removeprefix("ex"))


def tried(exercise: ExerciseVerdict) -> bool:
    """Whether there was tampering; what it was, only the instructor is told."""
    return bool(exercise.tampering or exercise.count(State.TAMPERED))


def for_author(claim: ClaimVerdict) -> Message:
    """What its author may read of a claim: of tampering only that there was some."""
    message = claim.message or Message("")
    if claim.state is not State.TAMPERED:
        return message
    return Message(message.claim, evidence=say("reports.tried"), line=message.line)


def printed(exercise: ExerciseVerdict) -> str:
    """What the code printed, unless it tampered: it may print what it was not meant to find."""
    return "" if tried(exercise) else exercise.printed


def told(exercise: ExerciseVerdict) -> str:
    """All that its author is told of an exercise: nothing about flags or other students."""
    if exercise.is_whole:
        return "\n".join(filter(None, (for_author(each).brief for each in exercise.claims)))
    held = say("reports.held", held=exercise.held, claims=len(exercise.judged))
    failures = [line for each in failures_of(exercise) for line in _failure(*each)]
    more = [say("reports.more-fail", count=rest)] if (rest := beside(exercise)) else []
    told = [*stood_in(exercise), *exercise.left_over, *failures, *more]
    return "\n".join([held, *told, *_printed(exercise)])


def stood_in(exercise: ExerciseVerdict) -> list[str]:
    """For which earlier exercises the reference was used, and why if they pass."""
    return [say("reports.stood-in", slug=each) for each in exercise.stand_ins] + [
        say("reports.set-aside", slug=each) for each in exercise.set_aside
    ]


def failures_of(exercise: ExerciseVerdict) -> list[tuple[ClaimVerdict, Diagnosis | None]]:
    """What to look at: the first claim of each of the dearest mistakes; else the first of all."""
    named = exercise.diagnoses[:MOST_SHOWN] or (None,)
    pairs = ((exercise.claim_of(each) if each else exercise.first_failure, each) for each in named)
    return [(claim, each) for claim, each in pairs if claim]


def beside(exercise: ExerciseVerdict) -> int:
    """How many claims fail for another reason than the mistakes that are shown, if any are."""
    shown = exercise.diagnoses[:MOST_SHOWN]
    known = {name for each in shown for name in each.explains}
    if not known:
        return 0
    return sum(each.state not in FINE and each.name not in known for each in exercise.judged)


def _failure(claim: ClaimVerdict, found: Diagnosis | None) -> list[str]:
    about = for_author(claim)
    text = message(about, PLAIN, found) if about.brief else ""
    return ["", text or say("reports.not-written", claim=claim.in_words)]


def causes(exercise: ExerciseVerdict) -> dict[str, list[str]]:
    """What was named, in words, by the claim at which it is told."""
    found: dict[str, list[str]] = {}
    for claim, diagnosis in failures_of(exercise):
        if diagnosis:
            titles = [] if diagnosis.fit in ALONE else [each.title for each in diagnosis.mistakes]
            found.setdefault(claim.name, []).extend([headline(diagnosis), *titles])
    return found


def _printed(exercise: ExerciseVerdict) -> list[str]:
    text = printed(exercise)
    return ["", say("reports.printed"), text] if text else []


def said(claim: ClaimVerdict, *more: str) -> str:
    """All that its author is told of one claim that does not hold."""
    about = for_author(claim)
    texts = dict.fromkeys(filter(None, [about.brief, evidence(about), *more]))
    return "\n".join(texts) or say("reports.not-written", claim=claim.in_words)


def evidence(about: Message) -> str:
    """The inputs, what came out, and the author's own lines if they raised."""
    told = [about.inputs, about.rest, about.compared, about.remark, about.cause]
    return "\n".join(filter(None, [*told, *about.frames]))


def each_as_json(
    found: ClassVerdict, folder: Path, of: Callable[[SubmissionVerdict], dict[str, Any]]
) -> None:
    """A JSON file for each student."""

    def text(verdict: SubmissionVerdict) -> str:
        return f"{json.dumps(cleaned(of(verdict)), ensure_ascii=False, indent=1)}\n"

    write_each(found, folder, lambda verdict: {"json": text(verdict)})
