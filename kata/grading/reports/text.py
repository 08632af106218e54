"""What several formats say alike, in letters that every reader takes."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kata.curriculum import exercises
from kata.grading.reports.filing import stem
from kata.grading.results import replacing
from kata.show import message
from kata.style import Style
from kata.verdict import ClaimVerdict, ClassVerdict, ExerciseVerdict, State, SubmissionVerdict
from kata.words import say

PLAIN = Style(width=100)
BROKEN = {State.ERROR, State.TIMED_OUT, State.TAMPERED, State.NOT_GRADABLE}  # no answer came
UNTRIED = {State.NOT_STARTED, State.BLOCKED, State.SKIPPED}  # nothing is known to be wrong
MISSING = "\ufffd"  # stands for a character that cannot be shown
# What a terminal would obey: colours and the like, titles of windows, the rest.
ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
# What is no character of XML 1.0, what says nothing, and what turns the direction of lines.
ODD = re.compile(
    "[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    "|[\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufeff]"
)


def clean(text: str) -> str:
    """The text without what a terminal, a parser or a reader would stumble over."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return ODD.sub(MISSING, ESCAPES.sub("", lines))


def cleaned(data: Any) -> Any:
    """All texts in lists and tables of plain data."""
    if isinstance(data, str):
        return clean(data)
    if isinstance(data, dict):
        return {name: cleaned(each) for name, each in data.items()}
    return [cleaned(each) for each in data] if isinstance(data, list) else data


def line(text: str) -> str:
    """The same in one line."""
    return " ".join(clean(text).split())


def cut(text: str, most: int) -> str:
    """No more than so many characters; who reads it is told that there was more."""
    end = say("reports.cut")
    return text if len(text) <= most else text[: most - len(end)] + end


def title(exercise: ExerciseVerdict) -> str:
    """How people call it: `ex05 Masks`."""
    about = exercises()[exercise.slug]
    return f"{about.short} {about.title}"


def number(exercise: ExerciseVerdict) -> int:
    """Its place in the course."""
    return int(exercises()[exercise.slug].short.removeprefix("ex"))


def in_words(claim: ClaimVerdict) -> str:
    """Its name as words: `no position may attend to a later one`."""
    return claim.name.removeprefix("test_").replace("_", " ")


def is_whole(exercise: ExerciseVerdict) -> bool:
    """Whether no claim was made, because of what is to be said of the file as a whole."""
    return not any(each.name.startswith("test_") for each in exercise.claims)


def told(exercise: ExerciseVerdict) -> str:
    """All that its author is to read of an exercise: nothing of flags, and nothing of others."""
    if is_whole(exercise):
        return "\n".join(each.message.brief for each in exercise.claims if each.message)
    held = say("reports.held", held=exercise.held, claims=len(exercise.judged))
    stood_in = [say("grading.stood-in", slug=each) for each in exercise.stand_ins]
    return "\n".join([held, *stood_in, *_failure(exercise), *_printed(exercise)])


def _failure(exercise: ExerciseVerdict) -> list[str]:
    first = exercise.first_failure
    if first is None:
        return []
    found = message(first.message, PLAIN, exercise.diagnosis) if first.message else ""
    return ["", found or say("reports.not-written", claim=in_words(first))]


def _printed(exercise: ExerciseVerdict) -> list[str]:
    return ["", say("reports.printed"), exercise.printed] if exercise.printed else []


def evidence(claim: ClaimVerdict) -> str:
    """What was asked and what came of it, and the author's own lines if they raised."""
    about = claim.message
    if about is None:
        return ""
    return "\n".join(filter(None, [about.inputs, about.evidence, about.cause, *about.frames]))


def each_as_json(
    found: ClassVerdict, folder: Path, of: Callable[[SubmissionVerdict], dict[str, Any]]
) -> None:
    """A file for each student, called like the student."""
    folder.mkdir(parents=True, exist_ok=True)
    for verdict in found.submissions():
        with replacing(folder / f"{stem(verdict.student)}.json") as file:
            file.write(f"{json.dumps(cleaned(of(verdict)), ensure_ascii=False, indent=1)}\n")
