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

Entry = tuple[Exercise, Bug]


def errors(chosen: Iterable[Exercise]) -> list[Data]:
    """All error texts that mistakes of the catalogue raise, in the order of the alphabet."""
    groups: dict[str, list[Entry]] = {}
    for exercise in chosen:
        for bug, text in _raised(exercise):
            groups.setdefault(text, []).append((exercise, bug))
    return [_group(marked(f"`{text}`"), groups[text]) for text in sorted(groups)]


def _raised(exercise: Exercise) -> Iterator[tuple[Bug, str]]:
    """The mistakes that raise in their own code, with the first line of the error."""
    asked = [bug for bug in telling(exercise) if RAISES.search(bug.symptom)]
    messages = room(exercise, asked).messages
    for bug in asked:
        message = messages.get(bug.slug)
        if message and message.frames and ":" in message.evidence:
            line = message.evidence.partition("\n")[0].replace("`", "'")
            yield bug, cut(NUMBER.sub(ANY, line), LONGEST, ANY)


def symptoms(chosen: Iterable[Exercise]) -> list[Data]:
    """All headings of texts/symptoms.toml with the mistakes that have one in their symptoms."""
    headings = _headings()
    groups: dict[str, list[Entry]] = {name: [] for name in sorted(headings, key=str.lower)}
    for exercise in chosen:
        for bug in telling(exercise):
            fitting = [name for name, word in headings.items() if word.search(bug.symptom)]
            for name in fitting[:MOST]:
                groups[name].append((exercise, bug))
    return [_group(marked(name), entries) for name, entries in groups.items() if entries]


def _headings() -> dict[str, re.Pattern[str]]:
    """The headings in the order of the file, which has the special ones first."""
    table = tomllib.loads((TEXTS / "symptoms.toml").read_text(encoding="utf-8"))
    return {name: re.compile(words, re.IGNORECASE) for name, words in table["heading"]}


def _group(heading: object, entries: list[Entry]) -> Data:
    rows = [
        [key(exercise, bug), exercise.short, marked(capital(bug.title))]
        for exercise, bug in entries
    ]
    return {"heading": heading, "rows": rows}
