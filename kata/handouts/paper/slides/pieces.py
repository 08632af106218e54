"""The elements of a figure and where they lie, as far as that can be known without a font."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from xml.etree.ElementTree import Element

from kata.handouts.drawing import text_width

NEAR = 2.5  # units between the cells of a table
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
        return self.elements[0].tag.endswith("polyline")

    @property
    def middle(self) -> float:
        """The x of its centre."""
        return (self.left + self.right) / 2

    def touches(self, other: "Piece") -> bool:
        """Whether they lie beside each other, or on one another."""
        across = self.left - NEAR < other.right and other.left - NEAR < self.right
        return across and self.top - NEAR < other.bottom and other.top - NEAR < self.bottom

    def lies_in(self, other: "Piece") -> bool:
        """Whether it is drawn on it, as the stroke through a cell."""
        across = other.left <= self.left and self.right <= other.right
        return across and other.top <= self.top and self.bottom <= other.bottom

    def joined(self, other: "Piece") -> "Piece":
        """Both as one."""
        return Piece(
            self.elements + other.elements,
            min(self.left, other.left),
            max(self.right, other.right),
            min(self.top, other.top),
            max(self.bottom, other.bottom),
        )

def tables(found: Iterable[Piece]) -> Iterator[Piece]:
    """What touches in one piece, with the lines that are drawn on it."""
    lines, left = [], []
    for each in found:
        (lines if each.is_line else left).append(each)
    while left:
        whole = left.pop()
        while near := [each for each in left if whole.touches(each)]:
            left = [each for each in left if not whole.touches(each)]
            whole = reduce(Piece.joined, near, whole)
        yield reduce(Piece.joined, [each for each in lines if each.lies_in(whole)], whole)


def piece(element: Element) -> Piece:
    """An element with its edges."""
    if element.get("points"):
        points = [point.split(",") for point in element.get("points", "").split()]
        across, down = ([float(each[axis]) for each in points] for axis in (0, 1))
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
