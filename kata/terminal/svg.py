"""The heat maps of a failing claim as an SVG: expected, got and their difference."""

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from kata.terminal.heatmaps import GAP, Cell, Map, maps
from kata.verdict import ClaimVerdict

CELL, SPACE, MARGIN, LINE = 26, 34, 16, 20  # pixels
FONT = "font-family='system-ui, sans-serif' font-size='13'"
BLUE, ORANGE = (31, 88, 150), (196, 84, 16)  # told apart by colour-blind readers, and in grey
UNKNOWN = "#d7d7d7"  # not a finite number
# On any background, light or dark: half-way between, and the more opaque the larger the number.
ANY_BLUE, ANY_ORANGE, ANY_UNKNOWN = "#3f86d8", "#d9681f", "#8a8a8a"


def heat_maps(verdict: ClaimVerdict, title: str) -> str:
    """An SVG of a failed claim's picture; "" if it has none."""
    message = verdict.message
    if message is None or message.picture is None:
        return ""
    grids = maps(message.picture)
    each = max(CELL * len(grids[0].rows[0]), 90) + SPACE
    words = [title, message.claim, message.evidence]
    top = MARGIN + LINE * len(words) + LINE
    width = max(MARGIN * 2 + each * len(grids), 8 * max(map(len, words)))
    height = top + LINE + CELL * len(grids[0].rows) + MARGIN
    parts = [*_texts(words), *(
        line for at, grid in enumerate(grids) for line in _grid(grid, MARGIN + at * each, top)
    )]  # fmt: skip
    return _document(width, height, title, "\n".join(parts))


def inline_maps(verdict: ClaimVerdict, title: str) -> str:
    """The same to stand inside a page whose background and text may be light or dark."""
    message = verdict.message
    if message is None or message.picture is None:
        return ""
    grids = maps(message.picture)
    each = max(CELL * len(grids[0].rows[0]), 90) + SPACE
    width, height = each * len(grids), LINE * 2 + CELL * len(grids[0].rows)
    parts = "".join(
        line for at, grid in enumerate(grids) for line in _inline_grid(grid, at * each + 1)
    )
    size = f"width='{width}' height='{height}' viewBox='0 0 {width} {height}'"
    head = f"<svg xmlns='http://www.w3.org/2000/svg' {size} role='img'"
    style = "style='max-width:100%;height:auto;display:block'"
    return (
        f"{head} aria-label={quoteattr(title)} {style}><title>{escape(title)}</title>{parts}</svg>"
    )


def _inline_grid(grid: Map, left: int) -> Iterator[str]:
    colour = ANY_ORANGE if grid.kind == GAP else ANY_BLUE
    yield f"<text x='{left}' y='{LINE - 5}' {FONT} fill='currentColor'>{escape(grid.title)}</text>"
    for y, row in enumerate(grid.rows):
        for x, cell in enumerate(row):
            place = f"x='{left + CELL * x}' y='{LINE + 4 + CELL * y}'"
            edge = (
                "stroke='currentColor' stroke-width='2'"
                if cell.wrong
                else f"stroke='{ANY_UNKNOWN}'"
            )
            fill = f"fill='{colour}' fill-opacity='{cell.share}'"
            fill = fill if cell.is_finite else f"fill='{ANY_UNKNOWN}'"
            size = f"width='{CELL - 3}' height='{CELL - 3}'"
            yield f"<rect {place} {size} {fill} {edge}><title>{cell.exact}</title></rect>"


def _document(width: int, height: int, title: str, content: str) -> str:
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}'"
    size = f"width='{width}' height='{height}' role='img' aria-label={quoteattr(title)}"
    paper = f"<rect width='{width}' height='{height}' fill='white'/>"
    return f"{head} {size}>\n<title>{escape(title)}</title>\n{paper}\n{content}\n</svg>\n"


def _texts(words: Sequence[str]) -> Iterator[str]:
    for at, text in enumerate(words):
        weight = "font-weight='bold'" if at == 0 else ""
        y = MARGIN + LINE * (at + 0.7)
        yield f"<text x='{MARGIN}' y='{y:g}' {FONT} {weight}>{escape(text)}</text>"


def _grid(grid: Map, left: int, top: int) -> Iterator[str]:
    colour = ORANGE if grid.kind == GAP else BLUE
    yield f"<text x='{left}' y='{top}' {FONT}>{escape(grid.title)}</text>"
    for y, row in enumerate(grid.rows):
        for x, cell in enumerate(row):
            place = f"x='{left + CELL * x}' y='{top + 8 + CELL * y}'"
            edge = "stroke='black' stroke-width='2'" if cell.wrong else "stroke='#999'"
            size = f"width='{CELL - 2}' height='{CELL - 2}'"
            paint = f"fill='{_paint(cell, colour)}' {edge}"
            yield f"<rect {place} {size} {paint}><title>{cell.exact}</title></rect>"


def _paint(cell: Cell, colour: tuple[int, int, int]) -> str:
    if not cell.is_finite:
        return UNKNOWN
    red, green, blue = (round(255 + cell.share * (part - 255)) for part in colour)
    return f"#{red:02x}{green:02x}{blue:02x}"
