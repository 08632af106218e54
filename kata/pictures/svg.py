"""Heat maps as SVG: one drawing for files, notebooks, feedback pages and the site.

Rows and columns have their indices and every cell its number. A wrong cell has a thick edge, and
the worst cell two. Numbers that were exchanged have the colour of the place to which they belong,
and lines below them, which can be told apart in grey as well.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from xml.sax.saxutils import escape, quoteattr

from kata.palette import MAP, MAP_ANYWHERE
from kata.pictures.heatmaps import FLOW, GAP, Cell, Map, captions, map_pair, maps
from kata.verdict import ClaimVerdict, Picture

WIDTH, HEIGHT = 40, 28  # of a cell, in pixels
EDGE = 2  # for the strokes at the border
INDEX = 16  # for the indices, left and above
SPACE, MARGIN, LINE = 34, 16, 20
FLEXIBLE = "style='max-width:100%;height:auto;display:block'"
WIDEST = 1100  # of a file; maps that have no room beside each other stand below each other
STRONGEST = 0.6  # the opacity behind a number, so that it can be read
LONG = 5  # characters of a number that fit in letters of the usual size
LINES = ((0, ""), (1, ""), (1, ";stroke-dasharray:1.5 2"), (2, ""))  # below the numbers of a place
ROUNDS = ((0.5, 16), (0.25, 10), (0.1, 4))  # how strong a colour is, how long its lines
SANS = "font-family='system-ui, sans-serif' font-size='13'"
DIGITS = "font-family='ui-monospace, Menlo, DejaVu Sans Mono, monospace' text-anchor='middle'"
Placed = Sequence[tuple[Cell, int, int]]  # cells with their upper left corners


@dataclass(frozen=True)
class Look:
    """The attributes of every kind of element."""

    paper: str
    value: str
    gap: str
    places: tuple[str, ...]
    unknown: str
    wrong: str
    number: str
    index: str


def _look(ink: str, muted: str, paper: str, hues: Sequence[str]) -> Look:
    value, gap, *places = (f"fill='{hue}'" for hue in hues)
    return Look(
        paper=f"fill='{paper}' stroke='{muted}'",
        value=value,
        gap=gap,
        places=tuple(places),
        unknown=f"fill='{muted}'",
        wrong=f"fill='none' stroke='{ink}' stroke-width='2'",
        number=f"fill='{ink}' {DIGITS}",
        index=f"fill='{muted}' {DIGITS} font-size='10'",
    )


# Colour-blind readers can tell blue from orange; in grey there are the lines below the numbers.
FILE = _look("black", "#777", "white", MAP)
# Inside a page with a light or a dark ground: colours that are half-way between.
ANYWHERE = _look("currentColor", "#8a8a8a", "none", MAP_ANYWHERE)
# Inside a page that has colours for these classes.
STYLED = Look(
    paper="class='paper'", value="class='value'", gap="class='gap'",
    places=("class='place-0'", "class='place-1'", "class='place-2'", "class='place-3'"),
    unknown="class='unknown'", wrong="class='wrong'", number="class='number'",
    index="class='index'",
)  # fmt: skip


def styled(picture: Picture) -> list[tuple[str, str]]:
    """The expected map and the actual one, for a page that has colours for their classes."""
    return [(heat_map.title, _element(heat_map, STYLED)) for heat_map in map_pair(picture)]


def thumbnail(picture: Picture) -> str:
    """The actual map as colours alone, for a page that has colours for their classes."""
    _, heat_map = map_pair(picture)
    width, height = _size(heat_map)
    box = f"viewBox='{INDEX} {INDEX} {width - INDEX} {height - INDEX}'"
    layers = "".join(_layers(heat_map, STYLED, [*_placed(heat_map)], small=True))
    return f"<svg class='map' {box} aria-hidden='true'>{layers}</svg>"


def heat_maps(verdict: ClaimVerdict, title: str) -> str:
    """An SVG file of a failed claim's picture; "" if it has none."""
    message = verdict.message
    if message is None or message.picture is None:
        return ""
    words = [title, message.claim, message.evidence, *captions(message.picture)]
    left, top = MARGIN, MARGIN + LINE * (len(words) + 1)
    parts, right = [*_texts(words)], 8 * max(map(len, words))
    for heat_map in maps(message.picture):
        width, height = _size(heat_map)
        if left > MARGIN and left + width > WIDEST:
            left, top = MARGIN, top + height + 2 * LINE
        parts.append(f"<text x='{left}' y='{top - 6}' {SANS}>{escape(heat_map.title)}</text>")
        parts.append(_element(heat_map, FILE, f"x='{left}' y='{top}'"))
        right, left = max(right, left + width), left + max(width, 90) + SPACE
    return _document(right + MARGIN, top + height + MARGIN, title, "\n".join(parts))


def inline_maps(picture: Picture, title: str) -> str:
    """The maps to stand inside a notebook, on a light or a dark ground."""
    figures = "".join(
        f"<div><div>{escape(heat_map.title)}</div>{_element(heat_map, ANYWHERE, FLEXIBLE)}</div>"
        for heat_map in maps(picture)
    )
    notes = "".join(f"<div>{escape(note)}</div>" for note in captions(picture))
    head = f"<div role='group' aria-label={quoteattr(title)}>"
    return f"{head}<div style='{FLOW}'>{figures}</div>{notes}</div>"


def _element(heat_map: Map, look: Look, attributes: str = "class='map'") -> str:
    """One map with its indices, as an element with its content as a label."""
    width, height = _size(heat_map)
    head = f"<svg {attributes} viewBox='0 0 {width} {height}' width='{width}' height='{height}'"
    placed = [*_placed(heat_map)]
    parts = [
        *_layers(heat_map, look, placed),
        *_numbers(placed, look),
        *_lines(placed, look),
        *_indices(heat_map, look),
    ]
    return f"{head} role='img' aria-label={quoteattr(_in_words(heat_map))}>{''.join(parts)}</svg>"


def _size(heat_map: Map) -> tuple[int, int]:
    width, height = WIDTH * len(heat_map.rows[0]), HEIGHT * len(heat_map.rows)
    return INDEX + width + 2 * EDGE, INDEX + height + 2 * EDGE


def _in_words(heat_map: Map) -> str:
    rows = "; ".join(" ".join(cell.short for cell in row) for row in heat_map.rows)
    return f"{heat_map.title}, row by row: {rows}"


def _layers(heat_map: Map, look: Look, placed: Placed, *, small: bool = False) -> Iterator[str]:
    """Everything of one kind in one path, which keeps a page of many maps small."""
    yield _paper(len(heat_map.rows), len(heat_map.rows[0]), look.paper)
    fills: dict[str, list[Sequence[int]]] = {}
    for cell, *corner in placed:
        if cell.hue >= 0 or cell.share or not cell.is_finite:
            paint = f"{_fill(cell, heat_map.kind, look)} fill-opacity='{_opacity(cell, small)}'"
            fills.setdefault(paint, []).append(corner)
    yield from (_boxes(corners, paint) for paint, corners in fills.items())
    yield _boxes([corner for cell, *corner in placed if cell.wrong], look.wrong)
    worst = [corner for cell, *corner in placed if cell.worst]
    yield _boxes(worst, f"{look.wrong} style='stroke-width:1'", inset=4.5)


@lru_cache(maxsize=256)  # most maps have one of a few sizes
def _paper(rows: int, columns: int, attributes: str) -> str:
    """The paper behind all cells."""
    return _boxes([_corner(x, y) for y in range(rows) for x in range(columns)], attributes)


def _corner(x: int, y: int) -> tuple[int, int]:
    return INDEX + EDGE + WIDTH * x, INDEX + EDGE + HEIGHT * y


def _placed(heat_map: Map) -> Iterator[tuple[Cell, int, int]]:
    """The cells with their upper left corners."""
    for y, row in enumerate(heat_map.rows):
        for x, cell in enumerate(row):
            yield cell, *_corner(x, y)


def _boxes(corners: Sequence[Sequence[int]], attributes: str, inset: float = 1.5) -> str:
    wide, high = WIDTH - 2 * inset, HEIGHT - 2 * inset
    path = "".join(f"M{x + inset:g} {y + inset:g}h{wide:g}v{high:g}h-{wide:g}z" for x, y in corners)
    return f"<path {attributes} d='{path}'/>" if path else ""


def _fill(cell: Cell, kind: str, look: Look) -> str:
    if not cell.is_finite:
        return look.unknown
    if cell.hue >= 0:
        return look.places[cell.hue]
    return look.gap if kind == GAP else look.value


def _opacity(cell: Cell, small: bool) -> float:
    """The strength of a cell's colour: one of twenty, or one of three if it stands for a place."""
    has_place = cell.hue >= 0 or not cell.is_finite
    share = ROUNDS[cell.round][0] if has_place else cell.share
    return round(max(0.05, round(20 * share) / 20) * (1.0 if small else STRONGEST), 2)


def _numbers(placed: Placed, look: Look) -> Iterator[str]:
    """The numbers of the cells, with all of their digits where the pointer rests.

    A page that has colours for classes may have many maps, and so no hidden digits.
    """
    yield f"<g {look.number} font-size='11'>"
    for cell, x, y in placed:
        exact = f"<title>{cell.exact}</title>" if look is not STYLED else ""
        size = "" if len(cell.short) <= LONG else " font-size='9'"
        place = f"x='{x + WIDTH // 2}' y='{y + HEIGHT // 2 + 4}'"
        yield f"<text {place}{size}>{exact}{cell.short}</text>"
    yield "</g>"


def _lines(placed: Placed, look: Look) -> Iterator[str]:
    """Lines below numbers: none, one, a dotted one or two, for four places without colour."""
    belonging = [placement for placement in placed if placement[0].hue >= 0]
    for hue, (count, dots) in enumerate(LINES if belonging else ()):
        path = "".join(
            f"M{x + (WIDTH - long) // 2 - 1} {y + HEIGHT - 7 + 2.5 * down:g}h{long}"
            for cell, x, y in belonging
            for _, long in [ROUNDS[cell.round]]
            for down in range(count)
            if cell.hue == hue
        )
        if path:
            yield f"<path {look.wrong} style='stroke-width:1{dots}' d='{path}'/>"


def _indices(heat_map: Map, look: Look) -> Iterator[str]:
    for at, name in enumerate(heat_map.column_names):
        x = INDEX + EDGE + WIDTH * (at + 0.5)
        yield f"<text x='{x:g}' y='{INDEX - 5}' {look.index}>{name}</text>"
    for at, name in enumerate(heat_map.row_names):
        y = INDEX + EDGE + HEIGHT * (at + 0.5) + 4
        yield f"<text x='{INDEX / 2:g}' y='{y:g}' {look.index}>{name}</text>"


def _document(width: int, height: int, title: str, content: str) -> str:
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}'"
    size = f"width='{width}' height='{height}' role='img' aria-label={quoteattr(title)}"
    paper = f"<rect width='{width}' height='{height}' fill='white'/>"
    return f"{head} {size}>\n<title>{escape(title)}</title>\n{paper}\n{content}\n</svg>\n"


def _texts(words: Sequence[str]) -> Iterator[str]:
    for at, text in enumerate(words):
        weight = "font-weight='bold'" if at == 0 else ""
        y = MARGIN + LINE * (at + 0.7)
        yield f"<text x='{MARGIN}' y='{y:g}' {SANS} {weight}>{escape(text)}</text>"
