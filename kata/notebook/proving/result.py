"""The result of `prove`, as text and as HTML."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from kata.notebook.page import BLUE, CLAIM, CODE_STYLE, ORANGE, OUTER, TEXT, marked
from kata.notebook.reply import WIDTH
from kata.proofs.shown.lines import lines
from kata.proofs.shown.report import Place, Row, Section, advice, all_in_all, head, troubles
from kata.proofs.verdict import ProofVerdict
from kata.terminal.style import Style

HINTS = "hint()"
CELL = "padding:1px 14px 1px 0;text-align:{side};border:0;background:none;color:inherit"


@dataclass(frozen=True)
class ProofResult:
    """The verdict on tests in cells; true once level 1 is all caught, and nothing refused."""

    verdict: ProofVerdict
    place: Place

    def __bool__(self) -> bool:
        return self.verdict.is_done

    def __repr__(self) -> str:
        return "\n".join(lines(self.verdict, Style(width=WIDTH), place=self.place, hints=HINTS))

    def _repr_html_(self) -> str:
        style = OUTER.format(colour=BLUE if self else ORANGE)
        label = escape(head(self.verdict), quote=True)
        parts = "".join(self._parts())
        return f'<div role="group" aria-label="{label}" style="{style}">{parts}</div>'

    def _parts(self) -> Iterator[str]:
        yield f'<p style="{TEXT}"><strong>{marked(head(self.verdict))}</strong></p>'
        for section in (*troubles(self.verdict, self.place), *all_in_all(self.verdict)):
            yield from _section(section)
        yield f'<p style="{TEXT}">{marked(advice(self.verdict, HINTS))}</p>'


def _section(section: Section) -> Iterator[str]:
    yield f'<p style="{CLAIM}">{marked(section.title)}</p>'
    if section.code:
        yield f'<pre style="{CODE_STYLE}">{escape(section.code)}</pre>'
    yield from (f'<p style="{TEXT}">{marked(text)}</p>' for text in section.texts)
    if section.table:
        heading, *rows = section.table
        body = "".join(_row(row, "td", len(heading)) for row in rows)
        head_row = _row(heading, "th", len(heading))
        yield f'<table style="border-collapse:collapse">{head_row}{body}</table>'


def _row(row: Row, tag: str, width: int) -> str:
    """A row that is shorter than the heading ends in a wide cell."""
    name, *cells = row
    wide = f' colspan="{width - 1}"' if len(cells) < width - 1 else ""
    left, right = CELL.format(side="left"), CELL.format(side="right")
    rest = "".join(f'<{tag}{wide} style="{right}">{escape(cell)}</{tag}>' for cell in cells)
    return f'<tr style="background:none"><{tag} style="{left}">{marked(name)}</{tag}>{rest}</tr>'
