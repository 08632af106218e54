"""The sources of a mistake: public threads, and the notebooks that the kata was made from."""

import re
from collections.abc import Iterable, Iterator

from kata.course.catalogue import REPRODUCED, Bug
from kata.handouts.documents_bugs import OwnBug, own_bugs
from kata.handouts.site.rooms import Room

OWN = re.compile(r"(document \d+), own bug (\d+)")
DOCUMENT = re.compile(r"document \d+\b")
THREAD = re.compile(r"([\w.-]+/[\w.-]+)#(\d+)")
NOTEBOOK = "a public notebook that teaches attention"
ATTACK = "found while we tried to get a wrong answer past the tests of this exercise"
ATTACKED = "found by attacking the suite"
Link = tuple[str, str]  # a text, and where it leads, if anywhere


def seen(rooms: Iterable[Room]) -> Iterator[tuple[OwnBug, str, list[tuple[Room, Bug]]]]:
    """The notebooks' mistakes in these rooms, with their documents and their wrong answers."""
    marked = [(mark, room, bug) for room in rooms for bug in room.bugs.values()
              for mark in map(OWN.fullmatch, bug.seen_in) if mark]  # fmt: skip
    for own_bug in own_bugs():
        matches = [triple for triple in marked if int(triple[0][2]) == own_bug.number]
        if matches:
            documents = ", ".join(sorted({mark[1] for mark, _, _ in matches}))
            yield own_bug, documents, [(room, bug) for _, room, bug in matches]


def threads(room: Room) -> list[tuple[Bug, list[Link]]]:
    """The wrong answers with a public thread, and their threads."""
    pairs = [(bug, [sighting for sighting in sightings(bug) if sighting[1].startswith("https:")])
             for bug in room.bugs.values()]  # fmt: skip
    return [(bug, links) for bug, links in pairs if links]


def sightings(bug: Bug) -> list[Link]:
    """The places where it was seen, in words that need no knowledge of the kata."""
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
    """The number of the notebooks' mistake that a mark names; 0 if none."""
    match = OWN.fullmatch(mark)
    return int(match[2]) if match else 0
