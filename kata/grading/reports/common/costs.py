"""What each mistake cost."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from kata.grading.reports.remarks import ALIKE, DIGITS, number
from kata.grading.rubric import named_mistakes, worth
from kata.points import Mark
from kata.text import clean
from kata.verdict import ClaimVerdict, ExerciseVerdict, Mistake, State
from kata.words import say

# Mistakes that say nothing about what was taught: what was in the way of running the code.
IN_THE_WAY = {
    *("package-not-installed", "breakpoint-left-over", "plot-left-over"),
    *("file-not-allowed", "exit-left-over", "input-left-over"),
}
Key = tuple[str, ...]  # the exercise, then the mistakes, or the claims that fail


@dataclass(frozen=True)
class Cost:
    """What a mistake, or two that cannot be told apart, cost one student in one exercise."""

    slug: str
    mistakes: tuple[Mistake, ...]
    points: float

    @property
    def key(self) -> Key:
        """The exercise and the mistakes."""
        return (self.slug, *(each.slug for each in self.mistakes))


def costs(found: ExerciseVerdict, mark: Mark) -> Iterator[Cost]:
    """Of everything that was named; two mistakes at once count for each of them."""
    points = {each.mistakes: each.points for each in mark.charges}
    for mistakes, _ in named_mistakes(found):
        alone = tuple(replace(each, explains=()) for each in mistakes)
        slugs = tuple(each.slug for each in mistakes)
        yield Cost(found.slug, alone, points.get(slugs, 0.0))


def charged(found: ExerciseVerdict, mark: Mark) -> Iterator[str]:
    """What the mistakes that were named have cost, and what else, in words."""
    titles = {each.slug: each.title for each in found.mistakes}
    known = [each for each in mark.charges if each.mistakes]
    for each in known:
        title = ALIKE.join(titles[slug] for slug in each.mistakes if slug in titles)
        yield say("reports.charge", title=title, points=number(each.points, DIGITS))
    other = sum(each.points for each in mark.charges if not each.mistakes)
    if known and other:
        yield say("reports.charge-other", points=number(other, DIGITS))


def is_unreadable(found: ExerciseVerdict) -> bool:
    """Whether something was handed in of which no claim could be made, such as what is no Python.

    What stands in such a file, nobody knows.
    """
    return found.is_whole and bool(found.count(State.ERROR) or found.count(State.NOT_GRADABLE))


ABSENT = re.compile(r"ex\w+\.py has no `\w+`.*")  # as the judge says it of a function or a class


@dataclass
class Hit:
    """A mistake, or two that cannot be told apart, and those who made it."""

    slug: str  # of the exercise
    mistakes: tuple[Mistake, ...]
    students: list[str] = field(default_factory=list)
    lost: float = 0.0  # points, by the claims that fail by it

    @property
    def title(self) -> str:
        """What it is called."""
        return ALIKE.join(each.title for each in self.mistakes)

    @property
    def taught(self) -> bool:
        """Whether it is about what was taught."""
        return not any(each.slug in IN_THE_WAY for each in self.mistakes)


@dataclass
class Group:
    """Students of whom the same claims fail without a known mistake, and the first of these.

    If that one tells more than which numbers differ, such as an error, it tells all of them the
    same.
    """

    slug: str
    claims: int
    first: ClaimVerdict
    students: list[str] = field(default_factory=list)
    lost: float = 0.0

    @property
    def absent(self) -> bool:
        """Whether what the claim is about is not there, which explains itself."""
        return bool(ABSENT.fullmatch(self.first.message.evidence if self.first.message else ""))

    @property
    def sentence(self) -> str:
        """The claim that fails first; if what it is about is not there, that."""
        if self.absent and self.first.message:
            return clean(self.first.message.evidence)
        told = self.first.message.claim if self.first.message else ""
        return clean(told) or self.first.in_words

    @property
    def evidence(self) -> str:
        """What was called there, and what came of it, of the first who handed it in."""
        found = self.first.message
        told = [found.inputs, found.evidence] if found else []
        return clean("\n".join(filter(None, told)))


class Tally:
    """Mistakes, and works that no mistake explains, summed up over students."""

    def __init__(self) -> None:
        self._hits: dict[Key, Hit] = {}
        self._groups: dict[Key, Group] = {}

    def add(self, student: str, found: Iterable[Cost]) -> None:
        """Count what one student's mistakes cost."""
        for cost in found:
            hit = self._hits.setdefault(cost.key, Hit(cost.slug, cost.mistakes))
            if student not in hit.students[-1:]:
                hit.students.append(student)
            hit.lost += cost.points

    def add_unexplained(self, student: str, found: ExerciseVerdict, mark: Mark) -> None:
        """Count the claims of one student that fail without a known mistake."""
        if left := found.unexplained:
            names = [each.name for each in left]
            lost = found.lost_by(names)
            group = Group(found.slug, len(lost), left[0])
            group = self._groups.setdefault((found.slug, left[0].evidence, *names), group)
            group.students.append(student)
            group.lost += mark.most * worth(found, lost)

    @property
    def hits(self) -> list[Hit]:
        """What most students made first; of equals, what cost most points."""
        return sorted(self._hits.values(), key=commonest)

    @property
    def groups(self) -> list[Group]:
        """What most students have first; a single student is no group."""
        several = (each for each in self._groups.values() if len(each.students) > 1)
        return sorted(several, key=commonest)


def to_repeat(hits: Sequence[Hit]) -> list[Hit]:
    """Those that cost something and that a lesson can mend."""
    return [each for each in hits if each.taught and each.lost > 0]


def commonest(found: Hit | Group) -> tuple[int, float, str, str]:
    """What most students have comes first; of equals, what cost most points."""
    told = found.title if isinstance(found, Hit) else found.sentence
    return -len(found.students), -round(found.lost, 6), found.slug, told
