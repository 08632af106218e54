"""The cheat sheet: what a layer computes, shapes, cost, mask conventions, wrong lines and right."""

import tomllib
from typing import Any

from kata.course.curriculum import exercises
from kata.handouts.examples import TEXTS, ExampleError, Names, namespace, shown
from kata.handouts.marked import marked
from kata.handouts.paper.two_pages import checked
from kata.handouts.paper.two_pages.diagram import diagram
from kata.handouts.paper.two_pages.pairs import pair
from kata.handouts.paper.typesetting import Data, pdf

PARTS = ("steps", "parameters", "masks")
NUMPY = "ex16_numpy_multi_head"  # has names of ex07


def cheatsheet(paper: str) -> bytes:
    """The PDF, two pages."""
    return pdf("cheatsheet.typ", data(), paper)


def data() -> Data:
    """The contents of both pages."""
    table = tomllib.loads((TEXTS / "cheatsheet.toml").read_text(encoding="utf-8"))
    drawn, costs = diagram(table["diagram"]), checked.costs(table["costs"], _run)
    missing = table["sentences"]["missing"]
    return {
        **{name: table[name] for name in ("title", "about", "headings")},
        "diagram": {"svg": drawn.svg, "alt": drawn.alt},
        "notes": [marked(table["diagram"][name]) for name in ("star", "cross")],
        "sentences": {
            name: marked(text) for name, text in _sentences(table, costs["sizes"]).items()
        },
        "formulae": checked.formulae(table["formulae"], _run),
        "costs": costs,
        "shapes": _shapes(table["shapes"]),
        "code": checked.code(table["code"], _run),
        "masks": _masks(table["masks"]),
        "mistakes": [pair(short, slug, missing) for short, slug in table["mistakes"]["chosen"]],
    }


def _sentences(table: Data, sizes: dict[str, int]) -> dict[str, str]:
    """The sentences under headings, with the sizes of the examples."""
    return {
        name: text.format(**sizes) for name, text in table["sentences"].items() if name != "missing"
    }


def _shapes(table: dict[str, Any]) -> Data:
    """The letters, and each tensor with its shape in letters and in numbers."""
    names = _run(table["setup"])
    letters = [
        [letter, marked(text), str(names.get(letter, names["E"] // names["H"]))]
        for letter, text in table["letters"]
    ]
    rows = {
        part: [checked.shape(row, names, part != "masks") for row in table[part]] for part in PARTS
    }
    heads = {name: value for name, value in table.items() if name.endswith("heads")}
    return {"letters": letters, **rows, **heads}


def _masks(table: dict[str, Any]) -> list[Data]:
    """A causal mask of size 3 in each convention; an error if they do not mean the same."""
    names = _run(table["setup"])
    return [_convention(convention, names) for convention in table["convention"]]


def _convention(convention: dict[str, str], names: Names) -> Data:
    import torch

    mask = eval(convention["made"], names)
    nothing = eval(convention["made"], {**names, "allowed": names["allowed"] & False})
    expected = eval("masked_attention(x, x, x, allowed)[0]", names)
    if not torch.allclose(_used(convention, names, mask), expected, atol=1e-6):
        raise ExampleError(convention["name"])
    return {
        "name": convention["name"],
        "dtype": str(mask.dtype).removeprefix("torch."),
        "may": _entry(mask[0, 0]),
        "hidden": _entry(mask[0, 1]),
        "causal": [[_entry(value) for value in row] for row in mask],
        "made": convention["made"],
        "used": convention["display"],
        "empty": shown(_used(convention, names, nothing)[0, 0]),
    }


def _used(convention: dict[str, str], names: Names, mask: Any) -> Any:
    return eval(convention["used"], {**names, "mask": mask}).detach()


def _entry(value: Any) -> str:
    return shown(value.item()).replace("-inf", "−∞")


def _run(setup: str) -> Names:
    """The names defined by this code, and those of the solutions."""
    chosen = (exercise for slug, exercise in exercises().items() if slug != NUMPY)
    names = namespace(*chosen)
    exec(setup, names)
    return names
