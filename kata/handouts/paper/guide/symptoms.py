"""The index: from an error text, or from what one sees, to the entry of the mistake behind it."""

import re
import tomllib
from collections.abc import Iterable, Iterator

from kata.course.catalogue import Bug
from kata.course.curriculum import Exercise
from kata.handouts.examples import TEXTS
from kata.handouts.marked import capital, marked
from kata.handouts.paper.guide.appendix import key
from kata.handouts.paper.guide.stalls import telling
from kata.handouts.paper.typesetting import Data
from kata.handouts.site.rooms import room
from kata.text import cut

RAISES = re.compile(r"error|raise|refuse", re.IGNORECASE)  # in a symptom; the others are not run
MOST = 2  # headings under which one mistake stands
NUMBER, ANY = re.compile(r"(?<!\w)-?\d+(x\d+)?"), "…"  # the numbers of a learner are others
LONGEST = 110  # characters of an error text

Found = tuple[Exercise, Bug]


def errors(chosen: Iterable[Exercise]) -> list[Data]:
    """Each error text that a mistake of the catalogue raises, in the order of the alphabet."""
    told: dict[str, list[Found]] = {}
    for exercise in chosen:
        for bug, text in _raised(exercise):
            told.setdefault(text, []).append((exercise, bug))
    return [_group(marked(f"`{text}`"), told[text]) for text in sorted(told)]


def _raised(exercise: Exercise) -> Iterator[tuple[Bug, str]]:
    """Those whose own code raised, with the first line of what it said."""
    asked = [bug for bug in telling(exercise) if RAISES.search(bug.symptom)]
    messages = room(exercise, asked).messages
    for bug in asked:
        message = messages.get(bug.slug)
        if message and message.frames and ":" in message.evidence:
            line = message.evidence.partition("\n")[0].replace("`", "'")
            yield bug, cut(NUMBER.sub(ANY, line), LONGEST, ANY)


def symptoms(chosen: Iterable[Exercise]) -> list[Data]:
    """Each heading of texts/symptoms.toml with the mistakes whose symptom speaks of it."""
    headings = _headings()
    told: dict[str, list[Found]] = {name: [] for name in sorted(headings, key=str.lower)}
    for exercise in chosen:
        for bug in telling(exercise):
            fitting = [name for name, word in headings.items() if word.search(bug.symptom)]
            for name in fitting[:MOST]:
                told[name].append((exercise, bug))
    return [_group(marked(name), pairs) for name, pairs in told.items() if pairs]


def _headings() -> dict[str, re.Pattern[str]]:
    """In the order of the file, which has the special ones first."""
    table = tomllib.loads((TEXTS / "symptoms.toml").read_text(encoding="utf-8"))
    return {name: re.compile(words, re.IGNORECASE) for name, words in table["heading"]}


def _group(heading: object, pairs: list[Found]) -> Data:
    rows = [
        [key(exercise, bug), exercise.short, marked(capital(bug.title))] for exercise, bug in pairs
    ]
    return {"heading": heading, "rows": rows}
