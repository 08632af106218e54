"""How the sections of a class did, as a roster names them."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median

from kata.class_verdict import ClassVerdict
from kata.grading.reports.class_page.students import Student
from kata.text import clean


@dataclass(frozen=True)
class Section:
    """One of them; without a name, those whom the roster puts into none."""

    name: str
    handed: int  # how many have handed in
    missing: int  # how many have not
    scores: tuple[float, ...]  # of those who were graded

    @property
    def everybody(self) -> int:
        """How many belong to it."""
        return self.handed + self.missing

    @property
    def mean(self) -> float:
        """Of the scores."""
        return mean(self.scores)

    @property
    def median(self) -> float:
        """Of the scores."""
        return median(self.scores)


def table(students: Sequence[Student], found: ClassVerdict) -> list[Section]:
    """Each section, and those in none if there are any; nothing if the roster names none."""
    names = [*map(clean, found.sections), ""] if found.sections else []
    sections = (_section(name, students, found) for name in names)
    return [each for each in sections if each.name or each.everybody]


def _section(name: str, students: Sequence[Student], found: ClassVerdict) -> Section:
    everybody = [each for each in students if each.section == name]
    mine = [each for each in everybody if each.handed_in]
    missing = sum(clean(each.section) == name for each in found.missing)
    missing += len(everybody) - len(mine)  # who have a mark all the same
    return Section(name, len(mine), missing, tuple(each.score for each in mine if each.graded))
