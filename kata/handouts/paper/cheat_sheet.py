"""The cheat sheet: a diagram of a layer, shapes, costs, mask conventions, wrong lines and right."""

import re
from collections.abc import Sequence
from typing import Any

from kata.course.catalogue import Bug
from kata.course.curriculum import Exercise, exercise_named, exercises
from kata.handouts.drawing import Box, Drawing, Figure
from kata.handouts.examples import ExampleError, Names, format_value, namespace, read_texts
from kata.handouts.excerpts import changes, without_remark
from kata.handouts.figures.answers import entry
from kata.handouts.figures.shapes import part
from kata.handouts.paper.typesetting import Data, pdf, prose
from kata.palette import BLUE, GREEN, INK, ORANGE, VIOLET, Hue

PARTS = ("steps", "parameters", "masks")
NUMPY = "ex16_numpy_multi_head"  # has names of ex07
WIDTH = 52  # characters of a line
DIAGRAM_WIDTH = 516.0
LETTERS = 7.8  # points
HIGH, GAP = 16.0, 22.0  # of a part, and between two parts
TOP = 40.0  # the level of the queries; keys and values are below them
STEP, LEFT = 25.0, 46.0
# The levels of the two paths, and the height at which a branch passes over one.
LAYER, BLOCK, ABOVE = 157.0, 212.0, 19.0
ENCODER = ("attention", "dropout", "+", "norm1", "feed_forward", "dropout", "+", "norm2")
DECODER = ("norm1", "attention", "dropout", "+", "norm2", "feed_forward", "dropout", "+")
PARTS_PER_STEP = 4
# The colour and the width of the parts.
DIAGRAM_PARTS: dict[str, tuple[Hue | None, float]] = {
    "attention": (BLUE, 50), "feed_forward": (ORANGE, 62), "norm1": (GREEN, 32),
    "norm2": (GREEN, 32), "dropout": (None, 40), "+": (None, 16),
}  # fmt: skip


def cheatsheet(paper: str) -> bytes:
    """The PDF, two pages."""
    return pdf("cheatsheet.typ", data(), paper)


def data() -> Data:
    """The contents of both pages."""
    table = read_texts("cheatsheet")
    drawing, costs = diagram(table["diagram"]), computed_costs(table["costs"])
    missing = table["sentences"]["missing"]
    return {
        **{name: table[name] for name in ("title", "about", "headings")},
        "diagram": {"svg": drawing.svg, "alt": drawing.alt},
        "notes": [prose(table["diagram"][name]) for name in ("star", "cross")],
        "sentences": {
            name: prose(text) for name, text in _sentences(table, costs["sizes"]).items()
        },
        "formulae": formulae(table["formulae"]),
        "costs": costs,
        "shapes": _shapes(table["shapes"]),
        "code": code(table["code"]),
        "masks": _masks(table["masks"]),
        "mistakes": [pair(short, slug, missing) for short, slug in table["mistakes"]["chosen"]],
    }


def _sentences(table: Data, sizes: dict[str, int]) -> dict[str, str]:
    """The sentences under headings, with the sizes of the examples."""
    return {
        name: text.format(**sizes) for name, text in table["sentences"].items() if name != "missing"
    }


def _shapes(table: dict[str, Any]) -> Data:
    """The letters, and tensors with their shapes in letters and in numbers."""
    names = _run(table["setup"])
    letters = [
        [letter, prose(text), str(names.get(letter, names["E"] // names["H"]))]
        for letter, text in table["letters"]
    ]
    rows = {part: [shape(row, names, part != "masks") for row in table[part]] for part in PARTS}
    heads = {name: value for name, value in table.items() if name.endswith("heads")}
    return {"letters": letters, **rows, **heads}


def _masks(table: dict[str, Any]) -> list[Data]:
    """A causal mask of size 3 in every convention; an error if they do not mean the same."""
    names = _run(table["setup"])
    return [_convention(convention, names) for convention in table["convention"]]


def _convention(convention: dict[str, str], names: Names) -> Data:
    import torch

    mask = eval(convention["made"], names)
    empty = eval(convention["made"], {**names, "allowed": names["allowed"] & False})
    expected = eval("masked_attention(x, x, x, allowed)[0]", names)
    if not torch.allclose(_result(convention, names, mask), expected, atol=1e-6):
        raise ExampleError(convention["name"])
    return {
        "name": convention["name"],
        "dtype": str(mask.dtype).removeprefix("torch."),
        "may": _entry(mask[0, 0]),
        "hidden": _entry(mask[0, 1]),
        "causal": [[_entry(value) for value in row] for row in mask],
        "made": convention["made"],
        "used": convention["display"],
        "empty": format_value(_result(convention, names, empty)[0, 0]),
    }


def _result(convention: dict[str, str], names: Names, mask: Any) -> Any:
    return eval(convention["used"], {**names, "mask": mask}).detach()


def _entry(value: Any) -> str:
    return format_value(value.item()).replace("-inf", "−∞")


def _run(setup: str) -> Names:
    """The names defined by this code, and those of the solutions."""
    chosen = (exercise for slug, exercise in exercises().items() if slug != NUMPY)
    names = namespace(*chosen)
    exec(setup, names)
    return names


def formulae(table: Data) -> list[Data]:
    """The formulae with names, Typst's mathematics and words to read aloud, if they are true."""
    names = _run(table["setup"])
    for name, *_, code in table["rows"]:
        if not eval(code, names):
            raise ExampleError(f"cheat sheet: the formula of {name}")
    return [{"name": name, "typst": typst, "alt": alt} for name, typst, alt, _ in table["rows"]]


def computed_costs(table: Data) -> Data:
    """The parameters of modules and the cost of a text: formulae, and numbers of one size."""
    names = _run(table["setup"])
    sizes = {letter: names[letter] for letter in ("E", "F", "H", "G", "L", "T")}
    parts = {part: [_cost(row, names) for row in table[part]] for part in ("rows", "cost")}
    return {**parts, "sizes": sizes, "heads": table["heads"], "cost-heads": table["cost-heads"]}


def _cost(row: list[str], names: Names) -> list[Any]:
    text, letters, formula, code = row
    value = eval(formula, names)
    if value != eval(code, names):
        raise ExampleError(f"cheat sheet: {text} is not {letters}")
    return [prose(text), letters, f"{value:,}"]


def code(table: Data) -> str:
    """The lines with the shapes of their results, if the last result is that of the reference."""
    names = _run(table["setup"])
    width = max(len(line) for line, _ in table["lines"])
    for line, letters in table["lines"]:
        exec(line, names)
        if tuple(names[line.split()[0]].shape) != in_numbers(letters, names):
            raise ExampleError(f"cheat sheet: {line} is not {letters}")
    if not eval(table["check"], names):
        raise ExampleError("cheat sheet: the code does not give what the reference gives")
    return "\n".join(f"{line:{width}} # {letters}" for line, letters in table["lines"])


def shape(row: list[str], names: Names, agrees: bool = True) -> list[Any]:
    """The name of a tensor, and its shape in letters and in numbers."""
    text, letters, code = row
    numbers = tuple(eval(code, names).shape)
    if agrees and numbers != in_numbers(letters, names):
        raise ExampleError(f"cheat sheet: {text} is not {letters}")
    return [prose(text), letters, format_value(numbers)]


def in_numbers(letters: str, names: Names) -> tuple[int, ...]:
    """A shape such as (B, 3E) in numbers."""
    sizes = {"D": names["E"] // names["H"], **names}
    numbers: tuple[int, ...] = eval(re.sub(r"(\d)([A-Z])", r"\1 * \2", letters), sizes)
    return numbers


def pair(short: str, slug: str, missing: str) -> Data:
    """One mistake of the catalogue; where the wrong answer has no line, `missing` says so."""
    exercise = exercise_named(short)
    bug = entry(exercise.slug, slug)
    wrong, right = ("\n".join(lines) for lines in zip(*_sides(exercise, bug), strict=True))
    if not right.strip():
        raise ExampleError(f"cheat sheet: {short} {slug} has no right line")
    return {
        "short": exercise.short,
        "slug": slug,
        "wrong": wrong or missing,
        "right": right,
        "symptom": prose(bug.symptom),
    }


def _sides(exercise: Exercise, bug: Bug) -> list[tuple[str, str]]:
    """The wrong and the right lines; of a line that has no room, the part that was changed."""
    sides = [(change.wrong, change.right) for change in changes(exercise, bug)]
    is_wide = any(len(line) > WIDTH for side in sides for line in "\n".join(side).splitlines())
    if is_wide and not any("\n" in text for texts in bug.change for text in texts):
        return [(without_remark(wrong), without_remark(right)) for right, wrong in bug.change]
    return sides


def diagram(texts: dict[str, str]) -> Figure:
    """Draw the three diagrams, below one another."""
    page = Drawing(DIAGRAM_WIDTH)
    _title(page, 7, texts["inside"])
    _inside(page, texts)
    _title(page, LAYER - 31, texts["encoder"])
    _path(page, LAYER, ENCODER)
    _title(page, BLOCK - 31, texts["decoder"])
    _path(page, BLOCK, DECODER)
    return page.figure("", texts["alt"], "")


def _title(page: Drawing, y: float, words: str) -> None:
    page.text(2, y, words, size=9, ink=INK, anchor="start")


def _inside(page: Drawing, texts: dict[str, str]) -> None:
    queries, keys, values = (TOP + STEP * at for at in range(3))
    middle = (queries + keys) / 2
    ends = [
        _chain(page, y, LEFT, (("w_" + name, 46, BLUE), ("split", 30, None), *more))
        for y, name, more in (
            (queries, "query", ((texts["rotary"], 40, VIOLET),)),
            (keys, "key", ((texts["rotary"], 40, VIOLET), (texts["cached"], 36, VIOLET))),
            (values, "value", ((texts["cached"], 36, VIOLET),)),
        )
    ]
    for y, name in ((queries, "query"), (keys, "key"), (values, "value")):
        _word(page, LEFT - 26, y, name)
        page.arrow((LEFT - 12, y), (LEFT - 2, y), ink=INK)
    scores = _scores(page, middle, ends[0], ends[1], (queries, keys))
    _contexts(page, (middle, values), ends[2], scores)
    _shapes_in_diagram(page, queries, values)


def _scores(
    page: Drawing, y: float, query: float, key: float, levels: tuple[float, float]
) -> float:
    """Draw how queries and keys meet; return the place of the dropout after the softmax."""
    left = 244.0
    for start, level in zip((query, key), levels, strict=True):
        page.arrow((start, level), (left - 8, level), (left - 2, y + (level - y) * 0.4), ink=INK)
    chain = (("Q Kᵀ / √D", 52, BLUE), ("mask", 30, ORANGE), ("softmax", 42, BLUE))
    end = _chain(page, y, left, chain, gap=12)
    _word(page, left + 26, y - 15, "(B, H, T, S)")
    _chain(page, y, end + 12, (("dropout", 40, None),))
    page.arrow((end, y), (end + 10, y), ink=INK)
    return end + 12


def _contexts(page: Drawing, levels: tuple[float, float], values: float, left: float) -> None:
    """Draw how weights and values meet, and how heads are merged and projected."""
    above, y = levels
    page.arrow((left + 13, above + HIGH / 2), (left + 13, y - HIGH / 2 - 1), ink=INK)
    page.arrow((values, y), (left - 2, y), ink=INK)
    end = _chain(
        page, y, left, (("· V", 26, BLUE), ("merge", 30, None), ("w_out", 32, BLUE)), gap=8
    )
    page.arrow((end, y), (end + 7, y), ink=INK)


def _shapes_in_diagram(page: Drawing, top: float, low: float) -> None:
    """Write the shapes of the results of parts, under or over them."""
    _word(page, LEFT + 23, low + 15, "(B, S, E)")
    _word(page, LEFT + 23, top - 15, "(B, T, E)")
    _word(page, LEFT + 91, top - 15, "(B, H, T, D)")
    _word(page, LEFT + 91, low + 15, "(B, H, S, D)")
    _word(page, 420, low + 15, "(B, H, T, D)")
    _word(page, 488, low + 15, "(B, T, E)")


def _chain(
    page: Drawing,
    y: float,
    x: float,
    chain: Sequence[tuple[str, float, Hue | None]],
    gap: float = 10,
) -> float:
    """Draw parts in a row with arrows between them; return the end of the last one."""
    for at, (name, width, hue) in enumerate(chain):
        if at:
            page.arrow((x, y), (x + gap - 2, y), ink=INK)
            x += gap
        part(page, Box(x, y - HIGH / 2, width, HIGH), name, hue, size=LETTERS, mono=True)
        x += width
    return x


def _word(page: Drawing, x: float, y: float, words: str) -> None:
    page.text(x, y, words, size=LETTERS, mono=True)


def _path(page: Drawing, y: float, order: Sequence[str]) -> None:
    """Draw the parts of two steps in a row, with a branch to every sum."""
    page.text(6, y, "x", size=11, ink=INK)
    x, branch = 12.0, 0.0
    for at, name in enumerate(order):
        if at % PARTS_PER_STEP == 0:
            branch = x + 8
            page.dot(branch, y, ink=INK)
        page.arrow((x, y), (x + GAP - 1, y), ink=INK)
        x = _part(page, x + GAP, y, name)
        if name == "+":
            over = y - ABOVE
            page.arrow((branch, y), (branch, over), (x - 8, over), (x - 8, y - 9), ink=INK)
    page.arrow((x, y), (x + GAP - 4, y), ink=INK)


def _part(page: Drawing, x: float, y: float, name: str) -> float:
    hue, width = DIAGRAM_PARTS[name]
    part(page, Box(x, y - HIGH / 2, width, HIGH), name, hue, size=LETTERS, mono=True)
    return x + width
