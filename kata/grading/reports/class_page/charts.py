"""The pictures of the class report as numbers: what the template draws."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean

from kata.grading.reports.class_page.students import Cell, Student

BINS = 10
WIDE = 34  # a column of the map, in pixels
GROUPS = 10  # of a class that is too large to be drawn one by one
STEPS = 4  # shades below "all of it"
NAMED, SEEN = 80, 400  # students whose names fit beside their rows; whose rows are still thick
TALL, LOW, THIN = 16, 6, 2  # pixels of a row


@dataclass(frozen=True)
class Bar:
    """Scores from here to there, and how many have them."""

    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Band:
    """A row of the map: a student, or a tenth of the class; `shades` are paths by shade."""

    title: str
    label: str
    top: int
    height: int
    shades: dict[int, str]
    shares: tuple[float, ...] = ()  # to be written into the cells


def histogram(scores: Sequence[float], most: float) -> list[Bar]:
    """Scores in tenths of what could be had; the best belong to the last."""
    counts = [0] * BINS
    for each in scores:
        counts[min(int(BINS * each / most), BINS - 1) if most else 0] += 1
    return [Bar(most * at / BINS, most * (at + 1) / BINS, count) for at, count in enumerate(counts)]


def shade(share: float) -> int:
    """The darkest for all of it, the lightest for nothing."""
    return STEPS if share >= 1 else int(share * STEPS)


def bands(students: Sequence[Student]) -> list[Band]:
    """A row for each that was graded, the best first."""
    ranked = best_first(students)
    height = TALL if len(ranked) <= NAMED else LOW if len(ranked) <= SEEN else THIN
    return [_band(each, at * height, height) for at, each in enumerate(ranked)]


def _band(student: Student, top: int, height: int) -> Band:
    label = student.name if height == TALL else ""
    gap = 1 if height > THIN else 0
    shades: dict[int, str] = {}
    for column, each in enumerate(student.cells):
        if each.begun:
            place = _box(column, top, height - gap)
            shades[shade(each.share)] = shades.get(shade(each.share), "") + place
    return Band(student.name, label, top, height, shades)


def _box(column: int, top: int, height: int) -> str:
    wide = WIDE - 1
    return f"M{column * WIDE} {top}h{wide}v{height}h-{wide}z"


def tenths(students: Sequence[Student]) -> list[Band]:
    """The class in ten groups by score, the best first; each cell is the mean of a group."""
    ranked = best_first(students)
    size = len(ranked) / GROUPS
    cuts = [round(at * size) for at in range(GROUPS + 1)]
    groups = [ranked[low:high] for low, high in pairwise(cuts) if high > low]
    return [_tenth(at, group) for at, group in enumerate(groups)]


def _tenth(at: int, group: Sequence[Student]) -> Band:
    columns = zip(*(each.cells for each in group), strict=True)
    shares = tuple(mean(_worth(each) for each in column) for column in columns)
    height = 2 * TALL
    shades: dict[int, str] = {}
    for column, share in enumerate(shares):
        place = _box(column, at * height, height - 1)
        shades[shade(share)] = shades.get(shade(share), "") + place
    span = f"{at * 100 // GROUPS}–{(at + 1) * 100 // GROUPS} %"
    return Band(span, span, at * height, height, shades, shares)


def _worth(cell: Cell) -> float:
    return cell.share if cell.begun else 0.0


def best_first(students: Sequence[Student]) -> list[Student]:
    """Those that were graded."""
    graded = (each for each in students if each.graded)
    return sorted(graded, key=lambda each: -each.score)


def slowest(students: Sequence[Student], most: int) -> list[Student]:
    """Those whose work took longest."""
    return sorted(students, key=lambda each: -each.seconds)[:most]
