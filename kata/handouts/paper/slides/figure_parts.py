"""A figure in parts, each as large as a slide: small letters of one on paper cannot be read there.

It is cut from top to bottom where there is most room between numbers, boxes and words. Lines may
lead over a cut. All else stays whole, and so does a table: its cells lie beside each other.
"""

from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from kata.handouts.drawing import MARGIN
from kata.handouts.paper.slides.pieces import Piece, piece, tables

WIDEST = 450  # units of a drawing in one part: its letters of 8 are 13 points on a slide
ENOUGH = 12  # units between two tables: with as many, the middle of the figure counts
PER_LINE = 4  # units of room that a line is worth which is not cut
AWAY = 40  # units from the middle cost one of room
SVG = "http://www.w3.org/2000/svg"


def parts(svg: str) -> list[str]:
    """The figure in drawings of their own, left to right; only one if all of it is small."""
    root = ElementTree.fromstring(svg)
    pieces = [piece(element) for element in root]
    whole = list(tables(pieces))
    left, right = min(table.left for table in whole), max(table.right for table in whole)
    if right - left <= WIDEST:
        return [svg]
    lines = [line for line in pieces if not any(_is_in(line, table) for table in whole)]
    cut = _cut(whole, lines, range(round(right - WIDEST), round(left + WIDEST) + 1))
    halves = (
        [table for table in whole if (table.middle <= cut) is first] for first in (True, False)
    )
    return [_part(root, half, lines, cut) for half in halves]


def _is_in(one: Piece, whole: Piece) -> bool:
    return any(one.elements[0] is element for element in whole.elements)


def _cut(whole: Sequence[Piece], lines: Sequence[Piece], places: Sequence[int]) -> float:
    """The place with room, with few lines that lead over it, and near to the middle."""
    middle = (places[0] + places[-1]) / 2

    def worth(at: int) -> float:
        room = min(max(table.left - at, at - table.right) for table in whole)
        cut = sum(line.left < at < line.right for line in lines)
        return min(ENOUGH, room) - PER_LINE * cut - abs(at - middle) / AWAY

    return max(places, key=worth)


def _part(root: Element, whole: Sequence[Piece], lines: Sequence[Piece], cut: float) -> str:
    """A drawing as high as the figure, and up to the cut, so that no line is in neither part."""
    left = min(cut, *(table.left - MARGIN for table in whole))
    right = max(cut, *(table.right + MARGIN for table in whole))
    height, width = root.get("height", ""), f"{right - left:g}"
    size = {"viewBox": f"{left:g} 0 {width} {height}", "width": width, "height": height}
    drawing = Element(f"{{{SVG}}}svg", size)
    near = [line for line in lines if line.right > left and line.left < right]
    kept = {id(element) for part in (*whole, *near) for element in part.elements}
    drawing.extend(element for element in root if id(element) in kept)  # one may lie on another
    return ElementTree.tostring(drawing, encoding="unicode")
