"""The poster: the documents' own bugs, each with its line and what it does to numbers."""

import tomllib
from functools import cache
from typing import Any

from kata.course.naming import exercise_named
from kata.handouts.documents_bugs import OwnBug, own_bugs
from kata.handouts.examples import TEXTS
from kata.handouts.figures.answers import entry, inference
from kata.handouts.marked import marked
from kata.handouts.paper.cards.code import code
from kata.handouts.paper.cards.qr import qr_code
from kata.handouts.paper.typesetting import Data, pdf
from kata.handouts.site import NOWHERE
from kata.handouts.site.address import Address

LEGEND = ("legend", "computed", "scan", "run", "right", "wrong")


def poster(paper: str, address: Address = NOWHERE) -> bytes:
    """The PDF, one large page; with QR codes if the museum has an address."""
    return pdf("poster.typ", data(address), paper)


def data(address: Address = NOWHERE) -> Data:
    """The contents of the poster."""
    said = _texts()
    with inference():
        cards = [_card(own_bug, address) for own_bug in own_bugs()]
    legend = {name: marked(said[name]) for name in LEGEND}
    title = said["title"].format(count=len(cards))
    return {**legend, "title": title, "about": said["about"], "site": address.site, "cards": cards}


@cache
def _texts() -> dict[str, Any]:
    return tomllib.loads((TEXTS / "poster.toml").read_text(encoding="utf-8"))


def _card(bug: OwnBug, address: Address) -> Data:
    from kata.handouts.paper.cards.tables import answered, tables

    said = next(card for card in _texts()["card"] if card["number"] == bug.number)
    cells = [[[vars(cell) for cell in row] for row in table] for table in tables(bug)]
    return {
        "number": bug.number,
        "title": bug.title,
        "code": _code(bug, said),
        "tables": cells,
        "sentence": marked(said["sentence"]),
        **{name: said.get(name, "") for name in ("rows", "columns")},
        **{name: said.get(name, []) for name in ("names", "heads", "titles")},
        "called": said.get("called", ""),
        "answer": answered(bug),
        **_way(bug, address),
    }


def _code(bug: OwnBug, said: Data) -> str:
    """The wrong lines, which may be those of another wrong answer."""
    short, slug = said.get("of", (bug.exercise, bug.slug))
    exercise = exercise_named(short)
    return code(
        exercise, entry(exercise.slug, slug), said.get("lines", ()), said.get("renamed", {})
    )


def _way(bug: OwnBug, address: Address) -> Data:
    """The way to its page of the museum, or else to the failure itself."""
    exercise = exercise_named(bug.exercise)
    page = address.of(f"bugs/{exercise.slug}/{bug.slug}.html")
    return {
        "command": f"kata show {bug.exercise} {bug.slug}",
        "page": page,
        "qr": qr_code(page) if page else "",
        "scanned": _texts()["code"].format(address=page),
    }
