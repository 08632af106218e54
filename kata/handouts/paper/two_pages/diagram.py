"""The diagram of the cheat sheet: attention from inside, an encoder layer, a decoder block.

One unit is a point on paper of A4 size.
"""

from collections.abc import Sequence

from kata.handouts.drawing import Box, Drawing, Figure
from kata.handouts.figures.shapes import part
from kata.handouts.palette import BLUE, GREEN, INK, ORANGE, VIOLET, Hue

WIDTH = 516.0
LETTERS = 7.8  # points
HIGH, GAP = 16.0, 22.0  # of a part; between two
TOP = 40.0  # the queries; keys and values are below them
STEP, LEFT = 25.0, 46.0
LAYER, BLOCK, ABOVE = 157.0, 212.0, 19.0  # the levels of the two paths; how high a sum is fed
ENCODER = ("attention", "dropout", "+", "norm1", "feed_forward", "dropout", "+", "norm2")
DECODER = ("norm1", "attention", "dropout", "+", "norm2", "feed_forward", "dropout", "+")
PART_OF_STEP = 4
PARTS: dict[str, tuple[Hue | None, float]] = {
    "attention": (BLUE, 50), "feed_forward": (ORANGE, 62), "norm1": (GREEN, 32),
    "norm2": (GREEN, 32), "dropout": (None, 40), "+": (None, 16),
}  # the colour and the width of each  # fmt: skip


def diagram(texts: dict[str, str]) -> Figure:
    """Draw the three diagrams, below one another."""
    page = Drawing(WIDTH)
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
    both = (queries + keys) / 2
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
    scores = _scores(page, both, ends[0], ends[1], (queries, keys))
    _contexts(page, (both, values), ends[2], scores)
    _shapes(page, queries, values)


def _scores(
    page: Drawing, y: float, query: float, key: float, levels: tuple[float, float]
) -> float:
    """Queries and keys meet; where the dropout after the softmax stands."""
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
    """Weights and values meet; heads are merged and projected."""
    above, y = levels
    page.arrow((left + 13, above + HIGH / 2), (left + 13, y - HIGH / 2 - 1), ink=INK)
    page.arrow((values, y), (left - 2, y), ink=INK)
    end = _chain(
        page, y, left, (("· V", 26, BLUE), ("merge", 30, None), ("w_out", 32, BLUE)), gap=8
    )
    page.arrow((end, y), (end + 7, y), ink=INK)


def _shapes(page: Drawing, top: float, low: float) -> None:
    """Write the shapes of what the parts give, under or over them."""
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
    """Parts in a row with arrows between them; where the last one ends."""
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
    """The parts of two steps in a row, and what each sum adds."""
    page.text(6, y, "x", size=11, ink=INK)
    x, branch = 12.0, 0.0
    for at, name in enumerate(order):
        if at % PART_OF_STEP == 0:
            branch = x + 8
            page.dot(branch, y, ink=INK)
        page.arrow((x, y), (x + GAP - 1, y), ink=INK)
        x = _part(page, x + GAP, y, name)
        if name == "+":
            over = y - ABOVE
            page.arrow((branch, y), (branch, over), (x - 8, over), (x - 8, y - 9), ink=INK)
    page.arrow((x, y), (x + GAP - 4, y), ink=INK)


def _part(page: Drawing, x: float, y: float, name: str) -> float:
    hue, width = PARTS[name]
    part(page, Box(x, y - HIGH / 2, width, HIGH), name, hue, size=LETTERS, mono=True)
    return x + width
