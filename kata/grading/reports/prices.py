"""What the known mistakes of a class cost, as a file in which an instructor may change it."""

from collections.abc import Iterator
from pathlib import Path

from kata.class_verdict import ClassVerdict
from kata.course.curriculum import exercises
from kata.course.shares import part
from kata.errors import UserError
from kata.files import write_file
from kata.grading.collecting.names import few
from kata.grading.reports.common.costs import Hit, Tally, costs
from kata.grading.reports.remarks import DIGITS, number
from kata.grading.reports.text import points as points_of
from kata.grading.rubric import Rubric, priced_mistakes
from kata.verdict import Mistake
from kata.words import say


def check(path: Path, own: Path | None) -> None:
    """Refuse to write over a file unless the prices in it count in this run."""
    if path.exists() and not (own and own.exists() and path.samefile(own)):
        raise UserError(say("reports.prices-there", path=path))


def write(path: Path, found: ClassVerdict, rubric: Rubric) -> None:
    """Write the price of each mistake that occurred, and those that are set in any case."""
    write_file(path, "\n".join(_lines(found, rubric)) + "\n")


def unheard(found: ClassVerdict, rubric: Rubric) -> Iterator[str]:
    """A line on own prices that do not count for somebody: nothing was computed to compare."""
    students: dict[tuple[str, str], list[str]] = {}
    for verdict in found.submissions() if rubric.own else ():
        for exercise in verdict.exercises:
            counting = {each.slug for one in priced_mistakes(exercise) for each in one}
            for mistake in exercise.mistakes:
                if (exercise.slug, mistake.slug) in rubric.own and mistake.slug not in counting:
                    students.setdefault((exercise.slug, mistake.slug), []).append(verdict.student)
    for (slug, name), names in students.items():
        short = exercises()[slug].short
        yield say("reports.unheard", mistake=name, short=short, names=few(names))


def _lines(found: ClassVerdict, rubric: Rubric) -> Iterator[str]:
    tally, counting = Tally(), set[tuple[str, str]]()
    for verdict in found.submissions():
        for exercise, mark in zip(verdict.exercises, verdict.marks_by_claims, strict=True):
            tally.add(verdict.student, costs(exercise, mark))
            counting |= {
                (exercise.slug, each.slug) for one in priced_mistakes(exercise) for each in one
            }
    lines: dict[str, dict[str, str]] = {slug: {} for slug in exercises()}
    for (slug, mistake), price in rubric.own.items():
        lines[slug][mistake] = _line(mistake, price)
    for hit in tally.hits:
        for each in (one for one in hit.mistakes if one.price):
            price = rubric.own.get((hit.slug, each.slug), each.price)
            line = _line(each.slug, price, _about(hit, each, found.points.get(hit.slug, 0.0)))
            counts = (hit.slug, each.slug) in counting
            lines[hit.slug][each.slug] = line if counts else f"# {line}: {say('reports.by-claims')}"
    yield from (f"# {line}" for line in say("reports.prices").splitlines())
    for slug, table in lines.items():
        if table:
            yield from ["", f"[{slug}]", *table.values()]


def _line(mistake: str, price: str | float, about: str = "") -> str:
    told = f'"{price}"' if isinstance(price, str) else number(price)
    return f"{mistake} = {told}" + (f"  # {about}" if about else "")


def _about(hit: Hit, mistake: Mistake, points: float) -> str:
    count = len(hit.students)
    key = "reports.price-of-one" if count == 1 else "reports.price-of"
    worth = number(points * part(exercises()[hit.slug], mistake.function), DIGITS)
    told = say(key, title=mistake.title, count=count, points=number(hit.lost / count, DIGITS),
               function=mistake.function, worth=points_of(worth))  # fmt: skip
    others = [each.slug for each in hit.mistakes if each is not mistake]
    return told + (say("reports.or-else", names=", ".join(others)) if others else "")
