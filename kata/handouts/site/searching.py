"""The index of the search page: the words of each wrong answer, and where they stand.

The same rules for words are in templates/search.js; a test compares the two.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache

from kata.course.catalogue import Bug
from kata.handouts.site.rooms import Room
from kata.handouts.site.wrong_lines import excerpts

WORD = re.compile(
    r"-inf\b|== ?0\b|(?:dim|axis) ?= ?-?\d+|[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)*|\d+\.\d+"
)
PARTS = re.compile(r"[._]|=+-?\d+")
FOLDED = str.maketrans({"−": "-", "’": "'", "–": "-", "“": '"', "”": '"'})
ENDINGS = ("ing", "ed", "es", "s", "e")
SHORTEST = 3  # letters that are left of a word without its ending
COMMON = 0.5  # a word that is in more than this share of all is no help
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
WEIGHTS = EXPLAINED, SHOWN, NAMED = (
    0,
    1,
    2,
)  # in a reason; in a symptom, a message, code; in a title
MOST_CODE = 300  # characters; longer code has words for everything
STOPPED = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "by", "do", "does", "for", "in", "is", "it", "its",
    "no", "not", "of", "on", "or", "the", "to", "with",
))  # fmt: skip
SAME = {"label": "target", "decreas": "fall", "increas": "grow"}  # other words for ours, as stems


def words(text: str) -> Iterator[str]:
    """The words of a text and their parts, without their endings."""
    for word in WORD.findall(text.translate(FOLDED).lower()):
        yield from _stems(word.replace(" ", ""))


@lru_cache(maxsize=1 << 16)  # the same few thousand words come again and again
def _stems(word: str) -> tuple[str, ...]:
    parts = dict.fromkeys((word, *filter(None, PARTS.split(word))))
    return tuple(stem(part) for part in parts if part not in STOPPED)


def stem(word: str) -> str:
    """A word without its ending, so that `masked` finds `mask`."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST:
            word = word.removesuffix(ending)
            break
    twice = len(word) > SHORTEST and word[-1] == word[-2] and word[-1] not in "ls"
    return word[:-1] if twice else word


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
    dumps = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    harmless = dumps.replace("</", "<\\/")  # in a script, that would end it
    return f"const INDEX = {harmless};\n"


def _postings(entries: list[tuple[Room, Bug]]) -> dict[str, str]:
    """The packed entries of each word, with how much it says of them."""
    places: dict[str, dict[int, int]] = defaultdict(dict)
    for at, (room, bug) in enumerate(entries):
        for weight, text in zip(WEIGHTS, _texts(room, bug), strict=True):
            for word in words(text):
                places[word][at] = weight  # the last one is the largest
    most = COMMON * len(entries)
    return {
        word: _packed(weights) for word, weights in sorted(places.items()) if len(weights) <= most
    }


def _texts(room: Room, bug: Bug) -> tuple[str, str, str]:
    """The texts that explain it, those of what is seen of it, and its names."""
    catch, message = room.catch[bug.slug], room.messages.get(bug.slug)
    reasons = bug.why, bug.invisible_when, catch.name, catch.sentence, *bug.seen_in
    code = " ".join(excerpt.code for excerpt in excerpts(room.exercise, bug))[:MOST_CODE]
    evidence = bug.symptom, message.evidence if message else "", code, room.exercise.title
    names = bug.title, bug.slug.replace("-", " "), bug.slug.replace("-", "_"), room.exercise.short
    return " ".join(reasons), " ".join(evidence), " ".join(names)


def _packed(weights: dict[int, int]) -> str:
    """Distances between the entries, each three times and with the weight added, as base 36."""
    before, numbers = -1, []
    for at in sorted(weights):
        numbers.append(_base36(len(WEIGHTS) * (at - before) + weights[at]))
        before = at
    return " ".join(numbers)


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = DIGITS[digit] + digits
    return digits or "0"
