"""The exhibits as files of the site: their pages, the page of all of them, style and scripts."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from jinja2 import ChoiceLoader, Environment, FileSystemLoader
from markupsafe import Markup

from kata.handouts.site.address import Address
from kata.handouts.site.heads import Head
from kata.handouts.site.rooms import Room
from kata.handouts.site.touch.exhibit import Exhibit, Line, common, exhibits
from kata.handouts.site.touch.inputs import inputs

HERE = Path(__file__).parent
FOLDER = "exhibits"
SAID = ("summary", "fails-", "cell-")  # texts that the page fills in

Rooms = Sequence[Room]
File = tuple[str, str]  # its name in the site, and its text


class Museum(Protocol):
    """What these pages have to know of the site."""

    @property
    def rooms(self) -> Rooms:
        """Those that are shown."""
        ...

    @property
    def address(self) -> Address:
        """Where the site will be."""
        ...

    def head(self, path: str, title: str, *told: str) -> Head:
        """What a page says of itself."""
        ...


def files(site: Museum, templates: Environment) -> Iterator[File]:
    """All files of the exhibits. Links lead only to what the rooms show."""
    for path in (HERE / "exhibits.css", *sorted((HERE / "scripts").glob("*.js"))):
        yield f"{FOLDER}/{path.name}", path.read_text(encoding="utf-8")
    made, shown = _with_ours(templates), list(exhibits().values())
    told = common()
    yield _page(made, "exhibits", site, "index", told["title"], told["description"], shown=shown)
    for before, each, after in zip([None, *shown], shown, [*shown[1:], None], strict=False):
        beside = {"previous": before, "next": after}
        yield _page(made, "exhibit", site, each.name, each.title, each.lead, exhibit=each, **beside)


def embedded(name: str, rooms: Rooms, templates: Environment) -> Markup:
    """One exhibit with its style and scripts, to be put on a page in the folder of the site."""
    made = _with_ours(templates).get_template("embedded.html")
    values = _values(rooms, root="", folder=f"{FOLDER}/")
    return Markup(made.render(exhibit=exhibits()[name], **values))


def data(exhibit: Exhibit) -> dict[str, Any]:
    """What the scripts of a page need to know."""
    values = dict(inputs(exhibit.name))
    if exhibit.name == "empty-rows":
        values["error"] = _refused()
    knobs = {knob.key: knob.values for knob in exhibit.knobs}
    facts = {fact.key: fact.measured for fact in exhibit.facts}
    words = {key: text for key, text in common().items() if key.startswith(SAID)}
    return {"inputs": values, "knobs": knobs, "facts": facts, "look": exhibit.look, "words": words}


def _refused() -> str:
    """What PyTorch says to −1e9 in float16."""
    import torch

    try:
        torch.zeros(1).half().masked_fill(torch.ones(1, dtype=torch.bool), -1e9)
    except RuntimeError as error:
        return f"RuntimeError: {error}"
    return ""


def _page(
    templates: Environment, template: str, site: Museum, name: str, title: str, lead: str,
    **values: Any,
) -> File:  # fmt: skip
    path = f"{FOLDER}/{name}.html"
    made = templates.get_template(f"{template}.html")
    known = {**_values(site.rooms, root="../", folder=""), "address": site.address}
    return path, made.render(head=site.head(path, title, lead), **known, **values) + "\n"


def _values(rooms: Rooms, root: str, folder: str) -> dict[str, Any]:
    """What every template of ours knows; `folder` is the way to the files of the exhibits."""
    from kata.handouts.site.touch.showing import still

    titles = {f"{room.exercise.slug}/{bug.slug}": bug.title
              for room in rooms for bug in room.bugs.values()}  # fmt: skip
    there = {room.exercise.slug: room.exercise for room in rooms}

    def wrong_answers(line: Line) -> list[tuple[str, str]]:
        """Those that are shown; of two with the same title in one exercise, the first."""
        found = {(bug[:4], titles[bug]): bug for bug in reversed(line.bugs) if bug in titles}
        return [(bug, titles[bug]) for bug in line.bugs if bug in found.values()]

    return {"root": root, "folder": folder, "wrong_answers": wrong_answers, "there": there,
            "words": common(), "still": still, "data": data}  # fmt: skip


@cache
def _with_ours(templates: Environment) -> Environment:
    """The templates of the site, and those of the exhibits."""
    ours = FileSystemLoader(HERE / "templates")
    return templates.overlay(
        loader=ChoiceLoader([each for each in (ours, templates.loader) if each])
    )
