"""Every file of the site as a name and its text: a pure function of the rooms."""

from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from jinja2 import Environment

from kata.course.catalogue import Bug
from kata.handouts.contracts import question
from kata.handouts.figures import figure
from kata.handouts.losses import picture, sentences
from kata.handouts.site import seen_in, touch
from kata.handouts.site.exhibits import Room
from kata.markup import environment, html
from kata.terminal.heatmaps import maps

TEMPLATES = Path(__file__).parent / "templates"
COPIED = ("style.css", "search.js")

Rooms = tuple[Room, ...]
File = tuple[str, str]  # its name in the site, and its text


def files(rooms: Rooms) -> Iterator[File]:
    """All files of the site."""
    for name in COPIED:
        yield name, (TEMPLATES / name).read_text(encoding="utf-8")
    yield "figures/losses.svg", picture()
    yield (
        "index.html",
        _page(
            "index", "", rooms=rooms, own_bugs=list(seen_in.seen(rooms)), losses=list(sentences())
        ),
    )
    yield from chain.from_iterable(_of_room(rooms, at) for at in range(len(rooms)))
    yield from touch.files(rooms, _templates())


def _of_room(rooms: Rooms, at: int) -> Iterator[File]:
    """The page of an exercise, its figure, and a page for each wrong answer."""
    room = rooms[at]
    slug = room.exercise.slug
    drawn = figure(slug)
    there = {each.exercise.slug: each.exercise for each in rooms}
    if drawn:
        yield f"figures/{slug}.svg", drawn.svg
    yield f"exercises/{slug}.html", _page(
        "exercise", "../", room=room, there=there, figure=drawn,
        question=question(room.exercise), **_beside(rooms, at),
    )  # fmt: skip
    bugs = tuple(room.bugs.values())
    for number, bug in enumerate(bugs):
        yield f"bugs/{slug}/{bug.slug}.html", _of_bug(room, bug, **_beside(bugs, number))


def _of_bug(room: Room, bug: Bug, **beside: Any) -> str:
    return _page("bug", "../../", room=room, bug=bug, message=room.messages.get(bug.slug), **beside)


def _beside(things: tuple[Any, ...], at: int) -> dict[str, Any]:
    """The neighbours of one of several things."""
    before, after = things[:at], things[at + 1 :]
    return {"previous": before[-1] if before else None, "next": after[0] if after else None}


def _page(template: str, root: str, **values: Any) -> str:
    """A page from its template; `root` is the relative path to the folder of the site."""
    return _templates().get_template(f"{template}.html").render(root=root, **values) + "\n"


@cache
def _templates() -> Environment:
    made = environment(TEMPLATES)
    made.filters |= {"prose": html, "maps": maps}
    made.filters |= {"thread": seen_in.thread, "own_number": seen_in.own_number}
    return made
