"""A room of the museum: one exercise, its claims, and the wrong answers that they catch.

At the end is the index of all rooms, in which the script of the page looks for words.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from kata.course.catalogue import REPRODUCED, Bug, bugs, target_of, wrong_answer
from kata.course.curriculum import Exercise
from kata.handouts.excerpts import excerpts
from kata.handouts.mistakes import OwnBug, own_bugs
from kata.judging.attempt import Attempt
from kata.judging.judge import check, suite
from kata.verdict import Message, State

# Marks of places in which a mistake was seen.
OWN = re.compile(r"(document \d+), own bug (\d+)")
DOCUMENT = re.compile(r"document \d+\b")
THREAD = re.compile(r"([\w.-]+/[\w.-]+)#(\d+)")
NOTEBOOK = "a public notebook that teaches attention"
ATTACK = "found while we tried to get a wrong answer past the tests of this exercise"
ATTACKED = "found by attacking the suite"
Link = tuple[str, str]  # a text, and where it leads, if anywhere
WORD = re.compile(
    r"-inf\b|== ?0\b|(?:dim|axis) ?= ?-?\d+|[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)*|\d+\.\d+"
)
PARTS = re.compile(r"[._]|=+-?\d+")
FOLDED = str.maketrans({"−": "-", "’": "'", "–": "-", "“": '"', "”": '"'})
ENDINGS = ("ing", "ed", "es", "s", "e")
SHORTEST_WORD = 3  # letters of a word without its ending
COMMON = 0.5  # the share of all entries above which a word is no help
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
# Of a word in a reason; in a symptom, a message or code; in a title.
WEIGHTS = (0, 1, 2)
MOST_CODE = 300  # characters, as longer code has words for everything
STOPPED = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "by", "do", "does", "for", "in", "is", "it", "its",
    "no", "not", "of", "on", "or", "the", "to", "with",
))  # fmt: skip
# Stems of other words for ours.
SAME = {"label": "target", "decreas": "fall", "increas": "grow"}


@dataclass(frozen=True)
class Catch:
    """A claim, and the wrong answers that fail it first."""

    name: str
    sentence: str
    bugs: tuple[Bug, ...]

    @property
    def title(self) -> str:
        """The name of the claim, which is a sentence."""
        return self.name.removeprefix("test_").replace("_", " ")


@dataclass(frozen=True)
class Room:
    """One exercise with its wrong answers in the museum, and their messages."""

    exercise: Exercise
    catches: tuple[Catch, ...]
    messages: Mapping[str, Message]

    @cached_property
    def bugs(self) -> dict[str, Bug]:
        """The wrong answers by their slugs, in the order of the claims that catch them."""
        return {bug.slug: bug for catch in self.catches for bug in catch.bugs}

    @cached_property
    def catch(self) -> dict[str, Catch]:
        """The claims that catch them, by the slugs of the wrong answers."""
        return {bug.slug: catch for catch in self.catches for bug in catch.bugs}


@dataclass(frozen=True)
class Counts:
    """The numbers of wrong answers, by what their authors see.

    Attributes:
        all: the number of them all.
        values: of those that run and give wrong numbers, of the right shape and type.
        errors: of those that raise an error.
        others: of those that break a promise in another way.
    """

    all: int
    values: int
    errors: int

    @property
    def others(self) -> int:
        """The number of the rest."""
        return self.all - self.values - self.errors

    @classmethod
    def of(cls, rooms: Iterable[Room]) -> "Counts":
        """Count the wrong answers of some rooms by what their authors read."""
        messages = [message for room in rooms for message in room.messages.values()]
        values = sum(
            message.picture is not None or " differ; worst at " in message.evidence
            for message in messages
        )
        errors = sum(bool(message.frames) for message in messages)
        return cls(len(messages), values, errors)


def museum_room(exercise: Exercise, chosen: Iterable[Bug] | None = None) -> Room:
    """An exercise with these wrong answers, or with all of the catalogue."""
    entries = bugs(exercise) if chosen is None else tuple(chosen)
    messages = ((bug.slug, _message(exercise, bug)) for bug in entries)
    read = {slug: message for slug, message in messages if message}
    return Room(exercise, tuple(_catches(exercise, entries)), read)


def _catches(exercise: Exercise, entries: tuple[Bug, ...]) -> Iterator[Catch]:
    """The catches of all claims; a claim that runs on several devices has one."""
    sentences = {claim.name: claim.sentence for claim in suite(exercise)}
    for name, sentence in sentences.items():
        yield Catch(name, sentence, tuple(bug for bug in entries if bug.claim == name))


def _message(exercise: Exercise, bug: Bug) -> Message | None:
    """The message of its claim, or of the first claim that fails if the bug keeps state."""
    target = target_of(exercise, wrong_answer(exercise, bug))
    # The page prints the code itself.
    attempt = Attempt(exercise, target, remarks=False)
    # Now the syntax tree of its text is at hand.
    excerpts(exercise, bug)
    claims = (claim for claim in suite(exercise) if bug.remembers or claim.name == bug.claim)
    verdicts = (check(claim, attempt) for claim in claims)
    fine = {State.PASSED, State.SKIPPED}
    return next((verdict.message for verdict in verdicts if verdict.state not in fine), None)


def notebook_mistakes(
    rooms: Iterable[Room],
) -> Iterator[tuple[OwnBug, str, list[tuple[Room, Bug]]]]:
    """The notebooks' mistakes in these rooms, with their documents and their wrong answers."""
    marks = [(mark, room, bug) for room in rooms for bug in room.bugs.values()
             for mark in map(OWN.fullmatch, bug.seen_in) if mark]  # fmt: skip
    for own_bug in own_bugs():
        matches = [triple for triple in marks if int(triple[0][2]) == own_bug.number]
        if matches:
            documents = ", ".join(sorted({mark[1] for mark, _, _ in matches}))
            yield own_bug, documents, [(room, bug) for _, room, bug in matches]


def threads(room: Room) -> list[tuple[Bug, list[Link]]]:
    """The wrong answers with a public thread, and their threads."""
    pairs = [(bug, [link for link in sighting_links(bug) if link[1].startswith("https:")])
             for bug in room.bugs.values()]  # fmt: skip
    return [(bug, links) for bug, links in pairs if links]


def sighting_links(bug: Bug) -> list[Link]:
    """The places where a mistake was seen, in words that need no knowledge of the kata."""
    pairs = (_sighting(mark) for mark in bug.seen_in if mark != REPRODUCED)
    return list(dict.fromkeys(pairs))


def _sighting(mark: str) -> Link:
    if match := THREAD.fullmatch(mark):
        return mark, f"https://github.com/{match[1]}/issues/{match[2]}"
    if number := own_number(mark):
        return NOTEBOOK, f"wild.html#own-{number}"
    if DOCUMENT.match(mark):
        return NOTEBOOK, ""
    return (ATTACK if mark == ATTACKED else mark), ""


def own_number(mark: str) -> int:
    """The number of the notebooks' mistake that a mark names; 0 for other marks."""
    match = OWN.fullmatch(mark)
    return int(match[2]) if match else 0


def words(text: str) -> Iterator[str]:
    """The words of a text and their parts, without their endings."""
    for word in WORD.findall(text.translate(FOLDED).lower()):
        yield from _stems(word.replace(" ", ""))


# The same few thousand words come again and again.
@lru_cache(maxsize=1 << 16)
def _stems(word: str) -> tuple[str, ...]:
    parts = dict.fromkeys((word, *filter(None, PARTS.split(word))))
    return tuple(stem(part) for part in parts if part not in STOPPED)


def stem(word: str) -> str:
    """A word without its ending, so that `masked` finds `mask`."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_WORD:
            word = word.removesuffix(ending)
            break
    is_doubled = len(word) > SHORTEST_WORD and word[-1] == word[-2] and word[-1] not in "ls"
    return word[:-1] if is_doubled else word


def index(rooms: Iterable[Room]) -> str:
    """A script with the whole index, which a page can load from a folder and from a server."""
    rooms = tuple(rooms)
    entries = [(at, room, bug) for at, room in enumerate(rooms) for bug in room.bugs.values()]
    content = {
        "rooms": [[room.exercise.slug, room.exercise.short, room.exercise.title] for room in rooms],
        "entries": [[at, bug.slug, bug.title, bug.symptom, bug.is_real + 2 * bug.level]
                    for at, _, bug in entries],
        "stopped": sorted(STOPPED),
        "same": SAME,
        "words": _postings([(room, bug) for _, room, bug in entries]),
    }  # fmt: skip
    dump = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    # An end tag would end the script.
    safe = dump.replace("</", "<\\/")
    return f"const INDEX = {safe};\n"


def _postings(entries: list[tuple[Room, Bug]]) -> dict[str, str]:
    """The packed entries of the words, with the weights that a word has for its entries."""
    places: dict[str, dict[int, int]] = defaultdict(dict)
    for at, (room, bug) in enumerate(entries):
        for weight, text in zip(WEIGHTS, _texts(room, bug), strict=True):
            for word in words(text):
                # The last weight is the largest.
                places[word][at] = weight
    most = COMMON * len(entries)
    return {
        word: _packed(weights) for word, weights in sorted(places.items()) if len(weights) <= most
    }


def _texts(room: Room, bug: Bug) -> tuple[str, str, str]:
    """The texts that explain a mistake, those in which it is visible, and its names."""
    catch, message = room.catch[bug.slug], room.messages.get(bug.slug)
    reasons = bug.why, bug.invisible_when, catch.name, catch.sentence, *bug.seen_in
    code = " ".join(excerpt.code for excerpt in excerpts(room.exercise, bug))[:MOST_CODE]
    evidence = bug.symptom, message.evidence if message else "", code, room.exercise.title
    names = bug.title, bug.slug.replace("-", " "), bug.slug.replace("-", "_"), room.exercise.short
    return " ".join(reasons), " ".join(evidence), " ".join(names)


def _packed(weights: dict[int, int]) -> str:
    """The distances between the entries, multiplied to make room for their weights, as base 36."""
    previous, numbers = -1, []
    for at in sorted(weights):
        numbers.append(_base36(len(WEIGHTS) * (at - previous) + weights[at]))
        previous = at
    return " ".join(numbers)


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = DIGITS[digit] + digits
    return digits or "0"
