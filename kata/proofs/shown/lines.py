"""What is said of a proof, as lines of a terminal."""

from collections.abc import Iterator, Sequence

from kata.proofs.shown.report import (
    Place,
    Row,
    Section,
    about_file,
    advice,
    all_in_all,
    brief,
    head,
    in_file,
    trouble,
    troubles,
)
from kata.proofs.verdict import LEVELS, ProofVerdict
from kata.terminal.style import Style

INDENT = 2


def lines(
    found: ProofVerdict,
    style: Style,
    level: int = LEVELS[-1],
    place: Place = in_file,
    hints: str = "",
) -> Iterator[str]:
    """All of it; `hints` is what to type for a hint, if not the command about a file."""
    yield style.paint(head(found), "bold")
    for each in (*troubles(found, place), *all_in_all(found, level)):
        yield ""
        yield from section(each, style)
    yield ""
    yield from style.wrap(advice(found, hints))


def summary(found: ProofVerdict, style: Style) -> Iterator[str]:
    """The same without what is wrong with single tests."""
    yield head(found)
    for each in (*about_file(found), *all_in_all(found)):
        yield from section(each, style)
    yield from style.wrap(advice(found))


def trouble_of(found: ProofVerdict, name: str, style: Style) -> tuple[str, list[str]]:
    """What keeps one test from passing, in a sentence and in full.

    Both are empty if it refuses nothing, and catches something.
    """
    test = next(each for each in found.tests if each.name == name)
    if test.counts and test.catches:
        return "", []
    parts = trouble(found, test, in_file)
    return brief(found, test), [line for part in parts for line in section(part, style)]


def section(shown: Section, style: Style) -> Iterator[str]:
    """One part."""
    if shown.title:
        yield from (style.paint(line, "bold") for line in style.wrap(shown.title))
    yield from (f"{' ' * INDENT * 2}{line}" for line in shown.code.splitlines())
    for each in shown.texts:
        yield from style.wrap(each, INDENT)
    yield from table(shown.table)


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Columns side by side; a row may be shorter than its heading."""
    if not rows:
        return
    first = max(len(row[0]) for row in rows)
    full = [row for row in rows if len(row) == len(rows[0])]
    widths = [max(len(row[at]) for row in full) for at in range(1, len(rows[0]))]
    for name, *cells in rows:
        shown = [f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=False)]
        yield f"{' ' * INDENT}{name:<{first}}  {'   '.join(shown)}".rstrip()
