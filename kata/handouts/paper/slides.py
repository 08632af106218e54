"""Slides for the leader: the figure of an exercise, a question, a mistake and its answer."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from kata.course.curriculum import Exercise, exercises
from kata.course.source import is_private
from kata.handouts.drawing import MARGIN, Element, Figure, svg_head
from kata.handouts.examples import raw_texts, read_texts
from kata.handouts.excerpts import break_lines, in_context, places
from kata.handouts.figures import figure
from kata.handouts.mistakes import claims
from kata.handouts.paper.guide import PrintedMistake, Space, common, first_line, grids
from kata.handouts.paper.sheets import figure_data
from kata.handouts.paper.typesetting import SCREEN, Data, capital, pdf, prose

CHARACTERS = 42  # of all columns of a map
LINES, LEAST, MOST = 10, 3, 6  # lines of code and map together; rows of a map
WIDTH = 68  # characters of a line
LONGEST = 110  # characters of a line that is broken
SHAPE, FIXED = re.compile(r"[(\[][\d., -]+[)\]]"), "\u00a0"
HELPER = re.compile(r"(?<!\w)_[a-z]")
WRONG, BOTH = 5, 8  # lines that have room: wrong ones, and wrong and right ones
WIDEST = 450  # units of a drawing in one part: its letters of 8 are 13 points on a slide
ENOUGH = 12  # units between two tables: with as many, the middle of the figure counts
PER_LINE = 4  # units of room that a line is worth which is not cut
AWAY = 40  # units from the middle cost one of room
NEAR = 2.5  # units between the cells of a table
NAMED = 20  # units between a table and its names
MARK = 24  # units: smaller lines are heads of arrows, or say how something is drawn


def slides(core: bool) -> bytes:
    """The PDF for all exercises, or for the core only; as wide as a screen."""
    return pdf("slides.typ", data(core), SCREEN)


def data(core: bool) -> Data:
    """The contents of all slides."""
    chosen = [exercise for exercise in exercises().values() if exercise.core or not core]
    slides: list[Data] = []
    for exercise in chosen:
        slides.append(exercise_slides(exercise, _mistake_slugs(slides)))
    return {"start": _start(core, len(chosen)), "exercises": slides}


def _mistake_slugs(slides: list[Data]) -> set[str]:
    return {slide["mistake"]["slug"] for slide in slides if slide["mistake"]}


def _start(core: bool, count: int) -> Data:
    """The first slide."""
    texts = read_texts("slides")
    return {
        "title": texts["title"],
        "about": texts["core" if core else "all"].format(count=count),
        "begin": [[prose(text), code] for text, code in texts["begin"]],
        "plan": prose(texts["plan"]),
    }


def exercise_slides(exercise: Exercise, earlier: Collection[str] = ()) -> Data:
    """The data of the slides of an exercise; `earlier` are the mistakes of those before."""
    texts, printed = raw_texts(exercise), mistake(exercise, earlier)
    questions, drawing = texts.get("questions", []), figure(exercise.slug)
    return {
        "short": exercise.short,
        "title": exercise.title,
        "subtitle": prose(texts.get("subtitle", "")),
        "minutes": exercise.minutes,
        "command": f"pytest exercises/{exercise.filename}",
        "figure": figure_data(exercise),
        "parts": parts(drawing) if drawing else [],
        "question": [prose(sentence) for sentence in questions[0]] if questions else [],
        "mistake": _mistake(exercise, printed) if printed else None,
    }


def _lines(code: str) -> list[str]:
    return break_lines(code, WIDTH)


def _mistake(exercise: Exercise, printed: PrintedMistake) -> Data:
    bug, message = printed.bug, printed.message
    code = [_lines(part) for part in in_context(exercise, bug)]
    lines_of_call = call(message.inputs)
    return {
        "slug": bug.slug,
        "title": prose(capital(bug.title)),
        "places": [name for name in places(exercise, bug) if not is_private(name)],
        "code": ["\n".join(lines) for lines in code],
        "call": "\n".join(lines_of_call),
        "changes": [["\n".join(_lines(part.wrong)), "\n".join(_lines(part.right))]
                    for part in printed.changes],
        "evidence": prose(first_line(message.evidence)),
        "maps": grids(message.picture, _space(sum(map(len, code)) + len(lines_of_call))),
        "why": prose(bug.why),
        "claim": prose(claims(exercise)[bug.claim]),
        "test": bug.claim,
    }  # fmt: skip


def _space(lines: int) -> Space:
    """The space for a map beside so many lines of code."""
    return Space(max(LEAST, min(MOST, LINES - lines)), CHARACTERS)


def mistake(exercise: Exercise, earlier: Collection[str]) -> PrintedMistake | None:
    """A mistake that can be read off its lines, with a map, and is on no earlier slide."""
    return next(_in_order(exercise, earlier), None)


def _in_order(exercise: Exercise, earlier: Collection[str]) -> Iterator[PrintedMistake]:
    """The candidates, best first; a candidate is judged only if there is no better one."""
    for is_good in (_is_readable, _is_visible):
        repeated = []
        for candidate in common(exercise):
            if is_good(exercise, candidate):
                if candidate.bug.slug in earlier:
                    repeated.append(candidate)
                else:
                    yield candidate
        yield from repeated
    yield from common(exercise)


def _is_readable(exercise: Exercise, candidate: PrintedMistake) -> bool:
    """Whether a group knows all functions in it, which a helper of the reference is not."""
    named = [*places(exercise, candidate.bug), *(part.wrong for part in candidate.changes)]
    return not any(HELPER.search(text) for text in named) and _is_visible(exercise, candidate)


def _is_visible(_: Exercise, candidate: PrintedMistake) -> bool:
    """Whether few lines are wrong, all of them in the place of right ones."""
    wrong = sum(len(_lines(part.wrong)) for part in candidate.changes)
    right = sum(len(_lines(part.right)) for part in candidate.changes)
    is_whole = all(part.wrong and part.right for part in candidate.changes)
    is_short = all(
        len(line) < LONGEST for part in candidate.changes for line in part.wrong.splitlines()
    )
    return candidate.has_map and is_whole and is_short and wrong <= WRONG and wrong + right <= BOTH


def call(inputs: str) -> list[str]:
    """The first line of a claim's inputs, broken where no shape is."""
    line = SHAPE.sub(lambda match: match[0].replace(" ", FIXED), inputs.partition("\n")[0])
    return [part.replace(FIXED, " ") for part in _lines(line)]


def parts(drawing: Figure) -> list[str]:
    """The figure in drawings of their own, left to right; only one if all of it is small."""
    pieces = [_piece(element) for element in drawing.elements]
    tables = list(_tables(pieces))
    left, right = min(table.left for table in tables), max(table.right for table in tables)
    if right - left <= WIDEST:
        return [drawing.svg]
    lines = [piece for piece in pieces if not any(_is_in(piece, table) for table in tables)]
    cut = _cut(tables, lines, range(round(right - WIDEST), round(left + WIDEST) + 1))
    first = [table for table in tables if table.middle <= cut]
    second = [table for table in tables if table.middle > cut]
    return [_part(drawing, half, lines, cut) for half in (first, second)]


@dataclass(frozen=True)
class Piece:
    """One element, or the cells of a table together."""

    elements: tuple[Element, ...]
    left: float
    right: float
    top: float
    bottom: float

    @property
    def tag(self) -> str:
        """The tag of the first element."""
        return self.elements[0].tag

    @property
    def is_small(self) -> bool:
        """True for a mark that belongs to its neighbour."""
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
        """Return whether it is drawn on the other piece, as the stroke through a cell."""
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


def _piece(element: Element) -> Piece:
    box = element.box
    return Piece((element,), box.x, box.right, box.y, box.bottom)


def _is_in(piece: Piece, table: Piece) -> bool:
    # Another element may look the same.
    return any(piece.elements[0] is element for element in table.elements)


def _cut(tables: Sequence[Piece], lines: Sequence[Piece], places: Sequence[int]) -> float:
    """The place with room, with few lines that lead over it, and near to the middle."""
    middle = (places[0] + places[-1]) / 2

    def worth(at: int) -> float:
        room = min(max(table.left - at, at - table.right) for table in tables)
        crossing = sum(line.left < at < line.right for line in lines)
        return min(ENOUGH, room) - PER_LINE * crossing - abs(at - middle) / AWAY

    return max(places, key=worth)


def _part(drawing: Figure, tables: Sequence[Piece], lines: Sequence[Piece], cut: float) -> str:
    """A drawing as high as the figure, and up to the cut, so that every line is in a part."""
    left = min(cut, *(table.left - MARGIN for table in tables))
    right = max(cut, *(table.right + MARGIN for table in tables))
    near = [line for line in lines if line.right > left and line.left < right]
    inside = {id(element) for piece in (*tables, *near) for element in piece.elements}
    # In the order of the figure, as an element may lie on another.
    elements = [element.svg for element in drawing.elements if id(element) in inside]
    return "\n".join([f"{svg_head(right - left, drawing.height, left)}>", *elements, "</svg>"])


def _tables(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces that belong together: cells that touch, their names, and the lines on them."""
    by_tag: dict[str, list[Piece]] = {"text": [], "polyline": [], "rect": [], "circle": []}
    for piece in pieces:
        by_tag[piece.tag].append(piece)
    tables = list(_touching([*by_tag["rect"], *by_tag["circle"]]))
    for names in (by_tag["text"], [line for line in by_tag["polyline"] if line.is_small]):
        tables = _named(tables, names)
    for table in tables:
        on_it = [line for line in by_tag["polyline"] if line.lies_in(table)]
        yield reduce(Piece.joined, on_it, table)


def _touching(pieces: Iterable[Piece]) -> Iterator[Piece]:
    rest = list(pieces)
    while rest:
        table = rest.pop()
        while near := [piece for piece in rest if table.gap(piece) < NEAR]:
            rest = [piece for piece in rest if table.gap(piece) >= NEAR]
            table = reduce(Piece.joined, near, table)
        yield table


def _named(tables: list[Piece], names: list[Piece]) -> list[Piece]:
    """The tables with their names, of which a name that is near to none is one by itself."""
    owners = [_nearest(name, tables) for name in names]
    alone = [name for name, owner in zip(names, owners, strict=True) if owner < 0]
    groups = [[table] for table in tables]
    for name, owner in zip(names, owners, strict=True):
        if owner >= 0:
            groups[owner].append(name)
    return [*(reduce(Piece.joined, group) for group in groups), *alone]


def _nearest(name: Piece, tables: list[Piece]) -> int:
    """The place of the table that it is the name of; -1 if none is near."""
    gaps = [table.gap(name) for table in tables]
    return gaps.index(min(gaps)) if gaps and min(gaps) < NAMED else -1
