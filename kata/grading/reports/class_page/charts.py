"""The pictures of the class report as numbers: what the template draws."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from statistics import mean

from kata.grading.reports.class_page.students import Student

BINS = 10
WIDE = 34  # pixels of a column of the map
GROUPS = 10  # of a class too large to draw student by student
STEPS = 4  # shades below "all of it"
NAMED, SEEN = 80, 400  # up to so many students rows have names; up to so many they are thick
TALL, LOW, THIN = 16, 6, 2  # pixels of a row


@dataclass(frozen=True)
class Bar:
    """A range of scores, and how many students are in it."""

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
    shares: tuple[float, ...] = ()  # written into the cells


def histogram(scores: Sequence[float], most: float) -> list[Bar]:
    """Scores in at most ten ranges of whole points; a full score counts in the last."""
    wide = max(1, ceil(most / BINS))
    count = max(1, ceil(most / wide))
    found = Counter(min(int(each / wide), count - 1) for each in scores)
    edges = [min(at * wide, most) for at in range(count + 1)]
    return [Bar(low, high, found[at]) for at, (low, high) in enumerate(pairwise(edges))]


def shade(share: float) -> int:
    """The darkest for a full score, the lightest for nothing."""
    return STEPS if share >= 1 else int(share * STEPS)


def bands(students: Sequence[Student]) -> list[Band]:
    """A row for each graded student, the best first."""
    ranked = best_first(students)
    height = TALL if len(ranked) <= NAMED else LOW if len(ranked) <= SEEN else THIN
    return [_band(each, at * height, height) for at, each in enumerate(ranked)]


def _band(student: Student, top: int, height: int) -> Band:
    label = student.name if height == TALL else ""
    gap = 1 if height > THIN else 0
    shares = {column: each.share for column, each in enumerate(student.cells) if each.begun}
    return Band(student.name, label, top, height, _shades(shares, top, height - gap))


def _shades(shares: Mapping[int, float], top: int, height: int) -> dict[int, str]:
    """A box for each of these columns, collected by shade."""
    boxes: defaultdict[int, str] = defaultdict(str)
    for column, share in shares.items():
        boxes[shade(share)] += f"M{column * WIDE} {top}h{WIDE - 1}v{height}h-{WIDE - 1}z"
    return boxes


def tenths(students: Sequence[Student]) -> list[Band]:
    """The class in ten groups by score, the best first; each cell is the mean of a group."""
    ranked = best_first(students)
    size = len(ranked) / GROUPS
    cuts = [round(at * size) for at in range(GROUPS + 1)]
    groups = [ranked[low:high] for low, high in pairwise(cuts) if high > low]
    return [_tenth(at, group) for at, group in enumerate(groups)]


def _tenth(at: int, group: Sequence[Student]) -> Band:
    columns = zip(*(each.cells for each in group), strict=True)
    shares = tuple(mean(each.begun * each.share for each in column) for column in columns)
    height = 2 * TALL
    shades = _shades(dict(enumerate(shares)), at * height, height - 1)
    span = f"{at * 100 // GROUPS}–{(at + 1) * 100 // GROUPS} %"
    return Band(span, span, at * height, height, shades, shares)


def best_first(students: Sequence[Student]) -> list[Student]:
    """The graded students, by score."""
    graded = (each for each in students if each.graded)
    return sorted(graded, key=lambda each: -each.score)
