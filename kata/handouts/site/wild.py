"""Where a mistake was seen: public threads, and the notebooks that the kata was made from."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from kata.catalogue import Bug
from kata.curriculum import ROOT
from kata.handouts.site.rooms import Room

DOCUMENTS = ROOT / "docs" / "documents.md"
SECTION = re.compile(r"^## (\d+)\. (.+)$", re.MULTILINE)
OWN = re.compile(r"(document \d+), own bug (\d+)")
THREAD = re.compile(r"([\w.-]+/[\w.-]+)#(\d+)")


@dataclass(frozen=True)
class OwnBug:
    """A mistake of the notebooks, and the wrong answers of the catalogue that make it again."""

    number: int
    title: str
    documents: str
    bugs: tuple[tuple[Room, Bug], ...]


def own_bugs(rooms: Iterable[Room]) -> Iterator[OwnBug]:
    """Those of the notebooks' mistakes that can be made in these rooms."""
    marked = [(mark, room, bug) for room in rooms for bug in room.bugs.values()
              for mark in map(OWN.fullmatch, bug.seen_in) if mark]  # fmt: skip
    for number, title in _titles().items():
        found = [each for each in marked if int(each[0][2]) == number]
        if found:
            documents = ", ".join(sorted({mark[1] for mark, _, _ in found}))
            yield OwnBug(number, title, documents, tuple((room, bug) for _, room, bug in found))


@cache
def _titles() -> dict[int, str]:
    text = DOCUMENTS.read_text(encoding="utf-8")
    return {int(number): title for number, title in SECTION.findall(text)}


def thread(mark: str) -> str:
    """The address of a public thread; nothing if the mark names none."""
    found = THREAD.fullmatch(mark)
    return f"https://github.com/{found[1]}/issues/{found[2]}" if found else ""


def own_number(mark: str) -> int:
    """Which of the notebooks' mistakes a mark names; 0 if none."""
    found = OWN.fullmatch(mark)
    return int(found[2]) if found else 0
