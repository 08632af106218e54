"""What the known mistakes of a class cost, as a file in which an instructor may change it."""

from collections.abc import Iterator
from pathlib import Path

from kata.class_verdict import ClassVerdict
from kata.course.curriculum import exercises
from kata.errors import UserError
from kata.files import write_file
from kata.grading.reports.common.costs import Hit, Tally, costs
from kata.grading.reports.remarks import DIGITS, number
from kata.grading.rubric import Rubric
from kata.words import say


def check(path: Path, own: Path | None) -> None:
    """Refuse to write over a file unless the prices in it count in this run."""
    if path.exists() and not (own and own.exists() and path.samefile(own)):
        raise UserError(say("reports.prices-there", path=path))


def write(path: Path, found: ClassVerdict, rubric: Rubric) -> None:
    """Write the price of each mistake that occurred, and those that are set in any case."""
    write_file(path, "\n".join(_lines(found, rubric)) + "\n")


def _lines(found: ClassVerdict, rubric: Rubric) -> Iterator[str]:
    tally = Tally()
    for verdict in found.submissions():
        for exercise, mark in zip(verdict.exercises, verdict.marks_by_claims, strict=True):
            tally.add(verdict.student, costs(exercise, mark))
    lines: dict[str, dict[str, str]] = {slug: {} for slug in exercises()}
    for (slug, mistake), price in rubric.own.items():
        lines[slug][mistake] = _line(mistake, price)
    for hit in tally.hits:
        for each in (one for one in hit.mistakes if one.price):
            price = rubric.own.get((hit.slug, each.slug), each.price)
            lines[hit.slug][each.slug] = _line(each.slug, price, _about(hit, each.title))
    yield from (f"# {line}" for line in say("reports.prices").splitlines())
    for slug, table in lines.items():
        if table:
            yield from ["", f"[{slug}]", *table.values()]


def _line(mistake: str, price: str | float, about: str = "") -> str:
    told = f'"{price}"' if isinstance(price, str) else number(price)
    return f"{mistake} = {told}" + (f"  # {about}" if about else "")


def _about(hit: Hit, title: str) -> str:
    count = len(hit.students)
    key = "reports.price-of-one" if count == 1 else "reports.price-of"
    return say(key, title=title, count=count, points=number(hit.lost / count, DIGITS))
