"""The files of the site, by name: a pure function of the rooms."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from jinja2 import Environment

from kata import palette
from kata.course.catalogue import Bug
from kata.course.curriculum import exercises
from kata.files import write_file
from kata.handouts.contracts import question
from kata.handouts.excerpts import excerpts
from kata.handouts.figures import figure
from kata.handouts.paper.typesetting import capital
from kata.handouts.site import exhibits, museum
from kata.handouts.site.address import NOWHERE, Address, Head, head
from kata.handouts.site.museum import Counts, Room, index, museum_room
from kata.handouts.site.pictures import picture, png, sentences
from kata.markup import environment, html
from kata.pictures.heatmaps import captions
from kata.pictures.svg import styled, thumbnail

TEMPLATES = Path(__file__).parent / "templates"
FIRST_EXHIBIT = "masks"
Rooms = tuple[Room, ...]
File = tuple[str, str | bytes]  # its name in the site, and its content


def build(out: Path, core: bool = False, address: Address = NOWHERE) -> list[Path]:
    """Write the site of all exercises, or of the core, to a folder; return the files written."""
    chosen = (exercise for exercise in exercises().values() if exercise.core or not core)
    return write(out, map(museum_room, chosen), address)


def write(out: Path, rooms: Iterable[Room], address: Address = NOWHERE) -> list[Path]:
    """Write the site of these rooms. Nothing else in the folder is touched."""
    paths = []
    for name, content in files(tuple(rooms), address):
        write_file(out / name, content)
        paths.append(out / name)
    return paths


@dataclass(frozen=True)
class Site:
    """The rooms of the museum, and the address that they will have."""

    rooms: Rooms
    address: Address

    @cached_property
    def previews(self) -> dict[str, bytes]:
        """The pictures of wrong answers, and one for every exercise, by their paths."""
        if not self.address.site:
            return {}
        pictures = {
            f"previews/{room.exercise.slug}/{slug}.png": png(message.picture)
            for room in self.rooms
            for slug, message in room.messages.items()
            if message.picture
        }
        for slug in (room.exercise.slug for room in self.rooms):
            own = (path for path in pictures if path.startswith(f"previews/{slug}/"))
            if first := next(own, ""):
                pictures[f"previews/{slug}.png"] = pictures[first]
        return pictures

    def preview(self, *paths: str) -> str:
        """The first of these paths that has a picture, or any that has one."""
        previews = (path for path in paths if path in self.previews)
        return next(previews, next(iter(self.previews), ""))

    def head(self, path: str, title: str, *sentences: str, previews: tuple[str, ...] = ()) -> Head:
        """The head of the page at this path."""
        return head(self.address, path, self.preview(*previews), title, *sentences)

    def page(self, template: str, head: Head, **values: Any) -> File:
        """A page from its template; `root` is the relative path to the folder of the site."""
        root = "../" * head.path.count("/")
        text = (
            _templates()
            .get_template(template)
            .render(root=root, head=head, address=self.address, **values)
        )
        return head.path, text + "\n"


def files(rooms: Rooms, address: Address) -> Iterator[File]:
    """All files of the site."""
    site = Site(rooms, address)
    yield "style.css", stylesheet()
    yield "search.js", (TEMPLATES / "search.js").read_text(encoding="utf-8")
    yield "search-index.js", index(rooms)
    yield "figures/losses.svg", picture()
    pages = [*_entrances(site), *exhibits.files(site, _templates())]
    for at in range(len(rooms)):
        pages += _of_room(site, at)
    yield from pages
    yield from site.previews.items()
    yield from _for_engines(site, [name for name, _ in pages if name.endswith(".html")])


def stylesheet() -> str:
    """The look of all pages, with the colours of the palette."""
    text = _templates().get_template("style.css").render(light=palette.LIGHT, dark=palette.DARK)
    return text + "\n"


def _entrances(site: Site) -> Iterator[File]:
    """The pages at which readers begin."""
    counts = Counts.of(site.rooms)
    abouts = {
        "index": (
            "Attention in PyTorch and what goes wrong",
            f"{counts.all:,} wrong answers to {len(site.rooms)} exercises, each with its line, "
            "its numbers, the reason and the test that catches it. "
            f"{counts.values:,} of them run without an error.",
        ),
        "wild": (
            "Attention bugs seen in the wild",
            "mistakes in attention code that were reported in public threads, each with the line, "
            "the numbers that give it away, and why it happens.",
        ),
        "search": (
            "Search attention bugs",
            "paste an error message, a line of PyTorch code or a symptom, "
            "and find the mistake behind it.",
        ),
    }
    heads = {name: site.head(f"{name}.html", *texts) for name, texts in abouts.items()}
    own = list(museum.notebook_mistakes(site.rooms))
    threads = [(room, museum.threads(room)) for room in site.rooms]
    yield site.page("index.html", heads["index"], rooms=site.rooms, counts=counts,
                    losses=list(sentences()), **_exhibit(site))  # fmt: skip
    yield site.page("wild.html", heads["wild"], own_bugs=own, threads=threads)
    yield site.page("search.html", heads["search"])


def _exhibit(site: Site) -> dict[str, Any]:
    """The exhibit that stands on the first page."""
    return {
        "exhibit": exhibits.embedded(FIRST_EXHIBIT, site.rooms, _templates()),
        "exhibit_title": exhibits.exhibits()[FIRST_EXHIBIT].title,
    }


def _of_room(site: Site, at: int) -> Iterator[File]:
    """The page of an exercise, its figure, and the pages of its wrong answers."""
    room = site.rooms[at]
    exercise = room.exercise
    drawing = figure(exercise.slug)
    by_slug = {other.exercise.slug: other.exercise for other in site.rooms}
    if drawing:
        yield f"figures/{exercise.slug}.svg", drawing.svg
    contents = question(exercise)
    summaries = *contents.about, *(contract.summary for contract in contents.contracts)
    previews = (f"previews/{exercise.slug}.png",)
    path = f"exercises/{exercise.slug}.html"
    page_head = site.head(path, exercise.title, *summaries, previews=previews)
    yield site.page("exercise.html", page_head, room=room, exercises=by_slug, figure=drawing,
                    question=contents, **_beside(site.rooms, at))  # fmt: skip
    bugs = tuple(room.bugs.values())
    for number, bug in enumerate(bugs):
        yield _of_bug(site, room, bug, **_beside(bugs, number))


def _of_bug(site: Site, room: Room, bug: Bug, **beside: Any) -> File:
    slug = room.exercise.slug
    previews = f"previews/{slug}/{bug.slug}.png", f"previews/{slug}.png"
    title = f"{bug.title} ({room.exercise.title})"
    path = f"bugs/{slug}/{bug.slug}.html"
    page_head = site.head(path, title, bug.symptom, bug.why, previews=previews)
    return site.page(
        "bug.html", page_head, room=room, bug=bug, message=room.messages.get(bug.slug),
        exhibit=exhibits.exhibit_of(slug, bug.slug),
        lines=excerpts(room.exercise, bug), sightings=museum.sighting_links(bug), **beside,
    )  # fmt: skip


def _beside(things: tuple[Any, ...], at: int) -> dict[str, Any]:
    """The neighbours of the thing at this place."""
    before, after = things[:at], things[at + 1 :]
    return {"previous": before[-1] if before else None, "next": after[0] if after else None}


def _for_engines(site: Site, pages: list[str]) -> Iterator[File]:
    """The files that search engines ask for, once the site has an address."""
    if site.address.site:
        places = "".join(f"<url><loc>{site.address.of(page)}</loc></url>\n" for page in pages)
        space = "http://www.sitemaps.org/schemas/sitemap/0.9"
        head = '<?xml version="1.0" encoding="UTF-8"?>\n'
        yield "sitemap.xml", f'{head}<urlset xmlns="{space}">\n{places}</urlset>\n'
        yield "robots.txt", f"User-agent: *\nSitemap: {site.address.of('sitemap.xml')}\n"


@cache
def _templates() -> Environment:
    templates = environment(TEMPLATES)
    templates.filters |= {"prose": html, "capital": capital, "captions": captions}
    templates.filters |= {"styled": styled, "thumbnail": thumbnail}
    return templates
