"""The elements of a figure and where they lie, as far as that can be said without a font."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from xml.etree.ElementTree import Element

from kata.handouts.drawing import text_width

NEAR = 2.5  # units between the cells of a table
NAMED = 20  # units between a table and its names
MARK = 24  # units: smaller lines are heads of arrows, or say how something is drawn
SERIF = 0.85  # of the width that a text has at most is what it has in the letters of slides
SIDES = ("x", "y", "width", "height")


@dataclass(frozen=True)
class Piece:
    """One element, or the cells of a table together."""

    elements: tuple[Element, ...]
    left: float
    right: float
    top: float
    bottom: float

    @property
    def is_line(self) -> bool:
        """Whether it may lead from one part of the figure to another."""
        return self.kind == "polyline"

    @property
    def kind(self) -> str:
        """The name of the first element."""
        return self.elements[0].tag.rpartition("}")[2]

    @property
    def is_small(self) -> bool:
        """Whether it is a mark that belongs to what is beside it."""
        return max(self.right - self.left, self.bottom - self.top) <= MARK

    @property
    def middle(self) -> float:
        """The x of its centre."""
        return (self.left + self.right) / 2

    def gap(self, other: "Piece") -> float:
        """The distance of the two; not more than 0 if they overlap."""
        across = max(self.left - other.right, other.left - self.right)
        return max(across, self.top - other.bottom, other.top - self.bottom)

    def lies_in(self, other: "Piece") -> bool:
        """Whether it is drawn on it, as the stroke through a cell."""
        across = other.left <= self.left and self.right <= other.right
        return across and other.top <= self.top and self.bottom <= other.bottom

    def joined(self, other: "Piece") -> "Piece":
        """Both pieces as one."""
        return Piece(
            self.elements + other.elements,
            min(self.left, other.left),
            max(self.right, other.right),
            min(self.top, other.top),
            max(self.bottom, other.bottom),
        )


def tables(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces that belong together: cells that touch, their names, and the lines on them."""
    kinds: dict[str, list[Piece]] = {"text": [], "polyline": [], "rect": [], "circle": []}
    for part in pieces:
        kinds[part.kind].append(part)
    groups = list(_touching([*kinds["rect"], *kinds["circle"]]))
    for names in (kinds["text"], [part for part in kinds["polyline"] if part.is_small]):
        groups = _named(groups, names)
    for whole in groups:
        yield reduce(
            Piece.joined, [part for part in kinds["polyline"] if part.lies_in(whole)], whole
        )


def _touching(pieces: Iterable[Piece]) -> Iterator[Piece]:
    left = list(pieces)
    while left:
        whole = left.pop()
        while near := [part for part in left if whole.gap(part) < NEAR]:
            left = [part for part in left if whole.gap(part) >= NEAR]
            whole = reduce(Piece.joined, near, whole)
        yield whole


def _named(groups: list[Piece], names: list[Piece]) -> list[Piece]:
    """The groups with their names, each in the nearest one, or alone if there is none."""
    places = [_nearest(name, groups) for name in names]
    alone = [name for name, at in zip(names, places, strict=True) if at < 0]
    mine = [[name for name, its in zip(names, places, strict=True) if its == at]
            for at in range(len(groups))]  # fmt: skip
    return [*map(partial(reduce, Piece.joined), mine, groups), *alone]


def _nearest(name: Piece, groups: list[Piece]) -> int:
    """The table that it is the name of, by its place; -1 if none is near."""
    gaps = [group.gap(name) for group in groups]
    return gaps.index(min(gaps)) if gaps and min(gaps) < NAMED else -1


def piece(element: Element) -> Piece:
    """An element with its edges."""
    if element.get("points"):
        points = [point.split(",") for point in element.get("points", "").split()]
        across, down = ([float(point[axis]) for point in points] for axis in (0, 1))
        return Piece((element,), min(across), max(across), min(down), max(down))
    if element.get("r"):
        x, y, radius = (float(element.get(name, "")) for name in ("cx", "cy", "r"))
        return Piece((element,), x - radius, x + radius, y - radius, y + radius)
    if element.get("width"):
        x, y, width, height = (float(element.get(name, "")) for name in SIDES)
        return Piece((element,), x, x + width, y, y + height)
    return _words(element)


def _words(text: Element) -> Piece:
    """A line of words; where it is turned, it is as high as it is long."""
    size, x, y = (float(text.get(name, "")) for name in ("font-size", "x", "y"))
    mono = "Mono" in text.get("font-family", "")
    length = text_width(text.text or "", size, mono) * (1 if mono else SERIF)
    before = {"middle": length / 2, "end": length}.get(text.get("text-anchor", ""), 0)
    if text.get("transform"):
        return Piece((text,), x - size / 2, x + size / 2, y - length / 2, y + length / 2)
    return Piece((text,), x - before, x - before + length, y - size, y)
