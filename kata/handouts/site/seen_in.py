"""Where a mistake was seen: public threads, and the notebooks that the kata was made from."""

import re
from collections.abc import Iterable, Iterator

from kata.course.catalogue import Bug
from kata.handouts.documents_bugs import OwnBug, own_bugs
from kata.handouts.site.exhibits import Room

OWN = re.compile(r"(document \d+), own bug (\d+)")
THREAD = re.compile(r"([\w.-]+/[\w.-]+)#(\d+)")


def seen(rooms: Iterable[Room]) -> Iterator[tuple[OwnBug, str, list[tuple[Room, Bug]]]]:
    """The notebooks' mistakes that these rooms show: each, its documents, its wrong answers."""
    marked = [(mark, room, bug) for room in rooms for bug in room.bugs.values()
              for mark in map(OWN.fullmatch, bug.seen_in) if mark]  # fmt: skip
    for told in own_bugs():
        found = [each for each in marked if int(each[0][2]) == told.number]
        if found:
            documents = ", ".join(sorted({mark[1] for mark, _, _ in found}))
            yield told, documents, [(room, bug) for _, room, bug in found]


def thread(mark: str) -> str:
    """The address of a public thread; "" if the mark names none."""
    found = THREAD.fullmatch(mark)
    return f"https://github.com/{found[1]}/issues/{found[2]}" if found else ""


def own_number(mark: str) -> int:
    """Which of the notebooks' mistakes a mark names; 0 if none."""
    found = OWN.fullmatch(mark)
    return int(found[2]) if found else 0
