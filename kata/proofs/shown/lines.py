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
    verdict: ProofVerdict,
    style: Style,
    level: int = LEVELS[-1],
    place: Place = in_file,
    hints: str = "",
) -> Iterator[str]:
    """All of it; `hints` is what to type for a hint, if not the command about a file."""
    yield style.paint(head(verdict), "bold")
    for each in (*troubles(verdict, place), *all_in_all(verdict, level)):
        yield ""
        yield from section(each, style)
    yield ""
    yield from style.wrap(advice(verdict, hints))


def summary(verdict: ProofVerdict, style: Style) -> Iterator[str]:
    """The same without what is wrong with single tests."""
    yield head(verdict)
    for each in (*about_file(verdict), *all_in_all(verdict)):
        yield from section(each, style)
    yield from style.wrap(advice(verdict))


def trouble_of(verdict: ProofVerdict, name: str, style: Style) -> tuple[str, list[str]]:
    """What keeps one test from passing, in a sentence and in full.

    Both are empty if it refuses nothing, and catches something.
    """
    test = next(test_verdict for test_verdict in verdict.tests if test_verdict.name == name)
    if test.counts and test.catches:
        return "", []
    parts = trouble(verdict, test, in_file)
    return brief(verdict, test), [line for part in parts for line in section(part, style)]


def section(shown: Section, style: Style) -> Iterator[str]:
    """One part."""
    if shown.title:
        yield from (style.paint(line, "bold") for line in style.wrap(shown.title))
    yield from (f"{' ' * INDENT * 2}{line}" for line in shown.code.splitlines())
    for text in shown.texts:
        yield from style.wrap(text, INDENT)
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
