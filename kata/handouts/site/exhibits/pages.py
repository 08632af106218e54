"""The exhibits as files of the site: their pages, the page of all of them, style and scripts."""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Protocol

from jinja2 import ChoiceLoader, Environment, FileSystemLoader
from markupsafe import Markup

from kata.handouts.site.address import Address, Head
from kata.handouts.site.exhibits.exhibit import Exhibit, Line, common, exhibits
from kata.handouts.site.exhibits.states import measures, result, still
from kata.handouts.site.museum import Room

HERE = Path(__file__).parent
FOLDER = "exhibits"
FILLED_IN = ("summary", "fails-", "cell-")  # texts that the script of the page fills in

Rooms = Sequence[Room]
File = tuple[str, str]  # its name in the site, and its text


class Museum(Protocol):
    """The parts of the site that these pages need."""

    @property
    def rooms(self) -> Rooms:
        """The rooms of the site."""
        ...

    @property
    def address(self) -> Address:
        """The address of the site."""
        ...

    def head(self, path: str, title: str, *sentences: str) -> Head:
        """The head of a page."""
        ...


def files(site: Museum, templates: Environment) -> Iterator[File]:
    """All files of the exhibits. Links lead only into the rooms."""
    for path in (HERE / "exhibits.css", *sorted((HERE / "scripts").glob("*.js"))):
        yield f"{FOLDER}/{path.name}", path.read_text(encoding="utf-8")
    pages, row, texts = _with_exhibits(templates), list(exhibits().values()), common()
    yield from ((f"{FOLDER}/{exhibit.name}.js", states(exhibit)) for exhibit in row)
    yield _page(
        pages, "exhibits", site, "index", texts["title"], texts["description"], exhibits=row
    )
    for before, exhibit, after in zip([None, *row], row, [*row[1:], None], strict=False):
        values = {"exhibit": exhibit, "previous": before, "next": after}
        yield _page(pages, "exhibit", site, exhibit.name, exhibit.title, exhibit.lead, **values)


def embedded(name: str, rooms: Rooms, templates: Environment) -> Markup:
    """One exhibit with its style and scripts, to be put on a page in the folder of the site."""
    template = _with_exhibits(templates).get_template("embedded.html")
    values = _values(rooms, root="", folder=f"{FOLDER}/")
    return Markup(template.render(exhibit=exhibits()[name], **values))


def data(exhibit: Exhibit) -> dict[str, Any]:
    """The data that the script of a page needs beside the states."""
    knobs = {knob.key: knob.values for knob in exhibit.knobs}
    facts = {fact.key: fact.measured for fact in exhibit.facts}
    words = {key: text for key, text in common().items() if key.startswith(FILLED_IN)}
    error = _overflow_error() if exhibit.name == "empty-rows" else ""
    return {"knobs": knobs, "facts": facts, "look": exhibit.look, "words": words, "error": error}


def states(exhibit: Exhibit) -> str:
    """A script with every state that the page can show, and every distinct map once."""
    knobs = {knob.key: knob.values for knob in sorted(exhibit.knobs, key=lambda knob: knob.key)}
    maps: dict[str, int] = {}
    states = [
        _state(exhibit, line, dict(zip(knobs, values, strict=True)), maps)
        for line in exhibit.lines
        for values in product(*knobs.values())
    ]
    return (
        f"exhibits[{json.dumps(exhibit.name)}] = {{\n"
        f"states: {json.dumps(states, separators=(',', ':'))},\nmaps: [{','.join(maps)}]}};\n"
    )


def _state(
    exhibit: Exhibit, line: Line, knobs: dict[str, Any], maps: dict[str, int]
) -> dict[str, Any]:
    """The places of its maps among all maps, the colours of numbers, and what is measured."""
    computed = result(exhibit, line.key, knobs)
    state: dict[str, Any] = {
        name: maps.setdefault(_in_javascript(group.tolist()), len(maps))
        for name, group in computed.groups.items()
    }
    state["facts"] = {fact.key: {"numbers": dict(measure.numbers), "holds": measure.holds}
                      for fact, measure in measures(exhibit, computed)}  # fmt: skip
    if computed.hue:
        groups = (group.flatten().tolist() for group in computed.groups.values())
        numbers = sorted({int(number) for group in groups for number in group})
        state["hues"] = {number: computed.hue(number) for number in numbers}
    return state


def _in_javascript(numbers: Any) -> str:
    if isinstance(numbers, list):
        return f"[{','.join(map(_in_javascript, numbers))}]"
    return f"{numbers:.9g}".replace("nan", "NaN").replace("inf", "Infinity")


def _overflow_error() -> str:
    """The error of PyTorch for −1e9 in float16."""
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
    shared = {**_values(site.rooms, root="../", folder=""), "address": site.address}
    page = templates.get_template(f"{template}.html")
    return path, page.render(head=site.head(path, title, lead), **shared, **values) + "\n"


def _values(rooms: Rooms, root: str, folder: str) -> dict[str, Any]:
    """The values for every template of ours; `folder` leads to the files of the exhibits."""
    titles = {f"{room.exercise.slug}/{bug.slug}": bug.title
              for room in rooms for bug in room.bugs.values()}  # fmt: skip
    there = {room.exercise.slug: room.exercise for room in rooms}

    def wrong_answers(line: Line) -> list[tuple[str, str]]:
        """The wrong answers in the rooms; of two with the same title in one exercise, the first."""
        firsts = {(bug[:4], titles[bug]): bug for bug in reversed(line.bugs) if bug in titles}
        return [(bug, titles[bug]) for bug in line.bugs if bug in firsts.values()]

    return {"root": root, "folder": folder, "wrong_answers": wrong_answers, "there": there,
            "words": common(), "still": still, "data": data}  # fmt: skip


@cache
def _with_exhibits(templates: Environment) -> Environment:
    """The templates of the site, and those of the exhibits."""
    ours = FileSystemLoader(HERE / "templates")
    loaders = [loader for loader in (ours, templates.loader) if loader]
    return templates.overlay(loader=ChoiceLoader(loaders))
