"""The prices of a class's known mistakes, as a file in which an instructor may change them.

The command line calls `check` before the grading, which refuses to have a file written over unless
its prices count in this run, and the rest after it.
"""

from collections.abc import Iterator
from pathlib import Path

from kata.course.curriculum import exercises
from kata.course.shares import part
from kata.errors import UserError
from kata.files import write_file
from kata.grading.collecting.names import few
from kata.grading.reports.counting import Counts, Hit
from kata.grading.reports.wording import DIGITS, number, points
from kata.grading.rubric import Rubric
from kata.verdict import Mistake

HEAD = """\
# What known mistakes cost. Change a line and grade again with --rubric and this file:
# the marks of all who made that mistake change with it, and no others. A price is a number of
# points, or a part of what its function is worth: all, grave (a half), middle (three tenths),
# small (a seventh). A line that is not changed costs at most what its claims are worth."""


def check(path: Path, own: Path | None) -> None:
    """Refuse to write over a file unless the prices in it count in this run."""
    if path.exists() and not (own and own.exists() and path.samefile(own)):
        raise UserError(f"{path} is there already: name it with --rubric, too, or write another "
                        "file")  # fmt: skip


def write(path: Path, counts: Counts, rubric: Rubric) -> str:
    """Write the price of each mistake that occurred, and those that are set in any case."""
    write_file(path, "\n".join(_lines(counts, rubric)) + "\n")
    return f"the prices of the mistakes that occurred are in {path}"


def unheard(counts: Counts, rubric: Rubric) -> Iterator[str]:
    """A line on own prices that do not count for somebody: nothing was computed to compare."""
    for (slug, name), students in counts.unpriced.items():
        if (slug, name) in rubric.own:
            yield (f"the price of {name} ({exercises()[slug].short}) does not count where nothing "
                   f"was computed that could be compared: {few(students)}")  # fmt: skip


def _lines(counts: Counts, rubric: Rubric) -> Iterator[str]:
    lines: dict[str, dict[str, str]] = {slug: {} for slug in exercises()}
    for (slug, name), price in rubric.own.items():
        lines[slug][name] = _line(name, price)
    for hit in counts.hits:
        for mistake in filter(lambda mistake: mistake.price, hit.mistakes):
            key = (hit.slug, mistake.slug)
            about = _about(hit, mistake, counts.exercises[hit.slug].most)
            line = f"{_line(mistake.slug, rubric.own.get(key, mistake.price))}  # {about}"
            lines[hit.slug][mistake.slug] = line if key in counts.priced else (
                f"# {line}: costs what its claims are worth, as nothing was computed that could be "
                "compared")  # fmt: skip
    yield HEAD
    for slug, table in lines.items():
        if table:
            yield from ["", f"[{slug}]", *table.values()]


def _line(name: str, price: str | float) -> str:
    return f'{name} = "{price}"' if isinstance(price, str) else f"{name} = {number(price)}"


def _about(hit: Hit, mistake: Mistake, most: float) -> str:
    count = len(hit.students)
    worth = points(number(most * part(exercises()[hit.slug], mistake.function), DIGITS))
    lost = number(hit.lost / count, DIGITS)
    who = f"1 student lost {lost}" if count == 1 else f"{count} students lost {lost} each"
    rivals = [rival.slug for rival in hit.mistakes if rival is not mistake]
    cheaper = f", or {', '.join(rivals)}, and the cheapest counts" if rivals else ""
    return f"of {worth} for {mistake.function}: {mistake.title}; {who}{cheaper}"
